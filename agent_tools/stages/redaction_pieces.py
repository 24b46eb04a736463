"""Hide what is split over the pieces of a text that comes piece by piece, or line by line.

In:   rows of a stream, in blocks: texts, or dicts with a piece of text in them.
Out:  the same rows with the parts of a split secret taken out: its mask stands where it begins. The last rows
      of a block wait for the next one, since a secret may go on there.
Cost: one look at the joined text of each block; 8,192 characters are held back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from agent_tools.stages.redaction_spans import Span

Find = Callable[[str, bool], list[Span]]

HELD_CHARS = 8_192  # longer than any secret but a private key, and that is held back as a whole
CONTEXT_CHARS = 200  # what stood before the held text: `password=` and the value after it
_DEEPEST = 4
FIELDS = frozenset([
    "answer", "chunk", "content", "data", "delta", "message", "line", "output", "output_text", "part",
    "piece", "text", "token", "value",
])  # fmt: skip
"""Names of fields that hold a piece of text in the rows of a stream."""

Steps = tuple[Any, ...]


class Stream:
    """One stream; blocks go in, and come out when no secret can go on behind them.

    Args:
        find: Text, and whether plain numbers count, to the spans to hide.

    Attributes:
        hidden: How many secrets were split.
    """

    __slots__ = ("_before", "_find", "_held", "hidden")

    def __init__(self, find: Find) -> None:
        self._find = find
        self._held: list[Any] = []
        self._before: dict[Steps, str] = {}
        self.hidden = 0

    def take(self, rows: list[Any], *, is_last: bool) -> list[Any]:
        """Take a block; return the rows that are ready."""
        rows, self._held = [*self._held, *rows] if self._held else rows, []
        places = _places_in(rows)
        if not places:
            return rows
        keep = len(rows) if is_last else min(_first_held(rows, place) for place in places)
        ready = rows
        for place in places:
            texts = [_text_at(row, place) for row in rows]
            shown, cut = self._hide(texts, keep, place)
            keep = min(keep, cut)
            ready = _with_texts(ready, place, texts, shown)
        for place in places:
            before = self._before.get(place, "") + "".join(_text_at(row, place) for row in rows[:keep])
            self._before[place] = before[-CONTEXT_CHARS:]
        self._held = rows[keep:]
        return ready[:keep]

    def _hide(self, texts: list[str], keep: int, place: Steps) -> tuple[list[str], int]:
        """Return the pieces as shown, and where those begin that have to wait."""
        before = self._before.get(place, "")
        shown, spans = hide_across(texts, self._find, before)
        ends = list(accumulate(map(len, texts)))
        border = ends[keep - 1] if keep else 0
        for start, end in spans:
            if start < border < end:
                border = start
        keep = sum(1 for end in ends[:keep] if end <= border)
        self.hidden += sum(1 for _, end in spans if end <= (ends[keep - 1] if keep else 0))
        return shown, keep


def hide_across(
    texts: Sequence[str], find: Find, before: str = ""
) -> tuple[list[str], list[tuple[int, int]]]:
    """Hide what is split over texts that are joined without anything between them.

    Args:
        texts: The pieces.
        find: As for `Stream`.
        before: What stood before them.

    Returns:
        The pieces as shown, and start and end of what was split.
    """
    joined = before + "".join(texts)
    if sum(map(bool, texts)) < 2:
        return list(texts), []
    offset = len(before)
    ends = list(accumulate((len(text) for text in texts), initial=0))
    borders = ends[1:-1]
    spans = (
        (max(start - offset, 0), end - offset, mask) for start, end, mask in find(joined, _is_prose(texts))
    )
    split = [span for span in spans if bisect_left(borders, span[1]) > bisect_right(borders, span[0])]
    return _without(texts, split, ends), [(start, end) for start, end, _ in split]


def hide_in_lines(lines: Sequence[str], find: Find) -> list[str]:
    """Hide what only shows when lines stand below each other: a private key, a CSV column, a YAML block."""
    if any("\n" in line for line in lines):
        return list(lines)
    ends = list(accumulate((len(line) + 1 for line in lines), initial=0))
    spans = [(start, end, mask) for start, end, mask in find("\n".join(lines), True)]
    return _without([f"{line}\n" for line in lines], spans, ends, strip_end=True)


def _without(
    texts: Sequence[str], spans: Iterable[Span], ends: Sequence[int], *, strip_end: bool = False
) -> list[str]:
    """Take spans of the joined text out of the pieces; the mask stands in the piece where a span begins."""
    shown: list[str] = []
    waiting = sorted(spans)
    at = 0
    for n, text in enumerate(texts):
        first, last = ends[n], ends[n + 1]
        parts, done = [], 0
        while at < len(waiting) and waiting[at][0] < last:
            start, end, mask = waiting[at]
            parts += [text[done : max(start - first, 0)], mask if start >= first else ""]
            done = min(end, last) - first
            if end > last:
                break
            at += 1
        text = "".join([*parts, text[done:]])
        shown.append(text.removesuffix("\n") if strip_end else text)
    return shown


def _is_prose(texts: Sequence[str]) -> bool:
    """Whether pieces are a text rather than a list of numbers, which must not become one long number."""
    pieces = [text for text in texts if text]
    spaced = sum(1 for text in pieces if text != text.strip() or " " in text or not text.isalnum())
    return spaced * 4 >= len(pieces) or max(map(len, pieces)) <= 2


def _places_in(rows: list[Any]) -> list[Steps]:
    """Return where pieces of text stand in the rows: `()` when the rows are texts themselves."""
    if all(row.__class__ is str for row in rows):
        return [()] if rows else []
    if not all(isinstance(row, dict) for row in rows):
        return []
    found: dict[Steps, None] = {}
    for row in [*rows[:20], rows[-1]]:
        found.update(dict.fromkeys(_paths(row, ())))
    return list(found)


def _paths(node: Any, steps: Steps) -> Iterable[Steps]:
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(node, dict):
        items = node.items()
    elif isinstance(node, list):
        items = enumerate(node[:1])
    for key, value in items if len(steps) < _DEEPEST else ():
        if isinstance(value, str):
            if key in FIELDS:
                yield (*steps, key)
        else:
            yield from _paths(value, (*steps, key))


def _text_at(row: Any, place: Steps) -> str:
    for step in place:
        try:
            row = row[step]
        except (KeyError, IndexError, TypeError):
            return ""
    return row if isinstance(row, str) else ""


def _with_texts(rows: list[Any], place: Steps, old: list[str], new: list[str]) -> list[Any]:
    changed = {n: text for n, text in enumerate(new) if text != old[n]}
    return [_replaced(row, place, changed[n]) if n in changed else row for n, row in enumerate(rows)]


def _replaced(row: Any, place: Steps, text: str) -> Any:
    """Return a copy of a row with another text at a place; the tool's own row stays."""
    if not place:
        return text
    copy = dict(row) if isinstance(row, dict) else list(row)
    copy[place[0]] = _replaced(row[place[0]], place[1:], text)
    return copy


def _first_held(rows: list[Any], place: Steps) -> int:
    size, n = 0, len(rows)
    while n and size < HELD_CHARS:
        n -= 1
        size += len(_text_at(rows[n], place))
    return n
