"""Where a function runs: in the caller's thread, in a worker, on the loop; shown by events, not by time."""

from __future__ import annotations

import asyncio
import contextvars
import sqlite3
import threading
from typing import Any

import pytest

from agent_tools import tool
from agent_tools.run import MAX_THREADS

USER: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")


def where() -> int:
    return threading.get_ident()


def test_a_direct_call_runs_in_the_callers_thread() -> None:
    """Sync code stays in its thread and gets an envelope, no coroutine; no loop is needed or made."""
    assert tool(where)().value == threading.get_ident()
    assert tool(where).invoke().value == threading.get_ident()


async def test_a_direct_call_within_a_loop_is_sync() -> None:
    """Who calls a sync tool without `ainvoke` blocks the loop knowingly."""
    assert tool(where)().value == threading.get_ident()


async def test_ainvoke_runs_a_sync_function_in_a_worker() -> None:
    """By default; with the opt-out on the loop's own thread."""
    assert (await tool(where).ainvoke()).value != threading.get_ident()
    assert (await tool(where, run_in_thread=False).ainvoke()).value == threading.get_ident()


async def test_an_async_function_runs_on_the_loop() -> None:
    """The opt-out says nothing about it."""

    async def where_async() -> int:
        return threading.get_ident()

    for run_in_thread in (True, False):
        made = tool(where_async, run_in_thread=run_in_thread)
        assert (await made.ainvoke()).value == threading.get_ident()


async def test_the_opt_out_is_for_libraries_of_one_thread() -> None:
    """A SQLite connection that only its own thread may use."""
    connection = sqlite3.connect(":memory:")

    def count_rows() -> int:
        return int(connection.execute("select 41 + 1").fetchone()[0])

    worker, inline = tool(count_rows), tool(count_rows, run_in_thread=False)

    assert (await worker.ainvoke()).status == "error"
    assert (await inline.ainvoke()).data == 42
    connection.close()


async def test_the_loop_goes_on_while_a_function_blocks() -> None:
    """A blocked function waits for something that only the loop can do; on the loop it would never end."""
    release = threading.Event()

    def block() -> bool:
        return release.wait(30)

    call = asyncio.ensure_future(tool(block, name="get").ainvoke())
    for _ in range(5):
        await asyncio.sleep(0)
    release.set()

    assert (await call).data is True


async def test_blocked_calls_run_side_by_side() -> None:
    """Four calls that wait for each other all end, so none of them held up another."""
    barrier = threading.Barrier(4)

    results = await asyncio.gather(
        *(tool(lambda: barrier.wait(30) >= 0, name="get").ainvoke() for _ in range(4))
    )

    assert [result.data for result in results] == [True] * 4


async def test_a_large_result_is_made_off_the_loop() -> None:
    """Cleaning, counting and storing five megabytes do not hold the loop: it turns meanwhile."""
    threads: list[int] = []
    turns_before_end = 0

    def say(rows: Any) -> str:
        threads.append(threading.get_ident())
        return "many"

    @tool(summary=say)
    async def find_rows() -> list[dict[str, Any]]:
        return [{"i": i, "note": "word " * 10} for i in range(20_000)]

    call = asyncio.ensure_future(find_rows())
    while not call.done():
        turns_before_end += 1
        await asyncio.sleep(0)

    assert (await call).status == "partial"
    assert threading.get_ident() not in threads
    assert turns_before_end > 10


def test_context_variables_reach_the_worker() -> None:
    """Read access to the caller's context; what a worker sets stays in its copy."""

    def read_user() -> str:
        user = USER.get()
        USER.set("changed")
        return user

    USER.set("ann")

    assert tool(read_user, timeout_s=30)().data == "ann"
    assert asyncio.run(tool(read_user).ainvoke()).data == "ann"
    assert USER.get() == "ann"


def test_what_a_direct_call_sets_stays_set() -> None:
    """Without a worker a tool is the function: it may set the caller's variables."""

    def sign_in() -> bool:
        USER.set("bob")
        return True

    USER.set("ann")
    tool(sign_in)()

    assert USER.get() == "bob"


async def test_an_async_tools_variables_are_the_tasks() -> None:
    """As in any coroutine that is awaited."""

    @tool
    async def sign_in() -> bool:
        USER.set("carol")
        return True

    await sign_in()

    assert USER.get() == "carol"


@pytest.mark.parametrize("how", ["sync", "async"])
def test_workers_do_not_keep_a_process_alive(how: str) -> None:
    """They are daemons: an executor would join them at exit."""

    def is_daemon() -> bool:
        return threading.current_thread().daemon

    made = tool(is_daemon, timeout_s=30)

    assert (made() if how == "sync" else asyncio.run(made.ainvoke())).data is True


def test_a_thread_that_can_not_be_started_takes_no_slot() -> None:
    """More such calls than there are slots, and the next one runs as soon as there are threads again."""
    made = tool(where, timeout_s=5, log=False)
    before = threading.stack_size(2**47)  # more than there are addresses
    try:
        codes = {made().error.code for _ in range(MAX_THREADS + 1)}
    finally:
        threading.stack_size(before)

    assert codes == {"RESOURCE_EXHAUSTED"}
    assert made().status == "success"
