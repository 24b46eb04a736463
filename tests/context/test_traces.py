"""Traces: which calls belong together, and what an inner trace takes from the one around it."""

from __future__ import annotations

import asyncio
import contextvars
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agent_tools import tool, trace
from agent_tools.context import current_trace, make_scope
from agent_tools.errors import InvalidSetting


@tool
def get_one() -> int:
    return 1


@tool
async def fetch_one() -> int:
    return 1


def test_without_a_trace_the_process_is_one(read_log: Any) -> None:
    """Calls outside of any trace share an id."""
    get_one()
    get_one()

    first, second = read_log()
    assert first["trace_id"] == second["trace_id"] == current_trace().trace_id


def test_calls_of_a_trace_are_counted(read_log: Any) -> None:
    """They share its id and name and are numbered from 1."""
    with trace("refund of order 7") as task:
        get_one()
        get_one()

    rows = read_log()
    assert {row["trace_id"] for row in rows} == {task.trace_id}
    assert {row["trace_name"] for row in rows} == {"refund of order 7"}
    assert [row["seq"] for row in rows] == [1, 2]


def test_an_inner_trace_takes_what_it_is_not_given() -> None:
    """Scope, audience, agent, model and turn; not the name and not the id."""
    with trace(
        "outer", conversation="c", tenant="t", audience="answer", agent="a", model="m", turn=3
    ) as outer:
        with trace("inner", tenant="other") as inner:
            seen = current_trace()
        after = current_trace()

    assert seen is inner
    assert after is outer
    assert (inner.name, inner.trace_id != outer.trace_id) == ("inner", True)
    assert (inner.conversation, inner.tenant, inner.audience) == ("c", "other", "answer")
    assert (inner.agent, inner.model, inner.turn) == ("a", "m", 3)
    assert inner.scope == make_scope("other", "c") != outer.scope


def test_a_trace_ends_with_an_exception() -> None:
    """What is raised in the block passes, and the trace around it is the current one again."""
    before = current_trace()

    with pytest.raises(KeyboardInterrupt), trace("x"):
        raise KeyboardInterrupt

    assert current_trace() is before


def test_a_trace_can_be_entered_again() -> None:
    """An agent that goes on with a task later uses the same trace; also within itself."""
    task = trace("task")
    with task, trace("other"), task:
        inside = current_trace()
    with task:
        again = current_trace()

    assert inside is again is task
    assert current_trace() is not task


def test_one_trace_can_be_open_in_many_threads() -> None:
    """Every thread enters and leaves the same trace in its own order."""
    task, barrier = trace("shared"), threading.Barrier(4)

    def work(n: int) -> list[bool]:
        seen = []
        for _ in range(20):
            with task:
                barrier.wait(10)
                seen.append(current_trace() is task)
            seen.append(current_trace() is not task)
        return seen

    with ThreadPoolExecutor(4) as pool:
        assert all(all(seen) for seen in pool.map(work, range(4)))


async def test_one_trace_can_be_open_in_many_tasks() -> None:
    """Tasks that enter and leave the same trace in turns do not disturb each other."""
    task = trace("shared")

    async def work(n: int) -> bool:
        async with task:
            for _ in range(n):
                await asyncio.sleep(0)
            inside = current_trace() is task
        return inside and current_trace() is not task

    assert all(await asyncio.gather(*(work(n % 5) for n in range(20))))


async def test_tasks_see_the_trace_they_were_started_in() -> None:
    """`gather`, `create_task` and `to_thread` copy the context."""
    with trace("task") as task:
        started = asyncio.create_task(_current())
        in_thread = await asyncio.to_thread(current_trace)
        gathered = await asyncio.gather(_current(), _current())

    assert [await started, in_thread, *gathered] == [task] * 4


async def _current() -> Any:
    return current_trace()


def test_a_thread_sees_the_trace_only_with_a_copied_context() -> None:
    """As for every context variable."""
    seen: list[Any] = []
    with trace("task") as task:
        copied = contextvars.copy_context()
        for target in (
            lambda: seen.append(current_trace()),
            lambda: copied.run(lambda: seen.append(current_trace())),
        ):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()

    assert seen[0] is not task
    assert seen[1] is task


def test_a_function_in_a_worker_thread_sees_the_trace() -> None:
    """The library's own threads copy the context: with a deadline and from async code."""
    in_time = tool(lambda: current_trace().name, name="get_name", timeout_s=30)

    with trace("task"):
        assert in_time().data == "task"
        assert asyncio.run(in_time.ainvoke()).data == "task"


def test_nested_calls_are_linked(read_log: Any) -> None:
    """The inner row names the outer one's span, in sync code, in async code and in a worker thread."""

    @tool(timeout_s=30)
    def count_all() -> int:
        return get_one().value + 1

    @tool
    async def count_async() -> int:
        return (await fetch_one()).value + get_one().value

    count_all()
    asyncio.run(count_async())

    rows = {row["span_id"]: row for row in read_log()}
    parents = {
        row["tool"] + ">" + rows[row["parent_span_id"]]["tool"]
        for row in rows.values()
        if "parent_span_id" in row
    }
    assert parents == {"get_one>count_all", "fetch_one>count_async", "get_one>count_async"}


@pytest.mark.parametrize("name", ["name", "conversation", "tenant", "audience", "agent", "model"])
@pytest.mark.parametrize("value", [7, b"x", ["x"]], ids=repr)
def test_what_is_no_text_is_refused(name: str, value: Any) -> None:
    """A number as a tenant would be another tenant than the same number as text."""
    with pytest.raises(InvalidSetting, match=f"bad trace {name}="):
        trace(**{name: value})


@pytest.mark.parametrize("audience", ["Plan", "two words", "", "plan,answer"])
def test_an_audience_has_the_form_of_a_name(audience: str) -> None:
    """A misspelt audience would see what no mark names."""
    with pytest.raises(InvalidSetting, match="bad trace audience="):
        trace(audience=audience)


@pytest.mark.parametrize("turn", ["3", 1.5, True])
def test_a_turn_is_a_number(turn: Any) -> None:
    """It is a column of numbers in the log."""
    with pytest.raises(InvalidSetting, match="bad trace turn="):
        trace(turn=turn)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b/c"), ("a/b", "c")),
        ((None, "x"), ("x", None)),
        (("", "x"), (None, "x")),
        (('a","b', None), ("a", "b")),
    ],
    ids=repr,
)
def test_scopes_do_not_collide(one: Any, other: Any) -> None:
    """Whatever stands in the names of tenants and conversations."""
    assert make_scope(*one) != make_scope(*other)


def test_a_child_process_is_a_trace_of_its_own() -> None:
    """After a fork two processes must not count as one task."""
    code = (
        "import os; from agent_tools.context import current_trace as t\n"
        "mine = t().trace_id; r, w = os.pipe()\n"
        "if os.fork() == 0: os.write(w, t().trace_id.encode()); os._exit(0)\n"
        "os.wait(); print(mine, os.read(r, 64).decode())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )

    mine, childs = ran.stdout.split()
    assert mine != childs


def test_a_deep_trace_keeps_counting_a_bounded_number_of_inputs() -> None:
    """A process that runs for months does not grow with the number of different calls."""
    with trace("long") as task:
        for n in range(10_050):
            task.count_input(str(n))

    assert task.count_input("10049") == 2
    assert task.count_input("0") == 1
