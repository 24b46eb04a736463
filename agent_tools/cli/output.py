"""Print rows as a table or as JSON lines: whatever they hold, no control character reaches the terminal."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

Cell: TypeAlias = "str | tuple[str, str]"

# C1, line breaks of editors, changes of direction, lone surrogates, invisible marks
_HIDDEN = (
    "\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f"
)
_CONTROL = re.compile(f"[\x00-\x1f\x7f{_HIDDEN}]")
_CONTROL_BUT_LINES = re.compile(f"[\x00-\x08\x0b-\x1f\x7f{_HIDDEN}]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# width of a table that goes to a file or a pipe
_PIPE_WIDTH = 200
# a scan shows how far it has come so often
_PROGRESS_S = 0.2
# columns from which on there is room for two blanks between columns
_ROOMY = 120
# a text in fewer columns says nothing
_LEAST_REST = 16
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape(text: str, *, keep_lines: bool = False) -> str:
    r"""Spell out control characters.

    Args:
        text: Anything, from any source.
        keep_lines: Leave line feeds and tabs.

    Example:
        >>> escape("a\nb\x1b[31m")
        'a\\nb\\x1b[31m'
    """
    return (_CONTROL_BUT_LINES if keep_lines else _CONTROL).sub(_spell, text)


def _spell(match: re.Match[str]) -> str:
    character = match[0]
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _spell_json(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


class Output:
    """Where a command prints to: stdout for what was asked, stderr for notes about it.

    Args:
        as_json: JSON lines, or a table. None takes a table in a terminal and JSON lines elsewhere.
        quiet_s: How long a scan takes before it shows how far it has come.
    """

    def __init__(self, as_json: bool | None = None, *, quiet_s: float = 1.0) -> None:
        self._quiet_s = quiet_s
        self.is_json = not sys.stdout.isatty() if as_json is None else as_json
        self._has_progress = False

    def json_lines(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Print one line of JSON per row, valid and free of control characters in every encoding.

        Returns: how many there were.
        """
        n = 0
        for n, row in enumerate(rows, 1):  # noqa: B007 - the last number is the count
            sys.stdout.write(self.fit_json(orjson.dumps(row).decode()) + "\n")
        sys.stdout.flush()
        return n

    def table(
        self,
        heads: Sequence[str],
        rows: Iterable[Sequence[Cell]],
        *,
        right: Sequence[str] = (),
        rest: str | None = None,
        least: Mapping[str, int] | None = None,
    ) -> int:
        """Print rows of cells, one line each; a cell may be `(text, style)`.

        Args:
            heads: Names of the columns.
            rows: Cells as texts.
            right: Columns that align right.
            rest: The column that gets the room that the others leave; left out when that is too little.
            least: Columns that may be cut when there is still too little room, and what must be left of each.

        All other columns are whole. Returns: how many rows there were; without any, nothing is printed.
        """
        from rich.table import Table
        from rich.text import Text

        body = [[_cell(cell, self.fit) for cell in row] for row in rows]
        if not body:
            return 0
        gap = 2 if self.width >= _ROOMY else 1
        widths = _widths(heads, body, self.width, gap, rest, least or {})
        table = Table(box=None, padding=(0, gap, 0, 0), pad_edge=False, header_style="bold")
        shown = [n for n, width in enumerate(widths) if width]
        for n in shown:
            justify: Any = "right" if heads[n] in right else "left"
            overflow: Any = "ellipsis" if _is_unicode(sys.stdout) else "crop"
            table.add_column(heads[n], justify=justify, no_wrap=True, overflow=overflow, width=widths[n])
        for row in body:
            table.add_row(*(Text(*row[n]) for n in shown))
        # wider than the terminal rather than cut: an id that lacks a letter is no id
        self._console(max(self.width, sum(widths) + gap * len(shown))).print(table)
        return len(body)

    @property
    def width(self) -> int:
        """Columns of the terminal; where there is none, COLUMNS or 200."""
        if sys.stdout.isatty():
            return shutil.get_terminal_size().columns
        columns = os.environ.get("COLUMNS", "")
        return int(columns) if columns.isdigit() and int(columns) else _PIPE_WIDTH

    def line(self, text: str, style: str = "") -> None:
        """Print a text on one line, cut to the width of the terminal."""
        from rich.text import Text

        self._console().print(Text(self.fit(text), style), no_wrap=True, overflow="ellipsis", crop=True)

    def wrapped(self, text: str, style: str = "", *, indent: int = 0) -> None:
        """Print a text over as many lines as it needs, all indented."""
        from rich.padding import Padding
        from rich.text import Text

        self._console().print(Padding(Text(self.fit(text), style), (0, 0, 0, indent), expand=False))

    def lines(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Print `name  text` lines; further lines of a text are indented below the first."""
        from rich.text import Text

        console = self._console()
        for name, text in pairs:
            shown = self.fit(text, keep_lines=True).replace("\n", "\n" + " " * 14)
            console.print(Text.assemble((f"{name:<14}", "bold"), shown), soft_wrap=True)

    def text(self, text: str) -> None:
        """Print a text of several lines."""
        sys.stdout.write(self.fit(text, keep_lines=True) + "\n")
        sys.stdout.flush()

    def progress(self, total_bytes: int) -> Callable[[int], None] | None:
        """Return what is told of bytes read and shows it on stderr, once a scan has taken a while.

        None where stderr is no terminal: a log of progress is no use to anybody.
        """
        if not sys.stderr.isatty():
            return None
        begin = time.monotonic()
        done = 0
        shown_at = begin + self._quiet_s - _PROGRESS_S

        def advance(n: int) -> None:
            nonlocal done, shown_at
            done += n
            now = time.monotonic()
            if now - shown_at >= _PROGRESS_S:
                shown_at = now
                self._has_progress = True
                share = min(100 * done // max(total_bytes, 1), 100)
                sys.stderr.write(f"\rread {share} % of {total_bytes / 1e6:.0f} MB ")
                sys.stderr.flush()

        return advance

    def end_progress(self) -> None:
        """Wipe the line of progress, if there is one."""
        if self._has_progress:
            self._has_progress = False
            sys.stderr.write("\r" + " " * 40 + "\r")
            sys.stderr.flush()

    def note(self, text: str) -> None:
        """Print a line about the result to stderr."""
        sys.stdout.flush()
        print(_encodable(escape(text), sys.stderr), file=sys.stderr, flush=True)

    def fit_json(self, line: str) -> str:
        """Escape in a line of JSON what the terminal or its encoding can't show; it still says the same."""
        # what JSON leaves as it is stands only inside its strings, so an escape keeps its meaning
        line = _CONTROL.sub(_spell_json, line)
        return line if line.isascii() or _is_unicode(sys.stdout) else _NOT_ASCII.sub(_spell_json, line)

    def fit(self, text: str, *, keep_lines: bool = False) -> str:
        """Escape what the terminal or its encoding can't show."""
        return _encodable(escape(text, keep_lines=keep_lines), sys.stdout)

    def _console(self, width: int | None = None) -> Any:
        from rich.console import Console

        return Console(highlight=False, markup=False, emoji=False, width=width or self.width)


def _cell(cell: Cell, fit: Callable[[str], str]) -> tuple[str, str]:
    text, style = cell if isinstance(cell, tuple) else (cell, "")
    return fit(text), style


def _widths(
    heads: Sequence[str],
    body: Sequence[Sequence[tuple[str, str]]],
    room: int,
    gap: int,
    rest: str | None,
    least: Mapping[str, int],
) -> list[int]:
    """Choose the width of each column; 0 leaves it out."""
    from rich.cells import cell_len

    widths = [max(cell_len(head), *(cell_len(row[n][0]) for row in body)) for n, head in enumerate(heads)]
    over = sum(widths) + gap * (len(heads) - 1) - room
    if rest is not None and over > 0:
        n = heads.index(rest)
        left = max(widths[n] - over, 0)
        left = left if left >= _LEAST_REST else 0
        over -= widths[n] - left + (0 if left else gap)
        widths[n] = left
    for head, kept in least.items():
        n = heads.index(head)
        cut = min(max(over, 0), max(widths[n] - kept, 0))
        widths[n] -= cut
        over -= cut
    return widths


def _encodable(text: str, stream: Any) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _is_unicode(stream: Any) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")


def can_show(text: str, stream: Any) -> bool:
    """Say whether a stream's encoding has all characters of a text.

    Example:
        >>> import io
        >>> can_show("█", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
        False
    """
    try:
        text.encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
