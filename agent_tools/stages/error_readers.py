"""Read the number that a library puts into its exception: errno, SQLSTATE, AWS code, exit status.

In:   an exception whose class asked for a reader by name (`Row.reader`).
Out:  the row of that number, with the number as `sub_code`; None where the instance says nothing.

Readers that open a wrapper and look at what is inside are in `error_evidence`.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Mapping
from typing import Any

from agent_tools.foreign import peek
from agent_tools.stages import error_numbers as numbers
from agent_tools.stages.error_kinds import kind_of
from agent_tools.stages.error_rows import CONFLICT, CUT_OFF, NOT_APPLIED, NOT_YET, UNCLEAR, UNSURE, Row
from agent_tools.stages.error_statuses import by_status, header_of
from agent_tools.stages.error_table import TYPES


def _errno(exc: BaseException) -> Row | None:
    name = errno.errorcode.get(number) if isinstance(number := peek(exc, "errno"), int) else None
    return numbers.ERRNOS.get(name) if name else None


def _resolver(exc: BaseException) -> Row | None:
    socket = sys.modules.get("socket")
    number = peek(exc, "errno")
    for name, row in numbers.RESOLVER.items():
        if number is not None and number == peek(socket, name):
            return row
    return None


def _sqlite(exc: BaseException) -> Row | None:
    code = peek(exc, "sqlite_errorcode")
    row = numbers.SQLITE.get(code & 0xFF) if isinstance(code, int) else None
    return row._replace(sub_code=peek(exc, "sqlite_errorname")) if row is not None else None


def _mysql(exc: BaseException) -> Row | None:
    number = exc.args[0] if exc.args else None
    if not isinstance(number, int):
        number = peek(exc, "errno")
    row = numbers.MYSQL.get(number) if isinstance(number, int) else None
    return row if row is not None else read_sqlstate(exc)


def _mongo(exc: BaseException) -> Row | None:
    for label in peek(exc, "_error_labels") or ():
        if label in numbers.MONGO_LABELS:
            return numbers.MONGO_LABELS[label]._replace(sub_code=label)
    code = peek(exc, "code")
    details = peek(exc, "details")
    failed = details.get("writeErrors") if isinstance(details, Mapping) else None
    if isinstance(failed, list) and failed and isinstance(failed[0], Mapping):
        # a bulk write stops at the first error: what came before it is written
        code = failed[0].get("code")
        row = numbers.MONGO.get(code, UNCLEAR) if isinstance(code, int) else UNCLEAR
        return row._replace(outcome=UNSURE)
    return numbers.MONGO.get(code) if isinstance(code, int) else None


def _aws(exc: BaseException) -> Row | None:
    response = peek(exc, "response")
    if not isinstance(response, dict):
        return None
    error, meta = response.get("Error"), response.get("ResponseMetadata")
    code = str(error.get("Code", "")) if isinstance(error, dict) else ""
    row = _aws_code(code)
    if row is None:
        status = meta.get("HTTPStatusCode") if isinstance(meta, dict) else None
        status = int(code) if code.isdecimal() and len(code) == 3 else status
        row = numbers.HTTP.get(status) if isinstance(status, int) else None
    return row._replace(sub_code=code or row.sub_code) if row is not None else None


def _aws_code(code: str) -> Row | None:
    bare = code.removesuffix("Exception").removesuffix("Fault")
    found = numbers.AWS.get(code) or numbers.AWS.get(bare)
    if found is not None:
        return found
    starts = (row for start, row in numbers.AWS_STARTS if bare.startswith(start))
    ends = (row for end, row in numbers.AWS_ENDS if bare.endswith(end))
    return next(starts, None) or next(ends, None)


def _grpc(exc: BaseException) -> Row | None:
    code = peek(exc, "grpc_status_code") or peek(exc, "code") or peek(exc, "status")
    if callable(code) and not isinstance(code, type):
        try:
            code = code()
        except Exception:  # noqa: BLE001 - a call that is not finished, a stub without a state
            return None
    row = None if isinstance(code, int) else numbers.GRPC.get(str(peek(code, "name")))
    if row is None:
        return by_status(exc)
    if row is numbers.GRPC["RESOURCE_EXHAUSTED"] and _has_retry_info(exc):
        row = row._replace(transient=True, outcome=NOT_APPLIED)
    return row


def _has_retry_info(exc: BaseException) -> bool:
    # a quota is only worth waiting for where the server says how long (google.rpc.RetryInfo)
    trailers = peek(exc, "trailing_metadata")
    try:
        sent: Any = trailers() if callable(trailers) else ()
        pairs: dict[str, Any] = dict(sent or ())
        details = bytes(pairs.get("grpc-status-details-bin", b""))
    except Exception:  # noqa: BLE001 - foreign metadata
        return False
    return b"google.rpc.RetryInfo" in details or "google.rpc.retryinfo-bin" in pairs


def _jsonrpc(exc: BaseException) -> Row | None:
    code = peek(peek(exc, "error"), "code")
    return numbers.JSON_RPC.get(code) if isinstance(code, int) else None


def _process(exc: BaseException) -> Row | None:
    code = peek(exc, "returncode")
    if not isinstance(code, int):
        return None
    if code < 0:
        signal = sys.modules.get("signal")
        name = next((s.name for s in signal.Signals if s.value == -code), None) if signal else None
        return CONFLICT._replace(outcome=UNSURE, sub_code=name or f"signal {-code}")
    row = NOT_YET if code in (126, 127) else TYPES["subprocess.CalledProcessError"]
    return row._replace(outcome=UNSURE, sub_code=f"exit {code}")


def _model(exc: BaseException) -> Row | None:
    row = by_status(exc)
    if row is None:
        return None
    transient = row.transient
    codes = (str(peek(exc, "code")), str(peek(exc, "type")), str(peek(exc, "error_code")))
    if kind_of(type(exc)).is_spent or not numbers.QUOTA_CODES.isdisjoint(codes):
        transient = False
    elif (asked := header_of(exc, "x-should-retry")) in ("true", "false"):
        transient = asked == "true"
    if (row.transient, row.outcome) == (transient, NOT_APPLIED):
        return row
    return row._replace(transient=transient, outcome=NOT_APPLIED)  # asking a model changes nothing


def read_sqlstate(exc: BaseException) -> Row | None:
    """Return the row of the SQLSTATE that an exception carries.

    Example:
        >>> error = RuntimeError(); error.sqlstate = "40P01"
        >>> read_sqlstate(error).code
        <ErrorCode.ABORTED: 'ABORTED'>
    """
    state = peek(exc, "sqlstate") or peek(exc, "pgcode")
    if state is None and exc.args and isinstance(exc.args[0], str) and len(exc.args[0]) == 5:
        state = exc.args[0]  # pyodbc
    if not isinstance(state, str) or len(state) != 5:
        return None
    row = numbers.SQLSTATES.get(state) or numbers.SQLSTATES.get(state[:2])
    return row._replace(sub_code=state) if row is not None else None


def _aiohttp(exc: BaseException) -> Row | None:
    from agent_tools.converters.http import is_made_up

    return CUT_OFF if is_made_up(exc) else by_status(exc)


READERS: dict[str, Callable[[BaseException], Row | None]] = {
    "http": by_status,
    "aiohttp": _aiohttp,
    "errno": _errno,
    "resolver": _resolver,
    "sqlite": _sqlite,
    "mysql": _mysql,
    "mongo": _mongo,
    "aws": _aws,
    "grpc": _grpc,
    "jsonrpc": _jsonrpc,
    "process": _process,
    "model": _model,
}
