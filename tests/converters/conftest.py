"""What the tests of converters share: tools around functions, servers of their own."""

from __future__ import annotations

import contextlib
import glob
import gzip
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agent_tools import tool


@pytest.fixture
def call() -> Callable[..., Any]:
    """Call a function as a tool that stores nothing."""

    def run(function: Callable[..., Any], *args: Any, **settings: Any) -> Any:
        return tool(function, **{"store": False, "name": "find_rows", "kind": "query", **settings})(*args)

    return run


@pytest.fixture
def acall() -> Callable[..., Any]:
    """Call a function as a tool from async code."""

    async def run(function: Callable[..., Any], **settings: Any) -> Any:
        made = tool(function, **{"store": False, "name": "find_rows", "kind": "query", **settings})
        return await made.ainvoke({})

    return run


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _server_programs() -> Path | None:
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += [Path(path) for path in sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)]
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Start a PostgreSQL server in a folder of its own and return its address; not as root, it refuses."""
    pytest.importorskip("psycopg")
    programs = _server_programs()
    if programs is None:
        pytest.skip("no PostgreSQL server on this machine (apt-get install postgresql)")
    as_user: list[str] = []
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if os.getuid() == 0:
        if (
            shutil.which("runuser") is None
            or subprocess.run(["id", "postgres"], capture_output=True).returncode
        ):
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    data, port = folder / "data", _free_port()
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    make = [programs / "initdb", "-D", data, "-A", "trust", "-U", "tester", "-E", "UTF8", "--no-sync"]
    start = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"]
    stop = [programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"]
    for command in (make, start):
        done = subprocess.run(
            [*as_user, *map(str, command)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        assert done.returncode == 0, done.stderr
    yield f"postgresql://tester@127.0.0.1:{port}/postgres"
    subprocess.run([*as_user, *map(str, stop)], stdout=subprocess.DEVNULL, check=True)
    shutil.rmtree(folder, ignore_errors=True)


class _Pages(BaseHTTPRequestHandler):
    """What web servers answer, well and badly."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # one packet per answer, else each waits for an acknowledgement

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith("/status/"):
            self._fail(int(path.rpartition("/")[2]))
            return
        if path == "/huge":
            self._stream_on()
            return
        if path in BROKEN:
            self.close_connection = True
            self.wfile.write(BROKEN[path])
            return
        status, headers, body = PAGES.get(
            path, (404, {"Content-Type": "application/json"}, b'{"detail": "gone"}')
        )
        self._answer(status, headers, body)

    def _fail(self, status: int) -> None:
        waits = {429: "7", 503: "0"}
        headers = {"Retry-After": waits[status]} if status in waits else {}
        self._answer(status, headers, json.dumps({"error": {"message": f"no {status} today"}}).encode())

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)

    def _stream_on(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):  # the reader has had enough
            for _ in range(1000):
                self.wfile.write(b"x" * 1_000_000)

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


_ERROR_PAGE = (
    b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>h1 {color: red}</style></head>"
    b"<body><h1>The shop is closed</h1><p>Come back at <b>eight</b>.</p>"
    + b"<div>filler</div>" * 5000
    + b"</body></html>"
)
_JSON = {"Content-Type": "application/json"}
_PACKED = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
_HTML = {"Content-Type": "text/html"}
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/orders": (200, _JSON, b'[{"id": 1, "city": "Rome"}]'),
    "/text": (200, {"Content-Type": "text/plain; charset=latin-1"}, "café".encode("latin-1")),
    "/nothing": (204, {}, b""),
    "/blank": (200, _JSON, b""),
    "/no-rows": (200, _JSON, b"[]"),
    "/moved": (302, {"Location": "/orders"}, b""),
    "/page-502": (502, {"Content-Type": "text/html"}, _ERROR_PAGE),
    "/called-text": (200, {"Content-Type": "text/plain"}, b' {"id": 1}'),
    "/called-json": (200, _JSON, b"all fine"),
    "/cut-json": (200, _JSON, b'[{"id": 1}, {"id"'),
    "/json-lines": (200, {"Content-Type": "application/x-ndjson"}, b'{"id": 1}\n{"id": 2}\n'),
    "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG\r\n\x1a\n\x00\x00\x00"),
    "/problem": (
        422,
        {"Content-Type": "application/problem+json"},
        b'{"title": "Bad", "detail": "amount < 0"}',
    ),
    "/packed": (200, _PACKED, gzip.compress(b'{"id": 1}')),
    "/packed-problem": (422, _PACKED, gzip.compress(b'{"detail": "amount < 0"}')),
    "/packed-otherwise": (200, {**_JSON, "Content-Encoding": "br"}, bytes(range(256))),
    "/deep": (200, _JSON, b"[" * 100_000 + b"]" * 100_000),
    "/nginx": (
        502,
        _HTML,
        b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center>"
        b"<hr><center>nginx/1.22.1</center></body></html>",
    ),
    "/django": (
        500,
        _HTML,
        b"<!DOCTYPE html><html><head><title>DoesNotExist at /orders/5</title></head><body>"
        b"<h1>DoesNotExist at /orders/5</h1><pre>No order matches.</pre></body></html>",
    ),
    "/tomcat": (
        500,
        _HTML,
        b"<!doctype html><html><body><h1>HTTP Status 500</h1><p><b>Type</b> Exception Report</p>"
        b"<p><b>Message</b> Cannot load order 5</p></body></html>",
    ),
    "/iis": (
        403,
        _HTML,
        b"<html><head><title>403 - Forbidden</title></head><body><h1>Server Error</h1>"
        b"<h2>403 - Forbidden</h2><h3>You may not view this folder.</h3></body></html>",
    ),
    "/fragment": (500, _HTML, b"<h1>Oops</h1>"),
    "/bucket": (
        404,
        {"Content-Type": "application/xml"},
        b'<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code><Message>No such key.</Message></Error>',
    ),
    "/soap": (
        500,
        {"Content-Type": "text/xml"},
        b"<s:Envelope><s:Body><s:Fault><faultcode>s:Client</faultcode><faultstring>Bad sum</faultstring>"
        b"</s:Fault></s:Body></s:Envelope>",
    ),
    "/odd-status": (999, {}, b"denied"),
    "/fields": (422, _JSON, b'{"detail": [{"loc": ["body", "id"], "msg": "field required"}]}'),
}


BROKEN: dict[str, bytes] = {
    "/breaks-off": b"HTTP/1.1 500 X\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nthe disk\r\nff\r\nis",
    "/cut-text": b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nThe first",
    "/no-http": b"HELLO\r\n\r\n",
    "/bad-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
}


@pytest.fixture(scope="session")
def web() -> Iterator[str]:
    """Serve `PAGES` on a free port of the loopback and return the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()
