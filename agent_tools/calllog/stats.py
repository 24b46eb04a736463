"""Sum up calls: how many, how they ended, what share was cut, how long they took.

In:   `tool_call` rows, in any order.
Out:  a `Summary` for each group and one for all.
Cost: about 2 us a row beside reading it; 8 bytes of memory a row.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from agent_tools.calllog.reader import Row, get_text

# characters of a token of o200k_base in small envelopes: 3.1 to 3.7 in eight of ten, median 3.3
CHARACTERS_PER_TOKEN = 3.3

# what calls are grouped by -> the group of a row
GROUPS: dict[str, Callable[[Row], str]] = {
    "tool": lambda row: get_text(row, "tool"),
    "code": lambda row: get_text(row, "error_code"),
    "day": lambda row: get_text(row, "ts")[:10],
}


def estimate_tokens(row: Row) -> int | None:
    """Estimate the tokens of a prompt that was not counted; None when the log does not hold it.

    Example:
        >>> estimate_tokens({"prompt": "p" * 330})
        100
    """
    prompt = row.get("prompt")
    return round(len(prompt) / CHARACTERS_PER_TOKEN) if isinstance(prompt, str) else None


@dataclass(slots=True)
class Summary:
    """What many calls were like.

    Attributes:
        calls: How many.
        statuses: How they ended.
        codes: The codes of those that failed.
        cut: How many results were cut to the budget.
        repeats: How many were identical to an earlier call of their trace.
        tokens: Tokens that models saw.
        estimated: How many of the calls had their tokens estimated.
        tokens_full: Tokens of the results before they were cut.
        elapsed_ms: How long each took.
    """

    calls: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    cut: int = 0
    repeats: int = 0
    tokens: int = 0
    estimated: int = 0
    tokens_full: int = 0
    elapsed_ms: array[float] = field(default_factory=lambda: array("d"))

    def add(self, row: Row) -> None:
        """Count one call."""
        # a million rows pass here: no call of ours per column
        get = row.get
        self.calls += 1
        status, code, tokens, elapsed = get("status"), get("error_code"), get("tokens"), get("elapsed_ms")
        self.statuses[status if type(status) is str else ""] += 1
        if code is not None:
            self.codes[str(code)] += 1
        if get("truncated") is True:
            self.cut += 1
        if type(repeat_n := get("repeat_n")) is int and repeat_n > 1:
            self.repeats += 1
        if type(tokens) is not int:
            tokens = estimate_tokens(row)
            self.estimated += tokens is not None
            tokens = tokens or 0
        full = get("tokens_full")
        self.tokens += tokens
        self.tokens_full += full if type(full) is int else tokens
        if type(elapsed) is float or type(elapsed) is int:
            self.elapsed_ms.append(elapsed)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures under their names, shares from 0 to 1, times in milliseconds."""
        n = max(self.calls, 1)
        times = sorted(self.elapsed_ms)
        return {
            "calls": self.calls,
            "errors": self.statuses["error"],
            "error_rate": round(self.statuses["error"] / n, 4),
            "codes": dict(self.codes.most_common()),
            "empty": self.statuses["empty"],
            "partial": self.statuses["partial"],
            "cancelled": self.statuses["cancelled"],
            "cut": self.cut,
            "cut_share": round(self.cut / n, 4),
            "repeats": self.repeats,
            "tokens": self.tokens,
            "tokens_full": self.tokens_full,
            "tokens_estimated_n": self.estimated,
            "p50_ms": percentile(times, 0.5),
            "p95_ms": percentile(times, 0.95),
            "total_ms": round(sum(times), 3),
        }


def summarize(rows: Iterable[Row], by: str = "tool") -> tuple[dict[str, Summary], Summary]:
    """Return the summary of each group, the largest first (days in their order), and that of all calls.

    Example:
        >>> groups, whole = summarize([{"tool": "a", "status": "error"}, {"tool": "a", "status": "empty"}])
        >>> groups["a"].to_dict()["error_rate"], whole.calls
        (0.5, 2)
    """
    group_of = GROUPS[by]
    groups: dict[str, Summary] = {}
    for row in rows:
        name = group_of(row)
        group = groups.get(name)
        if group is None:
            group = groups[name] = Summary()
        group.add(row)
    order: Callable[[str], Any] = str if by == "day" else lambda name: (-groups[name].calls, name)
    return {name: groups[name] for name in sorted(groups, key=order)}, merge(groups.values())


def merge(summaries: Iterable[Summary]) -> Summary:
    """Add summaries up."""
    whole = Summary()
    for one in summaries:
        whole.statuses.update(one.statuses)
        whole.codes.update(one.codes)
        whole.elapsed_ms.extend(one.elapsed_ms)
        for name in ("calls", "cut", "repeats", "tokens", "estimated", "tokens_full"):
            setattr(whole, name, getattr(whole, name) + getattr(one, name))
    return whole


def percentile(values: list[float], share: float) -> float | None:
    """Return the smallest value that a share of the sorted values does not exceed; None without any.

    Example:
        >>> percentile([1.0, 2.0, 3.0, 100.0], 0.5), percentile([], 0.5)
        (2.0, None)
    """
    if not values:
        return None
    return values[max(-(-len(values) * share // 1), 1).__int__() - 1]
