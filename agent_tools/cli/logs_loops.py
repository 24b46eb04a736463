"""`agent-tools logs loops`: the same call again and again."""

from __future__ import annotations

import json
from typing import Any

import click

from agent_tools.calllog.loops import Loop, find_loops
from agent_tools.cli.filters import filter_options, make_filters
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Cell

_HEADS = ("calls", "tool", "alike", "outcomes", "results", "first call", "trace", "arguments")


@click.command("loops")
@source_options
@filter_options
@click.option(
    "--least", type=click.IntRange(2), default=2, show_default=True, help="How many like calls are a loop."
)
def loops(source: Source, least: int, **given: Any) -> None:
    """Find identical and near-identical calls within each trace, how often they were made and how they ended.

    `results` is the number of different texts that the model got for them: 1 means that asking again told
    it nothing.
    """
    filters = make_filters(given)
    found = find_loops(source.read_calls(filters), least)
    if source.output.is_json:
        source.output.json_lines(loop.to_dict() for loop in found)
    else:
        source.output.table(
            _HEADS, map(_to_cells, found), right=("calls", "results"), rest="arguments", least={"tool": 12}
        )
    source.finish(matched=bool(found), filtered=filters.is_set)


def _to_cells(loop: Loop) -> list[Cell]:
    outcomes = ", ".join(f"{outcome} {n}" for outcome, n in loop.outcomes.items())
    return [
        str(loop.count),
        loop.tool,
        loop.kind,
        outcomes,
        str(loop.results or ""),
        loop.first_call_id,
        loop.trace_id[:8],
        json.dumps(loop.arguments, ensure_ascii=False) if loop.arguments is not None else "",
    ]
