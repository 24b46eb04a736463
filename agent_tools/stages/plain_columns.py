"""Turn rows of one shape into plain data, a column at a time.

A part of `plain_data`. Rows of a database have dates and amounts in a few columns and nothing that a path has
to be kept for: converting a column takes a third of walking its cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import is_
from typing import Any

from agent_tools.columns import SCALARS, read_table
from agent_tools.result import Json
from agent_tools.stages.plain_look import are_finite, are_writable
from agent_tools.stages.plain_values import Fields


@dataclass(frozen=True, slots=True)
class Leaf:
    """Handles a type whose instances become one simpler value, mostly a text.

    Attributes:
        turn: Makes it; calling it twice does no harm.
    """

    turn: Callable[[Any], object]

    def __call__(self, walk: Any, value: Any) -> Json:
        """Return the plain data of one value."""
        return walk.opened(self.turn(value))  # type: ignore[no-any-return]  # a `Walk`, which imports this


def _nothing(walk: Any) -> None:
    """Note nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """Handles a type whose instances have named fields.

    Attributes:
        handle: Returns the plain data of one instance.
        read: Returns what stands for an instance, its `Fields` or a dict; calling it twice does no harm.
        note: Notes the marks of an instance at the current place.
    """

    handle: Callable[[Any, Any], Json]
    read: Callable[[Any], object]
    note: Callable[[Any], None] = _nothing

    def __call__(self, walk: Any, value: Any) -> Json:
        """Return the plain data of one instance."""
        return self.handle(walk, value)


def plain_rows(rows: list[Any], handlers: Mapping[type, object]) -> list[Any] | None:
    """Return rows of one shape as plain data, the same list when they were; None where it takes a walk.

    Args:
        rows: Dicts, tuples, lists, instances of one class, or values that become a text each.
        handlers: What handles which type; of `Leaf` and `Row` columns can be made.

    Example:
        >>> from datetime import date
        >>> plain_rows([(1, date(2031, 5, 1)), (2, None)], {date: Leaf(date.isoformat)})
        [[1, '2031-05-01'], [2, None]]
    """
    kind = type(rows[0])
    if kind is dict:
        plain = _dicts(rows, handlers)
    elif kind is tuple or kind is list:
        plain = _lists(rows, handlers)
    elif isinstance(handler := handlers[kind], Row):
        plain = _records(rows, handler, handlers)
    else:
        plain = _column(rows, {*map(type, rows)}, handlers) if isinstance(handler, Leaf) else None
    return plain if plain is not None and are_writable(plain) else None


def _dicts(rows: list[dict[Any, Any]], handlers: Mapping[type, object]) -> list[Any] | None:
    if {*map(type, rows)} != {dict}:
        return None
    # copies keep the order that each of them has, and no other thread changes them
    made = list(map(dict.copy, rows))
    table = read_table(made)
    if table is None:
        return None
    changed: dict[Any, list[Any]] = {}
    for name, cells in table.columns.items():
        plain = _column(cells, table.kinds[name], handlers)
        if plain is None:
            return None
        if plain is not cells:
            changed[name] = plain
    if not changed:
        return rows
    for name, cells in changed.items():
        for row, cell in zip(made, cells, strict=True):
            row[name] = cell
    return made


def _lists(rows: list[Any], handlers: Mapping[type, object]) -> list[Any] | None:
    if not rows[0] or len({*map(type, rows)}) > 1 or len({*map(len, rows)}) > 1:
        return None
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    made = [_column(cells, {*map(type, cells)}, handlers) for cells in columns]
    if any(cells is None for cells in made):
        return None
    if type(rows[0]) is list and all(map(is_, made, columns)):
        return rows
    return list(map(list, zip(*made, strict=True)))


def _records(rows: list[Any], handler: Row, handlers: Mapping[type, object]) -> list[Any] | None:
    if len({*map(type, rows)}) > 1:
        return None
    read: list[Any] = list(map(handler.read, rows))
    kinds = {*map(type, read)}
    if kinds == {dict}:
        return _dicts(read, handlers)
    if kinds != {Fields}:
        return None
    named: list[dict[Any, Any]] = list(map(dict, read))
    # a row of a database may have a name twice
    return _dicts(named, handlers) if list(map(len, named)) == list(map(len, read)) else None


def _column(cells: list[Any], kinds: set[type], handlers: Mapping[type, object]) -> list[Any] | None:
    """Return plain cells, the same list when they were; None where a cell needs its own place told."""
    others = kinds - SCALARS
    if others:
        kind = others.pop()
        handler = handlers[kind]
        if others or not isinstance(handler, Leaf):
            return None
        turn = handler.turn
        cells = [turn(cell) if type(cell) is kind else cell for cell in cells]
        kinds = {*map(type, cells)}
        if not kinds <= SCALARS:
            return None
    return cells if are_finite(cells, kinds) else None
