"""Serve the pages of a log to a browser on this machine, and to nobody else.

In:   a home folder, folder of log files or one file.
Out:  an HTTP server on 127.0.0.1 with three pages: the latest traces, one trace, statistics.
Cost: each request reads the log anew.

Who may read: only connections over loopback, only with the random token in the path (another user of the
machine, or a page in the same browser, does not know it), and only under the host names of loopback (a name
that is rebound to 127.0.0.1 is refused). A request names a page of the table below, at most with a trace id
of 32 hex digits, which is compared with rows; nothing of it ever becomes a path. Read only: GET and HEAD.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from agent_tools.calllog.lookup import read_trace
from agent_tools.calllog.page import policy, render
from agent_tools.calllog.page.index_data import make_index_payload
from agent_tools.calllog.page.stats_data import Statistics
from agent_tools.calllog.page.trace_data import make_trace_payload
from agent_tools.calllog.reader import find_files, get_text, read_records
from agent_tools.calllog.traces import read_moment

LOOPBACK = "127.0.0.1"
HOSTS = ("127.0.0.1", "localhost")
TIMEOUT_S = 30.0
_TRACE = re.compile(r"trace/([0-9a-f]{32})")
# what the statistics may be limited to -> seconds
PERIODS: dict[str, float | None] = {"1h": 3_600, "24h": 86_400, "7d": 604_800, "all": None}
_DEFAULT_PERIOD = "7d"


class NoSuchPage(Exception):
    """The address leads nowhere."""


class LogServer(ThreadingHTTPServer):
    """Serves one log.

    Args:
        place: Home folder, folder of log files or one file.
        port: Port of loopback; 0 takes a free one.

    Attributes:
        url: Where the list of traces is, token included.

    Example:
        >>> with LogServer(Path("."), port=0) as server:
        ...     server.url.startswith("http://127.0.0.1:")
        True
    """

    daemon_threads = True

    def __init__(self, place: Path, port: int = 0) -> None:
        self.place = place
        self.token = secrets.token_urlsafe(24)
        super().__init__((LOOPBACK, port), _Handler)
        self.hosts = {f"{host}:{self.server_port}" for host in HOSTS}
        self.url = f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Leave out the traceback of a browser that hung up."""


class _Handler(BaseHTTPRequestHandler):
    server: LogServer  # pyright: ignore[reportIncompatibleVariableOverride]  # no other server makes it
    timeout = TIMEOUT_S
    HEADERS: ClassVar[dict[str, str]] = {
        "Cache-Control": "no-store",
        "Content-Security-Policy": f"{policy()}; frame-ancestors 'none'",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }

    def do_GET(self) -> None:
        if self.headers.get("Host", "").lower() not in self.server.hosts:
            self._answer(421, "text/plain", "this server answers to 127.0.0.1 and localhost only\n")
            return
        url = urlsplit(self.path)
        token, _, page = url.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._answer(403, "text/plain", "open the whole address that `agent-tools logs serve` printed\n")
            return
        try:
            body = make_page(self.server.place, page, url.query)
        except NoSuchPage as missing:
            self._answer(404, "text/plain", f"{missing}\n")
        else:
            self._answer(200, "text/html", body)

    do_HEAD = do_GET  # noqa: N815 - the base class's name

    def _answer(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in self.HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse what is no GET without repeating any of it."""
        self._answer(code, "text/plain", "only GET and HEAD are answered here\n")

    def version_string(self) -> str:
        """Name the program, not the versions below it."""
        return "agent-tools"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Keep addresses, which hold the token, off the screen."""


def make_page(place: Path, page: str, query: str) -> str:
    """Return a page by its address below the token.

    Raises:
        NoSuchPage: there is none.
    """
    try:
        if match := _TRACE.fullmatch(page):
            return _trace_page(place, match[1])
        make = _PAGES.get(page)
        if make is None:
            raise NoSuchPage("there is no such page")
        return make(place, query)
    except FileNotFoundError as error:
        raise NoSuchPage("nothing was logged there yet") from error


def _trace_page(place: Path, trace_id: str) -> str:
    rows = read_trace(find_files(place), trace_id)
    if not rows:
        raise NoSuchPage("the log holds no such trace")
    return render(make_trace_payload(rows, links={"traces": "../", "stats": "../stats"}))


def _index_page(place: Path, query: str) -> str:
    rows = read_records(find_files(place), order="newest")
    links = {"trace": "trace/", "traces": "./", "stats": "stats"}
    return render(make_index_payload(rows, "Latest traces", links))


def _stats_page(place: Path, query: str) -> str:
    period = parse_qs(query).get("since", [_DEFAULT_PERIOD])[0]
    if period not in PERIODS:
        raise NoSuchPage(f"known periods: {', '.join(PERIODS)}")
    length_s = PERIODS[period]
    payload = make_stats_payload(
        place,
        None if length_s is None else time.time() - length_s,
        "all days" if length_s is None else period,
    )
    return render(payload | {"periods": list(PERIODS), "links": {"traces": "./", "stats": "stats"}})


def make_stats_payload(place: Path, since: float | None, scope: str) -> dict[str, Any]:
    """Return the payload of the statistics of a log since a moment in Unix seconds."""
    statistics = Statistics()
    first = "" if since is None else time.strftime("%Y-%m-%d", time.gmtime(since - 86_400))
    files = [file for file in find_files(place) if not file.day or file.day >= first]
    for row in read_records(files):
        if row["event"] == "tool_call" and (since is None or read_moment(get_text(row, "ts")) >= since):
            statistics.add(row)
    return {
        "kind": "stats",
        "title": "Statistics",
        "stats": statistics.to_payload(scope),
        "period": scope,
        "links": {},
    }


_PAGES: dict[str, Callable[[Path, str], str]] = {"": _index_page, "stats": _stats_page}
