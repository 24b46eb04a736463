"""`agent-tools logs trace`: calls on a time line, nested, whatever their ids."""

from __future__ import annotations

import json

import pytest

ONE, TWO = "ab" * 16, "ac" * 16
ROWS = [
    {"trace_id": TWO, "call_id": "c_other", "ts": "2026-01-31T11:00:00Z"},
    {
        "trace_id": ONE,
        "call_id": "c_in",
        "tool": "inner",
        "span_id": "2" * 16,
        "parent_span_id": "1" * 16,
        "ts": "2026-01-31T12:00:00.200Z",
        "elapsed_ms": 100.0,
        "status": "error",
        "error_code": "UNAVAILABLE",
    },
    {
        "trace_id": ONE,
        "call_id": "c_out",
        "tool": "outer",
        "span_id": "1" * 16,
        "trace_name": "refund",
        "ts": "2026-01-31T12:00:00.400Z",
        "elapsed_ms": 400.0,
        "tokens": 77,
    },
    {
        "trace_id": ONE,
        "event": "tool_start",
        "call_id": "c_lost",
        "tool": "pay",
        "ts": "2026-01-31T12:00:00.300Z",
    },
    {
        "trace_id": ONE,
        "event": "answer",
        "answer": "Done.",
        "tokens_in": 900,
        "tokens_out": 12,
        "ts": "2026-01-31T12:00:01Z",
    },
]


@pytest.mark.parametrize("asked", [[ONE], ["abab"], ["c_in"], ["c_lost"], ["--last"]], ids=str)
def test_a_trace_is_named_in_many_ways(write_log, run, asked):
    """By its id, how it starts, one of its calls, or as the latest."""
    write_log(*ROWS)

    rows = [json.loads(line) for line in run("trace", *asked).stdout.splitlines()]

    assert {row["trace_id"] for row in rows} == {ONE}
    assert len(rows) == 4


def test_calls_stand_below_the_call_that_made_them(write_log, run):
    """By their start, indented, with how they ended; what never ended is said."""
    write_log(*ROWS)

    shown = run("trace", ONE, "--table").stdout.splitlines()
    calls = [line for line in shown if "  c_" in line]

    assert [line.split()[1] for line in calls] == ["outer", "inner", "pay"]
    assert "   inner" in calls[1]
    assert "UNAVAILABLE" in calls[1]
    assert "never ended" in calls[2]
    assert " 77 " in calls[0]
    assert any("900 tokens in, 12 out" in line for line in shown)


def test_the_time_line_is_to_scale(write_log, run):
    """The outer call fills it, the inner one a quarter of it from a quarter on."""
    write_log(*ROWS)

    shown = run("trace", ONE, "--table").stdout.splitlines()
    outer, inner = (next(line for line in shown if tool in line) for tool in ("outer", "inner"))

    assert outer.count("█") == 4 * inner.count("█") > 0
    assert inner.index("█") - outer.index("█") == inner.count("█")


def test_an_ambiguous_start_is_refused(write_log, run):
    """With the ids that it may mean."""
    write_log({"trace_id": "abcd" + "0" * 28}, {"trace_id": "abcd" + "1" * 28})

    result = run("trace", "abcd")

    assert result.exit_code == 2
    assert "several traces" in result.stderr


@pytest.mark.parametrize(("asked", "code"), [(["f" * 32], 1), (["c_nope"], 1), ([], 2), (["x", "--last"], 2)])
def test_what_is_not_there_and_what_is_not_said(write_log, run, asked, code):
    """1 for an unknown trace, 2 without one or with two."""
    write_log(*ROWS)

    assert run("trace", *asked).exit_code == code


def test_calls_in_a_circle_are_shown(write_log, run):
    """A log that is wrong is shown as it is, each call once."""
    circle = [{"span_id": s * 16, "parent_span_id": p * 16, "call_id": f"c_{s}"} for s, p in ("12", "21")]
    write_log(*circle, {"span_id": "3" * 16, "parent_span_id": "3" * 16, "call_id": "c_3"})

    shown = run("trace", "a" * 32, "--table").stdout

    assert [shown.count(f"c_{n}") for n in (1, 2, 3)] == [1, 1, 1]


def test_a_call_that_left_no_row_is_missed(write_log, run):
    """The numbers of the calls of a trace have a gap."""
    write_log({"seq": 1}, {"seq": 4})

    assert "no. 2, 3" in run("trace", "a" * 32, "--table").stderr


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_the_time_line_needs_no_unicode(write_log, run_command, encoding):
    """Where the terminal has no blocks, it is drawn with signs that every terminal has."""
    write_log(*ROWS)

    shown = run_command("trace", ONE, "--table", PYTHONIOENCODING=encoding, PYTHONUTF8="0")

    assert (shown.returncode, shown.stderr) == (0, b"")
    assert (b"####" in shown.stdout) is (encoding == "ascii")


@pytest.mark.parametrize("asked", [[ONE], ["abab"], ["c_in"], ["--last"]], ids=str)
def test_a_trace_in_a_large_log_is_found_by_a_search(write_log, run, asked):
    """Without parsing the lines around it."""
    write_log(*({"trace_id": "f" * 32, "call_id": f"call_{n}", "prompt": "p" * 8000} for n in range(2_200)))
    write_log(*ROWS[1:], name="calls-2026-02-01.jsonl")

    rows = [json.loads(line) for line in run("trace", *asked).stdout.splitlines()]

    assert [row["trace_id"] for row in rows] == [ONE] * 4


def test_an_answer_without_calls_has_a_time_and_no_duration(write_log, run):
    """Nothing began, so nothing took long."""
    write_log({"event": "answer", "answer": "Hello.", "ts": "2026-01-31T12:00:01Z"})

    shown = run("trace", "--last", "--table").stdout

    assert "ended         2026-01-31 12:00:01Z UTC\n" in shown
    assert "Hello." in shown
