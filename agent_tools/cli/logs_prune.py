"""`agent-tools logs prune`: let old log files go."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from agent_tools.calllog.day_files import KEEP_BYTES, KEEP_DAYS, choose_old, delete_files
from agent_tools.calllog.reader import size_of
from agent_tools.cli.logs import Source, source_options

_MEGABYTE = 1_000_000


@click.command("prune")
@source_options
@click.option(
    "--keep-days", type=click.IntRange(1), default=KEEP_DAYS, show_default=True, help="Today included."
)
@click.option(
    "--keep-mb",
    type=click.IntRange(0),
    default=KEEP_BYTES // _MEGABYTE,
    show_default=True,
    help="All files together; the oldest go first.",
)
@click.option("--dry-run", is_flag=True, help="Only tell what would be deleted.")
def prune(source: Source, keep_days: int, keep_mb: int, dry_run: bool) -> None:
    """Delete log files that are too old, then the oldest while all together are too large.

    Programs that log do the same when they start and at midnight, with the default limits. Today's stay.
    """
    files = source.files()
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    old = choose_old(files, today, keep_days=keep_days, keep_bytes=keep_mb * _MEGABYTE)
    sizes = {file.path: size_of([file]) for file in old}
    gone = [file.path for file in old] if dry_run else delete_files(old)
    rows = [{"file": str(path), "size_bytes": sizes[path], "deleted": not dry_run} for path in gone]
    if source.output.is_json:
        source.output.json_lines(rows)
    else:
        verb = "would be deleted" if dry_run else "deleted"
        source.output.table(
            ("file", "MB", ""),
            [(path.name, f"{sizes[path] / _MEGABYTE:.1f}", verb) for path in gone],
            right=("MB",),
        )
    if not gone:
        source.output.note("nothing is old enough to go")
    if kept := len(old) - len(gone):
        source.output.note(f"{kept} files could not be deleted")
    source.finish(matched=True)
