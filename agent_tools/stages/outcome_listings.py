"""Judge a reply by the collection in it: empty, more pages, a page past the end: a part of `outcome`.

In:   a `Reply`: one level of a returned mapping or record.
Out:  a `Verdict`: status and what `meta` gains (`total`, `returned`, `next`, `warnings`).

The collection is followed through known keys, GraphQL connections and sole objects, at most three levels
down. It is empty only if nothing beside it speaks: the query, the page and the time taken don't; a
customer or an answer do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from agent_tools.columns import SCALARS
from agent_tools.stages.emptiness import is_empty_native, row_count
from agent_tools.stages.outcome_json import HELD_NOTHING, read_json_text
from agent_tools.stages.outcome_keys import (
    COLLECTION_KEYS,
    FIELD_LIKE,
    NEUTRAL_KEYS,
    SEARCH_ONLY,
    WRAPPER_KEYS,
    word_set,
)
from agent_tools.stages.outcome_paging import find_next, find_total, first_page, is_lower_bound, is_paged
from agent_tools.stages.outcome_replies import Reply, has_content, read_reply, size_of, text_of

MAX_LEVELS = 3
MOST_LISTS = 6  # an object with more empty lists has its keys to tell
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
    if listing.name == "content" and (text := _text_parts(listing.rows)) is not None:
        return _judge_text(text)
    count = None if listing.name is None else row_count(listing.rows)
    following = _find_next(listing, count)
    if following is not None:
        return _with_next(listing, count, following, pages=pages)
    if count:
        return Verdict("success", _totals(listing, count))
    if count is None:
        return _without_rows(listing.levels[-1], alone=not listing.aside)
    return _no_rows(listing)


def _text_parts(rows: object) -> str | None:
    """Return the text of an MCP result, whose content is a list of text parts; None for other collections."""
    parts = [read_reply(row) for row in rows] if type(rows) is list and rows else []
    if not parts or not all(part is not None and part.fields.get("type") == "text" for part in parts):
        return None
    return "".join(text_of(part.fields.get("text")) or "" for part in parts if part is not None)


def _judge_text(text: str) -> Verdict:
    held = read_json_text(text)
    reply = read_reply(held)
    if reply is not None:
        return judge_reply(reply)
    return Verdict("empty" if is_empty_native(text if held is HELD_NOTHING else held) else "success")


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
    held = [name for name, item in level.fields.items() if type(item) not in SCALARS and _holds(item)]
    if not held:
        return None
    known = [name for name in held if name in COLLECTION_KEYS]
    if known:
        return min(known, key=COLLECTION_KEYS.__getitem__)
    connections = [name for name in held if type(level.fields[name]) is dict and _is_connection(level, name)]
    if len(connections) == 1:
        return connections[0]
    own = [name for name in held if name not in NEUTRAL_KEYS or name == "search"]
    lists = [name for name in own if not _is_map(level.fields[name])]
    if len(lists) == 1:
        return lists[0]
    sole = level.sole_content()
    if sole is None and held == ["query"]:
        return "query"  # MediaWiki: the answer, where others repeat the question
    if sole is None and own == ["search"]:
        return "search"  # GraphQL: the field that was asked for
    return sole if sole in own and _is_map(level.fields[sole]) else None


def _is_connection(level: Reply, name: str) -> bool:
    """Say whether this is a GraphQL connection: https://relay.dev/graphql/connections.htm."""
    return "pageInfo" in cast("dict[str, object]", level.fields[name])


def _holds(value: object) -> bool:
    return row_count(value) is not None or read_reply(value) is not None


def _is_map(value: object) -> bool:
    return type(value) is dict or read_reply(value) is not None


def _is_record(listing: Listing) -> bool:
    """Say whether a level on the way is a thing of its own, with an id or a name."""
    if (
        listing.name in SEARCH_ONLY
        or "jsonrpc" in listing.levels[0].fields
        or _is_list_kind(listing.levels[-1])
    ):
        return False
    return any(level.shape.is_known for level in listing.levels)


def _is_list_kind(level: Reply) -> bool:
    """Say whether a level is a list by its own word: Stripe's, Google's, Kubernetes', S3's."""
    if type(level.fields.get("istruncated")) is bool:
        return True
    for name in ("object", "kind"):
        kind = level.fields.get(name)
        if type(kind) is str and (kind.endswith(("list", "List")) or ("#" in kind and kind.endswith("s"))):
            return True
    return False


def _find_next(listing: Listing, count: int | None) -> dict[str, object] | None:
    paged = [level for level in reversed(listing.levels) if is_paged(level.shape)]
    if not paged:
        return None
    sure_only = count is None or _is_record(listing)
    for level in paged:
        if count is None and not _has_page(level):
            continue
        following = find_next(level, count, sure_only=sure_only)
        if following is not None:
            return following
    return None


def _has_page(level: Reply) -> bool:
    """Say whether a level without a known collection holds a page: rows of several kinds, or a text."""
    if level.shape.is_known:
        return False
    return any(
        size_of(level.fields[name]) is not None
        or (text_of(level.fields[name]) is not None and name in PAGE_TEXTS)
        for name in level.content()
    )


PAGE_TEXTS = word_set("content contents text body output lines data result markdown html stdout")


def _total(listing: Listing, count: int) -> int | None:
    for level in reversed(listing.levels):
        if is_paged(level.shape) and (total := find_total(level, count)) is not None:
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
    return Verdict("partial", meta)


def _is_quiet(listing: Listing, level: Reply, name: str, total: int | None) -> bool:
    """Say whether what stands beside an empty collection leaves the reply empty: an echo of the call."""
    if size_of(level.fields[name]) is not None or read_reply(level.fields[name]) is not None:
        return False
    if name == "id" and "jsonrpc" in level.fields:
        return True
    text = text_of(level.fields[name])
    if _is_record(listing) or (text is not None and len(text) > LONGEST_ECHO):
        return False
    if name in ANSWER_KEYS and not _is_list_kind(level):
        return False
    known = listing.name in COLLECTION_KEYS and listing.name not in FIELD_LIKE
    return known or total == 0 or _is_list_kind(level)


def _without_rows(level: Reply, *, alone: bool) -> Verdict:
    """Judge a reply without a collection: empty texts and nulls."""
    if not level.fields or not alone:
        return Verdict("success")
    if not level.has_content() and _is_void(level):
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
    maps = [name for name in own if _is_map(level.fields[name])]
    lists = len(own) - len(nulls) - len(blanks) - len(maps)
    if len(maps) > 1 or lists > MOST_LISTS:
        return False  # the keys themselves say something: `{"eu-west-1": {}, "eu-west-2": {}}`
    return lists + len(maps) > 0 or len(blanks) == 1 or any(name in WRAPPER_KEYS for name in nulls)
