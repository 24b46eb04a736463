"""Make the rows that a call leaves in the log.

In:   what the pipeline knows when a call ends: ids, times, arguments, the drawn view, the failure.
Out:  one flat dict per row; keys that say nothing are absent.
Cost: about 3 us for a small call; arguments and prompt are capped here, after redaction.
"""

from __future__ import annotations

import hashlib
import os
import socket
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

import orjson

from agent_tools.calllog.caps import PROMPT_BYTES, cap_arguments, cap_prompt, estimate_bytes, shape_of
from agent_tools.columns import SCALARS
from agent_tools.context import Trace
from agent_tools.record import SCHEMA_ID
from agent_tools.result import ErrorInfo, Json

RUN_ID = f"{os.getpid():x}-{os.urandom(4).hex()}"
MAX_SUMMARY = 500
# a character takes at most four bytes
SURELY_WHOLE_CHARS = PROMPT_BYTES // 4
MAX_CAUSES = 10
# a fresh key per process: the same input looks alike within a run, and a guessed one can't be confirmed
_KEY = os.urandom(32)
_HASHED = orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS


@cache
def _library() -> str:
    # not above: it takes 20 ms to import
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"agent_tools/{version('agent-tools')}"
    except PackageNotFoundError:  # pragma: no cover - run from a folder that was never installed
        return "agent_tools"


@cache
def process_columns() -> dict[str, Any]:
    """Return the columns that are the same for all rows of this process; not to be changed.

    Example:
        >>> process_columns()["pid"] == os.getpid()
        True
    """
    return {"host": socket.gethostname(), "pid": os.getpid(), "lib": _library()}


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=process_columns.cache_clear)


def hash_input(tool: str, arguments: Mapping[str, Any]) -> tuple[str, int]:
    """Return 16 hex digits that are the same for the same call of the same tool in this process.

    Objects that JSON can't hold count by their type. Beside it, the size of the arguments as JSON in bytes.
    """
    try:
        body = orjson.dumps(arguments, _type_name, _HASHED)
    except (TypeError, ValueError, RecursionError):
        # surrogates, integers over 64 bits, deep nesting
        body = ascii(sorted(arguments, key=str)).encode()
        body += b"".join(_ascii(arguments[name]) for name in sorted(arguments, key=str))
    keyed = _hash_of_tool(tool).copy()
    keyed.update(body)
    return keyed.hexdigest(), len(body)


@lru_cache(maxsize=1024)
def _hash_of_tool(tool: str) -> Any:
    return hashlib.blake2b(tool.encode() + b"\0", digest_size=8, key=_KEY)


def _type_name(value: object) -> str:
    return f"<{type(value).__module__}.{type(value).__qualname__}>"


def _ascii(value: object) -> bytes:
    if isinstance(value, int) and not isinstance(value, bool):
        # Python writes no more than 4300 digits of a decimal number
        return hex(value).encode()
    plain = (str, float, bool, type(None))
    return ascii(value).encode() if isinstance(value, plain) else _type_name(value).encode()


_NS = 1_000_000_000
# when the second began that was written last, in nanoseconds, and its text with a point
_second = (0, "")


def now() -> str:
    """Return the time as RFC 3339 in UTC, to the microsecond.

    The text of the second is made once: formatting a datetime takes 1.5 us.

    Example:
        >>> len(now())
        32
    """
    global _second
    time_ns = time.time_ns()
    begun, text = _second
    if not 0 <= time_ns - begun < _NS:
        begun = time_ns // _NS * _NS
        text = datetime.fromtimestamp(begun // _NS, UTC).strftime("%Y-%m-%dT%H:%M:%S.")
        _second = begun, text
    # a digit before it keeps the zeros: to format a number takes longer than all the rest
    return f"{text}{str((time_ns - begun + _NS) // 1000)[1:]}+00:00"


def base_entry(event: str, trace: Trace, call_id: str, tool: str) -> dict[str, Any]:
    """Return what every row about a call begins with."""
    entry: dict[str, Any] = {
        "schema": SCHEMA_ID,
        "event": event,
        "level": "info",
        "ts": now(),
        "run_id": RUN_ID,
        "trace_id": trace.trace_id,
        "call_id": call_id,
        "tool": tool,
    }
    if trace.is_explicit:
        add_scope(entry, trace)
    return entry


def blank_row(tool: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of `tool_call` with what is the same for all calls of a tool; None in all other columns.

    A copy of it costs a tenth of a dict that grows by as many columns.
    """
    return {
        "schema": SCHEMA_ID,
        "event": "tool_call",
        "level": "info",
        "ts": None,
        "run_id": RUN_ID,
        "trace_id": None,
        "call_id": None,
        "tool": tool,
        "span_id": None,
        "seq": None,
        "status": None,
        "elapsed_ms": None,
        "call_id_source": "own",
        "attempts": None,
        **columns,
        **process_columns(),
    }


def add_scope(entry: dict[str, Any], trace: Trace) -> None:
    """Add what a `trace(...)` was told of itself."""
    scope = {"trace_name": trace.name, "conversation_id": trace.conversation, "turn": trace.turn}
    scope |= {"agent": trace.agent, "model": trace.model}
    entry |= {key: value for key, value in scope.items() if value is not None}


def plain_app(app: Mapping[str, Any]) -> dict[str, Any]:
    """Return the application's own log context as plain data, to be redacted.

    Example:
        >>> plain_app({"request_id": "r1", "at": datetime(2031, 3, 4)})
        {'request_id': 'r1', 'at': '2031-03-04 00:00:00'}
    """
    return {str(name): value if type(value) in SCALARS else str(value) for name, value in app.items()}


def add_shapes(entry: dict[str, Any], arguments: Mapping[str, Any]) -> None:
    """Add what the arguments are without a word of them, for `log_arguments="shape"`."""
    entry["arguments"], _, capped = cap_arguments(
        {name: shape_of(value) for name, value in arguments.items()}
    )
    if capped:
        entry["log_capped"] = True


def add_view(entry: dict[str, Any], view: str, text: str, mode: str) -> None:
    """Add the text that a model saw, as the setting `log` allows, and a hash when it is not the whole."""
    entry["prompt_view"] = view
    if mode == "full" and len(text) <= SURELY_WHOLE_CHARS:
        entry["prompt"] = text
        return
    prompt, capped = cap_prompt(text, mode)
    if prompt is not None:
        entry["prompt"] = prompt
    if prompt is None or capped:
        # of a text that stands there whole a reader can take the hash
        entry["prompt_sha256"] = hash_text(text)
    if capped:
        entry["log_capped"] = True


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, 64 hex digits: whether what the log holds of a text is the whole.

    Example:
        >>> hash_text("")[:8]
        'e3b0c442'
    """
    return hashlib.sha256(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def add_error(
    entry: dict[str, Any],
    error: ErrorInfo,
    *,
    source: str | None,
    origin: str,
    traceback: str | None,
    private: bool,
    failure: BaseException | None = None,
) -> None:
    """Add a failure; with `private` nothing that may repeat an argument is added."""
    entry["error_code"] = str(error.code)
    entry["error_origin"] = origin
    known: dict[str, Any] = {"sub_code": error.sub_code, "recovery": error.recovery, "error_class": source}
    known |= {"outcome": error.outcome, "retry_after_s": error.retry_after_s}
    entry["retryable"] = error.retryable
    if failure is not None and (failure.__cause__ or failure.__context__):
        entry["error_causes"] = causes_of(failure)
    if not private:
        known |= {"error_message": error.message, "traceback": traceback}
    entry.update((key, value) for key, value in known.items() if value is not None)


def causes_of(error: BaseException) -> list[str]:
    """Name the types of the exceptions behind one, the nearest first, as a traceback would show them.

    Example:
        >>> try:
        ...     try:
        ...         {}["key"]
        ...     except KeyError as inner:
        ...         raise LookupError("no index") from inner
        ... except LookupError as outer:
        ...     causes_of(outer)
        ['KeyError']
    """
    names: list[str] = []
    seen = {id(error)}
    while len(names) < MAX_CAUSES:
        cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if cause is None or id(cause) in seen:
            break
        seen.add(id(cause))
        names.append(name_of_type(type(cause)))
        error = cause
    return names


def name_of_type(kind: type) -> str:
    """Return the qualified name of a type; builtins stand without their module.

    Example:
        >>> name_of_type(KeyError), name_of_type(datetime)
        ('KeyError', 'datetime.datetime')
    """
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def level_of(status: str, has_failures: bool) -> str:
    """Return how loud a row is: a failed call is an error, one that did less than asked a warning.

    A result that is only cut, or has more pages, is what was asked for.

    Example:
        >>> level_of("partial", False), level_of("partial", True), level_of("cancelled", True)
        ('info', 'warning', 'warning')
    """
    if status == "error":
        return "error"
    return "warning" if status == "cancelled" or has_failures else "info"


def add_result(entry: dict[str, Any], meta: Mapping[str, Any], data: Json, private: bool) -> None:
    """Add what came out: the kind and number of rows, totals, what was cut, the summary."""
    if data is not None:
        entry["result_kind"] = KINDS.get(type(data), "value")
    if isinstance(data, list):
        entry["result_rows"] = len(data)
    if meta.keys() <= PLAIN_META:
        return
    for key, column in RESULT_COLUMNS:
        if (value := meta.get(key)) is not None:
            entry[column] = value
    summary = meta.get("summary")
    if summary and not private:
        entry["result_summary"] = summary[:MAX_SUMMARY]


def add_size(entry: dict[str, Any], data: Json) -> None:
    """Add the size of a result that was shown whole, in bytes."""
    try:
        entry["result_bytes"] = len(orjson.dumps(data))
    except TypeError:  # an integer over 64 bits, a lone surrogate
        return


def add_estimate(entry: dict[str, Any], data: Json, total: object, shown: int, tokens: int | None) -> None:
    """Add what the whole of a cut result would take in tokens, by what the characters shown of it take."""
    if tokens and shown:
        entry["tokens_full"] = max(round(estimate_bytes(data, total) * tokens / shown), tokens)


# what the meta of a success has that is no list and has nothing special to say
PLAIN_META = frozenset({"call_id", "elapsed_ms", "format_version"})
RESULT_COLUMNS = (
    ("result_id", "result_id"),
    ("total", "result_total"),
    ("truncated", "truncated"),
    ("returned", "result_rows"),
    ("redactions", "redactions"),
)
KINDS: dict[type, str] = {list: "rows", str: "text"}
