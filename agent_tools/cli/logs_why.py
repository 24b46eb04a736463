"""`agent-tools logs why`: three questions about a wrong answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from agent_tools.calllog.explain import QUESTIONS, Finding, explain
from agent_tools.calllog.reader import Row, get_text
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Output
from agent_tools.cli.picking import read_named_trace, trace_argument


@click.command("why")
@source_options
@trace_argument
def why(source: Source, trace: str | None, last: bool) -> None:
    """Tell why an answer may be wrong: was the tool called, what did the model see, what is it built on?

    TRACE is a trace id, how it starts, or the id of one of its calls. Only the log is looked at, no model is
    asked. A pipe gets one line of JSON for each finding.
    """
    rows = read_named_trace(source, trace, last=last)
    findings = explain(rows) if rows else []
    if source.output.is_json:
        source.output.json_lines(map(asdict, findings))
    elif rows:
        _print(source.output, rows, findings)
    source.finish(matched=bool(rows))


def _print(output: Output, rows: Sequence[Row], findings: Sequence[Finding]) -> None:
    name = next((get_text(row, "trace_name") for row in rows if row.get("trace_name")), "")
    output.line(f"trace {get_text(rows[0], 'trace_id')}  {name}".rstrip(), "bold")
    for n, question in enumerate(QUESTIONS, 1):
        output.line(f"{n}. {question}", "bold")
        for finding in findings:
            if finding.question == question:
                output.wrapped(finding.sentence, "yellow" if finding.is_alarming else "", indent=3)
                for line in finding.evidence:
                    output.wrapped(line, "dim", indent=6)
