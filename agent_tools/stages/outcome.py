"""Decide how a call ended from what the function returned: success, empty, partial or a reported error.

In:   the function's own return value: plain data, a record, a frame, a response, a JSON text. Iterators are
      drained before.
Out:  an `Outcome`: status, the value to show, the failure that the data reports, and what meta gains.
Raises: only what the tool's own `empty=` raises.
Cost: 1 us for a flat dict, about 1 us more for each nested level that is read; never more than MAX_KEYS keys
      of a level. A JSON text is parsed once.

The order: the tool's `empty=`, error markers, a cursor to more pages, a page past the end, a known
collection, then the kind of the value. Truthiness is never used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from agent_tools.foreign import peek
from agent_tools.stages.emptiness import is_empty_native, response_body, response_status
from agent_tools.stages.error_statuses import row_of_status
from agent_tools.stages.outcome_json import HELD_NOTHING, read_json_text
from agent_tools.stages.outcome_listings import judge_reply
from agent_tools.stages.outcome_paging import SPELT_NEXT
from agent_tools.stages.outcome_replies import MAX_KEYS, Reply, is_blank, native_fields, read_reply, text_of
from agent_tools.stages.reported_codes import Reported, find_wait
from agent_tools.stages.reported_errors import SPELT_TRIGGERS, find_failure, is_quiet, only_text
from agent_tools.stages.reported_lines import find_error_text
from agent_tools.stages.reported_texts import Failure, failure_text, is_exception, report

__all__ = ["Outcome", "Reported", "make_outcome"]


class Outcome(NamedTuple):
    """How a call ended.

    Attributes:
        status: `success`, `empty`, `partial` or `error`.
        value: What to show: the returned value, the JSON in a returned text, or what is left beside an error.
        error: The failure that the data reports. None without one.
        meta: `total`, `returned`, `next`, `failed`, `warnings`, as far as the data tells them.
    """

    status: str
    value: object
    error: Reported | None
    meta: dict[str, object]


Judge = Callable[[object], Outcome]
# keys that a flat dict may have and be more than a value
_TRIGGERS = SPELT_TRIGGERS | SPELT_NEXT
_NUMBERS = frozenset((int, float))
_MAX_BODY = 100_000
_SALESFORCE_KEYS = frozenset(("message", "errorCode", "fields"))


def make_outcome(*, kind: str, empty: Callable[[object], object] | None, error_as_data: str) -> Judge:
    """Make the judge of a tool's return values.

    Args:
        kind: `query`, `action` or `summary`. An action is never empty (None is work done), and more pages
            do not make it partial: they are only mentioned.
        empty: The tool's own predicate; wins over the built-in test. May return numpy's bool.
        error_as_data: `detect`, or `keep`: a failure in the data stays data.

    Example:
        >>> judge = make_outcome(kind="query", empty=None, error_as_data="detect")
        >>> judge({"items": [], "total": 0}).status
        'empty'
        >>> judge({"error": "no such city"}).error.message
        'no such city'
    """
    slow = _Judge(
        pages=kind != "action",
        may_be_empty=kind != "action" and empty is None,
        detects=error_as_data != "keep",
    )
    if empty is not None:
        return _make_own(empty, slow)

    def judge(value: object) -> Outcome:
        if type(value) is dict and value:
            for key, item in value.items():
                kind = type(item)
                if kind is str:
                    if not item or item.isspace() or (key in _TRIGGERS and not is_quiet(key, item)):
                        break
                elif kind not in _NUMBERS or key in _TRIGGERS:
                    break
            else:
                return Outcome("success", value, None, {})
        return slow(value)

    return judge


def _make_own(empty: Callable[[object], object], slow: Judge) -> Judge:
    def judge(value: object) -> Outcome:
        return Outcome("empty", value, None, {}) if bool(empty(value)) else slow(value)

    return judge


@dataclass(frozen=True, slots=True)
class _Judge:
    """The judge of all that is no flat dict."""

    pages: bool
    may_be_empty: bool
    detects: bool

    def __call__(self, value: object) -> Outcome:
        text = text_of(value)
        if text is not None:
            held = read_json_text(text)
            if held is HELD_NOTHING:
                return self._text(value, text)
            value = held
        fields = native_fields(value)
        if type(fields) is not dict:
            return self._native(value, value if fields is None else fields)
        if len(fields) > MAX_KEYS:
            return Outcome("success", value, None, {})
        return self._reply(value, Reply(fields)) if fields else self._void(value)

    def _void(self, value: object) -> Outcome:
        return Outcome("empty" if self.may_be_empty else "success", value, None, {})

    def _text(self, value: object, text: str) -> Outcome:
        reported = find_error_text(text) if self.detects else None
        if reported is not None:
            return Outcome("error", None, reported, {})
        return self._void(value) if is_blank(text) else Outcome("success", value, None, {})

    def _reply(self, value: object, reply: Reply) -> Outcome:
        failure = find_failure(reply)
        if failure is not None and self.detects:
            return _failed(failure, reply, value)
        verdict = judge_reply(reply, pages=self.pages)
        # an error that is kept as data is something that was found
        may_be_empty = self.may_be_empty and failure is None
        status = verdict.status if verdict.status != "empty" or may_be_empty else "success"
        return Outcome(status, value, None, verdict.meta)

    def _native(self, value: object, seen: object) -> Outcome:
        """Judge what is no mapping; `seen` is the value, or the root of a root model."""
        failure = _native_failure(seen) if self.detects else None
        if failure is not None:
            return Outcome("error", failure.rest, failure.reported, {})
        if is_empty_native(seen):
            return self._void(value)
        return Outcome("success", value, None, _hollow(seen))


def _failed(failure: Failure, reply: Reply, value: object) -> Outcome:
    if not failure.partial:
        return Outcome("error", failure.rest, failure.reported, {})
    found = judge_reply(reply).meta
    meta: dict[str, object] = {"failed": failure.failed}
    meta |= {name: found[name] for name in ("total", "returned", "next") if name in found}
    # the errors stay in the data, too: what is kept of a result is all that the tool returned
    return Outcome("partial", value, failure.reported, meta)


def _native_failure(value: object) -> Failure | None:
    if is_exception(value):
        return Failure(Reported("TOOL_REPORTED_ERROR", failure_text(value) or type(value).__name__))
    if type(value) is list:
        # Salesforce hands back a list with one error; items with an `error` of their own are data
        first = value[0] if len(value) == 1 else None
        if (text := only_text(value)) is not None and (reported := find_error_text(text)) is not None:
            return Failure(reported)
        if type(first) is dict and "errorCode" in first and first.keys() <= _SALESFORCE_KEYS:
            return Failure(report(Reply(first), failure_text(first.get("message"))))
        return None
    status = response_status(value)
    return _response_failure(value, status) if status is not None and status >= 400 else None


def _response_failure(value: object, status: int) -> Failure:
    """Read the failure in an HTTP response: its status, and its body where that says why."""
    row = row_of_status(status)
    held = read_json_text((response_body(value) or b"")[:_MAX_BODY].decode("utf-8", "replace"))
    reply = read_reply(held)
    inner = find_failure(reply) if reply is not None else None
    message = (
        inner.reported.message if inner is not None else failure_text(held) if reply is not None else None
    )
    wait = find_wait([reply] if reply is not None else []) or _retry_after(value)
    text = f"HTTP {status}: {message}" if message else f"HTTP {status}"
    return Failure(
        Reported(str(row.code), text, str(status), row.transient, wait), held if reply is not None else None
    )


def _retry_after(value: object) -> float | None:
    headers = peek(value, "headers")
    get = peek(headers, "get")
    wait = get("retry-after") if callable(get) else None
    return find_wait([Reply({"retry_after": wait})])


def _hollow(value: object) -> dict[str, object]:
    """Say in meta when a list has rows and every row is null or empty: it is a value all the same."""
    if type(value) is not list:
        return {}
    if value[0] is None:
        return {"warnings": ["Every value is null."]} if all(item is None for item in value) else {}
    hollow = _is_empty_list(value[0]) and all(map(_is_empty_list, value))
    return {"warnings": ["Every item is empty."]} if hollow else {}


def _is_empty_list(item: object) -> bool:
    return type(item) is list and not item
