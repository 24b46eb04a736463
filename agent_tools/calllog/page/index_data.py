"""Gather the latest traces of a log.

In:   rows, the newest first.
Out:  plain data: a row per trace, the latest first.
Cost: some 2 us a row beside reading it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from agent_tools.calllog.reader import Row, get_text
from agent_tools.calllog.traces import read_moment

# read backwards from the end of the log, so that a large one makes no difference
MAX_ROWS = 20_000
MAX_TRACES = 500


def make_index_payload(
    newest_first: Iterable[Row], title: str, links: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the payload of the page that lists traces.

    Example:
        >>> rows = [{"event": "tool_call", "trace_id": "ab" * 16, "ts": "2026-01-31T12:00:00Z"}]
        >>> make_index_payload(rows, "log")["traces"][0]["calls"]
        1
    """
    found: dict[str, dict[str, Any]] = {}
    n = 0
    for n, row in enumerate(islice(newest_first, MAX_ROWS), 1):  # noqa: B007 - the last number is the count
        if trace_id := get_text(row, "trace_id"):
            trace = found.get(trace_id)
            if trace is None:
                trace = found[trace_id] = _start(trace_id, row)
            _add(trace, row)
    traces = list(found.values())[:MAX_TRACES]
    for trace in traces:
        trace["start"] = read_moment(trace["start"])
    return {
        "kind": "traces",
        "title": title,
        "traces": traces,
        "is_all": n < MAX_ROWS and len(found) <= MAX_TRACES,
        "links": dict(links or {}),
    }


def _start(trace_id: str, row: Row) -> dict[str, Any]:
    return {
        "id": trace_id,
        "end": read_moment(get_text(row, "ts")),
        "calls": 0,
        "errors": 0,
        "empty": 0,
        "cut": 0,
        "answers": 0,
        "unsupported": 0,
        "name": "",
        "conversation": "",
    }


def _add(trace: dict[str, Any], row: Row) -> None:
    event, status = row["event"], row.get("status")
    trace["calls"] += event == "tool_call"
    trace["errors"] += status == "error"
    trace["empty"] += status == "empty"
    trace["cut"] += event == "tool_call" and row.get("truncated") is True
    trace["answers"] += event == "answer"
    numbers = row.get("numbers_unsupported")
    trace["unsupported"] += len(numbers) if isinstance(numbers, list) else 0
    trace["name"] = trace["name"] or get_text(row, "trace_name")
    trace["conversation"] = trace["conversation"] or get_text(row, "conversation_id")
    trace["start"] = get_text(row, "ts")
