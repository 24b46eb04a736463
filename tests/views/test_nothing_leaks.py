"""What is for the planner only appears nowhere in another view: data, summary, statistics, meta, error."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any, NotRequired, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools import NotFound, ToolError, ToolResult, read_result, tool, trace, visible_to
from agent_tools.testing import assert_hidden

SENTINEL = "SENTINEL"

# every hidden value has the sentinel in it: a text with it, or a number that is in no other value
HIDDEN_NUMBER = 918273645
HIDDEN = st.one_of(
    st.text("abc ", max_size=30).map(lambda text: f"{text}{SENTINEL}{text}"),
    st.just(HIDDEN_NUMBER),
    st.just(HIDDEN_NUMBER + 0.5),
    st.lists(st.just(SENTINEL), min_size=1, max_size=3),
    st.fixed_dictionaries({"deep": st.just(SENTINEL), SENTINEL: st.just(1)}),
)
SEEN = st.one_of(
    st.none(), st.booleans(), st.integers(-100, 100), st.text("xyz é\n", max_size=20), st.floats(0, 1)
)
FIELDS = st.sampled_from(["a", "b", "items", "data", "total", "error", "next_cursor", "status"])


@st.composite
def records(draw: Any, inner: Any = SEEN) -> dict[str, Any]:
    """Draw a record with hidden and other fields."""
    record = draw(st.dictionaries(FIELDS, inner, max_size=4))
    if draw(st.booleans()):
        record["hidden"] = draw(HIDDEN)
    if draw(st.booleans()):
        record["box"] = {"inner": draw(HIDDEN), "n": draw(SEEN)}
    return record


NESTED = st.recursive(
    records(),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4) | records(inner) | st.lists(records(inner), max_size=3)
    ),
    max_leaves=6,
)
AUDIENCE = {"hidden": "plan", "box.inner": ["plan", "card"]}


def leaks(text: str) -> bool:
    """Say whether something hidden stands in a text."""
    return SENTINEL in text or str(HIDDEN_NUMBER) in text


def everything_of(result: ToolResult[Any], view: str) -> str:
    """Return all that a reader gets."""
    return result.to_prompt(view) + str(result.to_dict(view))


@given(
    NESTED,
    st.integers(0, 200),
    st.sampled_from([64, 90, 150, 400, 1500, None]),
    st.sampled_from(["auto", "json", "table", "csv", "text", "markdown", "yaml"]),
)
def test_no_value_for_the_planner_is_in_the_answer(
    value: Any, copies: int, max_tokens: Any, format_: str
) -> None:
    """Whatever the shape, the budget and the format, also when rows are cut, ranked and summed up."""
    if isinstance(value, list):
        value = value * (1 + copies)

    def find_orders(city: str, hidden: Any = None) -> Any:
        return value

    made = tool(
        find_orders, audience=AUDIENCE, max_tokens=max_tokens, format=format_, log=False, store="memory"
    )
    result = made(f"in {SENTINEL}", hidden=HIDDEN_NUMBER)

    assert not leaks(everything_of(result, "answer"))
    assert not leaks(str(result.to_views()["payload"]["answerData"]))
    assert_hidden(result)


BIG = [
    {"id": i, "hidden": f"{SENTINEL}{i % 7}", "amount": HIDDEN_NUMBER, "note": "word " * 8}
    for i in range(400)
]


@pytest.mark.parametrize(
    "settings",
    [
        {"important": "hidden"},
        {"important": lambda row: row["hidden"]},
        {"summary": lambda rows: f"the first is {rows[0]}"},
        {"summary": str},
        {"fields": ["hidden", "id"]},
        {"labels": {"hidden": {f"{SENTINEL}1": "first"}}},
    ],
    ids=lambda settings: next(iter(settings)),
)
def test_the_settings_of_a_tool_open_no_door(settings: dict[str, Any]) -> None:
    """A ranking, a summary of the tool's own, a choice of fields see what the reader sees."""
    made = tool(lambda: BIG, name="find_orders", audience={"hidden": "plan", "amount": "plan"}, **settings)

    result = made()

    assert not leaks(everything_of(result, "answer"))


def fail(error: Exception) -> Any:
    raise error


@pytest.mark.parametrize(
    "make",
    [
        lambda: fail(NotFound(f"no {SENTINEL}", hint=f"ask {SENTINEL}", sub_code=SENTINEL)),
        lambda: fail(ToolError(f"x {SENTINEL}", code="OWN_CODE", data={"rows": [{"hidden": SENTINEL}]})),
        lambda: fail(ValueError(f"bad {SENTINEL}")),
        lambda: fail(KeyError(SENTINEL)),
        lambda: ToolResult.fail("NOT_FOUND", f"no {SENTINEL}", data={"hidden": SENTINEL}, source=SENTINEL),
        lambda: ToolResult.ok(
            [1], warnings=[SENTINEL], source=SENTINEL, own={"k": SENTINEL}, summary=SENTINEL
        ),
        lambda: ToolResult.partial([1], total=9, next=SENTINEL, failed=[{"key": SENTINEL}], **{SENTINEL: 1}),
        lambda: ToolResult.empty([], source=SENTINEL, hint=SENTINEL, asked={"q": SENTINEL}),
        lambda: {"error": f"no such {SENTINEL}"},
        lambda: {"items": [1], "next_cursor": SENTINEL},
        lambda: {"hidden": float("nan"), "items": [{"hidden": {SENTINEL: float("nan")}}]},
    ],
)
def test_what_stands_around_the_data_is_the_librarys_own(make: Any) -> None:
    """Error texts, hints, warnings, cursors and a tool's own meta may repeat anything: they stay away."""
    made = tool(lambda q: make(), name="find_orders", audience={"hidden": "plan", "next_cursor": "plan"})

    result = made(SENTINEL)
    text = everything_of(result, "answer")
    assert SENTINEL in result.to_prompt("plan")
    assert SENTINEL not in text


ROWS = [{"hidden": f"{SENTINEL}{i}", "编号": f"{SENTINEL}x{i}", "city": "Rome"} for i in range(3)]
CELLS = [list(row.values()) for row in ROWS]
WAYS: dict[str, Any] = {
    "json text": json.dumps(ROWS),
    "json in a field": {"body": json.dumps(ROWS), "n": 1},
    "json in json": {"body": json.dumps({"inner": json.dumps(ROWS)})},
    "json lines": "\n".join(map(json.dumps, ROWS)),
    "json lines in a field": {"log": "\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS)},
    "csv": "hidden,编号,city\n" + "".join(f"{a},{b},{c}\n" for a, b, c in CELLS),
    "csv with quotes": '"hidden";"编号";"city"\r\n' + "".join(f'"{a}";"x\n{b}";{c}\r\n' for a, b, c in CELLS),
    "markdown table": "| hidden | 编号 | city |\n|---|---|---|\n"
    + "".join(f"| {a} | {b} | {c} |\n" for a, b, c in CELLS),
    "yaml": "".join(f"- hidden: {a}\n  编号: '{b}'\n  city: {c}\n" for a, b, c in CELLS),
    "query": f"https://example.com/?hidden={SENTINEL}1&city=Rome",
    "log": f"INFO Rome hidden={SENTINEL} took 3 ms\nINFO Rome {{'hidden': '{SENTINEL} x', 'n': 1}}",
    "repr": repr(ROWS),
    "table": {"columns": ["hidden", "编号", "city"], "rows": CELLS},
    "table of described columns": {"columns": [{"name": n} for n in ROWS[0]], "data": CELLS, "total": 3},
    "rows with a header": [list(ROWS[0]), *CELLS],
    "columns": {name: [row[name] for row in ROWS] for name in ROWS[0]},
}


@pytest.mark.parametrize("copies", [1, 700])
@pytest.mark.parametrize("way", WAYS)
def test_records_hide_in_no_text_and_in_no_table(way: str, copies: int) -> None:
    """However rows are written, cut or not: the fields for the planner are gone, the others are there."""
    value = WAYS[way]
    if copies > 1:
        value = {"parts": [value] * copies}
    made = tool(
        lambda: value,
        name="list_rows",
        audience={"hidden": "plan", "编号": "plan"},
        log=False,
        store="memory",
    )

    result = made()

    assert SENTINEL in result.to_prompt("plan")
    assert not leaks(everything_of(result, "answer"))
    assert "Rome" in result.to_prompt("answer")


@pytest.mark.parametrize(
    "text", ["Dear Ann, hidden, Bo\nthanks for all the fish.\nYours", "nothing hidden here", "hidden", ""]
)
def test_prose_that_has_a_name_in_it_stays(text: str) -> None:
    """A text that only mentions a field holds no record."""
    result = tool(lambda: {"note": text}, name="get_note", audience={"hidden": "plan"}, log=False)()

    assert result.to_dict("answer")["data"] == {"note": text}


@pytest.mark.parametrize("way", ["json lines", "csv"])
def test_a_stored_text_shows_a_reader_no_more_than_the_result(way: str) -> None:
    """Pages, searches and groups of a text that holds records are of what this reader may see."""
    head, _, body = WAYS[way].partition("\n")
    text = f"{head}\n" + (body.rstrip("\n") + "\n") * 400
    made = tool(lambda: text, name="list_rows", audience={"hidden": "plan", "编号": "plan"}, max_tokens=200)
    result_id = made().to_dict()["meta"]["result_id"]

    with trace("answer", audience="answer"):
        pages = [read_result(result_id, **asked) for asked in ({}, {"offset": 300}, {"search": "Rome"})]
        nothing = read_result(result_id, search=f"{SENTINEL}1")

    assert all("Rome" in page.to_prompt("answer") for page in pages)
    assert not any(SENTINEL in page.to_prompt("plan") for page in pages)
    assert nothing.status == "empty"


def test_a_code_from_the_data_is_no_word_of_the_author() -> None:
    """A code that came with the data may be any field's value; one that was raised is told."""
    told = tool(lambda: {"error": "no", "code": f"{SENTINEL}_7"}, name="find_x", audience={"code": "plan"})
    raised = tool(lambda: fail(ToolError("no", code="OWN_CODE")), name="find_y", audience={"code": "plan"})

    assert SENTINEL in told().to_prompt("plan")
    assert SENTINEL not in everything_of(told(), "answer")
    assert raised().to_dict("answer")["error"]["code"] == "OWN_CODE"


@dataclasses.dataclass
class Row:
    shown: int
    hidden: Annotated[Any, visible_to("plan")]


@given(st.lists(st.builds(Row, st.integers(0, 9), HIDDEN), max_size=60), st.sampled_from([64, 200, 1500]))
def test_marks_of_a_type_hide_as_well_as_rules(rows: list[Row], max_tokens: int) -> None:
    """For rows of a dataclass, cut or not."""
    result = tool(lambda: rows, name="list_rows", max_tokens=max_tokens, log=False, store="memory")()

    assert_hidden(result, views=("answer", "card"))
    assert not leaks(everything_of(result, "answer"))


def test_a_view_of_ones_own_leaks_neither() -> None:
    """Every audience but the planner gets the same care."""
    result = tool(lambda: BIG, name="find_orders", audience={"hidden": "plan", "amount": ["plan", "card"]})()

    assert SENTINEL not in everything_of(result, "card")
    assert str(HIDDEN_NUMBER) in everything_of(result, "card")
    assert not leaks(everything_of(result, "other"))


class Tree(TypedDict):
    n: int
    hidden: Annotated[str, visible_to("plan")]
    left: Tree | None
    right: Tree | None
    rest: NotRequired[list[Tree]]


def grow(depth: int) -> Tree:
    """Make a tree that goes down to the right."""
    tree: Tree = {"n": 0, "hidden": SENTINEL, "left": None, "right": None}
    for n in range(depth):
        tree = {"n": n, "hidden": SENTINEL, "left": None, "right": tree}
        if n % 3 == 0:
            tree["rest"] = [{"n": n, "hidden": SENTINEL, "left": None, "right": None}]
    return tree


@pytest.mark.parametrize("depth", [1, 8, 9, 10, 11, 12, 30, 80])
def test_a_recursive_type_hides_at_any_depth(depth: int) -> None:
    """The places of a type that is in itself can't all be listed; what it marks is hidden all the same."""

    @tool(max_tokens=None)
    def get_tree() -> Tree:
        return grow(depth)

    result = get_tree()

    assert SENTINEL not in everything_of(result, "answer")
    assert result.to_prompt("answer").count('"n":') == result.to_prompt().count('"n":') > depth
