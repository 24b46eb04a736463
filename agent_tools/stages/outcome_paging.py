"""Find how much there is in all and how to get the next page: a part of `outcome`.

In:   one level of a returned value (`Reply`) and the number of its rows.
Out:  the total, and the keys that ask for the next page as the reply spells them.

A flag that says "no more" (`has_more: false`) wins over a cursor: many APIs hand out a bookmark with
the last page, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agent_tools.stages.outcome_keys import NOTHING_WORDS, PAGING_KEYS, TOTAL_KEYS, word_set, words
from agent_tools.stages.outcome_replies import Reply, Shape, plain, read_reply, spellings

# a non-null value says that there is more and how to get it
_NEXT_WORDS = words(
    "next_cursor next_page_token next_page next_token next_link next_url @odata.next_link next_page_url "
    "next_page_link next_page_cursor next_marker next_continuation_token continuation_token next_records_url "
    "last_evaluated_key next_page_number next_page_id next_page_key next_key next_offset next_start "
    "next_index next_results next_collection_link next_page_uri next_uri next_partition_key continue"
)
NEXT_KEYS = tuple(map(plain, _NEXT_WORDS))
CURSOR_ENDS = ("cursor", "token", "marker")
OBJECT_CURSORS = frozenset(("lastevaluatedkey", "continue"))  # DynamoDB and MediaWiki
SPELT_NEXT = frozenset(spelt for name in _NEXT_WORDS for spelt in spellings(name))
MORE_FLAGS = words(
    "hasmore hasnextpage hasnext hasmorepages hasmoreresults hasmoreitems hasmoredata "
    "hasadditionalpages istruncated truncated moreavailable moreresults moreitemsintheresultset ismore"
)
# cursors that are also bookmarks or plain words: need a collection and no "no more" beside them
LINK_KEYS = ("links", "link", "cursor")
OFFSET_KEYS = words("offset skip start startat startindex")
PAGE_KEYS = words("page pagenumber pageno currentpage pageindex number")
SIZE_KEYS = words("perpage pagesize hitsperpage itemsperpage resultsperpage limit maxresults pagelen size")
PAGE_COUNT_KEYS = words("totalpages pagecount nbpages numpages lastpage pages")
ZERO_BASED_KEYS = frozenset(("number", "pageindex"))  # Spring's and .NET's first page is 0
_SPEAKING_KEYS = frozenset(("next", "cursor", "endcursor")).union(
    NEXT_KEYS,
    MORE_FLAGS,
    LINK_KEYS,
    OFFSET_KEYS,
    PAGE_KEYS,
    SIZE_KEYS,
    PAGE_COUNT_KEYS,
    TOTAL_KEYS,
    PAGING_KEYS,
)
# beside these a bare `total` is a sum of money
MONEY_KEYS = word_set("currency tax taxes subtotal discount shipping price amount vat invoice")


@lru_cache(maxsize=1024)
def is_paged(shape: Shape) -> bool:
    """Say whether keys may speak of pages or totals at all: most replies' keys don't."""
    return not _SPEAKING_KEYS.isdisjoint(shape.names) or bool(_next_names(shape))


def number_of(value: object) -> int | None:
    """Return a count given as an int, as digits or as Elasticsearch's `{"value": 7, "relation": "eq"}`."""
    if type(value) is int:
        return value if value >= 0 else None
    if type(value) is str and value.isascii() and value.isdigit() and len(value) < 19:
        return int(value)
    if type(value) is dict and value.get("relation", "eq") == "eq":
        return number_of(value.get("value")) if type(value.get("value")) is int else None
    return None


def paging_parts(reply: Reply) -> Iterator[Reply]:
    """Yield the level itself and the objects in it that speak of paging (`meta.pagination`, `pageInfo`)."""
    yield reply
    for name in PAGING_KEYS:
        if type(reply.fields.get(name)) is dict and (part := read_reply(reply.fields[name])) is not None:
            yield part
            if name in ("meta", "metadata") and (inner := read_reply(_inner_paging(part))) is not None:
                yield inner


def _inner_paging(part: Reply) -> object:
    return next((part.fields[name] for name in ("pagination", "paging", "page") if name in part.fields), None)


def find_total(reply: Reply, at_least: int) -> int | None:
    """Return the first total that is no smaller than the rows at hand."""
    money = not MONEY_KEYS.isdisjoint(reply.fields)
    for part in paging_parts(reply):
        for name in TOTAL_KEYS:
            if money and name == "total":
                continue
            found = number_of(part.fields.get(name))
            if found is not None and found >= at_least:
                return found
    return None


def is_lower_bound(reply: Reply) -> bool:
    """Say whether a total is only a lower bound (Elasticsearch stops to count at 10,000)."""
    total = reply.fields.get("total")
    return type(total) is dict and total.get("relation") == "gte"


def find_next(reply: Reply, rows: int | None, *, sure_only: bool = False) -> dict[str, object] | None:
    """Return what asks for the next page, None when nothing says that there is one.

    Args:
        reply: The level that holds the rows, or one around it.
        rows: How many rows there are. None when unknown.
        sure_only: Take only keys that nothing but paging has: for a record, whose `next` may be a field.

    Example:
        >>> find_next(Reply({"items": [1], "nextPageToken": "abc"}), 1)
        {'nextPageToken': 'abc'}
        >>> find_next(Reply({"entries": [1], "cursor": "abc", "has_more": False}), 1)
    """
    parts = list(paging_parts(reply))
    flag = _more_flag(parts)
    if flag is not None and not flag[1]:
        return None
    for part in parts:
        found = _next_key(part) or (_end_cursor(part) if flag is not None else None)
        if found is None and not sure_only:
            found = _next_link(part) or _bookmark(part)
        if found is not None:
            return found
    if sure_only:
        return _only_flag(reply, flag)
    return _next_position(parts, rows) or _only_flag(reply, flag)


def _more_flag(parts: list[Reply]) -> tuple[str, bool] | None:
    for part in parts:
        for name in MORE_FLAGS:
            value = part.fields.get(name)
            # `truncated: false` speaks of a text that was not cut, not of pages
            if value is True or (value is False and name != "truncated"):
                return part.names[name], value
    return None


def _is_cursor(value: object) -> bool:
    kind = type(value)
    if kind is str:
        return value.strip().lower() not in NOTHING_WORDS  # type: ignore[attr-defined]  # a str by its type
    if kind is int or kind is float:
        return value > 0  # type: ignore[operator]  # a number by its type
    return value is True or (kind is dict and bool(value))


@lru_cache(maxsize=1024)
def _next_names(shape: Shape) -> tuple[str, ...]:
    """Return the keys of NEXT_KEYS among a reply's, the surest first, then others that are built alike."""
    known = [name for name in NEXT_KEYS if name in shape.spelt]
    alike = [
        name
        for name in shape.names
        if name.startswith("next") and name.endswith(CURSOR_ENDS) and name != "nextsynctoken"
    ]
    return tuple(dict.fromkeys(known + alike))


def _next_key(part: Reply) -> dict[str, object] | None:
    for name in _next_names(part.shape):
        value = part.fields[name]
        if _is_cursor(value) and (type(value) is not dict or name in OBJECT_CURSORS):
            return {part.names[name]: value}
    return None


def _next_link(part: Reply) -> dict[str, object] | None:
    """Read `links.next`, `_links.next.href`, FHIR's and STAC's link lists, and a bare `next`."""
    for name in LINK_KEYS:
        links = part.fields.get(name)
        if type(links) is dict and (target := _target(links.get("next"))) is not None:
            return {"next": target}
        for link in links[:20] if type(links) is list else ():
            if type(link) is dict and "next" in (link.get("rel"), link.get("relation")):
                target = _target(link)
                return {"next": target} if target is not None else None
    return _bare_next(part)


def _bare_next(part: Reply) -> dict[str, object] | None:
    """A `next` alone may be a field of a thing: it must be an address, or stand among paging keys."""
    value = part.fields.get("next")
    if value is None:
        return None
    among = not {"previous", "prev", "count", "total", "cursors", "limit", "page"}.isdisjoint(part.fields)
    target = _target(value)
    if target is not None and (among or type(value) is dict or "/" in str(target) or "?" in str(target)):
        return {part.names["next"]: target}
    return None


def _target(link: object) -> object:
    """Return an address or cursor; a link object's `href`, `url`, `link`, `after` or `cursor`."""
    if type(link) is dict:
        return next(
            (t for t in map(link.get, ("href", "url", "link", "after", "cursor")) if _is_cursor(t)), None
        )
    return link if _is_cursor(link) and type(link) is not bool else None


def _end_cursor(part: Reply) -> dict[str, object] | None:
    """Read a GraphQL `endCursor` and its like; sure beside a `hasNextPage`."""
    for name in ("endcursor", "startingafter", "scrollid"):
        if _is_cursor(part.fields.get(name)):
            return {part.names[name]: part.fields[name]}
    return None


def _bookmark(part: Reply) -> dict[str, object] | None:
    """Read a `cursor`, and Airtable's text `offset`."""
    cursor, offset = part.fields.get("cursor"), part.fields.get("offset")
    if type(cursor) in (str, int) and _is_cursor(cursor):
        return {part.names["cursor"]: cursor}
    if type(offset) is str and not offset.isdigit() and _is_cursor(offset):
        return {part.names["offset"]: offset}
    return None


def _first_number(parts: list[Reply], names: tuple[str, ...]) -> tuple[str, str, int] | None:
    for part in parts:
        for name in names:
            value = number_of(part.fields.get(name)) if type(part.fields.get(name)) is not dict else None
            if value is not None:
                return name, part.names[name], value
    return None


def _next_position(parts: list[Reply], rows: int | None) -> dict[str, object] | None:
    """Work out the next page from page and pages, or from offset, rows and total."""
    if not rows:
        return None
    page = _first_number(parts, PAGE_KEYS)
    pages = _first_number(parts, PAGE_COUNT_KEYS)
    if page and pages:
        name, spelt, number = page
        from_zero = number == 0 or name in ZERO_BASED_KEYS or pages[0] == "nbpages"
        return {spelt: number + 1} if number + from_zero < pages[2] else None
    return _next_offset(parts, rows, page)


def _next_offset(
    parts: list[Reply], rows: int, page: tuple[str, str, int] | None
) -> dict[str, object] | None:
    total = _first_number(parts, TOTAL_KEYS[:-1])  # the last one, `count`, is often the rows of this page
    offset = _first_number(parts, OFFSET_KEYS)
    size = _first_number(parts, SIZE_KEYS)
    if total is None:
        return None
    if offset:
        name, spelt, start = offset
        seen = start + rows - (name == "startindex" and start > 0)  # OpenSearch and SCIM count from 1
        return {spelt: start + rows} if seen < total[2] else None
    if page and size and page[2] > 0 and rows <= size[2] and page[2] * size[2] < total[2]:
        return {page[1]: page[2] + 1}
    return None


def _only_flag(reply: Reply, flag: tuple[str, bool] | None) -> dict[str, object] | None:
    if flag is None:
        return None
    following: dict[str, object] = {flag[0]: True}
    rows = reply.fields.get("data")
    if reply.fields.get("object") == "list" and type(rows) is list and rows and type(rows[-1]) is dict:
        following["starting_after"] = rows[-1].get("id")  # Stripe: the last id is the cursor
    return following


def first_page(reply: Reply) -> dict[str, object] | None:
    """Return what asks for the first page again, as the reply spells it; None when it names no position."""
    parts = list(paging_parts(reply))
    for names, first in ((OFFSET_KEYS, 0), (PAGE_KEYS, 1)):
        if (found := _first_number(parts, names)) is not None and found[2] > first:
            return {found[1]: first}
    return None
