"""Read call records back: in order, with flat memory, past lines that are broken or not ours.

In:   the files of a folder, oldest or newest first.
Out:  records as dicts. What could not be read is counted with its place, never passed over in silence.
Cost: about 3 us a record of 1 kB that is parsed; a search for exact texts (an id) costs some 0.7 s a GB.
"""

from __future__ import annotations

import contextlib
import heapq
import os
from bisect import insort
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, Literal, TypeAlias

from orjson import JSONDecodeError, dumps, loads

from agent_tools.calllog.day_files import LogFile, list_files, parse_name
from agent_tools.record import EVENTS

Row: TypeAlias = dict[str, Any]
Order: TypeAlias = Literal["oldest", "newest"]
Fault: TypeAlias = Literal["broken", "foreign"]
ReadAt: TypeAlias = Callable[[int, int], bytes]
Progress: TypeAlias = Callable[[int], None]

CHUNK_BYTES = 1_000_000
# a longer line is no record; it is passed over without being held in memory
LINE_BYTES = 16_000_000
# what is looked at of such a line, to count it
_GIANT_BYTES = 64
# every record starts with this, and inside a JSON text its quotes would be escaped
_START = b'{"schema":"agent_tools.call/'
_END = b"}\n"
_PLACES = 5
# larger than the longest record
_BUFFER_BYTES = 262_144
# up to this size every line is at least looked at; above, a search reads only what it needs
_CHECKED_BYTES = 64_000_000


@dataclass(slots=True)
class Skipped:
    """The lines that were not read, counted, with the places of the first few.

    Attributes:
        broken: Lines that are no JSON: torn, not UTF-8, NULs, numbers beyond all range.
        foreign: JSON that is no record of ours.
        places: `(file, byte offset)` of the first few.
    """

    broken: int = 0
    foreign: int = 0
    places: list[tuple[Path, int]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.broken or self.foreign)

    @property
    def n(self) -> int:
        """Return how many lines there were."""
        return self.broken + self.foreign

    def forget(self) -> None:
        """Start anew: the same files are read once more."""
        self.broken = self.foreign = 0
        self.places.clear()

    def note(self, fault: Fault, path: Path, offset: int) -> None:
        """Count one line."""
        if fault == "broken":
            self.broken += 1
        else:
            self.foreign += 1
        # the first by place, not by time: the log may be read backwards
        insort(self.places, (path, offset))
        del self.places[_PLACES:]

    def describe(self) -> str:
        """Say how many lines were skipped and where the first of them stand, with line numbers."""
        n = self.n
        where = ", ".join(f"{path.name}:{_line_number(path, offset)}" for path, offset in self.places)
        more = ", ..." if n > len(self.places) else ""
        lines = "line" if n == 1 else "lines"
        return f"skipped {n} {lines} ({self.broken} broken, {self.foreign} not records): {where}{more}"


def _line_number(path: Path, offset: int) -> int:
    number = 1
    try:
        with path.open("rb") as file:
            while offset > 0 and (block := file.read(min(offset, CHUNK_BYTES))):
                number += block.count(b"\n")
                offset -= len(block)
    except OSError:  # let go since it was read
        return number
    return number


def find_files(place: Path) -> list[LogFile]:
    """Return the log files, oldest first, of a home folder, a folder of log files or a single file.

    Raises:
        FileNotFoundError: there is nothing of the kind.
    """
    if place.is_file():
        return [parse_name(place) or LogFile("", "", 0, place)]
    if (place / "calls").is_dir():
        return list_files(place / "calls")
    files = list_files(place)
    if not files:
        raise FileNotFoundError(f"no call log in {str(place)!r}")
    return files


def read_records(
    files: Sequence[LogFile],
    *,
    order: Order = "oldest",
    needles: Sequence[str] = (),
    keep: Callable[[Row], bool] | None = None,
    skipped: Skipped | None = None,
    ends: Mapping[Path, int] | None = None,
    progress: Progress | None = None,
) -> Iterator[Row]:
    """Yield the records of files in order.

    Args:
        files: What to read, oldest first, as `find_files` returns it.
        order: `"newest"` reads backwards, so that the last few of a large log come at once.
        needles: Exact values that a record must hold somewhere (ids, names). A quick test that saves
            parsing; `keep` still has to look at the right key. Lines without them are only checked for
            being whole, and not even that in more than 64 MB.
        keep: Which records are wanted.
        skipped: Where lines are counted that could not be read.
        ends: Where to stop in a file, in bytes. None reads to the end that each has.
        progress: Told how many bytes were read, a chunk at a time.

    Example:
        >>> list(read_records([]))
        []
    """
    scan = _Scan(order, needles, Skipped() if skipped is None else skipped, files, ends or {}, progress)
    days = [list(group) for _, group in groupby(files, key=lambda file: file.day)]
    for day in days if order == "oldest" else reversed(days):
        for row in scan.read_day(day):
            if keep is None or keep(row):
                yield row


def _is_verbatim(needle: str) -> bool:
    """Say whether every writer of JSON spells the text alike."""
    return needle.isascii() and needle.isprintable() and not set(needle) & {'"', "\\", "/"}


class _Scan:
    """One pass over files: what to look for and what was skipped."""

    def __init__(
        self,
        order: Order,
        needles: Sequence[str],
        skipped: Skipped,
        files: Sequence[LogFile],
        ends: Mapping[Path, int],
        progress: Progress | None,
    ) -> None:
        self._ends = ends
        self._progress = progress
        self._order: Order = order
        self._marks = [dumps(needle) for needle in needles if _is_verbatim(needle)]
        self._skipped = skipped
        self._is_checked = not self._marks or size_of(files) <= _CHECKED_BYTES

    def read_day(self, files: Sequence[LogFile]) -> Iterator[Row]:
        """Yield one day: each writer's parts follow one another, several writers are merged by time."""
        by_writer = [list(group) for _, group in groupby(sorted(files), key=lambda file: file.writer)]
        streams = [self._read_parts(parts) for parts in by_writer]
        if len(streams) == 1:
            return streams[0]
        return heapq.merge(*streams, key=lambda row: get_text(row, "ts"), reverse=self._order == "newest")

    def _read_parts(self, parts: Sequence[LogFile]) -> Iterator[Row]:
        for file in parts if self._order == "oldest" else reversed(parts):
            for offset, chunk in read_chunks(file.path, order=self._order, end=self._ends.get(file.path)):
                yield from self._read_chunk(file.path, offset, chunk)
                if self._progress is not None:
                    self._progress(len(chunk))

    def _read_chunk(self, path: Path, offset: int, chunk: bytes) -> Iterator[Row]:
        lines, starts = self._pick_lines(chunk)
        for n, line in enumerate(lines) if self._order == "oldest" else _reversed(lines):
            # parse_line, spelled out for lines that are whole: a call for each is a tenth of a scan
            try:
                row = loads(line)
                fault: Fault | None = None
            except JSONDecodeError:
                row, fault = _parse_odd(line)
                if row is None and fault is None:
                    continue
            if type(row) is dict and row.get("event") in EVENTS:
                yield row
            elif fault is None:
                fault = "foreign"
            if fault is not None:
                starts = starts or _starts_of(lines)
                self._skipped.note(fault, path, offset + starts[n])

    def _pick_lines(self, chunk: bytes) -> tuple[list[bytes], list[int]]:
        """Return the lines to parse, and where they start unless they are all lines of the chunk."""
        if not self._marks or (self._is_checked and not is_clean(chunk)):
            # b"\n" only: str.splitlines would also break at U+2028 inside a text
            return chunk.split(b"\n"), []
        if all(mark in chunk for mark in self._marks):
            return _lines_with(chunk, self._marks[0])
        return [], []


def _reversed(lines: list[bytes]) -> Iterator[tuple[int, bytes]]:
    return zip(range(len(lines) - 1, -1, -1), reversed(lines), strict=True)


def _starts_of(lines: list[bytes]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def size_of(files: Sequence[LogFile]) -> int:
    """Return the bytes that files have together; one that is gone counts nothing."""
    total = 0
    for file in files:
        with contextlib.suppress(FileNotFoundError):
            total += file.path.stat().st_size
    return total


def is_clean(chunk: bytes) -> bool:
    """Say whether each line of a chunk starts and ends as a record does: three counts, no parsing."""
    n = chunk.count(b"\n")
    return chunk.endswith(_END) and n == chunk.count(_START) == chunk.count(_END)


def _lines_with(chunk: bytes, mark: bytes) -> tuple[list[bytes], list[int]]:
    lines, starts = [], []
    at = chunk.find(mark)
    while at >= 0:
        start = chunk.rfind(b"\n", 0, at) + 1
        end = chunk.find(b"\n", at)
        end = len(chunk) if end < 0 else end
        lines.append(chunk[start:end])
        starts.append(start)
        at = chunk.find(mark, end)
    return lines, starts


def parse_line(line: bytes) -> tuple[Row | None, Fault | None]:
    r"""Read one line.

    Returns: the record or None, and what is wrong with the line or None. Both, when a record was saved from a
        line whose start was torn off by a kill. A blank line is nothing at all.

    Example:
        >>> parse_line(b'{"event":"tool_call","tool":"a"}\r')
        ({'event': 'tool_call', 'tool': 'a'}, None)
        >>> parse_line(b'{"event":"tool_call","too{"schema":"agent_tools.call/1","event":"answer"}')
        ({'schema': 'agent_tools.call/1', 'event': 'answer'}, 'broken')
        >>> parse_line(b"[1, 2]")
        (None, 'foreign')
    """
    try:
        row = loads(line)
    except JSONDecodeError:
        return _parse_odd(line)
    if type(row) is dict and row.get("event") in EVENTS:
        return row, None
    return None, "foreign"


def _parse_odd(line: bytes) -> tuple[Row | None, Fault | None]:
    text = line.strip(b" \t\r\n").removeprefix(b"\xef\xbb\xbf")
    if not text:
        return None, None
    if len(text) < len(line):
        return parse_line(text)
    at = text.rfind(_START)
    return (parse_line(text[at:])[0] if at > 0 else None), "broken"


def get_text(row: Row, name: str) -> str:
    """Return a text of a row; empty when it is absent or something else."""
    value = row.get(name)
    return value if isinstance(value, str) else ""


def get_number(row: Row, name: str) -> float | None:
    """Return a number of a row; None when it is absent or something else."""
    value = row.get(name)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


# --- chunks of whole lines


def read_chunks(
    path: Path,
    *,
    order: Order = "oldest",
    start: int = 0,
    end: int | None = None,
    chunk_bytes: int = CHUNK_BYTES,
) -> Iterator[tuple[int, bytes]]:
    """Yield `(byte offset, whole lines)` of a file, about 1 MB at a time.

    The last line of the file may lack its line break.

    Args:
        path: A file; when it is gone meanwhile, nothing is yielded.
        order: `"newest"` starts with the last lines; inside a chunk lines always stand as in the file.
        start: Where to begin, at the first byte of a line.
        end: Where to stop. None reads to the end that the file has now.
        chunk_bytes: How much to read at a time; a longer line still comes whole.
    """
    try:
        file = path.open("rb", buffering=0)  # chunks are large already
    except FileNotFoundError:
        return

    def read_at(offset: int, size: int) -> bytes:
        file.seek(offset)
        return file.read(size) or b""

    with file:
        end = os.fstat(file.fileno()).st_size if end is None else end
        walk = _forward if order == "oldest" else _backward
        yield from walk(read_at, start, end, chunk_bytes)


def _forward(read_at: ReadAt, start: int, end: int, chunk_bytes: int) -> Iterator[tuple[int, bytes]]:
    at, size = start, chunk_bytes
    while at < end and (block := read_at(at, min(size, end - at))):
        cut = len(block) if at + len(block) >= end else block.rfind(b"\n") + 1
        if cut:
            yield at, block[:cut]
            at, size = at + cut, chunk_bytes
        elif size < LINE_BYTES:
            size *= 2
        else:
            yield at, block[:_GIANT_BYTES]
            at = _end_of_line(read_at, at + len(block), end)


def _backward(read_at: ReadAt, start: int, end: int, chunk_bytes: int) -> Iterator[tuple[int, bytes]]:
    upto, size = end, chunk_bytes
    while upto > start:
        at = max(start, upto - size)
        block = read_at(at, upto - at)
        # what stands before the first line break belongs to a line that starts in an earlier block
        cut = block.find(b"\n", 0, -1) + 1 if at > start else 0
        if cut or at == start:
            yield at + cut, block[cut:]
            upto, size = at + cut, chunk_bytes
        elif size < LINE_BYTES:
            size *= 2
        else:
            upto = _start_of_line(read_at, start, at)
            yield upto, read_at(upto, _GIANT_BYTES)


def _end_of_line(read_at: ReadAt, at: int, end: int) -> int:
    while at < end and (block := read_at(at, CHUNK_BYTES)):
        found = block.find(b"\n")
        if found >= 0:
            return at + found + 1
        at += len(block)
    return end


def _start_of_line(read_at: ReadAt, start: int, at: int) -> int:
    while at > start:
        begin = max(start, at - CHUNK_BYTES)
        found = read_at(begin, at - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return start


def find_lines(
    path: Path, mark: bytes, *, buffer_bytes: int = _BUFFER_BYTES, progress: Progress | None = None
) -> Iterator[bytes]:
    """Yield the whole lines of a file that hold `mark`; nothing when the file is gone.

    Cost: 0.5 s a GB, of which 0.1 s is reading; lines are neither split nor checked.
    """
    try:
        file = path.open("rb", buffering=0)
    except FileNotFoundError:
        return
    # one buffer that stays in the processor's cache: twice as fast as a new one each time
    buffer = bytearray(buffer_bytes)
    at = 0
    with file:
        while n := file.readinto(buffer):
            # without any line break it is part of a line that is no record
            cut = (buffer.rfind(b"\n", 0, n) + 1) or n
            found = buffer.find(mark, 0, cut)
            while found >= 0:
                start = buffer.rfind(b"\n", 0, found) + 1
                stop = buffer.find(b"\n", found, cut)
                stop = cut if stop < 0 else stop
                yield bytes(buffer[start:stop])
                found = buffer.find(mark, stop, cut)
            at += cut
            file.seek(at)
            if progress is not None:
                progress(cut)
