"""Every public name as a type checker sees it; checked by mypy --strict and pyright, never run."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Annotated, Any, TypedDict, assert_type

import agent_tools
from agent_tools import (
    Batch,
    ErrorCode,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    Status,
    Tool,
    ToolError,
    ToolResult,
    Unavailable,
    configure,
    override,
    read_result,
    record_answer,
    tool,
    trace,
    visible_to,
)
from agent_tools.record import CallRecord


class Order(TypedDict):
    plan_id: Annotated[str, visible_to("plan")]
    status_name: str


@tool
def find_orders(customer_id: str, *, limit: int = 20) -> list[Order]:
    return []


@tool(max_tokens=800, kind="query", audience={"plan_id": "plan"}, redact=["email", "-phone"])
def count_orders(customer_id: str) -> int:
    return 0


@tool
async def fetch_orders(customer_id: str) -> list[Order]:
    return []


@tool(timeout_s=2.5)
async def fetch_order(order_id: int) -> Order:
    raise NotFound(f"no order {order_id}")


@tool(kind="action")
def archive(ids: list[str]) -> Batch[int]:
    batch: Batch[int] = Batch()
    with batch.item("a"):
        batch.ok(1)
    batch.fail("no such order", key="b", code="NOT_FOUND")
    return Batch.of(ids, int, key=str.upper)


@tool(
    errors={
        KeyError: "NO_ORDER",
        TimeoutError: ("DB_TIMEOUT", True),
        OSError: lambda error: ToolError(str(error), code="DISK"),
        ValueError: InvalidArgument,
    }
)
def read_order(order_id: int) -> Order:
    raise NotFound(f"no order {order_id}")


class Desk:
    @tool
    def open_ticket(self, title: str, urgent: bool = False) -> int:
        return 1

    @tool(kind="action")
    async def close_ticket(self, ticket_id: int) -> None:
        raise Unavailable("restarting", retry_after_s=3)


def sync_tools() -> None:
    result = find_orders("C1", limit=3)
    assert_type(result, ToolResult[list[Order]])
    assert_type(result.value, list[Order])
    assert_type(result.status, Status)
    assert_type(result.to_prompt("answer"), str)
    assert_type(result.to_dict(), dict[str, Any])
    assert_type(count_orders(customer_id="C1"), ToolResult[int])
    assert_type(find_orders.invoke({"customer_id": "C1"}, call_id="call_7"), ToolResult[Any])
    assert_type(find_orders.name, str)
    find_orders(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    find_orders("C1", limt=3)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


async def async_tools() -> None:
    assert_type(await fetch_orders("C1"), ToolResult[list[Order]])
    assert_type(await fetch_order(order_id=7), ToolResult[Order])
    assert_type(await fetch_orders.ainvoke('{"customer_id": "C1"}'), ToolResult[Any])


async def methods() -> None:
    desk = Desk()
    assert_type(desk.open_ticket("paper jam", urgent=True), ToolResult[int])
    await desk.close_ticket(7)
    desk.open_ticket(7)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def wraps_beside(customer_id: str) -> list[str]:
    return [customer_id]


wraps_beside_tool = tool(wraps_beside)
assert_type(wraps_beside_tool("C1"), ToolResult[list[str]])
made: Tool[[str], ToolResult[list[str]]] = wraps_beside_tool


def results_by_hand() -> ToolResult[Any]:
    ToolResult.ok([1], source="cache")
    ToolResult.empty([])
    ToolResult.partial([1], total=9, next={"page": 2})
    ToolResult.from_dict(ToolResult.ok(1).to_dict())
    return ToolResult.fail(ErrorCode.NOT_FOUND, "no order 'A1'")


def errors_and_settings() -> None:
    codes: list[ToolError] = [
        InvalidArgument("a"),
        NotFound("b"),
        PermissionDenied("c"),
        ToolError("d", code="X_Y"),
    ]
    configure(max_tokens=900)
    with override(max_tokens=64), trace("a task", conversation="c1") as task:
        assert_type(task.trace_id, str)
    read_result(result_id="r_AAAAAAAAAAAAAAAA", offset=20)
    assert codes
    assert agent_tools.__version__


def answers() -> CallRecord | None:
    record_answer("Seven.")
    return record_answer(
        "Seven orders.",
        model="small",
        usage={"input_tokens": 900, "output_tokens": 12},
        finish_reason="stop",
        tools_offered=["find_orders", count_orders],
    )


def coroutine() -> Coroutine[Any, Any, ToolResult[Order]]:
    return fetch_order(7)
