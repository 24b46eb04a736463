"""`agent-tools logs why`: three questions, answered from the log of real calls."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import BaseModel

from agent_tools import NotFound, read_result, record_answer, tool, trace


@tool
def find_hotels(city: str) -> list[dict]:
    return [{"hotel": "Bristol", "price": 120.5}] if city == "Wien" else []


@tool(max_tokens=200)
def list_rows() -> list[dict]:
    return [{"id": 5000 + n, "name": f"row number {n}"} for n in range(600)]


@tool
def get_order(order_id: int) -> dict:
    raise NotFound(f"no order {order_id}")


class Order(BaseModel):
    amount: int


@tool
def read_order(order_id: int) -> dict:
    return Order.model_validate({"amount": "much"}).model_dump()


@tool
def sign_in(password: str) -> dict:
    return {"ok": True, "token": password}


@tool
def wait_for(n: int) -> int:
    raise asyncio.CancelledError


@pytest.fixture
def explain(run, home):
    """Return the findings about the latest trace: sentence -> evidence, by question."""

    def explain():
        result = run("why", "--last", home=home)
        assert result.exit_code == 0, result.output
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return {f"{line['question'].split()[0]} {line['sentence']}": line["evidence"] for line in lines}

    return explain


def test_an_answer_without_a_call(explain):
    """The commonest reason of all."""
    with trace("t"):
        record_answer("It costs 99 EUR.", tools_offered=["find_hotels"])

    found = explain()
    assert "Was No tool was called." in found
    assert "Was Offered and never called: find_hotels." in found
    assert found["What 1 number of the answer stands in no prompt."] == ["99: It costs 99 EUR."]


def test_an_answer_with_no_call_since_the_one_before(explain):
    """A second turn that goes on from memory."""
    with trace("t"):
        find_hotels("Wien")
        record_answer("Bristol.")
        record_answer("It has a pool.")

    assert "Was An answer was given with no call since the answer before it." in explain()


def test_calls_that_were_refused_cancelled_and_never_ended(explain, home):
    """What was called and did not run, or not to its end."""
    with trace("t") as task:
        find_hotels.invoke({"town": "Wien"})
        with pytest.raises(asyncio.CancelledError):
            wait_for(1)
    start = {"schema": "agent_tools.call/1", "event": "tool_start", "trace_id": task.trace_id, "tool": "pay"}
    file = next((home / "calls").glob("*.jsonl"))
    with file.open("a") as log:
        log.write(json.dumps(start | {"call_id": "c_9", "ts": "2026-01-01T00:00:00Z"}) + "\n")

    found = explain()
    assert "Was The arguments of 1 call did not fit; the tool did not run." in found
    assert "Was 1 call was cancelled." in found
    assert found["Was 1 call started and never ended, as far as the log goes."] == [
        "c_9 pay: started 2026-01-01T00:00:00Z"
    ]


def test_a_body_that_refuses_its_data_did_run(explain):
    """A model of pydantic that fails in the body is an error of the arguments, too, but the tool was run."""
    with trace("t"):
        read_order(7)

    found = explain()
    assert "What 1 call of 1 failed." in found
    assert not any("did not run" in sentence for sentence in found)


def test_a_trace_without_calls_says_so(explain):
    """The second question has an answer, too."""
    with trace("t"):
        record_answer("Hello.")

    assert "What No result of any call." in explain()


def test_what_the_model_saw(explain):
    """Failures, empty and cut results, what was hidden, what was asked again; each with its call."""
    with trace("t"):
        failed = get_order(7).meta["call_id"]
        empty = find_hotels("Bern").meta["call_id"]
        find_hotels("Bern")
        cut = list_rows().meta["call_id"]
        hidden = sign_in("correct horse battery").meta["call_id"]

    found = explain()
    assert found["What 1 call of 5 failed."] == [f"{failed} get_order: NOT_FOUND no order 7 (business error)"]
    assert found["What Nothing was found by 2 calls."][0] == f"{empty} find_hotels: asked city='Bern'"
    (line,) = found["What 1 result was cut to the budget."]
    assert line.startswith(f"{cut} list_rows: showed ")
    assert "of 600 rows" in line
    assert line.endswith("the rest was never read")
    assert found["What Something was hidden in 1 call."][0].startswith(
        f"{hidden} sign_in: arguments $.password"
    )
    assert "What 1 call was made again with the same arguments." in found


def test_a_cut_result_that_was_read_on(explain):
    """The rest was fetched, so the cut explains less."""
    with trace("t"):
        read_result(list_rows().meta["result_id"], offset=50)

    found = explain()
    lines = next(lines for sentence, lines in found.items() if "cut to the budget" in sentence)
    assert "more of it was read later" in lines[0]


def test_what_the_answer_rests_on(explain):
    """Results whose values it holds, results that it ignores, quotes and numbers from nowhere."""
    with trace("t"):
        used = find_hotels("Wien").meta["call_id"]
        unused = list_rows().meta["call_id"]
        record_answer('The Bristol costs 120.50, the Astoria 80. It says "the best hotel in town".')

    found = explain()
    assert found["What The answer draws on 1 result."][0].startswith(f"{used} find_hotels:")
    assert found["What The answer holds no value of 1 result."][0].startswith(f"{unused} list_rows:")
    assert found["What 1 number of the answer stands in no prompt."][0].startswith("80: ")
    assert found["What 1 quote of the answer stands in no prompt."] == ['"the best hotel in town"']


def test_an_answer_on_nothing(explain):
    """Every call failed or found nothing, and there is an answer all the same."""
    with trace("t"):
        get_order(7)
        find_hotels("Bern")
        record_answer("The order is on its way.", finish_reason="length")

    found = explain()
    assert "What Every call before the answer failed or found nothing." in found
    assert "What The model was stopped before its answer was complete: length." in found


def test_nothing_to_see_is_said(explain):
    """A good call alarms nobody, and that no answer is known is said, too."""
    with trace("t"):
        find_hotels("Wien")

    found = explain()
    assert "What Nothing failed, was empty, cut, hidden or repeated." in found
    assert "What No answer was recorded; agent_tools.record_answer(text) adds it." in found


def test_the_three_questions_are_printed(run, home):
    """In their order, with the findings below, and the same each time."""
    with trace("a task"):
        find_hotels("Wien")

    first, second = (run("why", "--last", "--table", home=home).stdout for _ in range(2))

    places = [first.index(text) for text in ("a task", "1. Was", "2. What did", "3. What does")]
    assert places == sorted(places)
    assert first == second
