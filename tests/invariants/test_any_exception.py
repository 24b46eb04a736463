"""What a body may raise: every Exception becomes an envelope, everything else passes and is logged."""

from __future__ import annotations

import asyncio
import builtins
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tools import ToolError, tool
from agent_tools.tokens import count

MANY = settings(suppress_health_check=list(HealthCheck))
BUILTIN = [
    kind
    for kind in vars(builtins).values()
    if isinstance(kind, type) and issubclass(kind, BaseException) and not issubclass(kind, BaseExceptionGroup)
]


def make(kind: type[BaseException], arguments: tuple[Any, ...]) -> BaseException:
    """Make an exception, with other arguments where it wants its own."""
    try:
        return kind(*arguments)
    except (TypeError, ValueError):  # BlockingIOError takes only what fits an index
        return kind("utf-8", b"x", 0, 1, "bad") if kind is UnicodeDecodeError else kind.__new__(kind)


@pytest.mark.parametrize("kind", BUILTIN, ids=lambda kind: kind.__name__)
@MANY
@given(st.lists(st.text(max_size=50) | st.integers() | st.binary(max_size=9) | st.none(), max_size=3))
def test_an_exception_ends_in_an_envelope_and_the_rest_passes(
    kind: type[BaseException], arguments: list[Any]
) -> None:
    """For every builtin exception with any arguments; the message is never blank."""
    raised = make(kind, tuple(arguments))

    def get_it() -> None:
        raise raised

    made = tool(get_it, log=False, max_tokens=150)
    if not isinstance(raised, Exception):
        with pytest.raises(kind):
            made()
        return
    result = made()

    assert result.status == "error"
    assert result.error.message.strip()
    assert count(result.to_prompt()) <= 150
    with pytest.raises(kind) as caught:
        _ = result.value
    assert caught.value is raised


class Hostile(Exception):
    """Raises from whatever is asked of it."""

    def __str__(self) -> str:
        raise RuntimeError("no str")

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    @property
    def args(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no args")

    @property
    def status_code(self) -> Any:
        raise RuntimeError("no status")

    @property
    def response(self) -> Any:
        raise RuntimeError("no response")


class NoInit(ToolError):
    """Forgets its base's `__init__`."""

    def __init__(self) -> None:
        pass


class Looping(Exception):
    @property
    def __cause__(self) -> BaseException:  # type: ignore[override]
        return self


ODD: list[Exception] = [
    Hostile(),
    NoInit(),
    Looping("x"),
    ToolError("", code=""),
    ToolError("x" * 100_000, hint="h" * 100_000, sub_code="s" * 100_000, data={"rows": ["word " * 10_000]}),
    ToolError("x", data=object()),
    ToolError("x", retry_after_s=float("nan")),
    ToolError("\ud800 \x1b[31m", code="OWN"),
    ExceptionGroup("g", [ValueError("a"), ExceptionGroup("h", [KeyError("b")])]),
    type("Längere", (Exception,), {})("x"),
    StopIteration(5),
    StopAsyncIteration(),
    RecursionError("deep"),
    MemoryError(),
]


@pytest.mark.parametrize("raised", ODD, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("how", ["sync", "async", "thread", "deadline", "generator"])
def test_odd_exceptions_end_in_an_envelope(raised: Exception, how: str, read_log: Any) -> None:
    """From anywhere: one envelope within its budget, one row in the log."""

    def get_it() -> Any:
        raise raised

    async def get_async() -> Any:
        raise raised

    def list_it() -> Any:
        yield from ()
        raise raised

    made = tool({"async": get_async, "generator": list_it}.get(how, get_it), name="get_it", max_tokens=200)
    if how == "deadline":
        made = tool(get_it, name="get_it", max_tokens=200, timeout_s=30)

    result = made() if how in ("sync", "generator", "deadline") else asyncio.run(made.ainvoke())

    assert result.status == "error"
    assert count(result.to_prompt()) <= 200
    json.dumps(result.to_dict(), allow_nan=False).encode()
    assert [row["status"] for row in read_log()] == ["error"]


def test_deep_recursion_ends_in_an_envelope() -> None:
    """A body that runs out of stack."""

    @tool
    def get_deep(n: int = 0) -> int:
        return get_deep.__wrapped__(n + 1)

    assert get_deep().error.code == "INTERNAL"


@pytest.mark.parametrize("depth", [50, 200, 5000, 100_000])
def test_deep_values_are_cut(depth: int) -> None:
    """A value nested deeper than can be shown; it says where it was cut, or that it can't be shown."""
    value: Any = []
    for _ in range(depth):
        value = [value] if depth % 3 else {"a": value}

    result = tool(lambda: value, name="get_deep", max_tokens=200)()

    assert count(result.to_prompt()) <= 200
    json.loads(result.to_prompt())


def test_cycles_are_cut() -> None:
    """A value that holds itself."""
    value: dict[str, Any] = {"n": 1}
    value["self"] = value

    result = tool(lambda: value, name="get_cycle")()

    assert result.data["n"] == 1
    assert result.meta["cut"]
