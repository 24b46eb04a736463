"""SQL over the call log."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from agent_tools.calllog.queries import QueryError
from agent_tools.record import COLUMNS


def test_calls_are_counted_and_other_rows_are_not(write_day, query):
    """The view `calls` holds one row a call; `answers` and `records` hold the rest."""
    write_day("2026-01-30", {"tool": "find"}, {"event": "answer"}, {"event": "tool_start", "tool": "find"})

    assert query("select count(*) from calls") == [[1]]
    assert query("select count(*) from answers") == [[1]]
    assert query("select event from records order by 1") == [["answer"], ["tool_call"], ["tool_start"]]


def test_every_column_of_the_record_is_there(write_day, query):
    """A column that no row has is NULL, not an error."""
    write_day("2026-01-30", {"tool": "find"})

    assert [row[0] for row in query("select column_name from (describe calls)")] == list(COLUMNS)


def test_values_keep_their_types(write_day, query):
    """Objects come back as objects, lists as lists, times as times."""
    write_day("2026-01-30", {"arguments": {"a": [1]}, "redacted": ["$.k"], "tokens": 7, "truncated": True})

    rows = query("select arguments, redacted, tokens + 1, truncated, ts, hour(ts) from calls")

    assert rows == [[{"a": [1]}, ["$.k"], 8, True, "2026-01-30T12:00:00.500000", 12]]


@pytest.mark.parametrize(
    "line", [b'{"event":"tool_c', b"[1]", b"", b"\xff\xfe", b'{"event":"other"}', b"null"]
)
def test_a_line_that_is_no_record_is_passed_over(write_day, query, line):
    """A torn or foreign line costs only itself."""
    write_day("2026-01-30", {"tool": "a"}, line, {"tool": "b"})

    assert query("select tool from records order by tool") == [["a"], ["b"]]


def test_a_value_of_another_type_is_null(write_day, query):
    """One odd value does not cost the row."""
    write_day("2026-01-30", {"tool": "a", "tokens": "many"})

    assert query("select tool, tokens from calls") == [["a", None]]


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_text('{other}')",
        "select * from read_csv('{other}')",
        "select * from '{other}'",
        "select * from glob('{folder}/*')",
        "select * from read_json('https://example.invalid/x.json')",
        "select content from read_blob('{other}')",
    ],
)
def test_no_other_file_can_be_read(write_day, query, tmp_path, sql):
    """A query reaches the log and nothing beside it."""
    write_day("2026-01-30", {"tool": "a"})
    other = tmp_path / "other.csv"
    other.write_text("secret\nhidden\n")

    with pytest.raises(QueryError) as failed:
        query(sql.format(other=other, folder=tmp_path))

    assert "hidden" not in str(failed.value)


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{log}'",
        "copy (select 1) to '{log}' (use_tmp_file false)",
        "explain analyze copy (select 1) to '{log}' (use_tmp_file false)",
        "select 1; copy (select 1) to '{log}' (use_tmp_file false)",
        "set enable_external_access = true",
        "attach '{log}.db'",
        "create table t as select 1",
        "install httpfs",
        "pragma database_list",
        "",
    ],
)
def test_anything_but_one_select_is_refused(write_day, query, sql):
    """A query changes neither the log nor what it may reach."""
    log = write_day("2026-01-30", {"tool": "a"})
    before = log.read_bytes()

    with pytest.raises(QueryError, match="one SELECT"):
        query(sql.format(log=log))

    assert log.read_bytes() == before


def test_a_folder_with_an_apostrophe_is_read(tmp_path):
    """A path is no part of the statement's own text."""
    from agent_tools.calllog.queries import ask
    from agent_tools.calllog.reader import find_files

    folder = tmp_path / "it's"
    folder.mkdir()
    (folder / "calls-2026-01-30.jsonl").write_text('{"event":"tool_call","tool":"a"}\n')

    assert list(ask("select tool from calls", find_files(folder)).rows) == [["a"]]


def test_the_command_prints_json_lines_and_a_table(write_day, run):
    """A pipe gets JSON lines, a terminal a table."""
    write_day("2026-01-30", {"tool": "find", "tokens": 5}, {"tool": "find", "tokens": 7})
    sql = "select tool, sum(tokens) as total from calls group by tool"

    as_json, as_table = run("sql", sql, "--json"), run("sql", sql, "--table")

    assert json.loads(as_json.stdout) == {"tool": "find", "total": 12}
    assert as_table.stdout.split() == ["tool", "total", "find", "12"]


def test_the_command_reads_the_statement_from_the_standard_input(write_day, run):
    """A long query need not be quoted for the shell."""
    write_day("2026-01-30", {"tool": "a"})

    assert json.loads(run("sql", "-", "--json", input="select 1 as n").stdout) == {"n": 1}


def test_a_wrong_query_says_what_is_wrong_and_exits_with_2(write_day, run):
    """What DuckDB says reaches the user, without a traceback."""
    write_day("2026-01-30", {"tool": "a"})

    result = run("sql", "select nothing_like_that from calls")

    assert result.exit_code == 2
    assert "nothing_like_that" in result.stderr
    assert "Traceback" not in result.stderr


def test_without_duckdb_the_command_says_what_to_install(tmp_path):
    """A missing extra is told in one line."""
    (tmp_path / "calls").mkdir()
    code = (
        "import sys; sys.modules['duckdb'] = None; from agent_tools.cli.main import main; "
        f"main(['logs', 'sql', 'select 1', '--home', {str(tmp_path)!r}])"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 2
    assert "pip install 'agent-tools[sql]'" in done.stderr
