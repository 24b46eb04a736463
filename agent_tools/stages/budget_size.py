"""How long a value is as JSON, never looking further than needed. A part of `budget`."""

from __future__ import annotations

import orjson

from agent_tools.result import Json

MAX_DEPTH = 60
_WORD_LENGTH = {type(None): 4, bool: 5}
# rows that are rendered at once to learn how long they are; one, two, four at first
MOST_ROWS = 64


def is_within(value: Json, limit: int) -> bool:
    """Say whether a value takes at most so many bytes as compact JSON, but for the keys of objects.

    True also where it is a little longer: numbers in objects count as one byte. Cost: that of orjson up to
    the limit, and at most twice as many rows.

    Example:
        >>> is_within([{"id": 1}, {"id": 2}], 30), is_within([{"id": n} for n in range(100_000)], 30)
        (True, False)
    """
    try:
        return _grown(0, value, limit) <= limit
    except TypeError:  # an integer over 64 bits
        return measure(value, limit) <= limit


def _grown(size: int, value: Json, limit: int) -> int:
    """Return the size with that of a value added, or any size over the limit."""
    if isinstance(value, str):
        return size + len(value)
    if isinstance(value, dict):
        for item in value.values():
            size = _grown(size, item, limit) if isinstance(item, (str, dict, list)) else size + 1
            if size > limit:
                break
        return size
    if not isinstance(value, list):
        return size + len(orjson.dumps(value))
    at, n = 0, 1
    while at < len(value) and size <= limit:
        # the brackets and all commas but one are counted as well
        size += len(orjson.dumps(value[at : at + n])) - 1
        at, n = at + n, min(2 * n, MOST_ROWS)
    return size


def measure(value: Json, cap: int, depth: int = 0) -> int:
    """Return the characters of `value` as compact JSON; past `cap` any number over `cap`.

    Near enough to choose by, not exact: escapes are not counted. Cost: about 0.1 us per leaf, O(cap).

    Example:
        >>> measure({"a": [1, "xy", None]}, 100)
        21
        >>> measure(["x" * 50] * 1000, 100) > 100
        True
    """
    kind = type(value)
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, dict):
        if depth > MAX_DEPTH:
            return cap + 1
        size = 2
        for key, item in value.items():
            size += len(key) + 4 + measure(item, cap - size, depth + 1)
            if size > cap:
                return size
        return size
    if isinstance(value, list):
        if depth > MAX_DEPTH or 2 * len(value) > cap:
            return cap + 1 if value else 2
        size = 2
        for item in value:
            size += 1 + measure(item, cap - size, depth + 1)
            if size > cap:
                return size
        return size
    if kind in _WORD_LENGTH:
        return _WORD_LENGTH[kind]
    return _digits(value)


def _digits(value: object) -> int:
    if isinstance(value, int) and value.bit_length() > 200:
        return value.bit_length() // 3
    return len(repr(value))
