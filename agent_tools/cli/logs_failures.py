"""`agent-tools logs failures`: what fails, how often and since when."""

from __future__ import annotations

from typing import Any

import click

from agent_tools.calllog.failures import Failures, group_failures
from agent_tools.cli.filters import filter_options, make_filters
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Cell

_HEADS = ("count", "tool", "code", "exception", "first (UTC)", "last (UTC)", "last call", "last message")


@click.command("failures")
@source_options
@filter_options
def failures(source: Source, **given: Any) -> None:
    """Group failed calls by tool, code and exception type, the most frequent first."""
    filters = make_filters(given)
    groups = group_failures(source.read_calls(filters))
    if source.output.is_json:
        source.output.json_lines(group.to_dict() for group in groups)
    else:
        source.output.table(
            _HEADS,
            map(_to_cells, groups),
            right=("count",),
            rest="last message",
            least={"exception": 12, "tool": 12, "code": 8},
        )
    source.finish(matched=bool(groups), filtered=filters.is_set)


def _to_cells(group: Failures) -> list[Cell]:
    times = [time.replace("T", " ")[:19] for time in (group.first, group.last)]
    return [
        str(group.count),
        group.tool,
        (group.code, "red"),
        group.exception,
        *times,
        group.last_call_id,
        group.last_message,
    ]
