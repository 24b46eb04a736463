"""`agent-tools logs diff`: what differs between two calls, or between two traces."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from agent_tools.calllog.differences import Difference, Step, compare_calls, compare_traces
from agent_tools.calllog.lookup import find_call
from agent_tools.calllog.reader import Row, get_text
from agent_tools.calllog.traces import arrange
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Output
from agent_tools.cli.picking import read_named_trace

_MARKS = {"same": " ", "changed": "~", "removed": "-", "added": "+"}
_STYLES = {"same": "dim", "changed": "yellow", "removed": "red", "added": "green"}


@click.command("diff")
@source_options
@click.argument("a")
@click.argument("b")
def diff(source: Source, a: str, b: str) -> None:
    """Compare two calls (arguments, outcome, sizes, prompts) or two traces (call by call, then the answers).

    A and B are ids of calls, or of traces or how they start. Ids, times of day and small changes in duration
    are no differences. Without any, nothing is printed but a note.
    """
    calls = [_find_call(source, given) for given in (a, b)]
    if calls[0] and calls[1]:
        differences = compare_calls(calls[0], calls[1])
        if source.output.is_json:
            source.output.json_lines(one.to_dict() for one in differences)
        else:
            print_differences(source.output, differences)
        is_same = not differences
    else:
        is_same = _diff_traces(source, a, b)
    if is_same:
        source.output.note("no differences")
    source.finish(matched=True)


def _find_call(source: Source, given: str) -> Row | None:
    source.skipped.forget()
    found = find_call(source.files(), given, source.skipped)
    return found.calls[-1] if found.calls else None


def _diff_traces(source: Source, a: str, b: str) -> bool:
    traces = []
    for given in (a, b):
        source.skipped.forget()
        traces.append(read_named_trace(source, given, last=False))
    for given, rows in zip((a, b), traces, strict=True):
        if not rows:
            source.output.note(f"no call and no trace {given}")
            source.finish(matched=False)
    one, two = (arrange(rows) for rows in traces)
    steps = compare_traces(one.calls, two.calls)
    answers = [
        get_text(arranged.answers[-1], "answer") if arranged.answers else None for arranged in (one, two)
    ]
    changed = [Difference("answer", *answers)] if answers[0] != answers[1] else []
    if source.output.is_json:
        source.output.json_lines([*(step.to_dict() for step in steps), *(one.to_dict() for one in changed)])
    else:
        for step in steps:
            _print_step(source.output, step)
        print_differences(source.output, changed)
    return not changed and all(step.change == "same" for step in steps)


def _print_step(output: Output, step: Step) -> None:
    row = step.a or step.b or {}
    ids = "  ".join(get_text(one, "call_id") for one in (step.a, step.b) if one)
    output.line(f"{_MARKS[step.change]} {get_text(row, 'tool'):<20}  {ids}", _STYLES[step.change])
    print_differences(output, step.differences, indent=4)


def print_differences(output: Output, differences: Iterable[Difference], *, indent: int = 0) -> None:
    """Print what differs: the old value, the new one; of texts over several lines, their diff."""
    for one in differences:
        if one.path == "prompt":
            output.wrapped("prompt", "bold", indent=indent)
            for line in str(one.b).splitlines():
                output.wrapped(line, {"+": "green", "-": "red"}.get(line[:1], "dim"), indent=indent + 2)
        else:
            output.wrapped(f"{one.path}: {_show(one.a)} -> {_show(one.b)}", indent=indent)


def _show(value: Any) -> str:
    return "(absent)" if value is None else json.dumps(value, ensure_ascii=False)
