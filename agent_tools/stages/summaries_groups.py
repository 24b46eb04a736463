"""Find numbers that are far off only among the rows of their kind. A part of `budget`.

A price of 9,000 is nothing among amounts in yen and an outlier among those in dollars: the scale of one group
hides what is odd in another.

Cost: 3 ms for a sample; 20 ms per 100,000 rows for each column whose level depends on another column.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from agent_tools.stages.summaries_odd import Odd, center_of, show

SAMPLE = 3000
MIN_ROWS = 60
MIN_GROUP = 12
MIN_VALUES = 10
MAX_GROUPS = 24
MAX_NUMBERS = 6
MAX_CATEGORIES = 4
TELLING = 5.0  # times farther apart than they are wide: else the groups say nothing
FAR = 12.0  # robust z-score inside a group
MOST = 2

Levels = dict[Any, tuple[float, float]]


def group_outliers(rows: Sequence[Any]) -> list[Odd]:
    """Return the rows with a number far off those of the rows with the same category.

    Example:
        >>> rows = [{"unit": "g" if n % 2 else "t", "mass": 50.0 + n % 7 + n % 2 * 1e6} for n in range(200)]
        >>> rows[120]["mass"] = 700.0
        >>> [(odd.row, odd.why) for odd in group_outliers(rows)]
        [(120, 'far off mass for unit t')]
    """
    sample = [row for row in rows[:: max(1, len(rows) // SAMPLE)] if isinstance(row, dict)]
    if len(rows) < MIN_ROWS or len(sample) < MIN_ROWS:
        return []
    numbers, categories = _roles(sample)
    odd: list[Odd] = []
    for number in numbers[:MAX_NUMBERS]:
        found = [(_levels(sample, number, name), name) for name in categories[:MAX_CATEGORIES]]
        best = min(((width, name, levels) for (width, levels), name in found if levels), default=None)
        if best is not None and best[0] * TELLING < 1:
            odd += _far(rows, number, best[1], best[2])
    return odd


def _roles(sample: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the fields that hold numbers, and those that hold one of a few texts."""
    numbers, categories = [], []
    for name in sample[0]:
        cells = [row.get(name) for row in sample]
        types = set(map(type, cells)) - {type(None)}
        if types <= {int, float} and types and len(set(cells)) >= MIN_VALUES:
            numbers.append(name)
        elif types == {str} and 2 <= len(set(cells)) <= MAX_GROUPS:
            categories.append(name)
    return numbers, categories


def _levels(sample: list[dict[str, Any]], number: str, category: str) -> tuple[float, Levels]:
    """Return center and spread of each group, and how wide groups are to how far apart they are."""
    groups: dict[Any, list[Any]] = {}
    for row in sample:
        value = row.get(number)
        if value is not None:
            groups.setdefault(row.get(category), []).append(value)
    try:
        levels = {key: center_of(cells) for key, cells in groups.items() if len(cells) >= MIN_GROUP}
    except OverflowError:  # integers beyond a float
        return 1.0, {}
    centers = [center for center, _ in levels.values()]
    spreads = sorted(spread for _, spread in levels.values())
    if len(centers) < 2 or max(centers) == min(centers):
        return 1.0, {}
    return spreads[len(spreads) // 2] / (max(centers) - min(centers)), levels


def _far(rows: Sequence[Any], number: str, category: str, levels: Levels) -> list[Odd]:
    try:
        cells = list(map(itemgetter(number, category), rows))
    except (KeyError, TypeError):
        return []
    far = []
    for row, (value, key) in enumerate(cells):
        level = levels.get(key) if type(key) is str else None
        if level is not None and value is not None and type(value) in (int, float):
            z = abs(value - level[0]) / level[1]
            if z > FAR:
                far.append((-z, row, key))
    if len(far) > max(MOST + 1, len(rows) // 500):  # long tails: no row of them is odd
        return []
    return [
        Odd(min(90.0, 50 - z / 4), row, f"far off {number} for {category} {show(key)}"[:80])
        for z, row, key in sorted(far)[:MOST]
    ]
