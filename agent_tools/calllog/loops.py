"""Find calls that a task made again and again, with the same or nearly the same arguments.

In:   rows of calls, in any order.
Out:  one `Loop` for each trace and set of like calls that was made at least so many times.
Cost: some 5 us a row; calls of one tool with other texts are compared in pairs, at most 200 kinds a trace.

Nearly the same: numbers, flags and keys are equal, and texts differ only in case, blanks, punctuation or some
letters. A list that is paged through differs in a number, so it is no loop.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from agent_tools.calllog.entries import hash_text
from agent_tools.calllog.evidence import to_words
from agent_tools.calllog.reader import Row, get_text

LIKENESS = 0.85
_MAX_KINDS = 200
_MAX_COMPARED = 2_000


@dataclass(slots=True)
class Loop:
    """Like calls of one trace.

    Attributes:
        trace_id, trace_name, tool: Where they were made.
        kind: `identical` or `near-identical`.
        count: How many calls.
        outcomes: How they ended, `error CODE` for failures.
        results: How many different texts the model saw; 0 when the log does not tell.
        arguments: Of the first call.
        first_call_id, last_call_id: The first and the last of them.
    """

    trace_id: str
    trace_name: str
    tool: str
    kind: str
    count: int
    outcomes: dict[str, int]
    results: int
    arguments: Any
    first_call_id: str
    last_call_id: str

    def to_dict(self) -> dict[str, Any]:
        """Return the loop as plain data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class _Group:
    """Calls that are alike so far: by their hash, then by what their arguments say."""

    arguments: Any
    rows: list[dict[str, Any]] = field(default_factory=list)
    inputs: int = 1
    fixed: str = ""
    words: str = ""


# what is kept of a row: a log of a million calls has to fit
_KEPT = ("ts", "call_id", "status", "error_code", "trace_name")


def find_loops(rows: Iterable[Row], least: int = 2) -> list[Loop]:
    """Return the loops among calls, the largest first.

    Args:
        rows: Rows of calls.
        least: How many like calls are a loop.

    Example:
        >>> row = {"trace_id": "t", "tool": "find", "arguments": {"q": "Rome hotels"}, "status": "empty"}
        >>> loop, = find_loops([row, row, {**row, "arguments": {"q": "rome  hotels!"}}])
        >>> loop.count, loop.kind, loop.outcomes
        (3, 'near-identical', {'empty': 3})
    """
    kinds: dict[tuple[str, str], dict[str, _Group]] = {}
    for row in rows:
        input_ = f"{get_text(row, 'run_id')}{get_text(row, 'input_hash')}"
        if not get_text(row, "input_hash"):
            input_ = json.dumps(row.get("arguments"), sort_keys=True, ensure_ascii=False)
        groups = kinds.setdefault((get_text(row, "trace_id"), get_text(row, "tool")), {})
        group = groups.get(input_)
        if group is None:
            group = groups[input_] = _Group(row.get("arguments"))
        group.rows.append(_pick(row))
    loops = [
        _make_loop(trace_id, tool, group)
        for (trace_id, tool), groups in kinds.items()
        for group in _merge_alike(list(groups.values()))
        if len(group.rows) >= max(least, 2)
    ]
    return sorted(loops, key=lambda loop: (-loop.count, loop.trace_id, loop.tool, loop.first_call_id))


def _pick(row: Row) -> dict[str, Any]:
    return {name: row.get(name) for name in _KEPT} | {"seen": _seen(row)}


def _seen(row: Row) -> str:
    """Return a hash of the text that the model saw, but for the random id of the result."""
    prompt, result_id = row.get("prompt"), get_text(row, "result_id")
    if isinstance(prompt, str) and result_id:
        return hash_text(prompt.replace(result_id, ""))
    return get_text(row, "prompt_sha256") or (hash_text(prompt) if isinstance(prompt, str) else "")


def _split(arguments: Any) -> tuple[str, str]:
    """Return what must be equal (keys, numbers, flags) and the words of the texts."""
    texts: list[str] = []

    def strip(value: Any) -> Any:
        if isinstance(value, str):
            texts.append(value)
            return ""
        if isinstance(value, dict):
            return {key: strip(value[key]) for key in sorted(value) if value[key] not in (None, "")}
        return [strip(item) for item in value] if isinstance(value, list) else value

    fixed = json.dumps(strip(arguments), ensure_ascii=False)
    return fixed, to_words(" ".join(texts))[:_MAX_COMPARED]


def _merge_alike(groups: list[_Group]) -> list[_Group]:
    if len(groups) == 1:
        return groups
    merged: list[_Group] = []
    for group in groups:
        group.fixed, group.words = _split(group.arguments)
        like = None
        # texts without words, such as masked or hashed ones, say nothing about likeness
        if len(groups) <= _MAX_KINDS and group.words:
            like = next((one for one in merged if _is_alike(one, group)), None)
        if like is None:
            merged.append(group)
        else:
            like.rows += group.rows
            like.inputs += group.inputs
    return merged


def _is_alike(one: _Group, other: _Group) -> bool:
    if one.fixed != other.fixed or not one.words:
        return False
    if one.words == other.words:
        return True
    # another number in a text is another question
    if _digits(one.words) != _digits(other.words):
        return False
    matcher = SequenceMatcher(None, one.words, other.words, autojunk=False)
    return matcher.real_quick_ratio() >= LIKENESS and matcher.ratio() >= LIKENESS


def _digits(words: str) -> list[str]:
    return [word for word in words.split() if any(map(str.isdigit, word))]


def _make_loop(trace_id: str, tool: str, group: _Group) -> Loop:
    rows = sorted(group.rows, key=lambda row: get_text(row, "ts"))
    outcomes = Counter(f"{get_text(row, 'status')} {get_text(row, 'error_code')}".strip() for row in rows)
    return Loop(
        trace_id=trace_id,
        trace_name=get_text(rows[0], "trace_name"),
        tool=tool,
        kind="identical" if group.inputs == 1 else "near-identical",
        count=len(rows),
        outcomes=dict(outcomes.most_common()),
        results=len({row["seen"] for row in rows} - {""}),
        arguments=group.arguments,
        first_call_id=get_text(rows[0], "call_id"),
        last_call_id=get_text(rows[-1], "call_id"),
    )
