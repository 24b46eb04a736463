"""Print rows as a table or as JSON lines: whatever they hold, no control character reaches the terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import orjson

Cell: TypeAlias = "str | tuple[str, str]"

# C1, line breaks of editors, changes of direction, lone surrogates, invisible marks
_HIDDEN = (
    "\u0080-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f"
)
_CONTROL = re.compile(f"[\x00-\x1f\x7f{_HIDDEN}]")
_CONTROL_BUT_LINES = re.compile(f"[\x00-\x08\x0b-\x1f\x7f{_HIDDEN}]")
# width of a table that goes to a file or a pipe
_PIPE_WIDTH = 200
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
    """

    def __init__(self, as_json: bool | None = None) -> None:
        self.is_json = not sys.stdout.isatty() if as_json is None else as_json

    def json_lines(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Print one line of JSON per row, valid and free of control characters in every encoding.

        Returns: how many there were.
        """
        n = 0
        for n, row in enumerate(rows, 1):  # noqa: B007 - the last number is the count
            if _is_unicode(sys.stdout):
                # what JSON leaves as it is stands only inside its strings, so an escape keeps its meaning
                line = _CONTROL.sub(_spell_json, orjson.dumps(row).decode())
            else:
                line = json.dumps(row, separators=(",", ":"))
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return n

    def table(
        self, heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, right: Sequence[str] = ()
    ) -> int:
        """Print rows of cells; a cell may be `(text, style)`; columns named in `right` align right.

        Returns: how many there were; without any, nothing is printed.
        """
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False, header_style="bold")
        for head in heads:
            justify: Any = "right" if head in right else "left"
            overflow: Any = "ellipsis" if _is_unicode(sys.stdout) else "crop"
            table.add_column(head, justify=justify, no_wrap=True, overflow=overflow)
        for row in rows:
            cells = [cell if isinstance(cell, tuple) else (cell, "") for cell in row]
            table.add_row(*(Text(self.fit(text), style) for text, style in cells))
        if table.row_count:
            self._console().print(table)
        return table.row_count

    def line(self, text: str, style: str = "") -> None:
        """Print a text on one line, cut to the width of the terminal."""
        from rich.text import Text

        self._console().print(Text(self.fit(text), style), no_wrap=True, overflow="ellipsis", crop=True)

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

    def note(self, text: str) -> None:
        """Print a line about the result to stderr."""
        sys.stdout.flush()
        print(_encodable(escape(text), sys.stderr), file=sys.stderr, flush=True)

    def fit(self, text: str, *, keep_lines: bool = False) -> str:
        """Escape what the terminal or its encoding can't show."""
        return _encodable(escape(text, keep_lines=keep_lines), sys.stdout)

    def _console(self) -> Any:
        from rich.console import Console

        width = None if sys.stdout.isatty() else _PIPE_WIDTH
        return Console(highlight=False, markup=False, emoji=False, width=width)


def _encodable(text: str, stream: Any) -> str:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _is_unicode(stream: Any) -> bool:
    return (getattr(stream, "encoding", None) or "utf-8").lower().replace("-", "").startswith("utf")
