"""`agent-tools logs sql`: the log asked in SQL."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from agent_tools.calllog.archive import list_archives
from agent_tools.calllog.day_files import FOLDER
from agent_tools.calllog.queries import Answer, QueryError, ask
from agent_tools.cli.logs import USAGE, Source, source_options
from agent_tools.cli.output import Output, escape

_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL")


class BadQuery(click.ClickException):
    """The query can't be answered."""

    exit_code = USAGE


@click.command("sql")
@source_options
@click.argument("query")
def sql(source: Source, query: str) -> None:
    """Answer one SELECT statement about the log; `-` reads it from the standard input.

    Views: calls (one row a call), answers, records (all rows). `DESCRIBE calls` lists the columns.

    \b
    agent-tools logs sql "select tool, count(*) n, quantile_cont(elapsed_ms, 0.95) p95
                          from calls group by tool order by n desc"

    Days that `compact` packed are read from Parquet. Needs DuckDB: pip install 'agent-tools[sql]'. A query
    reads the log and nothing else: no other file, no network, and it changes nothing.
    """
    text = sys.stdin.read() if query == "-" else query
    try:
        answer = ask(text, source.files(), list_archives(folder_of(source.place)))
        n = _print(source.output, answer)
    except QueryError as error:
        raise BadQuery(escape(str(error), keep_lines=True)) from error
    source.finish(matched=n > 0, filtered=False)


def folder_of(place: Path) -> Path:
    """Return the folder that holds the files of a log."""
    return place / FOLDER if (place / FOLDER).is_dir() else place


def _print(output: Output, answer: Answer) -> int:
    if output.is_json:
        return output.json_lines(dict(zip(answer.columns, row, strict=True)) for row in answer.rows)
    right = [
        name
        for name, type_ in zip(answer.columns, answer.types, strict=True)
        if any(number in type_ for number in _NUMBERS) and "[" not in type_
    ]
    return output.table(answer.columns, (list(map(_show, row)) for row in answer.rows), right=right)


def _show(value: Any) -> str:
    import orjson

    if value is None:
        return ""
    return value if isinstance(value, str) else orjson.dumps(value).decode()
