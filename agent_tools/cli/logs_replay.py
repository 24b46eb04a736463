"""`agent-tools logs replay`: does the code of today answer a call of the log alike?"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from agent_tools.calllog.differences import compare_calls
from agent_tools.calllog.lookup import find_call
from agent_tools.calllog.reader import Row, find_files, get_text, read_records
from agent_tools.calllog.repeatable import why_not
from agent_tools.cli.logs import USAGE, Source, source_options
from agent_tools.cli.logs_diff import print_differences


class NotReplayed(click.ClickException):
    """The call can't or must not be made again."""

    exit_code = USAGE


@click.command("replay")
@source_options
@click.argument("call_id")
@click.option("--module", required=True, metavar="PKG.MODULE", help="Where the tool is, from this folder on.")
def replay(source: Source, call_id: str, module: str) -> None:
    """Make a call of the log again with the code of today, and show what differs.

    Queries only, and only with arguments that the log holds whole. The new call is neither logged nor stored
    here. What the module prints goes to stderr.
    """
    found = find_call(source.files(), call_id, source.skipped)
    if not found.calls:
        source.finish(matched=False)
        return
    row = found.calls[-1]
    if reason := why_not(row):
        raise NotReplayed(f"{call_id} is not replayed: {reason}")
    with contextlib.redirect_stdout(sys.stderr):
        again = call_again(find_tool(import_module(module), get_text(row, "tool")), row)
    # the first call of a process is no measure of time
    differences = [one for one in compare_calls(row, again) if one.path != "elapsed_ms"]
    if source.output.is_json:
        source.output.json_lines(one.to_dict() for one in differences)
    else:
        source.output.lines([("then", _outcome(row)), ("now", _outcome(again))])
        print_differences(source.output, differences)
    if not differences:
        source.output.note("no differences")
    source.finish(matched=True)


def _outcome(row: Row) -> str:
    return f"{get_text(row, 'status')} {get_text(row, 'error_code')}".strip()


def import_module(name: str) -> ModuleType:
    """Import a module of the folder that the command was started in.

    Raises:
        NotReplayed: it can't be imported.
    """
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise NotReplayed(f"cannot import {name}: {type(error).__name__}: {error}") from error


def find_tool(module: ModuleType, name: str) -> Any:
    """Return the tool of this name in a module, or in a class of it.

    Raises:
        NotReplayed: there is none, it is an action by now, or it needs an instance.
    """
    tool = next((tool for tool in _tools_of(module) if tool.name == name), None)
    if tool is None:
        names = sorted({tool.name for tool in _tools_of(module)})
        raise NotReplayed(f"{module.__name__} has no tool {name!r}; it has: {', '.join(names) or 'none'}")
    machine = tool._self_machine
    if machine.plan().kind == "action":
        raise NotReplayed(f"{name} is an action by now: making it again could change something again")
    if machine.signature.receives_self and not inspect.ismethod(getattr(tool, "__wrapped__", None)):
        raise NotReplayed(f"{name} is a method: the log does not tell of which object")
    return tool


def _tools_of(module: ModuleType) -> Iterator[Any]:
    from agent_tools.tool import BoundTool, Tool

    values = list(vars(module).values())
    for owner in [value for value in values if inspect.isclass(value)]:
        values += [getattr(owner, name, None) for name in vars(owner)]
    return (value for value in values if isinstance(value, (Tool, BoundTool)))


def call_again(tool: Any, row: Row) -> Row:
    """Make a call again and return the row that it would have left.

    Raises:
        NotReplayed: it left none, since its log is off.
    """
    from agent_tools.context import trace
    from agent_tools.settings import override
    from agent_tools.stores.base import given_result_id, is_result_id

    conversation, agent = (get_text(row, name) or None for name in ("conversation_id", "agent"))
    result_id = get_text(row, "result_id")
    same_id = given_result_id(result_id) if is_result_id(result_id) else contextlib.nullcontext()
    with tempfile.TemporaryDirectory(prefix="agent_tools_replay_", ignore_cleanup_errors=True) as name:
        with override(home=name), trace("replay", conversation=conversation, agent=agent), same_id:
            if tool._self_machine.is_async:
                asyncio.run(tool.ainvoke(row["arguments"]))
            else:
                tool.invoke(row["arguments"])
        try:
            rows = read_records(find_files(Path(name)), keep=lambda again: again["event"] == "tool_call")
            return [again for again in rows if again.get("tool") == row["tool"]][-1]
        except (FileNotFoundError, IndexError):
            raise NotReplayed("the call left no row to compare: the tool's log is off") from None
