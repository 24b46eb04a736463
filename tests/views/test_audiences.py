"""Who sees a field: rules of the decorator, marks of types, through a whole call."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple, Optional, TypedDict

import attrs
import pytest
from pydantic import BaseModel

from agent_tools import ToolResult, tool, visible_to


def answer_of(value: Any, **settings: Any) -> Any:
    """Return what the answer writer gets of a value."""
    return tool(lambda: value, name="get_order", **settings)().to_dict("answer")["data"]


ORDER = {"id": 7, "score": 0.93, "city": "Rome"}

RULES: list[tuple[dict[str, Any], Any, Any]] = [
    ({"score": "plan"}, ORDER, {"id": 7, "city": "Rome"}),
    ({"score": "plan"}, [ORDER, ORDER], [{"id": 7, "city": "Rome"}] * 2),
    ({"score": "plan"}, {"orders": [ORDER], "n": 1}, {"orders": [{"id": 7, "city": "Rome"}], "n": 1}),
    ({"score": "plan"}, {"a": {"b": {"c": [[ORDER]]}}}, {"a": {"b": {"c": [[{"id": 7, "city": "Rome"}]]}}}),
    ({"score": ["plan", "answer"]}, ORDER, {"score": 0.93}),
    ({"city": "answer"}, ORDER, {"city": "Rome"}),
    ({"city": "answer", "score": "plan"}, ORDER, {"city": "Rome"}),
    ({"city": "answer"}, {"orders": [ORDER], "total": 1}, {"orders": [{"city": "Rome"}], "total": 1}),
    ({"score": []}, ORDER, {"id": 7, "city": "Rome"}),
    ({"customer.id": "plan"}, {"id": 1, "customer": {"id": 2, "n": 3}}, {"id": 1, "customer": {"n": 3}}),
    ({"customer.id": "plan"}, {"customer": [{"id": 2, "n": 3}]}, {"customer": [{"n": 3}]}),
    ({"customer.id": "plan"}, {"page": [{"customer": {"id": 2}}]}, {"page": [{"customer": {}}]}),
    ({"a.b.c": "plan"}, {"a": {"b": {"c": 1, "d": 2}, "c": 3}}, {"a": {"b": {"d": 2}, "c": 3}}),
    ({"a.a": "plan"}, {"a": {"a": {"a": 1, "x": 2}}}, {"a": {}}),
    ({"customer": "plan"}, {"customer": {"id": 2}, "n": 1}, {"n": 1}),
    ({"nowhere": "plan"}, ORDER, ORDER),
    ({"score": "card"}, ORDER, {"id": 7, "city": "Rome"}),
]


@pytest.mark.parametrize(("audience", "value", "seen"), RULES, ids=[str(a) for a, _, _ in RULES])
def test_a_rule_holds_wherever_its_path_is(audience: dict[str, Any], value: Any, seen: Any) -> None:
    """At the top, in lists, in wrappers and deep below; and the planner's view is as the rules say."""
    assert answer_of(value, audience=audience) == seen


def test_a_field_for_nobody_is_in_no_view() -> None:
    """An empty list of readers: the value stays with the code."""
    result = tool(lambda: ORDER, name="get", audience={"score": []})()

    assert result.data == {"id": 7, "city": "Rome"}
    assert result.to_dict("answer")["data"] == {"id": 7, "city": "Rome"}
    assert result.value is ORDER


def test_a_rule_of_one_row_holds_for_all() -> None:
    """Rows of a list are of one type: a row without the marked field hides its unmarked ones, too."""
    rows = [{"city": "Rome", "score": 1}, {"score": 2}, {"other": 3}]

    assert answer_of(rows, audience={"city": "answer"}) == [{"city": "Rome"}, {}, {}]


@dataclasses.dataclass
class DataOrder:
    plan_id: Annotated[str, visible_to("plan")]
    status: str
    parts: list[DataOrder] = dataclasses.field(default_factory=list)


class ModelOrder(BaseModel):
    plan_id: Annotated[str, visible_to("plan")]
    status: str
    parts: list[ModelOrder] = []


@attrs.define
class AttrsOrder:
    plan_id: Annotated[str, visible_to("plan")]
    status: str
    parts: list[Any] = attrs.field(factory=list)


class TupleOrder(NamedTuple):
    plan_id: Annotated[str, visible_to("plan")]
    status: str
    parts: tuple[Any, ...] = ()


class DictOrder(TypedDict):
    plan_id: Annotated[str, visible_to("plan")]
    status: str
    parts: list[DictOrder]


ORDER_TYPES = pytest.mark.parametrize("kind", [DataOrder, ModelOrder, AttrsOrder, TupleOrder, DictOrder])
WRAPPERS: dict[str, tuple[Any, Any]] = {
    "bare": (lambda kind: kind, lambda order: order),
    "list": (lambda kind: list[kind], lambda order: [order]),  # type: ignore[valid-type]
    "optional": (lambda kind: Optional[kind], lambda order: order),  # noqa: UP045
    "dict of lists": (lambda kind: dict[str, list[kind]], lambda order: {"x": [order]}),  # type: ignore[valid-type]
    "tuple": (lambda kind: tuple[int, kind], lambda order: (1, order)),  # type: ignore[valid-type]
}


@ORDER_TYPES
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_marks_of_types_hold(kind: Any, wrapper: str) -> None:
    """Every record type, at the top, nested in itself and in containers; nothing is trimmed by hand."""
    annotate, wrap = WRAPPERS[wrapper]
    inner = kind(plan_id="p-2", status="open", parts=[])

    def get_order() -> Any:
        return wrap(kind(plan_id="p-1", status="paid", parts=[inner]))

    get_order.__annotations__["return"] = annotate(kind)
    result = tool(get_order)()

    plan, answer = json.dumps(result.to_dict("plan")), json.dumps(result.to_dict("answer"))
    assert "p-1" in plan
    assert "p-2" in plan
    assert "plan_id" not in answer
    assert "p-1" not in answer
    assert "p-2" not in answer
    assert '"status": "paid"' in answer
    assert '"status": "open"' in answer


@ORDER_TYPES
@pytest.mark.parametrize("how", ["generator", "result"])
def test_marks_hold_however_rows_come(kind: Any, how: str) -> None:
    """Rows of a generator and of a result made by hand are the same rows."""
    row = kind(plan_id="p-1", status="open", parts=[])

    def rows() -> Iterator[Any]:
        yield row

    def get_orders() -> Any:
        return rows() if how == "generator" else ToolResult.ok([row])

    annotations = {"generator": Iterator[kind], "result": ToolResult[list[kind]]}  # type: ignore[valid-type]
    get_orders.__annotations__["return"] = annotations[how]
    text = tool(get_orders)().to_prompt("answer")

    assert "open" in text
    assert "p-1" not in text
    assert "plan_id" not in text


class Marked(BaseModel):
    id: int
    note: Annotated[str, visible_to("answer")]
    cost: Annotated[float, visible_to("plan", "card")]
    logo: Annotated[str, visible_to("card")] = "logo.png"


@pytest.mark.parametrize(
    ("view", "fields"),
    [("plan", {"id", "cost"}), ("answer", {"note"}), ("card", {"cost", "logo"}), ("other", set())],
)
def test_every_audience_sees_its_fields(view: str, fields: set[str]) -> None:
    """A mark names all that see a field; an unmarked one is the planner's once a field is marked."""
    result = tool(lambda: Marked(id=1, note="n", cost=2.5), name="get")()

    assert result.to_dict(view)["data"].keys() == fields


def test_two_types_at_one_place_give_the_stricter_mark() -> None:
    """A list of both kinds hides what either of them hides."""

    @dataclasses.dataclass
    class Open:
        owner: str

    @dataclasses.dataclass
    class Closed:
        owner: Annotated[str, visible_to("plan")]

    assert answer_of([Open("a"), Closed("b")]) == [{}, {}]


def test_marks_are_inherited_and_may_be_changed() -> None:
    """A subclass has the marks of its base, but for a field that it writes anew."""

    @dataclasses.dataclass
    class Base:
        secret: Annotated[int, visible_to("plan")] = 1
        own: Annotated[int, visible_to("plan")] = 2

    @dataclasses.dataclass
    class Child(Base):
        own: int = 3

    assert answer_of(Child()) == {"own": 3}


def test_rules_and_marks_add_up() -> None:
    """What either hides is hidden."""
    order = DataOrder("p", "open")

    assert answer_of(order, audience={"status": "plan"}) == {"parts": []}


LABELS = {"status": {0: "disabled", 1: "active"}}


@pytest.mark.parametrize(
    ("value", "plan", "answer"),
    [
        ({"status": 1}, {"status": 1, "status_label": "active"}, {"status_label": "active"}),
        ([{"status": 0}], [{"status": 0, "status_label": "disabled"}], [{"status_label": "disabled"}]),
        ({"status": 9}, {"status": 9}, {}),
        ({"status": "1"}, {"status": "1", "status_label": "active"}, {"status_label": "active"}),
        ({"status": None}, {"status": None}, {}),
        (
            {"a": {"status": 1, "n": 2}},
            {"a": {"status": 1, "status_label": "active", "n": 2}},
            {"a": {"status_label": "active", "n": 2}},
        ),
        ({"status": 1, "status_label": "own"}, {"status": 1, "status_label": "own"}, {"status_label": "own"}),
        ({"status": True}, {"status": True}, {}),
        ({"status": 1.0}, {"status": 1.0, "status_label": "active"}, {"status_label": "active"}),
    ],
    ids=str,
)
def test_a_bare_code_gets_its_label(value: Any, plan: Any, answer: Any) -> None:
    """Beside the code; the code itself is for the planner, an unknown one gets no label."""
    result = tool(lambda: value, name="get_user", labels=LABELS)()

    assert result.to_dict("plan")["data"] == plan
    assert result.to_dict("answer")["data"] == answer


@pytest.mark.parametrize(
    ("labels", "code"),
    [({True: "yes", False: "no"}, True), ({"1": "yes"}, 1), ({"A": "yes"}, "A")],
    ids=str,
)
def test_codes_are_of_any_kind(labels: Any, code: Any) -> None:
    """Booleans, text, and labels that were read from JSON."""
    result = tool(lambda: {"status": code}, name="get", labels={"status": labels})()

    assert result.data["status_label"] == "yes"


def test_labels_are_for_one_path() -> None:
    """`user.status` is not `order.status`."""
    value = {"user": {"status": 1}, "order": {"status": 1}}

    result = tool(lambda: value, name="get", labels={"user.status": {1: "active"}})()

    assert result.data == {"user": {"status": 1, "status_label": "active"}, "order": {"status": 1}}
    assert result.to_dict("answer")["data"] == {"user": {"status_label": "active"}, "order": {"status": 1}}


def test_a_labelled_code_can_be_shown() -> None:
    """When `audience=` says so."""
    result = tool(lambda: {"status": 1}, name="get", labels=LABELS, audience={"status": ["plan", "answer"]})()

    assert result.to_dict("answer")["data"]["status"] == 1


def test_both_readers_learn_how_it_ended() -> None:
    """Status, code and retryable agree; the answer writer's sentence is the library's."""

    def get_order() -> None:
        raise LookupError("no row 4711 in db-7.internal")

    result = tool(get_order, errors={LookupError: "NOT_FOUND"})()
    plan, answer = result.to_dict("plan"), result.to_dict("answer")

    assert plan["status"] == answer["status"] == "error"
    assert {plan["error"][key] == answer["error"][key] for key in ("code", "retryable", "recovery")} == {True}
    assert "4711" in plan["error"]["message"]
    assert answer["error"]["message"] == "What was asked for was not found."


def test_a_view_that_hides_everything_still_says_how_it_ended() -> None:
    """A result is not lost because a reader may see none of its fields."""
    result = tool(lambda: [{"score": 1}] * 3, name="find_orders", audience={"score": "plan"})()

    shown = json.loads(result.to_prompt("answer"))

    assert shown["status"] == "success"
    assert "3" in shown["meta"]["summary"]


def test_a_view_is_drawn_once(read_log: Any) -> None:
    """Asking twice gives the same text and one row in the log."""
    result = tool(lambda: ORDER, name="get", audience={"score": "plan"})()

    first, second = result.to_prompt("answer"), result.to_prompt("answer")

    assert first == second
    assert len(read_log("tool_view")) == 1


def test_projecting_copies_nothing_that_is_seen_whole() -> None:
    """The function's own objects are never changed, and what nobody hides is not copied."""
    value = {"a": {"score": 1, "n": 2}, "b": {"n": [1, 2]}}
    before = json.dumps(value)

    result = tool(lambda: value, name="get", audience={"score": "plan"})()
    result.to_prompt("answer")

    assert json.dumps(value) == before
    assert result.data["b"]["n"] == [1, 2]
