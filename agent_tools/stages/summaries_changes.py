"""Find where the level of a series changes, for good or for a while. A part of `budget`.

Cost: about 1 ms however long the series is; it is read in blocks of which some values are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import isfinite, sqrt
from typing import Any, NamedTuple

BLOCKS = 128
MIN_VALUES = 24
PER_BLOCK = 9  # values of a block from which its level is taken
MIN_RUN = 2  # blocks of a level that lasts
MAX_CHANGES = 4  # a series with more of them has no level that stays
MIN_JUMP = 2.0  # of the spread inside the blocks: a smaller one would not be seen
NEAR = 6  # blocks on each side of a change that tell whether it is one, and no slope
CLEAR = 6.0  # how much two levels must differ, in standard errors
AT_ONCE = 0.5  # of a change that happens between neighbours
FLAT = 0.35  # of a change: a level that drifts by more is none
MOST_STRAYS = 0.25
MOST = 2


def changes(cells: Sequence[Any]) -> list[tuple[float, int, str]]:
    """Return (score, place, what) of the places where a level begins or ends, at most two.

    Noise, a slope, a walk and a wave have no such place, whatever the form of the wave.

    Example:
        >>> [place for _, place, _ in changes([5.0, 5.5, 5.1] * 50 + [9.0, 9.4, 9.2] * 10)]
        [150]
        >>> changes([n % 7 for n in range(300)]), changes(list(range(300)))
        ([], [])
        >>> changes([float(n // 50 % 2) for n in range(300)])
        []
    """
    if len(cells) < MIN_VALUES:
        return []
    # at least four values a block, so that one outlier is no level
    width = max(4, len(cells) // BLOCKS)
    stride = max(1, width // PER_BLOCK)
    blocks = [sorted(cells[start : start + width : stride]) for start in range(0, len(cells), width)]
    if len(blocks[-1]) < len(blocks[0]) // 2:
        blocks.pop()
    steps = _steps(blocks)
    found = []
    for number in sorted(range(len(steps)), key=lambda number: -steps[number].score)[:MOST]:
        step = steps[number]
        is_back = number > 0 and abs(step.jump + steps[number - 1].jump) < FLAT * abs(step.jump)
        place = _exact(cells, step.edge * width, width, step)
        found.append((step.score - 2 * is_back, place, "changes back here" if is_back else "changes here"))
    return sorted(found, key=lambda change: change[1])


class _Step(NamedTuple):
    """A change of level: after which block, by how much, the middle of it, how clear it is (62 to 72)."""

    edge: int
    jump: float
    middle: float
    score: float


def _steps(blocks: list[list[float]]) -> list[_Step]:
    """Return the changes of a series that has levels which stay; none of any other series."""
    levels = [float(block[len(block) // 2]) for block in blocks]
    within = _spread([abs(value - level) for b, level in zip(blocks, levels, strict=True) for value in b])
    runs = [sum(pair) for pair in pairwise(levels)]
    if max(runs) - min(runs) <= 2 * MIN_JUMP * within:  # noise mostly ends here
        return []
    # a median of n values is off by 1.25 of their spread / sqrt(n)
    edges = _edges(levels, max(_noise(levels), 1.25 * within / sqrt(len(blocks[0]))))
    bounds = [0, *edges, len(levels)]
    middles = [_middle(levels[begin:end]) for begin, end in pairwise(bounds)]
    jumps = [after - before for before, after in pairwise(middles)]
    if not edges or len(edges) > MAX_CHANGES or not all(map(isfinite, jumps)) or _turns(jumps) > 1:
        return []
    noise = max(within, _noise(levels), 1e-9 * max(map(abs, jumps)))
    # between two edges too near to each other there may be no change at all, and no noise
    if min(map(abs, jumps)) <= MIN_JUMP * noise or not _are_flat(levels, bounds, jumps):
        return []
    steps = [
        _Step(edge, jump, middle + jump / 2, 62 + min(abs(jump) / noise, 100) / 10)
        for edge, jump, middle in zip(edges, jumps, middles[:-1], strict=True)
    ]
    sides = [(max(begin, edge - NEAR), min(edge + NEAR, end)) for begin, edge, end in _triples(bounds)]
    are_sharp = (
        _is_sharp(blocks[begin : step.edge], blocks[step.edge : end], step)
        for (begin, end), step in zip(sides, steps, strict=True)
    )
    return steps if all(are_sharp) else []


def _triples(bounds: list[int]) -> list[tuple[int, int, int]]:
    return list(zip(bounds, bounds[1:], bounds[2:], strict=False))


def _edges(levels: list[float], noise: float) -> list[int]:
    """Divide the blocks where their levels differ most, and the parts again; one too many ends it."""
    noise = noise or 1e-9 * max(map(abs, levels)) or 1e-9
    sums = list(accumulate(levels, initial=0.0))
    found: list[int] = []
    parts = [(0, len(levels))]
    while parts and len(found) <= MAX_CHANGES:
        begin, end = parts.pop()
        best, edge = CLEAR * noise, 0
        # against all of the part; and against what is next to it, for a level that lasts a short while
        for reach in (len(levels), MIN_RUN):
            for place in range(begin + MIN_RUN, end - MIN_RUN + 1):
                left, right = min(place - begin, reach), min(end - place, reach)
                before, after = sums[place] - sums[place - left], sums[place + right] - sums[place]
                weight = abs(after / right - before / left) * sqrt(left * right / (left + right))
                if weight > best:
                    best, edge = weight, place
        if edge:
            found.append(edge)
            parts += [(begin, edge), (edge, end)]
    return sorted(found)


def _turns(jumps: list[float]) -> int:
    """Count how often up follows down and down follows up: a wave has no level that stays."""
    return sum((one > 0) != (other > 0) for one, other in pairwise(jumps))


def _are_flat(levels: list[float], bounds: list[int], jumps: list[float]) -> bool:
    """Tell whether no level drifts, measured by the smallest change."""
    most = FLAT * min(map(abs, jumps))
    halves = (
        (levels[begin : (begin + end) // 2], levels[(begin + end) // 2 : end])
        for begin, end in pairwise(bounds)
    )
    return all(abs(_middle(one) - _middle(other)) <= most for one, other in halves)


def _is_sharp(before: list[list[float]], after: list[list[float]], step: _Step) -> bool:
    """Tell whether a change happens at its edge, and the values are on their sides of it."""
    # within a few blocks: growth has large differences, too, but none between neighbours
    near = _mean_level(after[:2]) - _mean_level(before[-2:])
    if near / step.jump < AT_ONCE:
        return False
    low, high = (before, after) if step.jump > 0 else (after, before)
    strays = sum(v > step.middle for b in low for v in b) + sum(v < step.middle for b in high for v in b)
    return strays <= MOST_STRAYS * sum(map(len, low + high))


def _mean_level(blocks: list[list[float]]) -> float:
    return sum(block[len(block) // 2] for block in blocks) / len(blocks)


def _exact(cells: Sequence[Any], near: int, width: int, step: _Step) -> int:
    """Return the place around `near` that divides the values below the middle from those above best."""
    start, end = max(0, near - 2 * width), min(len(cells), near + 2 * width)
    sides = (1 if (value > step.middle) == (step.jump > 0) else -1 for value in cells[start:end])
    balance = list(accumulate(sides, initial=0))
    return min(start + balance.index(min(balance)), len(cells) - 1)


def _noise(levels: list[float]) -> float:
    """Return how much levels differ from block to block; a change of level hardly counts."""
    return 1.05 * _middle([abs(a - b) for a, b in pairwise(levels)])


def _spread(distances: list[float]) -> float:
    """Return the standard deviation that distances from a level tell, outliers left out."""
    distances = sorted(distances)[: max(1, len(distances) * 19 // 20)]
    return max(1.4826 * distances[len(distances) // 2], 1.2533 * sum(distances) / len(distances))


def _middle(values: list[float]) -> float:
    return sorted(values)[len(values) // 2] if values else 0.0
