"""The breaker: within a trace, a call that failed five times alike is answered without running."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agent_tools import NotFound, ToolResult, Unavailable, configure, override, tool, trace


class Failing:
    """Fails as it is told, and counts."""

    def __init__(self, error: Any) -> None:
        self.error, self.calls = error, 0

    def run(self, q: Any = "") -> Any:
        self.calls += 1
        if isinstance(self.error, Exception):
            raise self.error
        return self.error

    async def run_async(self, q: Any = "") -> Any:
        return self.run(q)


LASTING: dict[str, Any] = {
    "raised": NotFound("no"),
    "bug": KeyError("k"),
    "reported": {"error": "no such user"},
    "by hand": ToolResult.fail("NOT_FOUND", "no"),
    "can't be shown": {"x": object()},
}


@pytest.mark.parametrize("failure", LASTING.values(), ids=LASTING)
def test_the_sixth_identical_failure_does_not_run(failure: Any) -> None:
    """Five times alike and not retryable, however the failure shows; then it stays refused."""
    failing = Failing(failure)
    made = tool(failing.run, name="find_user")

    with trace("task"):
        codes = [made("x").error.code for _ in range(9)]

    assert failing.calls == 5
    assert codes[5:] == ["REPEATED_FAILURE"] * 4
    assert len(set(codes[:5])) == 1
    assert codes[0] != "REPEATED_FAILURE"


def test_the_answer_says_what_to_do() -> None:
    """Which failure, how often, and that it was not run."""
    made = tool(Failing(NotFound("no")).run, name="find_user")

    with trace("task"):
        error = [made("x") for _ in range(6)][-1].error

    assert "failed 5 times with NOT_FOUND" in error.message
    assert "not run" in error.message
    assert (error.retryable, error.recovery, error.outcome) == (False, "fix_arguments", "not_applied")


def test_async_calls_and_models_calls_count_alike() -> None:
    """`await tool(...)`, `ainvoke`, `invoke` and a direct call with the same arguments are the same call."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user")

    async def call() -> None:
        await made.ainvoke({"q": "x"})

    with trace("task"):
        for _ in range(2):
            made("x")
            made.invoke({"q": "x"})
            asyncio.run(call())

    assert failing.calls == 5


@pytest.mark.parametrize("arguments", [{}, {"nope": 1}, '{"q": [', {"n": "x", "q": 1}, "[]"], ids=str)
def test_arguments_that_never_fit_are_stopped_too(arguments: Any) -> None:
    """A model that repeats a call without its argument gets another answer after the fifth time."""

    @tool
    def find_user(q: str, n: int) -> int:
        return 1

    with trace("task"):
        codes = [find_user.invoke(arguments).error.code for _ in range(6)]

    assert codes == ["INVALID_ARGUMENT"] * 5 + ["REPEATED_FAILURE"]


def test_direct_calls_that_never_fit_are_stopped_too() -> None:
    """Each by its own arguments."""
    made = tool(lambda q: 1, name="find_user")

    with trace("task"):
        codes = [made(**{name: 1}).error.code for name in ("a", "b", "c", "d", "e", "f")]
        again = [made(a=1).error.code for _ in range(5)]

    assert codes == ["INVALID_ARGUMENT"] * 6
    assert again == ["INVALID_ARGUMENT"] * 4 + ["REPEATED_FAILURE"]


def test_other_arguments_and_other_traces_run() -> None:
    """Only this call, only here."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user")
    with trace("task"):
        for _ in range(7):
            made("x")
        assert made("y").error.code == "NOT_FOUND"
        with trace("inner"):
            assert made("x").error.code == "NOT_FOUND"
    with trace("other"):
        assert made("x").error.code == "NOT_FOUND"

    assert failing.calls == 8


def test_another_tool_is_another_call() -> None:
    """With the same arguments."""
    one, other = (tool(Failing(NotFound("no")).run, name=name) for name in ("find_user", "find_order"))

    with trace("task"):
        for _ in range(6):
            one("x")

        assert other("x").error.code == "NOT_FOUND"


def test_without_a_trace_nothing_is_stopped() -> None:
    """A process is no task: a server's calls for many users would stop each other."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user")

    for _ in range(8):
        made("x")

    assert failing.calls == 8


def test_what_may_work_later_is_not_stopped() -> None:
    """A retryable failure says that the same call may help."""
    failing = Failing(Unavailable("away"))
    made = tool(failing.run, name="find_user")

    with trace("task"):
        for _ in range(8):
            made("x")

    assert failing.calls == 8


def test_a_success_begins_the_count_anew() -> None:
    """Five in a row, not five in all; another code begins anew, too."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user")

    with trace("task"):
        for error in (
            [NotFound("no")] * 4 + [None] + [NotFound("no")] * 4 + [KeyError("k")] * 4 + [NotFound("no")]
        ):
            failing.error = error if error is not None else "found"
            made("x")

    assert failing.calls == 14


@pytest.mark.parametrize("how", ["setting", "override"])
def test_it_can_be_turned_off(how: str) -> None:
    """For a tool whose failures say nothing about the next call."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user", **({"breaker": False} if how == "setting" else {}))

    with trace("task"), override(breaker=False) if how == "override" else override():
        for _ in range(8):
            made("x")

    assert failing.calls == 8


def test_it_works_without_a_log() -> None:
    """Counting does not depend on writing."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user", log=False)

    with trace("task"):
        for _ in range(8):
            made("x")

    assert failing.calls == 5


def test_the_log_shows_the_repeats(read_log: Any) -> None:
    """Every identical call carries how many there were, the refused ones included."""
    made = tool(Failing(NotFound("no")).run, name="find_user")

    with trace("task"):
        for _ in range(7):
            made("x")

    assert [row["repeat_n"] for row in read_log()] == [1, 2, 3, 4, 5, 6, 7]
    assert [row["attempts"] for row in read_log()] == [1, 1, 1, 1, 1, 0, 0]


def test_configure_turns_it_off_for_all() -> None:
    """As every setting."""
    failing = Failing(NotFound("no"))
    made = tool(failing.run, name="find_user")

    configure(breaker=False)
    try:
        with trace("task"):
            for _ in range(6):
                made("x")
    finally:
        configure(breaker=True)

    assert failing.calls == 6


def test_a_conversation_counts_over_its_traces() -> None:
    """The next turn of a conversation is a new trace, and the model that repeats itself is the same."""
    runs: list[int] = []

    @tool(name="find_order", kind="query")
    def find_order(order_id: int) -> None:
        runs.append(order_id)
        raise NotFound("no such order")

    for turn in range(7):
        with trace(f"turn {turn}", conversation="breaker over traces"):
            last = find_order(7)

    assert len(runs) == 5
    assert last.error.code == "REPEATED_FAILURE"


def test_tools_whose_names_begin_alike_are_two() -> None:
    """Long names of one family are no reason to stop another tool."""
    runs: list[str] = []

    def fail(name: str) -> Any:
        def run(order_id: int) -> None:
            runs.append(name)
            raise NotFound("no such order")

        return tool(run, name=name, kind="query")

    first, second = fail("get_customer_orders_open"), fail("get_customer_orders_paid")
    with trace("a task"):
        for _ in range(6):
            first(7)
        second(7)

    assert runs == ["get_customer_orders_open"] * 5 + ["get_customer_orders_paid"]
