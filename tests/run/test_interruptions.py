"""What must pass through a call: cancellation, Ctrl-C, the signals of frameworks. Each leaves its row."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agent_tools import tool


def signal_of(module: str, name: str) -> type[Exception]:
    """Make an exception class as a framework has it."""
    return type(name, (Exception,), {"__module__": module})


SIGNALS: list[BaseException] = [
    KeyboardInterrupt(),
    SystemExit(3),
    GeneratorExit(),
    asyncio.CancelledError(),
    BaseExceptionGroup("group", [KeyboardInterrupt()]),
    BaseExceptionGroup("outer", [BaseExceptionGroup("inner", [ValueError(), SystemExit()])]),
    signal_of("langgraph.errors", "GraphInterrupt")(),
    signal_of("pydantic_ai.exceptions", "ModelRetry")("try again"),
    ExceptionGroup("group", [ValueError(), signal_of("pydantic_ai.exceptions", "CallDeferred")()]),
]


@pytest.mark.parametrize("raised", SIGNALS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize(
    "settings", [{}, {"timeout_s": 60}, {"retries": 3, "errors": {Exception: "OWN"}}], ids=str
)
def test_a_signal_passes_and_is_logged(raised: BaseException, settings: Any, read_log: Any) -> None:
    """The very object comes out of a sync call, once, and the log has one row that says cancelled."""
    calls = []

    def find_orders() -> None:
        calls.append(1)
        raise raised

    with pytest.raises(type(raised)) as caught:
        tool(find_orders, **settings)()

    assert caught.value is raised
    assert calls == [1]
    assert [row["status"] for row in read_log()] == ["cancelled"]
    assert type(raised).__name__ in read_log()[0]["error_class"]


@pytest.mark.parametrize(
    "raised",
    [e for e in SIGNALS if not isinstance(e, (KeyboardInterrupt, SystemExit))],
    ids=lambda e: type(e).__name__,
)
@pytest.mark.parametrize("how", ["async", "thread", "inline"])
async def test_a_signal_passes_in_async_code(raised: BaseException, how: str, read_log: Any) -> None:
    """From an async function, and from a sync one in a worker thread or on the loop."""

    def find_sync() -> None:
        raise raised

    async def find_async() -> None:
        raise raised

    made = tool(find_async) if how == "async" else tool(find_sync, run_in_thread=how == "thread")
    with pytest.raises(type(raised)) as caught:
        await made.ainvoke()

    assert caught.value is raised
    assert [row["status"] for row in read_log()] == ["cancelled"]


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(2)], ids=lambda e: type(e).__name__)
def test_ctrl_c_passes_through_a_loop(raised: BaseException, read_log: Any) -> None:
    """Out of `asyncio.run`, logged once."""

    @tool
    async def find_orders() -> None:
        raise raised

    with pytest.raises(type(raised)):
        asyncio.run(find_orders())

    assert [row["status"] for row in read_log()] == ["cancelled"]


@pytest.mark.parametrize(
    "raised",
    [KeyboardInterrupt(), signal_of("pydantic_ai.exceptions", "ModelRetry")("again")],
    ids=lambda e: type(e).__name__,
)
def test_a_signal_passes_from_between_rows(raised: BaseException, read_log: Any) -> None:
    """A generator that raises one after some rows is not a partial result; it is closed."""
    closed = []

    def list_rows() -> Iterator[int]:
        try:
            yield 1
            yield 2
            raise raised
        finally:
            closed.append(True)

    async def list_async() -> AsyncIterator[int]:
        for row in list_rows():
            yield row

    with pytest.raises(type(raised)):
        tool(list_rows)()
    if isinstance(raised, Exception):
        with pytest.raises(type(raised)):
            asyncio.run(tool(list_async)())

    assert closed
    assert {row["status"] for row in read_log()} == {"cancelled"}


async def test_a_cancelled_task_is_cancelled(read_log: Any) -> None:
    """The function is told and cleans up, the task ends cancelled, the log has one row with a duration."""
    started, cleaned = asyncio.Event(), []

    @tool(retries=3)
    async def find_orders() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append("closed")

    task = asyncio.ensure_future(find_orders())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert (task.cancelled(), cleaned) == (True, ["closed"])
    (row,) = read_log()
    assert (row["status"], row["error_code"]) == ("cancelled", "CANCELLED")
    assert row["elapsed_ms"] >= 0


async def test_a_cancelled_wait_for_a_thread_is_cancelled(read_log: Any) -> None:
    """The sync function can't be stopped; the task is free, and what comes later is no second row."""
    started, release, ended = asyncio.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def find_orders() -> int:
        loop.call_soon_threadsafe(started.set)
        release.wait(20)
        loop.call_soon_threadsafe(ended.set)
        return 1

    task = asyncio.ensure_future(tool(find_orders).ainvoke())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    await ended.wait()

    assert [row["status"] for row in read_log()] == ["cancelled"]


async def test_a_call_cancelled_while_its_result_is_made_has_one_row(read_log: Any) -> None:
    """A large result is made in a thread, which does not stop; it leaves no second row."""
    started, release, ended = asyncio.Event(), threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def say(rows: Any) -> str:
        loop.call_soon_threadsafe(started.set)
        release.wait(20)
        loop.call_soon_threadsafe(ended.set)
        return "many"

    @tool(summary=say, store=False)
    async def find_orders() -> list[int]:
        return list(range(50_000))

    task = asyncio.ensure_future(find_orders())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    await ended.wait()
    await asyncio.to_thread(_let_threads_end)

    assert [row["status"] for row in read_log()] == ["cancelled"]


def _let_threads_end() -> None:
    tick = threading.Event()
    for _ in range(20):
        tick.wait(0.01)


async def test_a_timeout_around_a_call_is_the_callers() -> None:
    """`asyncio.timeout` around it raises TimeoutError as it does around anything else."""

    @tool
    async def find_orders() -> None:
        await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await find_orders()

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_a_task_group_is_not_disturbed(read_log: Any) -> None:
    """A failing sibling cancels the call; a failing tool cancels nobody, since it returns its envelope."""

    @tool
    async def find_orders() -> None:
        await asyncio.Event().wait()

    @tool
    async def find_broken() -> None:
        raise ValueError("no")

    async def sibling() -> None:
        await asyncio.sleep(0)
        raise LookupError("sibling")

    async def run_group() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(find_orders())  # type: ignore[arg-type]
            group.create_task(sibling())

    with pytest.raises(ExceptionGroup) as caught:
        await run_group()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(find_broken())  # type: ignore[arg-type]

    assert [type(error) for error in caught.value.exceptions] == [LookupError]
    assert task.result().status == "error"
    assert [row["status"] for row in read_log()] == ["cancelled", "error"]


@pytest.mark.parametrize("setting", ["summary", "important", "empty"])
def test_ctrl_c_in_a_callable_of_the_tools_own_passes(setting: str, read_log: Any) -> None:
    """It may come at any time, also while the result is made."""

    def interrupted(value: Any) -> Any:
        raise KeyboardInterrupt

    made = tool(lambda: [{"i": i} for i in range(3000)], name="find_rows", **{setting: interrupted})
    with pytest.raises(KeyboardInterrupt):
        made()

    assert [row["status"] for row in read_log()] == ["cancelled"]
