"""`agent-tools logs stats`, `failures` and `loops`: many calls in few lines."""

from __future__ import annotations

import json

import pytest

CALLS = [
    {"tool": "find", "elapsed_ms": 1.0, "tokens": 10, "ts": "2026-01-31T12:00:00Z"},
    {"tool": "find", "elapsed_ms": 2.0, "status": "empty", "tokens": 20, "ts": "2026-01-31T12:00:01Z"},
    {
        "tool": "find",
        "elapsed_ms": 3.0,
        "status": "partial",
        "truncated": True,
        "tokens": 30,
        "tokens_full": 3000,
    },
    {
        "tool": "find",
        "elapsed_ms": 100.0,
        "status": "error",
        "error_code": "UNAVAILABLE",
        "error_class": "httpx.ConnectError",
        "error_causes": ["OSError"],
        "call_id": "c_first",
        "ts": "2026-01-30T08:00:00Z",
    },
    {
        "tool": "find",
        "elapsed_ms": 1.0,
        "status": "error",
        "error_code": "UNAVAILABLE",
        "error_class": "httpx.ConnectError",
        "error_causes": ["OSError"],
        "call_id": "c_last",
        "error_message": "down again",
        "ts": "2026-02-01T09:00:00Z",
    },
    {"tool": "pay", "elapsed_ms": 7.0, "status": "error", "error_code": "NOT_FOUND", "repeat_n": 2},
    {"event": "tool_start", "tool": "pay"},
    {"event": "answer"},
]


@pytest.fixture
def lines(run):
    """Return what a command prints in a pipe, line by line."""
    return lambda *arguments: [json.loads(line) for line in run(*arguments).stdout.splitlines()]


def test_stats_of_each_tool_and_of_all(write_log, lines):
    """Rates, cuts, tokens before and after, percentiles; the last line is about all calls."""
    write_log(*CALLS)

    find, pay, whole = lines("stats")

    assert (find["tool"], find["calls"], find["errors"], find["error_rate"]) == ("find", 5, 2, 0.4)
    assert (find["codes"], find["empty"], find["cut_share"]) == ({"UNAVAILABLE": 2}, 1, 0.2)
    assert (find["tokens"], find["tokens_full"], find["p50_ms"], find["p95_ms"]) == (60, 3030, 2.0, 100.0)
    assert (pay["tool"], pay["repeats"]) == ("pay", 1)
    assert (whole["tool"], whole["calls"], whole["errors"]) == (None, 6, 3)


@pytest.mark.parametrize(
    ("by", "names"),
    [
        ("code", ["", "UNAVAILABLE", "NOT_FOUND", None]),
        ("day", ["2026-01-30", "2026-01-31", "2026-02-01", None]),
    ],
)
def test_stats_by_something_else(write_log, lines, by, names):
    """By code with what worked as one group, by day in their order."""
    write_log(*CALLS)

    assert [line[by] for line in lines("stats", "--by", by)] == names


def test_stats_obey_the_filters(write_log, run, lines):
    """As `list` does; 1 when nothing matched."""
    write_log(*CALLS)

    assert lines("stats", "--status", "error", "--tool", "pay")[-1]["calls"] == 1
    assert run("stats", "--tool", "nope").exit_code == 1


def test_estimated_tokens_are_marked(write_log, run, lines):
    """Where a prompt was never counted, its length is measured and `~` says so."""
    write_log({"prompt": "p" * 330}, {"tokens": 5})

    assert lines("stats")[-1] | {"tokens": 105, "tokens_estimated_n": 1} == lines("stats")[-1]
    assert "~105" in run("stats", "--table").stdout


def test_failures_are_grouped_by_what_failed_and_how(write_log, lines):
    """With how often, since when, and the latest of them to look at."""
    write_log(*CALLS)

    first, second = lines("failures")

    assert (first["tool"], first["code"], first["count"]) == ("find", "UNAVAILABLE", 2)
    assert first["exception"] == "httpx.ConnectError < OSError"
    assert (first["first"], first["last"]) == ("2026-01-30T08:00:00Z", "2026-02-01T09:00:00Z")
    assert (first["last_call_id"], first["last_message"]) == ("c_last", "down again")
    assert second["code"] == "NOT_FOUND"


def _call(n, arguments, **given):
    return {"call_id": f"c_{n}", "arguments": arguments, "trace_id": "e" * 32} | given


def test_identical_calls_are_a_loop(write_log, lines):
    """Told with their outcomes and how many different texts came back."""
    write_log(*(_call(n, {"id": 7}, status="empty", prompt_sha256="a" * 64) for n in range(3)))

    (loop,) = lines("loops")

    assert (loop["count"], loop["kind"], loop["outcomes"], loop["results"]) == (
        3,
        "identical",
        {"empty": 3},
        1,
    )
    assert (loop["first_call_id"], loop["last_call_id"]) == ("c_0", "c_2")


@pytest.mark.parametrize(
    ("others", "count"),
    [
        ([{"q": "Hotels in Rome"}, {"q": "hotels  in rome!"}], 2),
        ([{"q": "hotels in Rome"}, {"q": "hotel in Rome"}], 2),
        ([{"q": "hotels in Rome", "city": None}, {"q": "hotels in Rome"}], 2),
        ([{"q": "hotels in Rome"}, {"q": "weather in Oslo"}], 0),
        ([{"q": "order 1042"}, {"q": "order 1043"}], 0),
        ([{"q": "x", "offset": 0}, {"q": "x", "offset": 20}], 0),
        ([{"id": 1}, {"id": 2}], 0),
        ([{"q": "Rome"}, {"city": "Rome"}], 0),
    ],
    ids=str,
)
def test_near_identical_calls_are_a_loop(write_log, lines, others, count):
    """Other words or other letters; another number, another page or another key is another question."""
    write_log(*(_call(n, arguments) for n, arguments in enumerate(others)))

    assert sum(loop["count"] for loop in lines("loops")) == count
    assert {loop["kind"] for loop in lines("loops")} <= {"near-identical"}


def test_a_loop_is_within_one_trace(write_log, lines, run):
    """The same question in two tasks is no loop; `--least` asks for more of them."""
    write_log(_call(1, {}), _call(2, {}, trace_id="f" * 32), _call(3, {}), _call(4, {}))

    assert [loop["count"] for loop in lines("loops")] == [3]
    assert run("loops", "--least", "4").exit_code == 0
    assert lines("loops", "--least", "4") == []


def test_hidden_arguments_are_told_apart_by_their_hash(write_log, lines):
    """Two passwords look alike in the log and are not the same call."""
    rows = [_call(n, {"password": "***"}, input_hash=f"{n:016x}", run_id="r") for n in range(2)]
    write_log(*rows, _call(9, {"password": "***"}, input_hash=f"{0:016x}", run_id="r"))

    assert [(loop["count"], loop["kind"]) for loop in lines("loops")] == [(2, "identical")]
