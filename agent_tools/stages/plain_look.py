"""Say whether a value is plain JSON data as it stands.

A part of `plain_data`: what keeps clean results free of copies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import isfinite
from typing import Any

from agent_tools.columns import BLOCK, MANY, SCALARS, Table, read_table, table_of

# orjson refuses more than 254 levels, json about 1000; the envelope and the store add a few
MAX_DEPTH = 100
# int -> str is refused beyond 4300 digits, which is 14284 bits
MAX_INT_BITS = 14_280
MAX_FIELDS = 40
LONG = 20_000  # characters of a text that is read by the Rust engine later


def is_plain(value: object, levels: int = MAX_DEPTH) -> bool:
    """Say whether a value is plain JSON data as it stands, at most so many levels deep.

    False also for containers of containers that are met twice: they may be cycles.
    """
    kind = type(value)
    if kind is not dict and kind is not list:
        return _is_plain_leaf(value)
    below: list[Any] = []
    try:
        if not (_look_in_dict(value, below) if kind is dict else _look_in_list(value, below)):  # type: ignore[arg-type]
            return False
        return not below or _is_plain_below(below, levels - 1)
    except RuntimeError:
        return False  # another thread changes a dict: the walk takes a snapshot


def texts_of_record(value: object) -> list[str] | None:
    """Return the texts of a small flat object that is plain JSON data; None where it takes a walk to know.

    It is what most calls take and return: one look for what is otherwise two walks.

    Example:
        >>> texts_of_record({"id": 7, "city": "Rome"}), texts_of_record({"ids": [7]})
        (['Rome'], None)
    """
    if type(value) is not dict or len(value) > MAX_FIELDS:
        return None
    texts: list[str] = []
    for key, item in value.items():
        kind = type(item)
        if type(key) is not str or not (key.isascii() or is_encodable(key)):
            return None
        if kind is str:
            if not item.isascii() and not is_encodable(item):
                return None
            texts.append(item)
        elif kind is int:
            if item.bit_length() > 63:  # orjson takes no longer ones
                return None
        elif kind is float:
            if item - item != 0.0:
                return None
        elif item is not None and kind is not bool:
            return None
    return texts


def _is_plain_below(level: list[Any], levels: int) -> bool:
    for _ in range(levels):
        below: list[Any] = []
        for at in range(0, len(level), BLOCK):
            block = level[at : at + BLOCK]
            if len(block) >= MANY and type(block[0]) is dict and _is_flat(block, read_table(block)):
                continue
            for node in block:
                if not (_look_in_dict(node, below) if type(node) is dict else _look_in_list(node, below)):
                    return False
        if not below:
            return True
        if len(level) > 1 and len({*map(id, level)}) < len(level):
            return False
        level = below
    return False


def _is_flat(rows: list[Any], table: Table | None) -> bool:
    """Say whether these are dicts of plain scalars; False means nothing, they may be plain all the same."""
    if table is None or not all(map(SCALARS.issuperset, table.kinds.values())):
        return False
    return are_writable(rows) and all(map(are_finite, table.columns.values(), table.kinds.values()))


def are_writable(rows: list[Any]) -> bool:
    """Say whether rows of scalars are plain, but for NaN and the infinities."""
    import orjson  # here: a small result needs none

    try:
        # of scalars it takes Unicode texts, integers of 64 bits and names of no class of their own only
        for at in range(0, len(rows), BLOCK):
            orjson.dumps(rows[at : at + BLOCK])
    except TypeError:
        return False
    return True


def are_finite(cells: list[Any], kinds: set[type]) -> bool:
    """Say whether no float among some scalars of these types is NaN or an infinity."""
    if float not in kinds:
        return True
    return isfinite(sum(cell for cell in cells if type(cell) is float) if len(kinds) > 1 else sum(cells))


def _look_in_dict(node: dict[Any, Any], below: list[Any]) -> bool:
    # written out twice and without calls: this loop is most of what a clean result costs
    for key, item in node.items():
        if type(key) is not str or not (key.isascii() or is_encodable(key)):
            return False
        kind = type(item)
        if kind is str:
            if not item.isascii() and not is_encodable(item):
                return False
        elif kind is int:
            if item.bit_length() > MAX_INT_BITS:
                return False
        elif kind is float:
            if item - item != 0.0:  # NaN and the infinities
                return False
        elif kind is dict or kind is list:
            below.append(item)
        elif item is not None and kind is not bool:
            return False
    return True


def _look_in_list(node: list[Any], below: list[Any]) -> bool:
    if len(node) >= MANY and type(node[0]) is dict and _is_flat(node, table_of(node)):
        below.append(node[0])  # stands for all of them: a level more
        return True
    for item in node:
        kind = type(item)
        if kind is dict or kind is list:
            below.append(item)
        elif kind is str:
            if not item.isascii() and not is_encodable(item):
                return False
        elif kind is int:
            if item.bit_length() > MAX_INT_BITS:
                return False
        elif kind is float:
            if item - item != 0.0:
                return False
        elif item is not None and kind is not bool:
            return False
    return True


def _is_plain_leaf(value: Any) -> bool:
    kind = type(value)
    if kind is str:
        return value.isascii() or is_encodable(value)
    if kind is int:
        return bool(value.bit_length() <= MAX_INT_BITS)
    if kind is float:
        return bool(value - value == 0.0)
    return value is None or kind is bool


def is_encodable(text: str) -> bool:
    if len(text) > LONG:
        return _validate()(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@cache
def _validate() -> Callable[[str], bool]:
    """Return what tells whether a text can be encoded, and leaves it encoded for the Rust engine."""
    from pydantic_core import SchemaValidator, core_schema  # a short text needs none

    return SchemaValidator(core_schema.str_schema(pattern="", regex_engine="rust-regex")).isinstance_python
