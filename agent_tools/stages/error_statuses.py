"""Read what an exception carries: attributes, its HTTP status, its response headers.

In:   an exception of any library.
Out:  the value, None where there is none.

Everything is read through `peek`, since an attribute of a foreign exception may be a property that
raises.
"""

from __future__ import annotations

from agent_tools.foreign import peek, read_header
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


def headers_of(exc: BaseException) -> object:
    """Return the response headers that an exception carries, for `read_header`; None without any."""
    response = peek(exc, "response")
    if isinstance(response, dict):
        meta = response.get("ResponseMetadata")
        return meta.get("HTTPHeaders") if isinstance(meta, dict) else None
    headers = peek(response, "headers")
    return headers if headers is not None else peek(exc, "headers")


def header_of(exc: BaseException, name: str) -> str | None:
    """Return one response header by its name in lower case."""
    return read_header(headers_of(exc), name)
