"""One row of the call log: its columns, their units and their OpenTelemetry names.

A row is one flat JSON object on one line. Readers ignore keys they do not know; an absent key means unknown.
Four kinds of rows share the columns: `tool_call` (one per call, written when it ends), `tool_start`,
`tool_view` (another view of a result was rendered) and `answer` (the model's final answer).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypedDict

SCHEMA_ID = "agent_tools.call/1"
EVENTS = ("tool_call", "tool_start", "tool_view", "answer")
# every row has these; the key `schema` stands first, which is how a reader finds a row in a torn line
REQUIRED: dict[str, tuple[str, ...]] = {
    "tool_call": ("schema", "event", "ts", "call_id", "tool", "status", "elapsed_ms"),
    "tool_start": ("schema", "event", "ts", "call_id", "tool"),
    "tool_view": ("schema", "event", "ts", "call_id", "prompt_view"),
    "answer": ("schema", "event", "ts", "trace_id"),
}


class CallRecord(TypedDict, total=False):
    """A row as Python sees it; `COLUMNS` says what each key means.

    Example:
        >>> row: CallRecord = {"schema": "agent_tools.call/1", "event": "tool_call", "elapsed_ms": 2.5}
        >>> row["elapsed_ms"]
        2.5
    """

    schema: str
    event: Literal["tool_call", "tool_start", "tool_view", "answer"]
    level: str
    run_id: str
    ts: str
    trace_id: str
    span_id: str
    parent_span_id: str | None
    trace_flags: str
    trace_name: str | None
    conversation_id: str | None
    turn: int | None
    seq: int
    call_id: str
    call_id_source: Literal["model", "own"]
    tool: str
    tool_version: str | None
    tool_kind: str
    agent: str | None
    model: str | None
    adapter: str | None
    status: Literal["success", "empty", "partial", "error", "cancelled"]
    error_code: str | None
    error_origin: Literal["argument", "business", "system"] | None
    sub_code: str | None
    recovery: str | None
    error_class: str | None
    error_causes: list[str]
    error_message: str | None
    retryable: bool | None
    outcome: str | None
    retry_after_s: float | None
    attempts: int
    attempt_errors: list[str]
    traceback: str | None
    elapsed_ms: float
    wait_ms: float
    arguments: dict[str, Any] | None
    arguments_bytes: int
    redacted: list[str]
    redactions: int
    input_hash: str
    repeat_n: int
    result_id: str | None
    result_kind: str | None
    result_rows: int | None
    result_total: int | None
    result_bytes: int | None
    result_summary: str | None
    prompt: str | None
    prompt_view: str | None
    prompt_sha256: str | None
    tokens: int | None
    tokens_exact: bool
    tokens_full: int | None
    max_tokens: int | None
    encoding: str
    truncated: bool
    format: str
    cached: bool
    side_effect: bool
    log_capped: bool
    app: dict[str, Any]
    host: str
    pid: int
    lib: str
    finish_reason: str | None
    answer: str | None
    answer_sha256: str | None
    tokens_in: int | None
    tokens_out: int | None
    calls_n: int
    calls_failed_n: int
    used_result_ids: list[str]
    unused_result_ids: list[str]
    tools_offered: list[str]
    numbers_unsupported: list[str]


@dataclass(frozen=True, slots=True)
class Column:
    """What a key of a row holds.

    Attributes:
        name: The key.
        type: JSON type: `string`, `integer`, `number`, `boolean`, `object` or `array` (of strings).
        meaning: What it says, in words.
        unit: Unit or pattern of the value; empty for a plain name or count.
        otel: The attribute or field that holds it in OpenTelemetry; empty when there is none.
        values: The closed set it comes from; empty when it is open.
    """

    name: str
    type: str
    meaning: str
    unit: str = ""
    otel: str = ""
    values: tuple[str, ...] = ()


_TRACE_ID = "[0-9a-f]{32}"
_SPAN_ID = "[0-9a-f]{16}"
_STATUSES = ("success", "empty", "partial", "error", "cancelled")

_ALL = (
    Column("schema", "string", "Which version of this table the row follows."),
    Column("event", "string", "What kind of row it is.", values=EVENTS),
    Column("level", "string", "How loud the row is: info, warning or error."),
    Column("run_id", "string", "The process run that wrote the row."),
    Column("ts", "string", "When the call ended.", "RFC 3339, UTC, microseconds", "span end"),
    Column("trace_id", "string", "The task that the call belongs to.", _TRACE_ID, "trace_id"),
    Column("span_id", "string", "The call inside its trace.", _SPAN_ID, "span_id"),
    Column("parent_span_id", "string", "The call or span that made this call.", _SPAN_ID, "parent_span_id"),
    Column("trace_flags", "string", "W3C trace flags.", "[0-9a-f]{2}", "trace_flags"),
    Column("trace_name", "string", "What the task is, in words.", otel="agent_tools.trace.name"),
    Column("conversation_id", "string", "The conversation.", otel="gen_ai.conversation.id"),
    Column("turn", "integer", "The turn of the conversation.", otel="agent_tools.turn"),
    Column("seq", "integer", "Number of the call in its trace, from 1.", otel="agent_tools.seq"),
    Column("call_id", "string", "The call, the model's own id or ours.", otel="gen_ai.tool.call.id"),
    Column(
        "call_id_source", "string", "Who gave the call id; own ids sort by time.", values=("model", "own")
    ),
    Column("tool", "string", "The tool.", otel="gen_ai.tool.name"),
    Column("tool_version", "string", "The tool's version.", otel="agent_tools.tool.version"),
    Column("tool_kind", "string", "query, action or summary.", otel="agent_tools.tool.kind"),
    Column("agent", "string", "The agent that called.", otel="gen_ai.agent.name"),
    Column("model", "string", "The model that called or answered.", otel="gen_ai.request.model"),
    Column("adapter", "string", "The framework that the call came through.", otel="agent_tools.adapter"),
    Column("status", "string", "How the call ended.", otel="span status", values=_STATUSES),
    Column("error_code", "string", "The code of the failure.", otel="error.type"),
    Column("error_origin", "string", "Who is at fault.", values=("argument", "business", "system")),
    Column("sub_code", "string", "SQLSTATE, errno, HTTP status or exit code."),
    Column("recovery", "string", "What the model was told to do next."),
    Column("error_class", "string", "Qualified name of the exception's type."),
    Column("error_causes", "array", "Types of the exceptions behind it, the nearest first."),
    Column("error_message", "string", "The message, redacted.", "at most 500 characters"),
    Column("retryable", "boolean", "The same call again may help."),
    Column("outcome", "string", "Whether an effect may have happened: not_applied or unknown."),
    Column("retry_after_s", "number", "How long to wait before the next try.", "seconds"),
    Column("attempts", "integer", "How many times the body ran."),
    Column("attempt_errors", "array", "Codes of the tries that failed before the last."),
    Column("traceback", "string", "The traceback, redacted, errors only.", "at most 8 kB"),
    Column("elapsed_ms", "number", "How long the call took.", "ms", "gen_ai.execute_tool.duration"),
    Column("wait_ms", "number", "How much of it was waiting between tries.", "ms"),
    Column(
        "arguments",
        "object",
        "The arguments, redacted, or their shape.",
        "at most 2 kB a value, 8 kB in all",
        "gen_ai.tool.call.arguments",
    ),
    Column("arguments_bytes", "integer", "Size of the whole arguments as JSON.", "bytes"),
    Column("redacted", "array", "Paths of what was hidden in the arguments."),
    Column("redactions", "integer", "How many values of the result were hidden."),
    Column(
        "input_hash", "string", "Keyed hash of the true arguments.", "[0-9a-f]{16}", "agent_tools.input.hash"
    ),
    Column("repeat_n", "integer", "Number of the identical call in its trace.", otel="agent_tools.repeat_n"),
    Column("result_id", "string", "Where the whole result is stored.", otel="agent_tools.result.id"),
    Column("result_kind", "string", "What the result is: rows, text, value.", otel="agent_tools.result.kind"),
    Column("result_rows", "integer", "Rows that the tool returned.", "rows", "agent_tools.result.rows"),
    Column("result_total", "integer", "Rows that there are upstream.", "rows", "agent_tools.result.total"),
    Column(
        "result_bytes", "integer", "Size of the whole result as JSON.", "bytes", "agent_tools.result.bytes"
    ),
    Column(
        "result_summary",
        "string",
        "The one-line summary.",
        "at most 500 characters",
        "agent_tools.result.summary",
    ),
    Column(
        "prompt",
        "string",
        "The text that the model saw.",
        "16 kB, then head and tail",
        "gen_ai.tool.call.result",
    ),
    Column("prompt_view", "string", "Whose view it is: plan, answer or one of your own."),
    Column("prompt_sha256", "string", "Hash of the whole prompt text.", "[0-9a-f]{64}"),
    Column("tokens", "integer", "Size of the prompt text.", "tokens", "agent_tools.tokens"),
    Column("tokens_exact", "boolean", "False where bounds sufficed and nothing was counted."),
    Column("tokens_full", "integer", "Size of the uncut result, estimated.", "tokens"),
    Column("max_tokens", "integer", "The budget.", "tokens", "agent_tools.tokens.max"),
    Column("encoding", "string", "What the tokens were counted with."),
    Column("truncated", "boolean", "The result was cut to the budget.", otel="agent_tools.truncated"),
    Column("format", "string", "The format of the prompt text."),
    Column("cached", "boolean", "The body did not run; an earlier result was given."),
    Column("side_effect", "boolean", "The call may have changed something."),
    Column("log_capped", "boolean", "This line leaves something out; `truncated` is about the result."),
    Column("app", "object", "What the application bound to structlog's context, redacted."),
    Column("host", "string", "The machine.", otel="host.name"),
    Column("pid", "integer", "The process.", otel="process.pid"),
    Column("lib", "string", "Version of agent_tools.", otel="scope version"),
    Column("finish_reason", "string", "Why the model stopped.", otel="gen_ai.response.finish_reasons"),
    Column("answer", "string", "The model's answer, redacted.", "at most 4 kB"),
    Column("answer_sha256", "string", "Hash of the whole answer.", "[0-9a-f]{64}"),
    Column("tokens_in", "integer", "Input of the model.", "tokens", "gen_ai.usage.input_tokens"),
    Column("tokens_out", "integer", "Output of the model.", "tokens", "gen_ai.usage.output_tokens"),
    Column("calls_n", "integer", "Calls of the trace before the answer."),
    Column("calls_failed_n", "integer", "Those of them that failed."),
    Column("used_result_ids", "array", "Results that the answer draws on; a call id for one not stored."),
    Column("unused_result_ids", "array", "Results with data that it does not draw on."),
    Column("tools_offered", "array", "Tools that the model could have called."),
    Column("numbers_unsupported", "array", "Numerals of the answer that stand in no prompt of the trace."),
)
COLUMNS: dict[str, Column] = {column.name: column for column in _ALL}


def make_schema() -> dict[str, Any]:
    """Build the JSON Schema (2020-12) of a row; `schemas/call_record.schema.json` is its published copy.

    Example:
        >>> make_schema()["properties"]["retry_after_s"]["type"]
        ['number', 'null']
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://agent-tools.invalid/schemas/call_record.schema.json",
        "title": f"One row of the call log, {SCHEMA_ID}",
        "type": "object",
        "required": ["schema", "event", "ts"],
        "properties": {column.name: _describe(column) for column in _ALL},
        "allOf": [
            {"if": {"properties": {"event": {"const": event}}}, "then": {"required": list(names)}}
            for event, names in REQUIRED.items()
        ],
    }


def _describe(column: Column) -> dict[str, Any]:
    must = any(column.name in names for names in REQUIRED.values())
    described: dict[str, Any] = {"type": column.type if must else [column.type, "null"]}
    if column.name == "schema":
        described["const"] = SCHEMA_ID
    if column.values:
        described["enum"] = [*column.values, *([] if must else [None])]
    if column.type == "array":
        described["items"] = {"type": "string"}
    if column.unit.startswith("["):
        described["pattern"] = f"^{column.unit}$"
    unit = f" Unit: {column.unit}." if column.unit and "pattern" not in described else ""
    described["description"] = column.meaning + unit
    return described
