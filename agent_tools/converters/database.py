"""Rows of a DB-API cursor as records, read before its connection closes."""

from __future__ import annotations

from typing import Any

from agent_tools.converters import Converted


def read_cursor(cursor: Any) -> Converted:
    """Read all rows of a cursor as dicts by column and close it.

    A statement that returns no rows (an update) gives the number of rows it changed.
    """
    try:
        columns = [column[0] for column in cursor.description or ()]
        if not columns:
            return Converted({"row_count": cursor.rowcount})
        rows = [dict(zip(columns, tuple(row), strict=True)) for row in cursor]
    finally:
        cursor.close()
    return Converted(rows, {"row_count": len(rows)})
