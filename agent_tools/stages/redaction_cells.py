"""Find sensitive columns of a table written as text: CSV, TSV, Markdown.

In:   a text whose first or second line names columns.
Out:  spans `(start, end, mask)` of the cells below sensitive names.
Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agent_tools.stages.redaction_announced import hide_as
from agent_tools.stages.redaction_spans import Span, line_end

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
    while at < len(text):
        end = line_end(text, at)
        line = text[at:end]
        cells = _split_cells(line, mark)
        if len(cells) == columns:
            for column, kind in wanted.items():
                start, stop = cells[column]
                value = line[start:stop]
                hidden = hide_as(kind, value) if value.strip(" -:+=") else None
                if hidden is not None:
                    yield at + start, at + stop, hidden
        at = end + 1


def _split_cells(line: str, mark: str) -> list[tuple[int, int]]:
    """Return start and end of each cell's value, blanks and quotes left out."""
    cells: list[tuple[int, int]] = []
    pattern = re.compile(
        r'\s*"((?:[^"]|"")*)"\s*(?=' + re.escape(mark) + r"|\r?$)|([^" + re.escape(mark) + r"]*)"
    )
    at = 0
    while at <= len(line):
        hit = pattern.match(line, at)
        if hit is None:
            break
        group = 1 if hit[1] is not None else 2
        value = hit[group]
        lead = len(value) - len(value.lstrip())
        start = hit.start(group) + lead
        cells.append((start, start + len(value.strip())))
        at = hit.end() + 1
    return cells
