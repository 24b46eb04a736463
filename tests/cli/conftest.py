"""Parts shared by the tests of the command line: a log on disk and the command run on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import agent_tools
from agent_tools.cli.main import main

ROOT = Path(agent_tools.__file__).parents[1]


def _record(**given):
    whole = {
        "schema": "agent_tools.call/1",
        "event": "tool_call",
        "ts": "2026-01-31T12:00:00.000000+00:00",
        "trace_id": "a" * 32,
        "call_id": "c_1",
        "call_id_source": "own",
        "tool": "find",
        "status": "success",
        "elapsed_ms": 1.5,
    }
    return whole | given


@pytest.fixture
def write_log(tmp_path):
    """Append rows (dicts, or raw bytes) to a log below `tmp_path`."""

    def write(*rows, name="calls-2026-01-31.jsonl", end=b"\n"):
        (tmp_path / "calls").mkdir(exist_ok=True)
        lines = [row if isinstance(row, bytes) else json.dumps(_record(**row)).encode() for row in rows]
        with (tmp_path / "calls" / name).open("ab") as file:
            file.write(b"\n".join(lines) + end)

    return write


@pytest.fixture
def run(tmp_path):
    """Run `agent-tools logs ...` on that log, or on the one of the test's own calls."""

    def run(*arguments, home=tmp_path, env=None):
        # a width of our own: that of the terminal differs from one test run to another
        settings = {"COLUMNS": "160", **(env or {})}
        return CliRunner().invoke(main, ["logs", *arguments, "--home", str(home)], env=settings)

    return run


@pytest.fixture
def command(tmp_path):
    """The command line and environment of a child process that runs the command on that log."""

    def make(*arguments, **environment):
        kept = {
            k: v for k, v in os.environ.items() if k not in ("PYTHONUTF8", "PYTHONIOENCODING", "NO_COLOR")
        }
        env = kept | {"PYTHONPATH": str(ROOT), "AGENT_TOOLS_HOME": str(tmp_path)} | environment
        return {"args": [sys.executable, "-m", "agent_tools", "logs", *arguments], "env": env}

    return make


@pytest.fixture
def run_command(command):
    """Run it to its end."""

    def run(*arguments, **environment):
        return subprocess.run(
            **command(*arguments, **environment), capture_output=True, timeout=60, check=False
        )

    return run


@pytest.fixture
def read_ids():
    return lambda result: [json.loads(line)["call_id"] for line in result.stdout.splitlines()]
