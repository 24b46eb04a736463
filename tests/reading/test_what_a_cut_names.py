"""What a cut names can be asked for: fields of the entries of a list, rows of a table, days."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", ["items[].sku", "items.sku", "items[*].sku", "items[1].sku"])
def test_a_field_of_entries_chooses_rows(orders: str, name: str) -> None:
    """The summary of a cut names it so; one entry that fits is enough."""
    page = read_result(orders, where={name: "s33-1"}, fields=["id"])

    assert page.data == [{"id": 33}]


def test_a_field_of_entries_is_grouped_and_added(orders: str) -> None:
    """A row is in the group of each of its entries."""
    groups = read_result(orders, group_by="items[].qty")
    total = read_result(orders, metrics={"items[].qty": "sum"})
    shown = read_result(orders, fields=["items[].sku"], limit=1)

    assert groups.data == [{"items[].qty": k, "rows": 280} for k in range(3)]
    assert total.data == [{"rows": 280, "items[].qty_sum": 840}]
    assert shown.data == [{"items[].sku": ["s0-0", "s0-1", "s0-2"]}]


def test_a_list_contains_what_its_entries_hold(orders: str) -> None:
    """That no list has the text as an entry of its own is no answer."""
    page = read_result(orders, where={"items": ["contains", "s33-1"]})

    assert [row["id"] for row in page.data] == [33]


@pytest.mark.parametrize(
    ("condition", "days"),
    [
        ("2026-07-20", [20]),
        (["2026-07-20", "2026-07-21"], [20, 21]),
        (["<=", "2026-07-02"], [1, 2]),
        ([">", "2026-07-27"], [28]),
        (["between", "2026-07-05", "2026-07-06"], [5, 6]),
        (["!=", "2026-07-20"], [day for day in range(1, 29) if day != 20]),
        ("2026-07-20T09:00:00", []),
    ],
    ids=str,
)
def test_a_time_is_on_its_day(orders: str, condition: Any, days: list[int]) -> None:
    """A day without a time of day means all of it."""
    page = read_result(orders, where={"at": condition}, group_by="at", limit=100)

    assert [int(row["at"][8:10]) for row in page.data] == days


@pytest.mark.parametrize("path", ["rows[7].id", "data.rows[7].id", "[7].id"])
def test_rows_of_a_table_have_the_path_that_was_shown(path: str) -> None:
    """Records are shown as columns and rows, and stored as a list."""
    rows = [{"id": n, "note": "word " * 5} for n in range(300)]

    assert read_result(id_of(rows), path=path).data == 7
    assert read_result(id_of({"rows": rows}), path="rows.rows[7].id").data == 7


def test_a_field_of_all_rows_is_no_path(orders: str) -> None:
    """The error says how to read it."""
    page = read_result(orders, path="[*].id")

    assert "`fields` reads fields of all its rows" in page.error.message


def test_sums_have_no_odd_digits() -> None:
    """Of amounts with two digits the sum has two."""
    result_id = id_of([{"n": n, "amount": 0.1, "note": "word " * 5} for n in range(300)])

    page = read_result(result_id, metrics={"amount": "sum"})

    assert page.data == [{"rows": 300, "amount_sum": 30.0}]


def test_a_text_has_no_paths() -> None:
    """The error says what to use."""
    page = read_result(id_of("\n".join(f"## Section {n}" for n in range(900))), path="Section 30")

    assert "there is a text: it has no paths, use `search` or `offset`" in page.error.message
