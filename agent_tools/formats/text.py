"""Plain text: `key: value` lines, records apart by a blank line, below one line of JSON.

What it loses: types (7 and "7", null and "null" read alike) and, where a text holds line breaks, its
indentation is two spaces deeper than written. Text alone stands as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agent_tools.formats.compact_json import dumps, head_line

MAX_DEPTH = 40


def render(envelope: Mapping[str, Any]) -> str:
    """Render as a line of JSON and `key: value` lines.

    Example:
        >>> data = [{"id": 1, "to": {"city": "Rome"}}, {"id": 2, "tags": ["a", "b"]}]
        >>> print(render({"status": "success", "meta": {}, "error": None, "data": data}).partition("\\n")[2])
        id: 1
        to:
          city: Rome
        <BLANKLINE>
        id: 2
        tags: a, b
    """
    data = envelope["data"]
    head = head_line(envelope)
    if data is None or data == [] or data == {}:
        return head
    if type(data) is list and any(type(row) is dict for row in data):
        return head + "\n" + "\n\n".join("\n".join(_lines(row, 0)) for row in data)
    return head + "\n" + "\n".join(_lines(data, 0))


def _lines(value: Any, depth: int) -> Iterator[str]:
    if type(value) is dict and value and depth < MAX_DEPTH:
        for key, item in value.items():
            yield from _pair(str(key), item, depth)
    elif type(value) is list and value and depth < MAX_DEPTH:
        for item in value:
            yield from _item(item, depth)
    else:
        yield _one_line(value)


def _pair(key: str, value: Any, depth: int) -> Iterator[str]:
    key = key.replace("\n", " ")
    if type(value) is list and value and all(_is_short(item) for item in value):
        yield f"{key}: {', '.join(map(_one_line, value))}"
    elif isinstance(value, dict | list) and value and depth < MAX_DEPTH:
        yield f"{key}:"
        yield from _indent(_lines(value, depth + 1))
    elif type(value) is str and "\n" in value:
        yield f"{key}:"
        yield from _indent(iter(value.split("\n")))
    else:
        yield f"{key}: {_one_line(value)}"


def _item(value: Any, depth: int) -> Iterator[str]:
    lines = _lines(value, depth + 1)
    if depth == 0 and not isinstance(value, dict | list):
        yield from lines
    else:
        yield f"- {next(lines)}"
        yield from _indent(lines)


def _is_short(value: Any) -> bool:
    if type(value) is str:
        return len(value) <= 40 and "\n" not in value and "," not in value
    return not isinstance(value, dict | list)


def _indent(lines: Iterator[str]) -> Iterator[str]:
    return ("  " + line for line in lines)


def _one_line(value: Any) -> str:
    return value if type(value) is str else dumps(value)
