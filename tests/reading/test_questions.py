"""What can be asked of a stored result: conditions, text, fields, groups; wrong questions are explained."""

from __future__ import annotations

from typing import Any

import pytest

from agent_tools import read_result, tool, trace

CITIES = ["Rome", "Oslo", "Lima", None]
ORDERS: list[dict[str, Any]] = [
    {
        "id": i,
        "city": CITIES[i % 4],
        "amount": i * 1.5,
        "paid": i % 3 == 0,
        "who": {"name": f"ann {i}", "level": i % 5},
        "tags": ["new"] if i % 10 == 0 else [],
        "note": "word " * 8,
    }
    for i in range(400)
]


@pytest.fixture
def result_id() -> str:
    """Store the orders."""
    return str(tool(lambda: ORDERS, name="find_orders", max_tokens=1500)().meta["result_id"])


WHERE: list[tuple[dict[str, Any], Any]] = [
    ({"city": "Rome"}, lambda o: o["city"] == "Rome"),
    ({"city": None}, lambda o: o["city"] is None),
    ({"city": "Rome", "amount": [">", 300]}, lambda o: o["city"] == "Rome" and o["amount"] > 300),
    ({"amount": [">=", 595.5]}, lambda o: o["amount"] >= 595.5),
    ({"amount": ["<", 6]}, lambda o: o["amount"] < 6),
    ({"city": ["!=", "Rome"]}, lambda o: o["city"] != "Rome"),
    ({"city": ["Rome", "Oslo"], "id": ["<", 20]}, lambda o: o["city"] in ("Rome", "Oslo") and o["id"] < 20),
    ({"city": ["in", ["Rome"]]}, lambda o: o["city"] == "Rome"),
    ({"city": ["not in", ["Rome", "Oslo"]]}, lambda o: o["city"] not in ("Rome", "Oslo")),
    ({"who.name": "ann 7"}, lambda o: o["id"] == 7),
    ({"who.level": [">", 3]}, lambda o: o["who"]["level"] > 3),
    ({"city": ["contains", "OM"]}, lambda o: "om" in (o["city"] or "")),
    ({"tags": ["contains", "new"]}, lambda o: "new" in o["tags"]),
    ({"paid": True, "id": ["<", 50]}, lambda o: o["paid"] and o["id"] < 50),
    ({"paid": 1}, lambda o: False),
    ({"amount": [">", "ten"]}, lambda o: False),
    ({"id": "7"}, lambda o: o["id"] == 7),
    ({"id": "007"}, lambda o: False),
    ({"id": ["7", "8"]}, lambda o: o["id"] in (7, 8)),
    ({"amount": [">", "300"]}, lambda o: o["amount"] > 300),
    ({"amount": "> 300"}, lambda o: o["amount"] > 300),
    ({"amount": {">": 300}}, lambda o: o["amount"] > 300),
    ({"amount": {"$gte": 300, "$lt": 400}}, lambda o: 300 <= o["amount"] < 400),
    ({"amount": [[">=", 300], ["<", 400]]}, lambda o: 300 <= o["amount"] < 400),
    ({"amount": ["between", 300, 400]}, lambda o: 300 <= o["amount"] <= 400),
    ({"id": ["between", [7, 9]]}, lambda o: o["id"] in (7, 8, 9)),
    ({"city": ["startswith", "ro"]}, lambda o: o["city"] == "Rome"),
    ({"city": ["ends_with", "lo"]}, lambda o: o["city"] == "Oslo"),
    ({"city": ["like", "%sl%"]}, lambda o: o["city"] == "Oslo"),
    ({"city": ["like", "R%"]}, lambda o: o["city"] == "Rome"),
    ({"paid": "true"}, lambda o: o["paid"] is True),
    ({"city": "null"}, lambda o: o["city"] is None),
    ({"city": ["Oslo", "Rome"]}, lambda o: o["city"] in ("Rome", "Oslo")),
]


@pytest.mark.parametrize(("where", "expected"), WHERE, ids=[str(w) for w, _ in WHERE])
def test_conditions_choose_rows(where: dict[str, Any], expected: Any, result_id: str) -> None:
    """All of them must hold; values that can't be compared don't match. The total is that of the matches."""
    ids = [order["id"] for order in ORDERS if expected(order)]

    page = read_result(result_id, where=where, limit=1000, fields=["id"])

    assert page.error is None
    if not ids:
        assert page.status == "empty"
        return
    assert page.meta["total"] == len(ids)
    assert [row["id"] for row in page.data] == ids[: len(page.data)]
    assert page.meta["numbers"] == ids[: len(page.data)]


def test_matches_are_read_page_by_page(read_all: Any) -> None:
    """The next page asks the same question."""
    result = tool(lambda: ORDERS, name="find_orders", max_tokens=300)()

    pages = read_all(result, 300, where={"city": "Rome"}, fields=["id"])

    assert [row["id"] for page in pages for row in page.data] == list(range(0, 400, 4))


@pytest.mark.parametrize(
    ("text", "n"), [("ann 77", 1), ("ANN 77", 1), ("oslo", 100), ("nowhere", 0), ("597", 1)]
)
def test_text_is_found_in_any_field(text: str, n: int, result_id: str) -> None:
    """Whatever the case; numbers by how they are written."""
    page = read_result(result_id, search=text, limit=1000)

    assert page.meta.get("total", 0) == n


def test_text_is_found_with_its_line_number() -> None:
    """Numbers are counted from 0, as offsets are."""
    lines = [f"step {i}: ok\n" for i in range(5000)]
    lines[4321] = "step 4321: OutOfPaper\n"
    result = tool(lambda: "".join(lines), name="get_log")()

    page = read_result(result.meta["result_id"], search="outofpaper")

    assert page.meta["numbers"] == [4321]
    assert "OutOfPaper" in str(page.data)
    assert "OutOfPaper" in str(read_result(result.meta["result_id"], offset=4321, limit=1).data)


def test_text_is_found_in_keys_of_an_object() -> None:
    """An object is searched key by key."""
    value = {
        f"k{i}": {"text": "word " * 20, "needle": i} if i == 77 else {"text": "word " * 20}
        for i in range(200)
    }
    result = tool(lambda: value, name="get_map", max_tokens=500)()

    assert list(read_result(result.meta["result_id"], search="needle").data) == ["k77"]


def test_fields_are_chosen(result_id: str) -> None:
    """In the order that was asked for; a field that some rows lack is left out there."""
    page = read_result(result_id, limit=3, fields=["city", "id", "who.level"])

    assert page.data[1] == {"city": "Oslo", "id": 1, "who.level": 1}
    assert list(page.data[1]) == ["city", "id", "who.level"]


def test_rows_are_grouped(result_id: str) -> None:
    """One row per group with its size and its metric, the largest group first; null is a group."""
    page = read_result(
        result_id, group_by="city", metrics={"amount": "sum", "id": "max"}, where={"id": ["<", 399]}
    )

    assert page.data[0] == {"city": "Rome", "rows": 100, "amount_sum": 29700.0, "id_max": 396}
    assert {(row["city"], row["rows"]) for row in page.data} == {
        ("Rome", 100),
        ("Oslo", 100),
        ("Lima", 100),
        (None, 99),
    }


METRICS = [
    ("count", 400),
    ("sum", 119_700.0),
    ("mean", 299.25),
    ("avg", 299.25),
    ("median", 299.25),
    ("min", 0.0),
    ("max", 598.5),
    ("distinct", 400),
]


@pytest.mark.parametrize(("metric", "expected"), METRICS)
def test_metrics_are_computed_over_all_rows(metric: str, expected: float, result_id: str) -> None:
    """Without `group_by` all rows are one group."""
    page = read_result(result_id, metrics={"amount": metric})

    assert page.data == [{"rows": 400, f"amount_{metric}": expected}]


def test_groups_by_several_fields(result_id: str) -> None:
    """By a list of fields, also nested ones."""
    page = read_result(result_id, group_by=["paid", "who.level"], limit=100)

    assert len(page.data) == 10
    assert sum(row["rows"] for row in page.data) == 400


WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"where": {"citty": "Rome"}}, ["citty", "city"]),
    ({"where": {"city": [">"]}}, ["city", "[operator, value]"]),
    ({"where": {"amount": ["=>", 5]}}, ["=>", ">="]),
    ({"where": {"city": ["regex", "^R"]}}, ["regex", "starts with"]),
    ({"where": {"city": {"$regex": "^R"}}}, ["$regex", "starts with"]),
    ({"where": {"amount": {">": 5, "and": 7}}}, ["and", ">="]),
    ({"where": {"city": ["in", "Rome"]}}, ["list", "Rome"]),
    ({"where": {"id": ["between", 7]}}, ["between", "7"]),
    ({"fields": ["nope"]}, ["nope", "city"]),
    ({"group_by": "nope"}, ["nope", "city"]),
    ({"metrics": {"nope": "sum"}}, ["nope", "city"]),
    ({"metrics": {"amount": "total"}}, ["total", "sum"]),
    ({"path": "[400]"}, ["list of 400"]),
    ({"path": "orders"}, ["orders", "list of 400"]),
    ({"path": "[0].nope"}, ["nope", "city"]),
    ({"path": "[0].id.x"}, ["x"]),
    ({"path": "[-1]"}, ["[-1]"]),
    ({"path": "[0"}, ["[0"]),
    ({"offset": -1}, ["offset"]),
    ({"limit": 0}, ["limit"]),
    ({"limit": -5}, ["limit"]),
    ({"path": "[0]", "where": {"id": 1}}, ["rows", "path"]),
    ({"where": {"tags": {"a": 1}}}, []),
]


@pytest.mark.parametrize(("asked", "words"), WRONG, ids=[str(a) for a, _ in WRONG])
def test_a_wrong_question_is_explained(asked: dict[str, Any], words: list[str], result_id: str) -> None:
    """What was wrong, and what there is instead; never an internal error."""
    page = read_result.invoke({"result_id": result_id, **asked})

    if not words:
        assert page.status == "empty"
        return
    assert page.error.code == "INVALID_ARGUMENT"
    assert [word for word in words if word not in page.error.message] == []


@pytest.mark.parametrize("offset", [400, 401, 10**9])
def test_past_the_end_is_said(offset: int, result_id: str) -> None:
    """Partial, nothing returned, the total, and where the last row is."""
    page = read_result(result_id, offset=offset)

    assert (page.status, page.data) == ("partial", [])
    assert (page.meta["returned"], page.meta["total"]) == (0, 400)
    assert "399" in page.meta["summary"]


def test_a_huge_limit_is_cut_to_what_fits(result_id: str) -> None:
    """It is no mistake."""
    page = read_result(result_id, limit=10**9)

    assert page.error is None
    assert len(page.data) < 400


def test_a_question_with_no_match_is_empty(result_id: str) -> None:
    """Worked, nothing matched, and what was asked."""
    page = read_result(result_id, where={"city": "Atlantis"})

    assert (page.status, page.data) == ("empty", [])
    assert "Atlantis" in page.to_prompt()
    assert page.meta["summary"] == "The call worked. No row of the stored result matched."


def test_a_page_says_what_to_call_next(result_id: str) -> None:
    """The tool and its arguments, ready to be sent."""
    page = read_result(result_id, offset=20, limit=10, fields=["id"])

    assert page.meta["next"] == {
        "tool": "read_result",
        "arguments": {"result_id": result_id, "offset": 30, "fields": ["id"], "limit": 10},
    }
    assert "20 to 29" in page.meta["summary"]


def test_reading_leaves_a_row_in_the_log(read_log: Any, result_id: str) -> None:
    """It is a tool like any other."""
    read_result(result_id, where={"city": "Rome"})

    assert read_log()[-1]["tool"] == "read_result"
    assert read_log()[-1]["arguments"]["where"] == {"city": "Rome"}


@pytest.mark.parametrize(
    ("text", "noun"), [("word " * 9000, "characters"), ("word\n" * 9000, "lines")], ids=["one line", "lines"]
)
def test_a_page_of_text_says_what_it_counts(text: str, noun: str) -> None:
    """Lines or characters, in both sentences."""
    result = tool(lambda: text, name="get_text", max_tokens=300)()

    page = read_result(result.meta["result_id"])

    assert f"{page.meta['total']} {noun} in all" in page.meta["summary"]
    assert f"These are {noun} 1 to " in page.meta["summary"]


def test_a_page_of_matches_says_that_it_counts_matches(result_id: str) -> None:
    """The total of a question is no total of the whole."""
    page = read_result(result_id, where={"city": "Rome"}, limit=3)

    assert "These are matches 0 to 2" in page.meta["summary"]
    assert "Only what matched is counted" in page.meta["summary"]


@pytest.mark.parametrize(
    ("question", "counted"),
    [
        ({"where": {"city": "Rome"}}, "matching rows in all"),
        ({"search": "rome", "limit": 3}, "matching rows in all"),
        ({"where": {"id": 7}}, "There is 1 matching row in all"),
    ],
    ids=str,
)
def test_what_matched_is_not_taken_for_all(question: dict[str, Any], counted: str) -> None:
    """The total of a page that was asked for with a condition counts what matched, and says so."""
    rows = [{"id": n, "city": "Rome" if n % 4 else "Oslo", "note": "word " * 9} for n in range(400)]
    result_id = tool(lambda: rows, name="find_rows", max_tokens=300)().meta["result_id"]

    page = read_result(result_id, **question)

    assert counted in page.meta["summary"]


def test_measuring_a_page_is_no_call(read_log: Any) -> None:
    """The calls of a trace are numbered without gaps, however often a page was tried for its size."""

    @tool(max_tokens=300)
    def list_notes() -> list[dict[str, Any]]:
        return [{"n": n, "note": "word " * 20} for n in range(200)]

    with trace("a task"):
        result_id = list_notes().meta["result_id"]
        read_result(result_id)
        read_result(result_id, offset=50)

    assert [row["seq"] for row in read_log()] == [1, 2, 3]


def test_a_match_in_a_long_line_is_no_character() -> None:
    """What is found in a text without lines is counted as matches."""
    result_id = tool(lambda: "z" * 40_000 + "NEEDLE", name="load", max_tokens=300)().meta["result_id"]

    assert read_result(result_id, search="needle").meta["summary"] == "There is 1 match in all; it is shown."


def test_texts_have_a_first_and_a_last_but_no_sum(result_id: str) -> None:
    """Dates are texts; a sum of 0 would read as one."""
    page = read_result(result_id, metrics={"who.name": "max", "city": "min", "note": "sum"})

    assert page.data == [{"rows": 400, "who.name_max": "ann 99", "city_min": "Lima", "note_sum": None}]
