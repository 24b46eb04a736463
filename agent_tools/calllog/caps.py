"""Shorten what a log line takes from a call: its arguments and the prompt text.

In:   redacted plain JSON data, of any size.
Out:  the same, or a shortened copy that still tells what kind of value it was and how large.
Cost: one orjson.dumps of the arguments (0.3 us for 300 bytes, 5 ms for 5 MB); what is too large is
      walked as far as its cap.

In a shortened copy a text ends in `… (5000000 characters)`, a list in `… 100000 items`, and an object
has a key `…` with the number of its keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import orjson

from agent_tools.calllog.plain import to_plain, to_text
from agent_tools.result import Json

VALUE_BYTES = 2_048
ARGUMENTS_BYTES = 8_192
PROMPT_BYTES = 16_384
PREVIEW_CHARACTERS = 2_000

_HEAD_BYTES = 12_288
_KEY_CHARACTERS = 100
_KEYS = 200
_ITEMS = 3
_MARK_BYTES = 48
_SAMPLE_ITEMS = 100
_ESTIMATED_DEPTH = 6

Shape: TypeAlias = "str | dict[str, Shape]"


def cap_arguments(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], int, bool]:
    """Bring arguments down to 2 kB a value and 8 kB in all.

    Returns: the arguments (or a shortened copy), the size of the whole as JSON in bytes, and whether
        something was left out. Small values are kept whole and readable beside large ones.

    Example:
        >>> cap_arguments({"path": "a.txt", "limit": 3})
        ({'path': 'a.txt', 'limit': 3}, 26, False)
        >>> capped, size, _ = cap_arguments({"path": "a.txt", "content": "c" * 5_000_000})
        >>> capped["path"], capped["content"][-22:], size
        ('a.txt', '… (5000000 characters)', 5000029)
    """
    whole: Any = arguments if type(arguments) is dict else dict(arguments)
    try:
        size = len(orjson.dumps(whole))
    except TypeError:
        whole = to_plain(whole)
        size = len(orjson.dumps(whole))
    if size <= VALUE_BYTES:
        return whole, size, False
    # a fifth less than allowed: keys, quotes and marks come on top
    parts = {name: shorten(value, VALUE_BYTES) for name, value in list(whole.items())[:_KEYS]}
    short, too_many = shorten({name: part for name, (part, _) in parts.items()}, ARGUMENTS_BYTES)
    assert isinstance(short, dict)
    left_out = len(parts) < len(whole)
    if left_out:
        short["…"] = f"{len(whole)} keys"
    return short, size, too_many or left_out or any(cut for _, cut in parts.values())


def cap_prompt(text: str, mode: str | bool) -> tuple[str | None, bool]:
    """Bring the prompt text down to what the setting `log` keeps of it.

    Args:
        text: What the model saw.
        mode: `"full"` keeps up to 16 kB, then head and tail; `"preview"` the first 2,000 characters;
            `"none"` and False nothing.

    Returns: the text or None, and whether something was left out.

    Example:
        >>> cap_prompt("short", "full")
        ('short', False)
        >>> cap_prompt("p" * 3000, "preview")[1]
        True
    """
    if mode == "preview":
        return text[:PREVIEW_CHARACTERS], len(text) > PREVIEW_CHARACTERS
    if mode != "full":
        return None, False
    # a character takes at most 4 bytes, so most texts need no encoding to be measured
    if len(text) * 4 <= PROMPT_BYTES or (len(text) <= PROMPT_BYTES and len(_encode(text)) <= PROMPT_BYTES):
        return text, False
    head = _encode(text[:_HEAD_BYTES])[:_HEAD_BYTES].decode("utf-8", "ignore")
    tail_bytes = PROMPT_BYTES - _HEAD_BYTES - 100
    tail = _encode(text[-tail_bytes:])[-tail_bytes:].decode("utf-8", "ignore")
    return f"{head}\n… {len(text) - len(head) - len(tail)} characters left out …\n{tail}", True


def shape_of(value: object, depth: int = 0) -> Shape:
    """Describe a value by types and sizes only, for `log_arguments="shape"`.

    Example:
        >>> shape_of({"city": "Reykjavik", "limit": 3, "ids": [1, 2]})
        {'city': 'str(9)', 'limit': 'int', 'ids': 'list(2)'}
    """
    if isinstance(value, Mapping):
        if depth >= 3 or len(value) > 50:
            return f"dict({len(value)})"
        return {to_text(str(key))[:_KEY_CHARACTERS]: shape_of(item, depth + 1) for key, item in value.items()}
    if value is None:
        return "null"
    sized = isinstance(value, (str, bytes, bytearray, list, tuple, set, frozenset))
    name = type(value).__name__
    return f"{name}({len(value)})" if sized else name  # type: ignore[arg-type]  # sized says so


def estimate_bytes(value: Json, total: object = None, depth: int = 0) -> int:
    """Estimate the bytes of JSON of a value from a sample of it.

    Args:
        value: Plain JSON data of any size.
        total: How many items a list really has, when the value holds only the first of them.
        depth: How deep the value stands.

    Example:
        >>> estimate_bytes([{"id": 1}] * 10_000), estimate_bytes([1, 2], 2_000), estimate_bytes("text")
        (90001, 4001, 6)
    """
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, (list, dict)) and value and depth < _ESTIMATED_DEPTH:
        items = value if isinstance(value, list) else list(value.values())
        names = sum(len(key) + 3 for key in value) if isinstance(value, dict) else 0
        sample = items[:: max(len(items) // _SAMPLE_ITEMS, 1)]
        mean = sum(estimate_bytes(item, None, depth + 1) for item in sample) / len(sample)
        n = total if type(total) is int and total > len(items) and isinstance(value, list) else len(items)
        return 1 + names + round((mean + 1) * n)
    return len(to_text(str(value))) if not isinstance(value, (list, dict)) else 2


def shorten(value: Json, room: int) -> tuple[Json, bool]:
    """Bring a value down to about `room` bytes of JSON.

    Args:
        value: Plain JSON data of any size; looked at only as far as `room` reaches.
        room: Bytes of JSON to aim at, at least some 50.

    Returns: the value itself when it fits, else a shortened copy, and whether it was shortened.

    Example:
        >>> shorten({"k": ["v"] * 100_000, "issue": 2431}, 300)
        ({'k': ['v', 'v', 'v', '… 100000 items'], 'issue': 2431}, True)
    """
    if _size(value, room) <= room:
        return value, False
    if isinstance(value, str):
        return _shorten_text(value, room), True
    if isinstance(value, (list, tuple)):
        items = [shorten(item, room // (_ITEMS + 1))[0] for item in value[:_ITEMS]]
        return [*items, f"… {len(value)} items"], True
    if isinstance(value, dict):
        return _shorten_object(value, room), True
    return f"<{type(value).__name__}>", True


def _shorten_text(text: str, room: int) -> str:
    keep = max(room - _MARK_BYTES, 0)
    start = text[:keep]
    while start and (size := len(orjson.dumps(to_text(start)))) > keep:
        start = start[: min(len(start) - 1, len(start) * keep // size)]
    return f"{to_text(start)}… ({len(text)} characters)"


def _shorten_object(value: dict[str, Json], room: int) -> dict[str, Json]:
    names = list(value)[: min(_KEYS, max(room // 20, 1))]
    room -= _MARK_BYTES + sum(min(len(name), _KEY_CHARACTERS) + 4 for name in names)
    shares = _share([_size(value[name], room) for name in names], room)
    short = {
        name[:_KEY_CHARACTERS]: shorten(value[name], max(share, _MARK_BYTES))[0]
        for name, share in zip(names, shares, strict=True)
    }
    if len(names) < len(value):
        short["…"] = f"{len(value)} keys"
    return short


def _share(sizes: list[int], room: int) -> list[int]:
    """Divide room so that what is small is kept whole and the large ones share the rest."""
    shares = [0] * len(sizes)
    left = room
    for done, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[place] = min(sizes[place], left // (len(sizes) - done))
        left -= shares[place]
    return shares


def _size(value: Json, limit: int) -> int:
    """Return the bytes of JSON, or more than `limit` as soon as that is certain: O(limit)."""
    total = 0
    waiting = [value]
    while waiting and total <= limit:
        item = waiting.pop()
        if isinstance(item, str):
            total += len(item) + 2 if len(item) > limit else len(orjson.dumps(to_text(item)))
        elif isinstance(item, dict):
            total += 2 + sum(len(key) + 4 for key in item) if len(item) <= limit else limit + 1
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            total += 2 + len(item)
            # every item takes two bytes at least, so further ones can't change the answer
            waiting.extend(item[:limit])
        else:
            total += 20
    return total


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "replace")
