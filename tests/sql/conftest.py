"""Parts shared by the tests of SQL over the log: day files on disk and the command run on them."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner

from agent_tools.calllog.queries import ask
from agent_tools.calllog.reader import find_files
from agent_tools.cli.main import main

LONG_AGO = 1_760_000_000


@pytest.fixture
def write_day(tmp_path):
    """Write the file of one day, dicts or raw lines, as if it had been written long ago."""

    def write(day, *rows):
        (tmp_path / "calls").mkdir(exist_ok=True)
        path = tmp_path / "calls" / f"calls-{day}.jsonl"
        start = {"schema": "agent_tools.call/1", "event": "tool_call", "ts": f"{day}T12:00:00.5+00:00"}
        lines = [row if isinstance(row, bytes) else json.dumps(start | row).encode() for row in rows]
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        os.utime(path, (LONG_AGO, LONG_AGO))
        return path

    return write


@pytest.fixture
def query(tmp_path):
    """Ask the day files and archives below `tmp_path`; returns the rows."""
    from agent_tools.calllog.archive import list_archives

    def run(sql):
        return list(ask(sql, find_files(tmp_path), list_archives(tmp_path / "calls")).rows)

    return run


@pytest.fixture
def run(tmp_path):
    """Run `agent-tools logs ...` on that log."""

    def run(*arguments, **given):
        return CliRunner().invoke(main, ["logs", *arguments, "--home", str(tmp_path)], **given)

    return run
