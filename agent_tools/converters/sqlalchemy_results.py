"""Results of SQLAlchemy, Core and ORM, sync and async, as records.

In:   Result, ScalarResult, MappingResult and their async kinds; a Query, which runs when it is read.
Out:  a record per row, an ORM object where a row is one entity, a value where one column was asked for.
Raises: ToolError where the rows can't be read; what the database says passes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any, NoReturn

from agent_tools.converters import Converted
from agent_tools.converters.database import (
    BATCH_ROWS,
    close_quietly,
    close_quietly_async,
    distinct,
    say_changed,
    unreadable,
)
from agent_tools.errors import ErrorCode, ToolError


def read_result(result: Any) -> Converted:
    """Read the rows of a result and close it; a statement without rows gives the number it changed.

    Raises:
        ToolError: the result was closed or read before.
    """
    meta = _meta_of(result)
    if not _returns_rows(result):
        return Converted(_changed(result), meta, is_spent=True)
    return Converted(_rows(result, meta), meta, is_spent=True)


async def read_async_result(result: Any) -> Converted:
    """Read the rows of an async result and close it."""
    meta = _meta_of(result)
    return Converted(_async_rows(result, meta), meta, is_spent=True)


def read_query(query: Any) -> Converted:
    """Run a query of the ORM: it is a result that was not asked for yet."""
    return read_result(query.session.execute(query.statement).unique())


def refuse_statement(statement: Any) -> NoReturn:
    """Refuse a statement that was built and not run.

    Raises:
        ToolError: always, and it says what to return instead.
    """
    raise ToolError(
        "the tool returned a statement that was not executed; it has to return its result: "
        "`session.execute(statement)`",
        code=ErrorCode.INTERNAL,
        retryable=False,
    )


def _rows(result: Any, meta: dict[str, Any]) -> Iterator[Any]:
    number = 0
    try:
        try:
            show, batches = _shower(result), result.partitions(BATCH_ROWS)
            batch: list[Any] = next(batches, [])
        except Exception as error:
            raise _explained(error) from error
        while batch:
            yield from map(show, batch)
            number += len(batch)
            batch = next(batches, [])
        meta["row_count"] = number
    finally:
        close_quietly(result)


async def _async_rows(result: Any, meta: dict[str, Any]) -> AsyncIterator[Any]:
    number = 0
    try:
        try:
            show, batches = _shower(result), result.partitions(BATCH_ROWS)
            batch: list[Any] = await anext(batches, [])
        except Exception as error:
            raise _explained(error) from error
        while batch:
            for row in batch:
                yield show(row)
            number += len(batch)
            batch = await anext(batches, [])
        meta["row_count"] = number
    finally:
        await close_quietly_async(result)


def _explained(error: Exception) -> Exception:
    # ResourceClosedError, and what asyncio's drivers raise on a closed connection
    is_misuse = type(error).__name__ in ("ResourceClosedError", "InvalidRequestError", "MissingGreenlet")
    return unreadable(error) if is_misuse else error


def _shower(result: Any) -> Any:
    """Return what turns one row of a result into data."""
    if not hasattr(result, "keys"):
        return lambda value: value  # scalars: values, or objects of the ORM
    keys = list(result.keys())
    columns = distinct([str(key) for key in keys])

    def show(row: Any) -> Any:
        if hasattr(row, "keys"):
            return dict(row)  # a mapping
        cells = tuple(row)
        # `select(Order)` gives rows of one object each; the object is what was asked for
        if len(cells) == 1 and hasattr(type(cells[0]), "__mapper__"):
            return cells[0]
        return dict(zip(columns, cells, strict=True))

    return show


def _returns_rows(result: Any) -> bool:
    return bool(getattr(_cursor_result(result), "returns_rows", True))


def _changed(result: Any) -> dict[str, Any]:
    return say_changed(getattr(_cursor_result(result), "rowcount", None))


def _cursor_result(result: Any) -> Any:
    """Return the result of the driver's cursor below one of the ORM or of scalars."""
    inner = getattr(result, "_real_result", None) or result
    return getattr(inner, "raw", None) or inner


def _meta_of(result: Any) -> dict[str, Any]:
    statement = getattr(getattr(_cursor_result(result), "context", None), "statement", None)
    return {"sql": " ".join(statement.split())} if isinstance(statement, str) else {}
