"""`agent-tools logs list`: filters, exit codes and what is said about lines that were skipped."""

from __future__ import annotations

import json

import pytest

BAD = [
    b'{"event":"tool_call","too',
    b"[1,2]",
    b'"str"',
    b"null",
    b'{"event":"other_app"}',
    b'{"tool":5,"status":null,"duration_ms":"fast"}',
    b"\x00\x00",
    b'{"tool":"c","a":' + b"9" * 5000 + b"}",
    b"\xff\xfe{",
]
CALLS = [
    {"call_id": "a", "tool": "find_orders", "trace_id": "ab" * 16, "conversation_id": "k1"},
    {"call_id": "b", "tool": "find_user", "status": "empty", "repeat_n": 2},
    {"call_id": "c", "tool": "pay", "status": "error", "error_code": "DB_TIMEOUT", "elapsed_ms": 900.0},
    {
        "call_id": "d",
        "tool": "report",
        "status": "partial",
        "truncated": True,
        "arguments": {"city": "Übersee"},
    },
    {"call_id": "e", "tool": "report", "ts": "2026-02-01T08:00:00.000000Z"},
]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], "abcde"),
        (["-n", "2"], "de"),
        (["-n", "0"], "abcde"),
        (["--tool", "find_*"], "ab"),
        (["--tool", "pay"], "c"),
        (["--status", "error"], "c"),
        (["--code", "DB_*"], "c"),
        (["--trace", "abab"], "a"),
        (["--conversation", "k1"], "a"),
        (["--truncated"], "d"),
        (["--empty"], "b"),
        (["--repeated"], "b"),
        (["--slow", "100"], "c"),
        (["--text", "übersee"], "d"),
        (["--since", "2026-02-01"], "e"),
        (["--until", "2026-02-01T08:00"], "abcd"),
        (["--since", "2026-01-31T13:00+01:00", "--until", "2026-01-31T12:00:01"], "abcd"),
        (["--tool", "report", "--status", "success"], "e"),
    ],
    ids=str,
)
def test_filters_pick_calls(write_log, run, read_ids, options, expected):
    """Each alone and together; the latest come last."""
    write_log(*CALLS)

    result = run("list", *options)

    assert result.exit_code == 0
    assert read_ids(result) == list(expected)


def test_calls_are_listed_by_their_end(write_log, run, read_ids):
    """Of two processes one may write the row of an earlier call later."""
    seconds = {"a": 2, "b": 1, "c": 3}
    write_log(*[{"call_id": name, "ts": f"2026-01-31T12:00:0{n}Z"} for name, n in seconds.items()])

    assert read_ids(run("list")) == ["b", "a", "c"]


def test_only_calls_are_listed(write_log, run, read_ids):
    """Starts, further views and answers are rows of their own."""
    write_log({"event": "tool_start"}, {"call_id": "a"}, {"event": "tool_view"}, {"event": "answer"})

    assert read_ids(run("list")) == ["a"]


# each shows the good records one by one, or something of them all
EVERY_COMMAND = [
    *(
        ["list"],
        ["list", "--table"],
        ["tail"],
        ["show", "good_3"],
        ["stats"],
        ["stats", "--table"],
        ["failures"],
    ),
    *(
        ["failures", "--table"],
        ["loops"],
        ["trace", "--last"],
        ["trace", "--last", "--table"],
        ["why", "--last"],
    ),
    *(
        ["why", "--last", "--table"],
        ["export"],
        ["export", "--format", "csv"],
        ["export", "--format", "otlp"],
    ),
    *(["diff", "good_1", "good_2"], ["diff", "aaaa", "good_1"], ["trace", "good_1"], ["doctor"]),
    *(["doctor", "--table"], ["export", "--call", "good_1", "--call", "good_2"]),
]
SHOWN = {"show": [3], "list": range(10), "tail": range(10), "export": range(10), "trace": range(10)}


@pytest.mark.parametrize("options", EVERY_COMMAND, ids=" ".join)
@pytest.mark.parametrize("ending", [b"", b"\r"], ids=["LF", "CRLF"])
def test_bad_lines_end_no_command(write_log, run, options, ending):
    """The good records are shown; how many lines were skipped stands on stderr, with line numbers."""
    good = [
        json.dumps(
            {
                "event": "tool_call",
                "call_id": f"good_{n}",
                "ts": "2026",
                "trace_id": "a" * 32,
                "status": "error",
            }
        ).encode()
        for n in range(10)
    ]
    write_log(*(line + ending for line in [*good[:3], *BAD, *good[3:]]), end=b"")

    result = run(*options)

    assert result.exit_code == 0
    if not {"otlp", "--call"} & set(options):
        assert all(f"good_{n}" in result.stdout for n in SHOWN.get(options[0], ()))
    if options[0] in ("stats", "failures"):
        assert "10" in result.stdout
    assert f"skipped {len(BAD)} lines" in result.stderr
    assert "calls-2026-01-31.jsonl:4, " in result.stderr
    assert run(*options, "--strict").exit_code == 3


def test_odd_values_are_no_failure(write_log, run):
    """A field of another type than ours counts as unknown, in tables and filters."""
    write_log({"tool": 5, "elapsed_ms": "fast", "status": None, "ts": 7, "arguments": [1], "tokens": True})

    assert run("list", "--table").exit_code == 0
    assert run("list", "--tool", "x", "--slow", "1", "--since", "1d", "--text", "y").exit_code == 1


def test_exit_codes_tell_nothing_matched_from_no_log(write_log, run):
    """2 where there is no log, 0 for an empty one, 1 when the filters match nothing."""
    missing = run("list")
    write_log(end=b"")
    empty = run("list")
    unmatched = run("list", "--tool", "x")

    assert [missing.exit_code, empty.exit_code, unmatched.exit_code] == [2, 0, 1]
    assert "no call log" in missing.stderr
    assert "no records" in empty.stderr
    assert "nothing matched" in unmatched.stderr


@pytest.mark.parametrize(
    "options", [["--since", "soon"], ["--status", "fine"], ["-n", "-1"], ["--nope"], ["--slow", "x"]], ids=str
)
def test_wrong_usage_is_exit_code_2(write_log, run, options):
    """With a message that says what is wanted."""
    write_log({})

    result = run("list", *options)

    assert result.exit_code == 2
    assert "Error" in result.stderr


@pytest.mark.parametrize("place", [".", "calls", "calls/calls-2026-01-31.jsonl"])
def test_home_may_be_a_folder_of_files_or_one_file(write_log, run, tmp_path, read_ids, place):
    """Whatever the user has at hand; an option of the group does as well."""
    write_log({"call_id": "a"})

    assert read_ids(run("list", "--home", str(tmp_path / place))) == ["a"]
