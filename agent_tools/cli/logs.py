"""`agent-tools logs`: the call log, read in a terminal or a pipe.

Exit codes: 0 done, 1 nothing matched, 2 wrong usage or no log there, 3 lines were skipped and `--strict`
was given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from agent_tools.calllog.day_files import LogFile
from agent_tools.calllog.reader import Row, Skipped, find_files, read_records, size_of
from agent_tools.cli.filters import Filters
from agent_tools.cli.main import LazyGroup
from agent_tools.cli.output import Output

NOTHING_MATCHED = 1
USAGE = 2
SKIPPED = 3

COMMANDS = {
    "list": "agent_tools.cli.logs_list:list_calls",
    "show": "agent_tools.cli.logs_show:show",
    "tail": "agent_tools.cli.logs_tail:tail",
    "sql": "agent_tools.cli.logs_sql:sql",
    "compact": "agent_tools.cli.logs_compact:compact_days",
    "trace": "agent_tools.cli.logs_trace:trace",
    "why": "agent_tools.cli.logs_why:why",
    "stats": "agent_tools.cli.logs_stats:stats",
    "failures": "agent_tools.cli.logs_failures:failures",
    "loops": "agent_tools.cli.logs_loops:loops",
    "diff": "agent_tools.cli.logs_diff:diff",
    "replay": "agent_tools.cli.logs_replay:replay",
    "export": "agent_tools.cli.logs_export:export",
    "prune": "agent_tools.cli.logs_prune:prune",
    "doctor": "agent_tools.cli.logs_doctor:doctor",
    "html": "agent_tools.cli.logs_html:html",
    "serve": "agent_tools.cli.logs_serve:serve",
    "path": "agent_tools.cli.logs_path:path",
}

_HOME = click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="Home folder, folder of log files, or one file. Default: where a program started here logs.",
)


@dataclass(slots=True)
class Source:
    """Where a command reads and how it prints; made from the options that all commands share.

    Attributes:
        place: Home folder, folder of log files or one file.
        output: What prints.
        strict: Fail when a line had to be skipped.
        skipped: The lines that were skipped so far.
    """

    place: Path
    output: Output
    strict: bool
    skipped: Skipped

    def files(self) -> list[LogFile]:
        """Return the log files, oldest first; exits with 2 when there is no log."""
        try:
            return find_files(self.place)
        except FileNotFoundError as error:
            raise NoLog(
                f"{error}: nothing was logged there yet, or another home folder is meant "
                "(--home DIR or AGENT_TOOLS_HOME)"
            ) from error

    def progress(self, files: Sequence[LogFile]) -> Callable[[int], None] | None:
        """Return what shows how far a long scan has come; None where nobody watches."""
        return self.output.progress(size_of(files))

    def read_calls(self, filters: Filters, **options: Any) -> Iterator[Row]:
        """Read the calls that match, oldest first, with progress."""
        files = filters.pick_files(self.files())
        keep = (lambda row: row["event"] == "tool_call" and filters.keep(row)) if filters.is_set else _is_call
        return read_records(
            files,
            needles=filters.needles,
            keep=keep,
            skipped=self.skipped,
            progress=self.progress(files),
            **options,
        )

    def finish(self, *, matched: bool, filtered: bool = True) -> None:
        """Report skipped lines and choose the exit code.

        Args:
            matched: Something was printed.
            filtered: The user asked for something in particular; otherwise an empty log is no failure.
        """
        self.output.end_progress()
        if self.skipped:
            self.output.note(self.skipped.describe())
        if not matched:
            self.output.note("nothing matched" if filtered else "no records")
        if self.strict and self.skipped:
            raise SystemExit(SKIPPED)
        if not matched and filtered:
            raise SystemExit(NOTHING_MATCHED)


def _is_call(row: Row) -> bool:
    return bool(row["event"] == "tool_call")


class NoLog(click.ClickException):
    """There is nothing to read where the user pointed."""

    exit_code = USAGE


def source_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that all commands on the log share, as one argument `source`."""

    @_HOME
    @click.option("--json/--table", "as_json", default=None, help="JSON lines (in a pipe) or a table.")
    @click.option("--strict", is_flag=True, help="Exit with 3 when a line could not be read.")
    @functools.wraps(command)
    def run(home: Path | None, as_json: bool | None, strict: bool, **given: Any) -> None:
        place = home or click.get_current_context().obj or default_home()
        command(source=Source(place, Output(as_json), strict, Skipped()), **given)

    return run


def default_home() -> Path:
    """Return the home folder that a program started here would log to."""
    from agent_tools.context import find_home

    return find_home()


@click.group(cls=LazyGroup, table=COMMANDS)
@_HOME
@click.pass_context
def logs(ctx: click.Context, home: Path | None) -> None:
    """Read the call log.

    Tables in a terminal, JSON lines in a pipe. Exit codes: 0 done, 1 nothing matched, 2 wrong usage or no
    log there, 3 lines were skipped and --strict was given.
    """
    ctx.obj = home
