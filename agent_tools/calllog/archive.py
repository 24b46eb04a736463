"""Pack the days of the log that are over into Parquet, a third of the size or less and read by column.

In:   the day files of a folder.
Out:  `calls-YYYY-MM-DD.parquet` beside them, one a day; the day files go only when asked for.
Raises: QueryError: DuckDB is missing or can't write there.
Cost: some 20 s a GB, a part of it to count what must have arrived.

Only `agent-tools logs sql` reads Parquet. Columns that this version does not know stay behind.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from agent_tools.calllog.day_files import LogFile, parse_name
from agent_tools.calllog.queries import EXTENSION, QueryError, connect, load_duckdb, make_source
from agent_tools.calllog.reader import read_records, size_of

# a row of 16 kB makes a group of 160 MB, which has to be held in memory
_GROUP_ROWS = 10_000
# a file that was written to a moment ago may still have a writer
_QUIET_S = 3_600.0


@dataclass(frozen=True, slots=True)
class Packed:
    """What became of one day.

    Attributes:
        day: `YYYY-MM-DD`.
        path: The Parquet file.
        rows: Rows in it.
        missing: Rows of the day files that are not in it: saved from torn lines, which DuckDB passes over.
        bytes_before: Size of the day files.
        bytes_after: Size of the Parquet file.
        is_removed: The day files are gone.
    """

    day: str
    path: Path
    rows: int
    missing: int
    bytes_before: int
    bytes_after: int
    is_removed: bool


def list_archives(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder, oldest first.

    Example:
        >>> list_archives(Path("nowhere"))
        []
    """
    found = folder.glob(f"calls-*{EXTENSION}")
    return sorted(path for path in found if parse_name(path.with_suffix(".jsonl")) is not None)


def compact(files: Sequence[LogFile], *, before: str, remove: bool = False) -> Iterator[Packed]:
    """Write one Parquet file for each day before `before` (`YYYY-MM-DD`) that has none yet.

    Args:
        files: The day files of one folder.
        before: The first day that is left alone; today at the latest, since a day must be over.
        remove: Let day files go whose rows all arrived and that nobody wrote to for an hour.

    Example:
        >>> list(compact([], before="2026-01-31"))
        []
    """
    for day, group in groupby(sorted(files), key=lambda file: file.day):
        if day and day < before:
            yield _pack(day, list(group), remove=remove)


def _pack(day: str, files: list[LogFile], *, remove: bool) -> Packed:
    path = files[0].path.parent / f"calls-{day}{EXTENSION}"
    size = size_of(files)
    latest = max(file.path.stat().st_mtime for file in files)
    if not path.exists() or path.stat().st_mtime < latest:
        _write(path, [file.path for file in files])
    rows = _count(path)
    missing = sum(1 for _ in read_records(files)) - rows
    is_removed = remove and not missing and time.time() - latest > _QUIET_S
    if is_removed:
        for file in files:
            file.path.unlink(missing_ok=True)
    return Packed(day, path, rows, missing, size, path.stat().st_size, is_removed)


def _write(path: Path, lines: list[Path]) -> None:
    """Write a Parquet file whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    duckdb = load_duckdb()
    try:
        os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        with connect() as connection:
            connection.execute(
                f"COPY (SELECT * FROM ({make_source(lines)}) "
                "WHERE event IN ('tool_call', 'tool_start', 'tool_view', 'answer')) "
                f"TO '{_escape(draft)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP_ROWS})"
            )
        draft.chmod(0o600)
        draft.replace(path)
    except (duckdb.Error, OSError) as error:
        raise QueryError(f"cannot write {path.name}: {error}") from error
    finally:
        draft.unlink(missing_ok=True)


def _count(path: Path) -> int:
    with connect() as connection:
        found = connection.execute(f"SELECT count(*) FROM read_parquet('{_escape(path)}')").fetchone()
    return int(found[0]) if found else 0


def _escape(path: Path) -> str:
    return str(path.absolute()).replace("'", "''")
