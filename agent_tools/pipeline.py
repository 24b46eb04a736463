"""One call from its arguments to its result and its row in the log.

    arguments -> run -> outcome -> clean -> views -> fit -> ToolResult -> log

`call` and `acall` are the only places that run the user's function, write the store and write the log.
The stages themselves are made in `agent_tools.plan`.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from agent_tools import settings as process_settings
from agent_tools.audiences import PLAN
from agent_tools.calllog.entries import hash_input
from agent_tools.columns import SCALARS, TABLES_OF_CALL
from agent_tools.content import (
    Call,
    Content,
    content_of_failure,
    content_of_result,
    content_of_value,
    content_without_value,
)
from agent_tools.errors import ErrorCode, InvalidArgument, ToolError
from agent_tools.journal import log_end, log_interruption, log_start, log_view
from agent_tools.native import PLAIN_TYPES, Drained, Native, is_reported, refuse_awaitable
from agent_tools.plan import Budget, Plan, compile_plan, count_bytes
from agent_tools.result import FORMAT_VERSION, Status, ToolResult, View, set_drawer
from agent_tools.settings import Settings
from agent_tools.signatures import read_signature
from agent_tools.spilling import Spill
from agent_tools.stages.arguments import Bind, explain, read_arguments
from agent_tools.stages.budget import Draft, Fitted
from agent_tools.stages.error_codes import is_control_flow
from agent_tools.stages.summaries_stream import StreamedRows
from agent_tools.stages.views import project_error, project_meta
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id
from agent_tools.stores.pages import unit_of
from agent_tools.tokens import is_warm

# identical calls that failed alike before the next one is answered without running
BREAKER_FAILURES = 5
# from here on the stages of a result would hold an event loop for more than some milliseconds
HEAVY_CHARS = 200_000
HEAVY_ROWS = 2_000
# from here on a result may have to be counted, which loads the encoding (0.35 s) in its first call
COUNTED_CHARS = 1_500
COUNTED_ROWS = 20
NOT_COUNTED = "The tool's own token counter failed; bytes were counted instead."
NOT_KEPT = "The full result could not be kept; what is not shown is lost."


def call(
    plan: Plan,
    function: Callable[..., Any],
    bind: Bind,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    sent: Any = None,
    call_id: str | None = None,
) -> Any:
    """Run a sync call; with `sent`, the arguments that a model sent as a one-element tuple."""
    this = Call(plan, call_id)
    token = this.enter()
    try:
        try:
            args, kwargs = _begin(this, bind, args, kwargs, sent)
            value = plan.run(function, args, kwargs, this.attempts)
            if type(value) not in PLAIN_TYPES:
                if inspect.isawaitable(value) and _loop_runs():
                    return _end_later(this, value)
                value = _take(this, value)
        except Exception as error:
            if is_control_flow(error):
                raise
            return _end(this, content_of_failure(this, error), None)
        return _end_with(this, value)
    except BaseException as error:
        log_interruption(this, error)
        raise
    finally:
        this.leave(token)


async def acall(
    plan: Plan,
    function: Callable[..., Any],
    bind: Bind,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    sent: Any = None,
    call_id: str | None = None,
) -> ToolResult[Any]:
    """Run a call from async code; a sync function goes to a thread, unless its setting says otherwise."""
    this = Call(plan, call_id)

    async def begin() -> Any:
        begun_args, begun_kwargs = _begin(this, bind, args, kwargs, sent)
        return await plan.run_async(function, begun_args, begun_kwargs, this.attempts)

    return await _end_later(this, begin())


async def _end_later(this: Call, awaited: Awaitable[Any]) -> ToolResult[Any]:
    """Await the value of a call and make its result; what would hold up the loop is done in a thread."""
    token = this.enter()
    try:
        try:
            value = await awaited
            if type(value) not in PLAIN_TYPES:
                value = await _take_async(this, value)
        except Exception as error:
            if is_control_flow(error):
                raise
            return _end(this, content_of_failure(this, error), None)
        if _is_heavy(this.plan, value):
            import asyncio

            return await asyncio.to_thread(_end_with, this, value)
        return _end_with(this, value)
    except BaseException as error:
        log_interruption(this, error)
        raise
    finally:
        this.leave(token)


def _loop_runs() -> bool:
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _begin(
    this: Call, bind: Bind, args: tuple[Any, ...], kwargs: dict[str, Any], sent: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Bind or validate the arguments, and stop a call that failed often enough.

    Raises:
        InvalidArgument: the arguments do not fit.
        ToolError: the breaker is open.
    """
    plan, trace = this.plan, this.trace
    unfit: TypeError | None = None
    is_read = False
    if sent is not None:
        arguments, is_read = _as_sent(sent[0])
    else:
        try:
            arguments = bind(*args, **kwargs)
        except TypeError as error:
            arguments = {f"argument {n}": value for n, value in enumerate(args)} | kwargs
            unfit = error
    this.arguments = arguments
    are_scalars = SCALARS.issuperset(map(type, arguments.values()))
    if plan.has_secret_parameters or not are_scalars:
        this.hide_arguments()
    # before the arguments are checked: a model that repeats bad ones is to be seen and stopped, too
    if plan.is_logged or trace.is_explicit:
        this.input_hash, this.input_bytes = hash_input(plan.name, arguments)
        this.repeat_n = trace.count_input(this.input_hash)
        if trace.is_explicit and plan.settings.breaker:
            _check_breaker(this)
    if sent is not None:
        # read again where the function could change what the log is to show
        args, kwargs = plan.parse(arguments if is_read and are_scalars else sent[0])
    elif unfit is not None:
        parameters = plan.signature.without_self()
        if plan.signature.receives_self and bind is plan.bind:
            # `Desk.open(desk, ...)`: the instance is not what the caller got wrong, unless it is missing
            parameters, args = (parameters, args[1:]) if args else (plan.signature.parameters, args)
        raise InvalidArgument(explain(parameters, args, kwargs)) from unfit
    if plan.announces and plan.is_logged:
        log_start(this)
    return args, kwargs


def _as_sent(arguments: Any) -> tuple[Mapping[str, Any], bool]:
    """Return a model's arguments as far as they can be read, and whether they could."""
    try:
        return read_arguments(arguments), True
    except InvalidArgument:
        return {"arguments": arguments}, False


def _check_breaker(this: Call) -> None:
    code, n = this.trace.failures.get(this.input_hash)
    if n >= BREAKER_FAILURES:
        raise ToolError(
            f"this exact call failed {n} times with {code}; it was not run again. Change the arguments.",
            code=ErrorCode.REPEATED_FAILURE,
            retryable=False,
            recovery="fix_arguments",
            outcome="not_applied",
        )


def _take(this: Call, value: Any) -> Any:
    """Refuse what has to be awaited; all else was read where the function ran."""
    if inspect.isawaitable(value):
        refuse_awaitable(this.plan.name, value)
    return value


async def _take_async(this: Call, value: Any) -> Any:
    value = this.plan.read(value)
    return _take(this, await value if inspect.isawaitable(value) else value)


def _is_heavy(plan: Plan, value: Any) -> bool:
    """Say whether the stages of this value would hold up an event loop."""
    if isinstance(value, Native):
        value = value.data
        if type(value) not in PLAIN_TYPES and not isinstance(value, Drained):
            return True
    if isinstance(value, Drained):
        value = value.rows
    chars, rows = HEAVY_CHARS, HEAVY_ROWS
    if plan.settings.max_tokens is not None and not is_warm(plan.settings.encoding):
        chars, rows = COUNTED_CHARS, COUNTED_ROWS

    def is_long(part: Any) -> bool:
        if isinstance(part, (str, bytes)):
            return len(part) > chars
        return isinstance(part, (list, tuple, dict, set)) and len(part) > rows

    return is_long(value) or (isinstance(value, dict) and any(map(is_long, value.values())))


# --- from a value to a result


def _end_with(this: Call, value: Any) -> ToolResult[Any]:
    """Make the result of a call whose function returned."""
    kept = value
    if isinstance(value, (Native, Drained)):
        kept = value.kept if isinstance(value, Native) else None
    token = TABLES_OF_CALL.set({})
    try:
        try:
            content = content_of_value(this, value)
        except Exception as error:
            if is_control_flow(error):
                raise
            content = content_of_failure(this, error)
            if this.plan.kind == "action" and not is_reported(error):
                # its effect has happened: what the library could not show is no failure of the action
                content = content_without_value(content)
            else:
                kept = None
        return _end(this, content, kept)
    finally:
        TABLES_OF_CALL.reset(token)


def _end(this: Call, content: Content, value: Any) -> ToolResult[Any]:
    """Draw the plan view, keep what was cut, write the log."""
    plan = this.plan
    if this.trace.is_explicit:
        _count_failure(this, content)
    meta = content.meta
    meta["call_id"] = this.call_id
    if this.attempts.n > 1:
        meta["attempts"] = this.attempts.n
    meta["elapsed_ms"] = this.elapsed_ms()
    fitted = _fit_and_keep(this, content)
    # a call that was cancelled while its result was made in a thread has its row
    if not this.is_ended and (plan.is_logged or this.telemetry is not None):
        log_end(this, content, fitted)
    this.is_ended = True
    return ToolResult.drawn(fitted, partial(_draw_view, this, content), content.error, value, content.failure)


def _draw_view(this: Call, content: Content, view: str) -> View:
    """Draw what another audience gets, and log that it was drawn."""
    fitted = _fit(this, _content_for(this, content, view), view, None, {})
    if this.plan.is_logged:
        log_view(this, view, fitted)
    return fitted


def _content_for(this: Call, content: Content, view: str) -> Content:
    """Return what is to be drawn for an audience; the status is the same for all."""
    if content.read_for is None:
        return content
    try:
        other = content_of_result(this, content.read_for(view))
    except Exception as error:
        # what this audience may not even ask for is nothing to it
        if is_control_flow(error):
            raise
        other = copy.copy(content)
        other.data, other.meta = None, {"total": None}
    other.status, other.error = content.status, content.error
    return other


def _count_failure(this: Call, content: Content) -> None:
    error = content.error if content.status == Status.ERROR else None
    # what the breaker says is no new failure, or it would close itself again
    if error is None or error.code != ErrorCode.REPEATED_FAILURE:
        this.trace.failures.count(this.input_hash, error.code if error and not error.retryable else None)


def _fit(
    this: Call,
    content: Content,
    view: str,
    result_id: str | None,
    asked: dict[str, Any],
    *,
    small: bool = False,
) -> Fitted:
    plan = this.plan
    failed: dict[str, Any] | None = None
    if content.error is not None:
        failed = project_error(content.error.to_dict(), view, is_raised=content.failure is not None)
    data = content.data
    if plan.rules or content.marks:
        data = plan.project(data, view, content.marks)
    if type(content.data) is StreamedRows and (data is not content.data or view != PLAN):
        # what is said of all rows tells of hidden fields, too
        data = content.data.replaced(data, may_tell=not plan.rules and not content.marks)
    fit = plan.fit if content.budget is None else plan.fit_within(content.budget)
    draft = Draft(
        content.status,
        data,
        content.meta if view == PLAN else project_meta(content.meta, content.status),
        failed,
        asked,
        result_id,
        view,
        small,
        content.noun,
    )
    try:
        return fit(draft)
    except Exception as error:
        # a token counter of the tool's own may fail; it must not cost the result
        if is_control_flow(error) or not callable(plan.settings.encoding):
            raise
        if view == PLAN:
            warnings = [*draft.meta.get("warnings", []), NOT_COUNTED]
            draft = draft._replace(meta={**draft.meta, "warnings": warnings})
        return plan.fit_within((content.budget[0] if content.budget else None, count_bytes))(draft)


def _fit_and_keep(this: Call, content: Content) -> Fitted:
    plan = this.plan
    is_plain = content.is_small and content.status == Status.SUCCESS and plan.settings.summary is None
    if is_plain or (content.status == Status.ERROR and content.data is None):
        # it will hardly be cut, and then needs neither an id nor what was asked
        fitted = _fit(this, content, PLAN, None, {}, small=True)
        if not fitted.cut:
            return fitted
    # what was asked ranks the rows of a cut result and is told of an empty one
    asked = this.asked()
    # the id stands in the text, so it is drawn before the text is measured
    result_id = new_result_id() if plan.store_url is not None else None
    if content.spill is not None:
        return _fit_spilled(this, content, content.spill, asked)
    fitted = _fit(this, content, PLAN, result_id, asked)
    if not fitted.cut or result_id is None or plan.store_url is None:
        return fitted
    try:
        process = process_settings.process()
        store = open_store(plan.store_url, ttl_s=process.store_ttl_s, quota_bytes=process.store_quota_bytes)
        store.put(result_id, this.trace.scope, _header(this, content, fitted), content.data)
        _used_stores[plan.store_url] = None
    except Exception:  # noqa: BLE001 - a store that fails must not cost the result
        content.meta["warnings"] = [*content.meta.get("warnings", []), NOT_KEPT]
        return _fit(this, content, PLAN, None, asked)
    return fitted


def _fit_spilled(this: Call, content: Content, spill: Spill, asked: dict[str, Any]) -> Fitted:
    """Fit what is shown of a stream, and publish the whole that was stored as it came."""
    kept = spill.finish(_header(this, content), is_complete=content.error is None)
    if not kept:
        content.meta["warnings"] = [*content.meta.get("warnings", []), NOT_KEPT]
        return _fit(this, content, PLAN, None, asked)
    assert this.plan.store_url is not None
    _used_stores[this.plan.store_url] = None
    return _fit(this, content, PLAN, spill.result_id, asked)


def fits_in(tool: Any, result: ToolResult[Any], budget: Budget) -> bool:
    """Say whether a result that a tool is about to return fits uncut."""
    this = Call(tool._self_machine.plan(), None)
    content = content_of_result(this, result)
    content.budget = budget
    return not _fit(this, content, PLAN, None, {}).cut


# stores that tools of this process wrote to; the process's own is looked at first
_used_stores: dict[str, None] = {}


def store_urls() -> list[str]:
    """Return the stores where a result of this process may be."""
    return list(dict.fromkeys([process_settings.process().store_url, *_used_stores]))


def _header(this: Call, content: Content, fitted: Fitted | None = None) -> dict[str, Any]:
    """Return what a reader of the stored result needs besides the value."""
    plan = this.plan
    settings = plan.settings
    return {
        "tool": plan.name,
        "kind": plan.kind,
        "call_id": this.call_id,
        "status": str(content.status),
        "meta": {key: value for key, value in content.meta.items() if key not in ("elapsed_ms",)},
        "error": content.error.to_dict() if content.error else None,
        "format": settings.format,
        "max_tokens": _budget_of(settings)[0],
        "encoding": _budget_of(settings)[1],
        "audience": {path: sorted([r] if isinstance(r, str) else r) for path, r in settings.audience.items()},
        "labels": list(settings.labels),
        "marks": [[list(path), marks] for path, marks in _marks_to_keep(plan, content).items()],
        "unit": unit_of(content.data, *_budget_of(settings)) if isinstance(content.data, str) else None,
        "is_data": isinstance(content.data, str) and fitted is not None and _names_path(fitted),
        "format_version": FORMAT_VERSION,
    }


def _names_path(fitted: Fitted) -> bool:
    """Tell whether more is read at a path; of a text, that it was shown as the data that it holds."""
    following = fitted.envelope["meta"].get("next")
    return isinstance(following, dict) and "path" in (following.get("arguments") or ())


def _budget_of(settings: Settings) -> tuple[int | None, str | None]:
    """Return the ceiling in tokens of the encoding itself, without the margin for other models."""
    most = None if settings.max_tokens is None else int(settings.max_tokens / settings.token_margin)
    return most, settings.encoding if isinstance(settings.encoding, str) else None


def _marks_to_keep(plan: Plan, content: Content) -> dict[tuple[str, ...], dict[str, list[str]]]:
    """Return the type marks, and the rules that hold for the rows at the top.

    Rows are read back in parts, and a rule that only other rows show to apply must hold for each part.
    """
    kept = {path: {n: sorted(a) for n, a in marks.items()} for path, marks in content.marks.items()}
    if isinstance(content.data, list):
        rows = [row for row in content.data if isinstance(row, dict)]
        for steps, audiences in plan.rules:
            if len(steps) == 1 and any(steps[0] in row for row in rows):
                kept.setdefault(("*",), {})[steps[0]] = sorted(audiences)
    return kept


# --- results made by hand, outside a call


def _hand_made() -> None:
    """Stand in for the function of a result that was made outside a tool."""


def _draw_by_hand(result: ToolResult[Any]) -> Callable[[str], View]:
    plan = compile_plan(
        read_signature(_hand_made), {"name": "result", "kind": "query", "log": False, "store": False}
    )
    this = Call(plan, None)
    content = content_of_result(this, result)
    return lambda view: _fit(this, content, view, None, {})


set_drawer(_draw_by_hand)
