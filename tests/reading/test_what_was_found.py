"""What is found is told as it stands in the whole: rows, lines, groups, and the paths inside an object."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_tools import read_result, tool

CITIES = ["Rome", "Oslo", "Lima"]
ORDERS = [
    {
        "id": n,
        "user": {"name": f"ann {n}", "address": {"city": CITIES[n % 3]}},
        "items": [{"sku": f"s{n}-{k}", "qty": k} for k in range(3)],
        "at": f"2026-07-{1 + n % 28:02}T08:00:00",
    }
    for n in range(280)
]


def id_of(value: Any) -> str:
    """Return the id of a result that was cut."""
    return str(tool(lambda: value, name="fetch_data", max_tokens=500)().meta["result_id"])


@pytest.fixture
def orders() -> str:
    """Store the orders."""
    return id_of(ORDERS)


def test_a_field_inside_others_is_named_in_full(orders: str) -> None:
    """Where a row has no field of that name itself."""
    page = read_result(orders, group_by="city")

    assert page.error.message.endswith("inside of others: user.address.city")


@pytest.mark.parametrize("as_text", [False, True], ids=["object", "text"])
def test_a_text_inside_an_object_is_found_where_it_stands(as_text: bool) -> None:
    """The record that has it, with its path; not the first part of a list with hundreds."""
    value = {"page": 1, "data": {"orders": ORDERS}, "other": [{"sku": "none"}]}
    result_id = id_of(json.dumps(value) if as_text else value)

    page = read_result(result_id, search="S33-1")

    assert page.data == {"data.orders[33]": ORDERS[33]}
    assert page.meta["summary"] == "There is 1 match in all; it is shown."
    assert read_result(result_id, path="data.orders[33].id").data == 33


def test_matches_inside_an_object_are_read_page_by_page(read_all: Any) -> None:
    """Each once, with the total of the matches."""
    result = tool(lambda: {"page": 1, "orders": ORDERS}, name="fetch_data", max_tokens=500)()

    pages = read_all(result, 500, search="oslo")

    assert [path for page in pages for path in page.data] == [f"orders[{n}]" for n in range(1, 280, 3)]
    assert {page.meta["total"] for page in pages} == {93}
    assert pages[0].meta["summary"].startswith("There are 93 matches in all")


def test_a_match_in_a_long_text_inside_an_object_is_shown_with_what_is_around_it() -> None:
    """The whole text would not fit."""
    value = {"title": "a page", "body": "word " * 5000 + "NEEDLE" + " word" * 5000}

    page = read_result(id_of(value), search="needle")

    assert list(page.data) == ["body"]
    assert "NEEDLE" in page.data["body"][0]["text"]


def test_texts_are_chosen_and_grouped_by_their_value() -> None:
    """A list of them has no fields."""
    result_id = id_of([f"/srv/{'test' if n % 3 else 'docs'}/file" for n in range(700)])

    groups = read_result(result_id, group_by="value")
    chosen = read_result(result_id, where={"value": ["contains", "docs"]}, limit=1)

    assert groups.data == [{"value": "/srv/test/file", "rows": 466}, {"value": "/srv/docs/file", "rows": 234}]
    assert chosen.meta["total"] == 234


def test_groups_are_not_counted_as_rows(orders: str) -> None:
    """There are 280 rows."""
    page = read_result(orders, group_by="user.address.city")

    assert page.meta["summary"] == "There are 3 groups in all; all are shown."


def test_lines_that_were_found_have_the_numbers_that_a_cut_shows() -> None:
    """From 1; `numbers` are offsets."""
    lines = [f"step {n}: {'late' if n in (421, 422, 700) else 'ok'}" for n in range(900)]

    page = read_result(id_of("\n".join(lines)), search="late")

    assert [part["lines"] for part in page.data] == ["422", "423", "701"]
    assert page.meta["numbers"] == [421, 422, 700]
    assert page.meta["summary"] == "There are 3 matching lines in all; all are shown."


def test_a_page_of_a_text_says_how_its_data_is_read() -> None:
    """Line 77 of a CSV is another row than row 77 of the cut."""
    result_id = id_of("id,city\n" + "".join(f"{n},{CITIES[n % 3]}\n" for n in range(700)))

    lines = read_result(result_id, offset=77, limit=1)
    rows = read_result(result_id, offset=77, limit=1, path="$")

    assert lines.data == [{"lines": "78", "text": "76,Oslo\n"}]
    assert "This is line 78." in lines.meta["summary"]
    assert "path='$'" in lines.meta["summary"]
    assert rows.data == [{"id": 77, "city": "Lima"}]


def test_a_pattern_that_found_nothing_is_explained() -> None:
    """Nothing matched it as it stands, which says nothing of its parts."""
    result_id = id_of("\n".join(f"WARN {n}" for n in range(900)))

    page = read_result(result_id, search="ERROR|WARN")

    assert "not for a pattern" in page.meta["summary"]


def test_a_map_has_the_fields_of_its_rows() -> None:
    """It was shown with the columns `key` and `value`."""
    page = read_result(id_of({f"disk-{n}": n for n in range(600)}), fields=["key"], limit=1)

    assert page.data == [{"key": "disk-0"}]
