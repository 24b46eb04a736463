"""`agent-tools logs html` and `agent-tools logs serve`."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

import agent_tools
from agent_tools.cli.main import main

ROOT = Path(agent_tools.__file__).parents[1]


@pytest.fixture
def run(home):
    """Run `agent-tools logs ...` on the log of the test's home folder."""
    return lambda *arguments: CliRunner().invoke(main, ["logs", *arguments, "--home", str(home)])


def test_the_page_of_the_last_trace_is_written_for_its_owner_only(write_log, make_row, run, tmp_path):
    """The file holds prompts, so nobody else may read it."""
    write_log(make_row(trace_name="the task"))
    out = tmp_path / "page.html"
    out.write_text("older")
    out.chmod(0o644)

    result = run("html", "--last", "-o", str(out))

    assert (result.exit_code, result.stdout.strip()) == (0, str(out))
    assert "<title>the task</title>" in out.read_text()
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["ab" * 16, "abab", "c_1"], ids=["id", "start", "call"])
def test_a_trace_is_found_by_any_of_its_names(write_log, make_row, run, name):
    """The id, how it starts, or the id of one of its calls."""
    write_log(make_row())

    assert "<title>trace abababab</title>" in run("html", name, "--out", "-").stdout


def test_the_statistics_of_the_log_are_a_page(write_log, make_row, run):
    """--stats sums up every call of the log."""
    write_log(make_row(1), make_row(2, trace_id="cd" * 16))

    page = run("html", "--stats", "--out", "-").stdout

    assert '"kind":"stats"' in page
    assert '"calls":2' in page


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["html"], 2),
        (["html", "ffff"], 1),
        (["html", "--stats", "--last"], 2),
        (["html", "--last", "--out", "/nowhere/x"], 2),
    ],
    ids=["nothing asked", "unknown", "both", "no such folder"],
)
def test_what_can_not_be_shown_is_told(write_log, make_row, run, arguments, code):
    """Exit codes are those of the other commands, and no traceback is printed."""
    write_log(make_row())

    result = run(*arguments)

    assert result.exit_code == code
    assert "Traceback" not in result.output
    assert not isinstance(result.exception, OSError)


def test_serve_prints_an_address_and_ends_with_ctrl_c(write_log, make_row):
    """The command answers under the printed address until it is interrupted."""
    home = write_log(make_row(trace_name="the task"))
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_tools", "logs", "serve", "--home", str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    with process:
        url = process.stdout.readline().strip()
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert b"the task" in answer.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
