"""Find sensitive values in SQL that names its columns once: INSERT ... VALUES, COPY ... FROM stdin.

In:   a text, and what kind each key is.
Out:  spans `(start, end, mask)` of the values.
Cost: linear: rows are read from their header on, each character once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, partial

from agent_tools.stages.redaction_announced import hide_as
from agent_tools.stages.redaction_spans import Span, hits_at, line_end

KindOf = Callable[[str], "str | None"]

_INSERT = re.compile(
    r"(?i:\b(?:insert|replace)\s{1,8}(?:or \w{1,10}\s{1,8})?(?:ignore\s{1,8})?into\s{1,8})"
    r"[^\s(]{1,120}\s{0,8}\(([^()]{1,4000})\)\s{0,20}(?i:values?)\s{0,20}(?=\()"
)
_COPY = re.compile(
    r"(?i:\bcopy\s{1,8})[^\s(]{1,120}\s{0,8}\(([^()\n]{1,4000})\)\s{0,8}(?i:from\s{1,8}stdin)[^\n]{0,80}\n"
)
_INSERT_VERB, _COPY_VERB = re.compile(r"(?i)\b(?:insert|replace)\s"), re.compile(r"(?i)\bcopy\s")
_LONGEST_VERB = 40
_VALUE = re.compile(
    r"\s*(?:[NnEe]?'((?:[^'\\]++|''|\\.)*)'|\"((?:[^\"\\]++|\"\"|\\.)*)\"|([^,()'\"]*(?:\([^()]*\))?[^,()'\"]*))\s*([,)])"
)
_NEXT_ROW = re.compile(r"\s*,\s*\(")
_NULL = re.compile(r"(?i)null|default|true|false|\?|%s|:\w+|\$\d+|@\w+|\w*\(.*\)")


def sql_spans(text: str, start: int, end: int, kind_of: KindOf) -> Iterator[Span]:
    """Find values that stand under sensitive column names."""
    # most rows of a dump name the same columns
    wanted = cache(partial(_wanted, kind_of))
    start = max(start - _LONGEST_VERB, 0)
    for head in hits_at(_INSERT_VERB, _INSERT, text, start, end):
        if kinds := wanted(head[1]):
            yield from _rows(text, head.end() + 1, kinds)
    for head in hits_at(_COPY_VERB, _COPY, text, start, end):
        if kinds := wanted(head[1]):
            yield from _copied(text, head.end(), kinds)


def _wanted(kind_of: KindOf, columns: str) -> list[str | None]:
    kinds = [kind_of(name.strip(" \t\r\n`\"[]'")) for name in columns.split(",")]
    kinds = [None if kind == "plain" else kind for kind in kinds]
    return kinds if any(kinds) else []


def _rows(text: str, at: int, kinds: list[str | None]) -> Iterator[Span]:
    """Read rows of a VALUES list; `at` is behind the first parenthesis."""
    column = 0
    while (hit := _VALUE.match(text, at)) is not None:
        kind = kinds[column] if column < len(kinds) else None
        if kind is not None:
            yield from _cell(hit, kind)
        column, at = column + 1, hit.end()
        if hit[4] == ")":
            following = _NEXT_ROW.match(text, at)
            if following is None:
                return
            column, at = 0, following.end()


def _cell(hit: re.Match[str], kind: str) -> Iterator[Span]:
    group = 1 if hit[1] is not None else 2 if hit[2] is not None else 3
    value = hit[group].rstrip()
    if not value or (group == 3 and _NULL.fullmatch(value)):
        return
    if (hidden := hide_as(kind, value)) is not None:
        shown = hidden if group < 3 else f"'{hidden}'"
        yield hit.start(group), hit.start(group) + len(value), shown


def _copied(text: str, at: int, kinds: list[str | None]) -> Iterator[Span]:
    """Read tab-separated rows up to the end mark."""
    while at < len(text):
        end = line_end(text, at)
        if text.startswith("\\.", at):
            return
        start = at
        cells = text[at:end].split("\t", len(kinds))
        if len(cells) != len(kinds):
            return
        for kind, value in zip(kinds, cells, strict=True):
            if kind is not None and value != "\\N" and (hidden := hide_as(kind, value)) is not None and value:
                yield start, start + len(value), hidden
            start += len(value) + 1
        at = end + 1
