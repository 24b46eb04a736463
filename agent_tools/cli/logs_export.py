"""`agent-tools logs export`: the log in the formats of other programs."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from agent_tools.calllog.exports import ExportError, open_private, to_json_lines, to_otlp, write_parquet
from agent_tools.calllog.lookup import find_call
from agent_tools.calllog.pinned import to_tests
from agent_tools.calllog.reader import Row, get_text, read_records
from agent_tools.calllog.repeatable import why_not
from agent_tools.cli.filters import Filters, filter_options, make_filters
from agent_tools.cli.logs import USAGE, Source, source_options
from agent_tools.cli.logs_replay import NotReplayed, find_tool, import_module
from agent_tools.formats.csv_text import cell
from agent_tools.record import COLUMNS


def to_csv(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a header with all columns and one record for each row; objects and lists stand there as JSON.

    Example:
        >>> header, record = to_csv([{"event": "answer", "answer": "=1+1"}])
        >>> [cell for cell in record.split(",") if cell]
        ['answer', "'=1+1"]
    """
    yield ",".join(COLUMNS)
    for row in rows:
        yield ",".join(cell(row.get(name)) for name in COLUMNS)


_FORMATS: dict[str, Callable[[Iterable[Row]], Iterator[str]]] = {
    "jsonl": to_json_lines,
    "csv": to_csv,
    "otlp": to_otlp,
}


class NotExported(click.ClickException):
    """The rows can't be written."""

    exit_code = USAGE


@click.command("export")
@source_options
@filter_options
@click.option(
    "--format",
    "format_",
    type=click.Choice([*_FORMATS, "parquet", "pytest"]),
    default="jsonl",
    show_default=True,
)
@click.option(
    "-o", "--output", "to", type=click.Path(path_type=Path), help="A file; - is the standard output."
)
@click.option("--call", "call_ids", multiple=True, metavar="ID", help="Only this call; may be repeated.")
@click.option("--all", "every", is_flag=True, help="Starts, further views and answers, too.")
@click.option("--content", is_flag=True, help="otlp: with arguments, prompts, messages and tracebacks.")
@click.option("--module", metavar="PKG.MODULE", help="pytest: where the tools are.")
def export(
    source: Source,
    format_: str,
    to: Path | None,
    call_ids: tuple[str, ...],
    every: bool,
    content: bool,
    module: str | None,
    **given: Any,
) -> None:
    """Write the calls that match as jsonl, csv, parquet, otlp (OTLP/JSON spans) or pytest.

    pytest pins calls as regression tests: a test makes the call again and compares what comes out. Left out,
    with a note: actions, methods, and calls whose arguments were hidden or shortened.
    """
    filters = make_filters(given)
    rows = Counted(_rows(source, filters, call_ids, every=every))
    fit_text = functools.partial(source.output.fit, keep_lines=True)
    path = None if to is None or str(to) == "-" else to
    try:
        if format_ == "parquet":
            if path is None:
                raise click.UsageError("parquet is no text: say where to, with -o FILE")
            write_parquet(rows, path)
        elif format_ == "pytest":
            if module is None:
                raise click.UsageError("pytest needs --module: where the tools are")
            rows = Counted(_repeatable(source, rows, module))
            _write(to_tests(rows, module), path, "", fit_text)
        else:
            lines = to_otlp(rows, content=content) if format_ == "otlp" else _FORMATS[format_](rows)
            # RFC 4180 ends a record so
            end, fit = ("\r\n", fit_text) if format_ == "csv" else ("\n", source.output.fit_json)
            _write(lines, path, end, fit)
    except ExportError as error:
        raise NotExported(str(error)) from error
    except OSError as error:
        if path is None or isinstance(error, BrokenPipeError):
            raise
        raise NotExported(f"cannot write {path}: {error.strerror}") from error
    if path is not None:
        source.output.note(f"{rows.n} rows written to {path}")
    source.finish(matched=rows.n > 0, filtered=filters.is_set or bool(call_ids))


class Counted:
    """An iterable that counts what was drawn from it."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.n = 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.n += 1
            yield row


def _rows(source: Source, filters: Filters, call_ids: tuple[str, ...], *, every: bool) -> Iterator[Row]:
    if call_ids:
        for call_id in call_ids:
            source.skipped.forget()
            found = find_call(source.files(), call_id, source.skipped)
            if not found.calls:
                source.output.note(f"no call {call_id}")
            yield from filter(filters.keep, found.calls)
            yield from found.views if every else ()
    elif every:
        files = filters.pick_files(source.files())
        yield from read_records(
            files, keep=filters.keep, skipped=source.skipped, progress=source.progress(files)
        )
    else:
        yield from source.read_calls(filters)


def _repeatable(source: Source, rows: Iterable[Row], name: str) -> Iterator[Row]:
    with contextlib.redirect_stdout(sys.stderr):
        module = import_module(name)
    for row in rows:
        reason = "it was cancelled" if row.get("status") == "cancelled" else why_not(row)
        try:
            find_tool(module, get_text(row, "tool"))
        except NotReplayed as error:
            reason = reason or error.message
        if reason:
            source.output.note(f"{get_text(row, 'call_id')} is left out: {reason}")
        else:
            yield row


def _write(lines: Iterable[str], path: Path | None, end: str, fit: Callable[[str], str]) -> None:
    if path is None:
        for line in lines:
            sys.stdout.write(fit(line) + end)
        sys.stdout.flush()
        return
    with open(path, "w", encoding="utf-8", newline="", opener=open_private) as file:
        for line in lines:
            file.write(line + end)
