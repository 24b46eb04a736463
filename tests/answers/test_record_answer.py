"""`record_answer()`: the model's answer beside the calls that it rests on."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import jsonschema
import pytest

from agent_tools import configure, override, record_answer, tool, trace
from agent_tools.record import make_schema

ORDERS = [{"order": 4711, "city": "Reykjavik", "sum": 1234.5}, {"order": 4712, "city": "Malmö", "sum": 99.25}]


@tool
def find_orders(customer: str) -> list[dict]:
    return ORDERS if customer == "C1" else []


@tool
def get_weather(city: str) -> dict:
    return {"sky": "overcast", "celsius": 21.5}


@tool
def get_broken(n: int) -> int:
    raise ConnectionRefusedError("down")


def test_the_answer_is_a_row_of_its_trace(read_log):
    """With the conversation, the turn, what the model said of itself, and how many calls there were."""
    with trace("orders of C1", conversation="k1", turn=3, model="small") as task:
        find_orders("C1")
        get_broken(1)
        record_answer(
            "Two orders.", finish_reason="stop", usage={"prompt_tokens": 90, "completion_tokens": 7}
        )

    (row,) = read_log("answer")
    jsonschema.validate(row, make_schema())
    assert (row["trace_id"], row["conversation_id"], row["turn"]) == (task.trace_id, "k1", 3)
    assert (row["model"], row["finish_reason"], row["answer"]) == ("small", "stop", "Two orders.")
    assert (row["tokens_in"], row["tokens_out"], row["calls_n"], row["calls_failed_n"]) == (90, 7, 2, 1)
    assert row["answer_sha256"] == hashlib.sha256(b"Two orders.").hexdigest()


@pytest.mark.parametrize(
    ("answer", "unsupported"),
    [
        ("Order 4711 costs 1,234.50 EUR.", []),
        ("Order 4711 costs 1.234,5 EUR, order 4713 costs 98 EUR.", ["4713", "98"]),
        ("Order 4711 costs about 1,200 EUR.", []),
        ("1. Reykjavik\n2. Malmö\n3. Oslo", []),
        ("In 2019 there were 2 orders, the 2nd of 99.25.", []),
        ("C1 ordered 0 times.", ["0"]),
        ("No numbers at all.", []),
    ],
)
def test_numbers_that_stand_in_no_prompt_are_told(answer, unsupported):
    """However they are written; list numbers, ranks and years claim nothing."""
    with trace("orders"):
        find_orders("C1")
        row = record_answer(answer)

    assert row["numbers_unsupported"] == unsupported


def test_only_calls_of_the_trace_count():
    """Another task's results support nothing."""
    with trace("one"):
        find_orders("C1")
    with trace("two"):
        get_weather("Oslo")
        row = record_answer("4711")

    assert (row["numbers_unsupported"], row["calls_n"]) == (["4711"], 1)


def test_what_the_log_does_not_hold_is_not_called_unsupported():
    """The key is absent where the number may stand in the part that was left out."""
    with trace("orders"), override(log="preview"):
        tool(lambda: ["x" * 3000, 77], name="list_notes", max_tokens=None)()
        unknown = record_answer("77")
        known = record_answer("Nothing.")

    assert "numbers_unsupported" not in unknown
    assert known["numbers_unsupported"] == []


def test_results_are_told_apart_by_use():
    """Those whose values stand in the answer; by the id of the stored result where there is one."""
    with trace("orders"):
        find_orders("C1")
        weather = get_weather("Reykjavik").meta["call_id"]
        find_orders("C2")
        rows = tool(lambda: [{"id": 5000 + n} for n in range(900)], name="list_ids", max_tokens=200)()
        answer = record_answer("The order from Malmö; the last id is 5899, so 5000 was first.")

    assert answer["used_result_ids"][-1] == rows.meta["result_id"]
    assert len(answer["used_result_ids"]) == 2
    assert answer["unused_result_ids"] == [weather]


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"prompt_tokens": 90, "completion_tokens": 7, "total_tokens": 97}, (90, 7)),
        ({"input_tokens": 90, "output_tokens": 7}, (90, 7)),
        ({"input_tokens": 10, "cache_read_input_tokens": 80, "output_tokens": 7}, (90, 7)),
        ({"usage": {"inputTokens": 90, "outputTokens": 7}}, (90, 7)),
        (SimpleNamespace(prompt_tokens=90, completion_tokens=7), (90, 7)),
        (SimpleNamespace(usage=SimpleNamespace(input_tokens=90, output_tokens=7)), (90, 7)),
        (SimpleNamespace(prompt_token_count=90, candidates_token_count=7), (90, 7)),
        ({"input_tokens": "many"}, (None, None)),
        (None, (None, None)),
        (7, (None, None)),
    ],
    ids=str,
)
def test_tokens_are_read_as_any_api_tells_them(usage, counts):
    """What is cached counts as input."""
    row = record_answer("x", usage=usage)

    assert (row.get("tokens_in"), row.get("tokens_out")) == counts


def test_offered_tools_may_be_named_in_any_way():
    """A name, a tool, a function, or the description that an API takes."""
    offered = [
        "a",
        get_weather,
        {"type": "function", "function": {"name": "b"}},
        {"name": "c", "input_schema": {}},
        print,
    ]

    assert record_answer("x", tools_offered=offered)["tools_offered"] == [
        "a",
        "get_weather",
        "b",
        "c",
        "print",
    ]


def test_secrets_of_an_answer_are_hidden(home):
    """In the row and in the file; masked digits are no numbers."""
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    record_answer(f"The token is {secret}, call 13812345678.")

    written = b"".join(file.read_bytes() for file in (home / "calls").glob("*.jsonl"))
    assert secret.encode() not in written
    assert b"13812345678" not in written


def test_a_long_answer_is_cut_in_the_log_only(read_log):
    """At 4 kB, on a whole character; the numbers of the rest are looked at, too."""
    record_answer("ü" * 5000 + " 4321")

    row = read_log("answer")[0]
    assert len(row["answer"].encode()) <= 4096
    assert (row["log_capped"], row["numbers_unsupported"]) == (True, ["4321"])


@pytest.mark.parametrize(
    "odd",
    [None, 7, b"bytes", [{"type": "text", "text": "Seven."}], {"content": "Seven."}, "\ud800"],
    ids=repr,
)
def test_nothing_raises(odd):
    """Whatever is handed in; the text of content blocks is found."""
    row = record_answer(odd, usage=object(), tools_offered=[object()])

    assert row["event"] == "answer"
    if isinstance(odd, (list, dict)):
        assert row["answer"] == "Seven."


def test_an_unwritable_log_raises_nothing(tmp_path):
    """The answer goes out all the same."""
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with override(home=blocked / "home"):
        record_answer("x")


def test_a_log_that_is_off_holds_no_answer(read_log):
    """`log=False` is the application's own word."""
    configure(log=False)
    try:
        assert record_answer("x") is None
    finally:
        configure(log="full")

    with override(log="none"):
        assert "answer" not in record_answer("x")
    assert len(read_log("answer")) == 1


def test_an_answer_that_can_not_be_redacted_is_not_kept():
    """That there was one is; nothing of its text."""

    def fail(value):
        raise ValueError("out of order")

    with trace("orders"), override(redact=fail):
        row = record_answer("the password is correct horse battery 4711")

    assert row["event"] == "answer"
    assert "horse" not in str(row)
    assert not {"answer", "answer_sha256", "numbers_unsupported"} & row.keys()
