"""`agent-tools logs path`: where the log is."""

from __future__ import annotations

import click

from agent_tools.calllog.day_files import FOLDER
from agent_tools.calllog.reader import find_files
from agent_tools.cli.logs import Source, source_options


@click.command("path")
@source_options
def path(source: Source) -> None:
    """Print the folder of the log files, whether or not there are any."""
    try:
        files = find_files(source.place)
        folder = files[-1].path.parent if files else source.place / FOLDER
    except FileNotFoundError:
        folder = source.place / FOLDER
        source.output.note("nothing was logged there yet")
    click.echo(source.output.fit(str(folder.absolute())))
