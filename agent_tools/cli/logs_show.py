"""`agent-tools logs show`: everything about one call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import click

from agent_tools.calllog.failures import name_exception
from agent_tools.calllog.lookup import Found, find_call
from agent_tools.calllog.reader import Row, get_number, get_text
from agent_tools.cli.logs import Source, source_options
from agent_tools.cli.output import Output
from agent_tools.cli.rows import show_count, show_ms, show_time, show_tokens


@click.command("show")
@source_options
@click.argument("call_id")
@click.option("--prompt", "only_prompt", is_flag=True, help="Print only the text that the model saw.")
def show(source: Source, call_id: str, only_prompt: bool) -> None:
    """Show one call: what was asked, what came out, what the model saw and what went wrong.

    Where a model used an id twice, the latest call is shown.
    """
    files = source.files()
    found = find_call(files, call_id, source.skipped, source.progress(files))
    if only_prompt and found.calls:
        _print_prompt(source.output, found.calls[-1])
    elif source.output.is_json:
        source.output.json_lines([*(found.calls[-1:] or found.starts[-1:]), *found.views])
    elif found:
        _print_call(source.output, found)
    if len(found.calls) > 1:
        source.output.note(f"{len(found.calls)} calls have the id {call_id}; this is the latest")
    source.finish(matched=bool(found))


def _print_prompt(output: Output, row: Row) -> None:
    prompt = row.get("prompt")
    if isinstance(prompt, str):
        output.text(prompt)
    else:
        output.note("the log does not hold the prompt text of this call")


def _print_call(output: Output, found: Found) -> None:
    row = (found.calls or found.starts)[-1]
    output.lines(_describe(row, is_finished=bool(found.calls)))
    output.lines((f"view {get_text(view, 'prompt_view')}", get_text(view, "prompt")) for view in found.views)


def _describe(row: Row, *, is_finished: bool) -> Iterator[tuple[str, str]]:
    if not is_finished:
        yield "status", "started and never finished, as far as the log goes"
    for name, to_text in _LINES.items():
        if text := to_text(row):
            yield name, text


def _joined(*columns: str) -> Callable[[Row], str]:
    return lambda row: "  ".join(filter(None, (_plain(row, column) for column in columns)))


def _plain(row: Row, column: str) -> str:
    value = row.get(column)
    if value is None or value in ([], {}):
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _labelled(**columns: str) -> Callable[[Row], str]:
    def to_text(row: Row) -> str:
        known = ((label, _plain(row, column)) for label, column in columns.items())
        return "  ".join(f"{label} {text}".strip() for label, text in known if text)

    return to_text


def _call(row: Row) -> str:
    by = {"model": "  id given by the model", "own": "  id of our own"}
    return get_text(row, "call_id") + by.get(get_text(row, "call_id_source"), "")


def _duration(row: Row) -> str:
    elapsed, waited = get_number(row, "elapsed_ms"), get_number(row, "wait_ms")
    attempts = show_count(get_number(row, "attempts"))
    parts = [f"{show_ms(elapsed)} ms" if elapsed is not None else ""]
    parts += [f"{show_ms(waited)} ms of it waiting" if waited else ""]
    parts += [f"{attempts} attempt{'' if attempts == '1' else 's'}" if attempts else ""]
    return ", ".join(filter(None, parts))


def _size(row: Row) -> str:
    tokens, full = show_tokens(row), show_count(get_number(row, "tokens_full"))
    budget = show_count(get_number(row, "max_tokens"))
    parts = [f"{tokens} tokens" if tokens else "", f"of about {full}" if full else ""]
    parts += [f"(budget {budget})" if budget else "", "truncated" if row.get("truncated") is True else ""]
    return " ".join(filter(None, parts))


def _tries(row: Row) -> str:
    codes = row.get("attempt_errors")
    return f"failed before: {', '.join(map(str, codes))}" if isinstance(codes, list) and codes else ""


def _hidden(row: Row) -> str:
    paths, n = row.get("redacted"), show_count(get_number(row, "redactions"))
    parts = [f"arguments {', '.join(map(str, paths))}"] if isinstance(paths, list) and paths else []
    return "; ".join([*parts, *([f"{n} values of the result"] if n else [])])


_LINES: dict[str, Callable[[Row], str]] = {
    "call": _call,
    "tool": _joined("tool", "tool_version", "tool_kind"),
    "status": _joined("status"),
    "time": show_time,
    "duration": _duration,
    "trace": _labelled(
        **{"": "trace_id", "name": "trace_name", "call no.": "seq", "inside": "parent_span_id"}
    ),
    "conversation": _labelled(**{"": "conversation_id", "turn": "turn"}),
    "who": _labelled(agent="agent", model="model", through="adapter"),
    "error": _joined("error_code", "sub_code", "error_origin"),
    "message": _joined("error_message"),
    "exception": name_exception,
    "tries": _tries,
    "what to do": _labelled(
        **{"retryable": "retryable", "": "recovery", "effect": "outcome", "wait s": "retry_after_s"}
    ),
    "arguments": _joined("arguments"),
    "hidden": _hidden,
    "repeat": _labelled(**{"identical call no.": "repeat_n"}),
    "result": _labelled(
        id="result_id", kind="result_kind", rows="result_rows", total="result_total", bytes="result_bytes"
    ),
    "summary": _joined("result_summary"),
    "size": _size,
    "application": _joined("app"),
    "process": _labelled(host="host", pid="pid", lib="lib"),
    "traceback": _joined("traceback"),
    "prompt": _joined("prompt"),
}
