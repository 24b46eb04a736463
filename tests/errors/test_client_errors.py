"""Exceptions of HTTP and WebSocket clients, and statuses of real answers."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from agent_tools.stages.error_codes import Failure

Coder = Callable[..., Failure]
Raised = Callable[[Callable[[], object]], Exception]

# library, how its exception is made, code, retryable for an idempotent query, for an action
CASES: list[tuple[str, Callable[[Any], Exception], str, bool, bool]] = [
    *(
        (library, make, code, query, action)
        for library in ("httpx", "httpx2")
        for make, code, query, action in [
            (lambda m: m.ConnectError("x"), "UNAVAILABLE", True, True),
            (lambda m: m.PoolTimeout("x"), "UNAVAILABLE", True, True),
            (lambda m: m.ProxyError("x"), "UNAVAILABLE", True, True),
            (lambda m: m.ConnectTimeout("x"), "DEADLINE_EXCEEDED", True, True),
            (lambda m: m.ReadTimeout("x"), "DEADLINE_EXCEEDED", True, False),
            (lambda m: m.WriteTimeout("x"), "DEADLINE_EXCEEDED", True, False),
            (lambda m: m.ReadError("x"), "UNAVAILABLE", True, False),
            (lambda m: m.WriteError("x"), "UNAVAILABLE", True, False),
            (lambda m: m.RemoteProtocolError("x"), "UNAVAILABLE", True, False),
            (lambda m: m.DecodingError("x"), "DATA_LOSS", False, False),
            (lambda m: m.UnsupportedProtocol("x"), "INVALID_ARGUMENT", False, False),
            (lambda m: m.InvalidURL("x"), "INVALID_ARGUMENT", False, False),
            (lambda m: m.TooManyRedirects("x"), "FAILED_PRECONDITION", False, False),
        ]
    ),
    ("httpcore", lambda m: m.ConnectError("x"), "UNAVAILABLE", True, True),
    ("requests", lambda m: m.exceptions.ConnectTimeout("x"), "DEADLINE_EXCEEDED", True, True),
    ("requests", lambda m: m.exceptions.ReadTimeout("x"), "DEADLINE_EXCEEDED", True, False),
    ("requests", lambda m: m.exceptions.ConnectionError("x"), "UNAVAILABLE", True, False),
    ("requests", lambda m: m.exceptions.ConnectionError(_late_body()), "DEADLINE_EXCEEDED", True, False),
    ("requests", lambda m: m.exceptions.ChunkedEncodingError("x"), "UNAVAILABLE", True, False),
    ("requests", lambda m: m.exceptions.SSLError("x"), "FAILED_PRECONDITION", False, False),
    ("requests", lambda m: m.exceptions.InvalidURL("x"), "INVALID_ARGUMENT", False, False),
    ("requests", lambda m: m.exceptions.MissingSchema("x"), "INVALID_ARGUMENT", False, False),
    ("requests", lambda m: m.exceptions.JSONDecodeError("x", "doc", 0), "DATA_LOSS", False, False),
    ("urllib3", lambda m: m.exceptions.NewConnectionError(None, "x"), "UNAVAILABLE", True, True),
    ("urllib3", lambda m: m.exceptions.ConnectTimeoutError(None, "x"), "DEADLINE_EXCEEDED", True, True),
    ("urllib3", lambda m: m.exceptions.ReadTimeoutError(None, "u", "x"), "DEADLINE_EXCEEDED", True, False),
    ("urllib3", lambda m: m.exceptions.ProtocolError("x"), "UNAVAILABLE", True, False),
    ("urllib3", lambda m: m.exceptions.SSLError("x"), "FAILED_PRECONDITION", False, False),
    (
        "urllib3",
        lambda m: m.exceptions.MaxRetryError(None, "u", m.exceptions.NewConnectionError(None, "x")),
        "UNAVAILABLE",
        True,
        True,
    ),
    ("aiohttp", lambda m: m.ServerTimeoutError("x"), "DEADLINE_EXCEEDED", True, False),
    ("aiohttp", lambda m: m.ConnectionTimeoutError("x"), "DEADLINE_EXCEEDED", True, True),
    ("aiohttp", lambda m: m.ServerDisconnectedError("x"), "UNAVAILABLE", True, False),
    ("aiohttp", lambda m: m.ClientPayloadError("x"), "UNAVAILABLE", True, False),
    ("aiohttp", lambda m: m.ClientOSError(104, "x"), "UNAVAILABLE", True, False),
    ("aiohttp", lambda m: _connector(m, m.ClientConnectorError, 111), "UNAVAILABLE", True, True),
    ("aiohttp", lambda m: _connector(m, m.ClientConnectorSSLError, 1), "FAILED_PRECONDITION", False, False),
    ("aiohttp", lambda m: m.ContentTypeError(_info(m), (), status=200), "DATA_LOSS", False, False),
    ("aiohttp", lambda m: m.ContentTypeError(_info(m), (), status=503), "UNAVAILABLE", True, False),
    ("aiohttp", lambda m: m.ClientResponseError(_info(m), (), status=404), "NOT_FOUND", False, False),
    ("aiohttp", lambda m: m.InvalidURL("x"), "INVALID_ARGUMENT", False, False),
    ("websockets.exceptions", lambda m: m.ConnectionClosedError(None, None), "UNAVAILABLE", True, False),
    ("websockets.exceptions", lambda m: m.InvalidURI("x", "y"), "INVALID_ARGUMENT", False, False),
    ("starlette", lambda m: _starlette().HTTPException(403), "PERMISSION_DENIED", False, False),
    ("starlette", lambda m: _starlette().HTTPException(429), "RESOURCE_EXHAUSTED", True, True),
]


def _starlette() -> ModuleType:
    return pytest.importorskip("starlette.exceptions")


def _info(aiohttp: Any) -> Any:
    yarl = pytest.importorskip("yarl")
    url = yarl.URL("https://me:hunter2hunter2@example.com/v1?api_key=abcdef")
    return aiohttp.RequestInfo(url, "GET", {}, url)


def _late_body() -> Exception:
    """What requests wraps where the headers came in time and the body did not."""
    error: Exception = pytest.importorskip("urllib3.exceptions").ReadTimeoutError(
        None, "u", "Read timed out."
    )
    return error


def _connector(aiohttp: Any, error: Any, number: int) -> Exception:
    key = pytest.importorskip("aiohttp.client_reqrep").ConnectionKey("h", 1, True, True, None, None, None)
    return error(key, OSError(number, "x"))


@pytest.mark.parametrize(("library", "make", "code", "query", "action"), CASES, ids=range(len(CASES)))
def test_a_client_exception_has_its_code(
    code_of: Coder, library: str, make: Callable[[Any], Exception], code: str, query: bool, action: bool
) -> None:
    """What never reached the server may be repeated by an action, what was cut off may not."""
    exc = make(pytest.importorskip(library))

    asked, done = code_of(exc), code_of(exc, kind="action")

    assert (asked.error.code, asked.error.retryable) == (code, query)
    assert (done.error.code, done.error.retryable) == (code, action)


STATUSES = [
    ("400 406 411 413 414 415 422 431 418", "INVALID_ARGUMENT", False, False),
    ("404 410", "NOT_FOUND", False, False),
    ("405 501 505 510", "UNIMPLEMENTED", False, False),
    ("416", "OUT_OF_RANGE", False, False),
    ("401 407 511", "UNAUTHENTICATED", False, False),
    ("402 412 424 428", "FAILED_PRECONDITION", False, False),
    ("403 451", "PERMISSION_DENIED", False, False),
    ("408", "DEADLINE_EXCEEDED", True, True),
    ("409", "ABORTED", False, False),
    ("423", "ABORTED", True, True),
    ("421 425", "UNAVAILABLE", True, True),
    ("429", "RESOURCE_EXHAUSTED", True, True),
    ("500", "INTERNAL", True, False),
    ("502 520 521 523 529", "UNAVAILABLE", True, False),
    ("503", "UNAVAILABLE", True, True),  # the server of these tests sends Retry-After with it
    ("504 522 524", "DEADLINE_EXCEEDED", True, False),
    ("507", "RESOURCE_EXHAUSTED", False, False),
    ("599 588", None, True, False),
]


@pytest.mark.parametrize(
    ("status", "code", "query", "action"),
    [(int(status), *row) for statuses, *row in STATUSES for status in statuses.split()],
)
def test_a_real_answer_goes_by_its_status(
    code_of: Coder, raised: Raised, server: str, status: int, code: str | None, query: bool, action: bool
) -> None:
    """Every status of a real server, through two clients, means the same."""
    httpx, requests = pytest.importorskip("httpx"), pytest.importorskip("requests")
    url = f"{server}/{status}?api_key=hunter3hunter3&page=2"
    errors = [raised(lambda c=client: c.get(url).raise_for_status()) for client in (httpx, requests)]

    for error in errors:
        asked, done = code_of(error), code_of(error, kind="action")
        assert (asked.error.retryable, done.error.retryable) == (query, action)
        assert asked.error.sub_code == str(status)
        assert code is None or asked.error.code == code
        assert "hunter3" not in asked.error.message
        assert "page=2" in asked.error.message


def test_a_wait_is_read_from_a_real_answer(code_of: Coder, raised: Raised, server: str) -> None:
    """Retry-After of a 429 comes back as seconds."""
    httpx = pytest.importorskip("httpx")

    failure = code_of(raised(lambda: httpx.get(f"{server}/429").raise_for_status()))

    assert failure.error.retry_after_s == 7.0


@pytest.mark.parametrize("library", ["httpx", "requests"])
def test_a_refused_connection_is_unavailable(code_of: Coder, raised: Raised, library: str) -> None:
    """A real refusal, wrapped by the client, is transient and not the caller's fault."""
    client = pytest.importorskip(library)

    failure = code_of(raised(lambda: client.get("http://127.0.0.1:1/?token=hunter3hunter3", timeout=2)))

    assert (failure.error.code, failure.error.retryable) == ("UNAVAILABLE", True)
    assert "hunter3" not in failure.error.message


@pytest.mark.parametrize(
    ("inner", "code"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no such name"), "NOT_FOUND"),
        (ssl.SSLCertVerificationError(1, "self-signed"), "FAILED_PRECONDITION"),
        (ConnectionRefusedError(111, "refused"), "UNAVAILABLE"),
    ],
)
def test_a_connect_error_is_what_it_wraps(code_of: Coder, inner: OSError, code: str) -> None:
    """A name that doesn't exist and a bad certificate stay permanent under a client's own class."""
    httpx, httpcore = pytest.importorskip("httpx"), pytest.importorskip("httpcore")
    error = httpx.ConnectError("x")
    error.__cause__ = httpcore.ConnectError(inner)

    assert code_of(error).error.code == code
