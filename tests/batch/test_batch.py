"""A batch tells item by item what worked and what failed."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import threading
from typing import Any

import pytest

from agent_tools import Batch, NotFound, PermissionDenied, Unavailable, tool


def _archive(order_id: str) -> str:
    if order_id.startswith("x"):
        raise NotFound(f"there is no order {order_id!r}")
    if order_id.startswith("busy"):
        raise Unavailable("the archive restarts")
    return f"{order_id} archived"


@tool(kind="query")
def archive(ids: list[str]) -> Batch[str]:
    return Batch.of(ids, _archive)


@pytest.mark.parametrize(
    ("ids", "status", "succeeded", "failed"),
    [
        ([], "empty", None, None),
        (["a", "b"], "success", None, None),
        (["a", "x1", "b"], "partial", 2, ["x1"]),
        (["x1", "x2"], "error", 0, ["x1", "x2"]),
    ],
)
def test_the_status_goes_by_how_many_failed(ids: list[str], status: str, succeeded: Any, failed: Any) -> None:
    """None, some or all: success, partial or error, with exact counts."""
    result = archive(ids)

    assert result.status == status
    assert result.meta["total"] == len(ids)
    assert result.meta.get("succeeded") == succeeded
    assert [item["key"] for item in result.meta.get("failed", [])] == (failed or [])


def test_each_failure_has_its_code() -> None:
    """A failed item says where it stood, why it failed and whether to try it again."""
    result = archive(["a", "x1", "busy1"])

    assert result.data == ["a archived"]
    assert [(f["index"], f["code"], f["retryable"]) for f in result.meta["failed"]] == [
        (1, "NOT_FOUND", False),
        (2, "UNAVAILABLE", True),
    ]
    assert "1 worked and 2 failed" in result.meta["summary"]


def test_all_failed_alike_gives_their_code() -> None:
    """One code when all failed alike, UNKNOWN otherwise; retryable only when every item is."""
    assert archive(["x1", "x2"]).error.code == "NOT_FOUND"
    mixed = archive(["x1", "busy1"])
    assert (mixed.error.code, mixed.error.retryable) == ("UNKNOWN", False)
    assert archive(["busy1", "busy2"]).error.retryable is True


@pytest.mark.parametrize(
    ("errors", "kind", "recovery", "retryable", "wait_s"),
    [
        (
            [Unavailable("a"), Unavailable("b", retry_after_s=9), Unavailable("c", retry_after_s=4)],
            "query",
            "retry",
            True,
            9,
        ),
        ([Unavailable("a"), NotFound("b")], "query", "fix_arguments", False, None),
        ([Unavailable("a"), NotFound("b"), PermissionDenied("c")], "query", "report", False, None),
        ([NotFound("a"), TimeoutError("b")], "action", "check_first", False, None),
    ],
)
def test_items_that_all_failed_have_one_advice(
    errors: list[Exception], kind: str, recovery: str, retryable: bool, wait_s: float | None
) -> None:
    """What is right for all of them, and careful where they differ."""

    def fail(error: Exception) -> None:
        raise error

    error = tool(lambda: Batch.of(errors, fail, key=str), name="run_all", kind=kind)().error

    assert error is not None
    assert (error.recovery, error.retryable, error.retry_after_s) == (recovery, retryable, wait_s)
    assert error.outcome in (("unknown",) if kind == "action" else (None,))


def test_failures_are_kept_when_the_values_are_cut() -> None:
    """The few failures of a long batch stay visible within the budget."""

    @tool(kind="query", max_tokens=300)
    def copy_files(names: list[str]) -> Batch[str]:
        return Batch.of(names, _archive)

    result = copy_files([f"file number {n}" for n in range(2000)] + ["x1"])

    shown = json.loads(result.to_prompt())["meta"]
    assert shown["total"] == 2001
    assert shown["failed"][0]["key"] == "x1"


def test_control_flow_in_an_item_passes_through() -> None:
    """Ctrl-C in an item ends the call."""

    def stop(_: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tool(lambda: Batch.of(["a"], stop), name="stop_all")()


def test_a_bad_item_is_bad_whoever_reads_it() -> None:
    """A ValueError of a built-in function over the items is about the items, as one in the body is."""
    made = tool(lambda texts: Batch.of(texts, int), name="read_numbers")

    assert [failed["code"] for failed in made(["1", "x"]).meta["failed"]] == ["INVALID_ARGUMENT"]


async def test_items_that_run_at_the_same_time_are_counted_once() -> None:
    """In tasks: each knows its own item, whichever ends first."""
    gates = {n: asyncio.Event() for n in range(4)}
    gates[3].set()

    async def read_all() -> Batch[int]:
        batch: Batch[int] = Batch()

        async def read(n: int) -> None:
            with batch.item(n):
                await gates[n].wait()
                if n == 2:
                    raise KeyError("city")
                batch.ok(n)
            if n:
                gates[n - 1].set()

        await asyncio.gather(*map(read, range(4)))
        return batch

    result = await tool(read_all)()

    assert (result.meta["total"], result.meta["succeeded"], result.data) == (4, 3, [3, 1, 0])
    assert [(failed["index"], failed["key"]) for failed in result.meta["failed"]] == [(2, 2)]


def test_items_in_threads_are_counted_once() -> None:
    """All of them inside their `with` blocks before the first one ends."""
    batch: Batch[int] = Batch()
    together = threading.Barrier(8)

    def read(n: int) -> None:
        with batch.item(n):
            together.wait(20)
            batch.ok(n)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(read, range(8)))

    assert (batch.total, sorted(batch.values), batch.failures) == (8, list(range(8)), [])


def test_an_item_that_failed_gives_nothing_and_counts_once() -> None:
    """By raising after it gave a value, or by saying so."""
    batch: Batch[str] = Batch()
    with batch.item("a"):
        batch.ok("half")
        raise KeyError("city")
    with batch.item("b"):
        batch.fail("no stock", code="OUT_OF_STOCK")
    with batch.item("c"):
        batch.ok("c")

    result = tool(lambda: batch, name="list_stock")()

    assert (result.meta["total"], result.meta["succeeded"], result.data) == (3, 1, ["c"])
    assert [(failed["key"], failed["code"]) for failed in result.meta["failed"]] == [
        ("a", "INTERNAL"),
        ("b", "OUT_OF_STOCK"),
    ]


def test_a_batch_in_an_item_of_another_counts_for_itself() -> None:
    """`ok()` belongs to the batch that it is called on."""
    outer: Batch[int] = Batch()
    inner: Batch[int] = Batch()
    with outer.item("all"):
        inner.ok(1)
        inner.fail("no")
        outer.ok(inner.total)

    assert (outer.total, outer.values) == (1, [2])
    assert (inner.total, inner.values, len(inner.failures)) == (2, [1], 1)


def test_several_values_of_one_item_are_all_there() -> None:
    """The total is never less than what is shown."""
    batch: Batch[int] = Batch()
    with batch.item("page"):
        batch.ok(1)
        batch.ok(2)

    assert tool(lambda: batch, name="list_rows")().meta["total"] == 2
