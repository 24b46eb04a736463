"""Survey rows that come by and are not kept: statistics over all of them, and the rows worth showing.

A part of `budget`. Memory is bounded whatever comes: the first rows, and for each column the extremes, the
first null, the first of each type and of each value while the values are few.

Cost: about 1.5 us a row of five columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent_tools.result import Json
from agent_tools.stages.summaries_numbers import NAMES_ONE
from agent_tools.stages.summaries_odd import FAR, Odd, center_of, label, show
from agent_tools.stages.summaries_rows import Survey, rank

FIRST_ROWS = 200
MAX_COLUMNS = 100
MAX_VALUES = 60
MAX_SHAPES = 50
MAX_ASKED = 8
EXTREMES = 3
MAX_SAMPLE = 4096
RARE = 2


class StreamedRows(list[Json]):
    """The rows kept of a stream: a list that knows their numbers and what there is to say of all of them.

    Attributes:
        numbers: The number of each row in the stream, ascending.
        total: How many rows there were.
        survey: Statistics over all of them; `ranked` counts places in this list.
    """

    def __init__(self, rows: Sequence[Json], numbers: list[int], total: int, survey: Survey) -> None:
        super().__init__(rows)
        self.numbers = numbers
        self.total = total
        self.survey = survey

    def replaced(self, rows: Sequence[Json], *, may_tell: bool = True) -> StreamedRows:
        """Return the same stream with its rows seen otherwise; without statistics unless they may be told."""
        survey = self.survey if may_tell else Survey(self.total)
        return StreamedRows(rows, self.numbers, self.total, survey)


def total_of(rows: Sequence[Json]) -> int:
    """Return how many rows a list stands for."""
    return rows.total if isinstance(rows, StreamedRows) else len(rows)


def number_of(rows: Sequence[Json], place: int) -> int:
    """Return the number of a row by its place in the list."""
    return rows.numbers[place] if isinstance(rows, StreamedRows) else place


@dataclass(slots=True)
class _Column:
    """What came by in one column."""

    name: str
    count: int = 0
    nulls: int = 0
    total: float = 0.0
    numbers: int = 0
    low: list[tuple[float, int]] = field(default_factory=list)
    high: list[tuple[float, int]] = field(default_factory=list)
    sample: list[float] = field(default_factory=list)
    stride: int = 1
    values: Counter[Any] = field(default_factory=Counter)
    has_many: bool = False
    types: dict[str, int] = field(default_factory=dict)
    type_counts: Counter[str] = field(default_factory=Counter)
    first_null: int | None = None
    first_of: dict[Any, int] = field(default_factory=dict)


class StreamSurvey:
    """Reads blocks of rows as they come.

    Example:
        >>> survey = StreamSurvey({}, None)
        >>> for start in range(0, 5000, 1000):
        ...     numbers = range(start, start + 1000)
        ...     survey.add([{"id": n, "celsius": 94.0 if n == 777 else 21.5} for n in numbers])
        >>> rows = survey.finish()
        >>> rows.total, rows.numbers[-1], rows.survey.ranked[0]
        (5000, 4999, (200, 'largest celsius'))
    """

    def __init__(
        self,
        asked: Mapping[str, Json],
        important: str | Callable[[Any], Any] | None,
        first_rows: int = FIRST_ROWS,
    ) -> None:
        self.total = 0
        self.first_rows = first_rows
        self._asked = {name: value for name, value in asked.items() if isinstance(value, (str, int, float))}
        self._important = important
        self._weighed: list[tuple[float, int]] = []
        self._kept: dict[int, Json] = {}
        self._columns: dict[str, _Column] = {}
        self._shapes: dict[tuple[str, ...], list[int]] = {}
        self._matching: list[int] = []
        self._last: tuple[int, Json] | None = None

    def add(self, rows: Sequence[Json]) -> None:
        """Read a block of rows; it may be forgotten afterwards."""
        start = self.total
        for place in range(start, min(start + len(rows), self.first_rows)):
            self._kept[place] = rows[place - start]
        found: set[int] = set()
        records = [(start + place, row) for place, row in enumerate(rows) if isinstance(row, dict)]
        for name, cells in _by_column(records).items():
            column = self._columns.get(name)
            if column is None:
                if len(self._columns) >= MAX_COLUMNS:
                    continue
                column = self._columns[name] = _Column(name)
            found.update(_read(column, cells))
        found.update(self._read_shapes(records), self._read_asked(records), self._weigh(rows, start))
        if len(records) < len(rows):
            found.update(self._read_others(rows, start))
        for number in found:
            self._kept[number] = rows[number - start]
        self.total += len(rows)
        if rows:
            self._last = (self.total - 1, rows[-1])
        self._forget()

    def finish(self) -> StreamedRows:
        """Return the kept rows with what is to be said of all of them."""
        wanted = {odd.row for odd in self._odd()} | {number for _, number in self._weighed}
        if self._last is not None:
            wanted.add(self._last[0])
            self._kept[self._last[0]] = self._last[1]
        numbers = sorted(n for n in self._kept if n < self.first_rows or n in wanted)
        places = {number: place for place, number in enumerate(numbers)}
        survey = Survey(self.total)
        columns = [column for column in self._columns.values() if column.name]
        survey.columns = [column.name for column in columns]
        survey.clauses = [f"{label(column.name)}: {said}" for column in columns if (said := _say(column))]
        odd = [Odd(o.score, places[o.row], o.why) for o in self._odd() if o.row in places]
        why = "important" if callable(self._important) else f"high {self._important}"
        survey.ranked = rank(odd, [(places[n], why) for _, n in self._weighed if n in places])
        return StreamedRows([self._kept[n] for n in numbers], numbers, self.total, survey)

    # --- what is noticed while rows come by

    def _read_shapes(self, records: list[tuple[int, dict[str, Json]]]) -> list[int]:
        new = []
        for number, row in records:
            shape = tuple(row)
            seen = self._shapes.get(shape)
            if seen is not None:
                seen[1] += 1
            elif len(self._shapes) < MAX_SHAPES:
                self._shapes[shape] = [number, 1]
                new.append(number)
        return new

    def _read_asked(self, records: list[tuple[int, dict[str, Json]]]) -> list[int]:
        new: list[int] = []
        for name, value in self._asked.items():
            if len(self._matching) >= MAX_ASKED:
                break
            columns = (
                [name] if name in self._columns else list(self._columns) if isinstance(value, str) else []
            )
            # a condition that all rows fulfil singles out none
            hits = [n for n, row in records if any(row.get(c) == value for c in columns)]
            if hits and len(hits) < max(2, len(records) // 10):
                new += hits[: MAX_ASKED - len(self._matching)]
                self._matching += hits[: MAX_ASKED - len(self._matching)]
        return new

    def _weigh(self, rows: Sequence[Json], start: int) -> list[int]:
        important = self._important
        if important is None:
            return []
        weighed = []
        for place, row in enumerate(rows):
            try:
                weight = important(row) if callable(important) else row.get(important)  # type: ignore[union-attr]
                weighed.append((float(weight), start + place))  # type: ignore[arg-type]  # else it raises
            except Exception:  # noqa: BLE001 - a row that the tool's own ranking can't weigh is not important
                continue
        best = sorted(self._weighed + [w for w in weighed if w[0]], key=lambda w: (-w[0], w[1]))
        self._weighed = best[:20]
        return [number for _, number in self._weighed if number >= start]

    def _read_others(self, rows: Sequence[Json], start: int) -> list[int]:
        cells = [(start + place, row) for place, row in enumerate(rows) if not isinstance(row, dict)]
        column = self._columns.setdefault("", _Column(""))
        return _read(column, cells)

    def _odd(self) -> list[Odd]:
        odd = [Odd(60, number, "matches the arguments") for number in self._matching]
        for column in self._columns.values():
            odd += _odd_of(column)
        for shape, (number, count) in self._shapes.items():
            if count <= RARE and self.total > 10 * RARE:
                extra = [name for name in shape if self._columns[name].count <= RARE]
                odd.append(Odd(55, number, f"only it has {extra[0]}" if extra else "lacks a field"))
        return odd

    def _forget(self) -> None:
        # what was extreme for a while is no longer wanted
        if len(self._kept) > self.first_rows + 2000:
            wanted = {odd.row for odd in self._odd()} | {number for _, number in self._weighed}
            wanted |= {n for c in self._columns.values() for _, n in (*c.low, *c.high)}
            wanted |= {n for c in self._columns.values() for n in c.first_of.values()}
            wanted |= {number for number, _ in self._shapes.values()}
            self._kept = {n: row for n, row in self._kept.items() if n < self.first_rows or n in wanted}


def _by_column(records: list[tuple[int, dict[str, Json]]]) -> dict[str, list[tuple[int, Json]]]:
    columns: dict[str, list[tuple[int, Json]]] = {}
    for number, row in records:
        for name, cell in row.items():
            cells = columns.get(name)
            if cells is None:
                cells = columns[name] = []
            cells.append((number, cell))
    return columns


def _read(column: _Column, cells: list[tuple[int, Any]]) -> list[int]:
    """Read the cells of a block; return the rows to keep for now."""
    column.count += len(cells)
    new: list[int] = []
    kinds = Counter(type(cell) for _, cell in cells)
    for kind, count in kinds.items():
        name = "number" if kind in (int, float) else kind.__name__
        column.type_counts[name] += count
        if name not in column.types:
            number = next(n for n, cell in cells if type(cell) is kind)
            column.types[name] = number
            new.append(number)
    column.nulls += kinds.get(type(None), 0)
    numbers = [(cell, n) for n, cell in cells if type(cell) is int or type(cell) is float]
    if numbers:
        new += _read_numbers(column, numbers)
    texts = [(cell, n) for n, cell in cells if type(cell) is str or type(cell) is bool]
    if texts and not column.has_many:
        new += _read_values(column, texts)
    return new


def _read_numbers(column: _Column, cells: list[tuple[Any, int]]) -> list[int]:
    values = [value for value, _ in cells]
    column.numbers += len(values)
    try:
        column.total += sum(values)
    except OverflowError:  # integers beyond what a float holds
        column.total = float("inf")
    column.sample += values[:: column.stride]
    while len(column.sample) > MAX_SAMPLE:
        # ever sparser, so that the sample is of the whole stream and not of its beginning
        column.sample = column.sample[::2]
        column.stride *= 2
    low, high = min(values), max(values)
    if len(column.low) < EXTREMES or low < column.low[-1][0] or high > column.high[-1][0]:
        column.low = sorted([*column.low, *cells], key=lambda cell: cell[0])[:EXTREMES]
        column.high = sorted([*column.high, *cells], key=lambda cell: -cell[0])[:EXTREMES]
    begin = cells[0][1]
    return [number for _, number in (*column.low, *column.high) if number >= begin]


def _read_values(column: _Column, cells: list[tuple[Any, int]]) -> list[int]:
    column.values.update(value for value, _ in cells)
    if len(column.values) > MAX_VALUES:
        column.has_many = True
        column.values.clear()
        column.first_of.clear()
        return []
    new = []
    for value, number in cells:
        if value not in column.first_of:
            column.first_of[value] = number
            new.append(number)
    return new


def _odd_of(column: _Column) -> list[Odd]:
    name = label(column.name)
    odd: list[Odd] = []
    for kind, number in column.types.items():
        share = column.type_counts[kind]
        if share <= max(1, column.count // 1000) and len(column.types) > 1:
            odd.append(Odd(60, number, f"{name} is {'null' if kind == 'NoneType' else f'a {kind}'}"))
    if len(column.sample) >= 20:
        center, spread = center_of(column.sample)
        for word, ends in (("largest", column.high), ("smallest", column.low)):
            for place, (value, number) in enumerate(ends):
                z = abs(value - center) / spread
                if z > FAR:
                    odd.append(
                        Odd(
                            min(95.0, 45 + z / 4) - place,
                            number,
                            f"{word} {name}" if not place else f"far off {name}",
                        )
                    )
    if not column.has_many and len(column.values) > 1:
        common = column.values.most_common(1)[0][1]
        for value, count in column.values.items():
            if count <= RARE and common > 20 * count:
                odd.append(Odd(58, column.first_of[value], f"only {name} of its kind"))
    return odd


def _say(column: _Column) -> str:
    """Say what a column holds, over all rows."""
    parts = []
    if column.numbers:
        parts.append(f"{show(column.low[0][0])} to {show(column.high[0][0])}")
        if not NAMES_ONE.search(column.name):
            parts.append(f"mean {round(column.total / column.numbers, 6):g}")
    elif column.has_many:
        parts.append("many different texts")
    elif column.values:
        common = ", ".join(f"{show(value)} {count}" for value, count in column.values.most_common(4))
        more = len(column.values) - 4
        parts.append(common + (f" and {more} other values" if more > 0 else ""))
    if column.nulls:
        parts.append(f"{column.nulls} null")
    return ", ".join(parts)
