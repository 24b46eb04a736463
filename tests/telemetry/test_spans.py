"""Spans and the duration metric of tool calls."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest
from opentelemetry import trace as otel
from opentelemetry.trace import SpanKind, StatusCode

from agent_tools import NotFound, ToolError, configure, override, record_answer, tool, trace
from agent_tools.errors import InvalidSetting


def _hex(span):
    return f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}"


def test_a_call_is_a_span_with_the_names_of_the_conventions(spans):
    """The span says which tool was called, by which call, and how it went."""

    @tool
    def find_orders(city: str) -> list:
        return [{"id": 1}, {"id": 2}]

    find_orders.invoke({"city": "Rome"}, call_id="call_7")

    span = spans()["execute_tool find_orders"]
    assert (span.kind, span.status.status_code) == (SpanKind.INTERNAL, StatusCode.UNSET)
    assert span.attributes["gen_ai.operation.name"] == "execute_tool"
    assert span.attributes["gen_ai.tool.name"] == "find_orders"
    assert span.attributes["gen_ai.tool.call.id"] == "call_7"
    assert span.attributes["agent_tools.status"] == "success"
    assert span.attributes["agent_tools.tool.kind"] == "query"
    assert span.attributes["agent_tools.result.rows"] == 2
    assert span.instrumentation_scope.name == "agent_tools"


def test_an_error_envelope_makes_an_error_span(spans):
    """The code is the error's type; the message, which may hold data, stays out."""

    @tool
    def find_order(order_id: str) -> dict:
        raise NotFound(f"no order {order_id}")

    find_order("secret-7")

    span = spans()["execute_tool find_order"]
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes["error.type"] == "NOT_FOUND"
    assert "secret-7" not in span.to_json()


@pytest.mark.parametrize("value", [[], None, [{"a": 1}]], ids=repr)
def test_what_worked_is_no_error(spans, value):
    """Nothing found is not a failure."""
    tool(lambda: value, name="look")()

    span = spans()["execute_tool look"]
    assert span.status.status_code is StatusCode.UNSET
    assert "error.type" not in span.attributes
    assert span.attributes["agent_tools.status"] == ("success" if value else "empty")


def test_content_stays_out_until_asked_for(spans):
    """No argument, no result and no summary is in a span by default."""
    find = tool(lambda city: [{"note": "the-data"}], name="find")

    find("the-argument")

    assert "the-" not in spans()["execute_tool find"].to_json()


def test_content_is_there_when_asked_for(spans, read_log):
    """With otel_content a span carries the arguments and the text that the model saw."""
    find = tool(lambda city: [{"note": "the-data"}], name="find")

    with override(otel_content=True):
        text = find("the-argument").to_prompt()

    attributes = spans()["execute_tool find"].attributes
    assert json.loads(attributes["gen_ai.tool.call.arguments"]) == {"city": "the-argument"}
    assert attributes["gen_ai.tool.call.result"] == text


@pytest.mark.parametrize("given", [{"log": False}, {"log": "none", "log_arguments": "none"}], ids=repr)
def test_content_that_the_log_may_not_hold_is_in_no_span(spans, given):
    """One pair of settings rules the log and the spans."""
    find = tool(lambda city: [{"note": "the-data"}], name="find", summary=lambda _: "ok", **given)

    with override(otel_content=True):
        find("the-argument")

    assert "the-" not in spans()["execute_tool find"].to_json()


def test_content_is_redacted(spans):
    """What the redactor hides in the log is hidden in the span."""
    key = "sk-" + "live" + "0123456789abcdefABCDEF"
    find = tool(lambda api_key: {"password": key}, name="find")

    with override(otel_content=True):
        find(key)

    assert key not in spans()["execute_tool find"].to_json()


def test_the_log_carries_the_ids_of_the_span(spans, tracer, read_log):
    """A row and its span are found from each other; the active span is the parent."""
    with tracer.start_as_current_span("request"):
        tool(lambda: 1, name="one")()

    found, [row] = spans(), read_log()
    assert (row["trace_id"], row["span_id"]) == _hex(found["execute_tool one"])
    assert (row["trace_id"], row["parent_span_id"]) == _hex(found["request"])
    assert row["trace_flags"] == f"{found['request'].context.trace_flags:02x}"


def test_a_tool_inside_a_tool_is_a_child(spans, read_log):
    """Nested calls are nested spans, and one trace in the log."""
    inner = tool(lambda: 1, name="inner")
    tool(lambda: inner().to_prompt(), name="outer")()

    found = spans()
    inside, outside = found["execute_tool inner"], found["execute_tool outer"]
    rows = {row["tool"]: row for row in read_log()}
    assert (inside.parent.span_id, outside.parent) == (outside.context.span_id, None)
    assert rows["inner"]["parent_span_id"] == rows["outer"]["span_id"]
    assert rows["inner"]["trace_id"] == rows["outer"]["trace_id"]


def test_a_span_of_the_body_is_a_child(spans, tracer):
    """What the tool's own client libraries trace lies below the call."""

    @tool
    def fetch() -> int:
        with tracer.start_as_current_span("GET"):
            return 1

    fetch()

    found = spans()
    assert found["GET"].parent.span_id == found["execute_tool fetch"].context.span_id


async def test_async_calls_side_by_side_have_their_own_parents(finished, tracer):
    """Concurrent calls do not fall into each other's spans."""

    @tool
    async def fetch(name: str) -> str:
        await asyncio.sleep(0)
        with tracer.start_as_current_span(name):
            await asyncio.sleep(0)
        return name

    await asyncio.gather(*(fetch.ainvoke({"name": f"c{i}"}, call_id=f"c{i}") for i in range(5)))

    calls = {s.context.span_id: s.attributes.get("gen_ai.tool.call.id") for s in finished()}
    inside = {s.name: calls[s.parent.span_id] for s in finished() if s.name.startswith("c")}
    assert inside == {f"c{i}": f"c{i}" for i in range(5)}


@pytest.mark.parametrize("in_thread", [True, False], ids=["thread", "loop"])
async def test_a_sync_tool_called_from_async_code_keeps_its_span(spans, tracer, in_thread):
    """The worker thread sees the call's span, too."""

    def fetch() -> int:
        with tracer.start_as_current_span("inside"):
            return 1

    await tool(fetch, run_in_thread=in_thread).ainvoke({})

    found = spans()
    assert found["inside"].parent.span_id == found["execute_tool fetch"].context.span_id
    assert not otel.get_current_span().get_span_context().is_valid


async def test_a_cancelled_call_ends_its_span(spans):
    """A call that is cancelled from outside leaves a span, and no error."""

    @tool
    async def wait() -> None:
        await asyncio.Event().wait()

    task = asyncio.create_task(wait.ainvoke({}))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    span = spans()["execute_tool wait"]
    assert span.attributes["agent_tools.status"] == "cancelled"
    assert span.status.status_code is StatusCode.UNSET


FRAMEWORKS = [
    ("execute_tool find", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}),
    ("running tool", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "srv__find"}),
    ("tools/call find", {"mcp.method.name": "tools/call", "gen_ai.tool.name": "find"}),
    ("tools/call", {"mcp.method.name": "tools/call"}),
    ("find", {"openinference.span.kind": "TOOL", "tool.name": "find"}),
    ("find.tool", {"traceloop.span.kind": "tool", "traceloop.entity.name": "find"}),
]


@pytest.mark.parametrize(("name", "attributes"), FRAMEWORKS, ids=[name for name, _ in FRAMEWORKS])
def test_a_framework_that_traces_the_call_gets_no_second_span(finished, tracer, read_log, name, attributes):
    """The framework's span stands for the call; it gets what only we know."""
    with tracer.start_as_current_span(name, attributes=attributes):
        tool(lambda: None, name="find")()

    [span], [row] = finished(), read_log()
    assert span.name == name
    assert span.attributes["agent_tools.status"] == "empty"
    assert (row["trace_id"], row["parent_span_id"]) == _hex(span)


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "other"},
        {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "find"},
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "refind"},
        {},
    ],
    ids=repr,
)
def test_a_span_of_something_else_is_only_the_parent(spans, tracer, attributes):
    """An agent's span, or another tool's, does not stand for this call."""
    with tracer.start_as_current_span("around", attributes=attributes):
        tool(lambda: 1, name="find")()

    found = spans()
    assert found["execute_tool find"].parent.span_id == found["around"].context.span_id


def test_a_tool_that_calls_itself_below_a_framework_gets_a_span(finished, tracer, read_log):
    """The framework's span stands for the outer call only."""

    @tool
    def find(deep: bool) -> int:
        return find(False).value + 1 if deep else 1

    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find"}
    with tracer.start_as_current_span("framework", attributes=attributes):
        find(True)

    assert [span.name for span in finished()] == ["execute_tool find", "framework"]
    inner, outer = read_log()
    assert inner["parent_span_id"] == outer["span_id"]


def test_a_trace_opened_inside_a_span_takes_its_id(tracer, spans):
    """Log and trace share one id."""
    with tracer.start_as_current_span("request") as span, trace("task") as task:
        assert task.trace_id == f"{span.get_span_context().trace_id:032x}"


def test_a_trace_takes_the_id_of_the_span_inside_it(tracer, spans, read_log):
    """A task that is opened just before the agent's span is found by that span's id."""
    with trace("task") as task, tracer.start_as_current_span("agent"):
        tool(lambda: 1, name="one")()

    assert read_log()[0]["trace_id"] == _hex(spans()["agent"])[0] == task.trace_id


def test_a_task_over_several_traces_stays_one_task_in_the_log(tracer, finished, read_log):
    """Where the spans fall apart, each names the task it belongs to."""
    one = tool(lambda: 1, name="one")
    with trace("task") as task:
        for _ in range(2):
            with tracer.start_as_current_span("turn"):
                one()

    assert {row["trace_id"] for row in read_log()} == {task.trace_id}
    calls = [span for span in finished() if span.name == "execute_tool one"]
    assert len({span.context.trace_id for span in calls}) == 2
    assert calls[1].attributes["agent_tools.trace.id"] == task.trace_id


def test_a_process_without_spans_around_stays_one_trace_in_the_log(finished, read_log):
    """Calls that are roots of their own belong together in the log."""
    one = tool(lambda: 1, name="one")

    one(), one()

    assert len({row["trace_id"] for row in read_log()}) == 1
    assert len({span.context.trace_id for span in finished()}) == 2


def test_an_answer_below_a_span_finds_its_calls(tracer, read_log):
    """The answer is linked to the calls of the active span's trace."""
    with tracer.start_as_current_span("request"):
        tool(lambda: {"total": 7}, name="one")()
        row = record_answer("The total is 7, not 12.")

    assert row["trace_id"] == read_log()[0]["trace_id"]
    assert (row["calls_n"], row["numbers_unsupported"]) == (1, ["12"])


def test_durations_are_counted_by_tool_and_error(durations):
    """The histogram has one point per tool and kind of error, in seconds."""

    def work(fails):
        if fails:
            raise ToolError("no", code="BROKEN")

    counted = tool(work, name="counted")
    counted(False), counted(False), counted(True)

    points = {point.attributes.get("error.type"): point for point in durations("counted")}
    assert {code: point.count for code, point in points.items()} == {None: 2, "BROKEN": 1}
    assert 0 < points[None].sum < 10
    assert points[None].explicit_bounds[0] == 0.01


def test_otel_false_does_without(finished, tracer, read_log):
    """Neither a span nor foreign ids."""
    with override(otel=False), tracer.start_as_current_span("request"):
        tool(lambda: 1, name="one")()

    [span], [row] = finished(), read_log()
    assert span.name == "request"
    assert "parent_span_id" not in row
    assert row["trace_id"] != _hex(span)[0]


def test_a_bad_setting_is_refused():
    """A typing mistake does not turn content on."""
    with pytest.raises(InvalidSetting, match="otel_content"):
        configure(otel_content="yes")


def _run(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


CALL = "from agent_tools import tool; tool(lambda: 1, name='one')(); import sys;"
LOADED = "print(*sorted(m for m in sys.modules if m.startswith('opentelemetry')))"


def test_nothing_is_imported_for_it(tmp_path, monkeypatch):
    """An application without OpenTelemetry pays for none of it."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path))

    assert _run(CALL + LOADED) == []


def test_it_is_imported_when_asked_for(tmp_path, monkeypatch):
    """otel=True is the application's word for it."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path))

    assert "opentelemetry.trace" in _run(
        "import agent_tools; agent_tools.configure(otel=True);" + CALL + LOADED
    )


def test_a_missing_package_is_told_when_asked_for(tmp_path, monkeypatch):
    """Asking for it without the package says what to install."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path))
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "import agent_tools\n"
        "try: agent_tools.configure(otel=True)\n"
        "except agent_tools.ToolError as error: print(error)"
    )

    assert "'agent-tools[otel]'" in " ".join(_run(code))


def test_without_a_provider_calls_go_on_as_ever(tmp_path, monkeypatch):
    """The API alone, imported by some library, changes nothing."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path))
    show = "print(tool(lambda: 1, name='one')().status)"

    assert _run("import opentelemetry.trace;" + CALL + show) == ["success"]


def test_a_processor_that_fails_does_not_fail_the_call(tmp_path, monkeypatch):
    """A broken exporter is reported once and costs no result."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path))
    code = (
        "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider, SpanProcessor\n"
        "class Broken(SpanProcessor):\n"
        "    def on_start(self, span, parent_context=None): raise OSError('disk full')\n"
        "provider = TracerProvider(); provider.add_span_processor(Broken())\n"
        "trace.set_tracer_provider(provider)\n"
        "import warnings; from agent_tools import tool\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    print(*(tool(lambda: 1, name='one')().status for _ in range(2)), len(seen))"
    )

    assert _run(code) == ["success", "success", "1"]
