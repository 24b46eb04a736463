"""A direct call is bound as Python binds it; what does not fit is said in words that a model can use."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent_tools import tool, trace
from agent_tools.stages.arguments import make_bind

RAN: list[Any] = []


def run_command(command: str, timeout: int = 5) -> str:
    RAN.append(command)
    return command


def query(kind: str, *terms: str, limit: int = 3, **filters: str) -> dict[str, Any]:
    return {"kind": kind, "terms": terms, "limit": limit, "filters": filters}


def zero() -> str:
    return "2031-05-01"


def args(args: list[Any], kwargs: dict[str, Any]) -> int:
    return len(args) + len(kwargs)


def posonly(a: int, b: int = 2, /, c: int = 3) -> list[int]:
    return [a, b, c]


@pytest.mark.parametrize(
    ("function", "call", "expected"),
    [
        (query, lambda f: f("t", "x", "y", limit=1, name="n"), ["t", ["x", "y"], 1, {"name": "n"}]),
        (args, lambda f: f([1], {"a": 1}), 2),
        (args, lambda f: f(kwargs={"a": 1}, args=[1]), 2),
        (posonly, lambda f: f(1, c=5), [1, 2, 5]),
        (functools.partial(query, "t", "x"), lambda f: f("y", limit=9), ["t", ["x", "y"], 9, {}]),
        (functools.partial(run_command, timeout=9), lambda f: f("ls"), "ls"),
    ],
)
def test_values_arrive(function: Any, call: Any, expected: Any) -> None:
    """Variadic, positional-only and keyword parameters, and names like the library's own."""
    data = call(tool(function)).data

    assert (list(data.values()) if isinstance(data, dict) else data) == expected


@pytest.mark.parametrize(
    ("function", "call", "complaints"),
    [
        (
            run_command,
            lambda f: f(),
            ["missing argument 'command' @ $.command", "command, timeout (optional)"],
        ),
        (
            run_command,
            lambda f: f(cmd="ls"),
            ["unknown argument 'cmd'", "did you mean 'command'?", "missing"],
        ),
        (run_command, lambda f: f("ls", 5, 6), ["takes at most 2 positional arguments, got 3"]),
        (run_command, lambda f: f("ls", command="ls"), ["got two values for 'command'"]),
        (zero, lambda f: f(kwargs="date"), ["unknown argument 'kwargs'", "; accepted: none"]),
        (zero, lambda f: f("x"), ["takes at most 0 positional"]),
        (posonly, lambda f: f(a=1), ["unknown argument 'a'", "missing argument 'a'"]),
        (query, lambda f: f(limit=1), ["missing argument 'kind'", "*terms", "**filters"]),
    ],
)
def test_what_does_not_fit_is_explained(function: Any, call: Any, complaints: list[str]) -> None:
    """The missing one, the unknown one and the accepted ones are named; the body does not run."""
    RAN.clear()

    result = call(tool(function, kind="query"))

    assert (result.status, result.error.code) == ("error", "INVALID_ARGUMENT")
    assert (result.error.retryable, result.error.recovery) == (False, "fix_arguments")
    assert [text for text in complaints if text not in result.error.message] == []
    assert not RAN


def test_a_failed_binding_is_the_callers_fault(read_log: Any) -> None:
    """The log tells a wrong argument from a broken tool, and repeats of it."""
    made = tool(run_command)
    with trace("repeats"):
        for _ in range(3):
            made(cmd="ls")

    assert {row["error_origin"] for row in read_log()} == {"argument"}
    assert [row["repeat_n"] for row in read_log()] == [1, 2, 3]
    assert read_log()[0]["arguments"] == {"cmd": "ls"}


def test_an_actions_wrong_arguments_changed_nothing() -> None:
    """It did not run, so there is nothing to check first."""
    result = tool(run_command, name="send_mail")()

    assert (result.error.retryable, result.error.recovery) == (False, "fix_arguments")


def test_a_direct_call_is_not_coerced() -> None:
    """Code passes what it means; only what a model sent is read by type."""
    assert tool(lambda limit: type(limit).__name__, name="get")("5").data == "str"


def test_a_type_error_of_the_body_is_a_bug_not_an_argument() -> None:
    """The body ran: what it raised is its own."""

    @tool
    def get_length(x: Any) -> int:
        return len(x)

    result = get_length(5)

    assert result.error.code == "INTERNAL"


def test_arguments_are_hidden_in_the_log_and_in_what_was_asked(read_log: Any) -> None:
    """By their names, also where the call did not fit."""
    secret = "pw-" + "Zx81" * 4
    made = tool(lambda q, password: [], name="find")

    made("x", secret)
    made("x", password=secret, nonsense=1)

    assert secret not in str(read_log()) + made("x", secret).to_prompt()


PARAMETERS = st.lists(
    st.tuples(
        st.sampled_from(list(inspect._ParameterKind)),
        st.sampled_from(["a", "b", "self", "args", "kwargs", "space", "bind", "é", "print"]),
        st.booleans(),
    ),
    max_size=6,
    unique_by=lambda p: p[1],
)


@st.composite
def signatures(draw: Any) -> inspect.Signature:
    """Draw a valid signature of any kinds of parameters."""
    drawn = sorted(draw(PARAMETERS), key=lambda p: p[0])
    kinds = inspect.Parameter
    parameters, defaulted, variadic = [], False, set()
    for kind, name, wants_default in drawn:
        if kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            if kind in variadic:
                continue
            variadic.add(kind)
            parameters.append(kinds(name, kind))
            continue
        defaulted = wants_default or (defaulted and kind is not kinds.KEYWORD_ONLY)
        parameters.append(kinds(name, kind, default=len(parameters) if defaulted else kinds.empty))
    return inspect.Signature(parameters)


@given(
    signatures(),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(
        st.sampled_from(["a", "b", "self", "args", "kwargs", "é", "other"]), st.integers(), max_size=3
    ),
)
def test_binding_agrees_with_inspect(
    signature: inspect.Signature, given_args: list[int], given_kwargs: dict[str, int]
) -> None:
    """For every signature and call the compiled binder gives what `Signature.bind` gives, or both refuse."""
    parameters = list(signature.parameters.values())
    # https://github.com/python/cpython/issues/87106: before 3.13 `bind` refuses what a call accepts
    assume(not any(p.kind is p.POSITIONAL_ONLY and p.name in given_kwargs for p in parameters))
    bind = make_bind(parameters)
    try:
        bound = signature.bind(*given_args, **given_kwargs)
    except TypeError:
        with pytest.raises(TypeError):
            bind(*given_args, **given_kwargs)
        return
    bound.apply_defaults()

    assert bind(*given_args, **given_kwargs) == bound.arguments


def test_the_instance_is_no_argument() -> None:
    """`Desk.open(desk)` is told what is missing, and nothing of self."""

    class Desk:
        @tool
        def open(self, title: str) -> str:
            return title

    assert Desk.open(Desk()).error.message == "missing argument 'title' @ $.title; accepted: title"
    assert "missing argument 'self'" in Desk.open(title="x").error.message


@pytest.mark.parametrize(
    "value",
    [2**64, -(2**70), 10**5000, "\ud800", float("nan"), True],
    ids=["65 bits", "negative", "5000 digits", "surrogate", "nan", "bool"],
)
def test_a_value_that_json_cannot_hold_is_counted_as_an_input(value: Any, read_log: Any) -> None:
    """The same call is recognised, and one with another value is another."""
    find = tool(lambda q: [], name="find_it")

    with trace():
        results = [find(value), find(value), find([value])]

    assert [result.status for result in results] == ["empty"] * 3
    assert [row["repeat_n"] for row in read_log()] == [1, 2, 1]
