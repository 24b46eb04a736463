"""Turn data of any shape into something that can be shown in any number of characters. A part of `budget`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from agent_tools.result import Json
from agent_tools.stages.budget import Plan, are_segments, noun_for
from agent_tools.stages.budget_fields import FIRST_KEYS, Report, place_in_action
from agent_tools.stages.budget_recognise import read_blob, read_data
from agent_tools.stages.budget_size import measure
from agent_tools.stages.budget_text import TextSample
from agent_tools.stages.budget_values import Cutter
from agent_tools.stages.summaries_leaves import leaf_clauses
from agent_tools.stages.summaries_stream import number_of, total_of

FEW_ROWS = 3
PAGE_CHARS = 6  # per token: more than a page of them can hold
MIN_MAIN = 20  # entries of the list that an object is about
MAX_MAIN_DEPTH = 4
MAX_LEAVES = 1_000_000


@dataclass(slots=True)
class Sample:
    """A part of the data and what to say of it.

    Attributes:
        data: What is shown.
        shown: How many of the counted things are in it.
        kinds: What the shown ones are, in words.
        head: How many from the start are shown without a gap.
        report: What was cut and kept.
    """

    data: Json
    shown: int
    kinds: str = ""
    head: int = 0
    report: Report = field(default_factory=Report)


@dataclass(slots=True)
class Source:
    """Data that can be shown in any number of characters.

    Attributes:
        show: Room in characters -> sample.
        total: How many there are of what is counted.
        noun: What is counted.
        clauses: Statistics over all of it, in words.
        bare: The data when there is no room.
        form: The form of a text that was read as data.
        path: Where inside an object what is counted stands, when it is more than a page can hold.
        warnings: What went wrong while reading it.
        needed: How many of its rows a reader must not miss.
        text: Of a text that is no data, what shows it.
    """

    show: Callable[[int], Sample]
    total: int | None
    noun: str
    bare: Json
    clauses: list[str] = field(default_factory=list)
    form: str = ""
    path: str = ""
    warnings: list[str] = field(default_factory=list)
    needed: int = 0
    text: TextSample | None = None


class _MainList(NamedTuple):
    """What an object is about: a list in it, or columns read as rows."""

    path: list[str]
    rows: list[Json]
    column: str = ""  # of columns the first


class Sources:
    """Makes the source for one value; what it reads is kept by the cutter."""

    def __init__(self, plan: Plan, cutter: Cutter) -> None:
        self.plan, self.cutter = plan, cutter

    def of(self, data: Json) -> Source:
        """Return the source for data of any shape."""
        if isinstance(data, str):
            return self._of_text(data)
        if isinstance(data, dict):
            rows = self.cutter.as_rows(data)
            if rows is None:
                return self._of_object(data)
            return replace(self._of_rows(rows), path=_column_of(data, rows))
        if isinstance(data, list):
            return self._of_rows(data)
        return Source(lambda room: Sample(data, 1), 1, "values", None)

    def _of_text(self, text: str) -> Source:
        blob = read_blob(text)
        if blob is not None:
            return Source(lambda room: Sample(dict(blob), 0), len(text), "characters", dict(blob))
        read = read_data(text)
        if read is not None:
            source = self.of(read[0])
            # a text is paged through by lines; `$` is the data in it
            return replace(source, form=read[1], path=source.path or "$")
        sample = self.cutter.text(text)

        def show(room: int) -> Sample:
            shown = sample.show(room)
            report = Report(kept=[{"row": row, "why": why} for row, why in shown.kept])
            report.note("$", shown.shown, sample.total)
            kinds = "from the start and the end" + (" and those that stand out" if shown.kept else "")
            return Sample(shown.data, shown.shown, kinds, shown.head, report)

        return Source(show, sample.total, sample.unit, [], text=sample)

    def _of_rows(self, rows: list[Json]) -> Source:
        read = self.cutter.survey(rows)
        if self.plan.kind == "summary":
            return Source(
                lambda room: Sample([], 0), total_of(rows), noun_for(self.plan.noun, rows), [], read.clauses
            )

        def show(room: int) -> Sample:
            report = Report()
            shown = self.cutter.rows(rows, "$", room, report)
            kept = [item for item in report.kept if isinstance(item["row"], int)]
            head = _head(shown, rows)
            return Sample(shown, len(shown), _kinds(kept), head, report)

        if are_segments(rows):
            # pieces of a file too large to be read whole: what their columns hold says nothing
            return Source(show, total_of(rows), "pieces", [])
        noun = noun_for(self.plan.noun, rows)
        return Source(
            show, total_of(rows), noun, [], read.clauses, warnings=read.warnings, needed=read.needed
        )

    def _of_object(self, data: dict[str, Json]) -> Source:
        left_out = Report()
        if self.plan.kind == "summary":
            data = _without_rows(data, "$", left_out)
        if self.plan.kind == "action":
            data = {
                key: data[key]
                for key in sorted(
                    data, key=lambda key: (place_in_action(key, data[key]), not FIRST_KEYS.match(key))
                )
            }
        main = self._main_list(data)
        clauses: list[str] = []
        total, noun = None, "values"
        if main is not None:
            clauses = self.cutter.survey(main.rows).clauses
            name = main.path[-1]
            noun = self.plan.noun or (name if name.endswith("s") else "items")
            total = len(main.rows)
        else:
            total = count_leaves(data)
            clauses = leaf_clauses(data)

        inner = self._path_of(main)

        def show(room: int) -> Sample:
            report = Report(cut=[*left_out.cut])
            shown = self.cutter.show(data, "$", room, report)
            if main is None:
                return Sample(shown, min(count_leaves(shown), total), "", 0, report)
            rows = _list_at(shown, main.path)
            return Sample(shown, len(rows), "", _head(rows, main.rows) if inner else 0, report)

        return Source(show, total, noun, {}, clauses, path=inner)

    def _main_list(self, data: dict[str, Json], depth: int = 0) -> _MainList | None:
        """Return the longest list inside an object, None when there is no long one."""
        best: _MainList | None = None
        for key, item in data.items():
            found: _MainList | None = None
            if isinstance(item, list):
                found = _MainList([], item)
            elif isinstance(item, dict) and depth < MAX_MAIN_DEPTH:
                rows = self.cutter.as_rows(item)
                column = _column_of(item, rows)
                found = _MainList([], rows, column) if rows and column else self._main_list(item, depth + 1)
            if found is not None and len(found.rows) > (len(best.rows) if best else MIN_MAIN - 1):
                best = found._replace(path=[key, *found.path])
        return best

    def _path_of(self, main: _MainList | None) -> str:
        page = PAGE_CHARS * (self.plan.max_tokens or 0)
        if main is None or measure(main.rows, page) <= page:
            return ""
        return ".".join([*main.path, main.column] if main.column else main.path)


def _without_rows(data: dict[str, Json], path: str, report: Report) -> dict[str, Json]:
    """Leave out the rows that a conclusion was drawn from, and note where."""
    made: dict[str, Json] = {}
    for key, item in data.items():
        made[key] = item
        if isinstance(item, list) and len(item) > FEW_ROWS:
            made[key] = []
            report.note(f"{path}.{key}", 0, len(item))
        elif isinstance(item, dict):
            made[key] = _without_rows(item, f"{path}.{key}", report)
    return made


def _kinds(kept: list[dict[str, Any]]) -> str:
    if not kept:
        return "the first ones"
    if any("largest" in item["why"] or "smallest" in item["why"] for item in kept):
        return "the largest and the odd ones"
    return "the first and the odd ones"


def _head(shown: list[Json], rows: list[Json]) -> int:
    head = 0
    for mine, other in zip(shown, rows, strict=False):
        if (mine is not other and mine != other) or number_of(rows, head) != head:
            break
        head += 1
    return head


def _column_of(value: dict[str, Json], rows: list[Json] | None) -> str:
    """Return the first of the columns that rows were made of: its entries are read by the rows' numbers."""
    first = next(iter(value), "")
    return first if rows and isinstance(value[first], list) and len(value) < len(rows) else ""


def _list_at(data: Json, path: list[str]) -> list[Json]:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, list) else []


def count_leaves(data: Json, most: int = MAX_LEAVES) -> int:
    """Return how many values that are no objects or lists there are."""
    stack, number = [data], 0
    while stack and number < most:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        else:
            number += 1
    return number
