"""Look at one exception: its class's row, and what the instance itself says.

In:   an exception.
Out:  the row of `error_table` or `error_numbers` that fits it best.
Cost: two dictionary look-ups for a class seen before, then the attributes that its row asks for.

Never is a message read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agent_tools.foreign import peek
from agent_tools.stages.error_kinds import kind_of, names_of, sql_row
from agent_tools.stages.error_numbers import COMMITS
from agent_tools.stages.error_readers import READERS, read_sqlstate
from agent_tools.stages.error_rows import CUT_OFF, NOT_APPLIED, UNSURE, Row
from agent_tools.stages.error_statuses import by_status

MAX_DEPTH = 8  # wrappers opened one after the other; the deepest met in the wild was five


def read_row(exc: BaseException, depth: int = 0) -> Row:
    """Return the row that fits an exception: library, then status attributes, then builtins.

    Example:
        >>> read_row(FileNotFoundError(13, "x")).code
        <ErrorCode.PERMISSION_DENIED: 'PERMISSION_DENIED'>
    """
    kind = kind_of(type(exc))
    if kind.library is not None:
        return _ask(kind.library, exc, depth)
    return by_status(exc) or _ask(kind.builtin, exc, depth)


def _ask(row: Row, exc: BaseException, depth: int) -> Row:
    if row.reader is None or depth > MAX_DEPTH:
        return row
    reader = READERS.get(row.reader)
    found = reader(exc) if reader is not None else OPENERS[row.reader](exc, depth)
    if found is None:
        return row
    if found.reader == "commit":
        return found._replace(outcome=UNSURE if is_committing(exc) else NOT_APPLIED)
    return found


def is_committing(exc: BaseException) -> bool:
    """Say whether a COMMIT was under way, from the functions of the traceback."""
    tb = exc.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_name in COMMITS:
            return True
        tb = tb.tb_next
    return False


def inner_errors(exc: BaseException) -> Iterator[BaseException]:
    """Yield the exceptions that a library keeps inside its own: reason, os_error, args, cause."""
    for name in ("reason", "os_error", "orig", "__cause__"):
        if isinstance(inner := peek(exc, name), BaseException):
            yield inner
    yield from (arg for arg in exc.args[:3] if isinstance(arg, BaseException))


def _wrapped(exc: BaseException, depth: int) -> Row | None:
    last = peek(peek(exc, "last_attempt"), "_exception")  # tenacity
    inner = last if isinstance(last, BaseException) else next(inner_errors(exc), None)
    return read_row(inner, depth + 1) if inner is not None else None


_TELLING = {"socket.gaierror", "ssl.SSLError", "urllib3.ReadTimeoutError", "urllib3.NewConnectionError"}


def _wire(exc: BaseException, depth: int) -> Row | None:
    # a name that does not exist and a certificate that does not hold stay so, whatever wraps them;
    # requests wraps a body that did not come in time as a connection error
    pending, seen = [exc], {id(exc)}
    while pending and len(seen) < 32:
        for inner in inner_errors(pending.pop()):
            if not _TELLING.isdisjoint(names_of(type(inner))):
                return read_row(inner, depth + 1)
            if id(inner) not in seen:
                seen.add(id(inner))
                pending.append(inner)
    return None


def _sqlstate(exc: BaseException, depth: int) -> Row | None:
    row = read_sqlstate(exc)
    if row is not None:
        return row
    cause = exc.__cause__  # django re-raises the driver's exception under its own names
    if cause is not None and sql_row(type(cause)) is not None:
        return read_row(cause, depth + 1)
    return None


def _sqlalchemy(exc: BaseException, depth: int) -> Row | None:
    orig = peek(exc, "orig")
    row = read_row(orig, depth + 1) if isinstance(orig, BaseException) else _sqlstate(exc, depth)
    if peek(exc, "connection_invalidated") is True and (row is None or row.code != CUT_OFF.code):
        return CUT_OFF
    return row


OPENERS: dict[str, Callable[[BaseException, int], Row | None]] = {
    "wrapped": _wrapped,
    "wire": _wire,
    "sqlstate": _sqlstate,
    "sqlalchemy": _sqlalchemy,
}
