"""Follow a log as it grows, in any number of files, each line once and only when it is whole."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path

from agent_tools.calllog.day_files import LogFile
from agent_tools.calllog.reader import Row, Skipped, get_text, parse_line, read_chunks


class Follower:
    """Reads what was appended since the last look.

    Args:
        find_files: Returns the files that there are now.
        skipped: Where lines are counted that could not be read.

    Example:
        >>> Follower(lambda: []).read_new()
        []
    """

    def __init__(self, find_files: Callable[[], Sequence[LogFile]], skipped: Skipped | None = None) -> None:
        self._find_files = find_files
        self._skipped = Skipped() if skipped is None else skipped
        self._offsets: dict[Path, int] = {}

    def skip_to_end(self) -> dict[Path, int]:
        """Start behind the last whole line of every file that there is now; returns those places."""
        for file in self._find_files():
            last = next(read_chunks(file.path, order="newest"), (0, b""))
            self._offsets[file.path] = last[0] + last[1].rfind(b"\n") + 1
        return dict(self._offsets)

    def read_new(self) -> list[Row]:
        """Return the rows of lines that became whole since the last look, by time.

        A line without its line break waits. A file that was cut short is read from its start.
        """
        rows: list[Row] = []
        for file in self._find_files():
            rows += self._read_file(file.path)
        return sorted(rows, key=lambda row: get_text(row, "ts"))

    def _read_file(self, path: Path) -> list[Row]:
        offset = self._offsets.get(path, 0)
        with contextlib.suppress(FileNotFoundError):
            offset = 0 if path.stat().st_size < offset else offset
        rows = []
        for at, chunk in read_chunks(path, start=offset):
            end = chunk.rfind(b"\n") + 1
            for line in chunk[:end].split(b"\n"):
                row, fault = parse_line(line)
                if fault is not None:
                    self._skipped.note(fault, path, at)
                if row is not None:
                    rows.append(row)
            offset = at + end
        self._offsets[path] = offset
        return rows
