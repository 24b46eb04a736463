"""Which type becomes what: the handlers, their tables and the search for the nearest row.

A part of `plain_data`. A type is looked up once: a registered name, then enums and exceptions, then the table
by name, then records, then what the type can do, then entry points; what is left is refused.
"""

from __future__ import annotations

import functools
import os
from collections.abc import (
    Callable,
    Collection,
    ItemsView,
    Iterable,
    Iterator,
    KeysView,
    Mapping,
    Set,
    ValuesView,
)
from enum import Enum
from typing import Any

from agent_tools.converters import find_converter
from agent_tools.errors import ToolError
from agent_tools.result import Json
from agent_tools.stages.plain_columns import Leaf, Row
from agent_tools.stages.plain_frames import CELLS, FRAMES
from agent_tools.stages.plain_look import MAX_DEPTH, MAX_INT_BITS, is_encodable, is_plain
from agent_tools.stages.plain_records import HiddenValue, RecordPlan, plan_record
from agent_tools.stages.plain_values import (
    REFUSED,
    SECRET_TEXT,
    SECRETS,
    SHORT_BYTES,
    VALUES,
    Fields,
    from_bytes,
    from_enum,
)
from agent_tools.stages.plain_walk import Handler, Walk, type_name

# --- handlers: `(walk, value) -> plain data`, one per type


def _same(walk: Walk, value: Any) -> Json:
    return value  # type: ignore[no-any-return]


def _text(walk: Walk, value: str) -> Json:
    text = value if type(value) is str else str.__str__(value)
    if text.isascii() or is_encodable(text):
        return text
    walk.notes.lose(walk.trail)
    # a pair of halves is joined to its character; a half alone becomes U+FFFD
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _integer(walk: Walk, value: int) -> Json:
    number = value if type(value) is int else int.__pos__(value)
    if number.bit_length() <= MAX_INT_BITS:
        return number
    walk.notes.lose(walk.trail)
    return hex(number)


def _number(walk: Walk, value: float) -> Json:
    number = value if type(value) is float else float.__pos__(value)
    if number - number == 0.0:
        return number
    walk.notes.lose(walk.trail)
    return None


def _bytes(walk: Walk, value: bytes) -> Json:
    if len(value) > SHORT_BYTES:
        walk.leave_out("bytes", 0, len(value))
    return from_bytes(bytes(value))  # type: ignore[return-value]


def _secret(walk: Walk, value: object) -> Json:
    walk.notes.hide(walk.trail)
    return SECRET_TEXT


def _refuse(walk: Walk, value: object) -> Json:
    raise walk.refusal(value)


def _list(walk: Walk, value: list[Any]) -> Json:
    # one level down a second quick look pays: `{"at": datetime, "rows": [... plain ...]}`
    if len(walk.trail) == 1 and is_plain(value, MAX_DEPTH - 1):
        walk.height = MAX_DEPTH
        return value
    return walk.inside(value, walk.list_of)


def _dict(walk: Walk, value: dict[Any, Any]) -> Json:
    return walk.inside(value, walk.dict_of)


def _listed(walk: Walk, value: Iterable[Any]) -> Json:
    return walk.inside(value, lambda items: walk.list_of(list(items)))


def _mapping(walk: Walk, value: Mapping[Any, Any]) -> Json:
    return walk.inside(value, lambda mapping: walk.object_of(list(mapping.items())))


def _fields(walk: Walk, value: Fields) -> Json:
    return walk.inside(value, walk.object_of)


def _set(walk: Walk, value: Iterable[Any]) -> Json:
    return walk.inside(value, walk.set_of)


def _drawn(walk: Walk, value: Iterable[Any]) -> Json:
    return walk.inside(value, walk.drawn_from)


def _collection(walk: Walk, value: Collection[Any]) -> Json:
    return walk.inside(value, lambda rows: walk.drawn_from(rows, len(rows)))


def _range(walk: Walk, value: range) -> Json:
    # len() overflows for a range beyond sys.maxsize
    total = max(0, -((value.start - value.stop) // value.step))
    return walk.inside(value, lambda rows: walk.drawn_from(rows, total))


def _cursor(walk: Walk, value: Any) -> Json:
    names = [column[0] for column in value.description or ()]

    def named(row: Any) -> object:
        return Fields(zip(names, row, strict=True)) if type(row) is tuple else row

    return walk.inside(value, lambda cursor: walk.drawn_from(cursor, None, named))


def _exception(walk: Walk, value: BaseException) -> Json:
    try:
        message = str(value)
    except Exception:  # noqa: BLE001 - any __str__ may run here, and the type still says something
        message = ""
    fields: list[tuple[object, object]] = [("type", type_name(value)), ("message", message)]
    if isinstance(value, BaseExceptionGroup):
        fields.append(("exceptions", list(value.exceptions)))
    return walk.inside(value, lambda _: walk.object_of(fields))


def _converted(cls: type) -> Handler | None:
    """Return the handler of a native result that may stand inside data: a response, a process, a hit."""
    convert = find_converter(cls, inside=True)
    if convert is None:
        return None

    def turn(value: Any) -> object:
        try:
            return convert(value).value  # type: ignore[union-attr]  # an awaitable has no value: it is refused
        except ToolError as error:
            # one of several that failed is data here
            told = {"error": {"code": str(error.code or ""), "message": error.message}}
            return {**(error.meta or {}), **told, "data": error.data}

    return _make_opened(turn)


def _make_opened(turn: Callable[[Any], object]) -> Handler:
    return lambda walk, value: walk.inside(value, lambda whole: walk.opened(turn(whole)), steps=0)


def _make_row(turn: Callable[[Any], Fields]) -> Handler:
    return Row(_make_opened(turn), turn)


def _make_record(plan: RecordPlan) -> Handler:
    def note(walk: Walk) -> None:
        for pattern, marks in plan.marks.items():
            walk.notes.mark([*walk.trail, *pattern], marks)

    if plan.dump is None:
        return Row(
            lambda walk, value: walk.inside(value, lambda record: walk.record_of(record, plan)),
            lambda record: {name: plan.read(record, name) for name in plan.names(record)},
            note,
        )
    opened = _make_opened(plan.dump)

    def handle(walk: Walk, value: Any) -> Json:
        note(walk)
        return opened(walk, value)

    return Row(handle, plan.dump, note)


# --- which handler


def _range_of_database(value: Any) -> dict[str, object]:
    """Return a range of PostgreSQL as SQLAlchemy's own dataclass has it."""
    bounds = f"{'[' if value.lower_inc else '('}{']' if value.upper_inc else ')'}"
    return {"lower": value.lower, "upper": value.upper, "bounds": bounds, "empty": value.isempty}


OPENED: dict[str, Callable[[Any], object]] = {
    **dict.fromkeys(("psycopg.Range", "psycopg2.Range", "asyncpg.Range"), _range_of_database),
    "types.SimpleNamespace": lambda value: dict(vars(value)),
    "wrapt.ObjectProxy": lambda proxy: proxy.__wrapped__,
    "wrapt.BaseObjectProxy": lambda proxy: proxy.__wrapped__,
    "agent_tools.ToolResult": lambda result: result.to_dict(),
    "collections.UserList": lambda value: value.data,
    "_io.BytesIO": lambda file: file.getvalue(),
    "_io.StringIO": lambda file: file.getvalue(),
    **FRAMES,
}

# Rows of a database, which may have a name twice.
ROWS: dict[str, Callable[[Any], Fields]] = {
    "sqlite3.Row": lambda row: Fields(zip(row.keys(), tuple(row), strict=True)),
    "sqlalchemy.Row": lambda row: Fields(zip(row._fields, tuple(row), strict=True)),
    "asyncpg.Record": lambda row: Fields(row.items()),
}

# Subclasses of builtins; a record may be one, too, and is a record then.
BASES: dict[str, Handler] = {
    "builtins.str": _text,
    "builtins.int": _integer,
    "builtins.float": _number,
    "builtins.bytes": _bytes,
    "builtins.list": _listed,
    "builtins.tuple": _listed,
}

# By qualified name, along the MRO: the nearest class with a row decides. Before records, because a URL of
# SQLAlchemy is a named tuple with the password as a field.
NAMED: dict[str, Handler] = {
    "builtins.range": _range,
    "collections.deque": _listed,
    "array.array": _listed,
    **{name: Leaf(turn) for name, turn in (VALUES | CELLS).items()},
    **{name: _make_opened(turn) for name, turn in OPENED.items()},
    **{name: _make_row(turn) for name, turn in ROWS.items()},
    **dict.fromkeys(SECRETS, _secret),
    **dict.fromkeys(REFUSED, _refuse),
}

# By what a type can do, in this order; the first is a cursor of PEP 249.
PROTOCOLS: tuple[tuple[Callable[[type], bool], Handler], ...] = (
    (lambda cls: all(hasattr(cls, name) for name in ("fetchmany", "description", "__iter__")), _cursor),
    (lambda cls: issubclass(cls, Mapping), _mapping),
    (lambda cls: issubclass(cls, (KeysView, ItemsView, ValuesView)), _listed),
    (lambda cls: issubclass(cls, Set), _set),
    (lambda cls: hasattr(cls, "__array__"), _make_opened(lambda value: value.__array__())),
    (lambda cls: issubclass(cls, Iterator), _drawn),
    (lambda cls: issubclass(cls, Collection), _collection),
    (lambda cls: hasattr(cls, "__fspath__"), Leaf(os.fspath)),
)

BUILTINS: dict[type, Handler] = {
    type(None): _same,
    bool: _same,
    str: _text,
    int: _integer,
    float: _number,
    list: _list,
    dict: _dict,
    tuple: _listed,
    set: _set,
    frozenset: _set,
    bytes: _bytes,
    Fields: _fields,
    HiddenValue: _secret,
}
REGISTERED: dict[str, Handler] = {}
MAX_HANDLERS = 4096


class Handlers(dict[type, Handler]):
    """The handlers of the types met so far; a type met first is looked up."""

    def __missing__(self, cls: type) -> Handler:
        handler = _look_up(cls)
        if len(self) >= MAX_HANDLERS:
            self.forget()  # classes made at run time must not pile up
        self[cls] = handler
        return handler

    def forget(self) -> None:
        """Forget all types but the builtins."""
        for cls in self.keys() - BUILTINS.keys():
            self.pop(cls, None)


HANDLERS = Handlers(BUILTINS)


def register_name(name: str, turn: Callable[[Any], object]) -> None:
    """Add a row that wins over all other rules but those of the builtins."""
    REGISTERED[name] = _make_opened(turn)
    HANDLERS.forget()


def _look_up(cls: type) -> Handler:
    if (own := _by_name(cls, REGISTERED)) is not None:
        return own
    if issubclass(cls, type):
        return _refuse  # a class is no data, though an Enum class can be iterated
    if issubclass(cls, Enum):
        return Leaf(from_enum)
    if issubclass(cls, BaseException):
        return _exception
    if (named := _by_name(cls, NAMED)) is not None:
        return named
    if (converted := _converted(cls)) is not None:
        return converted  # before records: a hit of LlamaIndex is one of pydantic
    if (plan := plan_record(cls)) is not None:
        return _make_record(plan)
    if (base := _by_name(cls, BASES)) is not None:
        return base
    for fits, handler in PROTOCOLS:
        if fits(cls):
            return handler
    return _by_name(cls, _entry_points()) or _refuse


def _by_name(cls: type, rows: Mapping[str, Handler]) -> Handler | None:
    for base in cls.__mro__ if rows else ():
        module, name = base.__module__, base.__qualname__
        handler = rows.get(f"{module}.{name}") or rows.get(f"{module.partition('.')[0]}.{name}")
        if handler is not None:
            return handler
    return None


@functools.cache
def _entry_points() -> dict[str, Handler]:
    # read only before a type would be refused: it costs milliseconds
    from importlib.metadata import entry_points

    return {point.name: _make_opened(point.load()) for point in entry_points(group="agent_tools.plain_data")}
