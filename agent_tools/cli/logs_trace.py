"""`agent-tools logs trace`: the calls of one task on a time line."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click

from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.calllog.traces import Arranged, Span, arrange
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Cell, Output, can_show
from agent_tools.cli.picking import read_named_trace, trace_argument
from agent_tools.cli.rows import STYLES, show_count, show_ms, show_time, show_tokens

_HEADS = ("start", "tool", "time line", "ms", "status", "code", "tokens", "call")
_BAR_COLUMNS = (12, 32)
_WIDE = 120


@click.command("trace")
@source_options
@trace_argument
def trace(source: Source, trace: str | None, last: bool) -> None:
    """Show the calls of a trace on a time line, each below the call that made it, and the answers.

    TRACE is a trace id, how it starts, or the id of one of its calls. A pipe gets the rows as JSON lines.
    """
    rows = read_named_trace(source, trace, last=last)
    if source.output.is_json:
        source.output.json_lines(rows)
    elif rows:
        _print(source.output, rows)
    source.finish(matched=bool(rows))


def _print(output: Output, rows: Sequence[Row]) -> None:
    arranged = arrange(rows)
    spans = arranged.spans
    output.lines(_head(rows, arranged))
    if spans:
        begin = min(span.start for span in spans)
        whole = max(max(span.end for span in spans) - begin, 1e-9)
        columns = _BAR_COLUMNS[output.width >= _WIDE]
        cells = (_to_cells(span, begin, whole, columns) for span in spans)
        output.table(_HEADS, cells, right=("start", "ms", "tokens"), least={"tool": 12, "code": 8})
    for row in arranged.answers:
        output.lines([("answer", _describe_answer(row))])
    if arranged.missing:
        numbers = ", ".join(map(str, arranged.missing[:20]))
        output.note(f"calls that left no row: no. {numbers} (not ended yet, dropped, or not logged)")


def _head(rows: Sequence[Row], arranged: Arranged) -> Iterator[tuple[str, str]]:
    first = rows[0]
    name = next((get_text(row, "trace_name") for row in rows if row.get("trace_name")), "")
    yield "trace", f"{get_text(first, 'trace_id')}  {name}".rstrip()
    if conversation := get_text(first, "conversation_id"):
        turn = show_count(get_number(first, "turn"))
        yield "conversation", f"{conversation}  turn {turn}" if turn else conversation
    failed = sum(row.get("status") == "error" for row in arranged.calls)
    yield "calls", f"{len(arranged.spans)}, {failed} failed, {len(arranged.unended)} never ended"
    ended = f"{show_time(rows[-1])} UTC"
    if arranged.spans:
        whole = max(span.end for span in arranged.spans) - min(span.start for span in arranged.spans)
        ended += f", {show_ms(whole * 1000)} ms after the first call began"
    yield "ended", ended


def _to_cells(span: Span, begin: float, whole: float, columns: int) -> list[Cell]:
    row = span.row
    status = get_text(row, "status") if span.is_ended else "never ended"
    style = STYLES.get(status, "" if span.is_ended else "red")
    return [
        f"+{show_ms(max(span.start - begin, 0.0) * 1000)}",
        "  " * min(span.depth, 10) + get_text(row, "tool"),
        (_draw(span, begin, whole, columns), style),
        show_ms(get_number(row, "elapsed_ms")),
        (status, style),
        get_text(row, "error_code"),
        show_tokens(row),
        get_text(row, "call_id"),
    ]


def _draw(span: Span, begin: float, whole: float, columns: int) -> str:
    full, still = ("█", "▒") if can_show("█▒", sys.stdout) else ("#", ".")
    start = min(int((span.start - begin) / whole * columns), columns - 1)
    if not span.is_ended:
        return " " * max(start, 0) + still * (columns - start)
    end = max(round((span.end - begin) / whole * columns), start + 1)
    return (" " * max(start, 0) + full * (end - start)).ljust(columns)


def _describe_answer(row: Row) -> str:
    parts = [show_time(row)[11:], get_text(row, "model"), get_text(row, "finish_reason")]
    tokens = [show_count(get_number(row, name)) for name in ("tokens_in", "tokens_out")]
    parts += [f"{tokens[0] or '?'} tokens in, {tokens[1] or '?'} out"] if any(tokens) else []
    return "  ".join(filter(None, parts)) + "\n" + get_text(row, "answer")
