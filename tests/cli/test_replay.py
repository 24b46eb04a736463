"""`agent-tools logs replay` and `export --format pytest`: calls of a program, made again in another one."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SHOP = """
import asyncio
from agent_tools import tool, trace

print("a module that talks")

@tool
def find_orders(city: str, limit: int = 20) -> list:
    print("a tool that talks")
    return [{"id": 1, "amount": AMOUNT}] if city == "Rome" else []

@tool(kind="action")
def pay(amount: int) -> None:
    raise AssertionError("paid twice")

@tool
async def fetch(q: str) -> dict:
    return {"q": q}

@tool
def get_session(password: str, text: str = "") -> dict:
    return {}

@tool(log_arguments="shape")
def count_orders(city: str) -> int:
    return 3

@tool(max_tokens=200)
def list_orders() -> list:
    return [{"id": n, "name": f"order {n}"} for n in range(500)]

@tool
def get_order(order_id: int) -> dict:
    raise ConnectionRefusedError("down")

class Desk:
    @tool
    def look(self, n: int) -> int:
        return n

    @staticmethod
    @tool
    def find_next(n: int) -> int:
        return n + 1
"""
MADE = """
with trace("t"):
    find_orders("Rome"); find_orders("Bern"); pay(7); asyncio.run(fetch("x")); get_session("correct horse")
    count_orders("Rome"); list_orders(); get_order(7); Desk().look(3); Desk.find_next(3)
    get_session.invoke({"text": "t" * 9000})
"""


@pytest.fixture
def shop(tmp_path, command):
    """Write the module of a shop, make its calls in a process of its own, return their ids by tool."""

    def shop(amount=120.0, made=MADE):
        (tmp_path / "shop.py").write_text(SHOP.replace("AMOUNT", str(amount)))
        env = command()["env"] | {"PYTHONPATH": f"{tmp_path}:{command()['env']['PYTHONPATH']}"}
        code = "from shop import *\n" + made
        subprocess.run([sys.executable, "-c", code], env=env, cwd=tmp_path, check=True, capture_output=True)
        rows = [
            json.loads(line) for path in tmp_path.glob("calls/*") for line in path.read_text().splitlines()
        ]
        return {row["tool"]: row["call_id"] for row in reversed(rows) if row["event"] == "tool_call"}

    return shop


@pytest.fixture
def replay(tmp_path, command):
    """Replay a call in a process that starts in the folder of the module."""

    def replay(call_id, *options):
        spec = command("replay", call_id, "--module", "shop", *options)
        return subprocess.run(**spec, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)

    return replay


@pytest.mark.parametrize("tool", ["find_orders", "fetch", "get_order", "list_orders", "find_next"])
def test_code_that_answers_alike(shop, replay, tool):
    """Sync, async, failing, cut and static tools; what they print is kept out of the output."""
    done = replay(shop()[tool])

    assert (done.returncode, done.stdout) == (0, "")
    assert "no differences" in done.stderr


def test_code_that_answers_otherwise(shop, replay):
    """What the model would see now, as a diff."""
    call_id = shop()["find_orders"]
    shop(amount=125.5, made="")

    (line,) = map(json.loads, replay(call_id).stdout.splitlines())

    assert line["path"] == "prompt"
    assert '-      "amount": 120.0' in line["b"]
    assert '+      "amount": 125.5' in line["b"]


def test_a_tool_that_is_renamed_or_an_action_by_now(shop, replay, tmp_path):
    """The code of today decides, too."""
    ids = shop()
    code = SHOP.replace("def find_orders", "def find_all").replace(
        "@tool\nasync", '@tool(kind="action")\nasync'
    )
    (tmp_path / "shop.py").write_text(code.replace("AMOUNT", "1"))

    renamed, action = replay(ids["find_orders"]), replay(ids["fetch"])

    assert (renamed.returncode, action.returncode) == (2, 2)
    assert "no tool 'find_orders'; it has: count_orders, fetch, find_all" in renamed.stderr
    assert "is an action by now" in action.stderr


@pytest.mark.parametrize(
    ("tool", "why"),
    [
        ("pay", "it is an action"),
        ("get_session", "its arguments were hidden: $.password"),
        ("count_orders", "or their shapes"),
        ("look", "the log does not tell of which object"),
    ],
)
def test_what_is_not_made_again(shop, replay, tool, why):
    """Nothing that changes something, and nothing on other arguments than those of then."""
    done = replay(shop()[tool])

    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr


def test_shortened_arguments_are_not_replayed(shop, replay):
    """Half of a text would be another question."""
    call_id = shop(made='find_orders("Rome" * 9000)\n')["find_orders"]

    assert "only a part of its arguments" in replay(call_id).stderr


def test_a_replay_leaves_nothing(shop, replay, tmp_path):
    """Neither a row nor a stored result."""
    call_id = shop()["find_orders"]
    before = {path: path.stat().st_size for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}

    replay(call_id)

    after = {path: path.stat().st_size for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    assert after == before


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["c_nope", "--module", "shop"], 1, "nothing matched"),
        (["c_1", "--module", "no_such_module"], 2, "cannot import no_such_module: ModuleNotFoundError"),
        (["c_1"], 2, "Missing option '--module'"),
    ],
    ids=str,
)
def test_what_can_not_be_replayed(write_log, run, options, code, text):
    """1 for an unknown call, 2 for what is wrong with the command."""
    write_log({"tool_kind": "query", "arguments": {}, "arguments_bytes": 2})

    result = run("replay", *options)

    assert result.exit_code == code
    assert text in result.stderr


def test_calls_become_tests_that_pass_until_the_code_changes(shop, tmp_path, command):
    """Written by one process, run by pytest in another; of two calls with one id of a model's each is run."""
    same_id = 'find_orders.invoke({"city": "Rome"}, call_id="call_1")\n'
    shop(made=MADE + 2 * same_id)
    made = command("export", "--format", "pytest", "--module", "shop", "-o", "test_pinned.py")
    exported = subprocess.run(**made, cwd=tmp_path, capture_output=True, text=True, check=False)
    args = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-c",
        "/dev/null",
        "-p",
        "no:cacheprovider",
        "test_pinned.py",
    ]
    env = made["env"] | {"PYTHONPATH": f"{tmp_path}:{made['env']['PYTHONPATH']}"}
    passed = subprocess.run(args, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    shop(amount=125.5, made="")
    failed = subprocess.run(args, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert exported.returncode == 0, exported.stderr
    assert exported.stderr.count("is left out") == 5
    assert "8 passed" in passed.stdout, passed.stdout
    assert "3 failed, 5 passed" in failed.stdout
