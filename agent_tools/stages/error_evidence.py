"""Look at one exception: its class's row, and what the instance itself says.

In:   an exception.
Out:  the row of `error_table` or `error_numbers` that fits it best.
Cost: two dictionary look-ups for a class seen before, then the attributes that its row asks for.

Never is a message read.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import NamedTuple

from agent_tools.foreign import peek
from agent_tools.stages.error_numbers import COMMITS
from agent_tools.stages.error_readers import READERS, read_sqlstate
from agent_tools.stages.error_rows import CUT_OFF, NOT_APPLIED, UNSURE, Row
from agent_tools.stages.error_statuses import by_status
from agent_tools.stages.error_table import GENERIC_WRAPPERS, SQL_NAMES, TYPES

MAX_DEPTH = 8  # wrappers opened one after the other; the deepest met in the wild was five


class Kind(NamedTuple):
    """What is known of a class.

    Attributes:
        library: The most specific row of a library.
        builtin: The row of the built-in class below it.
        is_generic: Nothing more specific than Exception or RuntimeError is known.
        is_value_error: The built-in class is ValueError.
    """

    library: Row | None
    builtin: Row
    is_generic: bool
    is_value_error: bool


# weak, so that classes made at run time can go; values hold no class
_KINDS: weakref.WeakKeyDictionary[type, Kind] = weakref.WeakKeyDictionary()


def names_of(cls: type) -> Iterator[str]:
    """Yield `root.ClassName` along the MRO.

    Example:
        >>> list(names_of(FileNotFoundError))[:2]
        ['builtins.FileNotFoundError', 'builtins.OSError']
    """
    for base in cls.__mro__:
        root = str(getattr(base, "__module__", "")).partition(".")[0]
        yield f"{root}.{base.__name__}"


def kind_of(cls: type) -> Kind:
    """Return what is known of a class, from a cache after the first time."""
    try:
        return _KINDS[cls]
    except KeyError:
        kind = _KINDS[cls] = _look_up(cls)
        return kind


def _look_up(cls: type) -> Kind:
    known = [name for name in names_of(cls) if name in TYPES]
    library = next((TYPES[name] for name in known if not name.startswith("builtins.")), None)
    builtin = next((name for name in known if name.startswith("builtins.")), "builtins.BaseException")
    if library is None:
        library = _sql_row(cls)
    return Kind(
        library,
        TYPES[builtin],
        library is None and builtin in GENERIC_WRAPPERS,
        library is None and builtin == "builtins.ValueError",
    )


def _sql_row(cls: type) -> Row | None:
    # a driver without rows: PEP 249 names, one of them the common base in the same package
    names = list(names_of(cls))
    for name in names:
        root, _, own = name.partition(".")
        if own in SQL_NAMES and own != "Error" and f"{root}.Error" in names and root != "builtins":
            return SQL_NAMES[own]
    return None


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


_TELLING = {"socket.gaierror", "ssl.SSLError", "urllib3.ReadTimeoutError"}


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
    if cause is not None and _sql_row(type(cause)) is not None:
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
