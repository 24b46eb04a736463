"""What a failure costs: from an exception to its code, and the traceback for the log.

Each row is the fastest of many short rounds, in microseconds, less a bare try/except of the same raise: the
code alone (and whether to retry, how long to wait, what to do next), with its message, and that redacted.
Run: `python benchmarks/errors.py`
"""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from agent_tools.errors import NotFound
from agent_tools.stages import error_codes
from agent_tools.stages.error_codes import format_traceback, make_error_codes
from agent_tools.stages.redaction import make_redactor

ROUNDS = 100
CALLS = 100  # short rounds: the fastest one met no other process


def _plain(text: str) -> str:
    return text


def _raise(exc: Exception) -> Exception:
    try:
        raise exc.with_traceback(None)
    except Exception as error:
        return error


def fastest_us(run: Callable[[], object], calls: int = CALLS) -> float:
    """Return the cost of one call in microseconds, from the fastest of many short rounds."""
    return min(timeit.repeat(run, number=calls, repeat=ROUNDS)) / calls * 1e6


def _fail(depth: int) -> None:
    if depth:
        return _fail(depth - 1)
    raise ValueError("no")


def caught(run: Callable[[], object]) -> Exception:
    """Return what a function raises."""
    try:
        run()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def _own_cases() -> dict[str, Exception]:
    refused = ConnectionRefusedError(111, "Connection refused")
    wrapper = RuntimeError("could not load")
    wrapper.__cause__ = refused
    return {
        "built-in class": ZeroDivisionError("division by zero"),
        "errno": refused,
        "own ToolError": NotFound("No order 'A1'."),
        "wrapper with a cause": wrapper,
        "group of three": ExceptionGroup("g", [refused, TimeoutError(), KeyError("city")]),
        "message of 1 MB": RuntimeError("upstream said " + "word " * 200_000),
        "page of 1 MB": RuntimeError("<html><title>502</title>" + "<div>x</div>" * 80_000),
    }


# what a server usually sends along
HEADERS = {
    "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
    "Server": "nginx",
    "Content-Type": "application/json",
    "Content-Length": "27",
    "Connection": "keep-alive",
    "Cache-Control": "no-store",
    "X-Request-Id": "7f3c",
    "Retry-After": "7",
}
BODY = b'{"detail":"Slow down, try later."}'


def _httpx_429() -> Exception:
    import httpx

    request = httpx.Request("GET", "https://example.com/v1/orders?page=2")
    response = httpx.Response(429, headers=HEADERS, content=BODY, request=request)
    return httpx.HTTPStatusError("429 for https://example.com/v1", request=request, response=response)


def _requests_404() -> Exception:
    import requests

    response = requests.Response()
    response.status_code, response.reason = 404, "Not Found"
    response.url, response._content = "https://example.com/v1/orders/17", b'{"detail":"No such order."}'
    response.headers.update(HEADERS)
    return caught(response.raise_for_status)


def _psycopg() -> Exception:
    from psycopg import errors

    return errors.UniqueViolation('duplicate key value violates unique constraint "orders_pkey"')


def _botocore() -> Exception:
    from botocore.exceptions import ClientError

    said = {"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}}
    meta = {"HTTPStatusCode": 400, "HTTPHeaders": {name.lower(): value for name, value in HEADERS.items()}}
    return ClientError({**said, "ResponseMetadata": meta}, "PutItem")


def _sqlalchemy() -> Exception:
    import sqlalchemy

    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        return caught(lambda: connection.execute(sqlalchemy.text("select * from orders")))


def _openai() -> Exception:
    import openai

    httpx = sys.modules[openai.APIStatusError.__init__.__annotations__["response"].partition(".")[0]]
    request = httpx.Request("POST", "https://api.example.com/v1/responses")
    response = httpx.Response(429, headers=HEADERS, request=request)
    body = {"message": "Rate limit reached.", "code": "rate_limit_exceeded"}
    return openai.RateLimitError("Error code: 429", response=response, body=body)


def _pydantic() -> Exception:
    from pydantic import TypeAdapter

    return caught(lambda: TypeAdapter(dict[str, int]).validate_python({"limit": "ten"}))


def _grpc() -> Exception:
    import grpc

    class Refused(grpc.RpcError):
        def code(self) -> object:
            return grpc.StatusCode.UNAVAILABLE

        def details(self) -> str:
            return "failed to connect to all addresses"

    return Refused()


LIBRARIES = {
    "httpx 429": _httpx_429,
    "requests 404": _requests_404,
    "psycopg 23505": _psycopg,
    "botocore throttling": _botocore,
    "SQLAlchemy over sqlite3": _sqlalchemy,
    "openai 429": _openai,
    "pydantic": _pydantic,
    "grpc UNAVAILABLE": _grpc,
}


def cases() -> dict[str, Exception]:
    """Return failures by name, those of libraries as far as they are installed."""
    found = _own_cases()
    for name, build in LIBRARIES.items():
        with suppress(ImportError):
            found[name] = build()
    return found


def make_coder(redact_text: Callable[[str], str]) -> Callable[[BaseException], object]:
    """Return what gives an exception its code and message, as a query would."""
    return make_error_codes(
        {}, kind="query", idempotent=True, effects="one", module=__name__, redact_text=redact_text
    )


def main() -> None:
    """Print the table."""
    coder, redacting = make_coder(_plain), make_coder(make_redactor().text)
    make_message = error_codes.make_message
    columns = ("with message", "and redacted", "bare try/except")
    print(f"{'exception to code':28} {'us':>8}", *(f"{column:>16}" for column in columns))
    for name, exc in cases().items():
        bare = fastest_us(lambda exc=exc: _raise(exc))
        cost = fastest_us(lambda exc=exc: coder(_raise(exc)))
        redacted = fastest_us(lambda exc=exc: redacting(_raise(exc)))
        error_codes.make_message = lambda *_: "said elsewhere"
        code = fastest_us(lambda exc=exc: coder(_raise(exc)))
        error_codes.make_message = make_message
        print(f"{name:28} {code - bare:8.2f} {cost - bare:16.2f} {redacted - bare:16.2f} {bare:16.2f}")
    print(f"\n{'traceback for the log':28} {'us':>8}")
    for depth in (0, 40, 400):
        error = caught(partial(_fail, depth))
        cost = fastest_us(lambda error=error: format_traceback(error, _plain), 10)
        print(f"{depth + 2:4} frames {cost:26.2f}")


if __name__ == "__main__":
    main()
