"""Finished processes: their output, why they failed, what killed them."""

from __future__ import annotations

import subprocess
import sys

import pytest


def _run(*argv, **options):
    return lambda: subprocess.run(argv, capture_output=True, text=True, **options)


def test_a_process_that_worked_is_its_output(call):
    """Both streams, and the exit code in meta."""
    result = call(_run(sys.executable, "-c", "print('done')"))

    assert (result.data, result.meta["exit_code"]) == ({"stdout": "done\n", "stderr": ""}, 0)


def test_a_failed_process_is_an_error_that_keeps_its_output(call):
    """What it printed before it failed may be the answer."""
    result = call(_run(sys.executable, "-c", "import sys; print('half'); sys.exit('no more')"))

    error = result.error
    assert (error.code, error.recovery, error.sub_code) == ("EXECUTION_ERROR", "fix_arguments", "exit 1")
    assert error.message == "the process ended with exit code 1: no more"
    assert result.data == {"stdout": "half\n", "stderr": "no more\n"}
    assert result.meta["exit_code"] == 1


def test_a_traceback_is_boiled_down(call, tmp_path):
    """Its last line and where in the code that was; the whole stays in the data."""
    script = tmp_path / "job.py"
    script.write_text("def work():\n    return 1 / 0\n\nwork()\n")

    result = call(_run(sys.executable, str(script)))

    assert result.error.message.endswith("ZeroDivisionError: division by zero (job.py, line 2)")
    assert "Traceback" in result.data["stderr"]


def test_a_syntax_error_names_its_line(call):
    """There is no traceback, but a place."""
    assert "SyntaxError" in (error := call(_run(sys.executable, "-c", "x = 1\ndef f(:")).error).message
    assert "line 2" in error.message


def test_a_killed_process_names_its_signal(call):
    """Killed from outside: the same call again is nothing to try blindly."""
    result = call(_run("sh", "-c", "echo half; kill -9 $$"))

    assert (result.error.code, result.error.sub_code, result.error.retryable) == (
        "ABORTED",
        "signal 9",
        False,
    )
    assert "SIGKILL" in result.error.message
    assert result.data["stdout"] == "half\n"


@pytest.mark.parametrize(("code", "says"), [(126, "not executable"), (127, "not found")])
def test_a_program_that_could_not_be_started_says_so(call, code, says):
    """The shell's own codes, where it says nothing else."""
    result = call(_run("sh", "-c", f"exit {code}"))

    assert result.error.code == "FAILED_PRECONDITION"
    assert says in result.error.message


def test_a_raised_failure_has_its_exit_code_too(call):
    """`check=True` raises; meta and data are those of the returned kind."""
    result = call(_run("sh", "-c", "echo half; exit 3", check=True))

    assert (result.error.code, result.meta["exit_code"]) == ("EXECUTION_ERROR", 3)
    assert result.data["stdout"] == "half\n"


@pytest.mark.parametrize(
    ("printed", "shown"),
    [("caf\\351", "café"), ("\\000\\001\\002" * 9, {"type": "application/octet-stream", "size_bytes": 27})],
    ids=["latin-1", "binary"],
)
def test_bytes_are_text_where_they_can_be(call, printed, shown):
    """Captured without `text=True`: in their encoding; what is no text by its size."""
    done = subprocess.run(["printf", printed], capture_output=True)

    assert call(lambda: done).data["stdout"] == shown


def test_the_reason_may_stand_in_stdout(call):
    """As test runners and linters have it, or with stderr led there."""
    error = call(_run("sh", "-c", "echo 'FAILED test_x'; exit 1")).error

    assert error.message == "the process ended with exit code 1: FAILED test_x"


def test_a_group_of_exceptions_is_told_by_its_name(call):
    """Its last line is a frame drawn with minus signs."""
    code = "raise ExceptionGroup('two things', [ValueError('a'), KeyError('b')])"

    message = call(_run(sys.executable, "-c", code)).error.message

    assert message.endswith("ExceptionGroup: two things (2 sub-exceptions) (<string>, line 1)")


def test_a_running_process_is_no_result(call):
    """Started and not waited for."""
    running = subprocess.Popen(["sleep", "0"])

    error = call(lambda: running).error
    running.wait()

    assert "communicate()" in error.message
