"""Write rows of the log in the formats of other programs.

In:   rows, read as they are asked for.
Out:  lines of text: JSON lines, OTLP/JSON; or a Parquet file.
Raises: ExportError: Parquet needs a library that is not installed.
Cost: JSON lines some 5 us a row with flat memory; OTLP some 30 us, one line of JSON a 1,000 spans.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.calllog.telemetry import ATTRIBUTES, OPERATION, SCOPE, STATUS_ATTRIBUTE
from agent_tools.calllog.traces import read_moment
from agent_tools.record import COLUMNS, Column

_BATCH_ROWS = 1_000
_INTERNAL_SPAN = 1
_ERROR_STATUS = 2
_OK_STATUS = 1
# content of a span only when asked for: it may be sent to somebody else
_CONTENT = ("arguments", "prompt", "result_summary")


class ExportError(Exception):
    """The rows can't be written in this format here; the message says what to do."""


def to_json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Yield one line of JSON for each row.

    Example:
        >>> list(to_json_lines([{"event": "answer"}]))
        ['{"event":"answer"}']
    """
    return (orjson.dumps(row).decode() for row in rows)


def to_otlp(rows: Iterable[Row], *, content: bool = False) -> Iterator[str]:
    """Yield OTLP/JSON for a collector's file receiver: a line is an export request of up to 1,000 spans.

    Args:
        rows: Rows; only calls become spans.
        content: With arguments, prompts, messages and tracebacks.

    Source: https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/
    """
    calls = (row for row in rows if row.get("event") == "tool_call")
    for batch in _in_batches(calls):
        groups = groupby(sorted(batch, key=_process_of), key=_process_of)
        request = {"resourceSpans": [_resource_spans(list(group), content) for _, group in groups]}
        yield orjson.dumps(request).decode()


def _process_of(row: Row) -> list[str]:
    return [str(row.get(name)) for name in ("host", "pid", "lib")]


def _in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH_ROWS:
            yield batch
            batch = []
    if batch:
        yield batch


def _resource_spans(rows: list[Row], content: bool) -> dict[str, Any]:
    first = rows[0]
    resource = {"service.name": SCOPE, "host.name": first.get("host"), "process.pid": first.get("pid")}
    scope = {"name": SCOPE, "version": get_text(first, "lib").rpartition("/")[2]}
    spans = [_to_span(row, content) for row in rows]
    return {
        "resource": {"attributes": _to_attributes(resource)},
        "scopeSpans": [{"scope": scope, "spans": spans}],
    }


def _to_span(row: Row, content: bool) -> dict[str, Any]:
    end = round(read_moment(get_text(row, "ts")) * 1e6)
    start = end - round((get_number(row, "elapsed_ms") or 0.0) * 1000)
    is_error = row.get("status") == "error"
    attributes = {"gen_ai.operation.name": OPERATION, STATUS_ATTRIBUTE: row.get("status")}
    attributes |= {otel: row.get(name) for name, otel in ATTRIBUTES.items()}
    attributes["error.type"] = row.get("error_code")
    if content:
        attributes |= {COLUMNS[name].otel: row.get(name) for name in _CONTENT}
    status: dict[str, Any] = {"code": _ERROR_STATUS if is_error else _OK_STATUS}
    if is_error and content:
        status["message"] = get_text(row, "error_message")
    span = {
        "traceId": get_text(row, "trace_id") or _digest(row, 16),
        "spanId": get_text(row, "span_id") or _digest(row, 8),
        "parentSpanId": get_text(row, "parent_span_id"),
        "name": f"{OPERATION} {get_text(row, 'tool')}",
        "kind": _INTERNAL_SPAN,
        "startTimeUnixNano": str(start * 1000),
        "endTimeUnixNano": str(end * 1000),
        "attributes": _to_attributes(attributes),
        "events": _to_events(row, end, content),
        "status": status,
    }
    return {name: value for name, value in span.items() if value not in ("", [])}


def _digest(row: Row, size: int) -> str:
    # rows of other writers may lack ids, and a span must have them
    return hashlib.blake2b(get_text(row, "call_id").encode(), digest_size=size).hexdigest()


def _to_events(row: Row, end: int, content: bool) -> list[dict[str, Any]]:
    if not row.get("error_class"):
        return []
    attributes = {"exception.type": row["error_class"]}
    if content:
        attributes |= {
            "exception.message": row.get("error_message"),
            "exception.stacktrace": row.get("traceback"),
        }
    return [{"name": "exception", "timeUnixNano": str(end * 1000), "attributes": _to_attributes(attributes)}]


def _to_attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _to_value(value)} for key, value in values.items() if value is not None]


def _to_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        # 64 bits are text in OTLP/JSON, as in all JSON of protocol buffers
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(_to_value, value))}}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}


# --- Parquet


def write_parquet(rows: Iterable[Row], path: Path) -> int:
    """Write rows into a Parquet file, with the columns of `agent_tools.record`.

    Returns: how many rows there are in it.

    Raises:
        ExportError: neither DuckDB nor pyarrow is installed.
    """
    writers = {"duckdb": _write_by_duckdb, "pyarrow": _write_by_pyarrow}
    for library, write in writers.items():
        if importlib.util.find_spec(library) is not None:
            with open(path, "wb", opener=open_private) as file:
                return write(rows, file)
    raise ExportError(
        "Parquet needs DuckDB or pyarrow: pip install 'agent-tools[sql]', or export jsonl or csv instead"
    )


def open_private(path: str, flags: int) -> int:
    """Open a file that only its owner may read: prompts and arguments are nobody else's business."""
    return os.open(path, flags, 0o600)


def _write_by_duckdb(rows: Iterable[Row], to: BinaryIO) -> int:
    from agent_tools.calllog.queries import connect, make_source

    with tempfile.TemporaryDirectory(prefix="agent_tools_export_") as folder:
        lines = Path(folder) / "rows.jsonl"
        with lines.open("wb") as file:
            n = 0
            for n, row in enumerate(rows, 1):  # noqa: B007 - the last number is the count
                file.write(orjson.dumps(row) + b"\n")
        with connect() as connection:
            packed = Path(folder) / "rows.parquet"
            name = str(packed).replace("'", "''")
            connection.execute(
                f"COPY ({make_source([lines])}) TO '{name}' (FORMAT parquet, COMPRESSION zstd)"
            )
        with packed.open("rb") as file:
            shutil.copyfileobj(file, to)
    return n


def _write_by_pyarrow(rows: Iterable[Row], to: BinaryIO) -> int:
    pyarrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    types = {
        "string": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "object": pyarrow.string(),
        "array": pyarrow.list_(pyarrow.string()),
    }
    schema = pyarrow.schema([(name, types[column.type]) for name, column in COLUMNS.items()])
    n = 0
    with parquet.ParquetWriter(to, schema, compression="zstd") as writer:
        for batch in _in_batches(rows):
            cells = [{name: _fit(row.get(name), column) for name, column in COLUMNS.items()} for row in batch]
            writer.write_table(pyarrow.Table.from_pylist(cells, schema))
            n += len(batch)
    return n


def _is_count(value: Any) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 63


# type of a column -> whether a value is of it; rows of other writers may hold anything
_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_count,
    "number": lambda value: isinstance(value, float) or _is_count(value),
    "boolean": lambda value: isinstance(value, bool),
    "object": lambda value: value is not None,
    "array": lambda value: isinstance(value, list),
}


def _fit(value: Any, column: Column) -> Any:
    """Return a value as its column takes it; None for what is of another type than ours."""
    if not _KINDS[column.type](value):
        return None
    if column.type == "object":
        return json.dumps(value, ensure_ascii=False)
    return list(map(str, value)) if column.type == "array" else value
