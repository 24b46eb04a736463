"""The package as a whole: what it exports, what importing it costs, that nothing in it prints."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import agent_tools

PACKAGE = Path(agent_tools.__file__).parent
HEAVY = """
    tiktoken structlog pydantic tenacity rich click redis httpx requests aiohttp numpy pandas polars
    pyarrow narwhals sqlalchemy openai anthropic mcp langchain_core pydantic_ai agents llama_index duckdb
    opentelemetry
"""


def test_the_public_names_are_sorted_and_there() -> None:
    """`__all__` is sorted and every name in it exists."""
    assert agent_tools.__all__ == sorted(agent_tools.__all__)
    assert all(hasattr(agent_tools, name) for name in agent_tools.__all__)


@pytest.mark.parametrize("name", agent_tools.__all__)
def test_every_public_name_is_documented_with_an_example(name: str) -> None:
    """What it is in words, and an example that the doctests run."""
    text = inspect.getdoc(getattr(agent_tools, name)) or ""

    assert text.strip()
    assert ">>>" in text or name == "read_result"


def test_importing_loads_nothing_heavy() -> None:
    """No tokenizer, no web client, no framework and no validator before it is needed."""
    code = f"import sys, agent_tools; print(*[name for name in {HEAVY!r}.split() if name in sys.modules])"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout.split() == []


def test_a_call_loads_no_encoding_for_a_small_result() -> None:
    """The bytes decide that a small text fits."""
    code = (
        "import sys, agent_tools\n"
        "agent_tools.configure(log=False)\n"
        "agent_tools.tool(lambda: {'id': 7}, name='get')().to_prompt()\n"
        "print('tiktoken' in sys.modules)"
    )

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "False"


def test_only_the_command_line_prints() -> None:
    """Standard output may be a protocol's channel."""
    printing = [
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]

    assert [name for name in printing if not name.startswith(("cli/", "encodings/pack"))] == []
