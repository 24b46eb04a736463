"""Find the trace or call that a user means by an id, the beginning of one, or `--last`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import click

from agent_tools.calllog.day_files import LogFile
from agent_tools.calllog.lookup import find_call, find_traces, read_trace
from agent_tools.calllog.reader import Row, get_text, read_records, size_of
from agent_tools.cli.logs import Source

_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_TRACE_START = re.compile(r"[0-9a-f]{4,31}")
_SHOWN = 5
# a log up to this size is read once more, so that lines that are no records are told
_SMALL_BYTES = 16_000_000


def trace_argument(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the arguments that name a trace; `read_named_trace` reads it."""
    argument = click.argument("trace", required=False)
    option = click.option("--last", is_flag=True, help="The trace of the latest row.")
    return argument(option(command))


def read_named_trace(source: Source, trace: str | None, *, last: bool) -> list[Row]:
    """Return the rows of the trace that is meant, oldest first; empty when there is none.

    Args:
        source: Where to read.
        trace: A trace id, how it starts (4 digits at least), or the id of one of its calls.
        last: The trace of the latest row instead.

    Raises:
        click.UsageError: neither or both were given, or several traces start like that.
    """
    if (trace is None) is not last:
        raise click.UsageError("say which trace: its id, the id of one of its calls, or --last")
    files = source.files()
    if trace is not None and _TRACE_START.fullmatch(trace):
        found = find_traces(files, trace, most=_SHOWN + 1, progress=source.progress(files))
        if len(found) > 1:
            more = ", ..." if len(found) > _SHOWN else ""
            raise click.UsageError(f"several traces start like that: {', '.join([*found][:_SHOWN])}{more}")
        if found and size_of(files) > _SMALL_BYTES:
            return sorted(*found.values(), key=lambda row: get_text(row, "ts"))
        trace = next(iter(found), trace)
    trace_id = _last_trace(files) if trace is None else _resolve(source, files, trace)
    return read_trace(files, trace_id, source.skipped, progress=source.progress(files)) if trace_id else []


def _last_trace(files: Sequence[LogFile]) -> str:
    rows = read_records(files, order="newest", keep=lambda row: bool(get_text(row, "trace_id")))
    return next((get_text(row, "trace_id") for row in rows), "")


def _resolve(source: Source, files: Sequence[LogFile], given: str) -> str:
    if _TRACE_ID.fullmatch(given):
        return given
    # the lines that are skipped are counted when the trace is read
    call = find_call(files, given, None, source.progress(files))
    rows = call.calls or call.starts
    return get_text(rows[-1], "trace_id") if rows else ""
