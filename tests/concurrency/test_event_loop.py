"""What takes long is done in a thread, so that an event loop goes on meanwhile."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from agent_tools import tool
from agent_tools.encodings import loading
from agent_tools.stages.redaction import Redactor

ROWS = [{"id": n, "note": "some words of a row"} for n in range(3000)]


@pytest.fixture
def loaded_in(monkeypatch: pytest.MonkeyPatch) -> list[threading.Thread]:
    """Forget the encodings, and note which threads load one."""
    threads: list[threading.Thread] = []
    load = loading._load

    def noted(name: str) -> loading.Loaded:
        threads.append(threading.current_thread())
        return load(name)

    monkeypatch.setattr(loading, "_loaded", {})
    monkeypatch.setattr(loading, "_load", noted)
    return threads


@pytest.mark.parametrize(
    "value", [ROWS[:200], {"items": ROWS[:200]}, "word " * 1000], ids=["rows", "in an object", "text"]
)
async def test_the_first_count_loads_its_encoding_beside_the_loop(value: Any, loaded_in: Any) -> None:
    """The first result that has to be counted waits for the encoding, the loop does not."""

    @tool(max_tokens=300)
    async def find() -> Any:
        return value

    assert (await find()).status == "partial"
    assert [thread is threading.main_thread() for thread in loaded_in] == [False]


async def test_a_small_result_loads_nothing(loaded_in: Any) -> None:
    """It is known to fit."""

    @tool
    async def get() -> Any:
        return {"id": 1, "note": "x" * 200}

    assert (await get()).status == "success"
    assert loaded_in == []


@pytest.mark.parametrize(
    "value", [ROWS, {"items": ROWS}, "word " * 50_000], ids=["rows", "in an object", "text"]
)
async def test_a_large_result_is_made_beside_the_loop(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cleaning and cutting 3,000 rows takes some twenty milliseconds."""
    threads = []
    report = Redactor.report
    monkeypatch.setattr(
        Redactor,
        "report",
        lambda self, data: threads.append(threading.current_thread()) or report(self, data),
    )

    @tool(max_tokens=300, log=False)
    async def find() -> Any:
        return value

    assert (await find()).status == "partial"
    assert threads
    assert threading.main_thread() not in threads
