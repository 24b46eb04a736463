"""What reaches the terminal, whatever the log holds and whatever the terminal can show."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.cli.output import Output, escape

NASTY = "\x1b[31mred\x1b[0m\nnext\r\x07\x9b2J\u202egnp\u2028\u200b\x7f"
CONTROLS = {chr(c) for c in (*range(32), *range(127, 160))} | set(
    "\u202e\u2028\u2029\u200b\u200e\u2066\ufeff"
)
EMOJI = "\U0001f4ca \u2192 \u00fc \u4e2d"


@pytest.mark.parametrize("options", [["list"], ["list", "--table"], ["tail", "--table"]], ids=str)
def test_control_characters_are_never_printed(write_log, run, options):
    """Values stay on one row, escaped, and a JSON line still says the same."""
    write_log({"tool": NASTY, "error_message": NASTY, "call_id": NASTY})

    result = run(*options)

    assert not CONTROLS & set(result.stdout.replace("\n", ""))
    if "--table" not in options:
        assert json.loads(result.stdout)["tool"] == NASTY


@pytest.mark.parametrize("options", [["--table"], ["--prompt"]], ids=str)
def test_a_shown_call_prints_no_control_characters(write_log, run, options):
    """Line breaks of a prompt or traceback are kept, nothing else."""
    write_log({"prompt": NASTY, "traceback": NASTY, "arguments": {NASTY: NASTY}})

    assert not CONTROLS & set(run("show", "c_1", *options).stdout.replace("\n", ""))


def test_no_markup_is_taken_from_the_log(write_log, run):
    """Square brackets and emoji names are text."""
    write_log({"tool": "[bold]x[/bold]", "call_id": "[link=http://x]", "error_message": ":smile: [/nope]"})

    output = run("list", "--table").stdout + run("tail", "--table").stdout

    assert output.count("[bold]x[/bold]") == output.count(":smile: [/nope]") == 2


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8", "utf-16"])
@pytest.mark.parametrize("options", [["list"], ["list", "--table"], ["show", "c_1", "--table"]], ids=str)
def test_any_encoding_of_stdout_will_do(write_log, run_command, encoding, options):
    """What it has no bytes for is escaped; JSON stays JSON."""
    write_log({"tool": EMOJI, "prompt": EMOJI})

    child = run_command(*options, PYTHONIOENCODING=encoding, PYTHONUTF8="0")

    assert (child.returncode, child.stderr) == (0, b"")
    shown = child.stdout.decode(encoding)
    if options == ["list"]:
        assert json.loads(shown)["tool"] == EMOJI
    else:
        assert (EMOJI if encoding.startswith("utf") else "\\U0001f4ca") in shown


@given(st.text(st.characters()))
def test_an_escaped_text_is_one_line_without_controls(text):
    """Under every reader's idea of a line."""
    shown = escape(text)

    assert len(shown.splitlines()) <= 1
    assert not CONTROLS & set(shown)
    shown.encode()


def _in_terminal(args, env):
    """Run a command with a terminal as its stdout and return what was printed there."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    child = subprocess.Popen(args, env=env, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    printed = b""
    # Linux ends a terminal whose other side is closed with an error
    with contextlib.suppress(OSError):
        while block := os.read(ours, 65_536):
            printed += block
    os.close(ours)
    child.communicate(timeout=30)
    return printed.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo terminals of Unix")
@pytest.mark.parametrize(("variable", "has_color"), [({"NO_COLOR": "1"}, False), ({}, True)], ids=str)
def test_a_terminal_gets_a_table(write_log, command, variable, has_color):
    """In colours, unless NO_COLOR is set."""
    write_log({"status": "error"})

    printed = _in_terminal(**command("list", TERM="xterm-256color", COLUMNS="120", **variable))

    assert "time (UTC)" in printed
    assert ("\x1b[31m" in printed) is has_color


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize(("quiet_s", "shown"), [(0.0, "read 50 % of 8 MB"), (3600.0, "")])
def test_a_long_scan_shows_how_far_it_has_come(monkeypatch, quiet_s, shown):
    """On stderr, after a while only, and it is wiped at the end."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    output = Output(True, quiet_s=quiet_s)

    output.progress(8_000_000)(4_000_000)
    seen = sys.stderr.getvalue()
    output.end_progress()

    assert seen.strip() == shown
    assert sys.stderr.getvalue().split("\r")[-1] == ""


def test_nobody_watches_a_pipe(monkeypatch):
    """No progress goes into a log."""
    monkeypatch.setattr(sys, "stderr", io.StringIO())

    assert Output(True).progress(8_000_000) is None


@pytest.mark.parametrize("columns", [60, 80, 100, 120, 200])
def test_a_call_id_is_whole_at_any_width(write_log, run, columns):
    """It is needed to show the call; the summary gets what is left, or nothing."""
    ids = [f"c_0643b2a1f0c{n:09x}" for n in range(3)]
    write_log(
        *(
            {
                "call_id": call_id,
                "result_summary": "word " * 60,
                "tool": "find_all_the_orders",
                "tokens": 1234,
            }
            for call_id in ids
        )
    )

    shown = run("list", "--table", env={"COLUMNS": str(columns)}).stdout

    assert [call_id in shown for call_id in ids] == [True] * 3
    assert shown.count("12:00:00.000") == 3
    assert ("word word" in shown) is (columns >= 100)
    assert len(shown.splitlines()) == 5
    assert columns < 80 or max(map(len, shown.splitlines())) <= columns


def test_a_reader_that_goes_away_is_no_failure(write_log, command):
    """`agent-tools logs list | head -1` prints no traceback."""
    write_log(*({"prompt": "p" * 1_000} for _ in range(2_000)))
    child = subprocess.Popen(**command("list", "-n", "0"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    errors = child.stderr.read()
    child.wait(30)
    child.stderr.close()

    assert errors == b""


def test_json_lines_need_no_rich_and_no_structlog(write_log, command):
    """What is not needed is not imported: a pipe waits for no table."""
    write_log({})
    spec = command("list")
    code = (
        "import sys; from agent_tools.cli.main import main; main(['logs', 'list'], standalone_mode=False); "
        "assert not {'rich', 'structlog', 'pydantic'} & set(sys.modules), sys.modules"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], env=spec["env"], capture_output=True, timeout=60, check=False
    )

    assert child.returncode == 0, child.stderr
