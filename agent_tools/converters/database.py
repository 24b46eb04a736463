"""DB-API cursors (sqlite3, psycopg, any driver of PEP 249) as records, read before the connection closes.

In:   a cursor, sync or async, that holds the rows of one statement.
Out:  records by column name, row by row, so that a server-side cursor is read only as far as it is shown.
Raises: ToolError where the rows can't be read, with what to return instead; a driver's own failure passes.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from typing import Any

from agent_tools.converters import Converted
from agent_tools.errors import ErrorCode, ToolError

BATCH_ROWS = 500
ADVICE = "return the rows (`cursor.fetchall()`), or the cursor while its connection is open"
# what PEP 249 has for misuse: a closed cursor, a closed connection, another thread
MISUSE = frozenset({"ProgrammingError", "InterfaceError"})


def read_cursor(cursor: Any) -> Converted | Awaitable[Converted]:
    """Read the rows of a cursor as dicts by column; the cursor is closed afterwards.

    A statement without rows (an update) gives the number of rows it changed, and rows that the cursor's
    row factory made (dicts, dataclasses, models) stay as they are.

    Raises:
        ToolError: the cursor or its connection is closed.
    """
    if inspect.iscoroutinefunction(getattr(cursor, "fetchmany", None)):
        return _read_async(cursor)
    try:
        columns = columns_of(cursor)
    except Exception as error:
        raise unreadable(error) from error
    if not columns:
        return _close_after(cursor, _count_changed(cursor))
    meta = _meta_of(cursor)
    return Converted(_rows(cursor, columns, meta), meta, is_spent=True)


def read_relation(relation: Any) -> Converted:
    """Run a relation of DuckDB and read its rows; they are held in memory, since it has no cursor."""
    columns = distinct([str(name) for name in relation.columns])
    return Converted([dict(zip(columns, row, strict=True)) for row in relation.fetchall()])


def _close_after(cursor: Any, converted: Converted) -> Converted:
    close_quietly(cursor)
    return converted


def _rows(cursor: Any, columns: list[str], meta: dict[str, Any]) -> Iterator[Any]:
    number = 0
    try:
        while batch := _fetch(cursor, is_first=not number):
            for row in batch:
                yield as_record(row, columns)
            number += len(batch)
        meta["row_count"] = number
    finally:
        close_quietly(cursor)


def _fetch(cursor: Any, *, is_first: bool) -> Sequence[Any]:
    try:
        return cursor.fetchmany(BATCH_ROWS)  # type: ignore[no-any-return]  # PEP 249: a sequence of rows
    except Exception as error:
        # a connection that breaks later is the driver's failure, and its code is in the table of errors
        if is_first and type(error).__name__ in MISUSE and not getattr(error, "sqlstate", None):
            raise unreadable(error) from error
        raise


async def _read_async(cursor: Any) -> Converted:
    columns = columns_of(cursor)
    if not columns:
        converted = _count_changed(cursor)
        await cursor.close()
        return converted
    meta = _meta_of(cursor)
    return Converted(_async_rows(cursor, columns, meta), meta, is_spent=True)


async def _async_rows(cursor: Any, columns: list[str], meta: dict[str, Any]) -> AsyncIterator[Any]:
    number = 0
    try:
        while batch := await _fetch_async(cursor, is_first=not number):
            for row in batch:
                yield as_record(row, columns)
            number += len(batch)
        meta["row_count"] = number
    finally:
        await close_quietly_async(cursor)


async def _fetch_async(cursor: Any, *, is_first: bool) -> Sequence[Any]:
    try:
        return list(await cursor.fetchmany(BATCH_ROWS))
    except Exception as error:
        is_closed = type(error).__name__ in MISUSE or isinstance(error, ValueError)
        if is_first and is_closed and not getattr(error, "sqlstate", None):
            raise unreadable(error) from error
        raise


# --- what a row, a cursor and a failure say


def columns_of(cursor: Any) -> list[str]:
    """Return the column names of a cursor, equal ones numbered: a join may have two columns `id`.

    Example:
        >>> import sqlite3
        >>> columns_of(sqlite3.connect(":memory:").execute("select 1 as id, 2 as id, 3"))
        ['id', 'id#2', '3']
    """
    return distinct([str(column[0]) for column in cursor.description or ()])


def distinct(names: Sequence[str]) -> list[str]:
    """Return names with a number on those that came before."""
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        numbered.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return numbered


def as_record(row: Any, columns: list[str]) -> Any:
    """Return a row as a dict; rows that name their fields themselves as they are."""
    if isinstance(row, tuple | list) and not hasattr(row, "_fields"):
        return dict(zip(columns, row, strict=True))
    # sqlite3.Row is no tuple; a row factory's dicts, models and single values are what was asked for
    return dict(zip(columns, tuple(row), strict=True)) if type(row).__name__ == "Row" else row


def _meta_of(cursor: Any) -> dict[str, Any]:
    sql = sql_of(cursor)
    return {} if sql is None else {"sql": sql}


def sql_of(cursor: Any) -> str | None:
    """Return the statement with placeholders; None where a driver keeps none, or one with values in it.

    psycopg keeps the statement that it sent beside its parameters. Its ClientCursor, psycopg2 and MySQL
    drivers put the values into the text, and sqlite3 keeps nothing.
    """
    if not type(cursor).__module__.startswith("psycopg.") and type(cursor).__module__ != "psycopg":
        return None
    if any("Client" in base.__name__ for base in type(cursor).__mro__):
        return None
    query = getattr(getattr(cursor, "_query", None), "query", None)
    return " ".join(query.decode("utf-8", "replace").split()) if isinstance(query, bytes) else None


def _count_changed(cursor: Any) -> Converted:
    # a cursor that was closed has forgotten its columns, too
    if getattr(cursor, "closed", False) is True:
        raise unreadable(ValueError("the cursor is closed"))
    return Converted(say_changed(cursor.rowcount), is_spent=True)


def say_changed(number: object) -> dict[str, Any]:
    """Return how many rows a statement changed; for one that tells no number, that it ran."""
    known = isinstance(number, int) and number >= 0
    return {"row_count": number} if known else {"executed": True}


def unreadable(error: BaseException) -> ToolError:
    """Return the failure of a cursor that is closed or bound to something that is gone."""
    why = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return ToolError(
        f"the rows could not be read ({why}); the tool has to {ADVICE}",
        code=ErrorCode.INTERNAL,
        retryable=False,
        recovery="report",
    )


def close_quietly(cursor: Any) -> None:
    """Close a cursor whose rows are read: a driver that fails to close must not lose them."""
    if "Connection" in type(cursor).__name__:
        return  # DuckDB's connection is its own cursor, and it is not ours to close
    try:
        cursor.close()
    except Exception:  # noqa: BLE001 - any driver's own error
        return


async def close_quietly_async(cursor: Any) -> None:
    """Close an async cursor as `close_quietly` does."""
    try:
        await cursor.close()
    except Exception:  # noqa: BLE001 - any driver's own error
        return
