"""The columns of a row of calls in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.cli.output import Cell, Output

HEADS = ("time (UTC)", "tool", "status", "code", "ms", "tokens", "call", "summary")
RIGHT = ("ms", "tokens")
STYLES = {"error": "red", "empty": "yellow", "partial": "cyan", "cancelled": "magenta"}


def print_calls(output: Output, rows: Iterable[Row]) -> int:
    """Print calls as a table or as JSON lines; returns how many there were."""
    if output.is_json:
        return output.json_lines(rows)
    return output.table(HEADS, map(to_cells, rows), right=RIGHT)


def print_lines(output: Output, rows: Iterable[Row]) -> None:
    """Print rows of any event line by line, for output that goes on."""
    for row in rows:
        is_call = row["event"] == "tool_call"
        status = get_text(row, "status" if is_call else "event")
        ms = show_ms(get_number(row, "elapsed_ms"))
        head = f"{show_time(row)}  {get_text(row, 'tool'):<20} {status:<10} {ms:>8}  "
        ids = get_text(row, "call_id") or get_text(row, "trace_id")
        output.line(f"{head}{ids}  {summarize(row)}", STYLES.get(status, ""))


def to_cells(row: Row) -> list[Cell]:
    """Lay out one call; what is absent stays blank."""
    status = get_text(row, "status")
    return [
        show_time(row),
        get_text(row, "tool"),
        (status, STYLES.get(status, "")),
        get_text(row, "error_code"),
        show_ms(get_number(row, "elapsed_ms")),
        show_count(get_number(row, "tokens")),
        get_text(row, "call_id"),
        summarize(row),
    ]


def show_time(row: Row) -> str:
    """Show the end of a call to the millisecond."""
    return get_text(row, "ts").replace("T", " ")[:23]


def show_ms(value: float | None) -> str:
    """Show milliseconds with as many digits as they deserve."""
    return "" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def show_count(value: float | None) -> str:
    """Show a count, blank when it is unknown."""
    return "" if value is None else f"{value:.0f}"


def summarize(row: Row) -> str:
    """Say in one line what came out."""
    return get_text(row, "error_message") or get_text(row, "result_summary") or get_text(row, "answer")
