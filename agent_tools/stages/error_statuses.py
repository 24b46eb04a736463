"""Read what an exception carries: attributes, its HTTP status, its response headers.

In:   an exception of any library.
Out:  the value, None where there is none.

Everything is read through `peek`, since an attribute of a foreign exception may be a property that
raises.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from agent_tools.foreign import peek
from agent_tools.stages import error_numbers as numbers
from agent_tools.stages.error_rows import NOT_APPLIED, UNCLEAR, Row


def status_of(exc: BaseException) -> int | None:
    """Return the HTTP status (300 to 599) that an exception carries, None without one."""
    for holder in (peek(exc, "response"), exc, peek(exc, "resp")):
        if holder is None:
            continue
        for name in ("status_code", "status", "code", "http_status"):
            status = peek(holder, name)
            if isinstance(status, str) and len(status) == 3 and status.isdecimal():
                status = int(status)
            if isinstance(status, int) and 300 <= status <= 599 and not isinstance(status, bool):
                return int(status)
    return None


def row_of_status(status: int) -> Row:
    """Return the row of an HTTP status; one that the table does not know goes by its class.

    Example:
        >>> str(row_of_status(404).code), str(row_of_status(555).code)
        ('NOT_FOUND', 'INTERNAL')
    """
    row = numbers.HTTP.get(status)
    return row or numbers.HTTP_CLASSES.get(status // 100, UNCLEAR)._replace(sub_code=str(status))


def by_status(exc: BaseException, _depth: int = 0) -> Row | None:
    """Return the row of the HTTP status that an exception carries.

    Example:
        >>> error = RuntimeError("slow down"); error.status_code = 429
        >>> by_status(error).code
        <ErrorCode.RESOURCE_EXHAUSTED: 'RESOURCE_EXHAUSTED'>
    """
    if type(exc).__module__ == "builtins" and not exc.__dict__:
        return None  # nothing was ever set on it
    status = status_of(exc)
    if status is None:
        return None
    row = row_of_status(status)
    if status == 503 and header_of(exc, "retry-after") is not None:
        row = row._replace(outcome=NOT_APPLIED)
    return row


def headers_of(exc: BaseException) -> Mapping[Any, Any] | None:
    """Return the response headers that an exception carries."""
    response = peek(exc, "response")
    if isinstance(response, dict):
        meta = response.get("ResponseMetadata")
        return meta.get("HTTPHeaders") if isinstance(meta, dict) else None
    for holder in (response, exc):
        headers = peek(holder, "headers")
        if headers is not None and hasattr(headers, "items"):
            return headers  # type: ignore[no-any-return]  # read as a mapping, errors are caught
    return None


def headers_named(exc: BaseException, names: Container[str]) -> dict[str, str]:
    """Return the response headers of these lower-case names, whatever the case of theirs."""
    headers = headers_of(exc)
    if headers is None:
        return {}
    try:
        return {name: str(value) for key, value in headers.items() if (name := str(key).lower()) in names}
    except Exception:  # noqa: BLE001 - a foreign mapping may raise anything
        return {}


def header_of(exc: BaseException, name: str) -> str | None:
    """Return one response header, whatever the case of its name."""
    return headers_named(exc, (name,)).get(name)
