"""The check that finds values of the planner in other views."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tools import ToolResult, tool
from agent_tools.testing import assert_hidden, find_leaks

AUDIENCE = {"plan_id": "plan", "customer.score": ["plan", "card"], "rows.key": "plan"}


def make(value: Any, **settings: Any) -> ToolResult[Any]:
    return tool(lambda: value, name="find_orders", audience=AUDIENCE, **settings)()


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"plan_id": "P-77120", "note": "about P-77120"}, ["$.plan_id"]),
        ({"plan_id": 77120, "note": "no. 77120."}, ["$.plan_id"]),
        ({"customer": {"score": 0.9371}, "text": "score 0.9371"}, ["$.customer.score"]),
        ([{"plan_id": 'a"b c', "note": 'say a"b c'}], ["$[*].plan_id"]),
        ({"rows": [{"key": "K-0001", "n": 1}, {"key": "K-0002", "n": "see K-0001"}]}, ["$.rows[*].key"]),
    ],
    ids=str,
)
def test_a_value_in_another_field_is_a_leak(value: Any, paths: list[str]) -> None:
    """Texts, numbers, nested and in lists; the message names view and path."""
    result = make(value)

    assert [leak.path for leak in find_leaks(result)] == paths
    with pytest.raises(
        AssertionError,
        match=f"answer shows the value of {paths[0]}".replace("$", r"\$").replace("[*]", r"\[\*\]"),
    ):
        assert_hidden(result)


@pytest.mark.parametrize(
    "value",
    [
        {"plan_id": "P-77120", "note": "fine"},
        {"plan_id": 77120, "note": 577120},
        {"plan_id": "P-77120", "note": "P-7712"},
        {"plan_id": "abc", "note": "abc"},
        {"plan_id": True, "note": True},
        {"total": 5},
        [],
    ],
    ids=str,
)
def test_what_is_hidden_or_can_not_be_told_apart_passes(value: Any) -> None:
    """A part of a number, short texts and flags stand anywhere by chance."""
    assert_hidden(make(value), views=("answer", "card"))


def test_an_audience_of_ones_own_has_its_own_fields() -> None:
    """What `card` may see is no leak there, and one in the answer."""
    result = make({"customer": {"score": 0.9371}, "text": "score 0.9371"})

    assert find_leaks(result, "card") == []
    assert [leak.value for leak in find_leaks(result, "answer")] == [0.9371]


def test_what_was_cut_is_read_from_the_store() -> None:
    """A value that the planner's own text no longer shows is looked for, too."""
    rows = [{"plan_id": f"P-{n:05}", "note": "x" * 30} for n in range(500)] + [
        {"plan_id": "P-99999", "note": "see P-00250"}
    ]

    result = make(rows, max_tokens=200)

    assert '"P-00250"' not in result.to_prompt("plan")
    assert "see P-00250" in result.to_prompt("answer")
    assert [leak.value for leak in find_leaks(result)] == ["P-00250"]


def test_a_value_that_a_visible_field_holds_on_its_own_is_no_leak() -> None:
    """The same state, city or date may stand in two fields by right."""
    assert_hidden(make({"plan_id": "active", "state": "active"}))
