"""Every example runs as it stands, in a process of its own, and is short enough to be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = {
    "database": ["partial", "empty", "success"],
    "http_api": ["success", "error", "error", "error"],
    "files_text": ["success", "success", "success", "partial", "error", "error", "success"],
    "run_python": ["success", "error", "error", "error", "error"],
    "frames": ["partial", "success", "success", "empty"],
    "retrieval": ["success", "empty"],
    "own_converter": ["success", "error"],
    "stream": ["partial", "partial"],
}
NEEDS = {"http_api": "httpx", "frames": "polars"}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_its_results(tmp_path, name):
    """One envelope a line, with the statuses that the example is about."""
    pytest.importorskip(NEEDS.get(name, "json"))

    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"AGENT_TOOLS_HOME": str(tmp_path / "home")},
    )

    assert done.returncode == 0, done.stderr
    envelopes = [json.loads(line) for line in done.stdout.splitlines() if line]
    assert [envelope["status"] for envelope in envelopes] == NAMES[name]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_short(name):
    """Under sixty lines, with a docstring that says how to run it."""
    source = (EXAMPLES / f"{name}.py").read_text()

    assert len(source.splitlines()) < 60
    assert f"python examples/{name}.py" in source
