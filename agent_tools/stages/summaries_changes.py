"""Find where the level of a series changes, for good or for a while. A part of `budget`.

Cost: about 1 ms however long the series is; it is read in blocks of which some values are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import isfinite
from typing import Any

BLOCKS = 128
MIN_VALUES = 24
PER_BLOCK = 9  # values of a block from which its level is taken
MIN_JUMP = 2.0  # of the spread inside the blocks: a smaller one would not be seen
NEAR = 6  # blocks on each side of a change that tell whether it is one, and no slope
CLEAR = 12.0  # how much a stretch must stand out from the noise of the levels, added up over its blocks


def changes(cells: Sequence[Any]) -> list[tuple[float, int, str]]:
    """Return (score, place, what) of the places where a level begins or ends, at most two.

    Noise, a slope, a walk and a wave have no such place.

    Example:
        >>> [place for _, place, _ in changes([5.0, 5.5, 5.1] * 50 + [9.0, 9.4, 9.2] * 10)]
        [150]
        >>> changes([n % 7 for n in range(300)]), changes(list(range(300)))
        ([], [])
    """
    if len(cells) < MIN_VALUES:
        return []
    # at least four values a block, so that one outlier is no level
    width = max(4, len(cells) // BLOCKS)
    stride = max(1, width // PER_BLOCK)
    blocks = [sorted(cells[start : start + width : stride]) for start in range(0, len(cells), width)]
    if len(blocks[-1]) < len(blocks[0]) // 2:
        blocks.pop()
    levels = [float(block[len(block) // 2]) for block in blocks]
    found = _stretch(levels)
    if found is None:
        return []
    begin, end = found
    within = _middle([abs(v - level) for b, level in zip(blocks, levels, strict=True) for v in b]) * 1.4826
    jump = _jump(levels, begin, end)
    noise = max(within, _noise(levels), 1e-9 * abs(jump))
    if (
        not jump
        or not isfinite(jump)
        or abs(jump) < MIN_JUMP * noise
        or not _is_level(levels, begin, end, jump)
    ):
        return []
    score = 62 + min(abs(jump) / noise, 100) / 10
    inner, outer = _middle(levels[begin:end]), _middle(levels[:begin] + levels[end:])
    limits = (inner + outer) / 2, inner > outer
    places = []
    if begin > 0:
        places.append((score, _exact(cells, begin * width, width, *limits), "changes here"))
    if end < len(levels):
        place = _exact(cells, end * width, width, limits[0], not limits[1])
        places.append((score - 2, place, "changes back here" if begin else "changes here"))
    return places


def _stretch(levels: list[float]) -> tuple[int, int] | None:
    """Return the run of blocks that lies farthest off the middle of all, on one side of it."""
    center = _middle(levels)
    noise = _noise(levels) or _middle([abs(v - center) for v in levels]) or 1e-9 * abs(center) or 1e-9
    best: tuple[float, int, int] = (CLEAR, 0, 0)
    for sign in (1, -1):
        total, begin = 0.0, 0
        for place, level in enumerate(levels):
            # a block counts as far off from three times the noise on, and no more than eight
            total += max(-5.0, min(5.0, sign * (level - center) / noise - 3.0))
            if total <= 0:
                total, begin = 0.0, place + 1
            elif total > best[0]:
                best = (total, begin, place + 1)
    return best[1:] if best[2] else None


def _jump(levels: list[float], begin: int, end: int) -> float:
    return _middle(levels[begin:end]) - _middle(levels[:begin] + levels[end:])


def _is_level(levels: list[float], begin: int, end: int, jump: float) -> bool:
    """Tell whether the change happens at its edges, and nowhere else."""
    for edge in (begin, end):
        if 0 < edge < len(levels):
            inner = levels[begin:end][:NEAR] if edge == begin else levels[begin:end][-NEAR:]
            outer = levels[max(0, begin - NEAR) : begin] if edge == begin else levels[end : end + NEAR]
            if (_middle(inner) - _middle(outer)) / jump < 0.7:
                return False
            # within a few blocks: growth has large differences, too, but none between neighbours
            near = (inner[:2], outer[-2:]) if edge == begin else (inner[-2:], outer[:2])
            if (sum(near[0]) / len(near[0]) - sum(near[1]) / len(near[1])) / jump < 0.4:
                return False
    outer_level = _middle(levels[:begin] + levels[end:])
    far = sum(abs(v - outer_level) > abs(jump) / 2 for v in levels[:begin] + levels[end:])
    return far <= (len(levels) - (end - begin)) // 10


def _exact(cells: Sequence[Any], near: int, width: int, middle: float, rising: bool) -> int:
    """Return the place around `near` that divides the values below the middle from those above best."""
    start, end = max(0, near - 2 * width), min(len(cells), near + 2 * width)
    sides = (1 if (value > middle) == rising else -1 for value in cells[start:end])
    balance = list(accumulate(sides, initial=0))
    return min(start + balance.index(min(balance)), len(cells) - 1)


def _noise(levels: list[float]) -> float:
    """Return how much levels differ from block to block; a change of level hardly counts."""
    return 1.05 * _middle([abs(a - b) for a, b in pairwise(levels)])


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
