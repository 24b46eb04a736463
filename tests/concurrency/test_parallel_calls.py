"""Many calls at once: each gets its own answer, its own id and its own row."""

from __future__ import annotations

import asyncio
import contextvars
import itertools
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agent_tools import read_result, tool, trace

N = 200


@tool
async def fetch_echo(i: int) -> dict[str, int]:
    for _ in range(random.randrange(5)):
        await asyncio.sleep(0)
    return {"i": i}


@tool
def get_echo(i: int) -> dict[str, int]:
    return {"i": i}


def rows_by_id(read_log: Any) -> dict[str, Any]:
    """Return the log's rows by call id, and see that no id comes twice."""
    rows = read_log()
    by_id = {row["call_id"]: row for row in rows}
    assert len(by_id) == len(rows)
    return by_id


def belongs(result: Any, i: int, rows: dict[str, Any]) -> bool:
    """Say whether result, id and row are all of call i."""
    return bool(result.data["i"] == i == rows[result.meta["call_id"]]["arguments"]["i"])


async def test_two_hundred_tasks_get_their_own_answers(read_log: Any) -> None:
    """Async functions through `gather`."""
    results = await asyncio.gather(*(fetch_echo(i) for i in range(N)))

    rows = rows_by_id(read_log)
    assert len(rows) == N
    assert all(belongs(result, i, rows) for i, result in enumerate(results))
    assert len({row["span_id"] for row in rows.values()}) == N


async def test_two_hundred_worker_threads_get_their_own_answers(read_log: Any) -> None:
    """Sync functions from async code."""
    results = await asyncio.gather(*(get_echo.ainvoke({"i": str(i)}) for i in range(N)))

    rows = rows_by_id(read_log)
    assert [result.data["i"] for result in results] == list(range(N))
    assert [int(rows[result.meta["call_id"]]["arguments"]["i"]) for result in results] == list(range(N))


def test_two_hundred_threads_get_their_own_answers(read_log: Any) -> None:
    """Sync calls through a pool that ends them in any order."""
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(get_echo, range(N)))

    rows = rows_by_id(read_log)
    assert len(rows) == N
    assert all(belongs(result, i, rows) for i, result in enumerate(results))


def test_the_first_call_may_come_from_many_threads_at_once() -> None:
    """The plan is compiled by whoever comes first; all of them use a whole one."""
    barrier = threading.Barrier(8)
    made = tool(lambda i: {"i": i}, name="get")

    def call(i: int) -> Any:
        barrier.wait(30)
        return made.invoke({"i": i}).data["i"] if i % 2 else made(i).data["i"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(call, range(8))) == list(range(8))


def test_calls_of_a_trace_are_numbered_without_gaps(read_log: Any) -> None:
    """From threads with a copied context, too."""
    with trace("task") as task, ThreadPoolExecutor(16) as pool:
        contexts = [contextvars.copy_context() for _ in range(N)]
        list(pool.map(lambda pair: pair[1].run(get_echo, pair[0]), enumerate(contexts)))

    rows = read_log()
    assert {row["trace_id"] for row in rows} == {task.trace_id}
    assert sorted(row["seq"] for row in rows) == list(range(1, N + 1))


async def test_nested_calls_know_their_parents(read_log: Any) -> None:
    """Fifty calls, each of which makes two more at once: every inner row names its own outer one."""

    @tool
    async def count_pair(i: int) -> dict[str, int]:
        left, right = await asyncio.gather(fetch_echo(2 * i), get_echo.ainvoke({"i": 2 * i + 1}))
        return {"i": i, "sum": left.data["i"] + right.data["i"]}

    results = await asyncio.gather(*(count_pair(i) for i in range(50)))

    assert [result.data for result in results] == [{"i": i, "sum": 4 * i + 1} for i in range(50)]
    rows = {row["span_id"]: row for row in read_log()}
    inner = [row for row in rows.values() if row["tool"] != "count_pair"]
    assert len(inner) == 100
    assert all(rows[row["parent_span_id"]]["arguments"]["i"] == row["arguments"]["i"] // 2 for row in inner)


def test_a_recursive_tool_nests(read_log: Any) -> None:
    """A tool that calls itself: each row's parent is the call one level up."""

    @tool
    def count_down(n: int) -> int:
        return 0 if n == 0 else count_down(n - 1).data + 1

    assert count_down(50).data == 50

    rows = {row["span_id"]: row for row in read_log()}
    assert all(
        rows[row["parent_span_id"]]["arguments"]["n"] == row["arguments"]["n"] + 1
        for row in rows.values()
        if "parent_span_id" in row
    )
    assert sum("parent_span_id" not in row for row in rows.values()) == 1


async def test_one_failure_costs_nobody_elses_result(read_log: Any) -> None:
    """Without `return_exceptions`: three envelopes in order, three rows."""

    @tool
    async def search(q: str) -> dict[str, str]:
        await asyncio.sleep(0)
        if q == "boom":
            raise ConnectionResetError("peer reset")
        return {"q": q}

    results = await asyncio.gather(*(search(q) for q in ["a", "boom", "b"]))

    assert [str(result.status) for result in results] == ["success", "error", "success"]
    assert (results[1].error.code, results[1].error.retryable) == ("UNAVAILABLE", True)
    assert len(rows_by_id(read_log)) == 3


def test_one_failure_costs_nobody_elses_result_in_threads() -> None:
    """`ThreadPoolExecutor.map` hands out all of them."""

    @tool
    def search(q: str) -> dict[str, str]:
        if q == "boom":
            raise ConnectionResetError("peer reset")
        return {"q": q}

    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(search, ["a", "boom", "b"]))

    assert [str(result.status) for result in results] == ["success", "error", "success"]


@pytest.mark.parametrize("setting", ["redact", "summary", "empty", "important", "encoding"])
async def test_a_hook_that_raises_is_contained(setting: str) -> None:
    """A callable of the tool's own that fails costs that call at most, never its siblings."""
    numbers = itertools.count()

    def hook(value: Any) -> Any:
        if next(numbers) % 2:
            raise RuntimeError("hook")
        return (
            5
            if setting == "encoding"
            else value
            if setting == "redact"
            else False
            if setting == "empty"
            else "x"
        )

    @tool(**{setting: hook})
    async def find_rows(i: int) -> list[dict[str, int]]:
        return [{"i": i, "j": j} for j in range(400)]

    results = await asyncio.gather(*(find_rows(i) for i in range(10)))

    assert len(results) == 10
    assert all(result.to_prompt() for result in results)


def test_stored_results_are_not_mixed_up() -> None:
    """Forty cut results from threads: each id leads to its own rows."""

    @tool
    def find_rows(i: int) -> list[int]:
        return [i] * 3000

    with ThreadPoolExecutor(8) as pool:
        ids = [result.meta["result_id"] for result in pool.map(find_rows, range(40))]
        pages = list(pool.map(lambda result_id: read_result(result_id, 2999).data, ids))

    assert len(set(ids)) == 40
    assert pages == [[i] for i in range(40)]


def test_users_do_not_get_each_others_results() -> None:
    """The same call of two tenants runs twice, has two ids, and the other's id looks unknown."""
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user")
    find_orders = tool(lambda: [{"owner": user.get(), "n": i} for i in range(2000)], name="find_orders")

    def ask(name: str) -> str:
        user.set(name)
        with trace(tenant=name):
            return str(find_orders().meta["result_id"])

    alice, bob = ask("alice"), ask("bob")
    with trace(tenant="bob"):
        own, other, unknown = read_result(bob), read_result(alice), read_result("r_" + "A" * 16)

    assert alice != bob
    assert {row["owner"] for row in own.data} == {"bob"}
    assert other.error.code == unknown.error.code == "NOT_FOUND"
    assert other.error.message.replace(alice, "") == unknown.error.message.replace("r_" + "A" * 16, "")


def test_nothing_is_kept_on_the_function() -> None:
    """Calls leave no state on the tool or on its function."""

    def get(i: int) -> int:
        return i

    made = tool(get)
    before = dict(vars(get))
    made(1)
    made.invoke({"i": 2})

    assert vars(get) == before
    assert made._self_own == {}  # type: ignore[attr-defined]
