"""Find sensitive columns of a table written as text: CSV, TSV, Markdown.

In:   a text whose first or second line names columns.
Out:  spans `(start, end, mask)` of the cells below sensitive names.
Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import accumulate

from agent_tools.stages.redaction_announced import hide_as
from agent_tools.stages.redaction_spans import Span

_MARK = re.compile(r"[,;\t|]")
_LONGEST_HEADING = 2000


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


def cell_spans(text: str, kind_of: Callable[[str], str | None]) -> Iterator[Span]:
    """Find the cells under sensitive column names of a CSV, TSV or Markdown table."""
    at, head = heading(text)
    mark = next((m for m in ("\t", "|", ",", ";") if m in head), None)
    if mark is None:
        return
    kinds = [kind_of(cell.strip(" \"'`*")) if len(cell) < 48 else None for cell in head.split(mark)]
    wanted = {i: k for i, k in enumerate(kinds) if k is not None and k != "plain"}
    if wanted:
        yield from _cells(text, at + len(head) + 1, mark, len(kinds), wanted)


def _cells(text: str, at: int, mark: str, columns: int, wanted: dict[int, str]) -> Iterator[Span]:
    """Hide the cells of the wanted columns in the lines that follow a header."""
    quoted = re.compile(rf'\s*"((?:[^"]|"")*)"\s*(?={re.escape(mark)}|\r?$)|([^{re.escape(mark)}]*)')
    for line in text[at:].split("\n"):
        if '"' in line:
            cells = _quoted_cells(line, quoted)
        elif line.count(mark) == columns - 1:
            cells = _plain_cells(line, mark)
        else:
            cells = []
        for column, kind in wanted.items() if len(cells) == columns else ():
            start, value = cells[column]
            shown = value.strip()
            hidden = hide_as(kind, shown) if shown.strip(" -:+=") else None
            if hidden is not None:
                start += at + len(value) - len(value.lstrip())
                yield start, start + len(shown), hidden
        at += len(line) + 1


def _plain_cells(line: str, mark: str) -> list[tuple[int, str]]:
    """Return each cell and where it starts."""
    cells = line.split(mark)
    starts = accumulate((len(cell) + 1 for cell in cells[:-1]), initial=0)
    return list(zip(starts, cells, strict=True))


def _quoted_cells(line: str, pattern: re.Pattern[str]) -> list[tuple[int, str]]:
    """Return the same of a line with quotes, which are left out."""
    cells: list[tuple[int, str]] = []
    at = 0
    while at <= len(line) and (hit := pattern.match(line, at)) is not None:
        group = 1 if hit[1] is not None else 2
        cells.append((hit.start(group), hit[group]))
        at = hit.end() + 1
    return cells
