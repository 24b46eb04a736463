"""Judge a reply by the collection in it: empty, more pages, a page past the end: a part of `outcome`.

In:   a `Reply`: one level of a returned mapping or record.
Out:  a `Verdict`: status and what `meta` gains (`total`, `returned`, `next`, `warnings`).

The collection is followed through known keys, GraphQL connections and sole objects, at most three levels
down. It is empty only if nothing beside it speaks: the query, the page and the time taken don't; a
customer or an answer do.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agent_tools.stages.emptiness import row_count
from agent_tools.stages.outcome_keys import (
    COLLECTION_KEYS,
    FIELD_LIKE,
    IDENTITY_KEYS,
    NEUTRAL_KEYS,
    SEARCH_ONLY,
    WRAPPER_KEYS,
    word_set,
)
from agent_tools.stages.outcome_paging import find_next, find_total, first_page, is_lower_bound
from agent_tools.stages.outcome_replies import Reply, has_content, read_reply, size_of, text_of

MAX_LEVELS = 3
LONGEST_ECHO = 100  # a longer text beside an empty collection is no argument that comes back
ANSWER_KEYS = word_set(
    "answer directanswer abstract abstracttext definition summary explanation conclusion text"
)
PAST_THE_END = "This page is past the end; ask for an earlier one."
# an empty one is the answer "none found wrong", not a search without matches
FINDINGS = frozenset(("error", "errors", "warnings", "errormessages"))


@dataclass(slots=True)
class Verdict:
    """How a reply is judged.

    Attributes:
        status: `success`, `empty` or `partial`.
        meta: What the envelope's meta gains.
    """

    status: str
    meta: dict[str, object] = field(default_factory=dict)


@dataclass(slots=True)
class Listing:
    """The collection of a reply.

    Attributes:
        name: Its plain key. None when the wrappers lead to no collection.
        rows: The collection.
        levels: The replies on the way, the outermost first; the last one holds the rows.
        aside: Level and plain key of what stands beside the way and says something of its own.
    """

    name: str | None
    rows: object
    levels: list[Reply]
    aside: list[tuple[Reply, str]]


def judge_reply(reply: Reply, *, pages: bool = True) -> Verdict:
    """Judge a mapping or record by the collection that it holds.

    Args:
        reply: The outermost level.
        pages: More pages make it partial; else they are only mentioned (an action has done its work).

    Example:
        >>> judge_reply(Reply({"data": {"results": []}})).status
        'empty'
        >>> judge_reply(Reply({"items": [], "total": 57})).meta["total"]
        57
    """
    listing = find_listing(reply)
    count = None if listing.name is None else row_count(listing.rows)
    following = _find_next(listing, count)
    if following is not None:
        return _with_next(listing, count, following, pages=pages)
    if count:
        return Verdict("success", _totals(listing, count))
    if count is None:
        return _without_rows(listing.levels[-1], alone=not listing.aside)
    return _no_rows(listing)


def find_listing(reply: Reply) -> Listing:
    """Follow a reply's wrappers to its collection.

    Example:
        >>> find_listing(Reply({"data": {"results": []}})).name
        'results'
    """
    listing = Listing(None, None, [reply], [])
    while (name := _primary(level := listing.levels[-1])) is not None:
        value = level.fields[name]
        inner = read_reply(value)
        if inner is None or not inner.fields:
            listing.name, listing.rows = name, value
        listing.aside += [(level, other) for other in level.content(without=(name,))]
        if inner is None or not inner.fields or len(listing.levels) > MAX_LEVELS:
            break
        listing.levels.append(inner)
    return listing


def _primary(level: Reply) -> str | None:
    """Return the key of a level's collection, or of the object to look into."""
    known = [name for name in level.fields if name in COLLECTION_KEYS and _holds(level.fields[name])]
    if known:
        return min(known, key=COLLECTION_KEYS.__getitem__)
    connections = [name for name, item in level.fields.items() if type(item) is dict and "pageInfo" in item]
    if len(connections) == 1:
        return connections[0]
    own = [name for name in level.fields if name not in NEUTRAL_KEYS]
    lists = [
        name for name in own if size_of(level.fields[name]) is not None and not _is_map(level.fields[name])
    ]
    if len(lists) == 1:
        return lists[0]
    told = [name for name in own if has_content(level.fields[name])]
    return told[0] if len(told) == 1 and _is_map(level.fields[told[0]]) else None


def _holds(value: object) -> bool:
    return row_count(value) is not None or read_reply(value) is not None


def _is_map(value: object) -> bool:
    return type(value) is dict or read_reply(value) is not None


def _is_record(listing: Listing) -> bool:
    """Say whether a level on the way is a thing of its own, with an id or a name."""
    if listing.name in SEARCH_ONLY or "jsonrpc" in listing.levels[0].fields:
        return False
    return any(not IDENTITY_KEYS.isdisjoint(level.fields) for level in listing.levels)


def _find_next(listing: Listing, count: int | None) -> dict[str, object] | None:
    sure_only = count is None or _is_record(listing)
    for level in reversed(listing.levels):
        if count is None and not _has_page(level):
            continue
        following = find_next(level, count, sure_only=sure_only)
        if following is not None:
            return following
    return None


def _has_page(level: Reply) -> bool:
    """Say whether a level without a known collection holds a page: rows of several kinds, or a text."""
    if not IDENTITY_KEYS.isdisjoint(level.fields):
        return False
    return any(
        size_of(level.fields[name]) is not None
        or (text_of(level.fields[name]) is not None and name in PAGE_TEXTS)
        for name in level.content()
    )


PAGE_TEXTS = word_set("content contents text body output lines data result markdown html stdout")


def _total(listing: Listing, count: int) -> int | None:
    for level in reversed(listing.levels):
        if (total := find_total(level, count)) is not None:
            return total
    return None


def _totals(listing: Listing, count: int) -> dict[str, object]:
    if _is_record(listing):
        return {}
    if any(is_lower_bound(level) for level in listing.levels):
        return {"warnings": ["The source counted no further: more may match than its total says."]}
    total = _total(listing, count)
    return {} if total is None else {"total": total}


def _with_next(listing: Listing, count: int | None, following: dict[str, object], *, pages: bool) -> Verdict:
    if not pages:
        return Verdict("success", {"next": following})
    meta: dict[str, object] = {"total": None} | _totals(listing, count or 0)
    if count is not None:
        meta["returned"] = count
    return Verdict("partial", meta | {"next": following})


def _no_rows(listing: Listing) -> Verdict:
    total = _total(listing, 0)
    if not all(_is_quiet(listing, level, name, total) for level, name in listing.aside):
        return Verdict("success")
    if total is None or total == 0:
        return Verdict("empty", {} if total is None else {"total": 0})
    back = next((page for level in listing.levels if (page := first_page(level)) is not None), None)
    meta: dict[str, object] = {"total": total, "returned": 0, "next": back or {"hint": PAST_THE_END}}
    return Verdict("partial", meta | {"warnings": [PAST_THE_END]})


def _is_quiet(listing: Listing, level: Reply, name: str, total: int | None) -> bool:
    """Say whether what stands beside an empty collection leaves the reply empty: an echo of the call."""
    if size_of(level.fields[name]) is not None or read_reply(level.fields[name]) is not None:
        return False
    if name == "id" and "jsonrpc" in level.fields:
        return True
    text = text_of(level.fields[name])
    if _is_record(listing) or name in ANSWER_KEYS or (text is not None and len(text) > LONGEST_ECHO):
        return False
    known = listing.name in COLLECTION_KEYS and listing.name not in FIELD_LIKE
    return known or total == 0


def _without_rows(level: Reply, *, alone: bool) -> Verdict:
    """Judge a reply without a collection: empty texts and nulls."""
    if not level.fields or not alone:
        return Verdict("success")
    if not level.content() and _is_void(level):
        return Verdict("empty")
    if level.fields.get("resourcetype") == "Bundle" and level.fields.get("total") == 0:
        return Verdict("empty", {"total": 0})  # FHIR leaves `entry` out
    if all(item is None for item in level.fields.values()):
        return Verdict("success", {"warnings": ["Every value is null."]})
    return Verdict("success")


def _is_void(level: Reply) -> bool:
    """Say whether a reply without content of its own holds nothing, rather than says that it is done."""
    if len(level.fields) == 1:
        (name,) = level.fields
        if level.fields[name] is None:
            return name in WRAPPER_KEYS
        return name not in FINDINGS and not has_content(level.fields[name])
    own = [name for name in level.fields if name not in NEUTRAL_KEYS]
    nulls = [name for name in own if level.fields[name] is None]
    blanks = [name for name in own if text_of(level.fields[name]) is not None]
    empties = len(own) - len(nulls) - len(blanks)
    return empties > 0 or len(blanks) == 1 or any(name in WRAPPER_KEYS for name in nulls)
