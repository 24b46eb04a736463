"""Which word wins, whether to call again, how long to wait, what passes through."""

from __future__ import annotations

import asyncio
import datetime
import email.utils
import time
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from http import HTTPStatus
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools import ToolResult
from agent_tools.errors import InvalidArgument, NotFound, ToolError, Unavailable, decide_retry
from agent_tools.stages.error_codes import Failure, is_control_flow
from agent_tools.stages.error_waits import MAX_WAIT_S, bound_wait_s, read_wait_s

Coder = Callable[..., Failure]
Raised = Callable[[Callable[[], object]], Exception]


def _from(outer: Exception, inner: BaseException) -> Exception:
    outer.__cause__ = inner
    return outer


def test_a_value_error_of_the_tools_own_module_is_about_the_arguments(code_of: Coder, raised: Raised) -> None:
    """Raised in the tool's module it is the author's word, raised deeper or elsewhere it is a bug."""

    def body() -> None:
        raise ValueError("limit must be at most 100")

    error = raised(body)

    own, other = code_of(error, module=__name__), code_of(error, module="elsewhere")
    assert (own.error.code, own.origin, own.error.recovery) == (
        "INVALID_ARGUMENT",
        "business",
        "fix_arguments",
    )
    assert (other.error.code, other.origin) == ("INTERNAL", "system")


def test_a_value_error_of_a_helper_in_another_module_is_a_bug(code_of: Coder, raised: Raised) -> None:
    """The innermost frame decides, not the one the tool called from."""
    helper = ModuleType("helper")
    exec(compile("def check(): raise ValueError('odd')", "helper.py", "exec"), helper.__dict__)

    assert code_of(raised(helper.check), module=__name__).error.code == "INTERNAL"


def test_a_mapping_is_looked_up_along_the_mro(code_of: Coder) -> None:
    """The most specific entry wins, before the built-in table."""
    errors = {OSError: "IO_FAILED", ConnectionError: "DB_DOWN", KeyError: "NOT_FOUND"}

    codes = [
        code_of(error, errors=errors).error.code
        for error in (ConnectionResetError("x"), FileNotFoundError("x"), KeyError("x"), IndexError("x"))
    ]

    assert codes == ["DB_DOWN", "IO_FAILED", "NOT_FOUND", "INTERNAL"]


def test_a_mapped_name_keeps_what_the_table_found(code_of: Coder) -> None:
    """A code of one's own renames a failure; a code of the table brings its own meaning."""
    refused = ConnectionRefusedError(111, "x")

    own = code_of(refused, errors={OSError: "DB_DOWN"}).error
    standard = code_of(refused, errors={OSError: "NOT_FOUND"}).error

    assert (own.code, own.retryable, own.sub_code) == ("DB_DOWN", True, "ECONNREFUSED")
    assert (standard.code, standard.retryable, standard.recovery) == ("NOT_FOUND", False, "fix_arguments")


@pytest.mark.parametrize("retryable", [True, False])
def test_a_mapping_may_say_whether_to_retry(code_of: Coder, retryable: bool) -> None:
    """`("CODE", retryable)` is the author's word."""
    error = code_of(TimeoutError(), errors={TimeoutError: ("DB_TIMEOUT", retryable)}, kind="action").error

    assert (error.code, error.retryable) == ("DB_TIMEOUT", retryable)


def test_a_mapping_may_build_the_error(code_of: Coder) -> None:
    """A callable returns a ToolError whose text and fields are shown."""
    errors = {
        KeyError: lambda exc: NotFound(f"no user {exc.args[0]}", hint="Search by name.", data={"near": 1})
    }

    failure = code_of(KeyError("u1"), errors=errors)

    assert (failure.error.code, failure.error.message) == ("NOT_FOUND", "no user u1")
    assert (failure.error.hint, failure.data, failure.origin) == ("Search by name.", {"near": 1}, "business")
    assert failure.source == "KeyError"


def _breaks(exc: BaseException) -> ToolError:
    raise TypeError("a bug in the mapping")


@pytest.mark.parametrize("entry", [_breaks, lambda exc: None, 7], ids=["raises", "returns None", "no code"])
def test_a_mapping_that_fails_hides_nothing(code_of: Coder, entry: object) -> None:
    """The failure itself is classified by the table."""
    assert code_of(TimeoutError(), errors={TimeoutError: entry}).error.code == "DEADLINE_EXCEEDED"


def test_the_fields_of_a_tool_error_win(code_of: Coder) -> None:
    """Whatever the code would say."""
    error = ToolError(
        "closed", code="WAREHOUSE_CLOSED", retryable=True, recovery="ask_user", retry_after_s=30,
        outcome="not_applied", sub_code="W7", hint="Try at 8.", data=[1],
    )  # fmt: skip

    failure = code_of(error, kind="action")

    assert failure.error.to_dict() == {
        "code": "WAREHOUSE_CLOSED", "message": "closed", "retryable": True, "recovery": "ask_user",
        "retry_after_s": 30.0, "outcome": "not_applied", "sub_code": "W7", "hint": "Try at 8.",
    }  # fmt: skip
    assert (failure.data, failure.origin) == ([1], "business")


def test_a_tool_error_without_init_still_works(code_of: Coder) -> None:
    """A subclass that skips ToolError.__init__ lacks every field."""

    class Closed(ToolError):
        def __init__(self, shop: str) -> None:
            Exception.__init__(self, shop)

    assert code_of(Closed("the shop is closed")).error.code == "TOOL_REPORTED_ERROR"


@pytest.mark.parametrize(
    ("exc", "code", "origin"),
    [
        (_from(RuntimeError("x"), TimeoutError()), "DEADLINE_EXCEEDED", "system"),
        (_from(type("MyError", (Exception,), {})("x"), TimeoutError()), "DEADLINE_EXCEEDED", "system"),
        (_from(ToolError("x"), TimeoutError()), "DEADLINE_EXCEEDED", "business"),
        (_from(ToolError("x"), KeyError("bug")), "TOOL_REPORTED_ERROR", "business"),
        (_from(ToolError("x", code="OWN"), TimeoutError()), "OWN", "business"),
        (_from(LookupError("x"), TimeoutError()), "INTERNAL", "system"),
        (_from(RuntimeError("x"), KeyboardInterrupt()), "INTERNAL", "system"),
        (
            _from(RuntimeError("x"), _from(Exception("y"), PermissionError("z"))),
            "PERMISSION_DENIED",
            "system",
        ),
        (ToolError("x"), "TOOL_REPORTED_ERROR", "business"),
    ],
    ids=range(9),
)
def test_a_cause_counts_under_a_wrapper_that_says_nothing(
    code_of: Coder, exc: Exception, code: str, origin: str
) -> None:
    """RuntimeError, Exception and a ToolError without a code are looked behind, nothing else."""
    failure = code_of(exc)

    assert (failure.error.code, failure.origin) == (code, origin)


def test_causes_in_a_circle_end(code_of: Coder) -> None:
    """Two wrappers that name each other are an internal error."""
    first = RuntimeError("a")
    first.__cause__ = _from(RuntimeError("b"), first)

    assert code_of(first).error.code == "INTERNAL"


@pytest.mark.parametrize(
    ("leaves", "code", "retryable"),
    [
        ([ConnectionRefusedError("a"), ConnectionResetError("b")], "UNAVAILABLE", True),
        ([TimeoutError("a"), PermissionError("b")], "UNKNOWN", False),
        ([TimeoutError("a"), ConnectionResetError("b")], "UNKNOWN", True),
        ([ExceptionGroup("g", [TimeoutError("a")])], "DEADLINE_EXCEEDED", True),
        ([ToolError("a", code="OWN", retryable=False), ToolError("b", code="OWN")], "OWN", False),
    ],
)
def test_a_group_is_what_its_leaves_are(
    code_of: Coder, leaves: list[Exception], code: str, retryable: bool
) -> None:
    """One code where all agree, else UNKNOWN; transient only where all are."""
    error = code_of(ExceptionGroup("g", leaves)).error

    assert (error.code, error.retryable) == (code, retryable)


def test_an_action_in_doubt_is_to_be_checked(code_of: Coder) -> None:
    """A timeout may have happened after the effect."""
    error = code_of(TimeoutError(), kind="action").error

    assert (error.retryable, error.outcome, error.recovery) == (False, "unknown", "check_first")
    assert error.hint is not None
    assert "check" in error.hint


def test_an_action_of_many_effects_is_never_repeated(code_of: Coder) -> None:
    """An earlier effect may have happened, even where a later one was refused."""
    for exc in (
        ConnectionRefusedError(111, "x"),
        PermissionError("x"),
        InvalidArgument("x"),
        Unavailable("x"),
    ):
        error = code_of(exc, kind="action", effects="many").error

        assert (error.retryable, error.recovery) == (False, "check_first")


def test_a_query_says_that_nothing_is_known(code_of: Coder) -> None:
    """A failed look-up is no empty result; what an author reports as missing is known."""
    failed, missing = code_of(TimeoutError()).error, code_of(NotFound("no order 'A1'")).error

    assert failed.hint == "It is unknown whether matching data exists."
    assert failed.outcome is None
    assert missing.hint is None


@given(
    st.booleans(), st.booleans(), st.sampled_from(["one", "many"]),
    st.sampled_from([None, "unknown", "not_applied"]), st.sampled_from(["UNAVAILABLE", "NOT_FOUND", "OWN"]),
)  # fmt: skip
def test_only_a_safe_call_is_repeated(
    transient: bool, idempotent: bool, effects: str, outcome: str | None, code: str
) -> None:
    """The one rule of retrying, and what to do instead."""
    retryable, recovery = decide_retry(
        code, transient=transient, idempotent=idempotent, effects=effects, outcome=outcome
    )

    assert retryable == (transient and (idempotent or (effects == "one" and outcome == "not_applied")))
    assert (recovery == "retry") == retryable
    assert recovery != "check_first" or not idempotent


def _limited(headers: dict[str, str]) -> Exception:
    error = RuntimeError("rate limited")
    error.status_code, error.headers = 429, headers  # type: ignore[attr-defined]
    return error


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"RETRY-AFTER": " 2.5 "}, 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "junk", "retry-after": "9"}, 9.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "86400"}, 86_400.0),
        ({"Retry-After": "1e400"}, MAX_WAIT_S),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "Wed, 99 Foo 2015"}, None),
        ({}, None),
    ],
)
def test_a_wait_is_read_from_the_headers(
    code_of: Coder, headers: dict[str, str], wait_s: float | None
) -> None:
    """Seconds, milliseconds first, never negative, junk is nothing."""
    error = code_of(_limited(headers)).error

    assert (error.retry_after_s, error.retryable) == (wait_s, True)


def test_a_wait_may_be_a_date() -> None:
    """An HTTP date half a minute ahead is about thirty seconds."""
    wait_s = read_wait_s(_limited({"Retry-After": email.utils.formatdate(time.time() + 30, usegmt=True)}))

    assert wait_s is not None
    assert 20 < wait_s <= 31


@pytest.mark.parametrize("wait", [3.5, "3.5", timedelta(seconds=3.5)])
def test_a_wait_may_be_an_attribute(wait: object) -> None:
    """Some clients put it on the exception."""
    error = RuntimeError("rate limited")
    error.retry_after = wait  # type: ignore[attr-defined]

    assert read_wait_s(error) == 3.5


@given(st.one_of(st.floats(), st.integers(), st.text(), st.none(), st.booleans()))
def test_a_wait_is_nothing_or_bounded(value: object) -> None:
    """Whatever somebody puts there."""
    wait_s = bound_wait_s(value)

    assert wait_s is None or 0 <= wait_s <= MAX_WAIT_S


class _Stop(BaseException):
    """Like trio.Cancelled or the outcomes of pytest."""


@pytest.mark.parametrize(
    ("exc", "passes"),
    [
        (KeyboardInterrupt(), True),
        (SystemExit(), True),
        (GeneratorExit(), True),
        (asyncio.CancelledError(), True),
        (_Stop(), True),
        (BaseExceptionGroup("g", [asyncio.CancelledError(), ValueError("real")]), True),
        (ExceptionGroup("g", [ValueError("real")] * 300), False),
        (ValueError("x"), False),
        (ToolError("x"), False),
    ],
    ids=range(9),
)
def test_what_is_no_exception_passes_through(exc: BaseException, passes: bool) -> None:
    """Interrupts and cancellations are not failures of a tool."""
    assert is_control_flow(exc) is passes


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("langgraph.errors", "GraphInterrupt"),
        ("langgraph.errors", "ParentCommand"),
        ("pydantic_ai.exceptions", "ModelRetry"),
        ("pydantic_ai.exceptions", "CallDeferred"),
        ("pydantic_ai.exceptions", "ApprovalRequired"),
    ],
)
def test_the_signals_of_frameworks_pass_through(module: str, name: str) -> None:
    """By name, with their subclasses, and inside a group."""
    signal = getattr(pytest.importorskip(module), name)
    own = type("Own", (signal,), {})

    for error in (signal.__new__(signal), own.__new__(own)):
        assert is_control_flow(error)
        assert is_control_flow(ExceptionGroup("g", [ValueError("x"), error]))


def test_a_signal_of_a_framework_that_is_not_installed_passes_through() -> None:
    """Nothing is imported to know it."""
    retry = type("Retry", (Exception,), {"__module__": "celery.exceptions"})

    assert is_control_flow(retry("later"))


def test_a_class_made_at_run_time_is_not_held(code_of: Coder) -> None:
    """The look-up cache lets go of classes that nobody else holds."""
    import gc
    import weakref

    made = type("Made", (ValueError,), {})
    code_of(made("x"), errors={KeyError: "X"})
    reference = weakref.ref(made)

    del made
    gc.collect()

    assert reference() is None


@pytest.mark.parametrize("status", [429, "429", HTTPStatus.TOO_MANY_REQUESTS], ids=repr)
def test_a_status_is_read_in_every_form(code_of: Coder, status: object) -> None:
    """As a number, as digits, as a member of HTTPStatus."""
    error = RuntimeError("slow down")
    error.status_code = status  # type: ignore[attr-defined]

    failure = code_of(error)

    assert (failure.error.code, failure.error.sub_code) == ("RESOURCE_EXHAUSTED", "429")


@pytest.mark.parametrize(
    "status", [True, 429.5, "many", "42", [429], {"code": 429}, b"429", 10**30], ids=repr
)
def test_what_is_no_status_is_none(code_of: Coder, status: object) -> None:
    """A flag, a text and a container under its name say nothing, and break nothing."""
    error = RuntimeError("slow down")
    error.status_code = status  # type: ignore[attr-defined]

    assert code_of(error).error.code == "INTERNAL"


def test_a_wait_may_be_a_number_of_any_kind_or_a_time() -> None:
    """Decimal, Fraction and a datetime, as SDKs set them; what raises is no wait."""
    soon = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=40)

    waits = [_wait_of(wait) for wait in (Decimal("2.5"), Fraction(5, 2), soon, _Unreadable(), object())]

    assert waits[:2] == [2.5, 2.5]
    assert waits[2] == pytest.approx(40, abs=5)
    assert waits[3:] == [None, None]


def _wait_of(wait: object) -> float | None:
    error = RuntimeError("slow down")
    error.retry_after = wait  # type: ignore[attr-defined]
    return read_wait_s(error)


class _Unreadable:
    def __float__(self) -> float:
        raise RuntimeError("no number")


@pytest.mark.parametrize(
    ("code", "recovery"),
    [
        ("USER_NOT_FOUND", "fix_arguments"),
        ("ORDER_ALREADY_EXISTS", "fix_arguments"),
        ("TENANT_PERMISSION_DENIED", "ask_user"),
        ("SEAT_TAKEN", "report"),
        ("NOT_FOUNDRY", "report"),
    ],
)
def test_a_code_of_ones_own_means_what_it_ends_with(code_of: Coder, code: str, recovery: str) -> None:
    """By mapping, by raising and by hand alike; an action that was refused so has not happened."""
    error = KeyError("u1")
    refused = recovery != "report"

    mapped = code_of(error, errors={KeyError: code})
    raised = code_of(ToolError("no", code=code))
    action = code_of(error, errors={KeyError: code}, kind="action")

    assert {mapped.error.recovery, raised.error.recovery} == {recovery}
    assert ToolResult.fail(code, "no").error.recovery == recovery
    assert action.error.recovery == (recovery if refused else "check_first")
