"""`agent-tools redact`: what a redactor would hide in a file, and why."""

from __future__ import annotations

import gzip
import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agent_tools.cli.output import Output

if TYPE_CHECKING:
    from agent_tools.stages.redaction_explain import Finding


@click.command("redact")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path, allow_dash=True))
@click.option(
    "--rules",
    default="",
    metavar="NAMES",
    help="As redact=[...] takes them, comma-separated: 'all', 'email,-phone', 'customer_ref'.",
)
@click.option(
    "--import",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="Import a module first that adds rules of your own. May be given again.",
)
@click.option("--json/--table", "as_json", default=None, help="JSON lines (in a pipe) or a table.")
def redact(file: Path, rules: str, modules: tuple[str, ...], as_json: bool | None) -> None:
    """Say what would be hidden in FILE (- for stdin): where, by which rule, why, and what is shown instead.

    FILE is JSON, JSON lines or text, gzipped or not; it is not changed, and nothing secret is printed. A name
    in --rules that is no rule is a key whose values are hidden.
    """
    from agent_tools.errors import ToolError
    from agent_tools.stages.redaction import make_redactor
    from agent_tools.stages.redaction_explain import explain

    output = Output(as_json)
    try:
        if modules and "" not in sys.path:
            sys.path.insert(0, "")  # modules of the folder where the command runs, as `python -m` has them
        for module in modules:
            importlib.import_module(module)
        redactor = make_redactor([name for name in rules.split(",") if name.strip()] or True)
        records = _records(_read(file))
        found = [(number, finding) for number, value in records for finding in explain(redactor, value)]
    except (ToolError, ImportError, OSError, ValueError) as error:
        raise Unreadable(str(error)) from error
    _print(output, found)
    output.note(f"{len(found)} to hide" if found else "nothing to hide")


class Unreadable(click.ClickException):
    """The file can't be read, or a rule is not known."""

    exit_code = 2


def _read(file: Path) -> str:
    raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return raw.decode("utf-8-sig", "replace")


def _records(text: str) -> Iterator[tuple[int | None, Any]]:
    """Yield the values of a file: one of JSON, one per line of JSON lines with its number, or the text."""
    whole = _parsed(text)
    if whole is not None:
        yield None, whole
        return
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    values = [(number, _parsed(line)) for number, line in lines] if text.lstrip()[:1] in ("{", "[") else []
    if values and all(isinstance(value, (dict, list)) for _, value in values):
        yield from values
    else:
        yield None, text


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _print(output: Output, found: list[tuple[int | None, Finding]]) -> None:
    if output.is_json:
        rows = (_row(number, finding) for number, finding in found)
        output.json_lines({key: value for key, value in row.items() if value is not None} for row in rows)
        return
    output.table(
        ("WHERE", "RULE", "WHY", "SHOWN"),
        ([_where(number, finding), finding.rule, finding.why, finding.shown] for number, finding in found),
        rest="SHOWN",
        least={"WHERE": 16, "WHY": 16},
    )


def _row(number: int | None, finding: Finding) -> dict[str, Any]:
    return {"record": number, **asdict(finding)}


def _where(number: int | None, finding: Finding) -> str:
    record = "" if number is None else f"{number}: "
    line = "" if finding.line is None else f" line {finding.line}"
    return f"{record}{finding.path}{line}"
