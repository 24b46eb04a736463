"""The rows that one call leaves in the log: its start, its end, further views, an interruption."""

from __future__ import annotations

import os
from typing import Any
from weakref import WeakSet

import orjson

from agent_tools.audiences import PLAN
from agent_tools.calllog import entries, sinks, telemetry
from agent_tools.calllog.app_context import read_app_context
from agent_tools.calllog.caps import VALUE_BYTES, cap_arguments
from agent_tools.content import Call, Content
from agent_tools.errors import ErrorCode
from agent_tools.plan import Plan
from agent_tools.stages.budget import Fitted
from agent_tools.stages.error_codes import format_traceback

# a tool that once took so long announces its next calls
SLOW_CALL_MS = 1000.0


def log_start(this: Call) -> None:
    entry = entries.base_entry("tool_start", this.trace, this.call_id, this.plan.name)
    entry["span_id"] = this.span_id
    entry["seq"] = this.seq
    _add_parents(this, entry)
    entry["tool_kind"] = this.plan.kind
    entry["pid"] = os.getpid()
    sinks.write(entry)


def log_end(this: Call, content: Content, fitted: Fitted) -> None:
    """Write the row of a call that ended, and end its span with what the row says."""
    plan, envelope, text = this.plan, fitted.envelope, fitted.text
    meta = envelope["meta"]
    entry = _log_entry(this, envelope["status"], meta["elapsed_ms"])
    entry["tokens_exact"] = fitted.tokens is not None
    entry["format"] = fitted.format
    if (
        content.is_small
        and len(meta) == len(entries.PLAIN_META)
        and plan.logs_content == "full"
        and len(text) <= entries.SURELY_WHOLE_CHARS
    ):
        # as most calls end: an object that is shown whole, with nothing to say of it
        entry["result_kind"] = "value"
        entry["result_bytes"] = len(orjson.dumps(content.data))
        entry["prompt_view"] = PLAN
        entry["prompt"] = text
    else:
        _add_end(this, entry, content, fitted)
    if fitted.tokens is not None:
        entry["tokens"] = fitted.tokens
    if plan.is_logged:
        sinks.write(entry)
    if this.telemetry is not None:
        telemetry.end(this.telemetry, entry)
    if entry["elapsed_ms"] > SLOW_CALL_MS:
        plan.announces = True


def _add_end(this: Call, entry: dict[str, Any], content: Content, fitted: Fitted) -> None:
    """Add what there is to say of an end that is not the usual one."""
    plan, error = this.plan, content.error
    envelope, text, cut, tokens, _ = fitted
    meta, private = envelope["meta"], plan.logs_arguments != "redacted"
    if error is not None:
        entries.add_error(
            entry,
            error,
            source=content.source,
            origin=content.origin,
            traceback=content.traceback,
            private=private,
            failure=content.failure,
        )
    if error is not None or "failed" in meta:
        entry["level"] = entries.level_of(entry["status"], True)
    # a summary has values of the data in it
    entries.add_result(entry, meta, envelope["data"], private or plan.logs_content == "none")
    if cut:
        entries.add_estimate(entry, content.data, meta.get("total"), len(text), tokens)
    else:
        entries.add_size(entry, content.data)
    if not private or error is None:
        entries.add_view(entry, PLAN, text, plan.logs_content)


def _log_entry(this: Call, status: str, elapsed_ms: float) -> dict[str, Any]:
    plan, trace, attempts = this.plan, this.trace, this.attempts
    entry = (plan.blank_row or _make_blank_row(plan)).copy()
    entry["ts"] = entries.now()
    entry["trace_id"] = trace.trace_id
    entry["call_id"] = this.call_id
    entry["status"] = status
    entry["elapsed_ms"] = elapsed_ms
    entry["attempts"] = attempts.n
    entry["span_id"] = this.span_id
    entry["seq"] = this.seq
    if this.parent_span is not None or this.telemetry is not None:
        _add_parents(this, entry)
    if this.from_model:
        entry["call_id_source"] = "model"
    if trace.is_explicit:
        entries.add_scope(entry, trace)
    if attempts.failed:
        entry["wait_ms"] = round(attempts.wait_ms, 3)
        entry["attempt_errors"] = [str(code) for code, _ in attempts.failed]
    if this.input_hash:
        entry["input_hash"] = this.input_hash
        entry["repeat_n"] = this.repeat_n
    if plan.logs_arguments == "redacted":
        shown, hidden = this.shown_arguments()
        if shown is this.arguments and 0 < this.input_bytes <= VALUE_BYTES:
            entry["arguments"], entry["arguments_bytes"] = shown, this.input_bytes
        else:
            _add_arguments(entry, shown, hidden)
    elif plan.logs_arguments == "shape":
        entries.add_shapes(entry, this.arguments)
    if app := read_app_context():
        entry["app"] = plan.redactor(entries.plain_app(app))
    return entry


def _finish(this: Call, entry: dict[str, Any]) -> None:
    if this.plan.is_logged:
        sinks.write(entry)
    if this.telemetry is not None:
        telemetry.end(this.telemetry, entry)


# plans with a blank row; it holds the number of the process, which a forked child has another of
_with_rows: WeakSet[Plan] = WeakSet()


def _make_blank_row(plan: Plan) -> dict[str, Any]:
    plan.blank_row = entries.blank_row(plan.name, plan.log_columns)
    _with_rows.add(plan)
    return plan.blank_row


def _forget_blank_rows() -> None:
    for plan in _with_rows:
        plan.blank_row = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_blank_rows)


def _add_arguments(entry: dict[str, Any], shown: dict[str, Any], hidden: list[str]) -> None:
    entry["arguments"], entry["arguments_bytes"], capped = cap_arguments(shown)
    if hidden:
        entry["redacted"] = hidden
    if capped:
        entry["log_capped"] = True


def _add_parents(this: Call, entry: dict[str, Any]) -> None:
    if this.parent_span is not None:
        entry["parent_span_id"] = this.parent_span
    if this.telemetry is not None:
        entry.update(this.telemetry.ids)


def log_view(this: Call, view: str, fitted: Fitted) -> None:
    entry = entries.base_entry("tool_view", this.trace, this.call_id, this.plan.name)
    entry["span_id"] = this.span_id
    if this.telemetry is not None:
        entry["trace_id"] = this.telemetry.ids["trace_id"]
    entries.add_view(entry, view, fitted.text, this.plan.logs_content)
    entry["tokens_exact"] = fitted.tokens is not None
    if fitted.tokens is not None:
        entry["tokens"] = fitted.tokens
    sinks.write(entry)


def log_interruption(this: Call, error: BaseException) -> None:
    """Write the row of a call that was ended from outside: a cancellation, Ctrl-C, a control-flow signal."""
    if this.is_ended or not (this.plan.is_logged or this.telemetry is not None):
        return
    this.is_ended = True
    entry = _log_entry(this, "cancelled", this.elapsed_ms())
    entry["level"] = entries.level_of("cancelled", True)
    entry["error_code"] = str(ErrorCode.CANCELLED)
    entry["error_class"] = entries.name_of_type(type(error))
    if this.plan.settings.log_arguments == "redacted":
        entry["traceback"] = format_traceback(error, this.plan.redactor.text)
    _finish(this, entry)
