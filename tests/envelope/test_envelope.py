"""The envelope: four keys, four statuses, one meta, read back in any published version."""

from __future__ import annotations

import json
import pickle
from typing import Any

import jsonschema
import pytest

from agent_tools import ErrorCode, InvalidArgument, NotFound, ToolError, ToolResult, tool
from agent_tools.result import envelope_schema

RESULTS = {
    "success": lambda: {"id": 7, "name": "Ada"},
    "success list": lambda: [{"id": 1}, {"id": 2}],
    "empty": lambda: [],  # noqa: PIE807 - `list` is a class, and a class is no tool
    "partial": lambda: {"items": [1], "next_cursor": "abc"},
    "cut": lambda: [{"i": i, "note": "word " * 20} for i in range(500)],
    "error": lambda: 1 / 0,
    "reported error": lambda: {"error": "no such user"},
    "by hand": lambda: ToolResult.partial([1, 2], total=9, next={"page": 2}),
    "failed by hand": lambda: ToolResult.fail("NOT_FOUND", "no order 'A1'", hint="look at the list"),
}


@pytest.mark.parametrize("function", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("view", ["plan", "answer"])
def test_every_envelope_obeys_its_schema(function: Any, view: str) -> None:
    """Whatever happened, both views validate against the schema that ships in the package."""
    result = tool(function, name="find_things", kind="query")()

    jsonschema.validate(result.to_dict(view), envelope_schema())


@pytest.mark.parametrize("function", RESULTS.values(), ids=RESULTS)
def test_the_four_keys_come_in_order(function: Any) -> None:
    """The text is one strict JSON object; in meta the summary stands first and the version last."""
    result = tool(function, name="find_things", kind="query")()

    shown = json.loads(result.to_prompt())

    assert list(shown) == ["status", "meta", "error", "data"]
    assert list(shown["meta"])[-1] == "format_version"
    assert "summary" not in shown["meta"] or next(iter(shown["meta"])) == "summary"


@pytest.mark.parametrize("function", RESULTS.values(), ids=RESULTS)
@pytest.mark.parametrize("view", ["plan", "answer"])
def test_a_result_can_be_read_back(function: Any, view: str) -> None:
    """`from_dict` gives an equal result, which renders the view that it came from."""
    made = tool(function, name="find_things", kind="query")().to_dict(view)

    again = ToolResult.from_dict(json.loads(json.dumps(made)))

    assert again.to_dict() == made
    assert json.loads(again.to_prompt())["status"] == made["status"]


def test_a_result_that_was_read_back_has_one_view() -> None:
    """Another view was never in it, so asking for it is an error that says so."""
    again = ToolResult.from_dict(tool(lambda: {"id": 7}, name="get")().to_dict("answer"))

    with pytest.raises(InvalidArgument, match="holds the view 'answer' only"):
        again.to_prompt("plan")


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({}, "keys status, meta, error and data"),
        ({"status": "fine", "meta": {}, "error": None, "data": 1}, "unknown status 'fine'"),
        (
            {"status": "success", "meta": {"format_version": "v9"}, "error": None, "data": 1},
            "unknown envelope version",
        ),
        (
            {"status": "error", "meta": {}, "error": {"code": "X"}, "data": 1},
            "code, message, retryable and recovery",
        ),
        ({"status": "success", "meta": [], "error": None, "data": 1}, "meta is an object"),
    ],
)
def test_a_broken_envelope_is_refused(broken: Any, complaint: str) -> None:
    """Reading back says what is wrong with it."""
    with pytest.raises(InvalidArgument, match=complaint):
        ToolResult.from_dict(broken)


def test_value_is_the_functions_own_object() -> None:
    """Code that goes on gets what the function returned, the same object, also when the data was cut."""
    whole = [{"i": i, "note": "word " * 20} for i in range(500)]

    result = tool(lambda: whole, name="find")()

    assert result.value is whole
    assert len(result.data) < 500


def test_value_raises_the_original_exception() -> None:
    """Code that goes on with a failed result finds out."""
    failure = NotFound("no order 'A1'")

    def find() -> None:
        raise failure

    with pytest.raises(NotFound) as caught:
        _ = tool(find)().value

    assert caught.value is failure


def test_value_stays_in_the_process() -> None:
    """The return value is in no text, dict or pickle; there only the views travel."""
    result = tool(lambda: {"name": "Ada", "token": "t-" + "k" * 30}, name="get")()

    again = pickle.loads(pickle.dumps(result))

    assert "k" * 30 not in repr(result) + str(result.to_dict()) + str(pickle.dumps(result))
    assert again.to_prompt() == result.to_prompt()
    assert again.to_prompt("answer") == result.to_prompt("answer")
    with pytest.raises(ToolError, match="stays in the process"):
        _ = again.value


def test_results_made_by_hand_are_rendered() -> None:
    """Outside a tool, too, with the defaults."""
    assert json.loads(ToolResult.ok({"n": float("nan")}).to_prompt())["data"] == {"n": None}
    assert json.loads(ToolResult.fail(ErrorCode.UNAVAILABLE, "away", retryable=True).to_prompt())[
        "error"
    ] == {
        "code": "UNAVAILABLE",
        "message": "away",
        "retryable": True,
        "recovery": "retry",
    }


def test_a_failure_needs_code_and_message() -> None:
    """A blank error is refused where it is made."""
    with pytest.raises(InvalidArgument, match="takes a code and a message"):
        ToolResult.fail("NOT_FOUND", " ")


def test_a_tools_own_meta_is_kept() -> None:
    """Beside the reserved keys, and before the version."""
    result = tool(lambda: ToolResult.ok([1], source="cache", page=3), name="find")()

    assert result.meta["source"] == "cache"
    assert json.loads(result.to_prompt())["meta"]["page"] == 3


def test_ids_and_times_are_not_in_the_text() -> None:
    """The same call gives the same text; the dict and the log have ids and times."""
    find = tool(lambda: [1, 2], name="find")

    first, second = find(), find()

    assert first.to_prompt() == second.to_prompt()
    assert first.meta["call_id"] != second.meta["call_id"]
    assert first.meta["elapsed_ms"] >= 0


def test_both_views_come_in_one_object() -> None:
    """`to_views` gives a preview and the data of the two readers."""
    find = tool(lambda: [{"plan_id": 1, "status": "open"}], name="find_orders", audience={"plan_id": "plan"})

    views = find().to_views()

    assert views["ok"] is True
    assert views["preview"].startswith("There is 1 order in all")
    assert views["payload"] == {
        "planData": [{"plan_id": 1, "status": "open"}],
        "answerData": [{"status": "open"}],
    }
