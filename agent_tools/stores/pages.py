"""What a stored result is paged through: rows, lines, characters or keys, whole or chosen by a question.

In:   a source of items (a part of a store, or a value that was read whole) and what is asked of it.
Out:  a `Page`, from which as many items are taken as fit a budget.
Raises: InvalidArgument: a question about fields that no row has, or about rows where there are none.
Cost: items are read as they are taken; a condition or a search reads all of them to count them.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from agent_tools.errors import InvalidArgument
from agent_tools.result import Json
from agent_tools.stores.places import find_places, row_places
from agent_tools.stores.queries import (
    MISSING,
    Matches,
    group_rows,
    inner_fields,
    known_fields,
    make_search,
    make_where,
    pick_fields,
    read_field,
)
from agent_tools.tokens import fits

# rows that are looked at to say which fields there are
SAMPLE_ROWS = 200
# so many of the longest lines are counted to say how a text is paged
LOOKED_AT = 5
# characters shown on each side of a text that was found in a long line
AROUND = 100
MOST_EXCERPTS = 3  # of a long text inside an object
MOST_NAMED = 20  # fields or paths in an error

DEFAULT_ENCODING = "o200k_base"

Items = Callable[[int], Iterator[tuple[int, Any]]]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page is cut from: how to get items, how many there are, how they are shown.

    Attributes:
        items: Items from an offset on, with the number of each in the whole.
        total: Number of all items; None when it is not known before they are read.
        unit: `row`, `line`, `character`, `key`, `match`, `place` or `group`.
        show: Turns the items of a page and the number of the first into data.
        numbered: The numbers of the items are told, since they are not consecutive.
    """

    items: Items
    total: int | None
    unit: str
    show: Callable[[list[Any], int], Json]
    numbered: bool = False


def of_rows(rows: Callable[[int], Iterator[Json]], total: int) -> Page:
    """Page through rows, read from an offset on."""
    return Page(lambda at: enumerate(rows(at), at), total, "row", lambda items, _: items)


def of_lines(lines: Callable[[int], Iterator[str]], total: int) -> Page:
    """Page through the lines of a text, each with its end."""
    return Page(lambda at: enumerate(lines(at), at), total, "line", _show_text("lines"))


def of_characters(read: Callable[[int], str], total: int) -> Page:
    """Page through a text whose lines are too long; `read` gives some of it from an offset on."""
    return Page(lambda at: enumerate(read(at), at), total, "character", _show_text("chars"))


def of_keys(node: dict[str, Json]) -> Page:
    """Page through an object, key by key."""
    pairs = list(node.items())
    return Page(lambda at: enumerate(pairs[at:], at), len(pairs), "key", lambda items, _: dict(items))


def of_value(node: Json) -> Page:
    """Make a page of something that has no parts."""
    return Page(lambda at: iter([(0, node)][at:]), 1, "row", lambda items, _: items[0] if items else None)


def unit_of(text: str, max_tokens: int | None, encoding: str | None) -> str:
    """Say how a text is paged: by lines, unless one of them may not fit a page; then by characters."""
    if max_tokens is None:
        return "line"
    room = max_tokens // 2  # the other half is for what stands around the text
    longest = heapq.nlargest(LOOKED_AT, text.split("\n"), key=len)
    # no character has more than four bytes, no token less than one
    is_short = all(
        len(line) * 4 <= room or fits(line, room, encoding or DEFAULT_ENCODING) for line in longest
    )
    return "line" if is_short else "character"


def of_text(text: str, unit: str, most: int) -> Page:
    """Page through a text by its unit, see `unit_of`; of characters, `most` are read at a time."""
    if unit == "character":
        return of_characters(lambda at: text[at : at + most], len(text))
    lines = text.split("\n")
    ended = [line + "\n" for line in lines[:-1]] + lines[-1:]
    whole = ended if ended[-1] else ended[:-1]
    return of_lines(lambda at: iter(whole[at:]), len(whole))


def _show_text(unit: str) -> Callable[[list[Any], int], Json]:
    def show(items: list[Any], first: int) -> Json:
        return [{unit: _span(first, first + len(items)), "text": "".join(items)}]

    return show


def _span(first: int, end: int) -> str:
    return f"{first + 1}-{end}" if end > first + 1 else f"{end}"


def _show_found_lines(items: list[tuple[int, str]], _: int) -> Json:
    """Show lines with their numbers, as a cut does."""
    return [{"lines": _span(number, number + 1), "text": line} for number, line in items]


# --- what is asked of it


def choose(page: Page, where: Mapping[str, Any] | None, search: str | None) -> Page:
    """Keep the items for which all conditions hold and that have the text."""
    tests: list[Matches] = []
    if where:
        check_fields(page, list(where))
        tests.append(make_where(where))
    if search and page.unit == "character":
        return _find_in_text(page, search)
    if search:
        tests.append(make_search(search))

    def items(at: int) -> Iterator[tuple[int, Any]]:
        found = ((n, item) for n, item in page.items(0) if all(test(_searched(page, item)) for test in tests))
        if page.unit == "line":
            found = ((n, (n, line)) for n, line in found)
        return islice(found, at, None)

    show = _show_found_lines if page.unit == "line" else page.show
    return Page(items, None, page.unit, show, numbered=True)


def find_inside(node: Json, search: str, path: str, is_small: Callable[[Json], bool]) -> Page:
    """Find a text inside an object: what is shown are the places that have it, by their paths."""

    def items(at: int) -> Iterator[tuple[int, Any]]:
        found = find_places(node, make_search(search), is_small, path)
        shown = ((place, _shown(value, search, is_small)) for place, value in found)
        return islice(enumerate(shown), at, None)

    return Page(items, None, "place", lambda found, _: dict(found))


def _shown(value: Json, search: str, is_small: Callable[[Json], bool]) -> Json:
    if not isinstance(value, str) or is_small(value):
        return value
    places = islice(_places(value, search), MOST_EXCERPTS)
    return [_excerpt(value, at, len(search)) for at in places]


def _searched(page: Page, item: Any) -> Json:
    if page.unit != "key":
        return item  # type: ignore[no-any-return]
    name, value = item
    return {name: value}


def _find_in_text(page: Page, search: str) -> Page:
    """Find a text in one without usable lines; each match is shown with what stands around it."""

    def items(at: int) -> Iterator[tuple[int, Any]]:
        text = _whole_text(page)
        found = _places(text, search)
        return islice(((n, _excerpt(text, n, len(search))) for n in found), at, None)

    return Page(items, None, "match", lambda chosen, _: chosen, numbered=True)


def _whole_text(page: Page) -> str:
    parts: list[str] = []
    at = 0
    while at < (page.total or 0) and (part := "".join(letter for _, letter in page.items(at))):
        parts.append(part)
        at += len(part)
    return "".join(parts)


def _places(text: str, search: str) -> Iterator[int]:
    # casefold may change lengths, and with it the numbers; lower does so for a handful of letters only
    lowered, wanted = text.lower(), search.lower()
    haystack = lowered if len(lowered) == len(text) else text
    at = haystack.find(wanted)
    while at >= 0:
        yield at
        at = haystack.find(wanted, at + max(len(wanted), 1))


def _excerpt(text: str, at: int, length: int) -> dict[str, Json]:
    start, end = max(0, at - AROUND), min(len(text), at + length + AROUND)
    return {"chars": f"{start + 1}-{end}", "text": text[start:end]}


def check_fields(page: Page, names: Sequence[str]) -> None:
    """Make sure that some row has each of these fields.

    Raises:
        InvalidArgument: there are no rows, or none has the field; says which there are.
    """
    if page.unit != "row":
        raise InvalidArgument(
            f"`fields`, `where` and `group_by` need rows; here are {page.unit}s: "
            f"use `search`{_rows_in(page, names)}"
        )
    sample = [row for _, row in islice(page.items(0), SAMPLE_ROWS)]
    for name in names:
        if not _has_field(iter(sample), name) and not _has_field((row for _, row in page.items(0)), name):
            inner = inner_fields(sample, name)
            more = f"; inside of others: {', '.join(inner[:MOST_NAMED])}" if inner else ""
            raise InvalidArgument(f"no row has the field {name!r}; {_known(known_fields(sample))}{more}")


def _rows_in(page: Page, names: Sequence[str]) -> str:
    """Say at which paths there are rows; only those that have the fields where there are such."""
    if page.unit != "key":
        return ""
    node = dict(pair for _, pair in page.items(0))
    lists = list(row_places(node))
    fitting = [
        place for place, rows in lists if all(_has_field(iter(rows[:SAMPLE_ROWS]), name) for name in names)
    ]
    places = fitting or [place for place, _ in lists]
    # a map may be read as rows, too
    places = places or [name for name, value in node.items() if isinstance(value, (list, dict)) and value]
    return f" or `path`{': ' if places else ''}{', '.join(places[:MOST_NAMED])}"


def _known(names: Sequence[str]) -> str:
    return f"known: {', '.join(names[:MOST_NAMED]) or 'none'}"


def _has_field(rows: Iterator[Json], name: str) -> bool:
    return any(read_field(row, name) is not MISSING for row in rows)


def keep_fields(page: Page, fields: Sequence[str], *, checked: bool = False) -> Page:
    """Keep these fields of each row, or these keys of an object; `checked` rows are known to have them.

    Raises:
        InvalidArgument: no row has one of them, or the page has neither rows nor keys.
    """
    if page.unit == "key":
        return _keep_keys(page, fields)
    if not checked or page.unit != "row":
        check_fields(page, fields)
    return replace(page, items=lambda at: ((n, pick_fields(row, fields)) for n, row in page.items(at)))


def _keep_keys(page: Page, names: Sequence[str]) -> Page:
    node = dict(pair for _, pair in page.items(0))
    for name in names:
        if name not in node:
            rows = _rows_in(of_keys(node), names).partition(": ")[2]
            more = f"; there are rows at `path`: {rows}" if rows else ""
            raise InvalidArgument(f"there is no key {name!r}; {_known(list(node))}{more}")
    return of_keys({name: node[name] for name in names})


def group(page: Page, by: Sequence[str], metrics: Mapping[str, str]) -> Page:
    """Make one row per group, the largest first."""
    groups = group_rows((row for _, row in page.items(0)), by, metrics)
    return replace(of_rows(lambda at: iter(groups[at:]), len(groups)), unit="group")


def as_records(page: Page) -> Page:
    """Give rows that are no records a field, `value`, by which they can be chosen and grouped."""
    sample = [row for _, row in islice(page.items(0), SAMPLE_ROWS)]
    if page.unit != "row" or not sample or any(isinstance(row, dict) for row in sample):
        return page
    return replace(page, items=lambda at: ((n, {"value": row}) for n, row in page.items(at)))
