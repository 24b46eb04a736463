"""`agent-tools redact FILE`: what would be hidden, and why."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent_tools.cli.main import main

PASSWORD = "hN7kQ2vLx9"
TEXT = f"db:\n  password: {PASSWORD}\n  host: h\ncurl -H 'Authorization: Bearer {PASSWORD}{PASSWORD}' https://u:{PASSWORD}@h\n"


@pytest.fixture
def redact(tmp_path):
    """Run the command on a file; return its rows, or its table."""

    def run(content, *options, name="file.txt"):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        done = CliRunner().invoke(main, ["redact", str(file), *options])
        assert done.exit_code == 0, done.output
        assert PASSWORD not in done.output
        return (
            done.stdout if "--table" in options else [json.loads(line) for line in done.stdout.splitlines()]
        )

    return run


def test_a_text_is_told_by_line(redact):
    """Each finding has its line, its rule, why, and the masked text around it."""
    rows = redact(TEXT)

    assert [(row["line"], row["rule"], row["why"]) for row in rows] == [
        (2, "secret", "the word before it is 'password'"),
        (4, "secret", "it follows Bearer or Basic"),
        (4, "secret", "credentials in a URL"),
    ]
    assert "***@h" in rows[2]["shown"]


def test_json_is_told_by_path(redact):
    """Also JSON in a text of it; a value is told by its key or by its look."""
    value = {"user": {"mobile": 13912345678}, "body": json.dumps({"token": PASSWORD}), "internal_token": "x"}

    rows = redact(json.dumps(value), name="file.json")

    assert [(row["path"], row["rule"], row["shown"]) for row in rows] == [
        ("$.user.mobile", "phone", "139****678"),
        ("$.body.token", "secret", "[REDACTED]"),
        ("$.internal_token", "secret", "(removed)"),
    ]


def test_json_lines_are_told_by_record_also_gzipped(redact):
    """The number of the line stands before the path."""
    lines = "\n".join(json.dumps({"n": 1, "password": word}) for word in ("", PASSWORD, PASSWORD))

    assert [row["record"] for row in redact(gzip.compress(lines.encode()), name="x.jsonl.gz")] == [2, 3]
    assert "2: $.password" in redact(lines, "--table")


@pytest.mark.parametrize(
    ("rules", "hidden"),
    [("", set()), ("all", {"email"}), ("email,-phone", {"email"}), ("note_of_ours", {"extra"})],
)
def test_rules_are_those_of_the_setting(rules, hidden, redact):
    """Names add and drop rules and name keys."""
    rows = redact('{"email": "ann@example.org", "noteOfOurs": "x1"}', "--rules", rules)

    assert {row["rule"] for row in rows} == hidden


def test_rules_of_a_module_count(tmp_path):
    """A module that adds rules is imported from where the command runs."""
    code = "from agent_tools.redaction import *\nadd_rule(Rule('staff', r'EMP-\\d{4}', 'EMP-1234'))\n"
    (tmp_path / "our_rules.py").write_text(code, encoding="utf-8")
    root = str(Path(main.callback.__code__.co_filename).parents[2])

    done = subprocess.run(
        [sys.executable, "-m", "agent_tools", "redact", "-", "--import", "our_rules", "--json"],
        input=b"ask EMP-2047 now", capture_output=True, cwd=tmp_path, env={"PYTHONPATH": root}, check=True,
    )  # fmt: skip

    assert json.loads(done.stdout)["rule"] == "staff"
    assert b"EMP-2047" not in done.stdout


def test_nothing_to_hide_is_said(redact):
    """Standard output stays empty."""
    assert redact("all fine\n") == []


@pytest.mark.parametrize("options", [["--rules", "-nonsense"], ["--import", "no_such_module_of_ours"]])
def test_a_bad_option_is_wrong_usage(tmp_path, options):
    """It says what is wrong and exits with 2."""
    (tmp_path / "f").write_text("x")

    done = CliRunner().invoke(main, ["redact", str(tmp_path / "f"), *options])

    assert done.exit_code == 2
    assert "nonsense" in done.output or "no_such_module" in done.output
