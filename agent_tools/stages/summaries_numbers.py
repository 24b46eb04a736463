"""Read a column of numbers: range, mean, outliers, and where its level changes. A part of `budget`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import nlargest, nsmallest
from itertools import pairwise
from typing import Any

from agent_tools.stages.summaries_changes import changes
from agent_tools.stages.summaries_odd import FAR, SAMPLE, Column, Odd, center_of, label, show

NAMES_ONE = re.compile(
    r"(?:^|[^a-zA-Z])(?i:id|[pug]id|ppid|port|line|lineno|row|col|column|offset|year|zip|index|no|nr|version)$"
    r"|[a-z](?:Id|ID|Port|Line|Row|Column|Offset|Year|Index|Version)$"
)
OUTLIERS = 3  # of each end and column: a fixed number, so that the largest is always among the rows shown


def read_numbers(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    low, high = min(cells), max(cells)
    if low == high:
        column.said = f"{show(low)}" if len(cells) == 1 else f"always {show(low)}"
        return
    try:
        column.said = f"{show(low)} to {show(high)}"
        sample = cells[:: max(1, len(cells) // SAMPLE)]
        is_sequence = _is_sequence(sample)
        # numbers that only tell rows apart have no mean: ids, lines, ports, versions
        is_counted = is_sequence and sample[0] < sample[-1] and float not in set(map(type, sample))
        if not is_counted and not NAMES_ONE.search(column.name):
            column.said += f", mean {sum(cells) / len(cells):.6g}"
        if not is_sequence:
            _read_outliers(column, cells, sample, at, low, high)
    except OverflowError:  # integers beyond a float have no distance that matters here
        pass


def _read_outliers(
    column: Column, cells: list[Any], sample: list[Any], at: Sequence[int], low: Any, high: Any
) -> None:
    center, spread = center_of(sample)
    name = label(column.name)
    # a second level of the series is no outlier, however far it is from the first
    levels = sum(abs(value - center) / spread > FAR for value in sample) > max(1, len(sample) // 50)
    for pick, word, extreme in ((nlargest, "largest", high), (nsmallest, "smallest", low)):
        far = abs(extreme - center) / spread
        values = pick(OUTLIERS, cells) if far > FAR and not levels else [extreme]
        count = cells.count(extreme)
        if count > max(1, len(cells) // 50):
            continue
        start = 0
        for rank, value in enumerate(values):
            z = abs(value - center) / spread
            if rank and z <= FAR:
                break
            start = cells.index(value, start if rank and value == values[rank - 1] else 0)
            score = min(95.0, 30 + 4 * z) if z > FAR and not levels else min(18 + z, 26.0)
            column.odd.append(Odd(score - 8 * rank, at[start], f"{word if not rank else 'far off'} {name}"))
            start += 1
    for sign, word, extreme in ((1, "positive", high), (-1, "negative", low)):
        alike = sum(value * sign > 0 for value in sample)
        if extreme * sign > 0 and alike <= max(1, len(sample) // 200):
            column.odd.append(Odd(54, at[cells.index(extreme)], f"{word} {name}"))
    for score, row, what in changes(cells):
        column.odd.append(Odd(score, at[row], f"{name} {what}"))


def _is_sequence(sample: list[Any]) -> bool:
    """Ids and time stamps: their ends are no outliers."""
    if len(sample) < 6:
        return False
    pairs = list(pairwise(sample))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)
