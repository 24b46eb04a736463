"""Choose the rows of a list to show in a number of characters. A part of `budget`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Protocol

from agent_tools.result import Json
from agent_tools.stages.budget_fields import FIRST_KEYS, SHORT_CELL, Report, rank_keys, share_out
from agent_tools.stages.budget_size import measure
from agent_tools.stages.summaries_rows import Survey
from agent_tools.stages.summaries_stream import number_of

WIDE = 12
MIN_COLUMNS = 2  # what is odd, and of what
FEW = 4
MIN_GROWTH = 24
MOST_NEEDED = 3  # rows odd beyond doubt, for which no room is held back
BRACKETS = 5  # of a list and of the row in it


class Shows(Protocol):
    """Shows a part of a value: the cutter."""

    asked: Mapping[str, Json]

    def show(
        self, value: Json, path: str, room: int, report: Report, depth: int = 0, is_record: bool = False
    ) -> Json:
        """Return `value` in about `room` characters; a record is never read as a map."""
        ...

    def size(self, value: Json, cap: int, depth: int = 0) -> int:
        """Return the characters that `value` takes whole."""
        ...


class Pick:
    """One choice of rows for one room."""

    def __init__(
        self,
        cutter: Shows,
        rows: list[Json],
        read: Survey,
        path: str,
        room: int,
        depth: int,
        wanted: Sequence[int] = (),
    ) -> None:
        self.cutter, self.rows, self.read, self.path, self.room, self.depth = (
            cutter,
            rows,
            read,
            path,
            room,
            depth,
        )
        self.ranked = [*((row, "odd among all") for row in wanted), *read.ranked]
        self.chosen: dict[int, Json] = {}
        self.notes: dict[int, Report] = {}
        self.columns: list[str] | None = None
        self.names: list[str] = []  # of all fields, when columns are chosen

    def run(self, report: Report) -> list[Json]:
        self.columns = self._columns()
        whys = dict(reversed(self.ranked))
        if len(self.rows) <= FEW and self.room >= 60 * len(self.rows):
            self._share()
            return self._collect(report, {})
        specials = [row for row, _ in self.ranked]
        needed = max(1, min(self.read.needed, MOST_NEEDED))
        left = self._take(specials[:needed], self.room - 2)
        # up to six tenths for the rows that stand out, the rest for the first ones
        held = int(0.4 * self.room)
        left = self._take(specials[needed:], left - held) + held
        left = self._take(range(len(self.rows)), left, stop=True)
        self._fill(self._grow(left))
        return self._collect(report, whys)

    def _share(self) -> None:
        """Show each of a few rows, the short ones whole."""
        rows = [self._trimmed(row) for row in self.rows]
        sizes = {place: self.cutter.size(row, self.room, self.depth + 1) for place, row in enumerate(rows)}

        def show(place: int, share: int) -> int:
            self.chosen[place], used = self._show(place, rows[place], share)
            return used

        share_out(sizes, self.room - 2 - len(rows), show)

    def _collect(self, report: Report, whys: dict[int, str]) -> list[Json]:
        if self.columns is not None and self.chosen:
            report.note(f"{self.path}[*]", len(self.columns), max(len(self.names), len(self.columns)))
        numbers = sorted(self.chosen)
        head = _head_of([number_of(self.rows, number) for number in numbers])
        for number in numbers:
            part = self.notes[number]
            report.cut += part.cut
            report.kept += part.kept
            if number >= head and number in whys:
                whole = number_of(self.rows, number)
                row = whole if self.path == "$" else f"{self.path}[{whole}]"
                report.kept.append({"row": row, "why": whys[number]})
        return [self.chosen[number] for number in numbers]

    def _take(self, numbers: Iterable[int], left: int, stop: bool = False) -> int:
        misses = 0
        for number in numbers:
            if number in self.chosen:
                continue
            row = self._trimmed(self.rows[number])
            # the one that matters most may take half of all
            few = min(FEW, len(self.rows)) if self.chosen or stop else 2
            cap = max(min(160, self.room // 2), self.room // few)
            size = self.cutter.size(row, cap, self.depth + 1)
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
        is_record = self.columns is not None
        shown = self.cutter.show(
            row, f"{self.path}[{number}]", room, report, self.depth + 1, is_record=is_record
        )
        self.notes[number] = report
        return shown, measure(shown, self.room * 2, self.depth + 1)

    def _grow(self, left: int) -> int:
        """Give what is left to the rows that are shown in part, in their order of need."""
        for number in [number for number, part in self.notes.items() if part.cut and number in self.chosen]:
            if left < MIN_GROWTH:
                break
            row, before = self._trimmed(self.rows[number]), self.notes[number]
            used = measure(self.chosen[number], self.room * 2, self.depth + 1)
            shown, now = self._show(number, row, used + left)
            if now - used > left:
                self.notes[number] = before
            else:
                self.chosen[number] = shown
                left -= max(now - used, 0)
        return left

    def _fill(self, left: int) -> None:
        """Show the beginning of one more row where a whole one does not fit."""
        # where no row fits whole, a part of the one that matters most
        wanted = [row for row, _ in self.ranked[:1]] if not self.chosen else []
        number = next((p for p in chain(wanted, range(len(self.rows))) if p not in self.chosen), None)
        if number is None or (left < 40 and self.chosen):
            return
        row = self._trimmed(self.rows[number])
        if self.chosen and not _has_long_part(row):
            return
        shown, used = self._show(number, row, max(left, 24))
        # without some of its fields it would read as a row that has none of them
        is_whole = not isinstance(row, dict) or (isinstance(shown, dict) and shown.keys() == row.keys())
        if (used <= left and is_whole) or not self.chosen:
            self.chosen[number] = shown

    def _columns(self) -> list[str] | None:
        """Choose columns when a row of all of them would leave no room for others."""
        sample = [row for row in self.rows[:: max(1, len(self.rows) // 16)] if isinstance(row, dict)]
        if not sample:
            return None
        least = [
            sum(min(self.cutter.size(v, 400), SHORT_CELL) + len(k) + 4 for k, v in row.items())
            for row in sample
        ]
        # of rows with few fields one that is whole is worth more than parts of four
        share = self.room // (min(len(self.rows), 4) if self._width() >= WIDE else 1)
        if sorted(least)[len(least) // 2] <= share:
            return None
        share -= BRACKETS
        chosen: list[str] = []
        for name in self._ranked_columns(sample):
            cost = (
                sum(min(self.cutter.size(row.get(name), 400), SHORT_CELL) for row in sample) // len(sample)
                + len(name)
                + 4
            )
            if cost > share and len(chosen) >= MIN_COLUMNS:
                break
            share -= cost
            chosen.append(name)
        return chosen

    def _ranked_columns(self, sample: list[dict[str, Json]]) -> list[str]:
        own = sample[0]
        if len(self.rows) == 1:
            self.names = list(own)
            return rank_keys(own, self.cutter.asked)
        names = self.names = list(dict.fromkeys(name for row in sample for name in row))
        telling: dict[str, int] = {}
        for place, column in enumerate(self.read.columns):
            # of a field of an object in a field it is the outer one that is shown
            for name in (column, re.split(r"[.\[]", column)[0]):
                telling.setdefault(name, place)
        first = [name for name in names if name in self.cutter.asked or FIRST_KEYS.match(name)]
        ranked = sorted(names, key=lambda name: telling.get(name, len(telling)))
        # the first field of a record mostly tells which one it is
        return list(dict.fromkeys([*first[:4], *ranked[:1], *names[:1], *ranked]))

    def _width(self) -> int:
        return max((len(row) for row in self.rows[:50] if isinstance(row, dict)), default=0)

    def _trimmed(self, row: Json) -> Json:
        if self.columns is None or not isinstance(row, dict):
            return row
        wanted = set(self.columns)
        return {name: cell for name, cell in row.items() if name in wanted}


def _head_of(numbers: list[int]) -> int:
    """Return how many rows from the first on follow each other."""
    return next((place for place, number in enumerate(numbers) if place != number), len(numbers))


def _has_long_part(row: Json) -> bool:
    if isinstance(row, str):
        return len(row) > 40
    items = row.values() if isinstance(row, dict) else row if isinstance(row, list) else ()
    return any(isinstance(item, dict | list) or (isinstance(item, str) and len(item) > 60) for item in items)
