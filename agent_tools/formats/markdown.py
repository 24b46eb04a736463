"""Markdown: records as a pipe table, an object as a list of its keys, below one line of JSON.

What it loses: types (7 and "7" read alike), and line breaks in cells, written `<br>`. Null and a missing
field are an empty cell, the empty text is `""`. Pipes and backslashes are escaped with a backslash. A list
or object in a cell is JSON. Text alone stands as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent_tools.formats.compact_json import dumps, head_line

_BREAK = re.compile(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")


def render(envelope: Mapping[str, Any]) -> str:
    """Render as a line of JSON and markdown.

    Example:
        >>> rows = [{"name": "a|b", "n": 1}, {"name": "x\\ny"}]
        >>> print(render({"status": "success", "meta": {}, "error": None, "data": rows}).partition("\\n")[2])
        | name | n |
        | --- | --- |
        | a\\|b | 1 |
        | x<br>y |  |
    """
    return "\n".join([head_line(envelope), *_body(envelope["data"])])


def _body(data: Any) -> Iterator[str]:
    if data is None or data == [] or data == {}:
        return
    if type(data) is str:
        yield data
    elif type(data) is dict:
        yield from (f"- {cell(key)}: {cell(value)}" for key, value in data.items())
    elif type(data) is list and all(type(row) is dict and row for row in data):
        yield from _table(data)
    elif type(data) is list:
        yield from (f"- {cell(item)}" for item in data)
    else:
        yield cell(data)


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    columns = list(dict.fromkeys(field for row in rows for field in row))
    yield _line(cell(column) for column in columns)
    yield _line("---" for _ in columns)
    for row in rows:
        yield _line(cell(row.get(column)) for column in columns)


def _line(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(value: Any) -> str:
    """Write one cell on one line.

    Example:
        >>> cell("a|b"), cell(None), cell(""), cell({"a": [1]})
        ('a\\\\|b', '', '""', '{"a":[1]}')
    """
    if value is None:
        return ""
    text = value if type(value) is str else dumps(value)
    if not text:
        return '""'
    return _BREAK.sub("<br>", text.replace("\\", "\\\\").replace("|", "\\|"))
