"""What a failure costs: from an exception to its code, and the traceback for the log.

Each row is the fastest of many short rounds, in microseconds, beside a bare try/except of the same raise.
Run: `python benchmarks/errors.py`
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

from agent_tools.errors import NotFound
from agent_tools.stages.error_codes import format_traceback, make_error_codes

ROUNDS = 100
CALLS = 100  # short rounds: the fastest one met no other process


def _plain(text: str) -> str:
    return text


def _raise(exc: Exception) -> Exception:
    try:
        raise exc.with_traceback(None)
    except Exception as error:
        return error


def fastest_us(run: Callable[[], object], calls: int = CALLS) -> float:
    """Return the cost of one call in microseconds, from the fastest of many short rounds."""
    return min(timeit.repeat(run, number=calls, repeat=ROUNDS)) / calls * 1e6


def _fail(depth: int) -> None:
    if depth:
        return _fail(depth - 1)
    raise ValueError("no")


def _caught(depth: int) -> Exception:
    try:
        _fail(depth)
    except ValueError as error:
        return error
    raise AssertionError("nothing was raised")


def _cases() -> dict[str, Exception]:
    refused = ConnectionRefusedError(111, "Connection refused")
    wrapper = RuntimeError("could not load")
    wrapper.__cause__ = refused
    cases: dict[str, Exception] = {
        "built-in class": ZeroDivisionError("division by zero"),
        "errno": refused,
        "own ToolError": NotFound("No order 'A1'."),
        "wrapper with a cause": wrapper,
        "group of three": ExceptionGroup("g", [refused, TimeoutError(), KeyError("city")]),
        "message of 1 MB": RuntimeError("upstream said " + "word " * 200_000),
        "page of 1 MB": RuntimeError("<html><title>502</title>" + "<div>x</div>" * 80_000),
    }
    try:
        import httpx
    except ImportError:
        return cases
    request = httpx.Request("GET", "https://example.com/v1/orders?page=2")
    response = httpx.Response(429, headers={"Retry-After": "7"}, request=request)
    cases["httpx 429"] = httpx.HTTPStatusError(
        "429 for https://example.com/v1", request=request, response=response
    )
    return cases


def main() -> None:
    """Print the table."""
    coder = make_error_codes(
        {}, kind="query", idempotent=True, effects="one", module=__name__, redact_text=_plain
    )
    print(f"{'exception to code':28} {'us':>8} {'bare try/except':>16}")
    for name, exc in _cases().items():
        bare = fastest_us(lambda exc=exc: _raise(exc))
        cost = fastest_us(lambda exc=exc: coder(_raise(exc)))
        print(f"{name:28} {cost - bare:8.2f} {bare:16.2f}")
    print(f"\n{'traceback for the log':28} {'us':>8}")
    for depth in (0, 40, 400):
        error = _caught(depth)
        cost = fastest_us(lambda error=error: format_traceback(error, _plain), 10)
        print(f"{depth + 2:4} frames {cost:26.2f}")


if __name__ == "__main__":
    main()
