"""Keep the files of the call log: which one is today's, appending to it, letting old ones go.

`calls/calls-YYYY-MM-DD.jsonl` in the home folder, by UTC day; `calls-YYYY-MM-DD.1.jsonl` and so on above
256 MB. Nothing is ever renamed, so several processes can write and others read at any time.

One `os.write` to an O_APPEND descriptor is atomic on a local file system of Linux and macOS: the kernel
moves to the end and writes under the inode's lock. NFS, SMB, FUSE and Windows do not promise that, so there
each process has its own file, `calls-YYYY-MM-DD.HOST-PID.jsonl`. No lock and no thread: nothing can
deadlock after a fork.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import socket
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

FOLDER = "calls"
PART_BYTES = 256_000_000
KEEP_DAYS = 14
KEEP_BYTES = 4_000_000_000

_DAY_S = 86_400
_CHECK_S = 1.0
# File systems whose clients append by "seek to the end I know of, then write".
_NOT_ATOMIC = re.compile(
    r"nfs\d?|cifs|smb\w*|fuse|fuse\..*|fuseblk|9p|afs|ceph|lustre|glusterfs|vboxsf|virtiofs"
)
_NAME = re.compile(
    r"calls-(?P<day>\d{4}-\d\d-\d\d)(?:\.(?P<writer>[A-Za-z0-9_-]*-\d+))?(?:\.(?P<part>\d+))?\.jsonl"
)
# The descriptor is closed, or stands for a socket: a daemon closes all that it inherits.
_LOST = (errno.EBADF, errno.ESPIPE, errno.ESTALE)
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
# a line of another process may be half visible while it is written: first look again, then wait
_QUICK_LOOKS = 100
_SLOW_LOOKS = 20


@dataclass(frozen=True, slots=True, order=True)
class LogFile:
    """A file of the call log, by what its name says; sorts oldest first.

    Attributes:
        day: `YYYY-MM-DD`, UTC.
        writer: `HOST-PID` where a process has a file of its own, else empty.
        part: 0, then 1, 2 ... as the day's file grew too large.
        path: Where it is.
    """

    day: str
    writer: str
    part: int
    path: Path


def parse_name(path: Path) -> LogFile | None:
    """Read a file's name; None when it is not one of ours.

    Example:
        >>> parse_name(Path("calls-2026-01-31.2.jsonl")).part
        2
        >>> parse_name(Path("calls.txt")) is None
        True
    """
    match = _NAME.fullmatch(path.name)
    if match is None:
        return None
    return LogFile(match["day"], match["writer"] or "", int(match["part"] or 0), path)


def list_files(folder: Path) -> list[LogFile]:
    """Return the log files of a folder, oldest first; empty when there is no such folder."""
    try:
        paths = list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(file for path in paths if (file := parse_name(path)) is not None)


class DayFiles:
    """Appends lines to the day's file of whichever home folder is in force.

    Args:
        find_home: Returns the home folder; asked at every line, so it must be cheap.
        part_bytes: Size at which the day goes on in a new part.
        keep_days: Days that files are kept, today included.
        keep_bytes: Size of all files together above which the oldest go.
        now: The clock, Unix seconds.

    Example:
        >>> import tempfile
        >>> home = Path(tempfile.mkdtemp())
        >>> DayFiles(lambda: home).append(b"{}\\n")
        >>> [len(file.path.read_bytes()) for file in list_files(home / "calls")]
        [3]
    """

    def __init__(
        self,
        find_home: Callable[[], Path],
        *,
        part_bytes: int = PART_BYTES,
        keep_days: int = KEEP_DAYS,
        keep_bytes: int = KEEP_BYTES,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._find_home = find_home
        self._part_bytes = part_bytes
        self._keep_days = keep_days
        self._keep_bytes = keep_bytes
        self._now = now
        self._open: _OpenFile | None = None

    def append(self, line: bytes) -> None:
        """Append one line, which ends in its only line break, in one write.

        Raises:
            OSError: it could not be written whole; the next line starts afresh behind what was.
        """
        # a local name keeps the descriptor open while another thread changes to the next file
        file = self._open
        if file is None or file.home is not self._find_home() or self._now() >= file.check_at:
            file = self._choose_file()
        try:
            file.append(line)
        except OSError as error:
            self._open = None
            if error.errno not in _LOST:
                raise
            file.disown()
            self._choose_file().append(line)

    def _choose_file(self) -> _OpenFile:
        now, home, file = self._now(), self._find_home(), self._open
        if file is not None and file.home == home:
            file.home = home
            if now < file.check_at or file.is_usable(now, self._part_bytes):
                return file
        return self._reopen(home, now)

    def forget(self) -> None:
        """Open anew at the next line: for a child process after a fork."""
        self._open = None

    def _reopen(self, home: Path, now: float) -> _OpenFile:
        folder = home / FOLDER
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        day = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d")
        is_shared = is_append_atomic(folder)
        writer = "" if is_shared else _writer_name()
        path = _pick_part(folder, day, writer, self._part_bytes)
        file = _OpenFile(path, home, is_shared, now)
        self._open = file
        prune(folder, day, keep_days=self._keep_days, keep_bytes=self._keep_bytes, keep=path)
        return file


class _OpenFile:
    """An open descriptor with what is known about it; closed when the last user lets go."""

    __slots__ = (
        "_close", "_end", "_ends_whole", "check_at", "day_ends_at", "fd", "home", "identity", "is_shared",
    )  # fmt: skip

    def __init__(self, path: Path, home: Path, is_shared: bool, now: float) -> None:
        self.fd = os.open(path, _OPEN_FLAGS, 0o600)
        self._close = os.close  # the module may be gone already when the interpreter ends
        stat = os.fstat(self.fd)
        self.home = home
        self.identity = (stat.st_dev, stat.st_ino)
        self.is_shared = is_shared
        self.day_ends_at = (now // _DAY_S + 1) * _DAY_S
        self.check_at = min(now + _CHECK_S, self.day_ends_at)
        self._ends_whole = stat.st_size == 0 or _last_byte(path) == b"\n"
        # where the last whole line of our own ended; a file of this size has had no other writer since
        self._end = -1

    def __del__(self) -> None:
        if hasattr(self, "_close"):
            with contextlib.suppress(OSError):
                self._close(self.fd)

    def disown(self) -> None:
        """Never close the descriptor: its number may stand for another file by now."""
        self._close = _keep_open

    def is_usable(self, now: float, part_bytes: int) -> bool:
        """Say whether to go on: same day, room left, not deleted, and still the file that was opened."""
        try:
            stat = os.fstat(self.fd)
        except OSError:
            self.disown()
            return False
        self.check_at = min(now + _CHECK_S, self.day_ends_at)
        if (stat.st_dev, stat.st_ino) != self.identity:
            self.disown()
            return False
        is_today = self.day_ends_at - _DAY_S <= now < self.day_ends_at
        return is_today and stat.st_nlink > 0 and stat.st_size < part_bytes

    def append(self, line: bytes) -> None:
        # A process killed in the middle of a write leaves half a line, and this one may
        # have the file open already.
        fd, end = self.fd, 0
        if self.is_shared:
            end = os.lseek(fd, 0, os.SEEK_END)
            if end != self._end and _is_torn(fd) and not _is_completed(fd):
                line = b"\n" + line
        elif not self._ends_whole:
            line = b"\n" + line
        self._ends_whole = False
        written = os.write(fd, line)
        if written != len(line):
            raise OSError(errno.ENOSPC, f"only {written} of {len(line)} bytes were written")
        self._ends_whole = True
        self._end = end + written


def _keep_open(fd: int) -> None:
    return


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def _is_torn(fd: int) -> bool:
    end = os.lseek(fd, 0, os.SEEK_END)
    return end > 0 and os.pread(fd, 1, end - 1) != b"\n"


def _is_completed(fd: int) -> bool:
    """Wait a little for the rest of a half visible line: at most some 20 ms, after a kill only."""
    for look in range(_QUICK_LOOKS + _SLOW_LOOKS):
        if not _is_torn(fd):
            return True
        time.sleep(0 if look < _QUICK_LOOKS else 0.001)
    return False


def _pick_part(folder: Path, day: str, writer: str, part_bytes: int) -> Path:
    parts = [file for file in list_files(folder) if file.day == day and file.writer == writer]
    part = 0
    if parts:
        last = parts[-1]
        with contextlib.suppress(FileNotFoundError):  # another process may have let it go
            part = last.part + (last.path.stat().st_size >= part_bytes)
    names = [f"calls-{day}", *([writer] if writer else []), *([str(part)] if part else []), "jsonl"]
    return folder / ".".join(names)


def prune(
    folder: Path, today: str, *, keep_days: int, keep_bytes: int, keep: Path | None = None
) -> list[Path]:
    """Delete files that are too old, then the oldest while all together are too large.

    Args:
        folder: The folder of the log files; other files in it are left alone.
        today: `YYYY-MM-DD`.
        keep_days: Days to keep, today included.
        keep_bytes: Size of all files together.
        keep: A file to keep in any case, and not to count.

    Returns: what was deleted. What can't be deleted (open on Windows, gone already) is passed over.
    """
    files = [file for file in list_files(folder) if file.path != keep]
    return delete_files(choose_old(files, today, keep_days=keep_days, keep_bytes=keep_bytes))


def choose_old(files: Sequence[LogFile], today: str, *, keep_days: int, keep_bytes: int) -> list[LogFile]:
    """Return the files that have to go, oldest first: too old, then too many bytes; never today's.

    Example:
        >>> old = LogFile("2026-01-01", "", 0, Path("calls-2026-01-01.jsonl"))
        >>> choose_old([old], "2026-01-15", keep_days=14, keep_bytes=10**9) == [old]
        True
    """
    # not strptime: it imports a module when it is first used, and a child forked meanwhile waits for ever
    first = date.fromordinal(max(date.fromisoformat(today).toordinal() - keep_days + 1, 1)).isoformat()
    sizes = {file.path: _size_of(file.path) for file in files}
    total = sum(sizes.values())
    old = []
    for file in files:
        if file.day < first or (total > keep_bytes and file.day < today):
            old.append(file)
            total -= sizes[file.path]
    return old


def delete_files(files: Sequence[LogFile]) -> list[Path]:
    """Delete files; returns those that are gone."""
    deleted = []
    for file in files:
        with contextlib.suppress(OSError):
            file.path.unlink()
            deleted.append(file.path)
    return deleted


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _writer_name() -> str:
    host = re.sub(r"[^A-Za-z0-9_]", "_", socket.gethostname())[:64]
    return f"{host or 'host'}-{os.getpid()}"


def is_append_atomic(folder: Path) -> bool:
    """Say whether several processes may append to one file in this folder.

    Reads `/proc/self/mountinfo` on Linux (about 0.1 ms); macOS counts as atomic, Windows does not.
    """
    if sys.platform == "win32":
        return False
    return not _NOT_ATOMIC.fullmatch(_filesystem_of(folder))


def _filesystem_of(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Return the type of the file system that a folder is on; empty when the system does not tell."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    where = f"{os.path.realpath(folder).rstrip('/')}/"
    best, kind = "", ""
    for line in lines:
        left, _, right = line.partition(" - ")
        # octal escapes stand for blanks in a mount point: https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
        point = (
            re.sub(r"\\(\d{3})", lambda match: chr(int(match[1], 8)), left.split(" ")[4]).rstrip("/") + "/"
        )
        # the later of two mounts on one point hides the earlier one
        if where.startswith(point) and len(point) >= len(best):
            best, kind = point, right.split(" ")[0]
    return kind
