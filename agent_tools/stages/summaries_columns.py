"""Read one column of records: its statistics, and the rows in which it is out of the ordinary.

A part of `budget`.

Cost: a few C-level passes per column (`min`, `sum`, `Counter`), about 10 ms per 100,000 cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import nlargest, nsmallest
from itertools import pairwise
from operator import methodcaller
from typing import Any

from agent_tools.stages.summaries_text import find_words, words_for

SAMPLE = 512
MAX_CATEGORIES = 60
MAX_DISTINCT = 20_000
TOP_VALUES = 4
OUTLIERS = 3  # of each end and column: a fixed number, so that the largest is always among the rows shown
FAR = 6.0  # robust z-score from which a value is called far off
BLOCKS = 32
MAX_VALUE = 40
_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}.*)?)?")
_KIND_NAMES = {
    int: "number",
    float: "number",
    bool: "true or false",
    str: "text",
    dict: "object",
    list: "list",
}


@dataclass(frozen=True, slots=True)
class Odd:
    """A row that a reader needs: how much (0 to 100), which, and why."""

    score: float
    row: int
    why: str


@dataclass(slots=True)
class Column:
    """What one column holds."""

    name: str
    said: str = ""  # its statistics in words
    odd: list[Odd] = field(default_factory=list)
    interest: float = 0.0


def read_column(name: str, cells: list[Any], rows: Sequence[int] | None = None) -> list[Column]:
    """Read a column; one of objects gives a column for each of their fields.

    Args:
        name: Its field, dotted when nested.
        cells: One value per row that has the field.
        rows: The row of each cell; None when cell i is of row i.
    """
    column = Column(name)
    at = rows if rows is not None else range(len(cells))
    kinds = Counter(map(type, cells))
    nulls = kinds.pop(type(None), 0)
    if nulls:
        _read_nulls(column, cells, at, nulls)
        kept = [place for place, cell in enumerate(cells) if cell is not None]
        cells, at = [cells[place] for place in kept], [at[place] for place in kept]
    more: list[Column] = []
    if len(kinds) > 1 and set(kinds) != {int, float}:
        _read_mixed(column, cells, at, kinds)
    elif cells:
        more = _BY_KIND[type(cells[0])](column, cells, at) or []
    if nulls:
        column.said += f"{',' if column.said else ''} {nulls} null"
    column.said = column.said.strip()
    return [column, *more]


def _label(name: str) -> str:
    return name or "value"


def _read_nulls(column: Column, cells: list[Any], at: Sequence[int], nulls: int) -> None:
    present = len(cells) - nulls
    if nulls <= max(1, len(cells) // 20):
        first = cells.index(None)
        column.odd.append(Odd(50 + 20 / nulls, at[first], f"{_label(column.name)} is null"))
    elif 0 < present <= max(1, len(cells) // 50):
        first = next(place for place, cell in enumerate(cells) if cell is not None)
        column.odd.append(Odd(70 + 10 / present, at[first], f"{_label(column.name)} is not null"))


def _read_mixed(column: Column, cells: list[Any], at: Sequence[int], kinds: Counter[type]) -> None:
    counts: Counter[str] = Counter()
    for kind, number in kinds.items():
        counts[_KIND_NAMES[kind]] += number
    column.said = ", ".join(f"{count} {word}" for word, count in counts.most_common(TOP_VALUES))
    for word, count in counts.items():
        if count <= max(1, len(cells) // 50):
            row = next(p for p, cell in enumerate(cells) if _KIND_NAMES[type(cell)] == word)
            column.odd.append(Odd(80 + 10 / count, at[row], f"{_label(column.name)} is {word} here"))
    usual = counts.most_common(1)[0][0]
    places = [place for place, cell in enumerate(cells) if _KIND_NAMES[type(cell)] == usual]
    inner = Column(column.name)
    usual_cells = [cells[place] for place in places]
    _BY_KIND[type(usual_cells[0])](inner, usual_cells, [at[place] for place in places])
    column.said += f"; {inner.said}" if inner.said else ""
    column.odd += inner.odd


# --- numbers


def _read_numbers(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    low, high = min(cells), max(cells)
    if low == high:
        column.said = f"{show(low)}" if len(cells) == 1 else f"always {show(low)}"
        return
    try:
        mean = sum(cells) / len(cells)
        column.said = f"{show(low)} to {show(high)}, mean {mean:.6g}"
        _read_outliers(column, cells, at)
    except OverflowError:  # integers beyond a float have no distance that matters here
        column.said = f"{show(low)} to {show(high)}"


def _read_outliers(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    step = max(1, len(cells) // SAMPLE)
    sample = cells[::step]
    if _is_sequence(sample):
        return
    center, spread = _center(sample)
    name = _label(column.name)
    # a second level of the series is no outlier, however far it is from the first
    levels = sum(abs(value - center) / spread > FAR for value in sample) > max(1, len(sample) // 50)
    for pick, word in ((nlargest, "largest"), (nsmallest, "smallest")):
        extreme = (max if pick is nlargest else min)(cells)
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
    _read_step(column, cells, at)


def _is_sequence(sample: list[Any]) -> bool:
    """Ids and time stamps: their ends are no outliers."""
    if len(sample) < 6:
        return False
    pairs = list(pairwise(sample))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _center(sample: list[Any]) -> tuple[float, float]:
    """Return the median and 1.4826 times the median absolute deviation, never zero."""
    ordered = sorted(sample)
    center = float(ordered[len(ordered) // 2])
    distances = sorted(abs(value - center) for value in ordered)
    spread = 1.4826 * distances[len(distances) // 2]
    if not spread:
        # more than half are the same: the mean deviation still tells how the others spread
        spread = 1.2533 * sum(distances[: max(1, int(len(distances) * 0.95))]) / len(distances)
    return center, spread or abs(center) * 0.05 or 1.0


def _read_step(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    """Find where the level of a series changes for good."""
    width = len(cells) // BLOCKS
    if width < 2:
        return
    stride = max(1, width // 9)
    blocks = [sorted(cells[i * width : (i + 1) * width : stride]) for i in range(BLOCKS)]
    levels = [block[len(block) // 2] for block in blocks]
    best, place, low, high = 0.0, 0, 0.0, 0.0
    for split in range(2, BLOCKS - 1):
        left, right = _median(levels[:split]), _median(levels[split:])
        rest = [abs(v - left) for v in levels[:split]] + [abs(v - right) for v in levels[split:]]
        jump = abs(left - right)
        score = jump / (1.4826 * _median(rest) or 1e-3 * jump or 1.0)
        if score > best:
            best, place, low, high = score, split, left, right
    within = _center([v for block in blocks[:place] for v in block])[1] if place else 1.0
    if best < 8 or abs(high - low) < 2.5 * within:
        return
    start, end = (place - 1) * width, min((place + 1) * width, len(cells))
    middle, rising = (low + high) / 2, high > low
    after = [(value > middle) == rising for value in cells[start:end]]
    balance, lowest, row = 0, 0, 0
    for offset, is_after in enumerate(after):
        balance += 1 if is_after else -1
        if balance < lowest:
            lowest, row = balance, offset + 1
    score = 62 + min(best, 100) / 10
    column.odd.append(Odd(score, at[min(start + row, len(cells) - 1)], f"{_label(column.name)} changes here"))


def _median(values: list[Any]) -> float:
    ordered = sorted(values)
    return float(ordered[len(ordered) // 2])


# --- text and booleans


def _read_flags(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    _read_categories(column, Counter(cells), cells, at)


def _read_texts(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    step = max(1, len(cells) // SAMPLE)
    sample = cells[::step]
    distinct = len(set(sample))
    dated = all(len(text) < 40 and _DATE.fullmatch(text) for text in sample[:: max(1, len(sample) // 40)])
    if not dated and distinct <= min(MAX_CATEGORIES, max(4, len(sample) // 4)):
        counts = Counter(cells)
        if len(counts) <= max(4 * MAX_CATEGORIES, len(cells) // 20):
            _read_categories(column, counts, cells, at)
            return
    _say_texts(column, cells, dated)
    _read_free_texts(column, cells, at)


def _say_texts(column: Column, cells: list[Any], dated: bool) -> None:
    if dated:
        column.said = f"{min(cells)[:MAX_VALUE]} to {max(cells)[:MAX_VALUE]}"
        return
    number = len(set(cells[:MAX_DISTINCT]))
    more = "at least " if len(cells) > MAX_DISTINCT else ""
    column.said = f"{more}{number} different texts" if number > 1 else f"always {show(cells[0])}"


def _read_categories(column: Column, counts: Counter[Any], cells: list[Any], at: Sequence[int]) -> None:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    if len(ordered) == 1:
        column.said = f"always {show(ordered[0][0])}" if len(cells) > 1 else show(ordered[0][0])
        return
    limit = max(1, len(cells) // 50)
    rare = [(value, count) for value, count in ordered if count <= limit]
    usual = ordered[:TOP_VALUES] if len(ordered) > TOP_VALUES + 1 else ordered
    named = usual + [item for item in rare[-2:] if item not in usual]
    column.said = ", ".join(f"{show(value)} {count}" for value, count in named)
    others = len(ordered) - len(named)
    column.said += f" and {others} other values" if others > 0 else ""
    name = _label(column.name)
    if len(cells) >= 8 and sum(count for _, count in rare) <= len(cells) // 5:
        for value, count in rare[::-1][:4]:
            why = f"only {name} of its kind" if count == 1 else f"rare {name}"
            column.odd.append(Odd(60 + 25 / count, at[cells.index(value)], why))
    common = [value for value, count in ordered if count > limit][:6]
    for value in common[1:]:
        column.odd.append(Odd(22, at[cells.index(value)], f"first with another {name}"))


def _read_free_texts(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    name = _label(column.name)
    lengths = list(map(len, cells))
    center, spread = _center(lengths[:: max(1, len(lengths) // SAMPLE)])
    longest = max(lengths)
    if (longest - center) / max(spread, 2.0) > 2 * FAR:
        column.odd.append(Odd(58, at[lengths.index(longest)], f"longest {name}"))
    shortest = min(lengths)
    if (center - shortest) / max(spread, 1.0) > FAR:
        column.odd.append(Odd(50, at[lengths.index(shortest)], f"shortest {name}"))
    _read_looks(column, cells, at)
    _read_frame(column, cells, at)
    _read_error_words(column, cells, at)


# what a text looks like at a C-level glance; a look that few texts of a column have is odd
LOOKS = (str.isupper, str.islower, str.isdigit, str.isascii)


def _read_looks(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    total, limit = len(cells), max(1, len(cells) // 200)
    if total < 8:
        return
    for look in LOOKS:
        flags = list(map(look, cells))
        count = sum(flags)
        rarer = count <= total - count
        number = count if rarer else total - count
        if 0 < number <= limit:
            row = flags.index(rarer)
            column.odd.append(Odd(52 + 20 / number, at[row], f"{_label(column.name)} unlike the others"))
    if total <= 3000:
        keys = [look_of(text) for text in cells]
        counts = Counter(keys)
        if counts.most_common(1)[0][1] >= 0.6 * total:
            for key, number in counts.items():
                if number <= limit:
                    score = 50 + 20 / number
                    column.odd.append(
                        Odd(score, at[keys.index(key)], f"{_label(column.name)} unlike the others")
                    )


def _read_frame(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    """Find the texts without the beginning or the end that all texts of a sample have."""
    sample = [text for text in cells[:: max(1, len(cells) // SAMPLE)] if text]
    if len(cells) < 50:
        return
    for turned in (False, True):
        turn = [text[::-1] for text in sample] if turned else sample
        shared = _common(sorted(turn)[len(turn) // 50 : -(len(turn) // 50) or None])
        if not shared:
            continue
        has = methodcaller("endswith", shared[::-1]) if turned else methodcaller("startswith", shared)
        flags = list(map(has, cells))
        number = len(flags) - sum(flags)
        if 0 < number <= max(1, len(cells) // 200):
            score = 54 + 20 / number
            column.odd.append(Odd(score, at[flags.index(False)], f"{_label(column.name)} unlike the others"))


def _common(ordered: list[str]) -> str:
    """Return the beginning that the first and the last of sorted texts share, so all share it."""
    first, last = ordered[0], ordered[-1]
    length = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last))
    )
    return first[:length]


_LOWER, _UPPER, _FIGURES = re.compile(r"[a-z]+"), re.compile(r"[A-Z]+"), re.compile(r"\d+")
_REPEATED = re.compile(r"(a )(?:a )+")


def look_of(text: str) -> str:
    """Return the pattern of a text: runs of small letters, capitals and digits squashed.

    Example:
        >>> look_of("user12@example.com"), look_of("INV-2026"), look_of("the cat sat on it")
        ('a0@a.a', 'A-0', 'a')
    """
    squashed = _FIGURES.sub("0", _UPPER.sub("A", _LOWER.sub("a", text[:120])))
    return _REPEATED.sub(r"\1", squashed + " ").strip() if " " in squashed else squashed


def _read_error_words(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    joined = "\0".join(cells)
    if len(joined) < 12 * len(cells):  # names and ids hold no messages
        return
    seen: dict[str, list[int]] = {}
    for place, word in find_words(joined, words_for(joined), 60):
        seen.setdefault(word, []).append(place)
    for places in sorted(seen.values(), key=len):
        if len(places) <= max(2, len(cells) // 20):
            row = joined.count("\0", 0, places[0])
            score = 66 + 20 / len(places)
            column.odd.append(
                Odd(score, at[min(row, len(cells) - 1)], f"error word in {_label(column.name)}")
            )


# --- objects and lists


def _read_objects(column: Column, cells: list[Any], at: Sequence[int]) -> list[Column]:
    from agent_tools.stages.summaries_rows import read_records

    columns, odd = read_records(cells, at, column.name + ".")
    column.odd += odd
    return columns


def _read_lists(column: Column, cells: list[Any], at: Sequence[int]) -> None:
    lengths = list(map(len, cells))
    low, high = min(lengths), max(lengths)
    column.said = f"{low} entries" if low == high else f"{low} to {high} entries"
    center, spread = _center(lengths[:: max(1, len(lengths) // SAMPLE)])
    if (high - center) / max(spread, 0.5) > FAR:
        column.odd.append(Odd(56, at[lengths.index(high)], f"most {_label(column.name)}"))


_BY_KIND: dict[type, Any] = {
    int: _read_numbers,
    float: _read_numbers,
    bool: _read_flags,
    str: _read_texts,
    dict: _read_objects,
    list: _read_lists,
}


def show(value: Any) -> str:
    """Write a value inside a sentence, clipped.

    Example:
        >>> show(True), show(2.0), show("FAILED"), show("a" * 50) == "a" * 40
        ('true', '2.0', 'FAILED', True)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 200:
        return "a very large number"
    text = value if isinstance(value, str) else repr(value)
    return " ".join(text.split())[:MAX_VALUE] if text.strip() else repr(text[:3])
