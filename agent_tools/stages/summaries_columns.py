"""Read one column of records: its statistics, and the rows in which it is out of the ordinary.

A part of `budget`.

Cost: a few C-level passes per column (`min`, `sum`, `Counter`), about 10 ms per 100,000 cells.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain
from typing import Any

from agent_tools.stages.summaries_numbers import read_numbers
from agent_tools.stages.summaries_odd import FAR, SAMPLE, Column, Odd, center_of, label
from agent_tools.stages.summaries_words import read_flags, read_integers, read_texts

TOP_KINDS = 4
MIN_TABLE = 12
MAX_WIDTH = 40  # entries of lists that are read as the rows of a table
MAX_ENTRIES = 300_000  # of all lists of a column
_KIND_NAMES = {
    int: "number",
    float: "number",
    bool: "true or false",
    str: "text",
    dict: "object",
    list: "list",
}


def read_column(
    name: str, cells: list[Any], rows: Sequence[int] | None = None, types: set[type] | None = None
) -> list[Column]:
    """Read a column; one of objects gives a column for each of their fields.

    Args:
        name: Its field, dotted when nested.
        cells: One value per row that has the field.
        rows: The row of each cell; None when cell i is of row i.
        types: The types of the cells, where they are known.
    """
    column = Column(name)
    at = rows if rows is not None else range(len(cells))
    # a set takes a third of the time of counting, and mostly there is one type
    types = types or set(map(type, cells))
    kinds = Counter(map(type, cells)) if len(types) > 1 else Counter(dict.fromkeys(types, len(cells)))
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
    if len(kinds) > 1 and set(kinds) == {int, float}:
        _read_fractions(column, cells, at, kinds[float])
    if nulls:
        column.said += f"{',' if column.said else ''} {nulls} null"
    column.said = column.said.strip()
    return [column, *more]


def _read_nulls(column: Column, cells: list[Any], at: Sequence[int], nulls: int) -> None:
    present = len(cells) - nulls
    if nulls <= max(1, len(cells) // 20):
        first = cells.index(None)
        column.odd.append(Odd(60 + 20 / nulls, at[first], f"{label(column.name)} is null"))
    elif 0 < present <= max(1, len(cells) // 50):
        first = next(place for place, cell in enumerate(cells) if cell is not None)
        column.odd.append(Odd(70 + 10 / present, at[first], f"{label(column.name)} is not null"))


def _read_fractions(column: Column, cells: list[Any], at: Sequence[int], floats: int) -> None:
    """Find the few that are no whole numbers among whole ones."""
    if floats <= max(1, len(cells) // 50):
        odd = [place for place, cell in enumerate(cells) if type(cell) is float and not cell.is_integer()]
        if odd:
            column.odd.append(Odd(52 + 20 / len(odd), at[odd[0]], f"{label(column.name)} has a fraction"))


def _read_mixed(column: Column, cells: list[Any], at: Sequence[int], kinds: Counter[type]) -> None:
    counts: Counter[str] = Counter()
    for kind, number in kinds.items():
        counts[_KIND_NAMES[kind]] += number
    column.said = ", ".join(f"{count} {word}" for word, count in counts.most_common(TOP_KINDS))
    for word, count in counts.items():
        if count <= max(1, len(cells) // 50):
            row = next(p for p, cell in enumerate(cells) if _KIND_NAMES[type(cell)] == word)
            column.odd.append(Odd(80 + 10 / count, at[row], f"{label(column.name)} is {word} here"))
    usual = counts.most_common(1)[0][0]
    places = [place for place, cell in enumerate(cells) if _KIND_NAMES[type(cell)] == usual]
    inner = Column(column.name)
    usual_cells = [cells[place] for place in places]
    _BY_KIND[type(usual_cells[0])](inner, usual_cells, [at[place] for place in places])
    column.said += f"; {inner.said}" if inner.said else ""
    column.odd += inner.odd


# --- objects and lists


def _read_objects(column: Column, cells: list[Any], at: Sequence[int]) -> list[Column]:
    from agent_tools.stages.summaries_rows import read_records

    columns, odd = read_records(cells, at, column.name + ".")
    column.odd += odd
    return columns


def _read_lists(column: Column, cells: list[Any], at: Sequence[int]) -> list[Column]:
    lengths = list(map(len, cells))
    low, high = min(lengths), max(lengths)
    column.said = f"{low} entries" if low == high else f"{low} to {high} entries"
    center, spread = center_of(lengths[:: max(1, len(lengths) // SAMPLE)])
    if (high - center) / max(spread, 0.5) > FAR:
        column.odd.append(Odd(56, at[lengths.index(high)], f"most {label(column.name)}"))
    rare = lengths.count(low)
    if low < high and rare <= max(1, len(lengths) // 200) and lengths.count(int(center)) > 0.9 * len(lengths):
        column.odd.append(Odd(50 + 20 / rare, at[lengths.index(low)], f"fewest {label(column.name)}"))
    return _read_positions(column, cells, at, lengths) or _read_entries(column, cells, at)


def _read_positions(column: Column, cells: list[Any], at: Sequence[int], lengths: list[int]) -> list[Column]:
    """Read lists of one length as rows of a table: the third of each is a column."""
    width, number = Counter(lengths).most_common(1)[0]
    if not 2 <= width <= MAX_WIDTH or number < max(MIN_TABLE, 0.95 * len(cells)):
        return []
    rows = [place for place, length in enumerate(lengths) if length == width]
    first = cells[rows[0]]
    if any(isinstance(entry, dict | list) for entry in first) or len(set(map(type, first))) == 1:
        return []
    numbers = [at[place] for place in rows]
    return [
        inner
        for position in range(width)
        for inner in read_column(
            f"{column.name}[{position}]", [cells[place][position] for place in rows], numbers
        )
    ]


def _read_entries(column: Column, cells: list[Any], at: Sequence[int]) -> list[Column]:
    """Read what all the lists hold as one list: an odd entry is not odd among the few beside it."""
    from agent_tools.stages.summaries_rows import read_records

    entries = list(chain.from_iterable(cells))
    if len(entries) > MAX_ENTRIES:
        return []
    columns, odd = read_records(entries, range(len(entries)), column.name + "[].")
    ends = list(accumulate(map(len, cells)))

    def in_its_row(odd: Odd) -> Odd:
        return Odd(odd.score, at[bisect_right(ends, odd.row)], odd.why, (entries[odd.row], *odd.inside))

    for inner in columns:
        inner.odd = list(map(in_its_row, inner.odd))
    column.odd += map(in_its_row, odd)
    return columns


_BY_KIND: dict[type, Any] = {
    int: read_integers,
    float: read_numbers,
    bool: read_flags,
    str: read_texts,
    dict: _read_objects,
    list: _read_lists,
}
