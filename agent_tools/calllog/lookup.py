"""Find one call or one trace in a log of any size.

In:   files as `find_files` returns them, and an id.
Out:  the rows that carry it.
Cost: an own call id is found by bisection, some 20 reads of 64 kB; a model's id or a trace by a search,
      some 0.5 s a GB.

Own call ids (`call_id_source` is `own`) sort by the time of the call's start; nothing else is assumed
about them. Rows stand in the order in which calls ended, so a slow call stands among later ones: the
bisection compares the latest id of a block, and a miss falls back to the search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import orjson

from agent_tools.calllog.day_files import LogFile
from agent_tools.calllog.reader import (
    Progress,
    Row,
    Skipped,
    find_lines,
    get_text,
    parse_line,
    read_chunks,
    read_records,
    size_of,
)

_BLOCK_BYTES = 65_536
# below this a search is as fast as the bisection, and counts broken lines on its way
_SMALL_BYTES = 16_000_000
# how far behind its place a row is looked for: a call of some minutes at a thousand calls a second
_WINDOW_BYTES = 128_000_000
# a clock may be set back a little
_CLOCK_SLACK_S = 5.0


@dataclass(slots=True)
class Found:
    """What the log holds about a call id, oldest first.

    Attributes:
        calls: `tool_call` rows; several when a model used one id twice.
        starts: `tool_start` rows.
        views: `tool_view` rows.
    """

    calls: list[Row] = field(default_factory=list)
    starts: list[Row] = field(default_factory=list)
    views: list[Row] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.calls or self.starts)

    def add(self, row: Row) -> None:
        """Put a row where it belongs."""
        rows = {"tool_call": self.calls, "tool_start": self.starts, "tool_view": self.views}
        rows.get(get_text(row, "event"), []).append(row)


def find_call(
    files: Sequence[LogFile],
    call_id: str,
    skipped: Skipped | None = None,
    progress: Progress | None = None,
) -> Found:
    """Return the rows of one call; false when there are none.

    Args:
        files: Where to look, oldest first.
        call_id: The whole id, one of ours or a model's.
        skipped: Where lines are counted that could not be read.
        progress: Told how many bytes were read.

    Example:
        >>> bool(find_call([], "c_0"))
        False
    """
    if size_of(files) > _SMALL_BYTES:
        for file in reversed(files):
            found = _bisect(file.path, call_id)
            if found:
                return found
        for file in reversed(files):
            found = _collect(_search([file], "call_id", call_id, progress))
            if found:
                return found
        return Found()
    return _collect(_read_all(files, "call_id", call_id, skipped))


def _collect(rows: Iterable[Row]) -> Found:
    found = Found()
    for row in rows:
        found.add(row)
    return found


def _read_all(files: Sequence[LogFile], column: str, value: str, skipped: Skipped | None) -> Iterator[Row]:
    return read_records(files, needles=[value], keep=lambda row: row.get(column) == value, skipped=skipped)


def _search(
    files: Sequence[LogFile], column: str, value: str, progress: Progress | None = None
) -> Iterator[Row]:
    """Yield the rows that hold a value, looking at nothing else."""
    mark = orjson.dumps(value)
    for file in files:
        for line in find_lines(file.path, mark, progress=progress):
            row = parse_line(line)[0]
            if row is not None and row.get(column) == value:
                yield row


def _bisect(path: Path, call_id: str) -> Found:
    size = size_of([LogFile("", "", 0, path)])
    first = _own_ids(path, 0)
    if not first or call_id < min(first):
        return Found()
    low, high = 0, size // _BLOCK_BYTES
    while low < high:
        middle = (low + high) // 2
        ids = _own_ids(path, middle * _BLOCK_BYTES)
        if not ids:
            return Found()
        low, high = (low, middle) if max(ids) >= call_id else (middle + 1, high)
    # a start row stands before its call's row: one block of margin
    start = max(low - 1, 0) * _BLOCK_BYTES
    return _collect(_rows_with(path, call_id, start, min(start + _WINDOW_BYTES, size)))


def _own_ids(path: Path, offset: int) -> list[str]:
    """Return the own ids among the whole lines of a block."""
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        lines = (file.read(_BLOCK_BYTES) or b"").split(b"\n")
    rows = (parse_line(line)[0] for line in lines[bool(offset) :])
    return [get_text(row, "call_id") for row in rows if row and row.get("call_id_source") == "own"]


def _rows_with(path: Path, call_id: str, start: int, end: int) -> Iterator[Row]:
    mark = orjson.dumps(call_id)
    has_call = False
    for _, chunk in read_chunks(path, start=start, end=end):
        if mark in chunk:
            for line in chunk.split(b"\n"):
                row = parse_line(line)[0] if mark in line else None
                if row is not None and row.get("call_id") == call_id:
                    has_call = has_call or row["event"] == "tool_call"
                    yield row
        elif has_call:
            return


def read_trace(
    files: Sequence[LogFile],
    trace_id: str,
    skipped: Skipped | None = None,
    *,
    since: float | None = None,
    progress: Progress | None = None,
) -> list[Row]:
    """Return the rows of one trace, oldest first.

    Args:
        files: Where to look, oldest first.
        trace_id: The whole id.
        skipped: Where lines are counted that could not be read.
        since: No row is older, Unix seconds; what was written before is not looked at.
        progress: Told how many bytes were read.

    Example:
        >>> read_trace([], "0" * 32)
        []
    """
    rows: Iterable[Row]
    if since is not None:
        rows = _read_since(files, trace_id, since)
    elif size_of(files) > _SMALL_BYTES:
        rows = _search(files, "trace_id", trace_id, progress)
    else:
        rows = _read_all(files, "trace_id", trace_id, skipped)
    return sorted(rows, key=lambda row: get_text(row, "ts"))


def find_traces(
    files: Sequence[LogFile], start: str, *, most: int = 6, progress: Progress | None = None
) -> dict[str, list[Row]]:
    """Return the traces whose ids start like this, with their rows as they stand in the files.

    Args:
        files: Where to look, oldest first.
        start: How the id starts.
        most: So many traces are enough to see that it is ambiguous; their rows are not complete then.
        progress: Told how many bytes were read.

    Example:
        >>> find_traces([], "ab")
        {}
    """
    mark = orjson.dumps(start)[:-1]
    found: dict[str, list[Row]] = {}
    for file in files:
        for line in find_lines(file.path, mark, progress=progress):
            row = parse_line(line)[0]
            trace_id = get_text(row, "trace_id") if row else ""
            if row and trace_id.startswith(start):
                found.setdefault(trace_id, []).append(row)
                if len(found) >= most:
                    return found
    return found


def _read_since(files: Sequence[LogFile], trace_id: str, since: float) -> Iterator[Row]:
    """Yield the rows of a trace, reading each file from its end to what was written before `since`."""
    mark = orjson.dumps(trace_id)
    first = datetime.fromtimestamp(since - _CLOCK_SLACK_S, UTC).isoformat(timespec="microseconds")
    for file in reversed(files):
        try:
            if file.path.stat().st_mtime < since - _CLOCK_SLACK_S:
                continue
        except FileNotFoundError:
            continue
        for _, chunk in read_chunks(file.path, order="newest"):
            if mark in chunk:
                yield from _rows_of(chunk, mark, trace_id)
            oldest = parse_line(chunk.partition(b"\n")[0])[0]
            if oldest is not None and "" < get_text(oldest, "ts") < first:
                break


def _rows_of(chunk: bytes, mark: bytes, trace_id: str) -> Iterator[Row]:
    for line in chunk.split(b"\n"):
        row = parse_line(line)[0] if mark in line else None
        if row is not None and row.get("trace_id") == trace_id:
            yield row
