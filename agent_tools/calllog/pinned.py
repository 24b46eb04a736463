"""Write calls of the log as regression tests.

In:   rows of calls, and the module that their tools are in.
Out:  the text of a pytest file: each test makes a call again and compares what comes out.
Cost: some 50 us a call.

Compared is what the log holds whole: the status, the code of a failure, and the data as the model saw it.
"""

from __future__ import annotations

import json
import pprint
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from agent_tools.calllog.evidence import is_whole
from agent_tools.calllog.reader import Row, get_text

_RESULT_ID = re.compile(r"r_[\w-]{16}", re.ASCII)
_HEAD = '''"""Calls of the log, pinned as tests: each makes a call again and compares what comes out.

Written by `agent-tools logs export --format pytest`.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import re

import pytest

from agent_tools.settings import override
from agent_tools.stores.base import given_result_id
from agent_tools.tool import BoundTool, Tool

MODULE = {module!r}


@pytest.fixture(autouse=True)
def home(tmp_path):
    """Keep what the calls log and store in a folder of their own."""
    with override(home=tmp_path):
        yield


def call(name, arguments):
    """Make a call as a model does, by the name of the tool."""
    module = importlib.import_module(MODULE)
    owners = [module, *(value for value in vars(module).values() if inspect.isclass(value))]
    values = [getattr(owner, attribute, None) for owner in owners for attribute in vars(owner)]
    tool = next(value for value in values if isinstance(value, (Tool, BoundTool)) and value.name == name)
    is_async = inspect.iscoroutinefunction(tool)
    return asyncio.run(tool.ainvoke(arguments)) if is_async else tool.invoke(arguments)


def data_of(result):
    """Return the data as the model sees it."""
    return json.loads(result.to_prompt())["data"]


def text_of(result):
    """Return the text that the model sees, without the ids that are new in every call."""
    return re.sub(r"\\br_[\\w-]{{16}}(?![\\w-])", "(id)", result.to_prompt())
'''


def to_tests(rows: Iterable[Row], module: str) -> Iterator[str]:
    """Yield the text of a pytest file, in parts.

    Example:
        >>> row = {"tool": "find", "call_id": "c_1", "status": "empty", "arguments": {"q": "x"}, "ts": ""}
        >>> head, test = to_tests([row], "shop")
        >>> test.split("\\n")[-2]
        '    assert result.status == "empty"'
    """
    yield _HEAD.format(module=module)
    seen: Counter[str] = Counter()
    for row in rows:
        name = re.sub(r"\W", "_", f"{get_text(row, 'tool')}_{get_text(row, 'call_id')}", flags=re.ASCII)
        seen[name] += 1  # a model may give two calls one id; of two tests of one name only one would run
        yield "\n\n" + "\n".join(_to_test(name if seen[name] == 1 else f"{name}_{seen[name]}", row)) + "\n"


def _to_test(name: str, row: Row) -> Iterator[str]:
    status = get_text(row, "status")
    when = f" on {get_text(row, 'ts')[:19]} UTC" if row.get("ts") else ""
    yield f"def test_{name}():"
    yield f'    """A call of {_plain(get_text(row, "tool"))} ended as {_plain(status)}{when}."""'
    call, indent = f"call({json.dumps(get_text(row, 'tool'))}, ", 4
    result_id = get_text(row, "result_id")
    if _RESULT_ID.fullmatch(result_id):
        yield f'    with given_result_id("{result_id}"):'
        indent = 8
    yield f"{' ' * indent}result = {call}{_literal(row['arguments'], indent)})"
    yield ""
    yield f"    assert result.status == {json.dumps(status)}"
    if row.get("error_code"):
        yield f"    assert result.error.code == {json.dumps(row['error_code'])}"
    elif isinstance(row.get("prompt"), str) and is_whole(row):
        yield _compare(row["prompt"])


def _compare(prompt: str) -> str:
    try:
        envelope = json.loads(prompt)
        return f"    assert data_of(result) == {_literal(envelope['data'], 4)}"
    except (ValueError, KeyError, TypeError):
        text = re.sub(r"\br_[\w-]{16}(?![\w-])", "(id)", prompt)
        return f"    assert text_of(result) == {text!r}"


def _literal(value: Any, indent: int) -> str:
    lines = pprint.pformat(value, width=100, sort_dicts=False).split("\n")
    return ("\n" + " " * indent).join(lines)


def _plain(text: str) -> str:
    return re.sub(r'[\\"\n]', " ", text)
