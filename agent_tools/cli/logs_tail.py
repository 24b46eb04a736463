"""`agent-tools logs tail`: the last rows, and those that come."""

from __future__ import annotations

import time
from itertools import islice

import click

from agent_tools.calllog.following import Follower
from agent_tools.calllog.reader import Row, find_files, read_records
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.rows import print_lines

_POLL_S = 0.2


@click.command("tail")
@source_options
@click.option("-n", "--limit", type=click.IntRange(0), default=10, show_default=True, help="How many.")
@click.option("-f", "--follow", is_flag=True, help="Go on with rows as they are written, until Ctrl-C.")
def tail(source: Source, limit: int, follow: bool) -> None:
    """Print the last rows of the log: calls, starts of long calls, further views and answers."""
    files = source.files()
    follower = Follower(lambda: find_files(source.place), source.skipped)
    # a line that is still being written belongs to what follows
    ends = follower.skip_to_end() if follow else None
    found = read_records(files, order="newest", skipped=source.skipped, ends=ends)
    rows = list(islice(found, limit))[::-1]
    _print(source, rows)
    if follow:
        _follow(source, follower)
    source.finish(matched=bool(rows) or follow, filtered=False)


def _follow(source: Source, follower: Follower) -> None:
    reported = 0
    try:
        while True:
            if (n := source.skipped.n) > reported:
                source.output.note(source.skipped.describe())
                reported = n
            _print(source, follower.read_new())
            time.sleep(_POLL_S)
    except (KeyboardInterrupt, FileNotFoundError):  # the second: the whole folder was removed
        return


def _print(source: Source, rows: list[Row]) -> None:
    if source.output.is_json:
        source.output.json_lines(rows)
    else:
        print_lines(source.output, rows)
