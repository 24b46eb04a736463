"""Link the model's final answer to the calls that it rests on.

In:   the text of the answer, and what the model's API said beside it.
Out:  a row `answer` in the call log, which the calls of the trace are compared with.
Raises: nothing of Exception.
Cost: some 2 ms, and 5 ms more for each prompt of 16 kB; the rows of the trace are read back from the log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from agent_tools import settings as process_settings
from agent_tools.calllog import entries, sinks
from agent_tools.calllog.app_context import read_app_context
from agent_tools.calllog.caps import PREVIEW_CHARACTERS
from agent_tools.context import current_trace, current_trace_id, find_home
from agent_tools.errors import ToolError
from agent_tools.record import CallRecord
from agent_tools.settings import Settings

if TYPE_CHECKING:
    from agent_tools.calllog.reader import Row

MAX_ANSWER_BYTES = 4_096

# names of the APIs for the same two counts; the parts of a row are added up
TOKENS_IN = (
    ("prompt_tokens",),
    ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
    ("inputTokens", "cacheWriteInputTokens", "cacheReadInputTokens"),
    ("prompt_token_count",),
    ("promptTokenCount",),
)
TOKENS_OUT = (
    ("completion_tokens",),
    ("output_tokens",),
    ("outputTokens",),
    ("candidates_token_count", "thoughts_token_count"),
    ("candidatesTokenCount", "thoughtsTokenCount"),
)
_NESTED = ("usage", "usage_metadata", "usageMetadata")


def record_answer(
    text: str,
    *,
    model: str | None = None,
    usage: object = None,
    finish_reason: str | None = None,
    tools_offered: Iterable[object] | None = None,
) -> CallRecord | None:
    """Write the model's final answer to the call log, so that `agent-tools logs why` can explain it.

    Args:
        text: What the model answered. Kept redacted, up to 4 kB.
        model: Which model; None takes that of the trace.
        usage: What the API said about tokens: a dict or an object, as OpenAI, Anthropic, Google, Bedrock and
            LangChain return it.
        finish_reason: Why the model stopped, in the API's words.
        tools_offered: The tools that the model could have called: names, tools, or their descriptions for
            an API.

    Returns: The row, with `numbers_unsupported`: numerals of the answer that stand in no prompt of the trace.
        The key is absent when the log does not hold all prompts. None when the log is off.

    Example:
        >>> from agent_tools import tool, trace
        >>> @tool
        ... def get_total(order_id: int) -> dict:
        ...     return {"total": 1234.5}
        >>> with trace("the total of order 7"):
        ...     result = get_total(7)
        ...     answer = record_answer("Order 7 costs 1,234.50 EUR, shipping is 19 EUR.", model="small")
        >>> answer["numbers_unsupported"], answer["calls_n"]
        (['19'], 1)
    """
    try:
        settings = process_settings.current({})
        if settings.log is False:
            return None
        entry = _make_entry(_to_text(text), settings)
        known = {"model": model, "finish_reason": finish_reason}
        entry |= {key: str(value) for key, value in known.items() if value is not None}
        entry |= _read_usage(usage)
        if tools_offered is not None:
            entry["tools_offered"] = list(dict.fromkeys(map(_name_of, tools_offered)))
        sinks.write(entry)
    except Exception:  # noqa: BLE001 - a log that fails must not cost the answer
        return None
    return cast("CallRecord", entry)


def _make_entry(text: str, settings: Settings) -> dict[str, Any]:
    from agent_tools.stages.redaction import make_redactor

    trace = current_trace()
    redactor = make_redactor(settings.redact, secrets=settings.secrets)
    entry = entries.base_entry("answer", trace, "", "")
    entry["trace_id"] = current_trace_id()
    del entry["call_id"], entry["tool"]
    rows = _rows_of(entry["trace_id"], since=trace.started_at)
    _count_calls(entry, rows)
    try:
        text = redactor.text(text)
        entry |= entries.process_columns()
        if app := read_app_context():
            entry["app"] = redactor(entries.plain_app(app))
    except ToolError:
        # a text that can't be checked for secrets is not kept; that there was an answer is
        entry["log_capped"] = True
        return entry
    _add_text(entry, text, settings.log or "none")
    _compare(entry, text, rows)
    return entry


def _add_text(entry: dict[str, Any], text: str, mode: str) -> None:
    answer, capped = _cap(text, mode)
    if answer is not None:
        entry["answer"] = answer
    if capped:
        entry["log_capped"] = True
    # of the redacted text: the hash of a short secret could be guessed
    entry["answer_sha256"] = entries.hash_text(text)


def _rows_of(trace_id: str, *, since: float) -> list[Row]:
    # what reads the log is imported here: most programs never record an answer
    from agent_tools.calllog.lookup import read_trace
    from agent_tools.calllog.reader import find_files

    try:
        files = find_files(find_home())
    except FileNotFoundError:
        return []
    return read_trace(files, trace_id, since=since)


def _calls_of(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["event"] == "tool_call"]


def _count_calls(entry: dict[str, Any], rows: Sequence[Row]) -> None:
    calls = _calls_of(rows)
    entry["calls_n"] = len(calls)
    entry["calls_failed_n"] = sum(row.get("status") == "error" for row in calls)


def _compare(entry: dict[str, Any], text: str, rows: Sequence[Row]) -> None:
    from agent_tools.calllog.evidence import id_of_result, split_by_use, unsupported_numbers

    used, unused = split_by_use(text, _calls_of(rows))
    entry["used_result_ids"] = list(map(id_of_result, used))
    entry["unused_result_ids"] = list(map(id_of_result, unused))
    numbers = unsupported_numbers(text, rows)
    if numbers is not None:
        entry["numbers_unsupported"] = numbers


def _cap(text: str, mode: str) -> tuple[str | None, bool]:
    if mode == "none":
        return None, False
    limit = PREVIEW_CHARACTERS if mode == "preview" else MAX_ANSWER_BYTES
    short = text[:limit].encode("utf-8", "replace")[:MAX_ANSWER_BYTES].decode("utf-8", "ignore")
    return short, short != text


def _to_text(answer: object) -> str:
    """Return the text of an answer; of an API's content blocks, their texts."""
    if isinstance(answer, str):
        return answer
    if isinstance(answer, (list, tuple)):
        return "\n".join(filter(None, map(_to_text, answer)))
    text = _get(answer, "text", "content")
    return _to_text(text) if text is not None else "" if answer is None else str(answer)


def _read_usage(usage: object) -> dict[str, int]:
    inner = _get(usage, *_NESTED)
    usage = usage if inner is None else inner
    counts = {"tokens_in": _add_up(usage, TOKENS_IN), "tokens_out": _add_up(usage, TOKENS_OUT)}
    return {key: count for key, count in counts.items() if count is not None}


def _add_up(usage: object, table: tuple[tuple[str, ...], ...]) -> int | None:
    for names in table:
        counts = [count for name in names if type(count := _get(usage, name)) is int]
        if counts and type(_get(usage, names[0])) is int:
            return sum(counts)
    return None


def _name_of(offered: object) -> str:
    """Return the name of a tool, of its description for an API, or of what it is told by."""
    if isinstance(offered, str):
        return offered
    name = _get(_get(offered, "function") or offered, "name", "__name__")
    return name if isinstance(name, str) else str(offered)[:100]


def _get(holder: object, *names: str) -> Any:
    """Return the first of some keys or attributes that is there and not None."""
    for name in names:
        value = holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)
        if value is not None:
            return value
    return None
