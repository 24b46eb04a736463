"""Show a value in a given number of characters: the same shape with less in it. A part of `budget`.

Everything is a pure function of the value and the room, so that a search over the room finds what
fits. What is left out is listed in the report, never marked inside the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_tools.result import Json
from agent_tools.stages.budget_recognise import MIN_BLOB, read_blob
from agent_tools.stages.budget_size import measure
from agent_tools.stages.budget_text import TextSample
from agent_tools.stages.summaries_columns import look_of
from agent_tools.stages.summaries_rows import Survey, survey

MAX_DEPTH = 12
MIN_MAP = 20
SHORT_CELL = 80  # characters of a cell that are worth more than a part of another one
MIN_LEAF = 12
WIDE = 12
LONG_TEXT = 4000
# what tells how a value as a whole stands: kept before anything else
FIRST_KEYS = re.compile(
    r"(?i)^(operation_?id|id|status|state|ok|success|outcome|result_?code|code|errors?|message|total.*|.*_?count|count"
    r"|.*cursor|next.*|has_?(more|next.*)|page_?info|warnings?)$"
)


@dataclass(slots=True)
class Report:
    """What was left out and what was kept on purpose while showing a value."""

    cut: list[dict[str, Any]] = field(default_factory=list)
    kept: list[dict[str, Any]] = field(default_factory=list)

    def note(self, path: str, shown: int, total: int) -> None:
        """List a place where less is shown than there is."""
        self.cut.append({"path": path, "shown": shown, "total": total})


class Cutter:
    """Shows parts of one value; what it has read of a list or text is kept for the next try."""

    def __init__(
        self,
        asked: Mapping[str, Json],
        important: str | Callable[[Any], Any] | None = None,
        first_keys: bool = True,
    ) -> None:
        self.asked = asked
        self.important = important
        self._surveys: dict[int, Survey] = {}
        self._texts: dict[int, TextSample] = {}
        self._maps: dict[int, list[Json] | None] = {}
        self._blobs: dict[int, dict[str, Json] | None] = {}
        self._alive: list[Any] = []  # keeps the ids above valid

    # --- what was read once

    def survey(self, rows: list[Json]) -> Survey:
        """Return the statistics of a list."""
        if id(rows) not in self._surveys:
            self._surveys[id(rows)] = survey(rows, self.asked, self.important)
            self._alive.append(rows)
        return self._surveys[id(rows)]

    def text(self, text: str) -> TextSample:
        """Return the reading of a text."""
        if id(text) not in self._texts:
            self._texts[id(text)] = TextSample(text)
            self._alive.append(text)
        return self._texts[id(text)]

    def blob(self, text: str) -> dict[str, Json] | None:
        """Return type, size and digest of binary content."""
        if id(text) not in self._blobs:
            self._blobs[id(text)] = read_blob(text)
            self._alive.append(text)
        return self._blobs[id(text)]

    def as_rows(self, value: dict[str, Json]) -> list[Json] | None:
        """Return a map of like values as records with the key as a column, None for another object."""
        if id(value) not in self._maps:
            self._maps[id(value)] = map_rows(value)
            self._alive.append(value)
        return self._maps[id(value)]

    # --- showing

    def show(self, value: Json, path: str, room: int, report: Report, depth: int = 0) -> Json:
        """Return `value` in about `room` characters of JSON."""
        if isinstance(value, str):
            return self._leaf(value, path, room, report)
        if not isinstance(value, dict | list) or not value:
            return value
        if measure(value, room, depth) <= room and not self._holds_blob(value, room):
            return value
        if depth >= MAX_DEPTH:
            report.note(path, 0, len(value))
            return {} if isinstance(value, dict) else []
        if isinstance(value, list):
            return self.rows(value, path, room, report, depth)
        rows = self.as_rows(value)
        if rows is not None:
            return self.rows(rows, path, room, report, depth)
        return self._object(value, path, room, report, depth)

    def _holds_blob(self, value: Json, room: int) -> bool:
        if room < MIN_BLOB:
            return False
        if isinstance(value, str):
            return len(value) >= MIN_BLOB and self.blob(value) is not None
        items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return any(self._holds_blob(item, room) for item in items)

    def _leaf(self, text: str, path: str, room: int, report: Report) -> Json:
        blob = self.blob(text) if len(text) >= MIN_BLOB else None
        if blob is not None:
            report.note(path, 0, len(text))
            return blob
        if len(text) + 2 <= room:
            return text
        if len(text) >= LONG_TEXT and room >= 400:
            sample = self.text(text)
            shown = sample.show(room)
            report.note(path, shown.shown, sample.total)
            return shown.data
        shown_text = text[: max(MIN_LEAF, room - 2)]
        if len(shown_text) < len(text):
            report.note(path, len(shown_text), len(text))
        return shown_text

    def _object(self, value: dict[str, Json], path: str, room: int, report: Report, depth: int) -> Json:
        sizes = {key: measure(item, room, depth + 1) for key, item in value.items()}
        for key, item in value.items():
            if isinstance(item, str) and len(item) >= MIN_BLOB and self.blob(item) is not None:
                sizes[key] = 130
        least = {key: min(size, SHORT_CELL) + len(key) + 4 for key, size in sizes.items()}
        keys = list(value)
        if sum(least.values()) > room:
            keys = self._choose_keys(value, least, room)
            report.note(path, len(keys), len(value))
        shares = fair_shares({key: sizes[key] for key in keys}, room - sum(len(key) + 4 for key in keys) - 2)
        order = set(keys)
        return {
            key: self.show(item, f"{path}.{key}", shares[key], report, depth + 1)
            for key, item in value.items()
            if key in order
        }

    def _choose_keys(self, value: dict[str, Json], least: dict[str, int], room: int) -> list[str]:
        chosen: list[str] = []
        left = room - 2
        ranked = rank_keys(value, self.asked)
        for key in ranked:
            if least[key] <= left or not chosen:
                chosen.append(key)
                left -= least[key]
            elif left < 20:
                break
        return chosen

    def rows(self, rows: list[Json], path: str, room: int, report: Report, depth: int = 0) -> list[Json]:
        """Return the rows of a list that matter most, as many as the room holds."""
        read = self.survey(rows)
        pick = _Pick(self, rows, read, path, room, depth)
        shown = pick.run(report)
        if len(shown) < len(rows):
            report.note(path, len(shown), len(rows))
        return shown


class _Pick:
    """One choice of rows for one room."""

    def __init__(
        self, cutter: Cutter, rows: list[Json], read: Survey, path: str, room: int, depth: int
    ) -> None:
        self.cutter, self.rows, self.read, self.path, self.room, self.depth = (
            cutter,
            rows,
            read,
            path,
            room,
            depth,
        )
        self.chosen: dict[int, Json] = {}
        self.notes: dict[int, Report] = {}
        self.columns: list[str] | None = None

    def run(self, report: Report) -> list[Json]:
        self.columns = self._columns()
        whys = dict(self.read.ranked)
        specials = [row for row, _ in self.read.ranked]
        left = self._take(specials[:1], self.room - 2)
        # up to six tenths for the rows that stand out, the rest for the first ones
        held = int(0.4 * self.room)
        left = self._take(specials[1:], left - held) + held
        left = self._take(range(len(self.rows)), left, stop=True)
        self._fill(left)
        if self.columns is not None and self.chosen:
            report.note(f"{self.path}[*]", len(self.columns), self._width())
        numbers = sorted(self.chosen)
        head = next((place for place, number in enumerate(numbers) if place != number), len(numbers))
        for number in numbers:
            part = self.notes[number]
            report.cut += part.cut
            report.kept += part.kept
            if number >= head and number in whys:
                report.kept.append({"row": number, "why": whys[number]})
        return [self.chosen[number] for number in numbers]

    def _take(self, numbers: Any, left: int, stop: bool = False) -> int:
        misses = 0
        for number in numbers:
            if number in self.chosen:
                continue
            row = self._trimmed(self.rows[number])
            cap = max(160, self.room // min(4, len(self.rows)))
            size = measure(row, cap, self.depth + 1)
            why = 0 if stop else 30
            if min(size, cap) + 1 + why > left:
                misses += 1
                if misses >= (1 if stop else 4) or left < 24:
                    break
                continue
            shown, used = self._show(number, row, min(size, cap) if size > cap else size)
            left -= used + 1 + why
            self.chosen[number] = shown
        return left

    def _show(self, number: int, row: Json, room: int) -> tuple[Json, int]:
        report = Report()
        shown = self.cutter.show(row, f"{self.path}[{number}]", room, report, self.depth + 1)
        self.notes[number] = report
        return shown, measure(shown, self.room * 2, self.depth + 1)

    def _fill(self, left: int) -> None:
        """Show the beginning of one more row where a whole one does not fit."""
        number = next((place for place in range(len(self.rows)) if place not in self.chosen), None)
        if number is None or (left < 40 and self.chosen):
            return
        row = self._trimmed(self.rows[number])
        if self.chosen and not _has_long_part(row):
            return
        shown, used = self._show(number, row, max(left, 24))
        if used <= left or not self.chosen:
            self.chosen[number] = shown

    def _columns(self) -> list[str] | None:
        """Choose columns when a row of all of them would leave no room for others."""
        sample = [row for row in self.rows[:: max(1, len(self.rows) // 16)] if isinstance(row, dict)]
        if not sample or self._width() < WIDE:
            return None
        least = [sum(min(measure(v, 400), SHORT_CELL) + len(k) + 4 for k, v in row.items()) for row in sample]
        share = self.room if len(self.rows) == 1 else self.room // min(len(self.rows), 4)
        if sorted(least)[len(least) // 2] <= share:
            return None
        chosen: list[str] = []
        for name in self._ranked_columns(sample):
            cost = (
                sum(min(measure(row.get(name), 400), SHORT_CELL) for row in sample) // len(sample)
                + len(name)
                + 4
            )
            if cost > share and chosen:
                break
            share -= cost
            chosen.append(name)
        return chosen

    def _ranked_columns(self, sample: list[dict[str, Json]]) -> list[str]:
        own = sample[0]
        if len(self.rows) == 1:
            return rank_keys(own, self.cutter.asked)
        names = list(dict.fromkeys(name for row in sample for name in row))
        telling = {name: place for place, name in enumerate(self.read.columns)}
        first = [name for name in names if name in self.cutter.asked or FIRST_KEYS.match(name)]
        return list(dict.fromkeys([*first[:4], *sorted(names, key=lambda n: telling.get(n, len(telling)))]))

    def _width(self) -> int:
        return max((len(row) for row in self.rows[:50] if isinstance(row, dict)), default=0)

    def _trimmed(self, row: Json) -> Json:
        if self.columns is None or not isinstance(row, dict):
            return row
        wanted = set(self.columns)
        return {name: cell for name, cell in row.items() if name in wanted}


def _has_long_part(row: Json) -> bool:
    if isinstance(row, str):
        return len(row) > 40
    items = row.values() if isinstance(row, dict) else row if isinstance(row, list) else ()
    return any(isinstance(item, dict | list) or (isinstance(item, str) and len(item) > 60) for item in items)


def fair_shares(sizes: Mapping[str, int], room: int) -> dict[str, int]:
    """Divide room so that nobody gets more than asked and the smallest share is as large as it can be.

    Example:
        >>> fair_shares({"a": 10, "b": 500, "c": 500}, 210)
        {'a': 10, 'b': 100, 'c': 100}
    """
    shares: dict[str, int] = {}
    left, open_ = max(room, 0), len(sizes)
    for key, size in sorted(sizes.items(), key=lambda item: item[1]):
        shares[key] = min(size, left // open_)
        left -= shares[key]
        open_ -= 1
    return shares


def rank_keys(value: Mapping[str, Json], asked: Mapping[str, Json]) -> list[str]:
    """Order the fields of one object: the asked ones, how it stands, the odd ones, then as they come.

    Example:
        >>> rank_keys({**{f"c{i}": "some words" for i in range(9)}, "x": "SUSPENDED", "status": "ok"}, {})[:2]
        ['status', 'x']
    """
    looks = {key: _look(item) for key, item in value.items()}
    counts = Counter(looks.values())
    far = _far_numbers(value)

    def weight(key: str) -> tuple[float, ...]:
        first = 0 if key in asked else 1 if FIRST_KEYS.match(key) else 2
        return (first, -(key in far), counts[looks[key]])

    return sorted(value, key=weight)


def _look(item: Json) -> str:
    return look_of(item) if isinstance(item, str) else type(item).__name__


def _far_numbers(value: Mapping[str, Json]) -> set[str]:
    numbers = {k: v for k, v in value.items() if isinstance(v, int | float) and not isinstance(v, bool)}
    if len(numbers) < 8:
        return set()
    ordered = sorted(numbers.values())
    center = ordered[len(ordered) // 2]
    try:
        spread = sorted(abs(number - center) for number in ordered)[len(ordered) // 2] or 1
        return {key for key, number in numbers.items() if abs(number - center) / spread > 8}
    except OverflowError:
        return set()


def map_rows(value: Mapping[str, Json]) -> list[Json] | None:
    """Return a map of like values as records.

    Example:
        >>> map_rows({f"u{i}": {"n": i} for i in range(30)})[1]
        {'key': 'u1', 'n': 1}
    """
    if len(value) < MIN_MAP or not _are_like(value):
        return None
    column = "key"
    while any(isinstance(item, dict) and column in item for item in value.values()):
        column = "_" + column
    return [
        {column: key, **item} if isinstance(item, dict) else {column: key, "value": item}
        for key, item in value.items()
    ]


def _are_like(value: Mapping[str, Json]) -> bool:
    items = list(value.values())[:: max(1, len(value) // 200)]
    kinds = Counter(
        dict if isinstance(item, dict) else list if isinstance(item, list) else str for item in items
    )
    kind, count = kinds.most_common(1)[0]
    if count < 0.9 * len(items):
        return False
    if kind is dict:
        fields = Counter(key for item in items if isinstance(item, dict) for key in item)
        shared = sum(1 for number in fields.values() if number >= 0.5 * len(items))
        return shared >= 0.5 * max(1.0, sum(fields.values()) / len(items))
    scalars = Counter(type(item) for item in items)
    # a record of many fields mixes numbers and texts; a map holds one kind
    return kind is list or scalars.most_common(1)[0][1] >= 0.9 * len(items)
