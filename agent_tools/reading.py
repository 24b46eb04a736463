"""`read_result`: the tool that pages through a result which was cut to its budget.

It is a tool like any other, so its answers are coded, logged and under the budget of the tool that made the
result. They are never stored again: a page holds as much as fits and says what to call next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from agent_tools import pipeline
from agent_tools import settings as process_settings
from agent_tools.audiences import PLAN
from agent_tools.context import current_trace
from agent_tools.errors import InvalidArgument
from agent_tools.result import Json, ToolResult
from agent_tools.stages.budget_fields import map_rows
from agent_tools.stages.budget_recognise import read_data
from agent_tools.stages.budget_size import measure
from agent_tools.stages.summaries import say_shortfall, say_whole
from agent_tools.stages.views import make_project, make_rules
from agent_tools.stores import open_store
from agent_tools.stores.base import is_result_id, not_found
from agent_tools.stores.pages import (
    Page,
    as_records,
    check_fields,
    choose,
    find_inside,
    group,
    keep_fields,
    of_characters,
    of_keys,
    of_lines,
    of_rows,
    of_text,
    of_value,
    unit_of,
)
from agent_tools.stores.queries import read_path
from agent_tools.stores.store import Store
from agent_tools.tool import tool

MAX_LIMIT = 10_000
DEFAULT_LIMIT = 20
MAX_WHOLE = 10_000  # characters of what was found that are shown without looking inside
# signs of a pattern, which finds nothing where a text is looked for as it stands
PATTERN_SIGNS = frozenset("|*\\^$?+[")
# what a total counts where it is not what the page is made of
NOUNS = {"group": "groups", "place": "matches"}
NAME = "read_result"


@dataclass(frozen=True, slots=True)
class Stored:
    """A stored result as the reader of this scope may see it."""

    result_id: str
    scope: str
    store: Store
    header: dict[str, Any]
    audience: str
    see: Callable[[Any], Any]

    @property
    def is_marked(self) -> bool:
        """Whether some audience sees less than another."""
        return any(self.header.get(key) for key in ("audience", "labels", "marks"))

    @property
    def may_hide_text(self) -> bool:
        """Whether a text may hold records of which this reader does not see all."""
        return bool(self.header.get("audience") or self.header.get("labels"))

    def read_by(self, audience: str) -> Stored:
        """Return it as another audience may see it; a reader who is not the planner never gets more."""
        see = _make_see(self.header, audience)
        return replace(self, see=see if self.audience == PLAN else lambda value: see(self.see(value)))

    @property
    def budget(self) -> tuple[int | None, str | None]:
        """The ceiling and the encoding of the tool that made the result."""
        return self.header.get("max_tokens"), self.header.get("encoding")

    @property
    def shortfall(self) -> str | None:
        """A sentence that says why the stored result is not all that there is; None when it is."""
        header = self.header
        if header.get("status") != "partial":
            return None
        meta = header.get("meta", {})
        return say_shortfall(meta, header.get("error"), header.get("rows") or meta.get("returned"))

    def rows(self, start: int) -> Iterator[Json]:
        """Read rows from `start` on, some hundred at a time."""
        for part in self.store.iter_rows(self.result_id, self.scope, start):
            # as the list that they are a part of, so that what is marked in it is found
            yield from self.see(part)

    def value(self) -> Json:
        """Read the whole; only for results that can't be paged otherwise."""
        seen: Json = self.see(self.store.value(self.result_id, self.scope))
        return seen


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a stored result."""

    path: str | None
    fields: list[str] | None
    where: dict[str, Any] | None
    search: str | None
    by: list[str]
    metrics: dict[str, str] | None

    @property
    def needs_rows(self) -> bool:
        """Whether only rows can answer it."""
        return bool(self.where or self.by or self.metrics)

    def reads_data(self, header: dict[str, Any]) -> bool:
        """Whether it is about the data that a text holds: what was shown as rows is searched as rows."""
        return bool(self.needs_rows or self.fields or (self.search and header.get("is_data")))


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
            audience = trace.audience or PLAN
            return Stored(result_id, trace.scope, store, header, audience, _make_see(header, audience))
    raise not_found(result_id)


def _make_see(header: dict[str, Any], audience: str) -> Callable[[Any], Any]:
    project = make_project(make_rules(header.get("audience") or {}, header.get("labels") or ()))
    marks = {tuple(path): fields for path, fields in header.get("marks") or ()}
    return lambda value: project(value, audience, marks)


@tool(name=NAME, kind="query", store=False, error_as_data="keep", format="auto")
def read_result(
    result_id: str,
    offset: int = 0,
    limit: int = DEFAULT_LIMIT,
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
        offset: Number of rows (lines, characters) to skip; line 7 is at offset 6.
        limit: Most rows or lines of a page; fewer are shown when they would not fit.
        fields: Keep only these fields of each row.
        where: Conditions on fields, all must hold: {"city": "Rome", "amount": [">", 100]}; also !=, in,
            between, contains, starts with.
        search: Keep only rows, lines or parts with this text, as it stands; their numbers or paths are told.
        path: Where to read inside a nested value: orders[3].lines; of a text that holds CSV or JSON, $ is
            the data in it.
        group_by: Field or fields to group the rows by; items[].sku is a field of the entries of a list.
        metrics: One metric per field of the groups: {"amount": "sum"}; also count, mean, median, min,
            max, distinct.

    Example:
        >>> read_result("r_AAAAAAAAAAAAAAAA").error.code
        'NOT_FOUND'
    """
    if offset < 0 or limit < 1:
        raise InvalidArgument(f"offset must be 0 or more and limit 1 or more, got {offset} and {limit}")
    question = Question(path, fields, where, search, _as_list(group_by), metrics)

    asked: dict[str, Any] = {"path": path, "fields": fields, "where": where, "search": search}
    asked |= {"group_by": group_by, "metrics": metrics, "limit": limit if limit != DEFAULT_LIMIT else None}
    again = {name: value for name, value in asked.items() if value}

    def read(stored: Stored) -> ToolResult[Any]:
        page = _ask(stored, _page_of(stored, question), question)
        return _fill(stored, page, offset, min(limit, MAX_LIMIT), again)

    stored = open_stored(result_id)
    result = read(stored)
    if stored.is_marked:
        result._read_for = lambda audience: read(stored.read_by(audience))
    return result


def _as_list(names: str | list[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else names or []


def _ask(stored: Stored, page: Page, question: Question) -> Page:
    by, metrics, fields = question.by, question.metrics or {}, question.fields
    if question.needs_rows or fields:
        page = as_records(page)
    whole = page
    if by or metrics:
        check_fields(whole, [*by, *metrics])
    elif fields and page.unit == "row":
        # of all rows: that none of the chosen ones has a field is an answer, not a mistake
        check_fields(whole, fields)
    if page.unit == "key" and question.search and not question.where:
        return _find_inside(stored, keep_fields(page, fields) if fields else page, question)
    if question.where or question.search:
        page = choose(page, question.where, question.search)
    if by or metrics:
        page = group(page, by, metrics)
    if not fields:
        return page
    return keep_fields(page, fields, checked=not (by or metrics))


def _find_inside(stored: Stored, page: Page, question: Question) -> Page:
    node = dict(pair for _, pair in page.items(0))
    # what takes less than a quarter of the page is shown whole
    room = stored.budget[0] or MAX_WHOLE
    path = (question.path or "").removeprefix("$").removeprefix(".")
    return find_inside(node, question.search or "", path, lambda value: measure(value, room) <= room)


# --- what there is to page through


def _page_of(stored: Stored, question: Question) -> Page:
    header, path = stored.header, question.path
    if header["shape"] == "text" and (path or question.reads_data(header)):
        return _page_inside_text(stored, question)
    store, result_id, scope = stored.store, stored.result_id, stored.scope
    if path is None and header["shape"] == "rows":
        return of_rows(stored.rows, header["rows"])
    is_plain_text = path is None and header["shape"] == "text" and not stored.may_hide_text
    if is_plain_text and header.get("unit") == "line":
        return of_lines(
            lambda at: (line for part in store.iter_lines(result_id, scope, at) for line in part),
            header["lines"],
        )
    most = _most_characters(stored)
    if is_plain_text:
        return of_characters(lambda at: store.text(result_id, scope, at, most), header["characters"])
    return _page_of_value(stored, read_path(stored.value(), path or ""), question)


def _page_inside_text(stored: Stored, question: Question) -> Page:
    """Page through the data that a text holds: CSV, JSON or JSON lines, as it was shown when it was cut."""
    text = stored.value()
    read = read_data(text) if isinstance(text, str) else None
    return _page_of_value(stored, read_path(text if read is None else read[0], question.path or ""), question)


def _page_of_value(stored: Stored, node: Json, question: Question) -> Page:
    if isinstance(node, dict) and (question.needs_rows or not set(question.fields or ()) <= node.keys()):
        node = map_rows(node) or node  # a map of like values was shown as rows, too
    if isinstance(node, list):
        return of_rows(lambda at: iter(node[at:]), len(node))
    if isinstance(node, dict):
        return of_keys(node)
    if not isinstance(node, str):
        return of_value(node)
    return of_text(node, unit_of(node, *stored.budget), _most_characters(stored))


def _most_characters(stored: Stored) -> int:
    # no token has more than 128 bytes, and text that dense is no text
    return (stored.budget[0] or 100_000) * 8


# --- as much as fits

# makes a page: stored, page, its items, offset, total, their numbers, what was asked
Answer = Callable[[Stored, Page, list[Any], int, int, list[int] | None, dict[str, Any]], ToolResult[Any]]


def _fill(stored: Stored, page: Page, offset: int, limit: int, asked: dict[str, Any]) -> ToolResult[Any]:
    if page.unit == "character":
        limit = _most_characters(stored)
    elif stored.budget[0] is not None:
        # no item takes less than a token
        limit = min(limit, stored.budget[0])
    source = page.items(offset)
    taken: list[tuple[int, Any]] = []

    def available(n: int) -> int:
        """Read up to `n` items, no more than the next try needs; say how many there are."""
        taken.extend(islice(source, min(n, limit) - len(taken)) if min(n, limit) > len(taken) else ())
        return min(n, len(taken))

    total = page.total
    if total is None:
        available(limit)
        total = offset + len(taken) + sum(1 for _ in source) if taken else sum(1 for _ in page.items(0))

    def make(n: int, answer: Answer = _answer) -> ToolResult[Any]:
        items = [item for _, item in taken[:n]]
        numbers = [n for n, _ in taken[:n]] if page.numbered else None
        return _as_read(answer(stored, page, items, offset, total, numbers, asked), stored, page)

    if not available(1):
        return _answer_past_end(stored, page, offset, total, asked)
    n = _most(lambda n: pipeline.fits_in(read_result, make(n), stored.budget), available)
    # one that does not fit by itself is shown in part, and where the rest of it is
    return make(n) if n else make(1, _answer_in_part)


def _most(fits: Callable[[int], bool], available: Callable[[int], int]) -> int:
    """Return how many items fit, 0 when not even one does.

    It tries few first: what does not fit is cut, and that costs more the more there is.

    Args:
        fits: Tells whether so many fit.
        available: Tells how many of so many there are.
    """
    low, high = 0, 1
    while available(high) == high:
        if fits(high):
            low = high
        elif low * 2 < high:
            # twice in a row: once is no end, since four rows as a table may take less than two as records
            break
        high *= 2
    n = available(high)
    if n < high:
        if n == low or fits(n):
            return n
        high = n
    # of thousands of characters some more or less are not worth another look
    while high - low > max(1, low // 64):
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _as_read(result: ToolResult[Any], stored: Stored, page: Page) -> ToolResult[Any]:
    # it was redacted by its tool's rules before it was stored; other rules would show something else
    result._is_clean = True
    result._noun = NOUNS.get(page.unit)
    if stored.shortfall is not None and page.unit in ("row", "line"):
        result._noun = f"stored {page.unit}s"
    return result.within(*stored.budget)


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
        meta["numbers"] = numbers
    data = page.show(items, offset)
    end = offset + len(items)
    shortfall = stored.shortfall
    if end >= total and offset == 0 and shortfall is None:
        if page.unit == "place":
            meta["summary"] = say_whole(total, NOUNS[page.unit])
        return ToolResult.ok(data, **meta, total=total)
    if end < total:
        arguments = {"result_id": stored.result_id, "offset": end, **asked}
        meta["next"] = {"tool": NAME, "arguments": arguments}
    elif shortfall is not None and page.unit in ("row", "line") and not page.numbered:
        at_source = stored.header["meta"].get("next")
        meta |= {"next": at_source} if at_source else {}
    summary = _say_which(page, offset, end)
    if page.numbered:
        summary += " Only what matched is counted; `numbers` says where it stands in the whole."
    elif page.unit in ("line", "character") and "path" not in asked and stored.header.get("is_data"):
        summary += " They are of the text as it stands; with path='$' the data in it is read."
    if shortfall is not None:
        summary, meta["truncated"] = f"{summary} {shortfall}", True
    return ToolResult.partial(data, total=total, summary=summary, returned=len(items), **meta)


def _say_which(page: Page, first: int, end: int) -> str:
    """Say which of all a page shows; lines and characters are numbered in the data, and there from 1."""
    is_text = page.unit in ("line", "character") and not page.numbered
    what = "match" if page.numbered or page.unit == "place" else page.unit
    first, last, since = (first + 1, end, "") if is_text else (first, end - 1, ", counted from 0")
    if first == last:
        return f"This is {what} {first}{since}."
    return f"These are {'matches' if what == 'match' else f'{what}s'} {first} to {last}{since}."


def _answer_in_part(
    stored: Stored,
    page: Page,
    items: list[Any],
    offset: int,
    total: int,
    numbers: list[int] | None,
    asked: dict[str, Any],
) -> ToolResult[Any]:
    result = _answer(stored, page, items, offset, total, numbers, asked)
    n = numbers[0] if numbers else offset
    inner = f"[{n}]" if page.unit == "row" else str(items[0][0]) if page.unit in ("key", "place") else None
    if inner is None:
        return result
    outer = asked.get("path", "") if page.unit != "place" else ""
    path = f"{outer}{inner}" if inner.startswith("[") or not outer else f"{outer}.{inner}"
    more = f"The {page.unit} is larger than the budget; read inside it with path={path!r}."
    known = {key: value for key, value in result.meta.items() if key not in ("total", "summary")}
    return ToolResult.partial(result.data, total=total, summary=more, **{**known, "returned": 1})


def _answer_past_end(
    stored: Stored, page: Page, offset: int, total: int, asked: dict[str, Any]
) -> ToolResult[Any]:
    shortfall = stored.shortfall
    data: Json = {} if page.unit in ("key", "place") else []
    said = [shortfall] if shortfall is not None else []
    if total:
        said.insert(0, f"There is nothing at offset {offset}; the last {page.unit} is at offset {total - 1}.")
    else:
        if PATTERN_SIGNS & set(asked.get("search", "")):
            said.insert(0, "`search` looks for a text as it stands, not for a pattern.")
        if shortfall is None:
            which = "Nothing in" if page.unit in ("match", "place") else f"No {page.unit} of"
            nothing = f"The call worked. {which} the stored result matched."
            return ToolResult.empty(data, summary=" ".join([nothing, *said]))
    meta: dict[str, Any] = {"numbers": []} if page.numbered and not total else {}
    result: ToolResult[Any] = ToolResult.partial(
        data, total=total, returned=0, truncated=True, summary=" ".join(said), **meta
    )
    return _as_read(result, stored, page)
