"""The envelope that every call comes back as, format v1.

Always four keys, in this order: `{"status": ..., "meta": {...}, "error": ..., "data": ...}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

Json: TypeAlias = "None | bool | int | float | str | list[Json] | dict[str, Json]"


class Status(StrEnum):
    """How a call ended.

    Example:
        >>> Status.EMPTY == "empty"
        True
    """

    SUCCESS = "success"
    EMPTY = "empty"
    PARTIAL = "partial"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """The `error` of an envelope.

    Attributes:
        code: An `ErrorCode` or a tool's own UPPER_SNAKE code.
        message: What failed and what to do next, never blank, at most 300 characters.
        retryable: The same call again may help.
        recovery: `retry`, `fix_arguments`, `check_first`, `ask_user` or `report`.
        retry_after_s: Seconds to wait before the next try. None when unknown.
        outcome: `not_applied` or `unknown`: whether an effect may have happened.
        sub_code: Detail: SQLSTATE, errno name, HTTP status, exit code.
        hint: One more sentence on what to do.
    """

    code: str
    message: str
    retryable: bool
    recovery: str
    retry_after_s: float | None = None
    outcome: str | None = None
    sub_code: str | None = None
    hint: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the four fixed keys and those of the others that are known."""
        shown: dict[str, Any] = {
            "code": str(self.code),
            "message": self.message,
            "retryable": self.retryable,
            "recovery": self.recovery,
        }
        for name in ("retry_after_s", "outcome", "sub_code", "hint"):
            if (value := getattr(self, name)) is not None:
                shown[name] = value
        return shown
