"""A tool's stages, made once per generation of the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from agent_tools import settings as process_settings
from agent_tools.audiences import marks_from_annotation
from agent_tools.calllog.entries import name_of_type
from agent_tools.errors import ErrorCode
from agent_tools.formats import get_renderer
from agent_tools.native import Read, make_read
from agent_tools.run import Run, RunAsync, Verdict, make_run, make_run_async
from agent_tools.secret_marks import Places, hide_places, secret_places
from agent_tools.settings import Settings, add_check
from agent_tools.signatures import IDEMPOTENT_KINDS, Signature, guess_kind
from agent_tools.spilling import SpillPlan
from agent_tools.stages.arguments import Bind, Parse, make_bind, make_parse
from agent_tools.stages.budget import Draft, Fitted, make_fit
from agent_tools.stages.clean import Cleaned, make_clean
from agent_tools.stages.error_codes import Failure, is_control_flow, make_error_codes
from agent_tools.stages.outcome import Outcome, make_outcome
from agent_tools.stages.views import Project, Rule, TypeMarks, make_label, make_project, make_rules
from agent_tools.stores import check_url
from agent_tools.tokens import check_encoding, make_counter

if TYPE_CHECKING:
    from agent_tools.stages.redaction import Redactor

# a call of such a tool leaves a row when it starts, so that "started, never finished" survives a kill
SLOW_TIMEOUT_S = 5.0

MIN_STREAM_ROWS = 1_000
MIN_FIRST_ROWS = 200
# stands for the value of a parameter whose type says that it is secret
HIDDEN = "***"

Fit = Callable[[Draft], Fitted]
# a ceiling in tokens and an encoding; None takes the tool's own
Budget = tuple[int | None, str | Callable[[str], int] | None]


def count_bytes(text: str) -> int:
    """Count more tokens than any tokenizer of bytes would."""
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(slots=True, weakref_slot=True, eq=False)
class Plan:
    """A tool's stages, made for one generation of the settings."""

    generation: int
    name: str
    kind: str
    idempotent: bool
    settings: Settings
    signature: Signature
    bind: Bind
    bind_bound: Bind
    parse: Parse
    redactor: Redactor
    read: Read
    run: Run
    run_async: RunAsync
    outcome: Callable[[object], Outcome]
    classify: Callable[[BaseException], Failure]
    clean: Callable[[object], Cleaned]
    label: Callable[[Any], Any]
    project: Project
    rules: list[Rule]
    fit: Fit
    fit_within: Callable[[Budget], Fit]
    marks: TypeMarks
    defaults: Mapping[str, Any]
    secret_places: Places
    has_secret_parameters: bool
    store_url: str | None
    is_logged: bool
    # what of the content and of the arguments is logged: the settings, `none` without a log
    logs_content: str
    logs_arguments: str
    announces: bool
    # the columns of the log that are the same for all calls of the tool
    log_columns: dict[str, Any]
    # the row that they are in, made at the first call of a process
    blank_row: dict[str, Any] | None = None


def compile_plan(signature: Signature, given: Mapping[str, Any]) -> Plan:
    """Make the stages of a tool for the settings in force."""
    generation = process_settings.generation
    settings = process_settings.current(given)
    name = settings.name or signature.name
    kind, idempotent = _kind_of(settings, name)
    redactor = _make_redactor(settings.redact, secrets=settings.secrets)
    classify = make_error_codes(
        settings.errors,
        kind=kind,
        idempotent=idempotent,
        effects=settings.effects,
        module=signature.module,
        redact_text=redactor.text,
    )
    judge = _make_judge(classify, idempotent=idempotent)

    places = signature.secret_places()

    def is_hidden(steps: Sequence[Any], value: Any) -> bool:
        """Say whether an argument at this place may not be quoted."""
        named = {str(step): value for step in steps}
        at_place: Any = value
        for step in reversed(steps):
            at_place = {str(step): at_place} if isinstance(step, str) else [at_place]
        marked: list[Any] = []
        hide_places(at_place, places, HIDDEN, marked)
        return bool(marked) or redactor(named) != named

    parameters = signature.parameters
    returned = secret_places(signature.hints.get("return"))
    clean = make_clean(redactor, max_rows=settings.max_rows, secrets=returned)
    label = make_label(settings.labels)
    read = make_read(
        max_rows=settings.max_rows,
        is_action=kind == "action",
        spilling=_make_spilling(settings, clean, label, redactor),
    )
    fit_within = _make_fits(settings, name, kind)
    rules = make_rules(settings.audience, settings.labels)
    return Plan(
        generation=generation,
        name=name,
        kind=kind,
        idempotent=idempotent,
        settings=settings,
        signature=signature,
        bind=make_bind(parameters, receives_self=signature.receives_self),
        bind_bound=make_bind(parameters[1:]) if signature.receives_self else make_bind(parameters),
        parse=make_parse(signature, is_hidden),
        redactor=redactor,
        read=read,
        run=make_run(retries=settings.retries, timeout_s=settings.timeout_s, judge=judge, read=read),
        run_async=make_run_async(
            retries=settings.retries,
            timeout_s=settings.timeout_s,
            in_thread=settings.run_in_thread,
            judge=judge,
            read=read,
        ),
        outcome=make_outcome(kind=kind, empty=settings.empty, error_as_data=settings.error_as_data),
        classify=classify,
        clean=clean,
        label=label,
        project=make_project(rules),
        rules=rules,
        fit=fit_within((None, None)),
        fit_within=fit_within,
        marks=marks_from_annotation(signature.hints.get("return")),
        defaults={p.name: p.default for p in parameters if p.default is not p.empty},
        secret_places=places,
        has_secret_parameters=bool(places)
        or any(redactor.kind_of(p.name) not in (None, "plain") for p in parameters),
        store_url=_store_url(settings.store),
        is_logged=settings.log is not False,
        logs_content=settings.log or "none",
        logs_arguments=settings.log_arguments if settings.log else "none",
        announces=kind == "action" or (settings.timeout_s or 0.0) > SLOW_TIMEOUT_S,
        log_columns=_log_columns(settings, kind),
    )


def _make_fits(settings: Settings, name: str, kind: str) -> Callable[[Budget], Fit]:
    """Make the look-up of the stage that fits a result, for the tool's budget or a smaller one."""

    @lru_cache(maxsize=32)
    def fit_within(budget: Budget) -> Fit:
        ceilings = [tokens for tokens in (settings.max_tokens, budget[0]) if tokens is not None]
        return make_fit(
            max_tokens=min(ceilings, default=None),
            counter=make_counter(budget[1] or settings.encoding, settings.token_margin),
            format=settings.format,
            get_renderer=get_renderer,
            tool=name,
            kind=kind,
            summary=settings.summary,
            important=settings.important,
            fields=settings.fields,
        )

    return fit_within


def _log_columns(settings: Settings, kind: str) -> dict[str, Any]:
    encoding = settings.encoding
    columns: dict[str, Any] = {
        "tool_kind": kind,
        "side_effect": kind == "action",
        "max_tokens": settings.max_tokens,
        "encoding": encoding if isinstance(encoding, str) else name_of_type(type(encoding)),
    }
    return columns if settings.version is None else {**columns, "tool_version": settings.version}


def _kind_of(settings: Settings, name: str) -> tuple[str, bool]:
    kind, idempotent = guess_kind(name)
    if settings.kind != "auto":
        kind, idempotent = settings.kind, settings.kind in IDEMPOTENT_KINDS
    return kind, idempotent if settings.idempotent is None else settings.idempotent


def _make_redactor(rules: Any, **options: Any) -> Redactor:
    # its patterns take 40 ms: with a tool's first call, not with `import agent_tools`
    from agent_tools.stages.redaction import make_redactor

    return make_redactor(rules, **options)


def _check_store(store: bool | str) -> None:
    if isinstance(store, str):
        check_url(store)


# what these settings may be is known above the settings
for _name, _check in (
    ("encoding", check_encoding),
    ("redact", _make_redactor),
    ("store", _check_store),
    ("store_url", _check_store),
):
    add_check(_name, _check)


def _make_spilling(
    settings: Settings, clean: Callable[[object], Cleaned], label: Callable[[Any], Any], redactor: Redactor
) -> SpillPlan | None:
    """Say how long streams are kept; None when they have to be held, since nothing may be stored or cut."""
    store_url = _store_url(settings.store)
    if store_url is None or settings.max_tokens is None:
        return None
    # a row takes a token at least, so more rows than tokens are over the budget
    most = max(settings.max_tokens, MIN_STREAM_ROWS)
    return SpillPlan(
        from_rows=most,
        first_rows=max(most // 4, MIN_FIRST_ROWS),
        store_url=store_url,
        clean=clean,
        label=label,
        important=settings.important,
        redactor=redactor,
    )


def _store_url(store: bool | str) -> str | None:
    if store is True:
        return process_settings.process().store_url
    return store or None


def _make_judge(
    classify: Callable[[BaseException], Failure], *, idempotent: bool
) -> Callable[[BaseException], Verdict]:
    def judge(error: BaseException) -> Verdict:
        if is_control_flow(error):
            return Verdict(False, None, ErrorCode.CANCELLED)
        info = classify(error).error
        # what was not applied may be repeated by the caller; the library repeats what is idempotent
        return Verdict(info.retryable and idempotent, info.retry_after_s, info.code)

    return judge
