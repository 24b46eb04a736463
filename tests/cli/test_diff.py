"""`agent-tools logs diff`: what differs between two calls or two traces."""

from __future__ import annotations

import json

import pytest

ONE = {
    "call_id": "c_1",
    "tool": "find",
    "arguments": {"city": "Rome", "limits": [1, 2]},
    "prompt": '{"status":"success","data":[1,2]}',
    "tokens": 12,
}


@pytest.fixture
def paths(run):
    """Return what differs, by path."""

    def paths(*arguments):
        lines = map(json.loads, run("diff", *arguments).stdout.splitlines())
        return {line["path"]: (line["a"], line["b"]) for line in lines}

    return paths


def test_two_calls_differ_in_what_they_were_and_how_they_went(write_log, paths):
    """Arguments by their path, the outcome, sizes; the prompt as a diff."""
    other = {"arguments": {"city": "Oslo", "limits": [1]}, "status": "error", "error_code": "UNAVAILABLE"}
    write_log(ONE, ONE | other | {"call_id": "c_2", "prompt": '{"status":"error","data":null}'})

    found = paths("c_1", "c_2")

    assert found["arguments.city"] == ("Rome", "Oslo")
    assert found["arguments.limits[1]"] == (2, None)
    assert found["status"] == ("success", "error")
    assert found["error_code"] == (None, "UNAVAILABLE")
    assert '-  "status": "success"' in found["prompt"][1]
    assert "tokens" not in found


def test_a_row_of_a_table_is_a_line_of_the_diff(write_log, paths):
    """Ten rows of four cells are ten lines, not sixty; blanks inside a text stay."""
    prompt = '{"data":{"columns":["id","name"],"rows":[[1,"a  b, [c]"],[2,"d"]]}}'
    write_log(ONE | {"prompt": prompt}, ONE | {"call_id": "c_2", "prompt": prompt.replace('"d"', '"e"')})

    lines = paths("c_1", "c_2")["prompt"][1].splitlines()

    assert '       [1, "a  b, [c]"],' in lines
    assert [line for line in lines if line[0] in "+-"] == ['-      [2, "d"]', '+      [2, "e"]']


@pytest.mark.parametrize(
    "same",
    [
        {"ts": "2026-02-01T00:00:00Z", "trace_id": "b" * 32, "span_id": "1" * 16, "seq": 9, "repeat_n": 2},
        {"elapsed_ms": 1.9},
        {"input_hash": "f" * 16, "run_id": "other", "pid": 7, "host": "elsewhere"},
        {"result_id": "r_BBBBBBBBBBBBBBBB"},
    ],
    ids=str,
)
def test_ids_and_times_are_no_differences(write_log, run, same):
    """Nor is what follows from them."""
    write_log(ONE, ONE | {"call_id": "c_2"} | same)

    result = run("diff", "c_1", "c_2")

    assert (result.exit_code, result.stdout) == (0, "")
    assert "no differences" in result.stderr


def test_the_id_of_a_result_is_not_part_of_its_text(write_log, run):
    """It is drawn anew in every call."""
    prompts = ['{"meta":{"result_id":"r_' + letter * 16 + '"}}' for letter in "AB"]
    write_log(ONE | {"prompt": prompts[0]}, ONE | {"call_id": "c_2", "prompt": prompts[1]})

    assert run("diff", "c_1", "c_2").stdout == ""


def test_a_much_slower_call_is_a_difference(write_log, paths):
    """Twice the time, when it is more than some milliseconds."""
    write_log(ONE | {"elapsed_ms": 100.0}, ONE | {"call_id": "c_2", "elapsed_ms": 900.0})

    assert paths("c_1", "c_2") == {"elapsed_ms": (100.0, 900.0)}


def test_two_traces_are_compared_call_by_call(write_log, run):
    """Paired by tool and arguments; what only one of them did; the answers last."""
    a, b = "a" * 32, "b" * 32
    calls = [(a, "find", {}), (a, "pay", {}), (b, "find", {"status": "empty"}), (b, "mail", {})]
    rows = [
        {"trace_id": trace, "tool": tool, "call_id": f"c_{n}", "ts": f"2026-01-31T12:00:0{n}Z"} | given
        for n, (trace, tool, given) in enumerate(calls)
    ]
    answers = [{"event": "answer", "trace_id": trace, "answer": trace[0]} for trace in (a, b)]
    write_log(*rows, *answers)

    *steps, answer = map(json.loads, run("diff", a, b).stdout.splitlines())

    assert [(step["change"], step["tool"]) for step in steps] == [
        ("changed", "find"),
        ("removed", "pay"),
        ("added", "mail"),
    ]
    assert steps[0]["differences"] == [{"path": "status", "a": "success", "b": "empty"}]
    assert answer == {"path": "answer", "a": "a", "b": "b"}


def test_a_table_shows_old_and_new(write_log, run):
    """For calls and for traces."""
    write_log(ONE, ONE | {"call_id": "c_2", "trace_id": "b" * 32, "status": "empty"})

    assert 'status: "success" -> "empty"' in run("diff", "c_1", "c_2", "--table").stdout
    assert "~ find" in run("diff", "a" * 32, "b" * 32, "--table").stdout


@pytest.mark.parametrize("pair", [("c_1", "c_nope"), ("c_nope", "c_1"), ("a" * 32, "f" * 32)])
def test_an_unknown_id_is_exit_code_1(write_log, run, pair):
    """And it is named."""
    write_log(ONE)

    result = run("diff", *pair)

    assert result.exit_code == 1
    assert "no call and no trace" in result.stderr
