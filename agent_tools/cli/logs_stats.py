"""`agent-tools logs stats`: how often, how well, how large, how fast."""

from __future__ import annotations

from typing import Any

import click

from agent_tools.calllog.stats import GROUPS, Summary, summarize
from agent_tools.cli.filters import filter_options, make_filters
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Cell
from agent_tools.cli.rows import show_ms

ALL = "all calls"
_HEADS = ("calls", "errors", "empty", "cut", "again", "tokens", "uncut", "p50 ms", "p95 ms", "codes")


@click.command("stats")
@source_options
@filter_options
@click.option(
    "--by", type=click.Choice(list(GROUPS)), default="tool", show_default=True, help="What to group by."
)
def stats(source: Source, by: str, **given: Any) -> None:
    """Sum up the calls that match: error rate by code, empty and cut results, tokens, times.

    Tokens are what models saw and, uncut, what they would have seen; `~` marks sums in which some prompts
    were estimated, since nothing had to be counted. The last line is about all calls.
    """
    filters = make_filters(given)
    groups, whole = summarize(source.read_calls(filters), by)
    if source.output.is_json:
        lines = [{by: name, **group.to_dict()} for name, group in groups.items()]
        source.output.json_lines([*lines, {by: None, **whole.to_dict()}] if whole.calls else [])
    elif whole.calls:
        rows = [_to_cells(name or "(none)", group) for name, group in groups.items()]
        heads = (by, *_HEADS)
        source.output.table(
            heads, [*rows, _to_cells(ALL, whole)], right=_HEADS[:-1], rest="codes", least={by: 12}
        )
    source.finish(matched=whole.calls > 0, filtered=filters.is_set)


def _to_cells(name: str, group: Summary) -> list[Cell]:
    figures = group.to_dict()
    about = "~" if group.estimated else ""
    codes = ", ".join(f"{code} {n}" for code, n in figures["codes"].items())
    return [
        name,
        str(group.calls),
        (_share(figures["errors"], group.calls), "red" if figures["errors"] else ""),
        _share(figures["empty"], group.calls),
        _share(group.cut, group.calls),
        _share(group.repeats, group.calls),
        f"{about}{group.tokens}",
        f"{about}{group.tokens_full}",
        show_ms(figures["p50_ms"]),
        show_ms(figures["p95_ms"]),
        codes,
    ]


def _share(n: int, calls: int) -> str:
    if not n:
        return "-"
    share = 100 * n / calls
    return f"{n} ({share:.0f}%)" if share >= 1 else f"{n} (<1%)"
