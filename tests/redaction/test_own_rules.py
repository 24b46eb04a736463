"""Rules, keys and functions of a project's own, for all tools and for one."""

from __future__ import annotations

import re

import pytest

from agent_tools import configure, override, tool
from agent_tools.errors import InvalidSetting
from agent_tools.redaction import Rule, add_rule, remove_rule
from agent_tools.stages.redaction import make_redactor

STAFF = Rule("staff_no", r"EMP-\d{6}", example="EMP-123456", mask=lambda hit: f"EMP-****{hit[-2:]}")


def even(text: str) -> bool:
    return int(text[-1]) % 2 == 0


@pytest.fixture
def staff_rule():
    """A rule for every tool, for the length of a test."""
    add_rule(STAFF)
    yield
    remove_rule("staff_no")


def test_a_rule_of_one_tool_hides_in_all_that_it_shows(read_log):
    """Data, keys, JSON in text, messages, arguments; also percent-encoded and full-width."""

    @tool(redact=[STAFF])
    def find_staff(staff: str) -> dict[str, str]:
        """Find."""
        if staff == "EMP-000000":
            raise ValueError(f"no such person: {staff}")
        return {
            "a": f"x {staff} y",
            staff: '{"n": "EMP-204712"}',
            "url": "?s=EMP%2D204713",
            "w": "ＥＭＰ-204714",
        }

    found, failed = find_staff("EMP-204711"), find_staff("EMP-000000")

    assert found.data["a"] == "x EMP-****11 y"
    text = found.to_prompt() + failed.to_prompt() + str(read_log())
    assert not re.search(r"EMP(-|%2D)\d", text)
    assert found.meta["redactions"] == 4


def test_an_added_rule_holds_for_tools_that_ran_before(staff_rule):
    """Tools compile again; a tool drops it by its name or with all rules."""
    plain, dropping, off = (
        tool(lambda: "EMP-204711", name="get", **s)
        for s in ({}, {"redact": ["-staff_no"]}, {"redact": False})
    )
    assert plain().data == "EMP-****11"
    remove_rule("staff_no")
    assert plain().data == "EMP-204711"

    add_rule(STAFF)

    assert [made().data for made in (plain, dropping, off)] == ["EMP-****11", "EMP-204711", "EMP-204711"]


def test_configure_takes_rules_keys_and_functions():
    """One list for the process; a tool's own list replaces it."""
    made = tool(lambda: {"x": "EMP-204711", "customerRef": "r-1", "mobile": "13800138000"}, name="get")

    with override(redact=[STAFF, "customer_ref", "-phone", lambda value: {**value, "seen": True}]):
        assert made().data == {
            "x": "EMP-****11", "customerRef": "[REDACTED]", "mobile": "13800138000", "seen": True,
        }  # fmt: skip
    with pytest.raises(InvalidSetting, match="there is no rule 'nonsense'"):
        configure(redact=["-nonsense"])


@pytest.mark.parametrize(
    ("rule", "text", "shown"),
    [
        (Rule("part", r"id=(?P<secret>\w+)", "id=a1"), "id=abc def", "id=[REDACTED] def"),
        (Rule("even", r"\bE\d\d\b", "E12", check=even), "E12 E13", "[REDACTED] E13"),
        (Rule("upper", re.compile("abc", re.IGNORECASE), "aBc", mask="-"), "ABC d", "- d"),
    ],
    ids=lambda rule: getattr(rule, "name", ""),
)
def test_a_rule_may_have_a_group_a_check_and_a_mask(rule, text, shown):
    """Only the group goes, only what passes goes, and flags are kept."""
    assert make_redactor([rule])(text) == shown


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"name": "Bad Name", "pattern": "a", "example": "a"}, "bad rule name"),
        ({"name": "a", "pattern": "(", "example": "a"}, "bad pattern"),
        ({"name": "a", "pattern": "a*", "example": "a"}, "empty text"),
        ({"name": "a", "pattern": "a", "example": "b"}, "own example"),
        ({"name": "a", "pattern": "a", "example": "a", "check": lambda hit: False}, "own example"),
        ({"name": "a", "pattern": "a", "example": "a", "mask": 3}, "mask"),
    ],
)
def test_a_rule_that_can_not_work_raises_when_it_is_made(given, said):
    """Its example is its first test."""
    with pytest.raises(InvalidSetting, match=said):
        Rule(**given)


@pytest.mark.parametrize(
    "broken",
    [
        Rule("slow", r"(?:a|aa|aaa)+b", "ab"),
        Rule("raising", r"x\d", "x1", check=lambda hit: {"x1": True}[hit]),
        lambda value: value["missing"],
    ],
    ids=["slow", "raising", "function"],
)
def test_a_fault_in_a_rule_of_ones_own_shows_nothing(broken, read_log):
    """A query is an error without content; nothing of it is in the log either."""
    result = tool(lambda: "x2 " + "a" * 200 + "c hidden words", name="get_text", redact=[broken])()

    assert result.error.code == "REDACTION_FAILED"
    assert "hidden words" not in result.to_prompt() + str(read_log())


def test_a_function_can_not_change_the_tools_own_object():
    """It gets a copy; what it leaves alone comes back as the same object."""
    value = {"a": [1, 2]}

    def clear(shown):
        shown["a"].clear()
        return shown

    assert make_redactor([clear])(value) == {"a": []}
    assert value == {"a": [1, 2]}
    assert make_redactor([lambda shown: shown])(value) is value
