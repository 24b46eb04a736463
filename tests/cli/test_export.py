"""`agent-tools logs export`: other programs read what is written."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import stat
import subprocess
import sys

import pytest

ROWS = [
    {"call_id": "a", "tool": "find", "span_id": "1" * 16, "arguments": {"q": "=1+1"}, "tokens": 7},
    {
        "call_id": "b",
        "tool": "pay",
        "status": "error",
        "error_code": "UNAVAILABLE",
        "error_class": "OSError",
        "error_message": "-down,\nagain",
        "error_causes": ["KeyError"],
        "ts": "2026-01-31T12:00:01.500000Z",
        "elapsed_ms": 500.0,
        "parent_span_id": "1" * 16,
        "prompt": "seen",
        "truncated": True,
    },
    {"call_id": "a", "event": "tool_view", "prompt_view": "answer"},
    {"event": "answer", "answer": "Done."},
]


def test_json_lines_are_the_rows(write_log, run):
    """Calls only, or everything with `--all`; filters and single calls pick."""
    write_log(*ROWS)

    def ids(*options):
        return [json.loads(line)["call_id"] for line in run("export", *options).stdout.splitlines()]

    assert ids() == ["a", "b"]
    assert len(ids("--all")) == 4
    assert ids("--status", "error") == ids("--call", "b") == ["b"]
    assert ids("--call", "a", "--all") == ["a", "a"]


def test_csv_is_read_by_the_csv_module(write_log, run):
    """One record a row whatever stands in it, formulas disarmed, objects as JSON."""
    write_log(*ROWS)

    first, second = csv.DictReader(io.StringIO(run("export", "--format", "csv").stdout, newline=""))

    assert (first["call_id"], first["tokens"], json.loads(first["arguments"])) == ("a", "7", {"q": "=1+1"})
    assert second["error_message"] == "'-down,\nagain"


def test_otlp_is_read_by_the_protocol_s_own_parser(write_log, run):
    """Ids, times to the microsecond, attributes of the conventions; no content unless asked for."""
    service = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    write_log(*ROWS)
    (line,) = run("export", "--format", "otlp").stdout.splitlines()
    request = json.loads(line)
    spans = request["resourceSpans"][0]["scopeSpans"][0]["spans"]
    # the JSON of OTLP has ids in hex, that of protocol buffers in base64
    for span in spans:
        for name in ("traceId", "spanId", "parentSpanId"):
            span[name] = __import__("base64").b64encode(bytes.fromhex(span.get(name, ""))).decode()
    from google.protobuf import json_format

    parsed = json_format.ParseDict(request, service.ExportTraceServiceRequest())

    one, two = parsed.resource_spans[0].scope_spans[0].spans
    assert (one.name, two.name) == ("execute_tool find", "execute_tool pay")
    assert two.parent_span_id == one.span_id == bytes.fromhex("1" * 16)
    assert two.end_time_unix_nano - two.start_time_unix_nano == 500_000_000
    assert two.status.code == 2
    attributes = {item.key: item.value for item in two.attributes}
    assert attributes["error.type"].string_value == "UNAVAILABLE"
    assert attributes["agent_tools.truncated"].bool_value is True
    assert "down" not in line
    assert "seen" not in line


def test_otlp_holds_content_when_asked(write_log, run):
    """Messages and prompts go along with `--content` only."""
    write_log(*ROWS)

    line = run("export", "--format", "otlp", "--content").stdout

    assert "down" in line
    assert "seen" in line


@pytest.mark.parametrize("library", ["duckdb", "pyarrow"])
def test_parquet_holds_typed_columns(write_log, command, tmp_path, library):
    """Written by whichever library is there, read back by another one."""
    reader = pytest.importorskip("pyarrow.parquet")
    pytest.importorskip(library)
    write_log(*ROWS)
    others = {"duckdb", "pyarrow"} - {library}
    code = (
        f"import sys, importlib.util as u; find = u.find_spec\n"
        f"u.find_spec = lambda name, *a: None if name in {others!r} else find(name, *a)\n"
        "from agent_tools.cli.main import main; main(sys.argv[1:])"
    )
    arguments = ["logs", "export", "--format", "parquet", "-o", str(tmp_path / "calls.parquet")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=command()["env"], capture_output=True, check=False
    )

    assert done.returncode == 0, done.stderr
    rows = reader.read_table(tmp_path / "calls.parquet").to_pylist()
    assert [row["tokens"] for row in rows] == [7, None]
    assert (rows[1]["error_causes"], rows[1]["truncated"], rows[1]["elapsed_ms"]) == (
        ["KeyError"],
        True,
        500.0,
    )
    assert json.loads(rows[0]["arguments"]) == {"q": "=1+1"}


def test_parquet_without_a_library_says_what_to_do(write_log, command, tmp_path):
    """In one line, exit code 2."""
    write_log(*ROWS)
    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name in ('duckdb', 'pyarrow') else find(name, *a)\n"
        "from agent_tools.cli.main import main; main(sys.argv[1:])"
    )
    arguments = ["logs", "export", "--format", "parquet", "-o", str(tmp_path / "x.parquet")]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=command()["env"], capture_output=True, check=False
    )

    assert done.returncode == 2
    assert b"pip install 'agent-tools[sql]'" in done.stderr
    assert importlib.util.find_spec("orjson") is not None


@pytest.mark.parametrize("format_", ["jsonl", "csv", "otlp", "parquet"])
def test_a_file_is_for_its_owner_alone(write_log, run, tmp_path, format_):
    """Prompts stand in it."""
    if format_ == "parquet":
        pytest.importorskip("duckdb")
    write_log(*ROWS)

    result = run("export", "--format", format_, "-o", str(tmp_path / "calls.out"))

    assert "2 rows written" in result.stderr
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "calls.out").stat().st_mode) == 0o600


def test_a_file_holds_what_a_pipe_would(write_log, run, tmp_path):
    """Row by row."""
    write_log(*ROWS)

    run("export", "-o", str(tmp_path / "calls.jsonl"))

    assert (tmp_path / "calls.jsonl").read_text() == run("export").stdout


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        (["--format", "parquet"], 2, "-o FILE"),
        (["--format", "pytest"], 2, "--module"),
        (["--format", "xml"], 2, "xml"),
        (["-o", "no/such/folder/x"], 2, "cannot write"),
        (["--call", "nope"], 1, "no call nope"),
        (["--tool", "nope"], 1, "nothing matched"),
    ],
    ids=str,
)
def test_wrong_usage_and_nothing_to_write(write_log, run, options, code, text):
    """Each with its exit code and what is wrong."""
    write_log(*ROWS)

    result = run("export", *options)

    assert result.exit_code == code
    assert text in result.stderr


def test_no_control_character_is_exported_raw(write_log, run):
    """A terminal that shows JSON lines, CSV or a test file obeys nothing in it."""
    nasty = {
        "tool": "x\x1b[31m\x9b\u202e",
        "tool_kind": "query",
        "arguments": {"a": "\x1b[2J"},
        "arguments_bytes": 20,
    }
    write_log(nasty)

    for format_ in ("jsonl", "otlp", "csv"):
        shown = run("export", "--format", format_).stdout
        assert "\x1b" not in shown, format_
        assert "\x9b" not in shown, format_
