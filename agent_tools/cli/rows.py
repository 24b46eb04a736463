"""The columns of a row of calls in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.calllog.stats import estimate_tokens
from agent_tools.cli.output import Cell, Output

HEADS = ("time (UTC)", "tool", "status", "code", "ms", "tokens", "call", "summary")
RIGHT = ("ms", "tokens")
# in a narrow terminal these are cut, in this order, down to so many columns
LEAST = {"tool": 12, "code": 8, "status": 5}
STYLES = {"error": "red", "empty": "yellow", "partial": "cyan", "cancelled": "magenta"}


def print_calls(output: Output, rows: Iterable[Row]) -> int:
    """Print calls as a table or as JSON lines; returns how many there were."""
    if output.is_json:
        return output.json_lines(rows)
    calls = list(rows)
    days = {show_time(row)[:10] for row in calls}
    is_one_day = len(days) == 1
    if is_one_day:
        output.line(days.pop())
    cells = (to_cells(row, is_one_day=is_one_day) for row in calls)
    return output.table(HEADS, cells, right=RIGHT, rest="summary", least=LEAST)


def print_lines(output: Output, rows: Iterable[Row]) -> None:
    """Print rows of any event line by line, for output that goes on."""
    for row in rows:
        is_call = row["event"] == "tool_call"
        status = get_text(row, "status" if is_call else "event")
        ms = show_ms(get_number(row, "elapsed_ms"))
        head = f"{show_time(row)}  {get_text(row, 'tool'):<20} {status:<10} {ms:>8}  "
        ids = get_text(row, "call_id") or get_text(row, "trace_id")
        output.line(f"{head}{ids}  {summarize(row)}", STYLES.get(status, ""))


def to_cells(row: Row, *, is_one_day: bool = False) -> list[Cell]:
    """Lay out one call; what is absent stays blank, a day that is the same for all is left out."""
    status = get_text(row, "status")
    return [
        show_time(row)[11 if is_one_day else 0 :],
        get_text(row, "tool"),
        (status, STYLES.get(status, "")),
        get_text(row, "error_code"),
        show_ms(get_number(row, "elapsed_ms")),
        show_tokens(row),
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


def show_tokens(row: Row) -> str:
    """Show the tokens of the prompt; `~` marks an estimate where nothing had to be counted."""
    tokens = get_number(row, "tokens")
    if tokens is not None:
        return show_count(tokens)
    estimate = estimate_tokens(row)
    return f"~{estimate}" if estimate is not None else ""


def summarize(row: Row) -> str:
    """Say in one line what came out."""
    return get_text(row, "error_message") or get_text(row, "result_summary") or get_text(row, "answer")
