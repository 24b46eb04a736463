"""Sum calls up for the charts: over time and by tool.

In:   `tool_call` rows, in any order.
Out:  plain data: a column per bucket of time, a row per tool, a row per error code.
Cost: some 3 us a row; 25 bytes of memory a row.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from typing import Any

from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.calllog.stats import Summary, estimate_tokens, merge
from agent_tools.calllog.traces import read_moment

# a chart has at most so many buckets; a phone has 375 pixels
MAX_BUCKETS = 96
_STEPS_S = (
    0.01,
    0.1,
    0.5,
    1,
    2,
    5,
    10,
    30,
    60,
    120,
    300,
    600,
    1800,
    3600,
    10_800,
    21_600,
    43_200,
    86_400,
    604_800,
)
# what a bar is made of; what is none of these counts as a success
_STATUSES = ("success", "empty", "partial", "error", "cancelled")
_MAX_TOOLS = 200


class Statistics:
    """Collects calls.

    Example:
        >>> statistics = Statistics()
        >>> statistics.add({"tool": "a", "status": "error", "error_code": "X", "ts": "2026-01-31T12:00:00Z"})
        >>> statistics.to_payload("one call")["tools"][0]["errors"]
        1
    """

    def __init__(self) -> None:
        self._tools: dict[str, Summary] = {}
        self._moments = array("d")
        self._statuses = array("b")
        self._tokens = array("l")

    def add(self, row: Row) -> None:
        """Count one call."""
        tool = get_text(row, "tool")
        summary = self._tools.get(tool)
        if summary is None:
            summary = self._tools[tool] = Summary()
        summary.add(row)
        moment = read_moment(get_text(row, "ts"))
        if moment:
            status = get_text(row, "status")
            tokens = get_number(row, "tokens") or estimate_tokens(row) or 0
            self._moments.append(moment)
            self._statuses.append(_STATUSES.index(status) if status in _STATUSES else 0)
            self._tokens.append(int(tokens))

    def to_payload(self, scope: str) -> dict[str, Any]:
        """Return the figures; `scope` says in words which calls they are about."""
        ordered = sorted(self._tools.items(), key=lambda pair: (-pair[1].calls, pair[0]))
        codes: Counter[str] = Counter()
        for summary in self._tools.values():
            codes.update(summary.codes)
        return {
            "scope": scope,
            "whole": merge(self._tools.values()).to_dict(),
            "tools": [{"tool": tool} | summary.to_dict() for tool, summary in ordered[:_MAX_TOOLS]],
            "tools_n": len(ordered),
            "codes": [{"code": code, "calls": n} for code, n in codes.most_common(50)],
            "time": self._over_time(),
        }

    def _over_time(self) -> Mapping[str, Any]:
        if not self._moments:
            return {"step": 1, "t": [], "tokens": [], **{name: [] for name in _STATUSES}}
        first, last = min(self._moments), max(self._moments)
        step = next((step for step in _STEPS_S if (last - first) / step < MAX_BUCKETS - 1), _STEPS_S[-1])
        start = first // step
        n = min(int(last // step - start) + 1, 20 * MAX_BUCKETS)
        counts = [[0] * n for _ in _STATUSES]
        tokens = [0] * n
        for moment, status, size in zip(self._moments, self._statuses, self._tokens, strict=True):
            at = min(int(moment // step - start), n - 1)
            counts[status][at] += 1
            tokens[at] += size
        return {
            "step": step,
            "t": [round((start + at) * step, 3) for at in range(n)],
            "tokens": tokens,
            **dict(zip(_STATUSES, counts, strict=True)),
        }
