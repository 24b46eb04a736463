"""Make plain JSON data of whatever stands in a log record, without ever failing.

Not the conversion of results, which keeps every detail and reports what it can't: a record has passed
that one already. This is the net below it, so that one odd value does not lose the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from uuid import UUID

from agent_tools.result import Json

_MAX_DEPTH = 60
# values that hold one another unfold into every path between them, so the walk is bounded
_MAX_NODES = 200_000
_INT_64 = 1 << 63
_TEXTS = (Decimal, PurePath, UUID)


def to_plain(value: object) -> Json:
    r"""Return plain JSON data for any value; an object without a JSON form becomes its type's name.

    Example:
        >>> to_plain({1: {2, 3}, "big": 2**70, "text": "a\ud800", "it": object()})
        {'1': [2, 3], 'big': '1180591620717411303424', 'text': 'a\ufffd', 'it': '<object>'}
    """
    return _convert(value, 0, [_MAX_NODES], ())


def to_text(text: str) -> str:
    """Replace lone surrogates, which UTF-8 has no bytes for; pairs become the character that they mean."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return str(text)


def _convert(value: object, depth: int, nodes_left: list[int], parents: tuple[int, ...]) -> Json:
    nodes_left[0] -= 1
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, str):
        return to_text(value)
    if isinstance(value, int):
        return _number(int(value))
    if isinstance(value, (Mapping, list, tuple, set, frozenset)):
        if id(value) in parents:
            return "<cycle>"
        if depth >= _MAX_DEPTH or nodes_left[0] <= 0:
            return f"<{type(value).__name__}>"
        return _container(value, depth + 1, nodes_left, (*parents, id(value)))
    return _other(value)


def _container(value: object, depth: int, nodes_left: list[int], parents: tuple[int, ...]) -> Json:
    if isinstance(value, Mapping):
        return {_key(key): _convert(item, depth, nodes_left, parents) for key, item in value.items()}
    assert isinstance(value, (list, tuple, set, frozenset))
    return [_convert(item, depth, nodes_left, parents) for item in value]


def _number(value: int) -> Json:
    # digits as text: readers that know only 64 bits would round them
    if -_INT_64 <= value < 2 * _INT_64:
        return value
    return str(value) if value.bit_length() < 10_000 else f"<int of {value.bit_length()} bits>"


def _key(key: object) -> str:
    plain = _convert(key, _MAX_DEPTH, [1], ())
    return plain if isinstance(plain, str) else str(plain)


def _other(value: object) -> Json:
    try:
        if isinstance(value, Enum):
            return to_text(value.name)
        if isinstance(value, (date, time)):
            return value.isoformat()
        if isinstance(value, _TEXTS):
            return to_text(str(value))
        if isinstance(value, (bytes, bytearray, memoryview)):
            return f"<{type(value).__name__} of {len(value)} bytes>"
    except Exception:  # noqa: BLE001 - a value's own methods may raise anything; its type still tells
        return f"<{type(value).__name__}>"
    return f"<{type(value).__name__}>"
