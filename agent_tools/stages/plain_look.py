"""Say whether a value is plain JSON data as it stands.

A part of `plain_data`: what keeps clean results free of copies.
"""

from __future__ import annotations

from typing import Any

# orjson refuses more than 254 levels, json about 1000; the envelope and the store add a few
MAX_DEPTH = 100
# int -> str is refused beyond 4300 digits, which is 14284 bits
MAX_INT_BITS = 14_280


def is_plain(value: object, levels: int = MAX_DEPTH) -> bool:
    """Say whether a value is plain JSON data as it stands, at most so many levels deep.

    False also for containers that are met twice: they may be cycles.
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


def _is_plain_below(level: list[Any], levels: int) -> bool:
    for _ in range(levels):
        if len(level) > 1 and len({*map(id, level)}) < len(level):
            return False
        below: list[Any] = []
        for node in level:
            if not (_look_in_dict(node, below) if type(node) is dict else _look_in_list(node, below)):
                return False
        if not below:
            return True
        level = below
    return False


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
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
