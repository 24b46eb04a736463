"""How long to wait before the next try, as a server or an exception says.

In:   an exception.
Out:  seconds, None when nothing usable is said.

`retry-after-ms` before `Retry-After` (seconds or an HTTP date, RFC 9110, section 10.2.3) before an
attribute `retry_after`. A date in the past is 0; junk is None; a wait is reported as it is, up to
MAX_WAIT_S. How long anybody really sleeps is decided where calls are retried.
"""

from __future__ import annotations

import math
import time
from datetime import datetime, timedelta

from agent_tools.foreign import peek, read_header
from agent_tools.stages.error_statuses import headers_of

MAX_WAIT_S = 7 * 86_400.0


def read_wait_s(exc: BaseException) -> float | None:
    """Return the seconds that an exception asks to wait.

    Example:
        >>> error = RuntimeError("rate limited"); error.retry_after = 3.5
        >>> read_wait_s(error)
        3.5
    """
    if type(exc).__module__ == "builtins" and not exc.__dict__:
        return None
    if (headers := headers_of(exc)) is not None:
        if (milliseconds := _seconds(read_header(headers, "retry-after-ms"))) is not None:
            return _bounded(milliseconds / 1000)
        if (header := read_header(headers, "retry-after")) is not None:
            wait = _seconds(header)
            return _bounded(wait if wait is not None else _until(header))
    for name in ("retry_after", "retry_after_s"):
        if (wait := _seconds(peek(exc, name))) is not None:
            return _bounded(wait)
    return None


def bound_wait_s(value: object) -> float | None:
    """Return a wait that an author gave, clamped like one that was read.

    Example:
        >>> bound_wait_s(-1), bound_wait_s("soon")
        (0.0, None)
    """
    return _bounded(_seconds(value))


def _seconds(value: object) -> float | None:
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return value.timestamp() - time.time()
    try:
        return float(value)  # type: ignore[arg-type]  # a Decimal, a Fraction: whatever is a number
    except Exception:  # noqa: BLE001 - __float__ of a foreign object may raise anything
        return None


def _until(header: str) -> float | None:
    from email.utils import parsedate_to_datetime  # 4 ms, for the few servers that send a date

    try:
        return parsedate_to_datetime(header[:64]).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _bounded(seconds: float | None) -> float | None:
    if seconds is None or math.isnan(seconds):
        return None
    return min(max(seconds, 0.0), MAX_WAIT_S)
