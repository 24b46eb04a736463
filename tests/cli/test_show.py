"""`agent-tools logs show`, `tail` and `path`."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

FAILED = {
    "call_id": "c_9",
    "status": "error",
    "error_code": "UNAVAILABLE",
    "error_class": "LookupError < FileNotFoundError",
    "error_message": "index unavailable",
    "retryable": True,
    "recovery": "retry",
    "attempts": 3,
    "elapsed_ms": 12.5,
    "arguments": {"pattern": "x"},
    "traceback": 'File "app.py", line 7, in grep',
    "prompt": '{"status":"error"}\nsecond line',
}


def test_a_failed_call_shows_its_real_cause(write_log, run):
    """Code, exception, message, traceback, arguments, duration and attempts stand in one place."""
    write_log(FAILED, {"call_id": "c_10"})

    result = run("show", "c_9", "--table")

    for text in (
        *("UNAVAILABLE", "LookupError < FileNotFoundError", "index unavailable", "retryable true", "retry"),
        *("12.5 ms", "3 attempts", '{"pattern": "x"}', 'File "app.py", line 7', "second line"),
    ):
        assert text in result.stdout
    assert "c_10" not in result.stdout


def test_the_prompt_alone_can_be_printed(write_log, run):
    """As the model saw it, line breaks included."""
    write_log(FAILED)

    assert run("show", "c_9", "--prompt").stdout == '{"status":"error"}\nsecond line\n'


def test_a_pipe_gets_the_row_as_json(write_log, run):
    """With its other views behind it."""
    write_log(FAILED, {"event": "tool_view", "call_id": "c_9", "prompt_view": "answer"})

    call, view = map(json.loads, run("show", "c_9").stdout.splitlines())

    assert call["error_code"] == "UNAVAILABLE"
    assert view["prompt_view"] == "answer"


def test_an_id_used_twice_shows_the_latest_call(write_log, run):
    """And says how many there are."""
    write_log({"call_id": "call_1", "tool": "first"}, {"call_id": "call_1", "tool": "second"})

    result = run("show", "call_1")

    assert json.loads(result.stdout)["tool"] == "second"
    assert "2 calls have the id" in result.stderr


def test_a_call_that_never_finished_is_shown(write_log, run):
    """All that is known is its start."""
    write_log({"event": "tool_start", "call_id": "c_5"})

    assert "never finished" in run("show", "c_5", "--table").stdout


def test_an_unknown_call_is_exit_code_1(write_log, run):
    """It was asked for and nothing matched."""
    write_log({})

    assert run("show", "c_nope").exit_code == 1


def test_tail_prints_the_last_rows_of_every_event(write_log, run, read_ids):
    """In their order."""
    write_log(*({"call_id": str(n), "event": ("tool_start", "tool_call")[n % 2]} for n in range(20)))

    assert read_ids(run("tail", "-n", "3")) == ["17", "18", "19"]
    assert "tool_start" in run("tail", "--table").stdout


def test_following_waits_for_a_line_to_be_complete(write_log, command):
    """A partial last line is shown once, when it is whole."""
    write_log({"call_id": "old"})
    write_log(b'{"event":"tool_call","call_', end=b"")
    child = subprocess.Popen(**command("tail", "-f"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        first = child.stdout.readline()
        write_log(b'id":"half"}', {"call_id": "next"})
        later = [json.loads(child.stdout.readline())["call_id"] for _ in range(2)]
        child.send_signal(signal.SIGINT)
        rest, errors = child.communicate(timeout=30)
    finally:
        child.kill()

    assert json.loads(first)["call_id"] == "old"
    assert later == ["half", "next"]
    assert (rest, errors, child.returncode) == (b"", b"", 0)


@pytest.mark.parametrize("has_log", [True, False])
def test_path_says_where_the_log_is(write_log, run, tmp_path, has_log):
    """Whether or not there is one yet."""
    if has_log:
        write_log({})

    result = run("path")

    assert (result.stdout.strip(), result.exit_code) == (str(tmp_path / "calls"), 0)
    assert ("nothing was logged" in result.stderr) is not has_log
