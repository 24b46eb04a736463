"""Survey a list: statistics over all rows, and which rows are worth showing. A part of `budget`.

Cost: one pass per column, about 0.4 of a json.dumps of the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from agent_tools.columns import MANY, read_table, table_of
from agent_tools.result import Json
from agent_tools.stages.summaries_columns import read_column
from agent_tools.stages.summaries_groups import group_outliers
from agent_tools.stages.summaries_odd import Column, Odd
from agent_tools.stages.summaries_text import find_term

MAX_COLUMNS = 400
MAX_SHAPES = 5
FEW_SHAPES = 12  # kinds of records
MAX_ASKED_ROWS = 8
MAX_WHYS = 2
MAX_INSIDE = 60
BEYOND_DOUBT = 50  # score


@dataclass(slots=True)
class Survey:
    """What a list holds.

    Attributes:
        total: How many rows.
        clauses: Statistics in words, one clause per column, the most telling first.
        ranked: (row, why) of the rows that a reader needs, the most needed first.
        columns: Field names, the most telling first.
        warnings: What went wrong with the tool's own ranking.
        inside: Entries of lists in the rows for which these are odd, the most needed first.
        needed: How many rows are odd beyond doubt: more than the largest or the first of something.
    """

    total: int
    clauses: list[str] = field(default_factory=list)
    ranked: list[tuple[int, str]] = field(default_factory=list)
    columns: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    inside: list[Any] = field(default_factory=list)
    needed: int = 0


def survey(
    rows: list[Json], asked: Mapping[str, Json], important: str | Callable[[Any], Any] | None
) -> Survey:
    """Read all rows once.

    Args:
        rows: Records, scalars or a mixture.
        asked: Arguments of the call; rows that hold one of them come first.
        important: Column or predicate by which the tool ranks rows.
    """
    found = Survey(total=len(rows))
    columns, odd = read_records(rows, range(len(rows)), "")
    odd = [*odd, *group_outliers(rows)]
    ordered = sorted(columns, key=lambda column: -_interest(column))
    found.columns = [column.name for column in ordered if column.name]
    said = [column for column in _by_telling(columns) if column.said]
    found.clauses = [f"{column.name or 'values'}: {column.said}" for column in said]
    for column in columns:
        odd = odd + column.odd
    found.inside = [entry for item in sorted(odd, key=_score)[:MAX_INSIDE] for entry in item.inside]
    found.needed = len({item.row for item in odd if item.score >= BEYOND_DOUBT})
    wanted = _important_rows(rows, important, found)
    found.ranked = rank(odd + _asked_rows(rows, asked, {column.name for column in columns}), wanted)
    return found


def _score(odd: Odd) -> float:
    return -odd.score


def _interest(column: Column) -> float:
    return max((odd.score for odd in column.odd), default=column.interest)


def _by_telling(columns: list[Column]) -> list[Column]:
    # odd ones first, and no column of which all that is known is how many texts it has before the others
    return sorted(columns, key=lambda column: (-(_interest(column) >= 50), "different texts" in column.said))


def rank(odd: Sequence[Odd], wanted: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Order the odd rows: those that are odd in several ways first, few for each reason.

    Example:
        >>> rank([Odd(45, 3, "a"), Odd(40, 7, "b"), Odd(30, 7, "c")], [])
        [(7, 'b, c'), (3, 'a')]
    """
    per_row: dict[int, list[Odd]] = {}
    for item in odd:
        per_row.setdefault(item.row, []).append(item)
    scored = []
    for row, items in per_row.items():
        items.sort(key=lambda item: -item.score)
        score = items[0].score + 0.25 * sum(item.score for item in items[1:4])
        whys = list(dict.fromkeys(item.why for item in items))[:MAX_WHYS]
        scored.append((-score, row, ", ".join(whys)))
    taken = {row for row, _ in wanted}
    return wanted + [(row, why) for _, row, why in sorted(scored) if row not in taken]


def _important_rows(
    rows: list[Json], important: str | Callable[[Any], Any] | None, found: Survey
) -> list[tuple[int, str]]:
    if important is None:
        return []
    key = important if callable(important) else _column_of(important)
    why = "important" if callable(important) else f"high {important}"
    weighed = []
    for place, row in enumerate(rows):
        try:
            weight = key(row)
            weighed.append((float(weight) if isinstance(weight, int | float) else float(bool(weight)), place))
        except Exception as error:  # noqa: BLE001 - the tool's own ranking must not fail the call
            if not found.warnings:
                found.warnings.append(
                    f"The tool's own ranking failed ({type(error).__name__}) on row {place}."
                )
    weighed = [item for item in weighed if item[0] or not callable(important)]
    weighed.sort(key=lambda item: (-item[0], item[1]))
    return [(place, why) for _, place in weighed]


def _column_of(name: str) -> Callable[[Any], Any]:
    def weigh(row: Any) -> Any:
        value = row.get(name) if isinstance(row, dict) else None
        return value if isinstance(value, int | float) else float("-inf")

    return weigh


def _asked_rows(rows: list[Json], asked: Mapping[str, Json], names: set[str]) -> list[Odd]:
    """Find the rows that hold what the call asked for, unless most of them do."""
    terms = {
        name: value
        for name, value in asked.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""
    }
    if not terms or not rows or not isinstance(rows[0], dict):
        return []
    found = []
    for name, value in list(terms.items())[:8]:
        places = _places(rows, name, value, name in names)
        if 0 < len(places) <= max(MAX_ASKED_ROWS, len(rows) // 4):
            found += [
                Odd(97 - rank, place, f"matches {name}") for rank, place in enumerate(places[:MAX_ASKED_ROWS])
            ]
    return found


def _places(rows: list[Any], name: str, value: Any, is_column: bool) -> list[int]:
    if is_column:
        return [
            i for i, row in enumerate(rows) if isinstance(row, dict) and name in row and row[name] == value
        ]
    if isinstance(value, str) and len(value) >= 3 and len(rows) <= 20_000:
        return [i for i, row in enumerate(rows) if isinstance(row, dict) and _mentions(row, value.lower())]
    return []


def _mentions(row: dict[str, Any], text: str) -> bool:
    cells = (cell[:2000].lower() for cell in row.values() if isinstance(cell, str))
    return any(text in cell and next(find_term(cell, text), None) is not None for cell in cells)


# --- shapes and columns


def read_records(rows: list[Any], at: Sequence[int], prefix: str) -> tuple[list[Column], list[Odd]]:
    """Read every column of some records, and the records whose fields are unlike the others'."""
    if not rows:
        return [], []
    if not all(map(_is_record, rows)) if len(rows) < 50 else set(map(type, rows)) != {dict}:
        return _read_unlike(rows, at, prefix)
    uniform = _uniform(rows, at, prefix)
    return uniform if uniform is not None else _read_shapes(rows, at, prefix)


def _is_record(row: Any) -> bool:
    return type(row) is dict


def _uniform(
    rows: list[dict[str, Any]], at: Sequence[int], prefix: str
) -> tuple[list[Column], list[Odd]] | None:
    """Read records that all have the same fields. None when they have not."""
    table = table_of(rows) if len(rows) >= MANY else read_table(rows)
    if table is None:
        return None
    own = None if type(at) is range and at == range(len(rows)) else at
    columns: list[Column] = []
    for name, cells in islice(table.columns.items(), MAX_COLUMNS):
        columns += read_column(prefix + name, cells, own, table.kinds[name])
    return columns, []


def _read_shapes(
    rows: list[dict[str, Any]], at: Sequence[int], prefix: str
) -> tuple[list[Column], list[Odd]]:
    shapes = list(map(frozenset, rows))
    counts = Counter(shapes)
    usage: Counter[str] = Counter()
    for shape, count in counts.items():
        for name in shape:
            usage[name] += count
    odd = _odd_shapes(shapes, counts, usage, at, prefix)
    whys = {item.why: item.score for item in odd}
    seen = dict.fromkeys(name for row in rows[:500] for name in row)
    names = [*seen, *sorted(name for name in usage if name not in seen)]
    columns: list[Column] = []
    for name in names[:MAX_COLUMNS]:
        places = [place for place, row in enumerate(rows) if name in row]
        read = read_column(
            prefix + name, [rows[place][name] for place in places], [at[place] for place in places]
        )
        if len(places) < len(rows) and read[0].said:
            read[0].said += f" ({len(places)} have it)"
        read[0].interest = whys.get(_extra(prefix + name), 0.0)
        columns += read
    return columns, odd


def _odd_shapes(
    shapes: list[frozenset[str]],
    counts: Counter[frozenset[str]],
    usage: Counter[str],
    at: Sequence[int],
    prefix: str,
) -> list[Odd]:
    total = len(shapes)
    limit = max(1, total // 50)
    odd: list[Odd] = []
    usual = counts.most_common(1)[0][0]
    rare = []
    for shape, count in counts.items():
        alike, why = _why_shape(shape, usual, usage, total, prefix)
        # of records with optional fields many have them together as no other; odd is a field that few have
        if alike <= limit if len(counts) > FEW_SHAPES else count <= limit:
            rare.append((alike if alike <= limit else count, sorted(shape), why))
    if len(rare) > total // 4:  # records of free form: no shape is odd
        rare = []
    # of those with the same odd field one
    rarest: dict[str, tuple[int, list[str]]] = {}
    for count, fields, why in sorted(rare):
        rarest.setdefault(why, (count, fields))
    for why, (count, fields) in islice(rarest.items(), MAX_SHAPES):
        odd.append(Odd(75 + 15 / count, at[shapes.index(frozenset(fields))], why))
    for shape, count in counts.most_common(8)[1:]:
        if count > limit:
            odd.append(Odd(35, at[shapes.index(shape)], "first of another kind"))
    return odd


def _why_shape(
    shape: frozenset[str], usual: frozenset[str], usage: Counter[str], total: int, prefix: str
) -> tuple[int, str]:
    """Return how many records share what is oddest about the fields of one, and what that is."""
    extra = min(((usage[name], name) for name in shape - usual), default=(total, ""))
    missing = min(((total - usage[name], name) for name in usage.keys() - shape), default=(total, ""))
    lacks = sum(name in usual for name in usage.keys() - shape)
    if extra[1] and lacks > 1 + len(usual) // 2:
        return min(extra[0], missing[0]), "other fields than the rest"
    if extra[0] <= missing[0] and extra[1]:
        return extra[0], _extra(prefix + extra[1])
    return missing[0], f"no field {prefix}{missing[1]}"[:60]


def _extra(name: str) -> str:
    return f"extra field {name}"[:60]


def _read_unlike(rows: list[Any], at: Sequence[int], prefix: str) -> tuple[list[Column], list[Odd]]:
    """Read rows of which some are no records."""
    kinds = Counter(map(type, rows))
    if len(kinds) == 1 or set(kinds) == {int, float}:
        return read_column(prefix.removesuffix("."), rows, None if type(at) is range else at), []
    groups: dict[bool, list[int]] = {True: [], False: []}
    for place, row in enumerate(rows):
        groups[type(row) is dict].append(place)
    columns: list[Column] = []
    odd: list[Odd] = []
    for is_record, places in groups.items():
        if not places:
            continue
        here, where = [rows[place] for place in places], [at[place] for place in places]
        if is_record:
            columns, odd = read_records(here, where, prefix)
        else:
            columns = columns + read_column(prefix.rstrip("."), here, where)
        if len(places) <= max(1, len(rows) // 50):
            odd = [*odd, Odd(85, where[0], "a record" if is_record else "no record")]
        elif len(places) < len(rows) and places[0]:
            odd = [*odd, Odd(36, where[0], "first of another kind")]
    return columns, odd
