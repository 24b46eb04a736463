"""What a call through a tool costs, beside other libraries that make tools, in one run.

    python benchmarks/peers_call.py [rounds]

Each row calls a function that returns a small dict. Rounds are interleaved, so that other work on the machine
meets all rows alike, and the fastest round of each counts. "checks" says whether the arguments are validated.
A peer that is not installed is said to be; `pip install -r benchmarks/requirements.txt` has them all.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from agent_tools import configure, tool

CALLS = 300
ROUNDS = 40
YARDSTICK = "pydantic validate_call"
# either kind: what a sync call returns is not awaited
Call = Callable[[int], Any]


def get_order(order_id: int) -> dict[str, Any]:
    """Return a small dict, like most tools do.

    Args:
        order_id: Number of the order.
    """
    return {"id": order_id, "status": "open", "total": 12.5}


def make_pydantic() -> Call:
    """Validate the arguments and nothing else."""
    from pydantic import validate_call

    return validate_call(get_order)


def make_langchain() -> Call:
    """Run a StructuredTool as a chain does."""
    from langchain_core.tools import StructuredTool

    made = StructuredTool.from_function(get_order)
    return lambda n: made.invoke({"order_id": n})


def make_pydantic_ai() -> Call:
    """Validate and call through the toolset, without the hooks and spans of an agent's run."""
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.usage import RunUsage

    tools = FunctionToolset([Tool(get_order)])
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    made = asyncio.run(tools.get_tools(context))["get_order"]
    validate = made.args_validator.validate_python
    return lambda n: tools.call_tool("get_order", validate({"order_id": n}), context, made)


def make_pydantic_ai_run() -> Call:
    """Call as a step of an agent's run does."""
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.usage import RunUsage

    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    manager = asyncio.run(ToolManager(FunctionToolset([Tool(get_order)])).for_run_step(context))
    return lambda n: manager.handle_call(ToolCallPart("get_order", {"order_id": n}))


def make_openai_agents() -> Call:
    """Invoke a function tool with the JSON text of a model."""
    from agents import function_tool
    from agents.tool_context import ToolContext

    made = function_tool(get_order)

    def call(n: int) -> Awaitable[Any]:
        sent = f'{{"order_id": {n}}}'
        context = ToolContext(context=None, tool_name="get_order", tool_call_id="call_1", tool_arguments=sent)
        return made.on_invoke_tool(context, sent)

    return call


def make_fastmcp() -> Call:
    """Run a FastMCP tool, without server and transport."""
    from fastmcp.tools import Tool

    made = Tool.from_function(get_order)
    return lambda n: made.run({"order_id": n})


def make_smolagents() -> Call:
    """Call a smolagents tool, which checks no types at a call."""
    from smolagents import tool as smol_tool

    made = smol_tool(get_order)
    return lambda n: made(order_id=n)


def make_llama_index() -> Call:
    """Call a FunctionTool, which checks no types at a call."""
    from llama_index.core.tools import FunctionTool

    made = FunctionTool.from_defaults(get_order)
    return lambda n: made.call(order_id=n)


def make_ours_invoke(**settings: Any) -> Call:
    """Invoke one of our tools with the arguments of a model."""
    made = tool(get_order, **settings)
    return lambda n: made.invoke({"order_id": n})


def make_ours_prompt() -> Call:
    """Invoke one of our tools and render what the model reads."""
    made = tool(get_order)
    return lambda n: made.invoke({"order_id": n}).to_prompt()


@dataclass(frozen=True, slots=True)
class Row:
    """One way to call the function; `package` is whose version to tell."""

    name: str
    package: str
    checks: str
    make: Callable[[], Call]


ROWS = (
    Row("bare function", "", "no", lambda: get_order),
    Row(YARDSTICK, "pydantic", "yes", make_pydantic),
    Row("agent_tools, log off", "agent_tools", "no", lambda: tool(get_order, log=False)),
    Row("agent_tools, log on", "agent_tools", "no", lambda: tool(get_order)),
    Row("agent_tools invoke, log off", "agent_tools", "yes", lambda: make_ours_invoke(log=False)),
    Row("agent_tools invoke, log on", "agent_tools", "yes", make_ours_invoke),
    Row("agent_tools invoke + to_prompt, log on", "agent_tools", "yes", make_ours_prompt),
    Row("langchain-core StructuredTool.invoke", "langchain-core", "yes", make_langchain),
    Row("pydantic-ai toolset call_tool, async", "pydantic-ai-slim", "yes", make_pydantic_ai),
    Row("pydantic-ai ToolManager, async", "pydantic-ai-slim", "yes", make_pydantic_ai_run),
    Row("openai-agents on_invoke_tool, async", "openai-agents", "yes", make_openai_agents),
    Row("fastmcp Tool.run, async", "fastmcp", "yes", make_fastmcp),
    Row("smolagents @tool", "smolagents", "no", make_smolagents),
    Row("llama-index FunctionTool.call", "llama-index-core", "no", make_llama_index),
)


def make_calls() -> dict[str, Call]:
    """Make what is installed; a missing import leaves a row out."""
    made = {}
    for row in ROWS:
        try:
            made[row.name] = row.make()
        except ImportError:
            continue
    return made


async def time_us(call: Call) -> float:
    """Return the mean time of one call in microseconds."""
    if inspect.isawaitable(first := call(0)):
        await first
        begun = time.perf_counter()
        for n in range(CALLS):
            await call(n)
    else:
        begun = time.perf_counter()
        for n in range(CALLS):
            call(n)
    return (time.perf_counter() - begun) / CALLS * 1e6


def measure(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Return the fastest round of each."""
    best = dict.fromkeys(calls, float("inf"))
    with asyncio.Runner() as runner:
        for _ in range(rounds):
            for name, call in calls.items():
                best[name] = min(best[name], runner.run(time_us(call)))
    return best


def main() -> None:
    """Measure and print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        # some peers import OpenTelemetry, and our calls would make spans then, which no peer does here
        configure(home=Path(folder), otel=False)
        best = measure(make_calls(), rounds)
    print(f"| call | version | checks | us | x {YARDSTICK} |\n|---|---|---|---|---|")
    for row in ROWS:
        if row.name not in best:
            print(f"| {row.name} | not installed | {row.checks} | | |")
            continue
        package = version(row.package) if row.package else ""
        us = best[row.name]
        print(f"| {row.name} | {package} | {row.checks} | {us:.2f} | {us / best[YARDSTICK]:.1f} |")


if __name__ == "__main__":
    main()
