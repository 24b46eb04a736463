"""`agent-tools logs list`: the latest calls that match."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from agent_tools.calllog.reader import get_text, read_records
from agent_tools.cli.filters import filter_options, make_filters
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.rows import print_calls


@click.command("list")
@source_options
@filter_options
@click.option(
    "-n", "--limit", type=click.IntRange(0), default=50, show_default=True, help="How many; 0: all."
)
def list_calls(source: Source, limit: int, **given: Any) -> None:
    """List the latest calls that match, the newest last.

    Reads from the end of the log, so that a large one makes no difference.
    """
    filters = make_filters(given)
    found = read_records(
        filters.pick_files(source.files()),
        order="newest" if limit else "oldest",
        needles=filters.needles,
        keep=lambda row: row["event"] == "tool_call" and filters.keep(row),
        skipped=source.skipped,
    )
    if limit:
        # of two processes one may write the row of an earlier call later
        latest = reversed(list(islice(found, limit)))
        found = iter(sorted(latest, key=lambda row: get_text(row, "ts")))
    n = print_calls(source.output, found)
    source.finish(matched=n > 0, filtered=filters.is_set)
