"""Project records that stand in a text, and tables that name their columns once: a part of `views`.

In:   a text or a table, and how a record is projected.
Out:  the same without what the reader may not see, in the same form; the same object where nothing is hidden.
Cost: only paid for a text that has the name of a hidden field in it: one reading and one writing.

Read are JSON, also in JSON, JSON lines, and CSV and its like with a header. In other texts the value that
stands behind a name and a sign (`id=7`, `id: 7`) goes; prose that repeats a value stays.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import re
from collections.abc import Callable, Container, Iterable
from typing import Any

See = Callable[[Any], Any]

COLUMN_KEYS = ("columns", "header", "headers", "fields", "column_names", "columnNames")
ROW_KEYS = ("rows", "data", "values", "records", "items")
SIGNS = ",;\t|"
HIDDEN = "***"


def spellings(names: Iterable[str]) -> frozenset[str]:
    """Return names as they may stand in a text: as they are, and with the escapes of JSON.

    Example:
        >>> sorted(spellings(["id"])), len(spellings(["编号"]))
        (['id'], 2)
    """
    return frozenset(form for name in names for form in (name, json.dumps(name)[1:-1]))


def project_text(text: str, names: frozenset[str], see: See) -> str:
    """Return a text without the fields that the reader may not see.

    Args:
        text: Any text.
        names: Names of fields that somebody may not see: a table has one of them in its header.
        see: Projects a value that was read.

    Example:
        >>> project_text('{"id": 1, "n": 2}', {"id"}, lambda record: {"n": record["n"]})
        '{"n": 2}'
        >>> project_text("id,n\\n1,2\\n", {"id"}, lambda record: {"n": record["n"]})
        'n\\n2\\n'
        >>> project_text("GET /?id=7&n=2", {"id"}, lambda record: {})
        'GET /?id=***&n=2'
    """
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", '"'):
        projected = _project_json(text, see) or _project_lines(text, see)
        if projected is not None:
            return projected
    projected = _project_csv(text, names, see)
    return _project_pairs(text, names, see) if projected is None else projected


def _project_pairs(text: str, names: frozenset[str], see: See) -> str:
    hidden = frozenset(name for name in names if name in text and not kept_columns([name], see))
    return _pairs(hidden).sub(rf"\1{HIDDEN}", text) if hidden else text


@functools.lru_cache(maxsize=256)
def _pairs(names: frozenset[str]) -> re.Pattern[str]:
    """Return what finds names and their values: YAML, `key=value`, queries, Python's repr, bits of JSON."""
    found = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    quoted = r""""(?:[^"\\\n]|\\.){0,4096}"|'(?:[^'\\\n]|\\.){0,4096}'"""
    sign = r"""(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}"""
    return re.compile(rf"((?<![\w\-])(?:{found}){sign})(?:{quoted}|[^\s,;&\"'}}\])]+)")


def _project_json(text: str, see: See) -> str | None:
    try:
        found = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None
    seen = see(found)
    return text if seen is found else json.dumps(seen, ensure_ascii=False)


def _project_lines(text: str, see: See) -> str | None:
    """Project JSON lines; None when a line is none."""
    projected: list[str] = []
    for line in text.splitlines():
        shown = _project_json(line, see) if line.strip() else line
        if shown is None:
            return None
        projected.append(shown)
    return "\n".join(projected) + ("\n" if text.endswith("\n") else "")


def _project_csv(text: str, names: Container[str], see: See) -> str | None:
    """Project a table with a header; None when it is none."""
    body = text.lstrip("\ufeff")
    lines = body.splitlines(keepends=True)
    for sign in SIGNS if len(lines) > 1 else "":
        header = _cells(lines[:1], sign)[:1]
        if not header or not any(name.strip() in names for name in header[0]):
            continue
        rows = _cells(lines, sign)
        if 2 * sum(len(row) == len(header[0]) for row in rows) < len(rows):
            continue  # prose with commas in it
        kept = kept_columns([name.strip() for name in header[0]], see)
        if len(kept) == len(header[0]):
            return text
        written = io.StringIO()
        shown = ([row[at] for at in kept if at < len(row)] for row in rows)
        csv.writer(written, delimiter=sign, lineterminator="\r\n" if "\r\n" in body else "\n").writerows(
            shown
        )
        return written.getvalue()
    return None


def _cells(lines: list[str], sign: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=sign))
    except csv.Error:
        return []  # nothing of a table that can't be read is shown


def kept_columns(names: list[str], see: See) -> list[int]:
    """Return the places of the columns that the reader may see."""
    seen = see(dict.fromkeys(names))
    return [at for at, name in enumerate(names) if name in seen]


def find_table(value: dict[str, Any]) -> tuple[str, str, list[str]] | None:
    """Return where a table object has its columns and its rows, and the names of the columns.

    Example:
        >>> find_table({"columns": ["id", "n"], "rows": [[1, 2]], "total": 1})
        ('columns', 'rows', ['id', 'n'])
    """
    for head in COLUMN_KEYS:
        names = _names_in(value.get(head))
        for body in ROW_KEYS if names else ():
            if body != head and _has_width(value.get(body), len(names)):
                return head, body, names
    return None


def _names_in(columns: Any) -> list[str]:
    if not isinstance(columns, list):
        return []
    found = (column.get("name") if isinstance(column, dict) else column for column in columns)
    names = [name for name in found if isinstance(name, str)]
    return names if len(names) == len(columns) else []


def _has_width(rows: Any, width: int) -> bool:
    if not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, list) and len(row) == width for row in rows)


def has_header(rows: list[Any], names: Container[str]) -> bool:
    """Say whether the first of several rows of cells names columns, one of them among `names`."""
    first = rows[0] if len(rows) > 1 else None
    if not isinstance(first, list) or not any(isinstance(name, str) and name in names for name in first):
        return False
    return all(isinstance(name, str) for name in first) and _has_width(rows, len(first))
