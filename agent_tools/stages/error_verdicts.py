"""Weigh everything that is said about a failure: the tool's own words, its groups, its causes, the tables.

In:   an exception and what the tool's `errors=` says of its class.
Out:  a `Verdict`: the row that holds, the wait, and what an author said, which wins.
Cost: one look-up along the MRO for a class not seen before, then one in a cache.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agent_tools.errors import TRANSIENT_CODES, ErrorCode, ToolError, family_of
from agent_tools.foreign import peek
from agent_tools.stages.error_evidence import read_row
from agent_tools.stages.error_kinds import kind_of
from agent_tools.stages.error_messages import leaves_of
from agent_tools.stages.error_rows import BAD_INPUT, NOT_APPLIED, REPORTED, UNCLEAR, UNSURE, Row
from agent_tools.stages.error_waits import bound_wait_s, read_wait_s

MAX_CAUSES = 8
_BATCH = "agent_tools.batch"
_AUTHORS_WORD = BAD_INPUT._replace(origin="business")
_STANDARD_CODES = frozenset(str(code) for code in ErrorCode)
# raised on purpose, these say that the call was refused
_REFUSALS = frozenset(
    {
        ErrorCode.INVALID_ARGUMENT,
        ErrorCode.NOT_FOUND,
        ErrorCode.ALREADY_EXISTS,
        ErrorCode.PERMISSION_DENIED,
        ErrorCode.UNAUTHENTICATED,
        ErrorCode.FAILED_PRECONDITION,
        ErrorCode.OUT_OF_RANGE,
        ErrorCode.UNIMPLEMENTED,
    }
)


class Verdict(NamedTuple):
    """What holds for one failure.

    Attributes:
        row: Code, transience, outcome.
        wait_s: Seconds to wait, None when unknown.
        retryable: The author's word on retrying, None without one.
        told: The ToolError whose text and fields are shown, None without one.
        is_guess: The outcome is what such an error usually means, nobody said so.
    """

    row: Row
    wait_s: float | None = None
    retryable: bool | None = None
    told: ToolError | None = None
    is_guess: bool = False


def make_classify(errors: Mapping[Any, Any], module: str | None) -> Callable[[BaseException], Verdict]:
    """Return the function that weighs an exception.

    Args:
        errors: The tool's own mapping, see the settings.
        module: The tool's module; a ValueError raised there is the author's word on the arguments.

    Example:
        >>> make_classify({KeyError: "USER_NOT_FOUND"}, None)(KeyError("u1")).row.code
        'USER_NOT_FOUND'
    """
    return _Judge(errors, module).classify


class _Judge:
    def __init__(self, errors: Mapping[Any, Any], module: str | None) -> None:
        self._errors = dict(errors)
        self._module = module
        # weak, so that classes made at run time can go
        self._entries: weakref.WeakKeyDictionary[type, Any] = weakref.WeakKeyDictionary()

    def classify(self, exc: BaseException, depth: int = 0) -> Verdict:
        entry = self._entry(type(exc)) if self._errors else None
        if entry is not None:
            return self._mapped(exc, entry, depth)
        return self._judged(exc, depth)

    def _entry(self, cls: type) -> Any:
        try:
            return self._entries[cls]
        except KeyError:
            # a group is what its leaves are, unless groups themselves are named
            bases = [base for base in cls.__mro__ if base in self._errors]
            if issubclass(cls, BaseExceptionGroup):
                bases = [base for base in bases if issubclass(base, BaseExceptionGroup)]
            entry = self._entries[cls] = self._errors[bases[0]] if bases else None
            return entry

    def _mapped(self, exc: BaseException, entry: Any, depth: int) -> Verdict:
        verdict = self._judged(exc, depth)
        if callable(entry) and not isinstance(entry, str):
            try:
                entry = entry(exc)
            except ToolError as error:
                entry = error
            except Exception:  # noqa: BLE001 - a mapping that fails must not hide the failure itself
                return verdict
        if isinstance(entry, ToolError):
            return _told(entry, verdict)
        code, retryable = entry if isinstance(entry, tuple) and len(entry) == 2 else (entry, None)
        if not isinstance(code, str):
            return verdict
        return verdict._replace(row=_with_code(verdict.row, str(code)), retryable=retryable)

    def _judged(self, exc: BaseException, depth: int) -> Verdict:
        if isinstance(exc, BaseExceptionGroup):
            return self._group(exc, depth)
        if isinstance(exc, ToolError):
            return _told(exc, self._cause(exc, depth) if peek(exc, "code") is None else None)
        kind = kind_of(type(exc))
        row = read_row(exc)
        if row.code == ErrorCode.INTERNAL and row.sub_code is None:
            if kind.is_value_error and self._is_own(exc):
                row = _AUTHORS_WORD
            elif kind.is_generic and (cause := self._cause(exc, depth)) is not None:
                return cause
        return Verdict(row, read_wait_s(exc))

    def _is_own(self, exc: BaseException) -> bool:
        tb = exc.__traceback__
        if tb is None or self._module is None:
            return False
        place = None
        while tb is not None:
            name = tb.tb_frame.f_globals.get("__name__")
            # a built-in function has no frame: that a batch called it is not where it raised
            place, tb = place if name == _BATCH else name, tb.tb_next
        return place is None or place == self._module

    def _cause(self, exc: BaseException, depth: int) -> Verdict | None:
        # a wrapper that says nothing itself; a chain that runs in a circle ends at MAX_CAUSES
        cause = exc.__cause__
        if not isinstance(cause, Exception) or depth >= MAX_CAUSES:
            return None
        verdict = self.classify(cause, depth + 1)
        is_plain_bug = verdict.row.code == ErrorCode.INTERNAL and verdict.row.sub_code is None
        return None if is_plain_bug else verdict._replace(told=None)

    def _group(self, group: BaseExceptionGroup[BaseException], depth: int) -> Verdict:
        verdicts = [self.classify(leaf, depth + 1) for leaf in leaves_of(group)]
        if not verdicts:
            return Verdict(UNCLEAR)
        row = functools.reduce(_both, [verdict.row for verdict in verdicts])
        waits = [verdict.wait_s for verdict in verdicts if verdict.wait_s is not None]
        said = [verdict.retryable for verdict in verdicts]
        retryable = False if False in said else (None if None in said else True)
        return Verdict(row, max(waits, default=None), retryable)


def _both(one: Row, other: Row) -> Row:
    # what holds for two failures at once
    if one == other:
        return one
    is_alike = one.code == other.code
    return Row(
        one.code if is_alike else UNCLEAR.code,
        one.transient and other.transient,
        one.outcome if one.outcome == other.outcome else UNSURE,
        one.sub_code if one.sub_code == other.sub_code else None,
        recovery=one.recovery if one.recovery == other.recovery else None,
        origin=one.origin if is_alike else UNCLEAR.origin,
    )


def _with_code(row: Row, code: str) -> Row:
    if code == row.code:
        return row
    outcome = NOT_APPLIED if family_of(code) in _REFUSALS else row.outcome
    if code not in _STANDARD_CODES:  # the tool's own name for what the table found
        return row._replace(code=code, outcome=outcome)
    return row._replace(code=code, transient=code in TRANSIENT_CODES, outcome=outcome, recovery=None)


def _told(error: ToolError, found: Verdict | None) -> Verdict:
    # a subclass may have skipped ToolError.__init__, so every field is peeked at
    code, outcome, sub_code, recovery = (
        peek(error, name) for name in ("code", "outcome", "sub_code", "recovery")
    )
    row = REPORTED if found is None else found.row
    if code is not None:
        row = _with_code(row, str(code))
    is_guess = outcome is None and found is None and not row.transient
    wait = bound_wait_s(peek(error, "retry_after_s"))
    if wait is None:
        wait = found.wait_s if found is not None else read_wait_s(error)
    told = Row(
        row.code,
        row.transient,
        NOT_APPLIED if is_guess else outcome or row.outcome,
        row.sub_code if sub_code is None else str(sub_code),
        recovery=recovery or row.recovery,
        origin="business",
    )
    return Verdict(told, wait, peek(error, "retryable"), error, is_guess)
