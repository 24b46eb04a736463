"""Find the clauses of a text that says all others again and again. A part of `budget`.

Cost: 0.1 us per clause.
"""

from __future__ import annotations

import re
from collections import Counter

MIN_CLAUSES = 30
MAX_CHARS = 2_000_000
_STOPS = "。，；！？、.,;!?"
_WINDOW = 4000
_FIGURE = re.compile(r"\d+")


def rare_clauses(text: str, most: int) -> list[int]:
    """Return where the few clauses stand that come once in a text which repeats all others.

    Example:
        >>> usual = "系统运行正常，任务队列为空。" * 50
        >>> rare_clauses(usual + "主机房断电。" + usual, 12)
        [700]
    """
    if len(text) > MAX_CHARS:
        return []
    sample = _split(text[:_WINDOW]) + _split(text[-_WINDOW:])
    if len(sample) < MIN_CLAUSES or len(set(sample)) > len(sample) // 2:
        return []
    counts = _count_clauses(text)
    if len(counts) > counts.total() // 2:
        return []
    # figures may make each clause its own
    kinds = Counter(_FIGURE.sub("0", clause) for clause in counts)
    rare = [c for c, n in counts.items() if n == 1 and c.strip() and kinds[_FIGURE.sub("0", c)] == 1]
    return [text.find(clause) for clause in rare] if len(rare) <= most else []


def _count_clauses(text: str) -> Counter[str]:
    counts: Counter[str] = Counter()
    parts: list[str] = []  # of a clause that goes on in the next window
    # a window at a time stays in the processor's cache: two thirds of the time of all at once
    for start in range(0, len(text), 4 * _WINDOW):
        first, *clauses = _split(text[start : start + 4 * _WINDOW])
        parts.append(first)
        if clauses:
            counts["".join(parts)] += 1
            parts = [clauses.pop()]
            counts.update(clauses)
    counts["".join(parts)] += 1
    return counts


def _split(text: str) -> list[str]:
    for stop in _STOPS:
        if stop in text:
            text = text.replace(stop, "\n")
    return text.split("\n")
