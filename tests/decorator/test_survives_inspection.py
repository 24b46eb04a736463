"""What frameworks and people read off a tool: names, signatures, pickles, attributes."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
import pickle
import typing
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from agent_tools import Tool, ToolResult, tool


def find_orders(customer_id: str, limit: int = 20) -> list[dict[str, Any]]:
    """Find a customer's orders."""
    return []


find_orders_tool = tool(find_orders, max_tokens=800)


@tool
def decorated(x: int) -> int:
    return x


class Desk:
    @tool
    def open(self, title: str) -> str:
        return title

    @tool
    @classmethod
    async def count(cls, title: str) -> int:
        return 1

    @tool
    async def tickets(self, n: int) -> AsyncIterator[int]:
        yield n

    @tool
    def rows(self, n: int) -> Iterator[int]:
        yield n


async def fetch(x: int) -> int:
    return x


async def stream() -> AsyncIterator[int]:
    yield 1


def rows() -> Iterator[int]:
    yield 1


def test_what_the_function_says_survives() -> None:
    """Name, docstring, parameters and the function itself stay; the return annotation is the envelope."""
    signature = inspect.signature(find_orders_tool)

    assert find_orders_tool.__name__ == "find_orders"
    assert find_orders_tool.__doc__ == "Find a customer's orders."
    assert find_orders_tool.__wrapped__ is find_orders
    assert list(signature.parameters) == ["customer_id", "limit"]
    assert signature.parameters["limit"].default == 20
    assert signature.return_annotation is ToolResult


def test_signature_and_hints_agree() -> None:
    """`inspect.signature`, `get_type_hints` and the real return value say the same."""
    hints = typing.get_type_hints(find_orders_tool)

    assert hints["return"] is inspect.signature(find_orders_tool).return_annotation
    assert isinstance(find_orders_tool("C1"), hints["return"])
    assert hints["customer_id"] is str


@pytest.mark.parametrize(
    ("function", "is_coroutine_function"),
    [(fetch, True), (stream, True), (rows, False), (find_orders, False)],
    ids=["async", "async generator", "generator", "sync"],
)
def test_inspection_tells_how_a_call_comes_back(function: Any, is_coroutine_function: bool) -> None:
    """A framework that asks how to call a tool gets the truth about the tool, not about its function."""
    made = tool(function)

    assert inspect.iscoroutinefunction(made) is is_coroutine_function
    assert asyncio.iscoroutinefunction(made) is is_coroutine_function
    assert not inspect.isasyncgenfunction(made)
    assert not inspect.isgeneratorfunction(made)


@pytest.mark.parametrize(
    "value",
    [decorated, find_orders_tool, Desk.__dict__["open"], tool(find_orders)],
    ids=["decorated", "wrapped beside", "method", "no name of its own"],
)
def test_a_tool_can_be_pickled(value: Any) -> None:
    """A tool travels by name; one without a name is made again from its function and settings."""
    again = pickle.loads(pickle.dumps(value))

    assert isinstance(again, Tool)
    assert again.__wrapped__ is value.__wrapped__


def test_a_bound_tool_can_be_pickled() -> None:
    """It travels as its instance and its name."""
    again = pickle.loads(pickle.dumps(Desk().open))

    assert again("paper jam").data == "paper jam"


def test_a_tool_that_nobody_can_find_says_so() -> None:
    """A lambda has no name to travel by; the error says what to do."""
    with pytest.raises(pickle.PicklingError, match="assign it to a name"):
        pickle.dumps(tool(lambda: 1, name="x"))


def test_copies_are_the_tool_itself() -> None:
    """As for functions."""
    assert copy.copy(decorated) is decorated
    assert copy.deepcopy(decorated) is decorated


def test_attributes_stay_on_the_tool() -> None:
    """A framework's attribute on a tool does not land on the user's function; the function's are seen."""
    find_orders.owner = "sales"  # type: ignore[attr-defined]
    find_orders_tool.framework_id = 7

    assert find_orders_tool.framework_id == 7
    assert find_orders_tool.owner == "sales"
    assert not hasattr(find_orders, "framework_id")
    del find_orders_tool.framework_id
    assert not hasattr(find_orders_tool, "framework_id")


def test_what_is_decided_at_decoration_can_not_be_set() -> None:
    """`tool.name = ...` would be believed and ignored."""
    with pytest.raises(AttributeError, match="decorate the function again"):
        decorated.name = "other"


def test_a_stacked_decorator_stays_reachable() -> None:
    """`@tool` over `functools.lru_cache` runs the cached function."""

    @tool
    @functools.lru_cache
    def square(x: int) -> int:
        return x * x

    assert square(3).data == 9
    assert square(3).data == 9
    assert square.__wrapped__.cache_info().hits == 1


def test_a_tool_that_calls_a_tool_returns_one_envelope(read_log: Any) -> None:
    """An inner envelope is passed through, not wrapped; the inner call's id is kept, the two are linked."""

    @tool
    def outer(x: int) -> Any:
        return decorated(x)

    result = outer(3)
    inner_row, outer_row = read_log()

    assert result.data == 3
    assert result.meta["inner_call_id"] == inner_row["call_id"] != outer_row["call_id"]
    assert inner_row["parent_span_id"] == outer_row["span_id"]


def test_unresolvable_hints_cost_nothing() -> None:
    """A name that exists only for type checkers disables the check of that parameter only."""

    def move(n: int, d: NoSuchType | None = None) -> dict[str, int]:  # type: ignore[name-defined]  # noqa: F821
        return {"n": n}

    made = tool(move)

    assert made(1).data == {"n": 1}
    assert made.invoke({"n": "1", "d": "anything"}).data == {"n": 1}
    assert made.invoke({"n": "x"}).error.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "bound",
    [Desk().open, Desk.count, Desk().count, Desk().tickets, Desk().rows],
    ids=["method", "classmethod of a class", "classmethod", "async generator", "generator"],
)
def test_a_bound_tool_is_read_as_what_it_is(bound: Any) -> None:
    """From an instance or a class, too, the parameters are without self and the envelope is returned."""
    signature = inspect.signature(bound)
    plain = inspect.signature(bound.__wrapped__)

    assert signature.parameters == plain.parameters
    assert signature.return_annotation is ToolResult
    assert typing.get_type_hints(bound)["return"] is ToolResult
    assert inspect.iscoroutinefunction(bound) is (bound.__name__ in ("count", "tickets"))
    assert not inspect.isgeneratorfunction(bound)
    assert not inspect.isasyncgenfunction(bound)


async def test_the_function_of_a_bound_tool_is_a_tool() -> None:
    """`method.__func__(instance, ...)` is the call of the method."""
    assert Desk().open.__func__(Desk(), "x").data == "x"
    assert (await Desk.count.__func__(Desk, title="x")).data == 1
