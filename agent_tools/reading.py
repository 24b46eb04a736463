"""`read_result`: the tool that pages through a result which was cut to its budget.

It is a tool like any other, so its answers are coded, logged and under the budget of the tool that made the
result. They are never stored again: a page holds as much as fits and says what to call next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agent_tools import pipeline
from agent_tools import settings as process_settings
from agent_tools.audiences import PLAN
from agent_tools.context import current_trace
from agent_tools.errors import InvalidArgument
from agent_tools.result import Json, ToolResult
from agent_tools.stages.views import make_project, make_rules
from agent_tools.stores import open_store
from agent_tools.stores.base import is_result_id, not_found
from agent_tools.stores.queries import (
    Matches,
    group_rows,
    known_fields,
    make_search,
    make_where,
    pick_fields,
    read_path,
)
from agent_tools.stores.store import Store
from agent_tools.tool import tool

MAX_LIMIT = 10_000
# rows that are looked at to say which fields there are
SAMPLE_ROWS = 200
NAME = "read_result"


@dataclass(frozen=True, slots=True)
class Page:
    """What a page is cut from: how to get items, how many there are, how they are shown.

    Attributes:
        items: Items from an offset on, with the number of each in the whole.
        total: Number of all items; None when it is not known yet.
        unit: `row`, `line`, `character` or `key`.
        show: Turns the items of a page and the number of the first into data.
        numbered: The numbers of the items are told, since they are not consecutive.
    """

    items: Callable[[int], Iterator[tuple[int, Any]]]
    total: int | None
    unit: str
    show: Callable[[list[Any], int], Json]
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored result as the reader of this scope may see it."""

    result_id: str
    scope: str
    store: Store
    header: dict[str, Any]
    see: Callable[[Any], Any]

    @property
    def budget(self) -> tuple[int | None, str | None]:
        """The ceiling and the encoding of the tool that made the result."""
        return self.header.get("max_tokens"), self.header.get("encoding")

    def rows(self, start: int) -> Iterator[Json]:
        """Read rows from `start` on, some hundred at a time."""
        for part in self.store.iter_rows(self.result_id, self.scope, start):
            # as the list that they are a part of, so that what is marked in it is found
            yield from self.see(part)

    def value(self) -> Json:
        """Read the whole; only for results that can't be paged otherwise."""
        seen: Json = self.see(self.store.value(self.result_id, self.scope))
        return seen


def open_stored(result_id: str) -> Stored:
    """Find a stored result in the stores of this process.

    Raises:
        NotFound: an unknown or expired id, or one of another scope: they look alike.
        ToolError: UNAVAILABLE, the store can't be reached.
    """
    trace = current_trace()
    if not is_result_id(result_id):
        raise not_found(result_id)
    process = process_settings.process()
    for url in pipeline.store_urls():
        store = open_store(url, ttl_s=process.store_ttl_s, quota_bytes=process.store_quota_bytes)
        header = store.header(result_id, trace.scope)
        if header is not None:
            return Stored(result_id, trace.scope, store, header, _make_see(header, trace.audience or PLAN))
    raise not_found(result_id)


def _make_see(header: dict[str, Any], audience: str) -> Callable[[Any], Any]:
    project = make_project(make_rules(header.get("audience") or {}, header.get("labels") or ()))
    marks = {tuple(path): fields for path, fields in header.get("marks") or ()}
    return lambda value: project(value, audience, marks)


@tool(name=NAME, kind="query", store=False, error_as_data="keep", format="auto")
def read_result(
    result_id: str,
    offset: int = 0,
    limit: int = 20,
    fields: list[str] | None = None,
    where: dict[str, Any] | None = None,
    search: str | None = None,
    path: str | None = None,
    group_by: str | list[str] | None = None,
    metrics: dict[str, str] | None = None,
) -> ToolResult[Any]:
    """Read more of a result that was cut: a page of it, the rows that match, or groups.

    Args:
        result_id: The id that stands in the cut result's meta.
        offset: Number of rows (lines, characters) to skip; the first is 0.
        limit: Most rows or lines of a page; fewer are shown when they would not fit.
        fields: Keep only these fields of each row.
        where: Conditions on fields, all must hold: {"city": "Rome", "amount": [">", 100]}.
        search: Keep only rows or lines with this text; their numbers are told.
        path: Where to read inside a nested value: orders[3].lines.
        group_by: Field or fields to group the rows by.
        metrics: One metric per field of the groups: {"amount": "sum"}; also count, mean, median, min,
            max, distinct.

    Example:
        >>> read_result("r_AAAAAAAAAAAAAAAA").error.code
        'NOT_FOUND'
    """
    if offset < 0 or limit < 1:
        raise InvalidArgument(f"offset must be 0 or more and limit 1 or more, got {offset} and {limit}")
    stored = open_stored(result_id)
    page = _page_of(stored, path)
    if where or search:
        page = _choose(page, where, search)
    if group_by or metrics:
        page = _group(page, [group_by] if isinstance(group_by, str) else group_by or [], metrics or {})
    asked = {"path": path, "fields": fields, "where": where, "search": search}
    asked |= {"group_by": group_by, "metrics": metrics}
    return _fill(stored, page, offset, min(limit, MAX_LIMIT), {k: v for k, v in asked.items() if v}, fields)


# --- what there is to page through


def _page_of(stored: Stored, path: str | None) -> Page:
    header = stored.header
    if path is None and header["shape"] == "rows":
        return _of_rows(stored.rows, header["rows"])
    if path is None and header["shape"] == "text":
        if header.get("unit") == "character":
            return _of_characters(
                lambda at: stored.store.text(stored.result_id, stored.scope, at, _most_characters(stored)),
                header["characters"],
            )
        return _of_lines(
            lambda at: (
                line for part in stored.store.iter_lines(stored.result_id, stored.scope, at) for line in part
            ),
            header["lines"],
        )
    node = stored.value()
    node = read_path(node, path) if path else node
    if isinstance(node, list):
        whole = node
        return _of_rows(lambda at: iter(whole[at:]), len(node))
    if isinstance(node, dict):
        return _of_keys(node)
    text = node if isinstance(node, str) else None
    if text is None:
        return Page(lambda at: iter([(0, node)][at:]), 1, "row", lambda items, _: items[0] if items else None)
    if max(map(len, text.split("\n"))) > _most_characters(stored):
        return _of_characters(lambda at: text[at : at + _most_characters(stored)], len(text))
    lines = text.splitlines(keepends=True) if "\r" not in text else [f"{x}\n" for x in text.split("\n")]
    return _of_lines(lambda at: iter(lines[at:]), len(lines))


def _most_characters(stored: Stored) -> int:
    # no token has more than 128 bytes, and text that dense is no text
    return (stored.budget[0] or 100_000) * 8


def _of_rows(rows: Callable[[int], Iterator[Json]], total: int) -> Page:
    return Page(lambda at: enumerate(rows(at), at), total, "row", lambda items, _: items)


def _of_lines(lines: Callable[[int], Iterator[str]], total: int) -> Page:
    def show(items: list[Any], first: int) -> Json:
        return [{"lines": f"{first + 1}-{first + len(items)}", "text": "".join(items)}]

    return Page(lambda at: enumerate(lines(at), at), total, "line", show)


def _of_characters(read: Callable[[int], str], total: int) -> Page:
    def show(items: list[Any], first: int) -> Json:
        return [{"chars": f"{first + 1}-{first + len(items)}", "text": "".join(items)}]

    return Page(lambda at: enumerate(read(at), at), total, "character", show)


def _of_keys(node: dict[str, Json]) -> Page:
    pairs = list(node.items())
    return Page(lambda at: enumerate(pairs[at:], at), len(pairs), "key", lambda items, _: dict(items))


# --- what is asked of it


def _choose(page: Page, where: dict[str, Any] | None, search: str | None) -> Page:
    tests: list[Matches] = []
    if where:
        _check_fields(page, list(where))
        tests.append(make_where(where))
    if search:
        tests.append(make_search(search))

    def items(at: int) -> Iterator[tuple[int, Any]]:
        found = ((n, item) for n, item in page.items(0) if all(test(_searched(page, item)) for test in tests))
        return islice(found, at, None)

    def show(chosen: list[Any], first: int) -> Json:
        return "".join(chosen) if page.unit in ("line", "character") else page.show(chosen, first)

    return Page(items, None, page.unit, show, numbered=True)


def _searched(page: Page, item: Any) -> Json:
    if page.unit != "key":
        return item  # type: ignore[no-any-return]
    name, value = item
    return {name: value}


def _check_fields(page: Page, names: list[str]) -> None:
    if page.unit != "row":
        raise InvalidArgument(
            f"`where` and `group_by` need rows; here are {page.unit}s: use `search` or `path`"
        )
    known = known_fields(row for _, row in islice(page.items(0), SAMPLE_ROWS))
    for name in names:
        if name.partition(".")[0] not in known and not any(
            isinstance(row, dict) and name in row for _, row in page.items(0)
        ):
            raise InvalidArgument(f"no row has the field {name!r}; known: {', '.join(known) or 'none'}")


def _group(page: Page, by: list[str], metrics: dict[str, str]) -> Page:
    _check_fields(page, [*by, *metrics])
    groups = group_rows((row for _, row in page.items(0)), by, metrics)
    return _of_rows(lambda at: iter(groups[at:]), len(groups))


# --- as much as fits


def _fill(
    stored: Stored, page: Page, offset: int, limit: int, asked: dict[str, Any], fields: list[str] | None
) -> ToolResult[Any]:
    if page.unit == "character":
        limit = _most_characters(stored)
    source = page.items(offset)
    taken = list(islice(source, limit))
    total = page.total
    if total is None:
        total = offset + len(taken) + sum(1 for _ in source)
    items = [item for _, item in taken]
    if fields and page.unit == "row":
        _check_fields(page, fields)
        items = [pick_fields(item, fields) for item in items]
    numbers = [n for n, _ in taken] if page.numbered else None

    def make(n: int) -> ToolResult[Any]:
        return _answer(stored, page, items[:n], offset, total, numbers, asked)

    if not items:
        return _answer_past_end(page, offset, total, asked)
    n = _most(lambda n: pipeline.fits_in(read_result, make(n), stored.budget), len(items))
    # one that does not fit by itself is shown in part, and where the rest of it is
    result = make(n) if n else _answer_in_part(stored, page, items[0], offset, total, numbers, asked)
    return result.within(*stored.budget)


def _most(fits: Callable[[int], bool], n: int) -> int:
    """Return the largest number up to `n` that fits, 0 when not even one does."""
    if fits(n):
        return n
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _answer(
    stored: Stored,
    page: Page,
    items: list[Any],
    offset: int,
    total: int,
    numbers: list[int] | None,
    asked: dict[str, Any],
) -> ToolResult[Any]:
    meta: dict[str, Any] = {}
    if numbers is not None:
        meta["numbers"] = numbers[: len(items)]
    data = page.show(items, offset)
    end = offset + len(items)
    if end >= total and offset == 0:
        return ToolResult.ok(data, **meta, total=total)
    if end < total:
        arguments = {"result_id": stored.result_id, "offset": end, **asked}
        meta["next"] = {"tool": NAME, "arguments": arguments}
    summary = f"These are {page.unit}s {offset} to {end - 1}, counted from 0."
    return ToolResult.partial(data, total=total, summary=summary, returned=len(items), **meta)


def _answer_in_part(
    stored: Stored,
    page: Page,
    item: Any,
    offset: int,
    total: int,
    numbers: list[int] | None,
    asked: dict[str, Any],
) -> ToolResult[Any]:
    result = _answer(stored, page, [item], offset, total, numbers, asked)
    n = numbers[0] if numbers else offset
    inner = f"[{n}]" if page.unit == "row" else str(item[0]) if page.unit == "key" else None
    if inner is None:
        return result
    outer = asked.get("path", "")
    path = f"{outer}{inner}" if inner.startswith("[") or not outer else f"{outer}.{inner}"
    more = f"The {page.unit} is larger than the budget; read inside it with path={path!r}."
    known = {key: value for key, value in result.meta.items() if key not in ("total", "summary")}
    return ToolResult.partial(result.data, total=total, summary=more, **known)


def _answer_past_end(page: Page, offset: int, total: int, asked: dict[str, Any]) -> ToolResult[Any]:
    data: Json = {} if page.unit == "key" else []
    if total == 0 and offset == 0:
        return ToolResult.empty(data)
    summary = f"There is nothing at offset {offset}; the last {page.unit} is number {total - 1}."
    return ToolResult.partial(data, total=total, returned=0, truncated=True, summary=summary)
