"""The server of the pages: who is answered, and with what."""

from __future__ import annotations

import http.client
import threading

import pytest

from agent_tools.calllog.page.server import LogServer


@pytest.fixture
def server(write_log, make_row):
    """A server on a free port over a log of one trace."""
    home = write_log(make_row(), make_row(2, event="answer", answer="done"))
    with LogServer(home) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def ask(server):
    """Send a request; `{token}` in the path stands for the server's token."""

    def ask(path="/{token}/", method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        connection.request(method, path.format(token=server.token), headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer, body

    return ask


def test_it_listens_on_loopback_only(server):
    """Other machines can't connect at all."""
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.token) >= 32


@pytest.mark.parametrize("page", ["", "stats", "stats?since=1h", "stats?since=all", f"trace/{'ab' * 16}"])
def test_the_pages_are_served_with_strict_headers(ask, page):
    """Every page forbids what it does not need, and is kept nowhere."""
    answer, body = ask("/{token}/" + page)

    assert answer.status == 200
    assert body.startswith("<!doctype html>")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    ["/", "/favicon.ico", "/wrong/", "/{token}x/", "/%7Btoken%7D/", f"/trace/{'ab' * 16}"],
)
def test_without_the_token_nothing_is_told(ask, path):
    """Another user of the machine does not know it."""
    answer, body = ask(path)

    assert answer.status == 403
    assert "find_orders" not in body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"]
)
def test_another_host_name_is_refused(ask, host):
    """A name that was rebound to this machine is not answered, even with the token."""
    answer, body = ask(Host=host)

    assert answer.status == 421
    assert "find_orders" not in body


def test_localhost_is_answered(ask, server):
    """Both names of loopback are this server's."""
    assert ask(Host=f"localhost:{server.server_port}")[0].status == 200


@pytest.mark.parametrize(
    "page",
    [
        "../../etc/passwd",
        "%2e%2e/%2e%2e/etc/passwd",
        "trace/../../../etc/passwd",
        "trace/" + "zz" * 16,
        "trace/" + "cd" * 16,
        "trace/" + "ab" * 16 + "/",
        "calls/calls-2026-01-31.jsonl",
        "page.css",
        "stats?since=../x",
    ],
)
def test_no_path_leads_to_a_file(ask, page):
    """A request names a page of a short table or nothing."""
    answer, body = ask("/{token}/" + page)

    assert answer.status == 404
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "passwd" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_only_reading_is_answered(ask, method):
    """Nothing can be changed, and no other origin is let in."""
    answer, _ = ask(method=method)

    assert answer.status == 501
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_a_head_request_has_no_body(ask):
    """HEAD is GET without its body."""
    answer, body = ask(method="HEAD")

    assert (answer.status, body) == (200, "")
    assert int(answer.headers["Content-Length"]) > 50_000


def test_each_request_reads_the_log_anew(ask, write_log, make_row):
    """What was logged meanwhile is seen at the next look."""
    write_log(make_row(), make_row(2, tool="later_tool"))

    assert "later_tool" in ask(f"/{{token}}/trace/{'ab' * 16}")[1]
