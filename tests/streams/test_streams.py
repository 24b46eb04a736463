"""A generator tool streams: rows are counted, surveyed and kept in the store, and memory stays flat."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_tools import read_result, tool

ROWS = 20_000
NEEDLE = 15_432


def _row(n: int) -> dict[str, Any]:
    return {"id": n, "room": f"R{n % 7}", "celsius": 94.0 if n == NEEDLE else 21.5}


@tool(max_tokens=400)
def list_readings() -> Iterator[dict[str, Any]]:
    for n in range(ROWS):
        yield _row(n)


@tool(max_tokens=400)
async def fetch_readings() -> AsyncIterator[dict[str, Any]]:
    for n in range(ROWS):
        yield _row(n)


def _read_all(result_id: str) -> list[Any]:
    rows: list[Any] = []
    arguments: dict[str, Any] | None = {"result_id": result_id, "limit": 5000}
    while arguments:
        page = read_result(**arguments)
        rows += page.data
        arguments = page.meta.get("next", {}).get("arguments")
    return rows


def test_all_rows_are_counted_and_the_odd_one_is_shown() -> None:
    """The total is exact, statistics are of all rows, and the needle deep inside is in the text."""
    result = list_readings()

    shown = json.loads(result.to_prompt())
    assert (result.status, result.meta["total"], result.value) == ("partial", ROWS, None)
    assert {"row": NEEDLE, "why": "largest celsius"} in shown["meta"]["kept"]
    assert "celsius: 21.5 to 94.0" in shown["meta"]["summary"]


async def test_an_async_generator_streams_alike() -> None:
    """The same rows, but for one: ids are random, and some take a token more than others."""
    sync, streamed = list_readings(), await fetch_readings()
    n = min(len(sync.data), len(streamed.data))

    assert abs(len(sync.data) - len(streamed.data)) <= 1
    assert streamed.data[: n - 1] == sync.data[: n - 1]
    assert streamed.data[-1] == sync.data[-1] == _row(NEEDLE)
    assert streamed.meta["total"] == ROWS


def test_a_stream_is_read_back_whole() -> None:
    """A page deep inside, rows by condition and groups come from the store."""
    result_id = list_readings().meta["result_id"]

    assert read_result(result_id, offset=NEEDLE, limit=1).data == [_row(NEEDLE)]
    assert read_result(result_id, where={"celsius": [">", 90]}).data == [_row(NEEDLE)]
    assert read_result(result_id, group_by="room", metrics={"id": "count"}).meta["total"] == 7


def test_page_after_page_gives_back_the_whole() -> None:
    """What was streamed equals what is read."""

    @tool(max_tokens=2000)
    def list_numbers() -> Iterator[dict[str, int]]:
        yield from ({"n": n} for n in range(3001))

    assert _read_all(list_numbers().meta["result_id"]) == [{"n": n} for n in range(3001)]


def test_a_stream_that_breaks_is_partial_with_its_rows() -> None:
    """The rows before the break are kept, the total is unknown, the error says what happened."""

    @tool(kind="query", max_tokens=300)
    def list_until_timeout() -> Iterator[dict[str, int]]:
        yield from ({"i": i} for i in range(3000))
        raise TimeoutError("cut off")

    result = list_until_timeout()

    assert (result.status, result.meta["total"]) == ("partial", None)
    assert (result.error.code, result.error.retryable) == ("DEADLINE_EXCEEDED", True)
    assert "after 3000 rows" in result.meta["summary"]
    assert read_result(result.meta["result_id"], offset=2999).data == [{"i": 2999}]


def test_a_stream_that_is_interrupted_leaves_nothing(home: Path) -> None:
    """Ctrl-C closes the generator and drops what was kept."""
    closed = []

    @tool(max_tokens=300)
    def list_until_interrupt() -> Iterator[int]:
        try:
            yield from range(3000)
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        list_until_interrupt()

    assert closed == [True]


def test_without_a_store_reading_stops_and_says_so() -> None:
    """When nothing may be stored, at most `max_rows` are drawn and the generator is closed."""
    closed = []

    @tool(store=False, max_rows=50, max_tokens=None)
    def list_forever() -> Iterator[int]:
        try:
            n = 0
            while True:
                yield n
                n += 1
        finally:
            closed.append(n)

    result = list_forever()

    assert (result.status, result.data) == ("partial", list(range(50)))
    assert result.meta["total"] is None
    assert "stopped after 50 rows" in result.meta["warnings"][0]
    assert closed == [50]


def test_secrets_in_a_stream_are_hidden_before_they_are_kept(home: Path) -> None:
    """Every row is redacted on its way into the store."""
    key = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"

    @tool(max_tokens=300)
    def list_tokens() -> Iterator[dict[str, Any]]:
        yield from ({"i": i, "note": f"use {key}" if i == 2900 else "nothing"} for i in range(3000))

    result = list_tokens()

    assert result.meta["redactions"] == 1
    assert key not in str(read_result(result.meta["result_id"], offset=2900, limit=1).data)
    assert not any(key.encode() in file.read_bytes() for file in home.rglob("*") if file.is_file())


def test_hidden_fields_of_a_stream_stay_hidden() -> None:
    """Another reader's view has neither the field nor a statistic of it."""

    @tool(max_tokens=400, audience={"margin": "plan"})
    def list_sales() -> Iterator[dict[str, Any]]:
        yield from ({"id": n, "margin": 777000 + n} for n in range(3000))

    answer = list_sales().to_prompt("answer")

    assert "777" not in answer
    assert "margin" not in answer


def test_a_store_that_fails_costs_the_rest_only(tmp_path: Path) -> None:
    """The rows that matter are shown all the same, and the text says that the rest is lost."""
    (tmp_path / "results.db").mkdir()

    @tool(max_tokens=400, store=f"sqlite:///{tmp_path / 'results.db'}")
    def list_rows() -> Iterator[dict[str, int]]:
        yield from ({"n": n} for n in range(3000))

    result = list_rows()

    assert (result.status, result.meta["total"]) == ("partial", 3000)
    assert "result_id" not in result.meta
    assert "could not be kept" in result.meta["warnings"][0]


async def test_an_async_generator_is_kept_beyond_max_rows() -> None:
    """`max_rows` is for what may not be stored; what is stored has no end."""

    @tool(max_tokens=400, max_rows=1_000)
    async def fetch_many() -> AsyncIterator[dict[str, Any]]:
        for n in range(5_000):
            yield _row(n)

    result = await fetch_many()

    assert (result.meta["total"], result.value) == (5_000, None)
    assert len(_read_all(result.meta["result_id"])) == 5_000


async def test_an_async_generator_is_under_its_deadline_and_its_retries() -> None:
    """Its rows are awaited within the limit, where it is closed; a try that failed is followed by another."""
    events: list[str] = []

    @tool(timeout_s=0.05)
    async def fetch_slowly() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            events.append("closed")

    @tool(retries=1)
    async def fetch_again() -> AsyncIterator[int]:
        events.append("try")
        if events.count("try") == 1:
            raise ConnectionResetError("reset")
        yield 2

    late, again = await fetch_slowly(), await fetch_again()

    assert (late.error.code, events) == ("DEADLINE_EXCEEDED", ["closed", "try", "try"])
    assert "may still be running" not in late.error.message
    assert (again.data, again.meta["attempts"]) == ([2], 2)


def test_a_generator_that_fails_while_it_is_closed_keeps_its_rows() -> None:
    """One that yields in its `finally` raises RuntimeError when it is closed early."""

    @tool(max_rows=3, store=False)
    def list_numbers() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            yield -1

    result = list_numbers()

    assert (result.status, result.data) == ("partial", [0, 1, 2])
    assert result.error.message == "RuntimeError: generator ignored GeneratorExit"


@pytest.mark.parametrize("rows", [3, 3000])
def test_a_stream_that_breaks_does_not_doubt_that_there_are_rows(rows: int) -> None:
    """A few rows or many: the summary says that there may be more, and no hint that there may be none."""

    def read() -> Iterator[dict[str, int]]:
        for n in range(rows):
            yield {"n": n}
        raise ConnectionResetError(104, "reset")

    result = tool(read)()

    assert "broke off after" in result.meta["summary"]
    assert result.error.hint is None
