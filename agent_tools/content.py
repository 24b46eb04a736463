"""The state of one call, and what it comes back with before a view of it is drawn.

In:   what the function returned or raised.
Out:  `Content`: status, plain redacted data, meta, error.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import Token
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from agent_tools.audiences import add_marks
from agent_tools.batch import Batch
from agent_tools.calllog import telemetry
from agent_tools.calllog.telemetry import CallSpan
from agent_tools.context import (
    OPENTELEMETRY,
    Trace,
    current_span,
    current_trace,
    new_call_id,
    new_span_id,
)
from agent_tools.converters import find_failure_reader, may_be_hits
from agent_tools.errors import ErrorCode, InvalidArgument, ToolError, decide_retry
from agent_tools.native import PLAIN_TYPES, Drained, Native
from agent_tools.plan import HIDDEN, Budget, Plan
from agent_tools.result import ErrorInfo, Status, ToolResult
from agent_tools.run import Attempts
from agent_tools.secret_marks import hide_places, secret_fields
from agent_tools.spilling import Spill
from agent_tools.stages.clean import Cleaned
from agent_tools.stages.error_codes import CHECK_FIRST, UNKNOWN_HINTS, format_traceback, is_control_flow
from agent_tools.stages.error_statuses import row_of_status
from agent_tools.stages.error_texts import MAX_MESSAGE, clip, without_inputs
from agent_tools.stages.outcome import Reported
from agent_tools.stages.plain_arguments import describe_arguments
from agent_tools.stages.plain_look import texts_of_record
from agent_tools.stages.plain_notes import path_text
from agent_tools.stages.redaction_call import SECRETS_OF_CALL, all_forms, is_telling
from agent_tools.stages.reported_codes import http_status
from agent_tools.stages.views import TypeMarks

Shared = TypeVar("Shared")


class Call:
    """One call under way: its ids, its arguments and its clock."""

    # how a call begins; most end so, and an assignment less is time less
    arguments: Mapping[str, Any] = MappingProxyType({})
    from_model = False
    input_hash = ""
    input_bytes = 0
    is_ended = False
    repeat_n = 0
    secrets: tuple[str, ...] = ()
    seq = 0
    telemetry: CallSpan | None = None
    _outer_secrets: tuple[str, ...] = ()
    _shown: tuple[dict[str, Any], list[str]] | None = None

    def __init__(self, plan: Plan, call_id: str | None) -> None:
        self.plan = plan
        self.trace: Trace = current_trace()
        if call_id:
            self.from_model = True
            self.span_id = new_span_id()
        else:
            call_id = new_call_id()
            # an own id ends in 22 hex digits, of which the last 16 are as good as new ones
            self.span_id = call_id[-16:]
        self.call_id = call_id
        self.parent_span = current_span.get()
        self.attempts = Attempts()
        self.started = time.perf_counter()

    def enter(self) -> Token[str | None]:
        """Make this the call that others are made in, until `leave`; starts its span at the first time."""
        if not self.seq:
            # here, not when it is made: a result that is only measured is no call
            self.seq = self.trace.next_seq()
        if OPENTELEMETRY in sys.modules:
            self._enter_span()
        if self.secrets:
            SECRETS_OF_CALL.set(self.secrets)
        return current_span.set(self.span_id)

    def _enter_span(self) -> None:
        if self.telemetry is None:
            self.telemetry = telemetry.begin(self.plan.name, self.call_id, self.trace)
        if self.telemetry is not None:
            self.span_id = self.telemetry.span_id or self.span_id
            self.parent_span = self.telemetry.ids.get("parent_span_id", self.parent_span)
            self.telemetry.attach()

    def leave(self, token: Token[str | None]) -> None:
        """Undo `enter`."""
        if self.secrets:
            SECRETS_OF_CALL.set(self._outer_secrets)
        current_span.reset(token)
        if self.telemetry is not None:
            self.telemetry.detach()

    def hide_arguments(self) -> None:
        """Hide from here on what the arguments say is secret, wherever the tool repeats it."""
        if own := secrets_in(self.plan, self.arguments):
            # of the calls that this one is made in, too
            self._outer_secrets = SECRETS_OF_CALL.get()
            self.secrets = (*own, *self._outer_secrets)
            SECRETS_OF_CALL.set(self.secrets)

    def elapsed_ms(self) -> float:
        """Return how long the call has taken so far, to the microsecond."""
        return int((time.perf_counter() - self.started) * 1e6) / 1000

    def shown_arguments(self) -> tuple[dict[str, Any], list[str]]:
        """Return the arguments as they may be shown, and the paths that were hidden."""
        if self._shown is None:
            plan, arguments = self.plan, self.arguments
            if not plan.secret_places and type(arguments) is dict and plan.redactor.is_harmless(arguments):
                self._shown = arguments, []
            else:
                self._shown = _show_arguments(plan, arguments)
        return self._shown

    def asked(self) -> dict[str, Any]:
        """Return what the caller asked for: the shown arguments that are not defaults."""
        shown, _ = self.shown_arguments()
        missing = object()
        defaults = self.plan.defaults
        return {n: v for n, v in shown.items() if self.arguments.get(n) is not defaults.get(n, missing)}


# kinds of keys whose values are secret on their own
TELLING_KINDS = frozenset(
    {"password", "pass", "phrase", "secret", "token", "internal", "extra", "holder", "header"}
)


def secrets_in(plan: Plan, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the forms of the texts that are secret by their type, their mark or their name."""
    found: set[str] = set()
    if plan.secret_places:
        places: list[tuple[str | int, ...]] = []
        hide_places(dict(arguments), plan.secret_places, None, places)
        found.update(text for place in places for text in _texts_at(arguments, place))
    for value in arguments.values():
        if type(value) not in PLAIN_TYPES:
            kind: type = type(value)
            fields = (getattr(value, name, None) for name in secret_fields(kind))
            found.update(text for field in fields for text in _texts_in(field))
    found = {text for text in found if is_telling(text, marked=True)}
    if plan.has_secret_parameters or any(type(value) is dict for value in arguments.values()):
        try:
            hidden = plan.redactor.trace(describe_arguments(arguments))
        except Exception:  # noqa: BLE001 - arguments that can't be redacted are not shown either
            hidden = []
        named = (part.old for part in hidden if part.kind in TELLING_KINDS and isinstance(part.old, str))
        # of `Bearer abc` a tool may repeat the last word alone
        words = {word for text in named for word in (text, text.split()[-1] if text.strip() else "")}
        found |= {word for word in words if is_telling(word, marked=False)}
    return all_forms(found) if found else ()


def _texts_at(value: Any, place: tuple[str | int, ...]) -> Iterator[str]:
    for step in place:
        value = value[step]
    return _texts_in(value)


def _texts_in(value: Any) -> Iterator[str]:
    reveal = getattr(value, "get_secret_value", None)
    if reveal is not None:
        value = reveal()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for item in value.values() for text in _texts_in(item))
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from (text for item in value for text in _texts_in(item))


def _show_arguments(plan: Plan, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    texts = None if plan.secret_places else texts_of_record(arguments)
    if texts is not None and plan.redactor.passes(arguments, texts):
        return dict(arguments), []
    marked: list[tuple[str | int, ...]] = []
    try:
        # one walk for all of them, since what a name hides may depend on its neighbours
        described = describe_arguments(arguments)
        if plan.secret_places:
            described = hide_places(described, plan.secret_places, HIDDEN, marked)
        shown, hidden = plan.redactor.report(described)
        if plan.redactor.calls_functions:
            # a rule of the tool's own may return anything
            shown = describe_arguments(shown) if isinstance(shown, dict) else None
    except ToolError:
        shown, hidden = None, []
    if not isinstance(shown, dict):
        return dict.fromkeys(arguments, "(could not be redacted)"), list(arguments)
    if marked:
        hidden = list(dict.fromkeys([*map(path_text, marked), *hidden]))
    return shown, hidden


class Content:
    """What a call comes back with, before a view of it is drawn.

    Attributes:
        status, data, meta, error: What the envelope is made of.
        marks: Fields whose type says who may see them.
        source, origin, traceback, failure: What the log is told of a failure.
        budget: A budget of the result's own.
        noun: What its total counts, where the data does not tell.
        read_for: What another audience gets of it is not a part of the data, but read for that audience.
        spill: Where the rows of a long stream went; `data` holds a few of them.
        is_small: The data is known to be a flat object of a few short values.
    """

    # as most calls end; the rest is set where it is known
    error: ErrorInfo | None = None
    marks: TypeMarks = MappingProxyType({})
    source: str | None = None
    origin = "business"
    traceback: str | None = None
    failure: BaseException | None = None
    budget: Budget | None = None
    noun: str | None = None
    read_for: Callable[[str], ToolResult[Any]] | None = None
    spill: Spill | None = None
    is_small = False

    def __init__(self, status: str, data: Any = None, meta: dict[str, Any] | None = None) -> None:
        self.status = status
        self.data = data
        self.meta: dict[str, Any] = {} if meta is None else meta


def content_without_value(failed: Content) -> Content:
    assert failed.error is not None
    warning = f"The action was carried out, but what it returned can't be shown: {failed.error.message}"
    content = Content(Status.SUCCESS, None, {"warnings": [warning]})
    content.source, content.traceback = failed.source, failed.traceback
    return content


def content_of_value(this: Call, value: Any) -> Content:
    plan = this.plan
    if type(value) in PLAIN_TYPES:
        return _content_of_hits(this, value, {}) if may_be_hits(value) else _content_of_data(plan, value, {})
    if isinstance(value, ToolResult):
        return content_of_result(this, value)
    if isinstance(value, Batch):
        return _content_of_batch(this, value)
    meta: dict[str, Any] = {}
    broken: Exception | None = None
    split = 0
    if type(value) is Native:
        if value.error is not None:
            raise value.error
        meta = _clean_meta(plan, value.meta)
        value = value.data
    if type(value) is Drained:
        if isinstance(value.spill, Spill):
            return _content_of_spill(this, value, value.spill, meta)
        value, more, broken = _read_drained(value)
        meta |= more
        pieces = plan.redactor.stream()
        value, split = pieces.take(value, is_last=True), pieces.hidden
    if may_be_hits(value):
        content = _content_of_hits(this, value, meta)
    else:
        content = _content_of_data(plan, value, meta)
    if split:
        content.meta["redactions"] = content.meta.get("redactions", 0) + split
    if broken is not None:
        _break_off(plan, content, broken)
    elif meta.get("truncated") and content.status == Status.SUCCESS:
        content.status = Status.PARTIAL
    return content


def _content_of_hits(this: Call, value: Any, meta: dict[str, Any]) -> Content:
    """Judge what may be the hits of a search; other data is judged as it is."""
    from agent_tools.converters.retrieval import read_hits

    hits = read_hits(value, this.shown_arguments()[0])
    if hits is None:
        return _content_of_data(this.plan, value, meta)
    content = _content_of_data(this.plan, hits.value, {**meta, **_clean_meta(this.plan, hits.meta)})
    if content.meta.get("truncated") and content.status == Status.SUCCESS:
        content.status = Status.PARTIAL
    return content


def _content_of_data(plan: Plan, value: Any, meta: dict[str, Any]) -> Content:
    """Judge data and clean it; `meta` is what a converter knows of it."""
    status, value, reported, known = plan.outcome(value)
    cleaned = plan.clean(value)
    content = Content(status, plan.label(cleaned.data), meta)
    content.is_small = cleaned.is_small
    if cleaned.marks or plan.marks:
        content.marks = _merge_marks(plan.marks, cleaned.marks)
    if known:
        meta.update(plan.clean(known).data)  # type: ignore[arg-type]  # an object stays one
    if cleaned.lossy or cleaned.cut or cleaned.redacted:
        _note_cleaning(meta, cleaned)
    if reported is not None:
        content.error = _reported_error(plan, reported)
    return content


def _clean_meta(plan: Plan, meta: Mapping[str, Any]) -> dict[str, Any]:
    return plan.clean(dict(meta)).data if meta else {}  # type: ignore[return-value]  # an object stays one


def _content_of_spill(this: Call, taken: Drained, spill: Spill, meta: dict[str, Any]) -> Content:
    """Read a stream that was too long to hold: a few rows of it, and what there is to say of all."""
    plan, notes = this.plan, spill.notes
    rows = spill.rows()
    meta["total"] = rows.total if taken.is_complete else None
    _note_cleaning(meta, Cleaned(None, notes.lossy, notes.cut, [], {}))
    if notes.redactions:
        meta["redactions"] = notes.redactions
    content = Content(Status.SUCCESS, rows, meta)
    content.marks, content.spill = _merge_marks(plan.marks, notes.marks), spill
    if taken.error is not None:
        _break_off(plan, content, taken.error)
    return content


def _break_off(plan: Plan, content: Content, error: Exception) -> None:
    failure = plan.classify(error)
    # there are rows, and the summary says that there may be more
    hint = None if failure.error.hint in UNKNOWN_HINTS.values() else failure.error.hint
    content.status, content.error = Status.PARTIAL, replace(failure.error, hint=hint)
    content.source, content.origin = failure.source, failure.origin
    content.traceback = format_traceback(error, plan.redactor.text) if plan.is_logged else None


def _read_drained(taken: Drained) -> tuple[list[Any], dict[str, Any], Exception | None]:
    if taken.is_complete:
        return taken.rows, {}, None
    meta: dict[str, Any] = {"total": None, "truncated": True}
    if taken.error is None:
        meta["warnings"] = [f"Reading stopped after {len(taken.rows)} rows; there are more."]
    return taken.rows, meta, taken.error


def _content_of_batch(this: Call, batch: Batch[Any]) -> Content:
    """Read a batch: a success, partial or an error by how many of its items failed."""
    plan = this.plan
    for failed in batch.failures:
        if is_control_flow(failed.error):
            raise failed.error
    infos = [plan.classify(failed.error).error for failed in batch.failures]
    keys = plan.clean([failed.key for failed in batch.failures]).data
    assert isinstance(keys, list)
    cleaned = plan.clean(batch.values)
    meta: dict[str, Any] = {"total": batch.total}
    _note_cleaning(meta, cleaned)
    content = Content(Status.SUCCESS if batch.total else Status.EMPTY, plan.label(cleaned.data), meta)
    content.marks = _merge_marks(plan.marks, cleaned.marks)
    if not batch.failures:
        meta["total"] = max(len(batch.values), batch.total)  # one item may give several values
        return content
    meta["succeeded"] = batch.total - len(batch.failures)
    meta["failed"] = [
        {
            "index": failed.index,
            "key": key,
            "code": str(info.code),
            "message": info.message,
            "retryable": info.retryable,
        }
        for failed, key, info in zip(batch.failures, keys, infos, strict=True)
    ]
    if len(infos) < batch.total:
        content.status = Status.PARTIAL
        return content
    content = Content(Status.ERROR, None, meta)
    content.error = _error_of_all(infos, f"all {batch.total} items failed: {infos[0].message}")
    content.failure = batch.failures[0].error
    return content


def _error_of_all(infos: list[ErrorInfo], message: str) -> ErrorInfo:
    """Return one error for items that all failed: what they have in common, and else what is safe for all."""
    # to try again does not help those that say otherwise; an effect that may have happened comes first
    recoveries = {info.recovery for info in infos if not info.retryable} or {"retry"}
    recovery = "check_first" if "check_first" in recoveries else _shared(recoveries, "report")
    waits = [info.retry_after_s for info in infos if info.retry_after_s is not None]
    return ErrorInfo(
        _shared((str(info.code) for info in infos), ErrorCode.UNKNOWN),
        clip(message),
        all(info.retryable for info in infos),
        recovery,
        max(waits, default=None),
        _shared((info.outcome for info in infos), "unknown"),
        _shared((info.sub_code for info in infos), None),
        _shared((info.hint for info in infos), None),
    )


def _shared(values: Iterable[Shared], otherwise: Shared) -> Shared:
    """Return the value that all of some are, else another."""
    found = set(values)
    return found.pop() if len(found) == 1 else otherwise


def content_of_result(this: Call, result: ToolResult[Any]) -> Content:
    """Read a ToolResult that the function made itself, or that another tool gave it."""
    plan = this.plan
    meta = plan.clean(dict(result.meta)).data
    assert isinstance(meta, dict)
    if "call_id" in meta:
        meta["inner_call_id"] = meta["call_id"]
    for key in ("summary", "call_id", "elapsed_ms", "returned", "format_version", "attempts", "redactions"):
        if key not in ("summary", "returned") or result._draw_view is not None:
            meta.pop(key, None)
    cleaned = Cleaned(result.data, [], [], [], {}) if result._is_clean else plan.clean(result.data)
    _note_cleaning(meta, cleaned)
    content = Content(result.status, plan.label(cleaned.data), meta)
    content.marks = _merge_marks(plan.marks, cleaned.marks)
    content.budget, content.noun, content.read_for = result._budget, result._noun, result._read_for
    if result.error is not None:
        error = result.error
        content.error = ErrorInfo(
            error.code,
            clip(plan.redactor.text(error.message)),
            error.retryable,
            error.recovery,
            error.retry_after_s,
            error.outcome,
            error.sub_code,
            None if error.hint is None else clip(plan.redactor.text(error.hint)),
        )
        content.failure = ToolError(error.message, code=error.code)
    return content


def _note_cleaning(meta: dict[str, Any], cleaned: Cleaned) -> None:
    if cleaned.lossy:
        meta["lossy"] = cleaned.lossy
    if cleaned.cut:
        meta["cut"] = [*meta.get("cut", []), *cleaned.cut]
    if cleaned.redacted:
        meta["redactions"] = len(cleaned.redacted)


def _merge_marks(first: TypeMarks, second: TypeMarks) -> TypeMarks:
    if not second or not first:
        return second or first
    merged: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for known in (first, second):
        for path, marks in known.items():
            # where both know a field, only who may see it by both does
            add_marks(merged, path, {name: frozenset(readers) for name, readers in marks.items()})
    return merged


def _reported_error(plan: Plan, reported: Reported) -> ErrorInfo:
    # an HTTP status says whether the request was carried out, whoever tells of it
    status = http_status(reported.sub_code)
    row = row_of_status(status) if status is not None else None
    outcome = row.outcome if row is not None else None
    retryable, recovery = decide_retry(
        reported.code,
        transient=reported.transient,
        idempotent=plan.idempotent,
        effects=plan.settings.effects,
        outcome=outcome,
    )
    if row is not None and row.recovery is not None and not retryable:
        recovery = row.recovery
    return ErrorInfo(
        reported.code,
        clip(plan.redactor.text(without_inputs(reported.message)))
        or "the tool reported a failure without a message",
        retryable,
        recovery,
        reported.retry_after_s,
        outcome=None if plan.kind != "action" else "unknown" if recovery == "check_first" else outcome,
        # it comes from the data, too
        sub_code=None if reported.sub_code is None else plan.redactor.text(reported.sub_code)[:100],
        hint=CHECK_FIRST if recovery == "check_first" else UNKNOWN_HINTS.get(plan.kind),
    )


def _clip_lines(text: str) -> str:
    """Keep the first lines that fit, and say how many more there are."""
    if len(text) <= MAX_MESSAGE:
        return text
    lines = text.split("\n")
    for kept in range(len(lines) - 1, 0, -1):
        shown = "\n".join([*lines[:kept], f"and {len(lines) - kept} more"])
        if len(shown) <= MAX_MESSAGE:
            return shown
    return text[: MAX_MESSAGE - 1].rstrip() + "…"


def content_of_failure(this: Call, error: Exception) -> Content:
    plan = this.plan
    failure = plan.classify(error)
    is_argument = this.attempts.n == 0 and isinstance(error, InvalidArgument)
    info = failure.error
    if is_argument:
        # a line per problem, as the stage wrote them
        info = replace(info, message=_clip_lines(plan.redactor.text(str(error))))
    data, known = _read_failure(error, failure.data)
    try:
        meta = _clean_meta(plan, known)
    except ToolError:
        meta = {"warnings": ["What else is known of the failure can't be shown."]}
    if data is not None:
        try:
            cleaned = plan.clean(data)
        except ToolError:
            data = None
            meta["warnings"] = ["The failure's data can't be shown."]
        else:
            data = cleaned.data
            _note_cleaning(meta, cleaned)
    content = Content(Status.ERROR, data, meta)
    content.error, content.failure = info, error
    content.source, content.origin = failure.source, "argument" if is_argument else failure.origin
    content.traceback = format_traceback(error, plan.redactor.text) if plan.is_logged else None
    return content


def _read_failure(error: Exception, data: object) -> tuple[object, Mapping[str, Any]]:
    """Return the data and the meta of a failure: a ToolError's own, or those of the native result in it."""
    if isinstance(error, ToolError):
        known = getattr(error, "meta", None)  # a subclass may have skipped ToolError.__init__
        return data, known if isinstance(known, Mapping) else {}
    kind: type = type(error)
    try:
        read = find_failure_reader(kind)
        if read is None:
            return data, {}
        described = read(error)
    except Exception:  # noqa: BLE001 - a native result that can't be read must not hide the failure
        return data, {}
    return described.value if data is None else data, described.meta
