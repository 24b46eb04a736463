"""Spans and a duration metric of tool calls, for applications that use OpenTelemetry.

In:   a call as it begins, and its row of the call log as it ends.
Out:  a span `execute_tool {tool}` and a point of the histogram `gen_ai.execute_tool.duration`; the ids of
      the active span for the row.
Raises: nothing; a provider or processor that fails is reported by one warning.
Cost: one dict look-up until the application has imported `opentelemetry.trace`. Nothing is imported for it:
      `configure(otel=True)` asks for it, `configure(otel=False)` does without.

The spans hold no content: no arguments, no result, no error message. `configure(otel_content=True)` adds
what each tool's `log` and `log_arguments` let the log hold, so that one pair of settings rules both.

A span that already stands for this very call, made by an MCP server or a framework, gets our attributes
instead of a second span below it. Names are our own strings: the GenAI constants of the OpenTelemetry
packages are deprecated. https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from agent_tools import settings
from agent_tools.context import OPENTELEMETRY, Trace
from agent_tools.record import COLUMNS

SCOPE = "agent_tools"
OPERATION = "execute_tool"
METRIC = "gen_ai.execute_tool.duration"
# of the semantic conventions for GenAI metrics
BUCKETS_S = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)

_CONTENT = {"arguments", "prompt", "result_summary", "error_message"}
# columns that are an attribute of the span; the others are fields of it, of the resource or content
ATTRIBUTES = {
    name: column.otel
    for name, column in COLUMNS.items()
    if column.otel.startswith(("gen_ai.", "agent_tools.")) and column.otel != METRIC and name not in _CONTENT
}
STATUS_ATTRIBUTE = "agent_tools.status"
# the trace in the log, where a task spans several traces of OpenTelemetry
TRACE_ATTRIBUTE = "agent_tools.trace.id"
_WORKED = ("success", "empty", "partial")


@dataclass(frozen=True, slots=True)
class Kind:
    """How somebody else's span of a tool call is told: an attribute, its value, where the name stands."""

    attribute: str
    value: str
    names: tuple[str, ...]


# in the order of how common they are
FOREIGN = (
    Kind("gen_ai.operation.name", "execute_tool", ("gen_ai.tool.name",)),
    Kind("mcp.method.name", "tools/call", ("gen_ai.tool.name", "mcp.tool.name")),
    Kind("rpc.method", "tools/call", ("gen_ai.tool.name", "mcp.tool.name")),
    Kind("openinference.span.kind", "TOOL", ("tool.name",)),
    Kind("traceloop.span.kind", "tool", ("traceloop.entity.name",)),
    Kind("langfuse.observation.type", "tool", ("langfuse.observation.name",)),
)
# frameworks put a server's or an agent's name before the tool's
_SEPARATORS = (".", "/", ":", "__")
# span ids of others whose call is under way: a tool inside that tool is a call of its own
_claimed: ContextVar[frozenset[int]] = ContextVar("agent_tools_claimed", default=frozenset())


@dataclass(slots=True)
class CallSpan:
    """What OpenTelemetry knows of one call.

    Attributes:
        ids: Columns for the row: `trace_id`, `parent_span_id`, `trace_flags`, as far as known.
        span_id: Our span's id; None without one.
        span: The span that gets the attributes: ours, somebody else's, or None.
        is_own: The span is ours to end.
        around: Id of the span that was active before; 0 without one.
    """

    ids: dict[str, str] = field(default_factory=dict)
    span_id: str | None = None
    span: Any = None
    is_own: bool = False
    around: int = 0
    _tokens: list[tuple[Callable[[Any], None], Any]] = field(default_factory=list)

    def attach(self) -> None:
        """Make the span the active one, so that what the tool does lies below it."""
        try:
            if self.is_own:
                context = _load("opentelemetry.context")
                inside = _set_value(context, self.ids, _api().set_span_in_context(self.span))
                self._tokens.append((context.detach, context.attach(inside)))
            else:
                # what is called inside lies below this call in the log, though it shares the active span
                claimed = _claimed.get() | {self.around}
                self._tokens.append((_claimed.reset, _claimed.set(claimed)))
        except Exception as error:  # noqa: BLE001 - telemetry that fails must not fail the call
            _warn(error)

    def detach(self) -> None:
        """Make the span before it the active one again."""
        while self._tokens:
            undo, token = self._tokens.pop()
            undo(token)


def begin(tool: str, call_id: str, trace: Trace) -> CallSpan | None:
    """Start the span of a call, where OpenTelemetry is in use.

    Example:
        >>> from agent_tools.context import current_trace
        >>> begin("find", "c_1", current_trace()) is None or True
        True
    """
    api = sys.modules.get(OPENTELEMETRY)
    if api is None:
        return None
    try:
        return _begin(api, tool, call_id, trace)
    except Exception as error:  # noqa: BLE001 - telemetry that fails must not fail the call
        _warn(error)
        return None


def end(call: CallSpan, row: Mapping[str, Any]) -> None:
    """End the span of a call with what its row says, and count its duration."""
    try:
        if call.span is not None:
            if call.span.is_recording():
                _describe(call, row)
            if call.is_own:
                call.span.end()
        _count_duration(call, row)
    except Exception as error:  # noqa: BLE001 - telemetry that fails must not fail the call
        _warn(error)


# --- the beginning


def _begin(api: Any, tool: str, call_id: str, trace: Trace) -> CallSpan | None:
    process = settings.process()
    if process.otel is False:
        return None
    parent = api.get_current_span()
    around = parent.get_span_context()
    tracer = _tracers.find(api.get_tracer_provider())
    if tracer is None and not around.is_valid and _meters.find(_metrics().get_meter_provider()) is None:
        return None
    call = CallSpan()
    # asked for before our span starts: a trace without an id takes that of the span around it
    trace_id = trace.trace_id
    if around.is_valid:
        inherited = _inherited_trace_id()
        if not trace.is_explicit:
            trace_id = inherited or f"{around.trace_id:032x}"
        call.around = around.span_id
        if around.span_id not in _claimed.get():
            call.ids["parent_span_id"] = f"{around.span_id:016x}"
        call.ids["trace_flags"] = f"{around.trace_flags:02x}"
    call.ids["trace_id"] = trace_id
    if _is_of_same_call(parent, around, tool):
        call.span = parent
    elif tracer is not None:
        _start(call, tracer, tool, call_id)
    return call


def _start(call: CallSpan, tracer: Any, tool: str, call_id: str) -> None:
    attributes = {
        "gen_ai.operation.name": OPERATION,
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.type": "function",
    }
    call.span = tracer.start_span(f"{OPERATION} {tool}", attributes=attributes)
    call.is_own = True
    made = call.span.get_span_context()
    if made.is_valid:
        call.span_id = f"{made.span_id:016x}"
        call.ids["trace_flags"] = f"{made.trace_flags:02x}"
        if f"{made.trace_id:032x}" != call.ids["trace_id"]:
            call.span.set_attribute(TRACE_ATTRIBUTE, call.ids["trace_id"])


def _is_of_same_call(parent: Any, around: Any, tool: str) -> bool:
    """Say whether the active span, made by somebody else, already traces this call."""
    # only the SDK's spans can be read; one that is not recorded is dropped with all below it
    attributes = getattr(parent, "attributes", None)
    if not attributes or around.span_id in _claimed.get():
        return False
    scope = getattr(parent, "instrumentation_scope", None)
    if getattr(scope, "name", None) == SCOPE:
        return False
    return any(_is_named(attributes, kind, tool) for kind in FOREIGN)


def _is_named(attributes: Mapping[str, Any], kind: Kind, tool: str) -> bool:
    if str(attributes.get(kind.attribute)).lower() != kind.value.lower():
        return False
    name = next((attributes[key] for key in kind.names if key in attributes), tool)
    return name == tool or any(str(name).endswith(separator + tool) for separator in _SEPARATORS)


# --- the end


def _describe(call: CallSpan, row: Mapping[str, Any]) -> None:
    span = call.span
    status = str(row.get("status"))
    attributes = {otel: row[name] for name, otel in ATTRIBUTES.items() if row.get(name) is not None}
    # the span was started with these; on somebody else's they stay as they are
    attributes = {name: value for name, value in attributes.items() if not name.startswith("gen_ai.tool.")}
    attributes[STATUS_ATTRIBUTE] = status
    with_content = settings.process().otel_content
    if with_content:
        attributes |= _content_of(row, status)
    if status == "error":
        attributes["error.type"] = row["error_code"]
    else:
        attributes.pop("error.type", None)
    span.set_attributes(attributes)
    if status == "error" and call.is_own:
        message = row.get("error_message") if with_content else None
        span.set_status(_api().StatusCode.ERROR, message)


def _content_of(row: Mapping[str, Any], status: str) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if row.get("arguments") is not None:
        import orjson

        content["gen_ai.tool.call.arguments"] = orjson.dumps(row["arguments"], default=str).decode()
    if status in _WORKED:
        content["gen_ai.tool.call.result"] = row.get("prompt")
        content[COLUMNS["result_summary"].otel] = row.get("result_summary")
    return {name: value for name, value in content.items() if value is not None}


def _count_duration(call: CallSpan, row: Mapping[str, Any]) -> None:
    histogram = _meters.find(_metrics().get_meter_provider())
    if histogram is None:
        return
    attributes = {"gen_ai.operation.name": OPERATION, "gen_ai.tool.name": row["tool"]}
    if row.get("status") == "error":
        attributes["error.type"] = row["error_code"]
    context = None if call.span is None else _api().set_span_in_context(call.span)
    histogram.record(row["elapsed_ms"] / 1000, attributes, context=context)


# --- the API of OpenTelemetry, looked up when it is there


def _api() -> Any:
    return sys.modules[OPENTELEMETRY]


def _load(name: str) -> Any:
    """Return another part of the package that the application imported."""
    # import_module takes 1 us for a module that is there
    return sys.modules.get(name) or importlib.import_module(name)


def _metrics() -> Any:
    return _load("opentelemetry.metrics")


def _inherited_trace_id() -> str | None:
    """Return the trace of the call of ours that this one is made in."""
    found = _load("opentelemetry.context").get_value(TRACE_ATTRIBUTE)
    return found if isinstance(found, str) else None


def _set_value(context: Any, ids: Mapping[str, str], inside: Any) -> Any:
    return context.set_value(TRACE_ATTRIBUTE, ids["trace_id"], inside)


class _Instruments:
    """What a provider gave us, made anew when the application sets another provider."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make
        self._made: tuple[Any, Any] = (None, None)

    def find(self, provider: Any) -> Any:
        """Return the tracer or histogram of a provider; None while the application has set none."""
        known, made = self._made
        if provider is known:
            return made
        # the API's own stand-in until a provider is set
        is_real = not type(provider).__name__.lstrip("_").startswith(("Proxy", "NoOp", "Default"))
        made = self._make(provider) if is_real else None
        self._made = (provider, made)
        return made


def _make_histogram(provider: Any) -> Any:
    meter = provider.get_meter(SCOPE, _version())
    given = {"unit": "s", "description": "How long a tool call took."}
    try:
        return meter.create_histogram(METRIC, explicit_bucket_boundaries_advisory=BUCKETS_S, **given)
    except TypeError:  # an API before 1.30
        return meter.create_histogram(METRIC, **given)


def _version() -> str:
    package = sys.modules.get("agent_tools")
    return str(getattr(package, "__version__", ""))


_tracers = _Instruments(lambda provider: provider.get_tracer(SCOPE, _version()))
_meters = _Instruments(_make_histogram)
_has_warned = False


def _warn(error: Exception) -> None:
    global _has_warned
    if _has_warned:
        return
    _has_warned = True
    try:
        warnings.warn(
            f"agent_tools could not trace a call: {type(error).__name__}: {error}. "
            "The calls themselves are not affected; configure(otel=False) turns their tracing off.",
            RuntimeWarning,
            stacklevel=3,
        )
    except RuntimeWarning:  # warnings are errors here; a call must not fail for its trace
        return


def _check_otel(value: bool | None) -> None:
    if value:
        try:
            importlib.import_module(OPENTELEMETRY)
        except ImportError as error:
            raise ValueError("this needs OpenTelemetry: pip install 'agent-tools[otel]'") from error


settings.add_check("otel", _check_otel)
