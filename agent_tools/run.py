"""What goes around the function: retries, a deadline, worker threads.

In:   the function and its arguments.
Out:  what the function returned, read (see `agent_tools.native`), or what it raised; the number of attempts
      is kept on the call.
Cost: nothing for a tool without retries, deadline and thread: the function is called as it is.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import inspect
import random
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agent_tools.errors import ErrorCode, ToolError
from agent_tools.native import PLAIN_TYPES, Handover, Read

# Threads of calls that were given up run on; more than this many at a time would be a leak.
MAX_THREADS = 256
FIRST_WAIT_S = 0.1
MAX_WAIT_S = 30.0
SLOT_WAIT_S = 0.005

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a failure means for a retry: whether it may help, and how long to wait."""

    retryable: bool
    retry_after_s: float | None
    code: str


class Attempts:
    """The tries of one call, counted by the runner.

    Attributes:
        n: How many were begun.
        wait_ms: How long was waited between them.
        failed: The code of each that another followed, and the wait behind it in milliseconds.
    """

    n = 0
    wait_ms = 0.0
    failed: tuple[tuple[str, float], ...] = ()


Judge = Callable[[BaseException], Verdict]
Run = Callable[[Function, tuple[Any, ...], dict[str, Any], Attempts], Any]
RunAsync = Callable[[Function, tuple[Any, ...], dict[str, Any], Attempts], Awaitable[Any]]


def make_run(
    *,
    retries: int,
    timeout_s: float | None,
    judge: Judge,
    read: Read,
    sleep: Callable[[float], None] = time.sleep,
) -> Run:
    """Make the runner of a tool that is called from sync code.

    What the function returned is read in its own thread, within its deadline and its retries.
    """
    once = _make_call(read) if timeout_s is None else _make_call_in_time(timeout_s, read)
    if not retries:
        return once

    def run(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], attempts: Attempts) -> Any:
        import tenacity

        retrying = tenacity.Retrying(
            sleep=sleep,
            stop=tenacity.stop_after_attempt(retries + 1),
            retry=tenacity.retry_if_exception(lambda error: _may_help(judge(error))),
            wait=lambda state: _wait_s(state, judge, attempts),
            reraise=True,
        )
        return retrying(once, function, args, kwargs, attempts)

    return run


def make_run_async(
    *,
    retries: int,
    timeout_s: float | None,
    in_thread: bool,
    judge: Judge,
    read: Read,
    sleep: Callable[[float], Awaitable[None]] | None = None,
) -> RunAsync:
    """Make the runner of a tool that is called from async code.

    A sync function runs in a worker thread with a copy of the context, unless `in_thread` is false.
    """
    once = _make_await(timeout_s, read, in_thread=in_thread)
    if not retries:
        return once

    async def run(
        function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], attempts: Attempts
    ) -> Any:
        import tenacity

        if sleep is None:
            from asyncio import sleep as pause
        else:
            pause = sleep  # type: ignore[assignment]  # either pauses for so many seconds
        retrying = tenacity.AsyncRetrying(
            sleep=pause,
            stop=tenacity.stop_after_attempt(retries + 1),
            retry=tenacity.retry_if_exception(lambda error: _may_help(judge(error))),
            wait=lambda state: _wait_s(state, judge, attempts),
            reraise=True,
        )
        return await retrying(once, function, args, kwargs, attempts)

    return run


def _may_help(verdict: Verdict) -> bool:
    # a server that wants a longer pause than a call may take is left to the caller
    return verdict.retryable and (verdict.retry_after_s or 0.0) <= MAX_WAIT_S


def _wait_s(state: Any, judge: Judge, attempts: Attempts) -> float:
    """Return the pause before the next try: what the server asked for, else exponential with full jitter."""
    verdict = judge(state.outcome.exception())
    ceiling = min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (state.attempt_number - 1))
    wait_s = max(verdict.retry_after_s or 0.0, random.uniform(ceiling / 2, ceiling))
    attempts.wait_ms += wait_s * 1000
    attempts.failed += ((verdict.code, wait_s * 1000),)
    return wait_s


# --- one try


def _make_call(read: Read, handover: Handover | None = None) -> Run:
    def call(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], attempts: Attempts) -> Any:
        attempts.n += 1
        value = function(*args, **kwargs)
        if type(value) in PLAIN_TYPES or inspect.isawaitable(value):
            return value
        return read(value) if handover is None else read(value, handover)

    return call


def _make_call_in_time(timeout_s: float, read: Read) -> Run:
    def call(function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], attempts: Attempts) -> Any:
        attempts.n += 1
        if not _slots.acquire(blocking=False):
            raise _too_many()
        handover = Handover(lambda: _too_late(timeout_s, may_run_on=True))
        done = _start(function, args, kwargs, read, handover)
        is_late = False
        try:
            answer = done.result(timeout_s)
        except concurrent.futures.TimeoutError:
            is_late = True
        if is_late:
            taken = handover.take()
            if taken is not None:
                return taken
            answer = done.result()  # it came to its end meanwhile
        # out of the `try`: a TimeoutError of the function's own is its failure, not our deadline
        return _unwrap(answer)

    return call


def _make_await(timeout_s: float | None, read: Read, *, in_thread: bool) -> RunAsync:
    async def call(
        function: Function, args: tuple[Any, ...], kwargs: dict[str, Any], attempts: Attempts
    ) -> Any:
        attempts.n += 1
        is_async = (
            inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function) or not in_thread
        )
        if timeout_s is None:
            return await _await(function, args, kwargs, read, None, in_thread=not is_async)
        # not above: it takes 20 ms to import, and who calls from async code has it
        import asyncio

        deadline = asyncio.timeout(timeout_s)
        handover = Handover(lambda: _too_late(timeout_s, may_run_on=not is_async))
        handover.is_late = deadline.expired
        try:
            async with deadline:
                return await _await(function, args, kwargs, read, handover, in_thread=not is_async)
        except TimeoutError:
            # a TimeoutError of the function's own is its failure, not our deadline
            if not deadline.expired():
                raise
        taken = handover.take()
        if taken is None:  # it came to its end, but too late
            raise handover.late()
        return taken

    return call


async def _await(
    function: Function,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    read: Read,
    handover: Handover | None,
    *,
    in_thread: bool,
) -> Any:
    if in_thread:
        import asyncio

        while not _slots.acquire(blocking=False):
            await asyncio.sleep(SLOT_WAIT_S)
        value = _unwrap(await asyncio.wrap_future(_start(function, args, kwargs, read, handover)))
    else:
        value = function(*args, **kwargs)
    if type(value) in PLAIN_TYPES:
        return value
    if inspect.isawaitable(value):
        value = await value
    value = read(value) if handover is None else read(value, handover)
    return await value if inspect.isawaitable(value) else value


def _too_late(timeout_s: float, *, may_run_on: bool) -> ToolError:
    running = "; the function may still be running" if may_run_on else ""
    return ToolError(
        f"the call took longer than its limit of {timeout_s:g} s{running}",
        code=ErrorCode.DEADLINE_EXCEEDED,
        outcome="unknown",
    )


def _too_many() -> ToolError:
    return ToolError(
        f"{MAX_THREADS} calls are running in threads already; wait until some have ended",
        code=ErrorCode.RESOURCE_EXHAUSTED,
        outcome="not_applied",
    )


# --- worker threads

_slots = threading.BoundedSemaphore(MAX_THREADS)
_Answer = tuple[bool, Any]


def _start(
    function: Function,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    read: Read,
    handover: Handover | None,
) -> concurrent.futures.Future[_Answer]:
    """Run the function in a daemon thread with a copy of this context; a slot must have been taken.

    Daemon threads, not an executor's: an executor joins its threads when the process ends, and a function
    that was given up would hold the exit.
    """
    done: concurrent.futures.Future[_Answer] = concurrent.futures.Future()
    done.set_running_or_notify_cancel()
    context = contextvars.copy_context()
    call = _make_call(read, handover)

    def work() -> None:
        try:
            answer: _Answer = (True, context.run(call, function, args, kwargs, Attempts()))
        except BaseException as error:  # noqa: BLE001 - it is raised again in the thread that waits
            answer = (False, error)
        finally:
            _slots.release()
        done.set_result(answer)

    try:
        threading.Thread(target=work, name="agent_tools call", daemon=True).start()
    except RuntimeError as error:  # the system has no thread left
        _slots.release()
        raise ToolError(
            f"no thread could be started for the call: {error}",
            code=ErrorCode.RESOURCE_EXHAUSTED,
            outcome="not_applied",
        ) from error
    return done


def _unwrap(answer: _Answer) -> Any:
    # a pair, not the future's own exception: a future refuses to carry StopIteration
    is_value, content = answer
    if is_value:
        return content
    raise content
