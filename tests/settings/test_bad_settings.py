"""Misuse of a setting raises where it is written, and says what would be right."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools import ToolError, configure, override, tool
from agent_tools.errors import InvalidSetting
from agent_tools.settings import CHECKS, OF_ONE_TOOL


def find_orders(customer_id: str) -> list[Any]:
    return []


# setting -> (bad values, a word of what the message says is known)
BAD: dict[str, tuple[list[Any], str]] = {
    "name": (["", "no spaces", "x" * 65, 7, "naïve/../name"], "letters"),
    "description": (["", "   ", 7], "text"),
    "version": (["", 2, 1.5], "text"),
    "kind": (["reading", "QUERY", None, 1], "'query', 'action', 'summary'"),
    "idempotent": (["yes", 1, 0], "True, False"),
    "effects": (["two", 1, None], "'one', 'many'"),
    "max_tokens": ([63, 0, -1, "800", 800.0, True, float("nan")], "at least 64"),
    "encoding": (["", None, 7], "tiktoken"),
    "token_margin": ([0.5, "1.0", None, True, float("inf"), float("nan")], "at least 1"),
    "format": (["xml", "JSON", None], "'csv'"),
    "fields": (["id", [1], [""], 7], "list of names"),
    "errors": (
        [
            [],
            {"KeyError": "X"},
            {KeyError: "not upper"},
            {KeyError: 5},
            {KeyError: ("X",)},
            {int: "X"},
            {KeyError: ("X", "yes")},
        ],
        "expected",
    ),
    "error_as_data": (["drop", None, True], "'detect', 'keep'"),
    "empty": (["no rows", 1], "callable"),
    "audience": (
        [["id"], {"id": 5}, {1: "plan"}, {"id": "not a name"}, {"id": "Plan"}, {".id": "plan"}, {"id": [1]}],
        "expected",
    ),
    "labels": ([["status"], {"status": "on"}, {"status": ["off", "on"]}, {1: {}}], "expected"),
    "summary": (["text", 1], "callable"),
    "important": ([1, "", ["a"]], "column"),
    "redact": (["email", None, 1, [1], [""]], "'all'"),
    "secrets": (["text", [1], ["abc"], 7, {"a-secret": 1}], "at least 4 characters"),
    "retries": ([-1, 1.5, "3", True, None], "at least 0"),
    "timeout_s": ([0, -1, "5", True, float("inf"), float("nan")], "seconds"),
    "run_in_thread": ([1, None, "no"], "True, False"),
    "breaker": ([1, None, "no"], "True, False"),
    "max_rows": ([0, 1.5, None, True], "at least 1"),
    "store": ([7, "", None], "'sqlite'"),
    "log": (["all", True, None, 0], "'none', 'preview', 'full'"),
    "log_arguments": (["raw", False, None], "'redacted', 'shape', 'none'"),
}
CASES = [(name, value, known) for name, (values, known) in BAD.items() for value in values]


def test_every_setting_has_bad_values_here() -> None:
    """A new setting needs its rows in this file."""
    assert BAD.keys() == CHECKS.keys()


@pytest.mark.parametrize(("name", "value", "known"), CASES, ids=[f"{n}={v!r}"[:40] for n, v, _ in CASES])
def test_a_bad_value_raises_at_decoration(name: str, value: Any, known: str) -> None:
    """The error names the setting, the value and what is known; it is a TypeError and a ValueError, too."""
    with pytest.raises(InvalidSetting) as caught:
        tool(find_orders, **{name: value})

    message = str(caught.value)
    assert f"{name}={value!r}" in message or name == "secrets"
    assert known in message
    assert isinstance(caught.value, (TypeError, ValueError, ToolError))


@pytest.mark.parametrize(
    "decorate",
    [
        lambda given: tool(find_orders, **given),
        lambda given: tool(**given),
        lambda given: configure(**given),
        lambda given: override(**given).__enter__(),
    ],
    ids=["tool(function)", "tool()", "configure", "override"],
)
def test_an_unknown_name_is_answered_with_the_nearest(decorate: Callable[[dict[str, Any]], Any]) -> None:
    """Everywhere a setting can be given, before any function is there."""
    with pytest.raises(InvalidSetting, match=r"unknown setting 'max_token'; did you mean 'max_tokens'\?"):
        decorate({"max_token": 800})


def test_a_name_like_nothing_gets_the_whole_list() -> None:
    """Without a guess."""
    with pytest.raises(InvalidSetting) as caught:
        tool(zzz=1)  # type: ignore[call-overload]

    assert "did you mean" not in str(caught.value)
    assert all(name in str(caught.value) for name in CHECKS)


@pytest.mark.parametrize("name", sorted(OF_ONE_TOOL))
def test_what_belongs_to_one_tool_is_no_process_setting(name: str) -> None:
    """A name, description or version for all tools makes no sense, and the error says where it goes."""
    with pytest.raises(InvalidSetting, match=f"give it to @tool\\({name}="):
        configure(**{name: "x"})
    with pytest.raises(InvalidSetting, match=f"give it to @tool\\({name}="), override(**{name: "x"}):
        pass


@pytest.mark.parametrize(
    "given",
    [
        {"home": ""},
        {"home": 7},
        {"store_url": ""},
        {"store_url": None},
        {"store_url": True},
        {"store_ttl_s": 0},
        {"store_ttl_s": "1 h"},
        {"store_quota_bytes": 9},
        {"store_quota_bytes": 1e9},
    ],
    ids=str,
)
def test_a_bad_process_setting_is_refused(given: dict[str, Any]) -> None:
    """Where things are kept is checked like everything else."""
    ((name, value),) = given.items()

    with pytest.raises(InvalidSetting) as caught:
        configure(**given)

    assert f"{name}={value!r}" in str(caught.value)


def test_a_refused_configure_changes_nothing() -> None:
    """The good half of a bad call is not taken."""
    with pytest.raises(InvalidSetting):
        configure(max_tokens=64, format="xml")

    text = tool(lambda: "word " * 300, name="get_text")()

    assert text.status == "success"


@pytest.mark.parametrize(
    ("url", "known"),
    [("pg", "sqlite"), ("ftp://x", "redis"), ("redis:/x", "redis://"), ("sqlite:x", "sqlite")],
)
def test_an_unknown_store_is_told_where_it_is_set(url: str, known: str) -> None:
    """A store that nobody can open must not be found out by the first cut result."""
    with pytest.raises(InvalidSetting, match=known):
        tool(find_orders, store=url)
    with pytest.raises(InvalidSetting, match=known):
        configure(store_url=url)


def test_an_unknown_encoding_is_told_at_decoration() -> None:
    """Never in a call."""
    with pytest.raises(InvalidSetting, match="o200k_base"):
        tool(find_orders, encoding="no_such_encoding")
    with pytest.raises(InvalidSetting, match="o200k_base"):
        configure(encoding="no_such_encoding")


@pytest.mark.parametrize(
    ("given", "secret"),
    [
        ({"secrets": ["hunter2hunter2", "x"]}, "hunter2"),
        ({"store": "redis://:hunter2@host:not-a-port/0"}, "hunter2"),
        ({"store": "rdis://:hunter2@host/0"}, "hunter2"),
    ],
    ids=["secrets", "bad port", "bad scheme"],
)
def test_a_bad_value_that_is_secret_is_not_repeated(given: dict[str, Any], secret: str) -> None:
    """An error at import ends up in a log."""
    with pytest.raises(InvalidSetting) as caught:
        tool(find_orders, **given)

    assert secret not in str(caught.value)


@pytest.mark.parametrize("rules", [["no_such_rule", "-no_such_rule"], ["-phne"]], ids=str)
def test_a_rule_to_drop_must_exist(rules: list[str]) -> None:
    """A misspelt `-phone` would leave a rule on that the author believes to be off."""
    with pytest.raises(InvalidSetting, match="phone"):
        tool(find_orders, redact=rules)


@pytest.mark.parametrize(
    "thing", [7, "text", None, int, [find_orders]], ids=lambda thing: type(thing).__name__
)
def test_only_what_can_be_called_is_decorated(thing: Any) -> None:
    """A class is none of it: its instances would be the results."""
    if thing is None:
        assert isinstance(tool(thing), functools.partial)
        return
    with pytest.raises(InvalidSetting, match="takes a function"):
        tool(thing)


GOOD: list[dict[str, Any]] = [
    {"name": "orders.find-1", "description": "Find.", "version": "2"},
    {"kind": "summary", "idempotent": False, "effects": "many"},
    {"max_tokens": None, "encoding": len, "token_margin": 1},
    {"fields": ["id"], "errors": {KeyError: "NO_KEY", OSError: ("DISK", True), TypeError: ToolError}},
    {"empty": bool, "audience": {"a.b": ("plan", "card")}, "labels": {"s": {0: "off"}}},
    {"summary": str, "important": "amount", "redact": ["email", "-phone"], "secrets": ["hunter2hunter2"]},
    {"redact": False, "timeout_s": 1, "retries": 2, "store": "memory", "log": False},
]


@pytest.mark.parametrize("given", GOOD, ids=lambda given: ",".join(given))
def test_good_values_are_taken(given: dict[str, Any]) -> None:
    """Lists, tuples and dicts of the caller's own are read, and the call works."""
    made = tool(find_orders, **given)

    assert made("C1").error is None


def test_a_setting_is_copied() -> None:
    """A list or dict that is changed after decoration changes no tool."""
    audience = {"plan_id": "plan"}
    made = tool(lambda: {"plan_id": 1, "n": 2}, name="get", audience=audience)

    audience.clear()

    assert made().to_dict("answer")["data"] == {"n": 2}
