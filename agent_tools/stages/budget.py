"""Fit an envelope into a token budget.

In:   plain JSON data, redacted and projected for one view, with what the stages before know (`Draft`).
Out:  the envelope and its text, whole, or a summary with a sample and where the rest is (`Fitted`).
Raises: nothing.
Cost: no encoding when the bytes already fit; else tokens of what is shown, never of the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_tools.result import Json
from agent_tools.stages.budget_meta import FORMAT_VERSION, for_prompt, ordered
from agent_tools.stages.budget_size import is_within, measure
from agent_tools.stages.summaries import (
    hint_for,
    noun_of,
    own_summary,
    say_empty,
    say_error,
    say_partial,
    say_whole,
)
from agent_tools.stages.summaries_stream import StreamedRows, total_of

if TYPE_CHECKING:
    from agent_tools.tokens import Counter

# the longest token of o200k_base and cl100k_base, in bytes
MAX_TOKEN_BYTES = 128
PLAIN_VERSION: dict[str, Any] = {"format_version": FORMAT_VERSION}
_UNSEEN = frozenset({"call_id", "elapsed_ms", "returned"})


class Draft(NamedTuple):
    """What is to be said of a call, before it has to fit.

    Attributes:
        status: `success`, `empty`, `partial` or `error`.
        data: Plain JSON data, redacted, as this view may see it.
        meta: What the stages before know; no summary unless the tool gave one.
        error: The four keys and more, None without an error.
        asked: Redacted arguments of the call; empty for views other than `plan`.
        result_id: What to offer when the data is cut; None when nothing can be fetched.
        view: Who reads it.
        is_small: The data is known to be a flat object of a few short values.
        noun: What the total counts, where the data does not tell.
    """

    status: str
    data: Json
    meta: dict[str, Any]
    error: dict[str, Any] | None
    asked: dict[str, Json]
    result_id: str | None
    view: str
    is_small: bool = False
    noun: str | None = None


# a NamedTuple: a frozen dataclass of five fields takes 1 us more, a third of a small call
class Fitted(NamedTuple):
    """What is said.

    Attributes:
        envelope: The four keys; data as records, meta in full.
        text: What the model reads.
        cut: Less data is shown than there is.
        tokens: Tokens of the text; None when its bytes alone tell that it fits.
        format: The format of the text.
    """

    envelope: dict[str, Any]
    text: str
    cut: bool
    tokens: int | None
    format: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of one tool that matter here, resolved."""

    max_tokens: int | None
    counter: Counter
    format: str
    render: Callable[[dict[str, Any]], str]
    noun: str | None
    kind: str
    summary: Callable[[Any], Any] | None
    important: str | Callable[[Any], Any] | None
    fields: tuple[str, ...] | None


def make_fit(
    *,
    max_tokens: int | None,
    counter: Counter,
    format: str,  # noqa: A002 - the setting's own name
    get_renderer: Callable[[str], Callable[[dict[str, Any]], str]],
    tool: str,
    kind: str,
    summary: Callable[[Any], Any] | None = None,
    important: str | Callable[[Any], Any] | None = None,
    fields: Sequence[str] | None = None,
) -> Callable[[Draft], Fitted]:
    """Return the function that fits a draft into `max_tokens`.

    Args:
        max_tokens: Ceiling on the tokens of the text; None for no ceiling.
        counter: Counts the tokens.
        format: Name of the format, `auto` may become a table.
        get_renderer: Look-up of a format's renderer.
        tool: Name of the tool: its plural noun is used in the summary.
        kind: `query`, `action` or `summary`.
        summary: The tool's own line for the summary.
        important: Column or predicate by which rows are ranked.
        fields: Fields to keep of each record.

    The returned function holds `counter.count(text) <= max_tokens` for every draft. A small result costs
    about 2 us with its rendering.
    """
    render = get_renderer(format)
    kept = tuple(fields) if fields is not None else None
    plan = Plan(max_tokens, counter, format, render, noun_of(tool), kind, summary, important, kept)
    limit = MAX_TOKEN_BYTES * max_tokens if max_tokens is not None else 0
    sure = counter.surely_fits(max_tokens) if max_tokens is not None else 0

    def fit(draft: Draft) -> Fitted:
        status, data, meta, error, _, _, _, small, _ = draft
        if kept is not None:
            data, small = trim(data, kept), False
        if not small or status != "success" or summary is not None:
            meta = say(plan, draft, data)
        if meta.keys() <= _UNSEEN:
            whole, seen = {**meta, **PLAIN_VERSION}, PLAIN_VERSION
        else:
            whole = ordered(meta)
            seen = for_prompt(whole)
        envelope = {"status": status, "meta": whole, "error": error, "data": data}
        prompt = {"status": status, "meta": seen, "error": error, "data": data}
        if max_tokens is None:
            return Fitted(envelope, render(prompt), False, None, format)
        within = small or is_within(data, limit)
        if within and (seen is PLAIN_VERSION or measure([seen, error], limit) <= limit):
            text = render(prompt)
            if (len(text) <= sure and text.isascii()) or counter.fits(text, max_tokens):
                return Fitted(envelope, text, False, None, format)
        from agent_tools.stages.budget_cut import shrink

        return shrink(plan, draft, data, envelope, prompt, within)

    return fit


def trim(data: Json, fields: Sequence[str]) -> Json:
    """Keep only the named fields of each record; `customer.id` names one inside a field.

    Records are those of a list, of the lists inside an object, or the object itself.

    Example:
        >>> trim([{"id": 1, "note": "x"}], ["id"]), trim({"items": [{"id": 1, "b": 2}], "total": 9}, ["id"])
        ([{'id': 1}], {'items': [{'id': 1}], 'total': 9})
        >>> trim({"customer": {"id": 7, "name": "Bo"}, "note": "x"}, ["customer.id"])
        {'customer': {'id': 7}}
    """
    return _trimmed(data, _branches(tuple(fields)))


@lru_cache(maxsize=256)
def _branches(fields: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return what to keep of each field, nothing for all of it."""
    branches: dict[str, tuple[str, ...]] = {}
    for name in fields:
        head, dot, rest = name.partition(".")
        if dot and head not in fields:
            branches[head] = (*branches.get(head, ()), rest)
        branches[name] = ()  # a key may have a dot in it
    return branches


def _trimmed(data: Json, branches: Mapping[str, tuple[str, ...]]) -> Json:
    if isinstance(data, StreamedRows):
        return data.replaced([_record(row, branches) for row in data])
    if isinstance(data, list):
        return [_record(row, branches) for row in data]
    if not isinstance(data, dict):
        return data
    if branches.keys() & data.keys():
        return _record(data, branches)
    return {key: _trimmed(item, branches) if isinstance(item, list) else item for key, item in data.items()}


def _record(row: Json, branches: Mapping[str, tuple[str, ...]]) -> Json:
    if not isinstance(row, dict):
        return row
    return {
        name: _inside(cell, _branches(branches[name])) if branches[name] else cell
        for name, cell in row.items()
        if name in branches
    }


def _inside(cell: Json, branches: Mapping[str, tuple[str, ...]]) -> Json:
    return [_record(row, branches) for row in cell] if isinstance(cell, list) else _record(cell, branches)


def say(plan: Plan, draft: Draft, data: Json) -> dict[str, Any]:
    """Return the draft's meta with the summary that a result shown whole needs."""
    status, meta = draft.status, draft.meta
    if status == "success" and plan.summary is None and type(data) is not list:
        return meta
    return _SAY[status](plan, draft, data) if status in _SAY else meta


def _say_success(plan: Plan, draft: Draft, data: Json) -> dict[str, Any]:
    meta = _with_own(plan, draft.meta, data)
    if isinstance(data, list):
        if "summary" not in meta:
            meta["summary"] = say_whole(total_of(data), _counted(plan, draft, data))
        meta["returned"] = len(data)
    return meta


def _say_empty(plan: Plan, draft: Draft, data: Json) -> dict[str, Any]:
    meta = dict(draft.meta)
    meta.setdefault("summary", say_empty(draft.asked))
    meta["asked"] = draft.asked
    meta.setdefault("hint", hint_for(draft.asked))
    return meta


def _say_partial(plan: Plan, draft: Draft, data: Json) -> dict[str, Any]:
    meta = _with_own(plan, draft.meta, data)
    returned = meta.get("returned", count_shown(data))
    built = say_partial(meta, draft.error, returned, _counted(plan, draft, data), plan.kind)
    meta["summary"] = f"{built} {meta['summary']}" if "summary" in meta else built
    meta.setdefault("total", None)
    if returned is not None:
        meta["returned"] = returned
    if not meta.get("failed") and not meta.get("next"):
        meta.setdefault("truncated", True)
    return meta


def _counted(plan: Plan, draft: Draft, data: Json) -> str:
    """Return what a total counts: of rows that were searched it counts the ones that matched."""
    noun = noun_for(draft.noun or plan.noun, data)
    if not isinstance(draft.meta.get("numbers"), list):
        return noun
    return "matches" if noun == "characters" else f"matching {noun}"


def _say_error(plan: Plan, draft: Draft, data: Json) -> dict[str, Any]:
    return {"summary": say_error(draft.error or {}, plan.kind), **draft.meta}


def as_list(value: Any) -> list[Any]:
    """Return a list as it is, nothing as an empty one, anything else as its only entry."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def _with_own(plan: Plan, meta: Mapping[str, Any], data: Json) -> dict[str, Any]:
    meta = dict(meta)
    if plan.summary is not None:
        line, warning = own_summary(plan.summary, data)
        if line is not None:
            meta["summary"] = line
        if warning is not None:
            meta["warnings"] = [*as_list(meta.get("warnings")), warning]
    return meta


def count_shown(data: Json) -> int | None:
    """Return how many rows, or lines of segments, a result holds; None for another shape.

    Example:
        >>> count_shown([7, 8]), count_shown({"items": [7]}), count_shown([{"lines": "3-5", "text": "..."}])
        (2, 1, 3)
    """
    if are_segments(data):
        spans = [str(row["lines"]).split("-") for row in data if isinstance(row, dict)]  # type: ignore[union-attr]
        return sum(int(span[-1]) - int(span[0]) + 1 for span in spans)
    return total_of(data) if isinstance(data, list) else _listed(data)


def are_segments(data: Json) -> bool:
    """Tell whether a list is of pieces of a text, each with the lines that it has."""
    """Say whether this is what was shown of a text: places in it by their line numbers.

    Example:
        >>> are_segments([{"lines": "3-5", "text": "..."}]), are_segments([{"lines": "many", "text": ""}])
        (True, False)
    """
    return (
        isinstance(data, list)
        and bool(data)
        and all(
            isinstance(row, dict) and row.keys() == {"lines", "text"} and _is_span(row["lines"])
            for row in data
        )
    )


def _is_span(value: Json) -> bool:
    return (
        isinstance(value, str) and all(part.isdigit() for part in value.split("-")) and value.count("-") < 2
    )


def _listed(data: Json, depth: int = 0) -> int | None:
    """Return how many entries the first list inside an object has."""
    if not isinstance(data, dict) or depth > 3:
        return None
    lists = [len(item) for item in data.values() if isinstance(item, list)]
    if lists:
        return lists[0]
    inner = (_listed(item, depth + 1) for item in data.values())
    return next((found for found in inner if found is not None), None)


def noun_for(noun: str | None, data: Json) -> str:
    """Return the tool's noun or one for the data."""
    if noun is not None:
        return noun
    if isinstance(data, list) and data and isinstance(data[0], dict) and data[0].keys() == {"chars", "text"}:
        return "characters"
    if isinstance(data, str) or are_segments(data):
        return "lines"
    return "rows" if isinstance(data, list) and data and isinstance(data[0], dict) else "items"


_SAY: dict[str, Callable[[Plan, Draft, Json], dict[str, Any]]] = {
    "success": _say_success,
    "empty": _say_empty,
    "partial": _say_partial,
    "error": _say_error,
}
