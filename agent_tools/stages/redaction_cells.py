"""Find sensitive columns of a table written as text: CSV, TSV, Markdown.

In:   a text whose first or second line names columns.
Out:  spans `(start, end, mask)` of the cells below sensitive names.
Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agent_tools.stages.redaction_announced import hide_as
from agent_tools.stages.redaction_spans import Span

_MARK = re.compile(r"[,;\t|]")
_LONGEST_HEADING = 2000
# a column's name, and not a piece of code or of a sentence
_NAME = re.compile(
    r"(?!.*\b(?:an?|the|this|to|is)\b)[^\W\d][\w.\-/#%&'？?:： ]{0,47}(?:[(（\[][^()（）\[\]]{0,24}[)）\]])?"
)
_MOST_WORDS = 5
_RULE = " \t\r-+=|:"  # what a line below a header consists of
_MOST_MISSES = 1  # lines below a header before its first row: a caption, a cell of several lines


def heading(text: str) -> tuple[int, str]:
    """Return the line that may name the columns, and where it starts; an empty line when there is none.

    Example:
        >>> heading("people\\nid,phone\\n1,2"), heading("no table")
        ((7, 'id,phone'), (0, ''))
    """
    end = text.find("\n")
    if end < 0:
        return 0, ""
    if _MARK.search(text, 0, end):
        return 0, text[:end] if end <= _LONGEST_HEADING else ""
    second = text[end + 1 : end + 1 + _LONGEST_HEADING].partition("\n")[0]
    return (end + 1, second) if _MARK.search(second) else (0, "")


def cell_spans(text: str, _start: int, _end: int, kind_of: Callable[[str], str | None]) -> Iterator[Span]:
    """Find the cells under sensitive column names of a CSV, TSV or Markdown table."""
    at, head = heading(text)
    mark = next((m for m in ("\t", "|", ",", ";") if m in head), None)
    if mark is None:
        return
    names = [cell.strip(" \r\"'`*") for cell in head.split(mark)]
    if not _are_names(names):
        return
    kinds = map(kind_of, names)
    wanted = {i: k for i, k in enumerate(kinds) if k is not None and k != "plain"}
    if wanted:
        yield from _cells(text, at + len(head) + 1, mark, len(names), wanted)


def _are_names(cells: list[str]) -> bool:
    """Whether all cells name a column: those at the ends may be empty."""
    named = [cell for cell in cells if cell]
    return len(named) > 1 and all(
        _NAME.fullmatch(name) and name.count(" ") < _MOST_WORDS and not name.endswith(":") for name in named
    )


def _cells(text: str, at: int, mark: str, columns: int, wanted: dict[int, str]) -> Iterator[Span]:
    """Hide the cells of the wanted columns in the lines that follow a header."""
    quoted = re.compile(rf'\s*"((?:[^"]|"")*)"\s*(?={re.escape(mark)}|\r?$)|([^{re.escape(mark)}]*)')
    misses = 0  # before the first row
    for line in text[at:].split("\n"):
        cells = _quoted_cells(line, quoted) if '"' in line else line.split(mark)
        if len(cells) == columns:
            misses = -len(text)
        elif line.strip(_RULE) and (misses := misses + 1) > _MOST_MISSES:
            return
        for column, kind in wanted.items() if len(cells) == columns else ():
            cell = cells[column]
            inner = quoted.match(cell) if '"' in cell else None
            value = (inner[1] if inner and inner[1] is not None else cell).strip()
            hidden = hide_as(kind, value) if value.strip(" -:+=") else None
            if hidden is not None:
                start = at + sum(map(len, cells[:column])) + column + cell.index(value)
                yield start, start + len(value), hidden
        at += len(line) + 1


def _quoted_cells(line: str, pattern: re.Pattern[str]) -> list[str]:
    """Split a line in which marks may stand in quotes."""
    cells: list[str] = []
    at = 0
    while at <= len(line) and (hit := pattern.match(line, at)) is not None:
        cells.append(hit[0])
        at = hit.end() + 1
    return cells
