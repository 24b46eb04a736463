"""A result that was cut says so, says how much there is, and repeats nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agent_tools import read_result, tool
from agent_tools.tokens import count


@tool(max_tokens=400)
def find_staff() -> list[dict[str, Any]]:
    return [{"id": i, "unit": "A" if i < 160 else "B", "weekend": i >= 270} for i in range(276)]


def test_a_cut_list_is_never_taken_for_the_whole() -> None:
    """The total and that it is cut stand first, in words and as data, with the way to the rest."""
    result = find_staff()
    shown = json.loads(result.to_prompt())

    assert (result.status, shown["meta"]["total"], shown["meta"]["truncated"]) == ("partial", 276, True)
    assert result.meta["returned"] == len(result.data) < 276
    assert next(iter(shown["meta"])) == "summary"
    assert "276" in shown["meta"]["summary"].partition(".")[0]
    assert "read_result" in result.to_prompt()
    assert shown["meta"]["result_id"].startswith("r_")


def test_statistics_are_of_all_rows() -> None:
    """Counts come from the whole, not from what is shown, and `read_result` gives the same."""
    result = find_staff()

    groups = read_result(result.meta["result_id"], group_by="weekend").data

    assert "6" in result.meta["summary"]
    assert {row["weekend"]: row["rows"] for row in groups} == {False: 270, True: 6}


def test_nothing_is_marked_inside_a_value() -> None:
    """A shortened text is listed in meta, the fields beside it are unchanged, the data has no marker."""
    content = "print('hello')\n" * 5000
    result = tool(
        lambda: {"path": "a.py", "content": content, "mode": "0644"}, name="get_code", max_tokens=300
    )()

    assert (result.data["path"], result.data["mode"]) == ("a.py", "0644")
    assert any("content" in entry["path"] for entry in result.meta["cut"])
    text = json.dumps(result.data["content"])
    assert "truncated" not in text
    assert "…" not in text
    assert "..." not in text


def test_what_fits_is_said_once() -> None:
    """No sample beside the data, no summary of rows that all are there, little around them."""
    rows = [{"id": i, "name": f"n{i}"} for i in range(30)]
    result = tool(lambda: rows, name="list_rows", max_tokens=800)()
    compact = json.dumps(rows, separators=(",", ":"))
    around = {**json.loads(result.to_prompt()), "data": None}

    assert result.data == rows
    assert count(result.to_prompt()) < 1.3 * count(compact)
    assert count(json.dumps(around, separators=(",", ":"))) < 80
    assert result.to_prompt().count('"n17"') == 1


def test_what_is_cut_is_said_once() -> None:
    """A sample stands in the place of the data, not beside it."""
    rows = [{"id": i, "name": f"name-{i}-of-it"} for i in range(3000)]
    text = tool(lambda: rows, name="list_rows", max_tokens=800)().to_prompt()
    shown = json.loads(text)

    assert shown.keys() == {"status", "meta", "error", "data"}
    assert all(text.count(f'"name-{i}-of-it"') <= 1 for i in range(3, 2990))


def test_a_cut_keeps_what_stands_beside_the_data() -> None:
    """Status, error, warnings and ids of a generator that broke after many rows."""

    def list_rows() -> Iterator[dict[str, int]]:
        yield from ({"i": i} for i in range(3000))
        raise TimeoutError("cut off after 3000")

    result = tool(list_rows, max_tokens=200)()

    assert (result.status, result.error.code, result.error.retryable) == (
        "partial",
        "DEADLINE_EXCEEDED",
        True,
    )
    assert result.meta["truncated"] is True
    assert {"call_id", "elapsed_ms", "result_id", "returned", "total"} <= result.meta.keys()


def test_blocks_of_content_are_both_represented() -> None:
    """A long block does not push out the short one."""
    blocks = [{"type": "text", "text": "t" * 50_000}, {"type": "text", "text": "u"}]

    result = tool(lambda: blocks, name="get_blocks", max_tokens=200)()

    assert result.status == "partial"
    assert "u" in [row.get("text") for row in result.data]
    assert len(result.data) == 2


ORDER = {
    "id": 7,
    "internal_score": 0.93,
    "trace": "t" * 5000,
    "answer": "Order 7 ships on Monday",
    "html": "<b>" * 2000,
    "next_cursor": None,
}


def test_two_readers_of_one_order() -> None:
    """The planner gets what it needs, the answer writer the sentence, nobody the page and the trace."""
    audience = {
        "internal_score": "plan",
        "id": "plan",
        "answer": ["plan", "answer"],
        "trace": [],
        "html": ["ui"],
    }
    result = tool(lambda: ORDER, name="get_order", audience=audience)()

    assert result.to_dict("plan")["data"] == {
        "id": 7,
        "internal_score": 0.93,
        "answer": "Order 7 ships on Monday",
        "next_cursor": None,
    }
    assert result.to_dict("answer")["data"] == {"answer": "Order 7 ships on Monday"}
    assert "t" * 100 not in result.to_prompt() + result.to_prompt("answer") + result.to_prompt("ui")
    assert result.value is ORDER


@pytest.mark.parametrize("view", ["plan", "answer"])
def test_the_budget_holds_for_each_view(view: str) -> None:
    """A view that shows less may show it whole."""
    rows = [{"n": i, "note": "word " * 40} for i in range(40)]
    result = tool(lambda: rows, name="list_rows", max_tokens=500, audience={"note": "plan"})()
    shown = json.loads(result.to_prompt(view))

    assert count(result.to_prompt(view)) <= 500
    assert shown["meta"]["total"] == 40 if view == "plan" else len(shown["data"]["rows"]) == 40
