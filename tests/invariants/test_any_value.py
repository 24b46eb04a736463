"""What holds for every call, whatever the function returns: budget, strict JSON, no exception, no change."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tools import ToolResult, tool
from agent_tools.result import envelope_schema
from agent_tools.tokens import count

FORMATS = ["auto", "json", "table", "csv", "text", "markdown", "yaml"]
STRICT = {"auto", "json", "table"}
VIEWS = ["plan", "answer", "card"]
BUDGETS = st.one_of(st.integers(64, 2000), st.sampled_from([64, 65, 80, 128, 1500, None]))
MANY = settings(suppress_health_check=list(HealthCheck), max_examples=80)


def refuse(name: str) -> Any:
    raise AssertionError(f"no JSON: {name}")


def check_result(result: ToolResult[Any], max_tokens: int | None, format_: str) -> None:
    """See that every view is within its budget, is encodable, and parses strictly where it is JSON."""
    for view in VIEWS:
        text = result.to_prompt(view)
        text.encode("utf-8")
        assert max_tokens is None or count(text) <= max_tokens
        head = text if format_ in STRICT else text.partition("\n")[0]
        shown = json.loads(head, parse_constant=refuse)
        assert shown["status"] == result.status
        json.dumps(result.to_dict(view), allow_nan=False).encode("utf-8")


@MANY
@given(st.data(), BUDGETS, st.sampled_from(FORMATS), st.sampled_from(["query", "action", "summary"]))
def test_every_value_becomes_a_valid_envelope(
    values: Any, data: Any, max_tokens: int | None, format_: str, kind: str
) -> None:
    """No exception; within the budget in every view and format; strict JSON; one of four statuses."""
    value = data.draw(values)
    made = tool(
        lambda: value, name="get_it", max_tokens=max_tokens, format=format_, kind=kind, store="memory"
    )

    result = made()

    check_result(result, max_tokens, format_)
    assert kind != "action" or result.status != "empty"
    assert (result.status == "error") == (result.error is not None) or result.status == "partial"


@MANY
@given(st.data())
def test_every_envelope_obeys_the_schema_and_reads_back(values: Any, data: Any) -> None:
    """Both views, for any value."""
    jsonschema = pytest.importorskip("jsonschema")
    value = data.draw(values)
    result = tool(lambda: value, name="get_it", log=False, store="memory")()

    for view in ("plan", "answer"):
        envelope = result.to_dict(view)
        jsonschema.validate(envelope, envelope_schema())
        assert ToolResult.from_dict(json.loads(json.dumps(envelope))).to_dict() == envelope


@MANY
@given(st.data(), st.sampled_from([64, 300, 1500]))
def test_the_tools_own_objects_stay_as_they_are(values: Any, settle: Any, data: Any, max_tokens: int) -> None:
    """Neither the value nor an argument is changed, copied into or consumed; `value` is the very object."""
    value, argument = data.draw(values), data.draw(values)
    before = settle(value), settle(argument)
    made = tool(lambda q: value, name="get_it", max_tokens=max_tokens, store="memory")

    result = made(argument)
    result.to_prompt("answer")

    assert (settle(value), settle(argument)) == before
    if result.status != "error":
        assert result.value is value


@MANY
@given(st.data(), st.sampled_from([64, 200, 1500]), st.sampled_from(FORMATS))
def test_the_same_value_gives_the_same_envelope(
    values: Any, data: Any, max_tokens: int, format_: str
) -> None:
    """But for ids and times, in every view."""
    value = data.draw(values)
    made = tool(
        lambda q: value, name="get_it", max_tokens=max_tokens, format=format_, store="memory", log=False
    )

    first, second = made("x"), made("x")

    for view in VIEWS:
        texts = [
            result.to_prompt(view).replace(result.meta.get("result_id", "no id"), "r_")
            for result in (first, second)
        ]
        assert texts[0] == texts[1] or ("result_id" in first.meta and _alike(*texts))


def _alike(one: str, other: str) -> bool:
    # two random ids may take a token more or less, and with it a row
    return abs(len(one) - len(other)) < 200 and one[:20] == other[:20]


@MANY
@given(st.data(), st.integers(0, 5), st.booleans(), BUDGETS)
def test_generators_are_drained_once_and_closed(
    values: Any, data: Any, n: int, breaks: bool, max_tokens: int | None
) -> None:
    """Each row is taken once, the generator is closed, a break after rows is partial with the rows."""
    rows = [data.draw(values) for _ in range(n)]
    taken, closed = [], []

    def list_rows() -> Iterator[Any]:
        try:
            for row in rows:
                taken.append(1)
                yield row
            if breaks:
                raise TimeoutError("broke")
        finally:
            closed.append(1)

    result = tool(list_rows, max_tokens=max_tokens, store="memory")()

    check_result(result, max_tokens, "auto")
    assert (len(taken), closed) == (n, [1])
    if breaks and n == 0:
        assert result.error.code == "DEADLINE_EXCEEDED"
    if breaks and n and result.status == "partial":
        assert result.error.code == "DEADLINE_EXCEEDED"


@MANY
@given(st.data(), st.sampled_from([64, 1500]))
async def test_async_tools_keep_the_same_promises(values: Any, data: Any, max_tokens: int) -> None:
    """Async functions and async generators, for any value."""
    value = data.draw(values)

    async def get_it() -> Any:
        return value

    async def list_it() -> AsyncIterator[Any]:
        yield value

    for function in (get_it, list_it):
        check_result(await tool(function, max_tokens=max_tokens, store="memory")(), max_tokens, "auto")


@MANY
@given(st.data())
def test_any_argument_can_be_given(values: Any, read_log: Any, data: Any) -> None:
    """Values that JSON can't hold are shown in the log as well as can be, and cost no call."""
    value = data.draw(values)
    result = tool(lambda q, *rest, **more: [], name="find_it", max_tokens=200)(value, value, k=value)

    check_result(result, 200, "auto")
    assert result.status == "empty"
    assert read_log()[-1]["status"] == "empty"


@pytest.mark.parametrize("setting", ["summary", "important", "empty", "redact", "encoding"])
@MANY
@given(st.data())
def test_a_callable_of_the_tools_own_may_do_what_it_likes(values: Any, setting: str, data: Any) -> None:
    """It raises, or returns anything at all: the call still ends in an envelope."""
    answer = data.draw(values | st.just(RuntimeError("hook")))

    def hook(value: Any) -> Any:
        if isinstance(answer, RuntimeError):
            raise answer
        return answer

    rows = [{"i": i, "note": "word " * 20} for i in range(100)]
    result = tool(lambda: rows, name="find_it", log=False, store="memory", **{setting: hook})()

    for view in VIEWS:
        json.loads(result.to_prompt(view), parse_constant=refuse)
    if setting != "encoding":
        check_result(result, 1500, "auto")
