"""Gather what the page shows of one trace.

In:   the rows of a trace.
Out:  plain data: the calls in their order with their place in time, further views, answers, statistics.
Cost: some 20 us a call, and 2 ms more for each prompt that an answer is compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent_tools.calllog.explain import explain
from agent_tools.calllog.page.stats_data import Statistics
from agent_tools.calllog.reader import Row, get_text
from agent_tools.calllog.traces import Arranged, Span, arrange

MAX_CALLS = 2_000
# comparing an answer with so many prompts takes a second; longer traces are left to `agent-tools logs why`
MAX_EXPLAINED = 300
_EVIDENCE = 12
# the same on every row of a trace, or of no use to a reader
_COMMON = frozenset(
    {"schema", "event", "trace_id", "trace_name", "conversation_id", "turn", "agent", "lib", "trace_flags"}
)
_MISSING_SHOWN = 20


def make_trace_payload(
    rows: Iterable[Row], *, max_calls: int | None = MAX_CALLS, links: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the payload of a trace's page.

    Args:
        rows: All rows of the trace, in any order; at least one.
        max_calls: The latest so many calls are shown, the earlier ones only counted. None shows all.
        links: Addresses of the other pages of a server, by what they are: `traces`, `stats`.

    Example:
        >>> row = {"event": "tool_call", "trace_id": "ab" * 16, "tool": "find", "ts": "2026-01-31T12:00:00Z"}
        >>> payload = make_trace_payload([row])
        >>> payload["title"], payload["calls"][0]["row"]["tool"]
        ('trace abababab', 'find')
    """
    rows = list(rows)
    arranged = arrange(rows)
    spans = _latest(arranged.spans, max_calls)
    statistics = Statistics()
    for row in arranged.calls:
        statistics.add(row)
    start = min((span.start for span in spans), default=0.0)
    head = _head(rows)
    return {
        "kind": "trace",
        "title": head["name"] or f"trace {head['id'][:8]}",
        "trace": head
        | {
            "start": start,
            "left_out": len(arranged.spans) - len(spans),
            "missing": arranged.missing[:_MISSING_SHOWN],
            "missing_n": len(arranged.missing),
        },
        "calls": _describe(spans, start, arranged),
        "answers": [_without_common(row) for row in arranged.answers],
        "findings": _find(rows) if len(arranged.spans) <= MAX_EXPLAINED else [],
        "stats": statistics.to_payload("this trace"),
        "links": dict(links or {}),
    }


def _find(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "question": finding.question,
            "sentence": finding.sentence,
            "evidence": finding.evidence[:_EVIDENCE],
            "alarming": finding.is_alarming,
        }
        for finding in explain(rows)
    ]


def _latest(spans: Sequence[Span], n: int | None) -> list[Span]:
    if n is None or len(spans) <= n:
        return list(spans)
    chosen = set(map(id, sorted(spans, key=lambda span: span.start)[-n:]))
    return [span for span in spans if id(span) in chosen]


def _head(rows: Sequence[Row]) -> dict[str, str]:
    columns = {
        "id": "trace_id",
        "name": "trace_name",
        "conversation": "conversation_id",
        "turn": "turn",
        "agent": "agent",
        "model": "model",
        "lib": "lib",
    }
    return {
        name: next((str(row[column]) for row in rows if row.get(column) is not None), "")
        for name, column in columns.items()
    }


def _describe(spans: Sequence[Span], start: float, arranged: Arranged) -> list[dict[str, Any]]:
    views: dict[str, list[Row]] = {}
    for row in arranged.views:
        views.setdefault(_key(row), []).append(_without_common(row))
    return [
        {
            "row": _without_common(span.row),
            "start": round((span.start - start) * 1000, 3),
            "end": round((span.end - start) * 1000, 3),
            "depth": span.depth,
            "ended": span.is_ended,
            "views": views.get(_key(span.row), []),
        }
        for span in spans
    ]


def _key(row: Row) -> str:
    # a model may use one call id twice; span ids are ours
    return get_text(row, "span_id") or get_text(row, "call_id")


def _without_common(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in _COMMON and value is not None}
