"""A batch tells item by item what worked and what failed."""

from __future__ import annotations

import json
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
