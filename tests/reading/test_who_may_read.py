"""Ids, scopes, lifetimes and audiences: who may read a stored result, and what of it."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools import override, read_result, tool, trace, visible_to

BAD_IDS = [
    "../../etc/passwd",
    "/etc/passwd",
    "..\\..\\x",
    "a/b",
    "",
    ".",
    "x" * 5000,
    "a\x00b",
    "C:\\x",
    "%2e%2e%2f",
    "..",
    "id'; DROP TABLE results;--",
    "r_" + "A" * 15,
    "r_" + "A" * 17,
    "r_" + "A" * 15 + "\n",
    "R_" + "A" * 16,
    "r_../../../etc/pw",
]


@tool(max_tokens=300)
def find_orders() -> list[dict[str, Any]]:
    return [{"i": i, "note": "word " * 5} for i in range(300)]


@pytest.mark.parametrize("bad", BAD_IDS, ids=lambda bad: repr(bad)[:24])
def test_a_bad_id_is_not_found(bad: str, home: Path, tmp_path: Path) -> None:
    """Nothing is opened for it, the answer stays short, and the store goes on working."""
    good = find_orders().meta["result_id"]
    before = sorted(path for path in tmp_path.rglob("*"))

    result = read_result.invoke({"result_id": bad})

    assert (result.error.code, result.error.retryable) == ("NOT_FOUND", False)
    assert len(result.to_prompt()) < 700
    assert sorted(path for path in tmp_path.rglob("*")) == before
    assert read_result(good).error is None


@pytest.mark.parametrize("bad", BAD_IDS, ids=lambda bad: repr(bad)[:24])
def test_odd_names_make_no_files(bad: str, home: Path, tmp_path: Path) -> None:
    """As call id, conversation or tenant they are text in a row, never a path; the result can be read."""
    find_orders()
    before = sorted(path for path in tmp_path.rglob("*"))

    with trace(conversation=bad, tenant=bad):
        result = find_orders.invoke({}, call_id=bad or None)
        page = read_result(result.meta["result_id"])

    assert page.error is None
    assert sorted(path for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("value", [7, None, ["r_x"], {"id": 1}, True], ids=repr)
def test_an_id_that_is_no_text_is_refused(value: Any) -> None:
    """From a model and from code."""
    assert read_result.invoke({"result_id": value}).error.code == "INVALID_ARGUMENT"
    assert read_result(value).error.code in ("INVALID_ARGUMENT", "NOT_FOUND")


def test_ids_are_short_random_and_nobodys_choice() -> None:
    """Whatever the model's call id was."""
    call_id = "call_2945190__thought__" + "A1b2+/=" * 200

    ids = [find_orders.invoke({}, call_id=call_id).meta["result_id"] for _ in range(5)]

    assert len(set(ids)) == 5
    assert all(re.fullmatch(r"r_[A-Za-z0-9_-]{16}", result_id) for result_id in ids)


SCOPES = [
    {},
    {"tenant": "a"},
    {"tenant": "b"},
    {"conversation": "a"},
    {"tenant": "a", "conversation": "x"},
    {"tenant": "a", "conversation": "y"},
    {"tenant": "", "conversation": "x"},
    {"conversation": "x"},
]


@pytest.mark.parametrize("own", SCOPES, ids=str)
def test_only_the_own_scope_reads(own: dict[str, str]) -> None:
    """Any other tenant or conversation, or none, looks like an unknown id."""
    with trace(**own):
        result_id = find_orders().meta["result_id"]

    seen = []
    for scope in SCOPES:
        with trace(**scope):
            page = read_result(result_id)
            seen.append(page.error is None)
            assert page.error is None or page.error.code == "NOT_FOUND"

    assert seen == [scope == own for scope in SCOPES]


def test_a_trace_within_the_scope_reads() -> None:
    """Another task of the same conversation goes on with the result."""
    with trace("one", conversation="c"):
        result_id = find_orders().meta["result_id"]
    with trace("two", conversation="c"), trace("inner"):
        assert read_result(result_id).error is None


def test_a_model_can_not_choose_its_scope() -> None:
    """Scope and audience come from the code around, not from arguments."""
    for name in ("tenant", "conversation", "audience", "scope"):
        assert read_result.invoke({"result_id": "r_" + "A" * 16, name: "x"}).error.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("store", ["sqlite", "memory"])
def test_an_expired_id_says_to_call_again(store: str) -> None:
    """Not found and not retryable: the same id will not come back."""
    made = tool(lambda: list(range(9000)), name="find", store=store)
    with override(store_ttl_s=0.001):
        result_id = made().meta["result_id"]
        error = _first_error(result_id)

    assert (error.code, error.retryable) == ("NOT_FOUND", False)
    assert "expired" in error.message
    assert "again" in error.message


def _first_error(result_id: str) -> Any:
    for _ in range(100_000):
        if (error := read_result(result_id).error) is not None:
            return error
    raise AssertionError("it never expired")


def test_a_result_is_kept_where_its_tool_says() -> None:
    """`read_result` finds what a tool keeps in a store of its own."""
    for store in ("memory", True, "sqlite"):
        result = tool(lambda: list(range(9000)), name="find", store=store)()
        assert read_result(result.meta["result_id"], 8999).data == [8999]


def test_without_a_store_nothing_is_promised() -> None:
    """A cut result says that the rest is not kept, and names no id."""
    result = tool(lambda: list(range(9000)), name="find", store=False)()

    assert result.status == "partial"
    assert "result_id" not in result.meta
    assert "read_result" not in result.to_prompt()


def test_what_fits_is_not_stored(home: Path) -> None:
    """No id, no file."""
    assert "result_id" not in tool(lambda: [1, 2], name="find")().meta
    assert not list(home.glob("results.db*"))


def test_pages_are_not_stored_again(read_log: Any) -> None:
    """A page that does not fit shows less; it never has an id of its own."""
    result = tool(lambda: [{"t": "word " * 2000}] * 3, name="find", max_tokens=200)()

    page = read_result(result.meta["result_id"])

    assert "result_id" not in page.meta
    assert page.status == "partial"


# --- audiences


class Order(TypedDict):
    id: int
    margin: Annotated[float, visible_to("plan")]
    who: dict[str, Any]


SECRET = 918273.25


def orders(n: int = 300) -> list[Order]:
    return [{"id": i, "margin": SECRET + i, "who": {"name": f"ann {i}", "code": f"K{i}"}} for i in range(n)]


@tool(max_tokens=400, audience={"who.code": "plan"}, labels={"id": {7: "seven"}})
def list_orders() -> list[Order]:
    return orders()


READS: list[dict[str, Any]] = [
    {},
    {"offset": 299},
    {"search": str(SECRET + 5)},
    {"search": "K7"},
    {"search": "margin"},
    {"fields": ["margin"]},
    {"fields": ["who.code"]},
    {"where": {"margin": [">", SECRET]}},
    {"where": {"who.code": "K7"}},
    {"group_by": "margin"},
    {"group_by": "who.code"},
    {"metrics": {"margin": "sum"}},
    {"metrics": {"who.code": "count"}},
    {"path": "[3]"},
    {"path": "[3].margin"},
    {"path": "[3].who.code"},
    {"path": "[3].who", "search": "K3"},
]


@pytest.mark.parametrize("asked", READS, ids=str)
def test_a_reader_can_not_ask_about_what_it_does_not_see(asked: dict[str, Any]) -> None:
    """Hidden fields are not shown, found, filtered by, grouped by, summed up or named."""
    with trace(audience="answer"):
        result_id = list_orders().meta["result_id"]
        page = read_result(result_id, **asked)

    text = page.to_prompt() + str(page.to_dict())
    echoed = re.sub(r"(?s)\"asked\":.*|'asked':.*", "", text) if page.status == "empty" else text
    assert not re.search(r"9182\d\d\.", str(page.data))
    assert not re.search(r"\bK\d", str(page.data))
    assert "'margin'" not in str(page.data)
    if any("margin" in str(v) or "code" in str(v) for k, v in asked.items() if k not in ("search",)):
        assert page.error is not None, echoed
        assert page.error.code == "INVALID_ARGUMENT"


@pytest.mark.parametrize("asked", READS, ids=str)
def test_the_planner_can(asked: dict[str, Any]) -> None:
    """In a scope without an audience everything can be asked."""
    result_id = list_orders().meta["result_id"]

    assert read_result(result_id, **asked).error is None


@dataclasses.dataclass
class Part:
    n: int
    hidden: Annotated[Any, visible_to("plan")]
    parts: list[Any] = dataclasses.field(default_factory=list)


@given(
    st.lists(
        st.builds(
            Part,
            st.integers(0, 9),
            st.just("SENTINEL"),
            st.lists(st.builds(Part, st.just(1), st.just("SENTINEL")), max_size=3),
        ),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([None, 1, 5]),
)
def test_pages_hide_what_the_answer_view_hides(rows: list[Part], plain_from: int | None) -> None:
    """Page by page equal to the answer view of the whole, for rows of types and plain rows among them."""
    values: list[Any] = [
        {"n": row.n, "hidden": "SENTINEL"} if plain_from is not None and i >= plain_from else row
        for i, row in enumerate(rows)
    ]

    def list_parts() -> Any:
        return values

    settings: Any = {"log": False, "store": "memory", "audience": {"hidden": "plan"} if plain_from else {}}
    whole = tool(list_parts, max_tokens=None, **settings)().to_dict("answer")["data"]
    result = tool(list_parts, max_tokens=64, **settings)()
    if "result_id" not in result.meta or "SENTINEL" in str(whole):
        return
    with trace(audience="answer"):
        pages = [read_result(result.meta["result_id"], n, 1) for n in range(len(values))]

    assert all("SENTINEL" not in page.to_prompt() for page in pages)
    shown = [row for page in pages for row in page.data]
    assert [row.get("n") for row in shown if "n" in row] == [row["n"] for row in whole][: len(shown)]


def test_a_rule_of_rows_far_apart_holds_on_every_page() -> None:
    """A field that only row 900 has is marked for the answer: the others' unmarked fields are hidden, too."""
    rows: list[dict[str, Any]] = [{"i": i, "t": "word " * 5} for i in range(1000)]
    rows[900]["reply"] = "yes"
    result = tool(lambda: rows, name="find", max_tokens=300, audience={"reply": "answer"})()

    with trace(audience="answer"):
        first = read_result(result.meta["result_id"], limit=5)
        there = read_result(result.meta["result_id"], offset=900, limit=1)

    assert first.data == [{}] * 5
    assert there.data == [{"reply": "yes"}]


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"fields": ["plan_id"]},
        {"where": {"plan_id": [">", 70_100]}},
        {"search": "70005"},
        {"group_by": "plan_id"},
        {"metrics": {"plan_id": "max"}},
        {"path": "[3]"},
        {"path": "[3].plan_id"},
        {"offset": 9_999},
    ],
    ids=str,
)
def test_the_answer_view_of_a_page_is_read_for_the_answer(question: dict[str, Any]) -> None:
    """What only the planner sees stays with the planner, whatever the planner has asked."""

    @tool(max_tokens=300, audience={"plan_id": "plan"})
    def find_plans() -> list[dict[str, Any]]:
        return [{"plan_id": 70_000 + n, "city": f"c{n % 7}"} for n in range(400)]

    page = read_result(find_plans().meta["result_id"], **question)
    answer = page.to_prompt("answer")

    assert "70" not in answer.replace("total", "")
    assert "plan_id" not in answer
    assert page.to_dict("answer")["status"] == page.status
    assert "70" in page.to_prompt() or question == {"offset": 9_999}


def test_another_reader_is_shown_no_more_in_another_view() -> None:
    """Who reads as `card` does not get the planner's fields by asking for the planner's view."""

    @tool(max_tokens=300, audience={"plan_id": "plan", "price": "card"})
    def find_plans() -> list[dict[str, Any]]:
        return [{"plan_id": 70_000 + n, "price": n} for n in range(400)]

    result_id = find_plans().meta["result_id"]

    with trace("a card", audience="card"):
        page = read_result(result_id, limit=2)

    assert page.data == [{"price": 0}, {"price": 1}]
    assert "plan_id" not in page.to_prompt("answer") + page.to_prompt()
