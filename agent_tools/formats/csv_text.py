"""CSV after RFC 4180, below one line of JSON with status, meta and error.

What it loses: types (7 and "7" read alike; true is written True). Null and a missing field are an empty
cell, the empty text is `""`: the rule by which they stay apart. Where a null would be the only cell of its
line it is written `null`, since a blank line is no record. A list or object in a cell is JSON.
A text that a spreadsheet would run as a formula gets a `'` in front (OWASP, CSV injection); plain numbers
do not. Columns are those of all records, in the order of their first appearance; a row that is no
record stands in the column `value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from agent_tools.formats.compact_json import dumps, head_line

_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
BARE = "value"


def render(envelope: Mapping[str, Any]) -> str:
    """Render as a line of JSON and CSV.

    Example:
        >>> rows = [{"name": "A, Inc", "n": None}, {"name": "=1+1", "note": ""}]
        >>> render({"status": "success", "meta": {}, "error": None, "data": rows}).splitlines()[1:]
        ['name,n,note', '"A, Inc",,', '\\'=1+1,,""']
    """
    lines = list(csv_lines(envelope["data"]))
    return "\n".join([head_line(envelope), "\r\n".join(lines)]) if lines else head_line(envelope)


def csv_lines(data: Any) -> Iterable[str]:
    """Yield the header and one line per record, without line ends."""
    rows = [row if type(row) is dict and row else {BARE: row} for row in _as_rows(data)]
    columns = list(dict.fromkeys(field for row in rows for field in row))
    if not columns:
        return
    yield ",".join(cell(column) for column in columns)
    for row in rows:
        line = ",".join(cell(row.get(column)) for column in columns)
        yield line or "null"


def _as_rows(data: Any) -> list[Any]:
    if type(data) is list:
        return data
    return [] if data is None or data == {} else [data]


def cell(value: Any) -> str:
    """Write one cell, quoted and disarmed where needed.

    Example:
        >>> cell("a\\nb"), cell(""), cell(None), cell(False), cell([1]), cell("@x"), cell("-5")
        ('"a\\nb"', '""', '', 'False', '[1]', "'@x", '-5')
    """
    if value is None:
        return ""
    if type(value) is not str:
        return str(value) if isinstance(value, bool) else _quote(dumps(value))
    if value.lstrip()[:1] in _FORMULA and value.strip() and not _NUMBER.fullmatch(value):
        value = "'" + value
    return _quote(value)


def _quote(text: str) -> str:
    if text and not _QUOTED.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'
