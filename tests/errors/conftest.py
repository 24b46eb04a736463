"""What the tests of error codes share: coders for the kinds of tools, real servers and files."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agent_tools.stages.error_codes import Failure, make_error_codes

# shaped like a token of a well-known host, built here so that no scanner stumbles over it
SECRET = "ghp_" + "Zx81" * 9


def hide(text: str) -> str:
    """Stand in for the library's redactor: it knows one shape and one word."""
    return re.sub(r"ghp_[A-Za-z0-9]{36}", "[REDACTED]", text).replace("hunter2hunter2", "***")


@pytest.fixture
def secret() -> str:
    """A secret that the redactor of these tests knows."""
    return SECRET


@pytest.fixture
def redact() -> Callable[[str], str]:
    """The redactor of these tests."""
    return hide


@pytest.fixture
def code_of() -> Callable[..., Failure]:
    """Classify an exception for a tool of the given kind."""

    def classify(exc: BaseException, **settings: object) -> Failure:
        chosen = {
            "kind": "query",
            "errors": {},
            "effects": "one",
            "module": None,
            "redact_text": hide,
        } | settings
        chosen.setdefault("idempotent", chosen["kind"] != "action")
        return make_error_codes(chosen.pop("errors"), **chosen)(exc)

    return classify


@pytest.fixture
def raised() -> Callable[[Callable[[], object]], Exception]:
    """Run something that fails and return what it raised."""

    def catch(run: Callable[[], object]) -> Exception:
        try:
            run()
        except Exception as error:
            return error
        pytest.fail("nothing was raised")

    return catch


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status = int(self.path.split("?")[0].strip("/"))
        self.send_response(status)
        if status in (429, 503):
            self.send_header("Retry-After", "7")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"no")

    def log_message(self, *args: object) -> None:
        """Keep the test output clean."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A real HTTP server that answers /404 with 404 and so on; yields its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answer) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()
