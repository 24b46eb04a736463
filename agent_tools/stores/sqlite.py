"""Results in one SQLite file, shared by the threads and processes of a machine.

In:   headers and chunks.
Out:  the same; a transaction each, so a killed process leaves all of a batch or none of it.
Raises: `ToolError` UNAVAILABLE when the file is busy for 10 s, full or cannot be written; DATA_LOSS
      when it is no store of ours any more.
Cost: 16 MB of chunks about 45 ms, a page of rows 0.3 ms, a removal of 16 MB about 5 ms.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from agent_tools.errors import InvalidSetting
from agent_tools.stores.base import PENDING_S, Backend, Chunk, Entry, Unit, dropped, unavailable
from agent_tools.stores.lifetime import track
from agent_tools.stores.sqlite_file import BUSY_S, connect, explain, identity, is_busy

# what a sweep does at most: remove 25 MB and give 2 MB back to the disk, 10 ms
SWEEP_CHUNKS = 400
SHRINK_PAGES = 128

PENDING, WHOLE, DEAD = 0, 1, 2

CHUNK_AT = "SELECT start, length, line, form, crc, body FROM chunks WHERE id = ? AND "
CHUNKS: dict[Unit, str] = {
    "start": CHUNK_AT + "start <= ? ORDER BY start DESC LIMIT 1",
    "line": CHUNK_AT + "line < ? ORDER BY start DESC LIMIT 1",
}


def open_sqlite(url: str) -> Backend:
    """Return the store of `sqlite:///relative.db` or `sqlite:////absolute.db`; makes no file yet.

    Raises:
        InvalidSetting: there is no file in the URL.
    """
    path = url.removeprefix("sqlite:///")
    if path == url or path in ("", ":memory:") or "?" in path or "\0" in path:
        raise InvalidSetting(
            f"bad store {url!r}; expected 'sqlite', 'sqlite:///relative.db', 'sqlite:////absolute.db' or "
            "'memory'"
        )
    return SqliteBackend(Path(path).expanduser().absolute())


class SqliteBackend:
    """One guarded connection for all threads, opened at first use.

    The lock is held for a batch of at most 4 MB; encoding happens outside of it.
    """

    def __init__(self, path: Path) -> None:
        self.lock = threading.RLock()
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        track(self)

    def append(self, result_id: str, chunks: Sequence[Chunk], *, first: bool) -> None:
        """See `Backend`."""
        size, now_s = sum(len(chunk.body) for chunk in chunks), time.time()
        with self._transaction() as connection:
            if first:
                _begin(connection, result_id)
            # created_s of a pending result says when it grew the last time
            grown = connection.execute(
                "UPDATE results SET created_s = ?, size_bytes = size_bytes + ? WHERE id = ? AND state = ?",
                (now_s, size, result_id, PENDING),
            )
            if not grown.rowcount:
                raise dropped()
            _insert(connection, result_id, chunks)

    def publish(self, entry: Entry, chunks: Sequence[Chunk], *, first: bool) -> None:
        """See `Backend`."""
        with self._transaction() as connection:
            if first:
                _begin(connection, entry.result_id)
            published = connection.execute(
                "UPDATE results SET scope = ?, state = ?, created_s = ?, expires_s = ?, size_bytes = ?,"
                " header = ? WHERE id = ? AND state = ?",
                (entry.scope, WHOLE, entry.created_s, entry.expires_s, entry.size_bytes, entry.header,
                 entry.result_id, PENDING),
            )  # fmt: skip
            if not published.rowcount:
                raise dropped()
            _insert(connection, entry.result_id, chunks)

    def discard(self, result_id: str) -> None:
        """See `Backend`; a sweep removes the chunks."""
        with self._transaction() as connection:
            connection.execute("UPDATE results SET state = ? WHERE id = ?", (DEAD, result_id))

    def header(self, result_id: str, scope: str) -> bytes | None:
        """See `Backend`."""
        with self._using() as connection:
            row = connection.execute(
                "SELECT header FROM results WHERE id = ? AND scope = ? AND state = ? AND expires_s > ?",
                (result_id, scope, WHOLE, time.time()),
            ).fetchone()
        return row[0] if row else None

    def chunk(self, result_id: str, at: int, unit: Unit) -> Chunk | None:
        """See `Backend`."""
        with self._using() as connection:
            row = connection.execute(CHUNKS[unit], (result_id, at)).fetchone()
        return Chunk(*row) if row else None

    def sweep(self, quota_bytes: int) -> bool:
        """See `Backend`."""
        with self._transaction() as connection:
            _mark(connection, quota_bytes)
            more = _remove(connection)
        with self._using() as connection:
            _shrink(connection)
        return more

    def close(self) -> None:
        """See `Backend`."""
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        self.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._using() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite itself has rolled back when the disk is full
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        if not self.lock.acquire(timeout=BUSY_S):
            raise unavailable("is busy")
        try:
            yield self._open()
        except (sqlite3.Error, OSError) as error:
            if not is_busy(error):
                self.close()
            raise explain(error, self._path) from error
        finally:
            self.lock.release()

    def _open(self) -> sqlite3.Connection:
        # a file that was removed or replaced would take writes that nobody else can read; 1.5 us
        if self._connection is None or self._file != identity(self._path):
            self.close()
            self._connection = connect(self._path)
            self._file = identity(self._path)
        return self._connection


def _begin(connection: sqlite3.Connection, result_id: str) -> None:
    connection.execute("DELETE FROM chunks WHERE id = ?", (result_id,))
    connection.execute(
        "INSERT OR REPLACE INTO results VALUES (?, NULL, ?, ?, 0, 0, NULL)", (result_id, PENDING, time.time())
    )


def _insert(connection: sqlite3.Connection, result_id: str, chunks: Sequence[Chunk]) -> None:
    rows = ((result_id, *chunk) for chunk in chunks)
    connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _mark(connection: sqlite3.Connection, quota_bytes: int) -> None:
    """Mark as dead what expired, what its writer left, and the oldest above the quota."""
    now_s = time.time()
    connection.execute(
        "UPDATE results SET state = ? WHERE (state = ? AND expires_s <= ?) OR (state = ? AND created_s <= ?)",
        (DEAD, WHOLE, now_s, PENDING, now_s - PENDING_S),
    )
    live = "SELECT sum(size_bytes) FROM results WHERE state IN (?, ?)"
    over = (connection.execute(live, (PENDING, WHOLE)).fetchone()[0] or 0) - quota_bytes
    if over <= 0:
        return
    oldest = "SELECT rowid, size_bytes FROM results WHERE state = ? ORDER BY created_s, rowid"
    *older, _newest = connection.execute(oldest, (WHOLE,)).fetchall() or [None]
    for rowid, size in older:
        if over <= 0:
            break
        connection.execute("UPDATE results SET state = ? WHERE rowid = ?", (DEAD, rowid))
        over -= size


def _remove(connection: sqlite3.Connection) -> bool:
    """Remove some chunks of dead results; say whether more are left."""
    left = SWEEP_CHUNKS
    for (result_id,) in connection.execute("SELECT id FROM results WHERE state = ?", (DEAD,)).fetchall():
        removed = connection.execute(
            "DELETE FROM chunks WHERE rowid IN (SELECT rowid FROM chunks WHERE id = ? LIMIT ?)",
            (result_id, left),
        )
        left -= removed.rowcount + 1
        if left <= 0:
            return True
        connection.execute("DELETE FROM results WHERE id = ?", (result_id,))
    return False


def _shrink(connection: sqlite3.Connection) -> None:
    """Give some free pages back when they are many: a few will be needed again soon."""
    free = connection.execute("PRAGMA freelist_count").fetchone()[0]
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    if free > max(SHRINK_PAGES, pages // 4):
        # a script: execute() stops after the first page
        connection.executescript(f"PRAGMA incremental_vacuum({SHRINK_PAGES})")
