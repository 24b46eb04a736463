"""The answers a failure can have: a code, whether it passes, whether something may have happened.

Data, no logic. The tables `error_table` (by type) and `error_numbers` (by number) point to these.
"""

from __future__ import annotations

from typing import NamedTuple

from agent_tools.errors import Effect, ErrorCode, Recovery

NOT_APPLIED: Effect = "not_applied"
UNSURE: Effect = "unknown"


class Row(NamedTuple):
    """What an exception says about the call.

    Attributes:
        code: The code that the model and the log see.
        transient: The same call again may work.
        outcome: Whether an effect may have happened.
        sub_code: Detail, when the type alone tells it.
        reader: Name of the reader in `error_evidence` that looks at the instance first.
        recovery: What to do next, where the code's own answer would be wrong.
        origin: `system`, `argument` or `business` (raised on purpose).
    """

    code: str
    transient: bool = False
    outcome: Effect = UNSURE
    sub_code: str | None = None
    reader: str | None = None
    recovery: Recovery | None = None
    origin: str = "system"


def read_by(reader: str, row: Row) -> Row:
    """Return the row with a reader in front of it."""
    return row._replace(reader=reader)


NOT_REACHED = Row(ErrorCode.UNAVAILABLE, True, NOT_APPLIED)
CUT_OFF = Row(ErrorCode.UNAVAILABLE, True)
TIMED_OUT = Row(ErrorCode.DEADLINE_EXCEEDED, True)
TIMED_OUT_EARLY = Row(ErrorCode.DEADLINE_EXCEEDED, True, NOT_APPLIED)
BUSY = Row(ErrorCode.RESOURCE_EXHAUSTED, True, NOT_APPLIED)
FULL = Row(ErrorCode.RESOURCE_EXHAUSTED)
NO_QUOTA = Row(ErrorCode.RESOURCE_EXHAUSTED, False, NOT_APPLIED)
CONTENDED = Row(ErrorCode.ABORTED, True, NOT_APPLIED)
CONFLICT = Row(ErrorCode.ABORTED, False, NOT_APPLIED)
MISSING = Row(ErrorCode.NOT_FOUND, False, NOT_APPLIED)
EXISTS = Row(ErrorCode.ALREADY_EXISTS, False, NOT_APPLIED)
FORBIDDEN = Row(ErrorCode.PERMISSION_DENIED, False, NOT_APPLIED)
UNKNOWN_CALLER = Row(ErrorCode.UNAUTHENTICATED, False, NOT_APPLIED)
BAD_INPUT = Row(ErrorCode.INVALID_ARGUMENT, False, NOT_APPLIED)
NOT_YET = Row(ErrorCode.FAILED_PRECONDITION, False, NOT_APPLIED)
UNSUPPORTED = Row(ErrorCode.UNIMPLEMENTED, False, NOT_APPLIED)
OUT_OF_RANGE = Row(ErrorCode.OUT_OF_RANGE, False, NOT_APPLIED)
MALFORMED = Row(ErrorCode.DATA_LOSS, False, UNSURE, "MALFORMED_RESPONSE")
CORRUPT = Row(ErrorCode.DATA_LOSS, False, NOT_APPLIED)
CANCELLED = Row(ErrorCode.CANCELLED)
BUG = Row(ErrorCode.INTERNAL)
UNCLEAR = Row(ErrorCode.UNKNOWN)
INVALID_DATA = BAD_INPUT._replace(origin="argument")
REPORTED = Row(ErrorCode.TOOL_REPORTED_ERROR, origin="business")
