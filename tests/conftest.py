"""What all tests share: a home folder of their own, and the log of the calls they make."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# the same examples every time: a new one is found by whoever searches (`make search`), not by who lands next
settings.register_profile(
    "project",
    deadline=None,
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.register_profile("search", settings.get_profile("project"), derandomize=False, max_examples=600)
settings.load_profile("project")


@pytest.fixture(autouse=True)
def home(tmp_path: Path) -> Iterator[Path]:
    """Keep what a test stores and logs in a folder of its own."""
    from agent_tools.settings import override

    folder = tmp_path / "home"
    with override(home=folder):
        yield folder


@pytest.fixture
def read_log(home: Path) -> Callable[..., list[dict[str, Any]]]:
    """Read the rows of the call log so far; one kind of rows with `event`."""

    def read(event: str | None = "tool_call") -> list[dict[str, Any]]:
        lines = [
            line
            for file in sorted((home / "calls").glob("*.jsonl"))
            for line in file.read_bytes().splitlines()
        ]
        rows = [json.loads(line) for line in lines if line.strip()]
        return [row for row in rows if event is None or row["event"] == event]

    return read
