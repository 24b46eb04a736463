"""What was shown in a cut can be asked for as it was shown: rows of a text or a map, lines from one on."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_tools import read_result, tool

ROWS = [{"id": n, "city": ["Rome", "Oslo"][n % 2], "load": n % 7} for n in range(400)]
TEXTS = {
    "CSV": "id,city,load\n" + "".join(f"{r['id']},{r['city']},{r['load']}\n" for r in ROWS),
    "JSON": json.dumps(ROWS, indent=2),
    "JSON lines": "\n".join(map(json.dumps, ROWS)),
    "JSON in an object": json.dumps({"page": 1, "items": ROWS}),
}


def cut(value: Any, max_tokens: int = 500) -> Any:
    """Return the meta and the data of a result that was cut."""
    result = tool(lambda: value, name="fetch_data", max_tokens=max_tokens)()
    assert result.status == "partial"
    return result.meta, result.data


@pytest.mark.parametrize("form", TEXTS)
def test_the_rows_of_a_text_go_on_where_those_shown_ended(form: str) -> None:
    """What `next` says is the row after the first ones."""
    meta, data = cut(TEXTS[form])

    page = read_result.invoke(meta["next"]["arguments"])

    rows = data["items"] if isinstance(data, dict) else data
    shown = len([row for n, row in enumerate(rows) if row == ROWS[n]])
    assert page.data[0] == ROWS[shown]
    assert page.meta["total"] == 400


@pytest.mark.parametrize("form", ["CSV", "JSON", "JSON lines"])
def test_the_rows_of_a_text_are_chosen_and_grouped(form: str) -> None:
    """The cut showed rows with these fields."""
    result_id = cut(TEXTS[form])[0]["result_id"]

    chosen = read_result(result_id, where={"city": "Oslo", "load": [">", 5]}, fields=["id"], limit=3)
    groups = read_result(result_id, group_by="city")

    assert chosen.data == [{"id": 13}, {"id": 27}, {"id": 41}]
    assert groups.data == [{"city": "Rome", "rows": 200}, {"city": "Oslo", "rows": 200}]


def test_a_text_without_rows_has_no_fields() -> None:
    """The error says what can be asked instead."""
    result_id = cut("\n".join(f"step {n} done" for n in range(900)))[0]["result_id"]

    page = read_result(result_id, where={"step": 4})

    assert "here are lines: use `search`" in page.error.message


def test_a_map_is_asked_like_the_rows_as_which_it_was_shown() -> None:
    """Its key is a column."""
    result_id = cut({f"disk-{n}": n * 7919 % 1000 for n in range(600)})[0]["result_id"]

    page = read_result(result_id, where={"value": [">", 997], "key": ["contains", "disk"]})

    assert [row["value"] for row in page.data] == [999]


def test_a_map_inside_an_object_is_a_place_of_rows() -> None:
    """Its records have the field."""
    value = {"list": ROWS, "map": {f"k{n}": {"size": n} for n in range(90)}}

    page = read_result(id_ := cut(value)[0]["result_id"], where={"size": 7})

    assert page.error.message.endswith("or `path`: map")
    assert read_result(id_, path="map", where={"size": 7}).data == [{"key": "k7", "size": 7}]


def test_the_lists_inside_an_object_are_named() -> None:
    """Where rows are needed and a path is missing: those that have the field, or all."""
    result_id = cut({"installed": ROWS, "removed": [{"id": 0}], "host": {"os": "linux"}})[0]["result_id"]

    page = read_result(result_id, where={"city": "Rome"})
    other = read_result(result_id, group_by="os")

    assert page.error.message.endswith("or `path`: installed")
    assert other.error.message.endswith("or `path`: installed, removed")


@pytest.mark.parametrize("size", [30, 1200])
def test_a_text_with_lines_longer_than_a_page_goes_on_by_characters(size: int) -> None:
    """It can't be paged through by lines."""
    entries = [f"Start: day {n}\nInstall: {'package ' * 400 if n % 9 == 4 else ''}\nEnd" for n in range(size)]
    text = "\n".join(entries)
    meta, data = cut(text)

    page = read_result.invoke(meta["next"]["arguments"])

    head = data[0]["text"]
    assert text.startswith(head + "\n" + page.data[0]["text"])


def test_a_text_shown_by_characters_goes_on_by_its_lines() -> None:
    """Where each of its lines fits a page, that is how it is paged through."""
    lines = [f"Day {n}. " + f"What was done on day {n} went well. " * 60 for n in range(40)]
    meta, data = cut("\n".join(lines), 1500)

    page = read_result.invoke(meta["next"]["arguments"])

    assert page.data[0]["text"].startswith(lines[data[0]["text"].count("\n")])
