"""Parts shared by the tests of the call log: records, homes and child processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import agent_tools

ROOT = Path(agent_tools.__file__).parents[1]


def _record(**given):
    whole = {
        "schema": "agent_tools.call/1",
        "event": "tool_call",
        "ts": "2026-01-31T12:00:00.000000+00:00",
        "trace_id": "0" * 32,
        "call_id": "c_1",
        "call_id_source": "own",
        "tool": "find",
        "status": "success",
        "elapsed_ms": 1.5,
    }
    return whole | given


def _run(code, *arguments, home, flags=(), **environment):
    """Run Python code in a child process whose log goes to `home`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env = kept | {"PYTHONPATH": str(ROOT), "AGENT_TOOLS_HOME": str(home), **environment}
    return subprocess.run(
        [sys.executable, *flags, "-c", code, *arguments],
        env=env,
        capture_output=True,
        timeout=120,
        check=False,
    )


def _rows(home):
    """Read the log as a stranger would: by line feeds, strictly."""
    rows = []
    for path in sorted(Path(home).glob("calls/*.jsonl")):
        *lines, last = path.read_bytes().split(b"\n")
        assert last == b""
        rows += [json.loads(line) for line in lines]
    return rows


@pytest.fixture
def record():
    return _record


@pytest.fixture
def run_child():
    return _run


@pytest.fixture
def start_child():
    """Start Python code in a child process and go on."""
    children = []

    def start(code, home):
        env = dict(os.environ) | {"PYTHONPATH": str(ROOT), "AGENT_TOOLS_HOME": str(home)}
        children.append(
            subprocess.Popen(
                [sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        )
        return children[-1]

    yield start
    for child in children:
        child.kill()
        child.communicate()


@pytest.fixture
def read_rows():
    return _rows
