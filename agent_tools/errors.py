"""The codes of a failure and the exceptions that carry one.

A tool's body may raise any of these on purpose; everything else that it raises is mapped to a
code by `agent_tools.stages.error_codes`. The tree:

    Exception
    └── ToolError               a failure with a code, a message and what to do next
        ├── InvalidArgument     INVALID_ARGUMENT    the caller sent something wrong
        ├── NotFound            NOT_FOUND           the named thing does not exist
        ├── PermissionDenied    PERMISSION_DENIED   the caller may not do this
        ├── Unavailable         UNAVAILABLE         try again later
        └── InvalidSetting      INVALID_ARGUMENT    misuse of the library, raised at decoration
                                                    (a TypeError and a ValueError, too)

The first sixteen codes are those of google.rpc.Code
(https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

Recovery = Literal["retry", "fix_arguments", "check_first", "ask_user", "report"]
Effect = Literal["not_applied", "unknown"]


class ErrorCode(StrEnum):
    """What kind of failure it was, stable across versions.

    A tool may use codes of its own (`"DB_TIMEOUT"`), any UPPER_SNAKE text.

    Example:
        >>> ErrorCode.NOT_FOUND == "NOT_FOUND"
        True
    """

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    UNAUTHENTICATED = "UNAUTHENTICATED"
    RESOURCE_EXHAUSTED = "RESOURCE_EXHAUSTED"
    FAILED_PRECONDITION = "FAILED_PRECONDITION"
    ABORTED = "ABORTED"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    UNIMPLEMENTED = "UNIMPLEMENTED"
    INTERNAL = "INTERNAL"
    UNAVAILABLE = "UNAVAILABLE"
    DATA_LOSS = "DATA_LOSS"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    CANCELLED = "CANCELLED"
    UNKNOWN = "UNKNOWN"
    # the library's own
    TOOL_REPORTED_ERROR = "TOOL_REPORTED_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    UNSERIALIZABLE_RESULT = "UNSERIALIZABLE_RESULT"
    REDACTION_FAILED = "REDACTION_FAILED"
    REPEATED_FAILURE = "REPEATED_FAILURE"
    TOOL_NOT_FOUND = "TOOL_NOT_FOUND"


class ToolError(Exception):
    """A failure that a tool's author raises on purpose.

    Its message reaches the model (redacted, at most 300 characters), its code the model and the log.

    Args:
        message: What failed and what to do next, one or two sentences.
        code: An `ErrorCode` or a code of your own in UPPER_SNAKE. None takes the class's code.
        retryable: Whether the same call again may help. None derives it from the code.
        recovery: What to do next. None derives it from the code.
        retry_after_s: Seconds to wait before the next try. None when unknown.
        outcome: Whether the effect may have happened: `"not_applied"` or `"unknown"`.
        sub_code: Detail for the log and the model (SQLSTATE, errno name, HTTP status).
        hint: One more sentence on what to do.
        data: Context that helps (rows so far, stdout), kept as the envelope's `data`.
        meta: What else is known (an exit code, a URL), added to the envelope's `meta`.

    Example:
        >>> raise ToolError("The warehouse is closed until 8:00.", code="WAREHOUSE_CLOSED")
        Traceback (most recent call last):
        agent_tools.errors.ToolError: The warehouse is closed until 8:00.
    """

    code: str | None = None

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        retryable: bool | None = None,
        recovery: Recovery | None = None,
        retry_after_s: float | None = None,
        outcome: Effect | None = None,
        sub_code: str | None = None,
        hint: str | None = None,
        data: object = None,
        meta: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            self.code = str(code)
        self.message = message
        self.retryable = retryable
        self.recovery = recovery
        self.retry_after_s = retry_after_s
        self.outcome = outcome
        self.sub_code = sub_code
        self.hint = hint
        self.data = data
        self.meta = meta

    def __reduce__(self) -> tuple[object, ...]:
        # the default would rebuild from `args` alone and lose the keyword-only fields
        return (_rebuild, (type(self), self.args, self.__dict__))


def _rebuild(cls: type[ToolError], args: tuple[object, ...], state: dict[str, object]) -> ToolError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidArgument(ToolError):
    """The caller sent something wrong; other arguments may work.

    Example:
        >>> InvalidArgument("limit must be at most 100").code
        <ErrorCode.INVALID_ARGUMENT: 'INVALID_ARGUMENT'>
    """

    code = ErrorCode.INVALID_ARGUMENT


class NotFound(ToolError):
    """The thing that was named does not exist.

    Example:
        >>> NotFound("no order 'A1'").code
        <ErrorCode.NOT_FOUND: 'NOT_FOUND'>
    """

    code = ErrorCode.NOT_FOUND


class PermissionDenied(ToolError):
    """The caller may not do this; the user has to be asked.

    Example:
        >>> PermissionDenied("payroll is for HR only").code
        <ErrorCode.PERMISSION_DENIED: 'PERMISSION_DENIED'>
    """

    code = ErrorCode.PERMISSION_DENIED


class Unavailable(ToolError):
    """The service behind the tool is away for now; the same call may work later.

    Example:
        >>> Unavailable("restarting", retry_after_s=30).retry_after_s
        30
    """

    code = ErrorCode.UNAVAILABLE


class InvalidSetting(ToolError, TypeError, ValueError):
    """The library was misused: an unknown or bad setting, named with what is known.

    Example:
        >>> issubclass(InvalidSetting, ValueError)
        True
    """

    code = ErrorCode.INVALID_ARGUMENT


# Codes that a later call may not meet again; an exception's own row can say otherwise.
TRANSIENT_CODES = frozenset(
    {
        ErrorCode.UNAVAILABLE,
        ErrorCode.DEADLINE_EXCEEDED,
        ErrorCode.RESOURCE_EXHAUSTED,
        ErrorCode.ABORTED,
    }
)

# What to do next when the same call again does not help.
RECOVERIES: dict[str, Recovery] = {
    ErrorCode.INVALID_ARGUMENT: "fix_arguments",
    ErrorCode.NOT_FOUND: "fix_arguments",
    ErrorCode.ALREADY_EXISTS: "fix_arguments",
    ErrorCode.OUT_OF_RANGE: "fix_arguments",
    ErrorCode.EXECUTION_ERROR: "fix_arguments",
    ErrorCode.TOOL_NOT_FOUND: "fix_arguments",
    ErrorCode.REPEATED_FAILURE: "fix_arguments",
    ErrorCode.PERMISSION_DENIED: "ask_user",
    ErrorCode.UNAUTHENTICATED: "ask_user",
    ErrorCode.RESOURCE_EXHAUSTED: "ask_user",
}


@functools.lru_cache(maxsize=256)
def family_of(code: str) -> str:
    """Return the standard code that one of a project's own ends with, the code itself without one.

    Example:
        >>> family_of("USER_NOT_FOUND"), family_of("SEAT_TAKEN")
        ('NOT_FOUND', 'SEAT_TAKEN')
    """
    return next((known.value for known in ErrorCode if code.endswith(f"_{known.value}")), str(code))


def recovery_of(code: str) -> Recovery:
    """Return what to do next after a failure that the same call again does not cure.

    Example:
        >>> recovery_of("USER_NOT_FOUND"), recovery_of("INTERNAL")
        ('fix_arguments', 'report')
    """
    return RECOVERIES.get(code) or RECOVERIES.get(family_of(code), "report")


def decide_retry(
    code: str, *, transient: bool, idempotent: bool, effects: str, outcome: str | None
) -> tuple[bool, Recovery]:
    """Say whether the same call again may help, and what to do next.

    `retryable = transient and (idempotent or (effects == "one" and outcome == "not_applied"))`.
    A call that may have changed something and cannot be repeated safely is to be checked first; of many
    effects, an earlier one may have happened even where the arguments of a later one were wrong.

    Example:
        >>> decide_retry("UNAVAILABLE", transient=True, idempotent=True, effects="one", outcome=None)
        (True, 'retry')
        >>> decide_retry("UNAVAILABLE", transient=True, idempotent=False, effects="one", outcome="unknown")
        (False, 'check_first')
    """
    if transient and (idempotent or (effects == "one" and outcome == "not_applied")):
        return True, "retry"
    if not idempotent:
        may_have_happened = outcome != "not_applied" and (transient or recovery_of(code) == "report")
        if may_have_happened or (effects == "many" and (transient or outcome != "not_applied")):
            return False, "check_first"
    return False, recovery_of(code)
