"""Automatic retries: only what may help and can't do harm, after the pause that the server asked for."""

from __future__ import annotations

import asyncio
import email.utils
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

from agent_tools import NotFound, ToolError, Unavailable, tool
from agent_tools.run import MAX_WAIT_S, Attempts, Verdict, make_run, make_run_async

AWAY = Unavailable("away", retry_after_s=0)


class Flaky:
    """Fails some times, then works; counts."""

    def __init__(self, times: int, error: BaseException = AWAY) -> None:
        self.times, self.error, self.calls = times, error, 0

    def work(self) -> str:
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return "done"

    async def work_async(self) -> str:
        return self.work()


def run_either(flaky: Flaky, how: str, **settings: Any) -> Any:
    """Call it as a sync tool, as an async tool, or as a sync tool from async code."""
    if how == "async":
        return asyncio.run(tool(flaky.work_async, name="read_mail", **settings)())
    made = tool(flaky.work, name="read_mail", **settings)
    return asyncio.run(made.ainvoke()) if how == "ainvoke" else made()


HOWS = pytest.mark.parametrize("how", ["sync", "async", "ainvoke"])


@HOWS
def test_a_query_is_tried_again(how: str, read_log: Any) -> None:
    """Until it works; the attempts are counted in meta and in the log's one row."""
    flaky = Flaky(2)

    result = run_either(flaky, how, retries=3)

    assert (result.status, result.data, flaky.calls) == ("success", "done", 3)
    assert result.meta["attempts"] == 3
    assert [row["attempts"] for row in read_log()] == [3]
    assert read_log()[0]["wait_ms"] > 0


@HOWS
def test_retries_are_bounded(how: str) -> None:
    """One call and the retries; then the last failure, which still says that another call may help."""
    flaky = Flaky(99)

    result = run_either(flaky, how, retries=2)

    assert (flaky.calls, result.meta["attempts"]) == (3, 3)
    assert (result.error.code, result.error.retryable) == ("UNAVAILABLE", True)


@HOWS
@pytest.mark.parametrize(
    "settings",
    [
        {"idempotent": False},
        {"kind": "action"},
        {"idempotent": False, "effects": "many"},
        {"kind": "query", "idempotent": False},
    ],
    ids=str,
)
def test_a_side_effect_is_never_repeated(how: str, settings: dict[str, Any]) -> None:
    """What lost its reply may have happened: one run, not retryable, and the caller is told to check."""
    flaky = Flaky(99, ConnectionResetError("smtp connection reset"))

    result = run_either(flaky, how, retries=3, **settings)

    assert flaky.calls == 1
    assert (result.error.retryable, result.error.recovery) == (False, "check_first")
    assert result.error.outcome == "unknown"


def test_not_applied_is_retryable_but_not_retried() -> None:
    """The caller may repeat an action that was refused at the door; the library itself does not."""
    flaky = Flaky(99, ConnectionRefusedError("refused"))

    result = tool(flaky.work, name="send_mail", retries=3)()

    assert flaky.calls == 1
    assert (result.error.retryable, result.error.outcome) == (True, "not_applied")


def test_an_idempotent_action_is_retried() -> None:
    """When its author says so."""
    flaky = Flaky(1)

    assert tool(flaky.work, name="put_flag", idempotent=True, retries=1)().data == "done"
    assert flaky.calls == 2


@HOWS
@pytest.mark.parametrize(
    "error",
    [NotFound("no"), ValueError("bad"), KeyError("k"), ToolError("x", code="OWN"), PermissionError(13, "no")],
    ids=repr,
)
def test_what_will_not_change_is_not_tried_again(how: str, error: Exception) -> None:
    """A failure that is not transient comes back at once."""
    flaky = Flaky(99, error)

    result = run_either(flaky, how, retries=5)

    assert flaky.calls == 1
    assert result.error.retryable is False


def test_without_the_setting_nothing_is_tried_again() -> None:
    """Retries are off unless asked for."""
    flaky = Flaky(1)

    assert tool(flaky.work, name="read_mail")().error.code == "UNAVAILABLE"
    assert flaky.calls == 1


def test_the_tools_own_table_decides() -> None:
    """`errors=` can make a failure worth a retry, or not worth one."""
    worth, not_worth = Flaky(1, KeyError("k")), Flaky(1, ConnectionResetError())

    retried = tool(worth.work, name="read", retries=2, errors={KeyError: ("WARMING_UP", True)})()
    left = tool(not_worth.work, name="read", retries=2, errors={ConnectionError: ("GONE", False)})()

    assert (retried.data, worth.calls) == ("done", 2)
    assert (left.error.code, not_worth.calls) == ("GONE", 1)


def judge_by(waits: list[float | None]) -> Any:
    """Make a judge that says for the n-th failure how long to wait."""

    def judge(error: BaseException) -> Verdict:
        return Verdict(True, waits[int(str(error))], "UNAVAILABLE")

    return judge


def as_it_is(value: Any) -> Any:
    return value


def fail_in_order(n: int) -> Any:
    """Make a function that fails n times with its number."""
    calls = iter(range(n + 1))

    def work() -> str:
        call = next(calls)
        if call < n:
            raise RuntimeError(str(call))
        return "done"

    return work


def test_the_pause_is_what_the_server_asked_for() -> None:
    """At least; without a wish it grows and is spread, so that many clients do not come back at once."""
    slept: list[float] = []
    wishes: list[float | None] = [7.0, None, 0.0, None, 12.5]
    run = make_run(retries=9, timeout_s=None, read=as_it_is, judge=judge_by(wishes), sleep=slept.append)
    attempts = Attempts()

    assert run(fail_in_order(5), (), {}, attempts) == "done"
    assert slept[0] >= 7.0
    assert slept[4] >= 12.5
    assert 0.1 <= slept[1] <= 0.2
    assert 0.2 <= slept[2] <= 0.4
    assert 0.4 <= slept[3] <= 0.8
    assert attempts.n == 6
    assert attempts.wait_ms == pytest.approx(sum(slept) * 1000)
    assert [code for code, _ in attempts.failed] == ["UNAVAILABLE"] * 5


async def test_the_pause_is_honoured_in_async_code() -> None:
    """As in sync code."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    run = make_run_async(
        retries=9, timeout_s=None, in_thread=True, read=as_it_is, judge=judge_by([7.0, None]), sleep=sleep
    )

    assert await run(fail_in_order(2), (), {}, Attempts()) == "done"
    assert slept[0] >= 7.0
    assert 0.1 <= slept[1] <= 0.2


def test_a_pause_that_is_too_long_is_left_to_the_caller() -> None:
    """A call does not sleep for a day; the wait stands in the envelope."""
    slept: list[float] = []
    run = make_run(
        retries=9, timeout_s=None, read=as_it_is, judge=judge_by([MAX_WAIT_S + 1]), sleep=slept.append
    )

    with pytest.raises(RuntimeError):
        run(fail_in_order(1), (), {}, Attempts())

    assert slept == []


def too_many(retry_after: str) -> Exception:
    """Make the error of requests for a 429 with this header."""
    requests = pytest.importorskip("requests")
    response = requests.Response()
    response.status_code, response._content = 429, b"slow down"
    response.headers["Retry-After"] = retry_after
    error: Exception = requests.HTTPError("429 Too Many Requests", response=response)
    return error


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        # hours ahead: the header is made when the tests are collected
        (email.utils.formatdate(time.time() + 36_000, usegmt=True), 18_000, 36_000),
        ("86400", 86400, 86400),
        (email.utils.formatdate(time.time() - 600, usegmt=True), 0, 0),
        ("soon", None, None),
        ("-5", None, 0),
    ],
    ids=["seconds", "a date to come", "a day", "a date that is over", "no number", "negative"],
)
def test_the_wait_stands_in_the_envelope(header: str, low: float | None, high: float | None) -> None:
    """Seconds and dates, never negative; nonsense is no wait."""
    result = tool(Flaky(9, too_many(header)).work, name="find_news")()

    wait = result.error.retry_after_s
    assert (result.error.code, result.error.retryable) == ("RESOURCE_EXHAUSTED", True)
    assert wait is None if low is None and wait is None else (low or 0) <= wait <= (high or 0)


def test_an_exception_may_carry_the_wait_itself() -> None:
    """`retry_after` and `status_code` on any exception."""
    error = RuntimeError("rate limited")
    error.retry_after, error.status_code = 3.5, 429  # type: ignore[attr-defined]

    result = tool(Flaky(9, error).work, name="find_news")()

    assert (result.error.code, result.error.retry_after_s) == ("RESOURCE_EXHAUSTED", 3.5)


def test_ctrl_c_ends_the_pause(home: Any) -> None:
    """A process that waits for its next try stops at once, and the log says why."""
    code = (
        "from agent_tools import tool, Unavailable\n"
        "@tool(retries=5)\n"
        "def find_news():\n"
        "    print('tried', flush=True)\n"
        "    raise Unavailable('down', retry_after_s=29)\n"
        "find_news()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ) | {"AGENT_TOOLS_HOME": str(home)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "tried\n"
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=20)

    assert out == ""
    assert "KeyboardInterrupt" in error
    assert process.returncode != 0
    assert '"status":"cancelled"' in next(home.glob("calls/*.jsonl")).read_text()


@pytest.mark.parametrize(
    ("name", "attempts"),
    [
        ("get_or_create_user", 1),
        ("searchAndReplace", 1),
        ("find_one_and_update", 1),
        ("check_then_book", 1),
        ("get_or_set", 1),
        ("find_time_and_place", 2),
        ("list_books_and_orders", 2),
        ("get_pros_and_cons", 2),
    ],
)
def test_what_reads_and_then_changes_is_not_repeated(name: str, attempts: int) -> None:
    """The first verb alone would call it a query; nouns after `and` are no verbs."""
    tried = []

    def work() -> None:
        tried.append(name)
        raise ConnectionResetError(104, "reset")

    tool(work, name=name, retries=1)()

    assert len(tried) == attempts
