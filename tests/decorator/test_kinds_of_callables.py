"""What `@tool` takes: every kind of callable comes out returning envelopes."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agent_tools import ToolResult, tool


def plain(x: int) -> int:
    return x * 2


async def coroutine(x: int) -> int:
    return x * 2


class Doubler:
    """Doubles."""

    def __call__(self, x: int) -> int:
        return x * 2


def search(tenant: str, q: str, k: int = 5) -> list[Any]:
    """Search the tenant's notes."""
    return [tenant, q, k]


@pytest.mark.parametrize(
    "function",
    [plain, Doubler(), lambda x: x * 2, functools.partial(plain), tool(plain)],
    ids=["function", "callable object", "lambda", "partial", "tool"],
)
def test_a_sync_callable_returns_an_envelope(function: Any) -> None:
    """Functions, lambdas, partials, callable objects and tools themselves work alike, one level deep."""
    result = tool(function)(21)

    assert isinstance(result, ToolResult)
    assert (result.status, result.data, result.value) == ("success", 42, 42)


async def test_a_coroutine_function_is_awaited() -> None:
    """An async function stays one: its call is awaited and gives the envelope."""
    result = await tool(coroutine)(21)

    assert result.data == 42


def test_a_generator_is_drained() -> None:
    """A generator's rows become a list, in order; its value does not stay in memory."""

    @tool
    def rows() -> Iterator[dict[str, int]]:
        yield from ({"i": i} for i in range(3))

    result = rows()

    assert (result.status, result.data, result.value) == ("success", [{"i": 0}, {"i": 1}, {"i": 2}], None)


async def test_an_async_generator_is_drained() -> None:
    """An async generator tool is awaited like any async tool."""

    @tool
    async def rows(n: int) -> AsyncIterator[int]:
        for i in range(n):
            yield i

    assert (await rows(3)).data == [0, 1, 2]
    assert (await rows(0)).status == "empty"


async def test_a_sync_function_that_returns_an_awaitable_is_awaited() -> None:
    """From async code the awaitable is awaited, and what fails in it is an error envelope."""

    async def work(x: int) -> int:
        if x < 0:
            raise ValueError("negative")
        return x * 2

    forgot_await = tool(lambda x: work(x), name="forgot_await")

    assert (await forgot_await(2)).data == 4
    failed = await forgot_await(-1)
    assert failed.status == "error"
    assert "negative" in failed.error.message


def test_an_awaitable_without_a_loop_is_an_error() -> None:
    """From sync code the awaitable is closed, never shown, and the message says what to call."""
    forgot_await = tool(lambda x: coroutine(x), name="forgot_await")

    result = forgot_await(2)

    assert result.error.code == "INTERNAL"
    assert "await forgot_await.ainvoke" in result.error.message


class Calc:
    def __init__(self, base: int) -> None:
        self.base = base

    @tool
    def add(self, x: int) -> int:
        """Add x to base."""
        return self.base + x

    @tool
    @classmethod
    def outer_class(cls, x: int) -> str:
        return f"{cls.__name__}{x}"

    @classmethod
    @tool
    def inner_class(cls, x: int) -> str:
        return f"{cls.__name__}{x}"

    @tool
    @staticmethod
    def outer_static(x: int) -> int:
        return x * 2

    @staticmethod
    @tool
    def inner_static(x: int) -> int:
        return x * 2


class Sub(Calc):
    __slots__ = ()

    def add(self, x: int) -> Any:
        return super().add(x)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: Calc(10).add(5), 15),
        (lambda: Calc(1).add(x=5), 6),
        (lambda: Calc.add(Calc(2), 5), 7),
        (lambda: Sub(3).add(5), 8),
        (lambda: Sub.outer_class(1), "Sub1"),
        (lambda: Sub(0).inner_class(1), "Sub1"),
        (lambda: Calc.outer_static(4), 8),
        (lambda: Calc(0).inner_static(4), 8),
        (lambda: Calc(10).add.invoke({"x": "5"}), 15),
    ],
)
def test_methods_bind_as_methods_do(call: Any, expected: Any) -> None:
    """Instances, classes, subclasses and both decorator orders reach the right object."""
    assert call().data == expected


def test_self_is_not_an_argument(read_log: Any) -> None:
    """The instance is in no log, no message and no schema."""
    calc = Calc(1)
    calc.add(5)
    Calc.add(calc, 6)
    missing = calc.add()

    assert [row["arguments"] for row in read_log()] == [{"x": 5}, {"x": 6}, {}]
    assert missing.error.message == "missing argument 'x' @ $.x; accepted: x"
    assert list(calc.add.input_schema["properties"]) == ["x"]


@pytest.mark.parametrize(
    ("function", "name", "description"),
    [
        (functools.partial(search, "t1", k=2), "search", "Search the tenant's notes."),
        (functools.partial(functools.partial(search, "t1"), q="z"), "search", "Search the tenant's notes."),
        (Doubler(), "Doubler", "Doubles."),
        (plain, "plain", ""),
    ],
    ids=["partial", "partial of partial", "callable object", "function"],
)
def test_names_and_descriptions_are_the_functions_own(function: Any, name: str, description: str) -> None:
    """A partial is called like its function, an object like its class."""
    made = tool(function)

    assert (made.name, made.description, made.__name__) == (name, description, name)


def test_a_lambda_gets_a_valid_name() -> None:
    """`<lambda>` is no name that a model's API takes."""
    assert tool(lambda q: q).name.isidentifier()


def test_odd_parameters_reach_the_function(read_log: Any) -> None:
    """Variadic and positional-only parameters, and names of the library's own, arrive and are logged."""

    @tool
    def query(kind: str, *terms: str, limit: int = 3, **filters: Any) -> list[Any]:
        return [kind, terms, limit, filters]

    @tool
    def own_names(a: int, /, self: int = 0, call_id: int = 1, timeout: int = 2, args: int = 3) -> list[int]:
        return [a, self, call_id, timeout, args]

    assert query("t", "x", "y", limit=1, name="n").data == ["t", ["x", "y"], 1, {"name": "n"}]
    assert own_names(5, self=6, call_id=7, timeout=8, args=9).data == [5, 6, 7, 8, 9]
    assert read_log()[0]["arguments"] == {
        "kind": "t",
        "terms": ["x", "y"],
        "limit": 1,
        "filters": {"name": "n"},
    }
