"""What a model sent: read, validated, coerced, and what is wrong said in one line per place."""

from __future__ import annotations

import dataclasses
import enum
import functools
import re
import uuid
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, SecretStr

from agent_tools import tool


def page(
    limit: int, exact: bool = False, tags: list[str] | None = None, note: str = "", either: int | str = 0
) -> dict[str, Any]:
    return {"limit": limit, "exact": exact, "tags": tags, "note": note, "either": either}


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Mode(enum.StrEnum):
    FAST = "fast"
    SLOW = "slow"


class Item(BaseModel):
    sku: str
    amount: int = Field(gt=0)


class Order(BaseModel):
    items: list[Item]
    note: str | None = None


class Session:
    """A class that JSON Schema knows nothing of."""


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Filter(TypedDict, total=False):
    city: str
    age: int


class Pair(NamedTuple):
    left: int
    right: int


def test_what_models_send_is_coerced(read_log: Any) -> None:
    """Numbers, booleans and lists that came as text become what the parameter says; text stays text."""
    sent = {"limit": "5", "exact": "true", "tags": '["a","b"]', "note": "7", "either": "9"}

    result = tool(page).invoke(sent)

    assert result.data == {"limit": 5, "exact": True, "tags": ["a", "b"], "note": "7", "either": "9"}
    assert read_log()[0]["arguments"] == sent


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"limit": "5 items"}, "expected int, got '5 items' @ $.limit"),
        ({"limit": "3.14"}, "expected int, got '3.14' @ $.limit"),
        ({"limit": 3.14}, "expected int, got 3.14 @ $.limit"),
        ({"limit": None}, "expected int, got null @ $.limit"),
        ({"limit": [5]}, "expected int, got a list @ $.limit"),
        ({"limit": 5, "exact": "maybe"}, "expected bool, got 'maybe' @ $.exact"),
        ({"limit": 5, "tags": "a,b"}, "expected list or null, got 'a,b' @ $.tags"),
        ({"limit": 5, "tags": [1]}, "expected text, got 1 @ $.tags[0]"),
        ({"limit": 5, "note": {"a": 1}}, "expected text, got an object @ $.note"),
        ({}, "missing argument 'limit' @ $.limit; accepted: limit, exact, tags, note, either"),
    ],
    ids=str,
)
def test_what_can_not_be_read_is_named(sent: dict[str, Any], message: str) -> None:
    """Place, expectation and value, and nothing is guessed."""
    error = tool(page).invoke(sent).error

    assert (error.code, error.retryable, error.recovery) == ("INVALID_ARGUMENT", False, "fix_arguments")
    assert message.replace(" or null", "") in error.message.replace(" or null", "")


def test_a_misspelt_name_gets_a_close_match() -> None:
    """And the names that are accepted."""
    message = tool(page).invoke({"limit": 1, "exactt": True}).error.message

    assert message == (
        "unknown argument 'exactt', did you mean 'exact'? @ $.exactt; "
        "accepted: limit, exact, tags, note, either"
    )


@pytest.mark.parametrize("call", [lambda f: f(), lambda f: f.invoke({})], ids=["direct", "invoke"])
def test_the_accepted_names_are_said_once_and_first(call: Any) -> None:
    """Behind the first line: they are not clipped and do not push the other problems out."""

    def move(origin: str, destination: str, carrier: str, weight: int, insured: bool, note: str) -> None:
        pass

    lines = call(tool(move)).error.message.splitlines()

    assert lines[0] == (
        "missing argument 'origin' @ $.origin; accepted: origin, destination, carrier, weight, insured, note"
    )
    assert lines[1:4] == [f"missing argument {n!r} @ $.{n}" for n in ("destination", "carrier", "weight")]


def test_every_problem_has_its_line() -> None:
    """A model mends all of them at once."""
    message = tool(page).invoke({"limit": "x", "exact": "maybe", "nope": 1}).error.message

    assert [line.rpartition("@ ")[2].partition(";")[0] for line in message.splitlines()] == [
        "$.limit",
        "$.exact",
        "$.nope",
    ]


KINDS: list[tuple[Any, Any, Any]] = [
    (Order, {"items": [{"sku": "a", "amount": "2"}]}, Order(items=[Item(sku="a", amount=2)])),
    (Order, '{"items": [{"sku": "a", "amount": 2}]}', Order(items=[Item(sku="a", amount=2)])),
    (list[Item], '[{"sku": "a", "amount": 2}]', [Item(sku="a", amount=2)]),
    (list[Item], ['{"sku": "a", "amount": 2}'], [Item(sku="a", amount=2)]),
    (Point, {"x": "1"}, Point(1)),
    (Point, '{"x": 1, "y": 2}', Point(1, 2)),
    (Filter, {"age": "3"}, {"age": 3}),
    (Pair, [1, "2"], Pair(1, 2)),
    (Literal["a", "b"], "b", "b"),
    (Literal[1, 2], 2, 2),
    (Literal[1, 2], "2", 2),
    (Mode, "fast", Mode.FAST),
    (Mode, "FAST", Mode.FAST),
    (Color, "RED", Color.RED),
    (Color, 2, Color.BLUE),
    (Color, "2", Color.BLUE),
    (list[Color], ["RED", 2], [Color.RED, Color.BLUE]),
    (Color | None, "RED", Color.RED),
    (Color | None, None, None),
    (int | None, "7", 7),
    (int | str, 7, 7),
    (dict[str, int], '{"a": "1"}', {"a": 1}),
    (set[int], [1, 1, 2], {1, 2}),
    (tuple[int, str], [1, "a"], (1, "a")),
    (date, "2031-05-01", date(2031, 5, 1)),
    (datetime, "2031-05-01T10:00:00", datetime(2031, 5, 1, 10)),  # noqa: DTZ001
    (Decimal, "1.10", Decimal("1.10")),
    (Decimal, 3, Decimal(3)),
    (uuid.UUID, "12345678-1234-5678-1234-567812345678", uuid.UUID("12345678123456781234567812345678")),
    (Path, "a/b.txt", Path("a/b.txt")),
    (float, "1e3", 1000.0),
    (bool, "no", False),
    (Annotated[int, Field(ge=1)], "3", 3),
    (Any, "5", "5"),
]


@pytest.mark.parametrize(("hint", "sent", "expected"), KINDS, ids=[f"{h}={s!r}"[:60] for h, s, _ in KINDS])
def test_every_kind_of_parameter_is_read(hint: Any, sent: Any, expected: Any) -> None:
    """Models, dataclasses, enums by value and name, literals, unions, dates, nested in each other."""
    got: list[Any] = []

    def take(x: Any) -> bool:
        got.append(x)
        return True

    take.__annotations__["x"] = hint

    result = tool(take).invoke({"x": sent})

    assert result.error is None
    assert got == [expected]
    assert type(got[0]) is type(expected)


BAD_KINDS: list[tuple[Any, Any, str]] = [
    (Order, {"items": [{"sku": "a", "amount": 0}]}, "@ $.x.items[0].amount"),
    (Order, {"items": [{"amount": 1}]}, "missing argument 'sku' @ $.x.items[0].sku"),
    (Order, {"items": "none"}, "expected list, got 'none' @ $.x.items"),
    (Order, 7, "expected object, got 7 @ $.x"),
    (list[Item], "[{broken", "expected list, got '[{broken' @ $.x"),
    (Point, {"y": 1}, "missing argument 'x' @ $.x.x"),
    (Literal["a", "b"], "c", "expected 'a' or 'b', got 'c' @ $.x"),
    (Mode, "medium", "'fast' or 'slow', got 'medium' @ $.x"),
    (Color, "GREEN", "got 'GREEN' @ $.x"),
    (int | None, "x", "expected int, got 'x' @ $.x"),
    (int | list[int], "x", "expected int or list, got 'x' @ $.x"),
    (date, "soon", "expected date (YYYY-MM-DD), got 'soon' @ $.x"),
    (dict[str, int], {"a": "b"}, "expected int, got 'b' @ $.x.a"),
    (float, "1,5", "expected number, got '1,5' @ $.x"),
    (uuid.UUID, "x", "expected UUID, got 'x' @ $.x"),
]


@pytest.mark.parametrize(
    ("hint", "sent", "part"), BAD_KINDS, ids=[f"{h}={s!r}"[:60] for h, s, _ in BAD_KINDS]
)
def test_a_bad_value_is_placed(hint: Any, sent: Any, part: str) -> None:
    """A path into nested values, without the names of union branches."""

    def take(x: Any) -> bool:
        raise AssertionError("it must not run")

    take.__annotations__["x"] = hint

    message = tool(take).invoke({"x": sent}).error.message

    assert part in message
    assert (
        re.search(r"\b(Order|Item|Point|Mode|Color|pydantic|Arguments|p0)\b|https?:|input_", message) is None
    )


@pytest.mark.parametrize(
    ("sent", "complaint"),
    [
        ("[1, 2]", "expected one JSON object of arguments, got a list"),
        ("5", "expected one JSON object of arguments, got int"),
        ('{"limit": 5', "at line 1 column 12"),
        ('{"limit": 5,}', "no valid JSON"),
        ('{\n"limit": five}', "line 2 column"),
        (b"\xff\xfe", "no valid JSON"),
        ("limit=5", "line 1 column 1"),
        ([1], "expected one JSON object"),
        (7, "expected one JSON object"),
        ("[" * 100_000, "no valid JSON"),
        ('{"limit": ' + "9" * 5000 + "}", "no valid JSON"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_broken_json_is_answered_with_its_place(sent: Any, complaint: str) -> None:
    """A model that was cut off learns where; the body does not run."""
    result = tool(page).invoke(sent)

    assert result.error.code == "INVALID_ARGUMENT"
    assert complaint in result.error.message


@pytest.mark.parametrize("sent", [None, "", "  ", "{}", {}, "null", b"{}"], ids=repr)
def test_no_arguments_come_in_many_forms(sent: Any) -> None:
    """Models send all of these for a tool without parameters."""
    assert tool(lambda: 5, name="get").invoke(sent).data == 5


SECRET = "pw-" + "Zx81" * 4


@pytest.mark.parametrize(
    "sent",
    [
        {"every": SECRET, "password": SECRET},
        {"every": 1, "password": [SECRET]},
        {"every": 1, "password": "x", "api_key": SECRET},
        {"every": 1, "password": "x", "spec": {"token": {"value": SECRET}}},
        {"every": 1, "password": "x", "spec": {"token": SECRET, "n": "Bearer " + SECRET}},
        f'{{"every": 1, "password": "{SECRET}"',
    ],
    ids=lambda sent: str(sent)[:40].replace(SECRET, "S"),
)
def test_secrets_are_in_no_message_and_no_log(sent: Any, read_log: Any) -> None:
    """What stands under a secret's name is not quoted, and neither is what a literal secret is."""

    def schedule(every: int, password: str, spec: dict[str, int] | None = None) -> dict[str, Any]:
        return {}

    result = tool(schedule, secrets=[SECRET]).invoke(sent)

    assert result.error.code == "INVALID_ARGUMENT"
    assert SECRET not in result.to_prompt() + str(result.to_dict()) + str(read_log(None))


def test_a_validation_error_of_the_body_shows_no_input(read_log: Any) -> None:
    """pydantic's own text names classes, links and the rejected input: none of it reaches a reader."""

    class Job(BaseModel):
        name: str
        every: int

    result = tool(lambda spec: Job(**spec).model_dump(), name="schedule")(
        {"every": "soon", "password": SECRET}
    )
    everywhere = result.to_prompt() + str(read_log())

    assert result.error.code == "INVALID_ARGUMENT"
    assert [
        word for word in ("pydantic.dev", "input_value", "type=missing", SECRET) if word in everywhere
    ] == []
    assert "name" in result.error.message
    assert "every" in result.error.message


def test_secret_types_stay_hidden(read_log: Any) -> None:
    """pydantic's SecretStr arrives as one and shows nowhere."""
    got = []

    def sign_in(user: str, key: SecretStr) -> dict[str, Any]:
        got.append(key.get_secret_value())
        return {"user": user, "key": key}

    result = tool(sign_in).invoke({"user": "ann", "key": SECRET})

    assert got == [SECRET]
    assert SECRET not in result.to_prompt() + str(read_log())


def test_methods_and_partials_take_what_is_left() -> None:
    """Bound parameters are neither asked for nor accepted twice."""

    class Desk:
        @tool
        def open_ticket(self, title: str, level: int = 1) -> list[Any]:
            return [title, level]

    opened = tool(functools.partial(page, 5, note="fixed"))

    assert Desk().open_ticket.invoke({"title": "x", "level": "2"}).data == ["x", 2]
    assert "missing argument 'title'" in Desk().open_ticket.invoke({}).error.message
    assert opened.invoke({"exact": "yes"}).data["limit"] == 5
    assert opened.invoke({"exact": True, "limit": 9}).error.code == "INVALID_ARGUMENT"


def test_further_names_are_coerced_by_their_annotation() -> None:
    """What `**limits: int` takes is an int, in the schema and in the call."""

    def count(kind: str, **limits: int) -> dict[str, Any]:
        return limits

    made = tool(count)

    assert made.invoke({"kind": "a", "most": "5"}).data == {"most": 5}
    assert made.invoke({"kind": "a", "most": "many"}).error.message == "expected int, got 'many' @ $.most"
    assert made.input_schema["additionalProperties"] == {"type": "integer"}


def test_what_a_partial_binds_by_name_is_not_the_models_to_set() -> None:
    """A tenant that code has bound is neither shown to a model nor taken from it, not even by `**filters`."""

    def search(query: str, tenant: str, **filters: str) -> list[Any]:
        return [query, tenant, filters]

    made = tool(functools.partial(search, tenant="t1"))
    refused = made.invoke({"query": "x", "tenant": "t2"})

    assert "tenant" not in str(made.input_schema)
    assert refused.error.message == "unknown argument 'tenant' @ $.tenant; accepted: query"
    assert made.invoke({"query": "x", "city": "Rome"}).data == ["x", "t1", {"city": "Rome"}]
    assert made("x", tenant="t2").data[1] == "t2"


def test_a_parameter_of_a_class_of_its_own_is_open_in_the_schema() -> None:
    """What JSON Schema can't say does not cost the model the rest of the schema."""

    def move(session: Session, steps: list[Session], mode: Literal["a", "b"] = "a") -> str:
        return mode

    properties = tool(move).input_schema["properties"]

    assert (properties["session"], properties["steps"]) == ({}, {"type": "array", "items": {}})
    assert properties["mode"]["enum"] == ["a", "b"]


def test_variadic_parameters_are_lists_and_further_names() -> None:
    """`*terms` is a list called terms, `**filters` are further names; neither is asked for."""

    def query(kind: str, *terms: int, limit: int = 3, **filters: str) -> list[Any]:
        return [kind, terms, limit, filters]

    made = tool(query)

    assert made.invoke({"kind": "t", "terms": ["1", 2], "limit": "1", "name": "n"}).data == [
        "t",
        [1, 2],
        1,
        {"name": "n"},
    ]
    assert made.invoke({"kind": "t"}).data == ["t", [], 3, {}]
    assert made.input_schema["required"] == ["kind"]


def test_names_like_pydantics_own_are_no_problem() -> None:
    """`schema`, `copy`, `model_config`, `_private`, `json` and `self` reach the function."""

    def take(
        schema: int, copy: int, model_config: int, _private: int, json: int, validate: int = 0
    ) -> list[int]:
        return [schema, copy, model_config, _private, json, validate]

    sent = {"schema": 1, "copy": "2", "model_config": 3, "_private": 4, "json": 5, "validate": 6}

    assert tool(take).invoke(sent).data == [1, 2, 3, 4, 5, 6]


def test_positional_only_parameters_are_sent_by_name() -> None:
    """A model knows names only."""

    def take(a: int, b: int = 2, /, c: int = 3) -> list[int]:
        return [a, b, c]

    assert tool(take).invoke({"a": "1", "c": 9}).data == [1, 2, 9]


def test_defaults_are_the_functions_own_objects() -> None:
    """What was not sent is not copied, validated or passed."""
    marker = object()

    def take(x: int = marker) -> bool:  # type: ignore[assignment]
        return x is marker

    assert tool(take).invoke({}).data is True


def test_a_mutable_default_stays_the_functions_business() -> None:
    """As in Python: the library makes it neither better nor worse."""

    def take(x: list[int] = []) -> bool:  # noqa: B006
        return x is take.__defaults__[0]  # type: ignore[index]

    assert tool(take).invoke({}).data is True


def test_what_the_model_sent_is_not_changed() -> None:
    """The caller's dict and what is in it stay as they were, whatever the body does."""
    sent: dict[str, Any] = {"items": [{"sku": "a", "amount": "2"}], "tags": '["x"]'}

    def take(items: list[Item], tags: list[str]) -> int:
        items.clear()
        tags.append("y")
        return 1

    tool(take).invoke(sent)

    assert sent == {"items": [{"sku": "a", "amount": "2"}], "tags": '["x"]'}


def test_a_model_call_keeps_its_id(read_log: Any) -> None:
    """However long and odd it is, it stands in the log as it was sent."""
    call_id = "call_2945190__thought__" + "A1b2+/=" * 200

    result = tool(page).invoke({"limit": 1}, call_id=call_id)

    assert result.meta["call_id"] == call_id == read_log()[0]["call_id"]
    assert read_log()[0]["call_id_source"] == "model"
    assert call_id not in result.to_prompt()


async def test_ainvoke_validates_alike() -> None:
    """Async and sync functions, the same errors."""

    @tool
    async def fetch(limit: int) -> int:
        return limit

    assert (await fetch.ainvoke({"limit": "3"})).data == 3
    assert (await fetch.ainvoke({"limit": "x"})).error.message == "expected int, got 'x' @ $.limit"
    assert (await tool(page).ainvoke('{"limit": "3"}')).data["limit"] == 3
    assert "await fetch.ainvoke" in fetch.invoke({"limit": 3}).error.message


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["limit", "exact", "tags", "note", "order", "x"]), ANY_JSON)
    | ANY_JSON
    | st.text()
)
def test_whatever_a_model_sends_gets_an_envelope(sent: Any) -> None:
    """A value that fits runs, any other is INVALID_ARGUMENT; never an exception, a link or a class name."""

    def take(
        limit: int, tags: list[str] | None = None, order: Order | None = None, note: Mode = Mode.FAST
    ) -> int:
        return 1

    result = tool(take, log=False).invoke(sent)

    assert result.status == "success" or result.error.code == "INVALID_ARGUMENT"
    if result.error:
        assert re.search(r"pydantic|ValidationError|input_value|https://errors", result.error.message) is None


@pytest.mark.parametrize("name", ["customerId", "CUSTOMER-ID", "Customer Id", "custmer_id"])
def test_a_name_in_another_spelling_gets_a_close_match(name: str) -> None:
    """Models write names as the API behind the tool does."""

    def find(customer_id: str, limit: int = 3) -> None:
        pass

    message = tool(find).invoke({name: "C1"}).error.message

    assert f"unknown argument {name!r}, did you mean 'customer_id'?" in message


Short = Annotated[str, Field(min_length=3, max_length=5)]
Zip = Annotated[str, Field(pattern=r"^\d{5}$")]
Few = Annotated[list[int], Field(max_length=2)]


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (Short, "ab", "expected text of at least 3 characters, got 'ab' @ $.value"),
        (Zip, "12", r"expected text that matches '^\d{5}$', got '12' @ $.value"),
        (Few, [1, 2, 3], "expected a list of at most 2 items, got a list @ $.value"),
        (int, None, "expected int, got null @ $.value"),
        (Short, True, "expected text, got true @ $.value"),
    ],
    ids=str,
)
def test_a_rule_is_told_in_plain_words(kind: Any, value: Any, message: str) -> None:
    """Without the names of pydantic's classes, and with values as they stand in JSON."""

    def take(value: Any) -> None:
        pass

    take.__annotations__["value"] = kind

    assert tool(take).invoke({"value": value}).error.message == message


def test_more_problems_than_fit_are_counted() -> None:
    """Each line that is shown is whole."""

    def take(rows: list[dict[str, int]]) -> None:
        pass

    lines = tool(take).invoke({"rows": [{"n": "x"}] * 40}).error.message.splitlines()

    assert all(line == f"expected int, got 'x' @ $.rows[{n}].n" for n, line in enumerate(lines[:-1]))
    assert lines[-1] == f"and {40 - (len(lines) - 1)} more"
