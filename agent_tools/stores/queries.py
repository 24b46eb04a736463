"""Choose, search and group the rows of a stored result: pure functions on plain JSON data.

Comparisons never raise: values that can't be compared don't match.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from agent_tools.errors import InvalidArgument
from agent_tools.result import Json
from agent_tools.stores.conditions import make_tests

Matches = Callable[[Json], bool]
MAX_GROUPS = 100_000
MAX_ENTRIES = 20  # of a list that are looked at to say which fields there are


# what `read_field` returns where there is no such field
MISSING = object()
# a step of a field's name that leads into a list: all entries, or one
_INTO_LIST = re.compile(r"(.*)\[(\*|\d*)\]")


class Entries(list[Any]):
    """What a field's name finds in a list inside a record: `items[].sku` has many values, no list of them."""


def read_field(row: Json, name: str) -> Any:
    """Return a field of a record by its name or dotted path; a marker when it has none.

    Example:
        >>> row = {"user": {"city": "Rome"}, "items": [{"sku": "a"}, {"sku": "b"}]}
        >>> read_field(row, "user.city"), read_field(row, "items[].sku"), read_field(row, "items[0].sku")
        ('Rome', ['a', 'b'], 'a')
    """
    if not isinstance(row, dict):
        return MISSING
    if name in row:
        return row[name]
    head, _, rest = name.partition(".")
    into = None if head in row else _INTO_LIST.fullmatch(head)
    value = row.get(into[1] if into else head, MISSING)
    if isinstance(value, list) and (into or rest):
        return _read_entries(value, into[2] if into else "", rest)
    return read_field(value, rest) if rest and not into else MISSING  # type: ignore[arg-type]  # no record


def _read_entries(entries: list[Json], index: str, rest: str) -> Any:
    if index.isdigit():
        entry: Any = entries[int(index)] if int(index) < len(entries) else MISSING
        return read_field(entry, rest) if rest else entry
    found = Entries()
    for entry in entries:
        value = read_field(entry, rest) if rest else entry
        found += value if isinstance(value, Entries) else [] if value is MISSING else [value]
    return found or MISSING


def make_where(where: Mapping[str, Any]) -> Matches:
    """Read `{"city": "Rome", "amount": [">", 100]}` as a test of one row; all conditions must hold.

    Raises:
        InvalidArgument: an operator that is unknown or has no value.

    Example:
        >>> matches = make_where({"city": "Rome", "amount": [">", 100]})
        >>> matches({"city": "Rome", "amount": 120}), matches({"city": "Rome"})
        (True, False)
    """
    tests = [(name, test) for name, wanted in where.items() for test in make_tests(name, wanted)]

    def matches(row: Json) -> bool:
        return all(
            any(map(test, value))
            if type(value := read_field(row, name)) is Entries
            else value is not MISSING and test(value)
            for name, test in tests
        )

    return matches


def make_search(text: str) -> Matches:
    """Make a test of whether a text stands anywhere in a row's values or names, case ignored.

    Example:
        >>> make_search("rome")({"city": "Roma/Rome", "n": 1})
        True
    """
    wanted = text.casefold()

    def matches(row: Json) -> bool:
        if isinstance(row, str):
            return wanted in row.casefold()
        if isinstance(row, dict):
            return any(wanted in name.casefold() or matches(value) for name, value in row.items())
        if isinstance(row, list):
            return any(matches(value) for value in row)
        return wanted == _as_text(row) or (isinstance(row, (int, float)) and wanted in _as_text(row))

    return matches


def _as_text(value: Json) -> str:
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def pick_fields(row: Json, fields: Sequence[str]) -> Json:
    """Keep these fields of a record; other values stay as they are."""
    if not isinstance(row, dict):
        return row
    picked = ((name, read_field(row, name)) for name in fields)
    return {
        name: list(value) if type(value) is Entries else value
        for name, value in picked
        if value is not MISSING
    }


def known_fields(rows: Iterable[Json]) -> list[str]:
    """Return the names of the records' fields in the order in which they were met."""
    return list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))


def inner_fields(rows: Iterable[Json], name: str) -> list[str]:
    """Return the dotted names of the fields inside others that have this name.

    Example:
        >>> inner_fields([{"user": {"address": {"city": "Rome"}}, "stops": [{"city": "Oslo"}]}], "city")
        ['user.address.city', 'stops[].city']
    """
    return list(dict.fromkeys(found for row in rows for found in _named(row, name, "")))


def _named(node: Json, name: str, path: str, depth: int = 4) -> Iterator[str]:
    if isinstance(node, list) and depth:
        for entry in node[:MAX_ENTRIES]:
            yield from _named(entry, name, f"{path}[]", depth - 1)
    elif isinstance(node, dict) and depth:
        for key, value in node.items():
            place = f"{path}.{key}" if path else key
            if key == name and path:
                yield place
            yield from _named(value, name, place, depth - 1)


# --- groups


def _numbers(values: Iterable[Any]) -> list[float]:
    return [value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]


def _comparable(values: list[Any]) -> list[Any]:
    """Return the numbers, or the texts where there are none: dates have a first and a last."""
    return _numbers(values) or [value for value in values if isinstance(value, str)]


def _sum(values: list[Any]) -> float | None:
    numbers = _numbers(values)
    # texts have no sum: 0 would read as one
    return _total(numbers) if numbers or not any(value is not None for value in values) else None


def _total(numbers: list[float]) -> float:
    if not any(isinstance(number, float) for number in numbers):
        return sum(numbers)
    try:
        # 11.1 + 22.2 is no 33.300000000000004
        return math.fsum(numbers)
    except OverflowError:
        return sum(numbers)


def _mean(values: list[Any]) -> float | None:
    numbers = _numbers(values)
    return _total(numbers) / len(numbers) if numbers else None


def _median(values: list[Any]) -> float | None:
    import statistics

    numbers = _numbers(values)
    return statistics.median(numbers) if numbers else None


METRICS: dict[str, Callable[[list[Any]], Any]] = {
    "count": lambda values: sum(value is not None for value in values),
    "sum": _sum,
    "mean": _mean,
    "avg": _mean,
    "median": _median,
    "min": lambda values: min(_comparable(values), default=None),
    "max": lambda values: max(_comparable(values), default=None),
    "distinct": lambda values: len({repr(value) for value in values}),
}


def group_rows(rows: Iterator[Json], by: Sequence[str], metrics: Mapping[str, str]) -> list[dict[str, Json]]:
    """Group records and compute one metric per field; the largest group first.

    A record whose field is found in a list inside it, `items[].sku`, is in the group of each of its entries.

    Raises:
        InvalidArgument: an unknown metric, or more groups than can be held.

    Example:
        >>> group_rows(iter([{"city": "Rome", "n": 2}, {"city": "Rome", "n": 3}]), ["city"], {"n": "sum"})
        [{'city': 'Rome', 'rows': 2, 'n_sum': 5}]
    """
    unknown = sorted(set(metrics.values()) - METRICS.keys())
    if unknown:
        raise InvalidArgument(f"unknown metric {unknown[0]!r}; known: {', '.join(METRICS)}")
    groups: dict[str, tuple[list[Json], list[list[Any]], list[int]]] = {}
    for row in rows:
        measured = [_values(read_field(row, name)) for name in metrics]
        for key in product(*(_distinct(read_field(row, name)) for name in by)):
            _, columns, n = groups.setdefault(repr(key), (list(key), [[] for _ in metrics], [0]))
            if len(groups) > MAX_GROUPS:
                raise InvalidArgument(
                    f"group_by makes more than {MAX_GROUPS} groups; use other fields or `where`"
                )
            n[0] += 1
            for column, values in zip(columns, measured, strict=True):
                column += values
    found = [_group(by, metrics, *group) for group in groups.values()]
    return sorted(found, key=lambda group: -int(group["rows"]))  # type: ignore[arg-type]  # a count


def _group(
    by: Sequence[str], metrics: Mapping[str, str], key: list[Json], columns: list[list[Any]], n: list[int]
) -> dict[str, Json]:
    group: dict[str, Json] = dict(zip(by, key, strict=True))
    group["rows"] = n[0]
    for (name, metric), column in zip(metrics.items(), columns, strict=True):
        group[f"{name}_{metric}"] = METRICS[metric](column)
    return group


def _values(value: Any) -> list[Any]:
    return value if type(value) is Entries else [] if value is MISSING else [value]


def _distinct(value: Any) -> list[Json]:
    if type(value) is Entries:
        return list({repr(one): one for one in value}.values())
    return [None if value is MISSING else value]


# --- paths

_INDEX = re.compile(r"\[(\d+)\]|\.?(\d+)(?=[.\[]|$)")
_ENDS = re.compile(r"[.\[]|$")
# a list of records may be shown as a table, {"columns": ..., "rows": ...}
_ROWS = re.compile(r"\.?rows(?=[.\[]|$)")


def read_path(value: Json, path: str) -> Json:
    """Return what stands at a dotted path: `orders[3].lines`, with or without a leading `$.` or `data.`.

    Of several keys that a path may mean the longest is taken: in `{"a.b": 1}` the path `a.b` is the key.

    Raises:
        InvalidArgument: there is nothing; says how far the path goes and what stands there.

    Example:
        >>> read_path({"orders": [{"id": 1}, {"id": 2}]}, "data.orders[1].id")
        2
    """
    rest = path.removeprefix("$").removeprefix(".")
    if re.match(r"data([.\[]|$)", rest) and not (isinstance(value, dict) and "data" in value):
        rest = rest.removeprefix("data").removeprefix(".")
    done, node = 0, value
    while done < len(rest):
        end = _step_end(node, rest, done)
        if end is None:
            place = rest[:done] or "the top"
            raise InvalidArgument(f"path {path!r}: nothing at {rest[done:]!r} below {place}; {_what(node)}")
        step = rest[done:end].removeprefix("." if done else "")
        if isinstance(node, list):
            node = node if step == "rows" else node[int(step.strip(".[]"))]
        else:
            node = node[step]  # type: ignore[index]
        done = end
    return node


def _step_end(node: Json, rest: str, start: int) -> int | None:
    """Return where the path's next step ends, None when it leads nowhere."""
    if isinstance(node, list):
        if rows := _ROWS.match(rest, start):
            return rows.end()
        index = _INDEX.match(rest, start)
        return index.end() if index and int(index[1] or index[2]) < len(node) else None
    if not isinstance(node, dict):
        return None
    begin = start + rest.startswith(".", start) if start else start
    ends = [match.start() for match in _ENDS.finditer(rest, begin)]
    return next((end for end in reversed(ends) if rest[begin:end] in node), None)


def _what(node: Json) -> str:
    if isinstance(node, dict):
        return f"there is an object with the keys {', '.join(list(node)[:20])}"
    if isinstance(node, list):
        said = f"there is a list of {len(node)}, counted from 0"
        return f"{said}; `fields` reads fields of all its rows" if known_fields(node[:1]) else said
    if isinstance(node, str):
        return "there is a text: it has no paths, use `search` or `offset`"
    return f"there is a {type(node).__name__}"
