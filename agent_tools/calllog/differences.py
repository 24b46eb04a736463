"""Compare two calls, or the calls of two traces.

In:   rows of the log.
Out:  what differs, as plain data; ids, times and what follows from them are no differences.
Cost: some 10 us for two calls and 1 ms for their prompts; quadratic at worst in the calls of two traces.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent_tools.calllog.reader import Row, get_number, get_text

# what tells how a call went; ids, times, process and hashes are different in every call
COMPARED = (
    "tool",
    "tool_version",
    "tool_kind",
    "agent",
    "model",
    "adapter",
    "status",
    "error_code",
    "error_origin",
    "sub_code",
    "recovery",
    "error_class",
    "error_causes",
    "error_message",
    "retryable",
    "outcome",
    "attempts",
    "redacted",
    "redactions",
    "result_kind",
    "result_rows",
    "result_total",
    "result_bytes",
    "tokens",
    "tokens_full",
    "max_tokens",
    "encoding",
    "truncated",
    "format",
    "lib",
)
_RANDOM = re.compile(r"\b(?:r_[\w-]{16}|c_[0-9a-f]{22})(?![\w-])")
# a list without lists or objects in it, as `json.dumps` lays it out
_FLAT_LIST = re.compile(r'\[\n(?: +(?:"(?:[^"\\]|\\.)*"|[^\s"\[\]{},]+),?\n)+ *\]')
_MAX_LINE = 160
_ABSENT = None
# below this share a time is a matter of chance
_SLOWER = 2.0
_LEAST_MS = 5.0


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs.

    Attributes:
        path: The column; in arguments the path of the value.
        a, b: What it was in each; None where it is absent.
    """

    path: str
    a: Any
    b: Any

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"path": self.path, "a": self.a, "b": self.b}


def compare_calls(a: Row, b: Row) -> list[Difference]:
    """Return what differs between two calls; the prompts come last, as a unified diff in `b`.

    Example:
        >>> first, second = {"tool": "get", "arguments": {"n": [1]}}, {"tool": "get", "arguments": {"n": [2]}}
        >>> compare_calls(first, second)
        [Difference(path='arguments.n[0]', a=1, b=2)]
    """
    found = [Difference(name, a.get(name), b.get(name)) for name in COMPARED if a.get(name) != b.get(name)]
    found += _compare_values("arguments", a.get("arguments"), b.get("arguments"))
    if elapsed := _compare_times(a, b):
        found.append(elapsed)
    texts = [mask_ids(get_text(row, "prompt")) for row in (a, b)]
    if texts[0] != texts[1]:
        found.append(Difference("prompt", _ABSENT, "\n".join(diff_texts(*texts))))
    return found


def mask_ids(text: str) -> str:
    """Replace ids that are drawn anew in every call.

    Example:
        >>> mask_ids('{"result_id":"r_AAAAAAAAAAAAAAAA"}')
        '{"result_id":"(id)"}'
    """
    return _RANDOM.sub("(id)", text)


def _compare_times(a: Row, b: Row) -> Difference | None:
    times = get_number(a, "elapsed_ms"), get_number(b, "elapsed_ms")
    if times[0] is None or times[1] is None:
        return None
    low, high = sorted((times[0], times[1]))
    is_other = high >= _LEAST_MS and high >= _SLOWER * low
    return Difference("elapsed_ms", *times) if is_other else None


def _compare_values(path: str, a: Any, b: Any) -> Iterator[Difference]:
    if type(a) is not type(b) or not isinstance(a, (dict, list)):
        if a != b:
            yield Difference(path, a, b)
    elif isinstance(a, dict):
        for key in dict.fromkeys([*a, *b]):
            yield from _compare_values(f"{path}.{key}", a.get(key), b.get(key))
    else:
        for n in range(max(len(a), len(b))):
            pair = (items[n] if n < len(items) else _ABSENT for items in (a, b))
            yield from _compare_values(f"{path}[{n}]", *pair)


def diff_texts(a: str, b: str) -> list[str]:
    """Return a unified diff of two prompts; JSON is laid out over lines first.

    Example:
        >>> diff_texts('{"n":1}', '{"n":2}')
        ['@@ -1,3 +1,3 @@', ' {', '-  "n": 1', '+  "n": 2', ' }']
    """
    lines_a, lines_b = (_lay_out(text).splitlines() for text in (a, b))
    return list(difflib.unified_diff(lines_a, lines_b, lineterm="", n=2))[2:]


def _lay_out(text: str) -> str:
    try:
        laid_out = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
    return _FLAT_LIST.sub(_join, laid_out)


def _join(flat: re.Match[str]) -> str:
    """Put a flat list on one line, as the row of a table; in a long one the line would hide what differs."""
    line = " ".join(item.strip() for item in flat[0][1:-1].split("\n")).strip()
    return f"[{line}]" if len(line) <= _MAX_LINE else flat[0]


@dataclass(frozen=True, slots=True)
class Step:
    """A call of one trace beside its like in the other.

    Attributes:
        change: `same`, `changed`, `removed` (only in the first) or `added` (only in the second).
        a, b: The rows; None where there is no like.
        differences: Of a changed pair.
    """

    change: str
    a: Row | None
    b: Row | None
    differences: list[Difference]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, rows by their ids."""
        row = self.a or self.b or {}
        return {
            "change": self.change,
            "tool": get_text(row, "tool"),
            "a": get_text(self.a, "call_id") if self.a else None,
            "b": get_text(self.b, "call_id") if self.b else None,
            "differences": [one.to_dict() for one in self.differences],
        }


def compare_traces(a: Sequence[Row], b: Sequence[Row]) -> list[Step]:
    """Return the calls of two traces side by side, paired by tool and arguments, then by tool.

    Example:
        >>> one = [{"tool": "find", "status": "success"}, {"tool": "pay"}]
        >>> two = [{"tool": "find", "status": "empty"}]
        >>> [step.change for step in compare_traces(one, two)]
        ['changed', 'removed']
    """
    matcher = difflib.SequenceMatcher(
        None, [_key(row) for row in a], [_key(row) for row in b], autojunk=False
    )
    steps: list[Step] = []
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if tag == "equal":
            steps += map(_pair, a[a_from:a_to], b[b_from:b_to])
        else:
            steps += _pair_by_tool(a[a_from:a_to], b[b_from:b_to])
    return steps


def _pair(a: Row, b: Row) -> Step:
    differences = compare_calls(a, b)
    return Step("changed" if differences else "same", a, b, differences)


def _pair_by_tool(a: Sequence[Row], b: Sequence[Row]) -> Iterator[Step]:
    tools_a, tools_b = ([get_text(row, "tool") for row in rows] for rows in (a, b))
    matcher = difflib.SequenceMatcher(None, tools_a, tools_b, autojunk=False)
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        if tag == "equal":
            yield from map(_pair, a[a_from:a_to], b[b_from:b_to])
        else:
            yield from (Step("removed", row, None, []) for row in a[a_from:a_to])
            yield from (Step("added", None, row, []) for row in b[b_from:b_to])


def _key(row: Mapping[str, Any]) -> str:
    return json.dumps([row.get("tool"), row.get("arguments")], sort_keys=True, ensure_ascii=False)
