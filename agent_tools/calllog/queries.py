"""Ask the call log in SQL, through DuckDB: views over the day files, JSON lines and Parquet alike.

In:   the files of a log and one SELECT statement.
Out:  the names and types of its columns, and its rows.
Raises: QueryError: no DuckDB, not one SELECT, or what DuckDB says of it.
Cost: JSON lines some 3 s a GB on two cores; of Parquet only the columns that are asked for are read.

Views: `calls` (one row a call), `answers`, `records` (every kind of row). Columns are those of
`agent_tools.record`; `ts` is a timestamp in UTC.

A query reads the log and nothing else. The views are bound first; then the log's files become the only
paths that DuckDB may open, external access is turned off (no other file, no network, no extension), and the
configuration is locked, so that the statement can't turn it on again. An allowed path could still be
written to, so anything but a single SELECT is refused before it runs. The database itself is in memory.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from agent_tools.calllog.day_files import LogFile
from agent_tools.record import COLUMNS

if TYPE_CHECKING:
    import duckdb

EXTENSION = ".parquet"
TYPES = {
    "string": "VARCHAR",
    "integer": "BIGINT",
    "number": "DOUBLE",
    "boolean": "BOOLEAN",
    "object": "JSON",
    "array": "VARCHAR[]",
}
# the longest line of a log is 64 kB; a longer one is none of ours
_LINE_BYTES = 16_000_000
_BATCH_ROWS = 1_000
_VIEWS = {
    "calls": "event = 'tool_call'",
    "answers": "event = 'answer'",
    "records": "event IN ('tool_call', 'tool_start', 'tool_view', 'answer')",
}


class QueryError(Exception):
    """The question can't be answered; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query found.

    Attributes:
        columns: The names.
        types: DuckDB's types of them, `BIGINT` and so on.
        rows: The rows, read as they are asked for; plain values that JSON can hold.
    """

    columns: list[str]
    types: list[str]
    rows: Iterator[list[Any]]


def load_duckdb() -> Any:
    """Import DuckDB.

    Raises:
        QueryError: it is not installed.
    """
    try:
        import duckdb
    except ImportError as error:
        raise QueryError("this needs DuckDB: pip install 'agent-tools[sql]'") from error
    return duckdb


def ask(sql: str, files: Sequence[LogFile], archives: Sequence[Path] = ()) -> Answer:
    """Run one SELECT statement on a log.

    Args:
        sql: The statement; `FROM calls`, `DESCRIBE calls` and `SUMMARIZE calls` count as one.
        files: Day files, as `find_files` returns them.
        archives: Parquet files that `compact` wrote.

    Example:
        >>> list(ask("select count(*) from calls", []).rows)
        [[0]]
    """
    duckdb = load_duckdb()
    try:
        connection = open_log(files, archives)
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise QueryError("expected one SELECT statement: a log is read here, never changed")
        cursor = connection.execute(statements[0])
    except duckdb.Error as error:
        raise QueryError(str(error)) from error
    described = cursor.description or []
    types = [str(column[1]) for column in described]
    return Answer([column[0] for column in described], types, _read_rows(duckdb, cursor, types))


def open_log(files: Sequence[LogFile], archives: Sequence[Path] = ()) -> duckdb.DuckDBPyConnection:
    """Open a database in memory that holds the views and can read nothing but these files."""
    connection = connect()
    lines, packed = pick_sources(files, archives)
    for name, condition in _VIEWS.items():
        connection.execute(
            f"CREATE VIEW {name} AS SELECT * FROM ({make_source(lines, packed)}) WHERE {condition}"
        )
    allowed = ", ".join(map(_quote, [*lines, *packed]))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def connect() -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory that neither downloads nor loads an extension."""
    config = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    connection: duckdb.DuckDBPyConnection = load_duckdb().connect(":memory:", config=config)
    return connection


def pick_sources(files: Sequence[LogFile], archives: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Choose what stands for each day, so that none counts twice.

    An archive stands for its day unless one of the day's files was written to after it.

    Returns: files of JSON lines, Parquet files.
    """
    packed = {path: path.stat().st_mtime for path in archives}
    days = {path.name.removeprefix("calls-").removesuffix(EXTENSION): path for path in packed}
    for file in files:
        archive = days.get(file.day)
        if archive is not None and file.path.stat().st_mtime > packed.get(archive, 0.0):
            packed.pop(archive, None)
    lines = [file.path for file in files if days.get(file.day) not in packed]
    return [path for path in lines if path.suffix != EXTENSION], [
        *packed,
        *(path for path in lines if path.suffix == EXTENSION),
    ]


def make_source(lines: Sequence[Path], packed: Sequence[Path] = ()) -> str:
    """Return the SELECT that yields every row of these files, columns in the order of the record."""
    parts = []
    if lines:
        parts.append(
            f"SELECT * REPLACE (try_cast(ts AS TIMESTAMP) AS ts) FROM read_json([{_join(lines)}], "
            f"columns = {{{_columns()}}}, format = 'newline_delimited', compression = 'none', "
            f"ignore_errors = true, maximum_object_size = {_LINE_BYTES})"
        )
    if packed:
        parts.append(f"SELECT * FROM read_parquet([{_join(packed)}], union_by_name = true)")
    # last, so that the columns are there when an archive of an older version lacks some, or all files do
    nothing = ", ".join(f"NULL::{_type_in_view(name)} AS {name}" for name in COLUMNS)
    parts.append(f"SELECT {nothing} WHERE false")
    return " UNION ALL BY NAME ".join(parts)


def _columns() -> str:
    return ", ".join(f"{name}: '{TYPES[column.type]}'" for name, column in COLUMNS.items())


def _type_in_view(name: str) -> str:
    return "TIMESTAMP" if name == "ts" else TYPES[COLUMNS[name].type]


def _join(paths: Sequence[Path]) -> str:
    return ", ".join(map(_quote, paths))


def _quote(path: Path) -> str:
    # a path is text in the statement, so that an apostrophe in it must not end that text
    return "'" + str(path.absolute()).replace("'", "''") + "'"


# --- values


def _read_rows(duckdb: Any, cursor: Any, types: Sequence[str]) -> Iterator[list[Any]]:
    try:
        while batch := cursor.fetchmany(_BATCH_ROWS):
            for row in batch:
                yield [_to_plain(value, type_) for value, type_ in zip(row, types, strict=True)]
    except duckdb.Error as error:
        raise QueryError(str(error)) from error


def _to_plain(value: Any, type_: str = "") -> Any:
    if value is None or isinstance(value, (bool, float)):
        return value
    if isinstance(value, str):
        return orjson.loads(value) if type_ == "JSON" else value
    if isinstance(value, int):
        # JSON lines are written by orjson, whose integers have 64 bits; sum() of DuckDB has 128
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [_to_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _to_plain(item) for name, item in value.items()}
    return str(value)
