"""The command `agent-tools`: one file per command, imported when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import click

# a group of commands is one row; nothing of it is imported before it is asked for
COMMANDS = {
    "logs": "agent_tools.cli.logs:logs",
    "redact": "agent_tools.cli.redact:redact",
}


class LazyGroup(click.Group):
    """A group whose commands are named in a table `name -> "module:attribute"` and imported when used."""

    def __init__(self, *args: object, table: Mapping[str, str] | None = None, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # passed through as click gave it
        self._table = dict(table or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order of the table."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self._table:
            return None
        module, _, attribute = self._table[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="agent-tools")
def main() -> None:
    """Look into what an agent's tools did."""
