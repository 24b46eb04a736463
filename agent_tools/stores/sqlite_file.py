"""Open the file of the SQLite store: modes, pragmas, tables, and what its errors mean."""

from __future__ import annotations

import os
import random
import sqlite3
import time
from pathlib import Path

from agent_tools.errors import ErrorCode, ToolError

BUSY_S = 10.0
# "ATR" and the version of the tables
APPLICATION_ID = 0x41545201

# Pages of 16 kB: 16 MB are written in 45 ms instead of 70. auto_vacuum lets the file shrink again.
# Debian builds SQLite with secure_delete, which makes a removal as dear as the writing was.
SETUP = (
    "PRAGMA page_size = 16384",
    "PRAGMA auto_vacuum = INCREMENTAL",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA secure_delete = FAST",
    "PRAGMA wal_autocheckpoint = 256",
    "PRAGMA journal_size_limit = 16000000",
    "PRAGMA trusted_schema = OFF",
)
TABLES = (
    "CREATE TABLE results (id TEXT PRIMARY KEY, scope TEXT, state INTEGER NOT NULL, created_s REAL NOT NULL,"
    " expires_s REAL NOT NULL, size_bytes INTEGER NOT NULL, header BLOB)",
    "CREATE INDEX results_by_age ON results (state, created_s, size_bytes)",
    "CREATE TABLE chunks (id TEXT NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,"
    " line INTEGER NOT NULL, form INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL,"
    " PRIMARY KEY (id, start))",
    f"PRAGMA application_id = {APPLICATION_ID}",
)


def identity(path: Path) -> tuple[int, int] | None:
    """Return what tells this file from another under the same path; None when there is none."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def connect(path: Path) -> sqlite3.Connection:
    """Open the file, made with its folder and tables when missing; many processes may do so at once."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # made by us: SQLite would take the umask; its -wal and -shm take the mode of this file
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    deadline_s = time.monotonic() + BUSY_S
    while True:
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection)
        except BaseException as error:
            connection.close()
            # changing to WAL does not wait when another process is doing it, too
            if not is_busy(error) or time.monotonic() > deadline_s:
                raise
            time.sleep(random.uniform(0.001, 0.02))
        else:
            return connection


def _prepare(connection: sqlite3.Connection) -> None:
    is_ready = _is_ours(connection)
    for pragma in SETUP:
        connection.execute(pragma).fetchall()
    if is_ready:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ours(connection):
            for statement in TABLES:
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_ours(connection: sqlite3.Connection) -> bool:
    """Say whether the tables are made; a file with other tables is refused and stays as it was."""
    if _has_our_mark(connection):
        return True
    if connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        # another process may have made our tables between the two looks
        if _has_our_mark(connection):
            return True
        raise sqlite3.NotSupportedError("the file holds other tables")
    return False


def _has_our_mark(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID)


def is_busy(error: BaseException) -> bool:
    """Say whether waiting helps."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


_CODES = {
    sqlite3.SQLITE_BUSY: (ErrorCode.UNAVAILABLE, "is busy"),
    sqlite3.SQLITE_LOCKED: (ErrorCode.UNAVAILABLE, "is busy"),
    sqlite3.SQLITE_FULL: (ErrorCode.UNAVAILABLE, "has no room left on its disk"),
    sqlite3.SQLITE_READONLY: (ErrorCode.UNAVAILABLE, "cannot be written"),
    sqlite3.SQLITE_CANTOPEN: (ErrorCode.UNAVAILABLE, "cannot be opened"),
    sqlite3.SQLITE_CORRUPT: (ErrorCode.DATA_LOSS, "is damaged; move its file away and a new one is made"),
    sqlite3.SQLITE_NOTADB: (ErrorCode.DATA_LOSS, "is damaged; move its file away and a new one is made"),
}


def explain(error: sqlite3.Error | OSError, path: Path) -> ToolError:
    """Return the error with a code; the path goes to its note only."""
    number = getattr(error, "sqlite_errorcode", 0) & 0xFF
    code, what = _CODES.get(number, (ErrorCode.UNAVAILABLE, "cannot be used"))
    explained = ToolError(f"The result store {what}.", code=code)
    # for the log: the path of a machine is not for the model
    explained.add_note(f"{path}: {error}")
    return explained
