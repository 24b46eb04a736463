"""Turn an exception into a coded error.

In:   any exception from a tool's body.
Out:  a `Failure`: the error of the envelope, where it came from, data that helps.
Raises: nothing of Exception, whatever the exception, the redactor or the tool's own mapping do.
Cost: 7 to 22 us for a class seen before, and the redaction of at most 1 kB, seldom 4; imports nothing.

Order: groups, the tool's `errors=`, ToolError, then the tables (library, status, built-in). Control flow
is for the caller to let through first: `is_control_flow`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from agent_tools.errors import Effect, ErrorCode, Recovery, ToolError, decide_retry
from agent_tools.foreign import peek, read_text
from agent_tools.result import ErrorInfo
from agent_tools.stages.error_kinds import kind_of, names_of
from agent_tools.stages.error_messages import leaves_of, make_message
from agent_tools.stages.error_rows import UNSURE
from agent_tools.stages.error_table import CONTROL_FLOW
from agent_tools.stages.error_texts import MAX_MESSAGE, Redact, clip, shorten
from agent_tools.stages.error_tracebacks import format_traceback
from agent_tools.stages.error_verdicts import Verdict, make_classify

__all__ = [
    "CHECK_FIRST",
    "UNKNOWN_HINTS",
    "Failure",
    "format_traceback",
    "is_control_flow",
    "make_error_codes",
]

MAX_HINT = 200
MAX_CODE = 64
SHORT_CODE = 12  # no known secret is as short
_STANDARD_CODES = frozenset(str(code) for code in ErrorCode)
CHECK_FIRST = "It may have happened: check before doing it again."
UNKNOWN_HINTS = {
    "query": "It is unknown whether matching data exists.",
    "summary": "Nothing was computed, so nothing can be concluded.",
}


class Failure(NamedTuple):
    """A failed call, before the envelope.

    Attributes:
        error: The error as the model sees it.
        source: The qualified name of the exception's type.
        origin: `argument`, `business` (raised on purpose) or `system`.
        data: Context for the envelope's data: a ToolError's own, a process's output.
    """

    error: ErrorInfo
    source: str
    origin: str
    data: object = None


def is_control_flow(exc: BaseException) -> bool:
    """Say whether an exception steers the program and has to pass through.

    That is everything that is no Exception, the registered signals of frameworks, and a group that
    holds one of them.

    Example:
        >>> is_control_flow(KeyboardInterrupt()), is_control_flow(ValueError())
        (True, False)
    """
    if not isinstance(exc, Exception):  # a group of Exceptions alone is an ExceptionGroup, PEP 654
        return True
    if isinstance(exc, BaseExceptionGroup):
        return any(_is_signal(type(leaf)) for leaf in leaves_of(exc, None))
    return _is_signal(type(exc))


def _is_signal(cls: type) -> bool:
    if cls.__module__ == "builtins":
        return False
    return not CONTROL_FLOW.isdisjoint(names_of(cls))


def make_error_codes(
    errors: Mapping[Any, Any],
    *,
    kind: str,
    idempotent: bool,
    effects: str,
    module: str | None,
    redact_text: Redact,
) -> Callable[[BaseException], Failure]:
    """Return the function that gives an exception its code.

    Args:
        errors: `{ExceptionType: "CODE" | ("CODE", retryable) | callable(exc) -> ToolError}`.
        kind: `query`, `action` or `summary`.
        idempotent: Calling twice is the same as once.
        effects: `one` or `many` effects in the body.
        module: The tool's own module: a ValueError raised there is about the arguments.
        redact_text: Hides secrets in a text; what it raises hides the whole text.

    Example:
        >>> to_failure = make_error_codes({}, kind="query", idempotent=True, effects="one",
        ...                               module=None, redact_text=str)
        >>> failure = to_failure(ConnectionRefusedError(111, "Connection refused"))
        >>> failure.error.code, failure.error.retryable, failure.error.sub_code
        ('UNAVAILABLE', True, 'ECONNREFUSED')
    """
    classify = make_classify(errors, module)
    reads_only = kind != "action" and idempotent
    in_doubt = effects == "many" and not idempotent

    def to_failure(exc: BaseException) -> Failure:
        verdict = classify(exc)
        row, told = verdict.row, verdict.told
        said = peek(told, "outcome")
        # of many effects an earlier one may have happened, whatever became of the last
        outcome = said or (UNSURE if in_doubt else row.outcome)
        retryable, recovery = decide_retry(
            row.code, transient=row.transient, idempotent=idempotent, effects=effects, outcome=outcome
        )
        if verdict.retryable is not None and verdict.retryable != retryable:
            retryable, recovery = _overrule(verdict, idempotent, effects, outcome)
        if row.recovery is not None and (told is not None or not retryable):
            recovery = row.recovery
        error = ErrorInfo(
            code=_told_code(str(row.code), redact_text),
            message=_message(exc, told, redact_text),
            retryable=retryable,
            recovery=recovery,
            retry_after_s=verdict.wait_s,
            outcome=said if reads_only or verdict.is_guess else outcome,
            sub_code=row.sub_code and _told_code(row.sub_code, redact_text),
            hint=_told_hint(told, redact_text) or _hint(verdict, kind, recovery),
        )
        return Failure(error, _source(exc), row.origin, _data(exc, told))

    return to_failure


def _overrule(
    verdict: Verdict, idempotent: bool, effects: str, outcome: Effect | None
) -> tuple[bool, Recovery]:
    # the author's word on retrying wins over the table
    if verdict.retryable:
        return True, "retry"
    return decide_retry(
        verdict.row.code, transient=False, idempotent=idempotent, effects=effects, outcome=outcome
    )


def _hint(verdict: Verdict, kind: str, recovery: str) -> str | None:
    if recovery == "check_first":
        return CHECK_FIRST
    if kind == "action" or (verdict.told is not None and verdict.row.code == ErrorCode.NOT_FOUND):
        return None
    return UNKNOWN_HINTS.get(kind)


def _source(exc: BaseException) -> str:
    cls = type(exc)
    name = cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    return name[:200]


def _data(exc: BaseException, told: ToolError | None) -> object:
    if told is not None:
        return peek(told, "data")
    if not kind_of(type(exc)).is_process:
        return None
    output = {name: value for name in ("stdout", "stderr") if (value := peek(exc, name)) is not None}
    return {
        name: value.decode(errors="replace") if isinstance(value, bytes) else value
        for name, value in output.items()
    } or None


def _message(exc: BaseException, told: ToolError | None, redact: Redact) -> str:
    message = make_message(told if told is not None else exc, redact)
    cause = exc.__cause__
    if (
        told is not None
        or cause is None
        or not kind_of(type(exc)).is_generic
        or len(message) > MAX_MESSAGE - 60
    ):
        return message
    return clip(f"{message.rstrip('.')} (from {make_message(cause, redact)})")


def _told_code(code: str, redact: Redact) -> str:
    # one that was handed on from elsewhere may be any text
    if len(code) <= SHORT_CODE or code in _STANDARD_CODES:
        return code
    try:
        return shorten(code, redact, MAX_CODE)
    except Exception:  # noqa: BLE001 - a redactor that fails hides the code, not the failure
        return ErrorCode.UNKNOWN


def _told_hint(told: ToolError | None, redact: Redact) -> str | None:
    hint = peek(told, "hint")
    if not hint:
        return None
    try:
        return shorten(read_text(hint) or "", redact, MAX_HINT) or None
    except Exception:  # noqa: BLE001 - a redactor that fails hides the hint, not the failure
        return None
