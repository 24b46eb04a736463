"""`agent-tools logs prune` and `doctor`: how the log is kept."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta

import pytest


def _day(ago):
    return (datetime.now(UTC) - timedelta(days=ago)).strftime("calls-%Y-%m-%d.jsonl")


@pytest.fixture
def names(tmp_path):
    """Return the names of the log files that there are."""
    return lambda: sorted(path.name for path in (tmp_path / "calls").glob("*.jsonl"))


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ([], [0, 5, 13]),
        (["--keep-days", "6"], [0, 5]),
        (["--keep-days", "1"], [0]),
        (["--keep-mb", "0"], [0]),
    ],
    ids=str,
)
def test_old_files_go(write_log, run, names, options, kept):
    """By age, then by size; today's file stays in any case."""
    for ago in (0, 5, 13, 14, 40):
        write_log({}, name=_day(ago))

    result = run("prune", *options)

    assert result.exit_code == 0
    assert names() == sorted(map(_day, kept))
    assert len(result.stdout.splitlines()) == 5 - len(kept)


def test_a_dry_run_deletes_nothing(write_log, run, names):
    """And tells what would go."""
    write_log({}, name=_day(0))
    write_log({}, name=_day(40))

    (line,) = map(json.loads, run("prune", "--dry-run").stdout.splitlines())

    assert line["file"].endswith(_day(40))
    assert line["deleted"] is False
    assert len(names()) == 2
    assert "would be deleted" in run("prune", "--dry-run", "--table").stdout


@pytest.fixture
def examine(run):
    """Return what the doctor finds, by what was looked at."""

    def examine(*options):
        result = run("doctor", *options)
        assert result.exit_code == 0, result.output
        return {line["check"]: line for line in map(json.loads, result.stdout.splitlines())}

    return examine


def test_a_healthy_log_is_well(write_log, examine, tmp_path):
    """Version, place, sizes, lines and disk are told."""
    write_log({"seq": 1}, {"seq": 2})
    (tmp_path / "calls").chmod(0o700)
    (tmp_path / "calls/calls-2026-01-31.jsonl").chmod(0o600)

    found = examine()

    assert {line["state"] for line in found.values()} == {"ok"}
    assert "agent_tools/" in found["version"]["found"]
    assert "2 rows" in found["size"]["found"]
    assert str(tmp_path) in found["home"]["found"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of Unix")
def test_an_open_log_is_noticed(write_log, examine, tmp_path):
    """Prompts stand there; what to do is said."""
    write_log({})
    (tmp_path / "calls").chmod(0o755)

    line = examine()["permissions"]

    assert line["state"] == "look"
    assert "chmod" in line["found"]


def test_what_is_broken_or_missing_is_counted(write_log, run, examine):
    """Lines that are no records, calls without a row, starts without an end, other versions."""
    write_log(
        {"seq": 1, "lib": "agent_tools/0.0.1"}, {"seq": 5}, {"event": "tool_start", "call_id": "x"}, b"{torn"
    )

    found = examine()

    assert found["lines"]["found"].startswith("skipped 1 line (1 broken")
    assert found["missing"]["found"].startswith("3 calls left no row")
    assert found["unended"]["found"].startswith("1 calls") or "1 call" in found["unended"]["found"]
    assert "agent_tools/0.0.1" in found["writers"]["found"]
    assert run("doctor", "--strict").exit_code == 3


def test_no_log_at_all_is_no_failure(examine):
    """Whoever asks wants to know where it would be."""
    assert examine()["version"]["state"] == "ok"


def test_a_home_that_does_not_exist_is_told_and_not_made(run, tmp_path):
    """Looking makes no folder."""
    result = run("doctor", home=tmp_path / "nowhere")

    assert "does not exist yet" in result.stdout
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "name",
    ["list", "tail", "stats", "failures", "loops", "doctor", "prune", "export", "path"],
)
def test_looking_at_a_log_makes_no_home(run_command, tmp_path, name):
    """The default home is found, not made: a wrong working folder gets no new one."""
    run_command(name, AGENT_TOOLS_HOME=str(tmp_path / "nowhere"))

    assert not (tmp_path / "nowhere").exists()
