"""`timeout_s`: the caller is free at the deadline, whatever the function goes on doing."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agent_tools import read_result, run, tool


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Let functions that were given up end with the test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_sync_function_is_given_up(release: threading.Event) -> None:
    """The caller is told the limit, and that the function may still be running."""
    result = tool(lambda: release.wait(20), name="get_report", timeout_s=0.05)()

    assert (result.status, result.error.code) == ("error", "DEADLINE_EXCEEDED")
    assert "0.05 s" in result.error.message
    assert "may still be running" in result.error.message
    assert (result.error.retryable, result.error.outcome) == (True, "unknown")


async def test_an_async_function_is_cancelled() -> None:
    """It is told, so nothing runs on."""
    ended = []

    @tool(timeout_s=0.05)
    async def get_report() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("closed")

    result = await get_report()

    assert (result.error.code, ended) == ("DEADLINE_EXCEEDED", ["closed"])
    assert "still be running" not in result.error.message


async def test_a_sync_function_is_given_up_in_async_code(release: threading.Event) -> None:
    """The loop is free at the deadline, too."""
    result = await tool(lambda: release.wait(20), name="get_report", timeout_s=0.05).ainvoke()

    assert result.error.code == "DEADLINE_EXCEEDED"
    assert "may still be running" in result.error.message


@pytest.mark.parametrize("how", ["sync", "async"])
def test_an_action_that_took_too_long_is_to_be_checked(how: str, release: threading.Event) -> None:
    """It may have happened, so the same call again is no advice."""
    made = tool(lambda: release.wait(20), name="send_mail", timeout_s=0.05)

    result = made() if how == "sync" else asyncio.run(made.ainvoke())

    assert (result.error.retryable, result.error.recovery) == (False, "check_first")


def test_a_timeout_of_the_functions_own_is_its_failure() -> None:
    """The library's limit is not named when it was not reached."""

    def read() -> None:
        raise TimeoutError("upstream was slow")

    async def read_async() -> None:
        raise TimeoutError("upstream was slow")

    for result in (tool(read, timeout_s=60)(), asyncio.run(tool(read_async, timeout_s=60)())):
        assert result.error.code == "DEADLINE_EXCEEDED"
        assert "limit of" not in result.error.message


def test_a_function_in_time_gives_its_value() -> None:
    """Also None, an exception and StopIteration come through the thread as they are."""

    def stop() -> None:
        raise StopIteration

    assert tool(lambda: 5, name="get", timeout_s=60)().data == 5
    assert tool(lambda: None, name="send", timeout_s=60)().status == "success"
    assert tool(stop, timeout_s=60)().error.code == "INTERNAL"


def test_a_late_value_is_nobodys(release: threading.Event, read_log: Any) -> None:
    """What comes after the deadline makes no second row."""
    ended = threading.Event()

    def work() -> str:
        release.wait(20)
        ended.set()
        return "late"

    tool(work, name="get_report", timeout_s=0.05)()
    release.set()
    ended.wait(10)

    assert [row["status"] for row in read_log()] == ["error"]


def test_fifty_given_up_calls_do_not_starve_others(release: threading.Event) -> None:
    """A later quick tool still answers, sync and async."""
    slow = tool(lambda: release.wait(20), name="get_report", timeout_s=0.01)
    quick = tool(lambda: "quick", name="get_word", timeout_s=60)

    assert {slow().error.code for _ in range(50)} == {"DEADLINE_EXCEEDED"}
    assert quick().data == "quick"
    assert asyncio.run(quick.ainvoke()).data == "quick"


@pytest.fixture
def slots(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.BoundedSemaphore]:
    """Bound the workers to three, when no worker of another test is left that would give its slot back."""
    _join_workers()
    bound = threading.BoundedSemaphore(3)
    monkeypatch.setattr(run, "_slots", bound)
    yield bound
    _join_workers()


def _join_workers() -> None:
    for thread in threading.enumerate():
        if thread.name == "agent_tools call":
            thread.join(30)


def test_threads_are_bounded(release: threading.Event, slots: threading.BoundedSemaphore) -> None:
    """Beyond the bound a call is refused as not applied; when some have ended, calls work again."""
    slow = tool(lambda: release.wait(20), name="send_mail", timeout_s=0.01)
    codes = [slow().error.code for _ in range(5)]
    refused = slow().error
    release.set()
    _join_workers()

    assert codes == ["DEADLINE_EXCEEDED"] * 3 + ["RESOURCE_EXHAUSTED"] * 2
    assert (refused.outcome, refused.retryable) == ("not_applied", True)
    assert slow().data is True


async def test_async_calls_wait_for_a_thread(slots: threading.BoundedSemaphore) -> None:
    """Two hundred calls at once through three threads all get their answer."""
    get = tool(lambda i: i, name="get")

    results = await asyncio.gather(*(get.ainvoke({"i": i}) for i in range(200)))

    assert [result.data for result in results] == list(range(200))
    assert slots._value == 3


async def test_a_cancelled_wait_takes_no_thread(
    slots: threading.BoundedSemaphore, release: threading.Event
) -> None:
    """A task that gave up waiting leaves the bound as it was."""
    get = tool(lambda: release.wait(20), name="get")
    running = [asyncio.create_task(get.ainvoke()) for _ in range(3)]
    waiting = asyncio.create_task(get.ainvoke())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    release.set()

    assert [(await task).data for task in running] == [True] * 3
    await asyncio.to_thread(_join_workers)
    assert slots._value == 3


def test_the_process_ends_at_once(home: Any) -> None:
    """Interpreter exit does not wait for functions that were given up, sync or async."""
    code = (
        "import asyncio, time\n"
        "from agent_tools import tool\n"
        "stuck = tool(lambda: time.sleep(3600), name='get_report', timeout_s=0.05)\n"
        "codes = [stuck().error.code, asyncio.run(stuck.ainvoke()).error.code]\n"
        "print(*codes)\n"
    )

    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env=dict(os.environ) | {"AGENT_TOOLS_HOME": str(home)},
    )

    assert (ran.stdout, ran.stderr, ran.returncode) == ("DEADLINE_EXCEEDED DEADLINE_EXCEEDED\n", "", 0)


@pytest.mark.parametrize("how", ["sync", "async"])
def test_a_slow_generator_is_given_up(how: str, release: threading.Event) -> None:
    """The deadline holds for the rows, too, not only for the call that makes the generator."""

    def rows() -> Iterator[int]:
        yield 1
        release.wait(20)
        yield 2

    made = tool(rows, name="list_rows", timeout_s=0.05)

    result = made() if how == "sync" else asyncio.run(made.ainvoke())

    assert result.error.code == "DEADLINE_EXCEEDED"


def test_a_long_deadline_announces_the_call(release: threading.Event, read_log: Any) -> None:
    """A call that may take long leaves a row at its start, so that a killed process shows what it did."""
    tool(lambda: 1, name="get_report", timeout_s=60)()
    tool(lambda: 1, name="get_word")()

    assert [row["tool"] for row in read_log("tool_start")] == ["get_report"]


@pytest.mark.parametrize("how", ["sync", "thread", "async"])
@pytest.mark.parametrize(
    ("number", "settings"), [(3, {}), (3, {"store": False}), (4_000, {"max_tokens": 400})]
)
def test_what_a_stream_gave_before_its_deadline_is_kept(
    how: str, number: int, settings: dict[str, Any], release: threading.Event
) -> None:
    """A few rows or many in the store: partial with the error, as when the stream breaks."""
    closed = threading.Event()

    def rows() -> Iterator[dict[str, int]]:
        try:
            for n in range(number):
                yield {"n": n}
            release.wait(20)
            yield {"n": -1}
        finally:
            closed.set()

    async def rows_async() -> AsyncIterator[dict[str, int]]:
        for n in range(number):
            yield {"n": n}
        await asyncio.Event().wait()

    made = tool(rows_async if how == "async" else rows, name="list_rows", timeout_s=0.5, **settings)

    result = made() if how == "sync" else asyncio.run(made.ainvoke())

    assert (result.status, result.error.code) == ("partial", "DEADLINE_EXCEEDED")
    assert f"broke off after {number}" in result.meta["summary"].replace(",", "")
    if number > 3:
        assert read_result(result.meta["result_id"], limit=1, offset=number - 1).data == [{"n": number - 1}]
    else:
        assert result.data == [{"n": 0}, {"n": 1}, {"n": 2}]
    if how != "async":
        release.set()
        assert closed.wait(10)  # the reader stops at its next row
        if number > 3:
            assert read_result(result.meta["result_id"], offset=number).data == []


def test_the_rows_of_a_cursor_are_kept(release: threading.Event) -> None:
    """A real SQLite cursor whose rows become slow; they come a batch at a time."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.create_function("slow", 1, lambda n: (n > 2_500 and release.wait(20) and 0) or n)
    numbers = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 9000)"

    made = tool(lambda: connection.execute(f"{numbers} SELECT slow(n) AS n FROM t"), name="q", timeout_s=0.5)
    result = made()

    assert (result.status, result.error.code) == ("partial", "DEADLINE_EXCEEDED")
    assert result.data[:3] == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_a_tool_inside_a_tool_keeps_its_own_rows(release: threading.Event) -> None:
    """What the inner one reads is no part of the result of the outer one."""

    @tool
    def inner() -> Iterator[int]:
        yield 1
        release.wait(20)

    result = tool(lambda: inner().data, name="outer", timeout_s=0.1)()

    assert (result.status, result.data, result.error.code) == ("error", None, "DEADLINE_EXCEEDED")
