"""The options that pick rows of the log, and the test that they make together."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, TypeVar

import click

from agent_tools.calllog.day_files import LogFile
from agent_tools.calllog.reader import Row, get_number, get_text

F = TypeVar("F", bound=Callable[..., None])
Test = Callable[[Row], bool]

_AGO = re.compile(r"(\d+(?:\.\d+)?)\s*([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SEARCHED = (
    "tool",
    "prompt",
    "arguments",
    "error_message",
    "error_class",
    "traceback",
    "result_summary",
    "answer",
)


if TYPE_CHECKING:
    _Type = click.ParamType[datetime]  # generic for type checkers only before click 8.2
else:
    _Type = click.ParamType


class Moment(_Type):
    """A time on the command line: `2026-01-31`, `2026-01-31T12:00`, or `90m`, `2h`, `7d` ago. UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Read a time as one with a time zone."""
        if isinstance(value, datetime):
            return value
        try:
            if ago := _AGO.fullmatch(value.strip()):
                return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: float(ago[1])})
            moment = datetime.fromisoformat(value.strip())
        except (ValueError, OverflowError):
            self.fail(f"{value!r} is no time; use 2026-01-31, 2026-01-31T12:00 or 90m, 2h, 7d", param, ctx)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(slots=True)
class Filters:
    """What the user wants to see.

    Attributes:
        tests: All of them must hold.
        needles: Exact values that a wanted row holds.
        since, until: Bounds on the end of the call.
        is_set: Some filter was given.
    """

    tests: list[Test] = field(default_factory=list)
    needles: list[str] = field(default_factory=list)
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_set(self) -> bool:
        """Say whether the user asked for something in particular."""
        return bool(self.tests)

    def keep(self, row: Row) -> bool:
        """Say whether a row is wanted."""
        return all(test(row) for test in self.tests)

    def pick_files(self, files: list[LogFile]) -> list[LogFile]:
        """Leave out the days that hold nothing wanted."""
        # a row is filed under the day when it was written: the end of its call, give or take a moment
        first = f"{self.since - timedelta(days=1):%Y-%m-%d}" if self.since else ""
        last = f"{self.until + timedelta(days=1):%Y-%m-%d}" if self.until else "9999"
        return [file for file in files if not file.day or first <= file.day <= last]


def _same(column: str) -> Callable[[Any], Test]:
    return lambda wanted: lambda row: get_text(row, column) == wanted


def _matches(column: str) -> Callable[[Any], Test]:
    return lambda wanted: lambda row: fnmatchcase(get_text(row, column), wanted)


def _starts(column: str) -> Callable[[Any], Test]:
    return lambda wanted: lambda row: get_text(row, column).startswith(wanted)


def _holds(wanted: str) -> Test:
    wanted = wanted.casefold()
    return lambda row: any(wanted in _flatten(row.get(column)).casefold() for column in _SEARCHED)


def _flatten(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name}\n{_flatten(item)}" for name, item in value.items())
    if isinstance(value, list):
        return "\n".join(map(_flatten, value))
    return "" if value is None else str(value)


def _is_slow(limit_ms: float) -> Test:
    return lambda row: (get_number(row, "elapsed_ms") or 0.0) >= limit_ms


def _ended(row: Row) -> datetime | None:
    try:
        moment = datetime.fromisoformat(get_text(row, "ts"))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _since(moment: datetime) -> Test:
    return lambda row: (ended := _ended(row)) is not None and ended >= moment


def _until(moment: datetime) -> Test:
    return lambda row: (ended := _ended(row)) is not None and ended < moment


# option -> its value -> test; an option that is off has no row
TESTS: dict[str, Callable[[Any], Test]] = {
    "tool": _matches("tool"),
    "status": _same("status"),
    "code": _matches("error_code"),
    "trace": _starts("trace_id"),
    "conversation": _same("conversation_id"),
    "since": _since,
    "until": _until,
    "slow": _is_slow,
    "text": _holds,
    "truncated": lambda _: lambda row: row.get("truncated") is True,
    "empty": lambda _: lambda row: row.get("status") == "empty",
    "repeated": lambda _: lambda row: (get_number(row, "repeat_n") or 0) > 1,
}
# a value of these stands in the row as it was given
_EXACT = ("status", "conversation")


def filter_options(command: F) -> F:
    """Give a command the filter options; `make_filters` makes one test of them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


_OPTIONS = (
    click.option("--tool", metavar="NAME", help="Name of the tool; * and ? stand for anything."),
    click.option("--status", type=click.Choice(["success", "empty", "partial", "error", "cancelled"])),
    click.option("--code", metavar="CODE", help="Error code; * and ? stand for anything."),
    click.option("--trace", metavar="ID", help="Trace id, or how it starts."),
    click.option("--conversation", metavar="ID", help="Conversation id."),
    click.option("--since", type=Moment(), help="Ended at or after: 2026-01-31T12:00 (UTC), or 2h, 7d ago."),
    click.option("--until", type=Moment(), help="Ended before."),
    click.option("--slow", type=float, metavar="MS", help="Took at least so many milliseconds."),
    click.option(
        "--text", metavar="TEXT", help="In prompt, arguments, error or answer, upper or lower case."
    ),
    click.option("--truncated", is_flag=True, help="Cut to the token budget."),
    click.option("--empty", is_flag=True, help="Worked and found nothing."),
    click.option("--repeated", is_flag=True, help="Identical to an earlier call of the trace."),
)


def make_filters(given: dict[str, Any]) -> Filters:
    """Make one test of the options that were given.

    Example:
        >>> filters = make_filters({"tool": "find_*", "empty": False})
        >>> filters.keep({"tool": "find_orders"}), filters.keep({"tool": "pay"})
        (True, False)
    """
    wanted = {name: value for name, value in given.items() if value not in (None, False)}
    return Filters(
        tests=[TESTS[name](value) for name, value in wanted.items()],
        needles=[wanted[name] for name in _EXACT if name in wanted],
        since=wanted.get("since"),
        until=wanted.get("until"),
    )
