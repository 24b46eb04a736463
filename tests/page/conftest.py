"""Parts shared by the tests of the pages: rows of a trace, and a real browser where there is one."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

import pytest

from agent_tools.calllog.page import render
from agent_tools.calllog.page.trace_data import make_trace_payload

TRACE_ID = "ab" * 16
# without these Chromium tries to reach its maker's hosts at every start
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def make_row():
    """Make a row of one trace, call number n at second n."""

    def make(n=1, **given):
        row = {
            "schema": "agent_tools.call/1",
            "event": "tool_call",
            "ts": f"2026-01-31T12:{n // 60 % 60:02d}:{n % 60:02d}.500000+00:00",
            "trace_id": TRACE_ID,
            "span_id": f"{n:016x}",
            "call_id": f"c_{n}",
            "seq": n,
            "tool": "find_orders",
            "status": "success",
            "elapsed_ms": 100.0,
            "arguments": {"city": f"city {n}"},
            "prompt": '{"status":"success","meta":{},"error":null,"data":[{"id":1},{"id":2}]}',
            "tokens": 20,
        }
        return {name: value for name, value in (row | given).items() if value is not None}

    return make


@pytest.fixture
def write_log(home):
    """Write rows to the log of the test's home folder."""
    import orjson

    def write(*rows):
        (home / "calls").mkdir(parents=True, exist_ok=True)
        lines = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        (home / "calls" / "calls-2026-01-31.jsonl").write_bytes(lines)
        return home

    return write


@pytest.fixture(scope="module")
def browser():
    """Start Chromium for the tests of one module: a running one keeps other modules' event loops out."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("there is no Chromium here: apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        sandbox = [] if os.name == "nt" or os.geteuid() else ["--no-sandbox"]
        chromium = playwright.chromium.launch(executable_path=found, args=[*FLAGS, *sandbox])
        yield chromium
        chromium.close()


class Watch:
    """What a page did that no page may do."""

    def __init__(self, page, allowed):
        self.faults = []
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        page.on("console", lambda line: line.type == "error" and self.faults.append(f"console {line.text}"))
        page.on(
            "request",
            lambda request: (
                request.url.startswith((allowed, "data:")) or self.faults.append(f"request {request.url}")
            ),
        )


@pytest.fixture
def visit(browser):
    """Open an address in a window; fails when the page errs, asks, or reaches for anything else."""

    @contextmanager
    def visit(url, *, width=1400, height=900, dark=False, excused="nothing"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        page = context.new_page()
        page.set_default_timeout(20_000)
        watch = Watch(page, url.partition("#")[0])
        page.goto(url)
        yield page
        context.close()
        assert [fault for fault in watch.faults if excused not in fault] == []

    return visit


@pytest.fixture
def show(visit, tmp_path):
    """Show the page of a trace's rows, or of a payload, from a file."""

    def show(rows, **given):
        payload = rows if isinstance(rows, dict) else make_trace_payload(rows)
        path = tmp_path / "page.html"
        path.write_text(render(payload), encoding="utf-8")
        return visit(path.as_uri(), **given)

    return show
