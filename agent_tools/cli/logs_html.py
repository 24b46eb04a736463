"""`agent-tools logs html`: a trace, or the statistics of a log, as one page for a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from datetime import datetime
from pathlib import Path

import click

from agent_tools.calllog.page import render
from agent_tools.calllog.page.server import make_stats_payload
from agent_tools.calllog.page.trace_data import MAX_CALLS, make_trace_payload
from agent_tools.calllog.reader import get_text
from agent_tools.cli.filters import Moment
from agent_tools.cli.logs import USAGE, Source, source_options
from agent_tools.cli.picking import read_named_trace, trace_argument


class NotWritten(click.ClickException):
    """The page could not be written."""

    exit_code = USAGE


@click.command("html")
@source_options
@trace_argument
@click.option("--stats", is_flag=True, help="The statistics of the log instead of a trace.")
@click.option("--since", type=Moment(), help="With --stats: calls that ended after this: 2026-01-31, 7d ago.")
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    type=click.Path(path_type=Path),
    help="Where to write it; - is the standard output.",
)
@click.option("--open", "is_opened", is_flag=True, help="Show it in the browser.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(0),
    default=MAX_CALLS,
    show_default=True,
    help="Latest calls; 0: all.",
)
def html(
    source: Source,
    trace: str | None,
    last: bool,
    stats: bool,
    since: datetime | None,
    out: Path | None,
    is_opened: bool,
    limit: int,
) -> None:
    """Write one page that shows a trace: its time line, what the model saw of each call, the answers.

    TRACE is a trace id, how it starts, or the id of one of its calls. The page needs no network and no other
    file. It holds the prompts that the log holds, so it is readable by its owner only.
    """
    if stats and (trace is not None or last):
        raise click.UsageError("say either a trace or --stats")
    if stats:
        source.files()
        scope = f"since {since:%Y-%m-%d %H:%M} UTC" if since else "all days"
        page = render(make_stats_payload(source.place, since.timestamp() if since else None, scope))
        name = "agent-tools-stats.html"
    else:
        rows = read_named_trace(source, trace, last=last)
        if not rows:
            source.finish(matched=False)
        page = render(make_trace_payload(rows, max_calls=limit or None))
        name = f"agent-tools-{get_text(rows[0], 'trace_id')[:8]}.html"
    if out == Path("-"):
        sys.stdout.write(page)
    else:
        path = out or Path(name)
        _write(path, page)
        click.echo(source.output.fit(str(path.absolute())))
        if is_opened:
            webbrowser.open(path.absolute().as_uri())
    source.finish(matched=True)


def _write(path: Path, page: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", opener=_open_privately) as file:
            file.write(page)
    except OSError as error:
        raise NotWritten(f"cannot write {str(path)!r}: {error.strerror}; say where with --output") from error


def _open_privately(path: str, flags: int) -> int:
    descriptor = os.open(path, flags, 0o600)
    if hasattr(os, "fchmod") and os.path.isfile(path):
        # a file that was there already keeps its mode otherwise
        os.fchmod(descriptor, 0o600)
    return descriptor
