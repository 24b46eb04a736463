"""The sentence that says how a call went."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_tools.stages.summaries_rows import survey

AWAY = {"code": "UNAVAILABLE", "message": "Away.", "retryable": True, "recovery": "retry"}
WRONG = {"code": "INVALID_ARGUMENT", "message": "Bad.", "retryable": False, "recovery": "fix_arguments"}
MISSING = {"code": "NOT_FOUND", "message": "No.", "retryable": False, "recovery": "fix_arguments"}
MAYBE = {"code": "DEADLINE_EXCEEDED", "message": "Late.", "retryable": False, "recovery": "check_first"}


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"city": "Rome"}, "The call worked. Nothing matched city = 'Rome'."),
        ({"city": "Rome", "limit": 5}, "The call worked. Nothing matched city = 'Rome' and limit = 5."),
        ({"ids": [1, 2], "since": None}, "The call worked. Nothing matched ids = [1, 2]."),
        ({"text": "x" * 99}, "The call worked. Nothing matched text = a text of 101 characters."),
        ({}, "The call worked. Nothing matched."),
    ],
)
def test_empty_says_what_did_not_match(prompt, asked, sentence):
    """Without the sentence a small model takes an empty list for a failure."""
    shown = prompt([], status="empty", asked=asked)

    assert shown["meta"]["summary"] == sentence
    assert shown["meta"]["asked"] == asked
    assert shown["meta"]["hint"].endswith(".")
    assert shown["data"] == []


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (AWAY, "action", "The call failed. Calling it again may help."),
        (
            AWAY,
            "query",
            "The call failed. Calling it again may help. Whether matching data exists is unknown.",
        ),
        (MISSING, "query", "The call failed. Calling it again with other arguments may help."),
        (WRONG, "action", "The call failed. Calling it again with other arguments may help."),
        (
            MAYBE,
            "action",
            "The call failed. It may have taken effect all the same; check before calling it again.",
        ),
    ],
)
def test_error_says_what_to_do_next(prompt, error, kind, sentence):
    """The state first, then the next step."""
    assert prompt(None, status="error", error=error, kind=kind)["meta"]["summary"] == sentence


@pytest.mark.parametrize(
    ("meta", "error", "data", "sentence"),
    [
        ({"total": 57}, None, [], "There are 57 orders in all; none of them is on this page."),
        (
            {"total": 341, "next": {"page": 2}},
            None,
            [1, 2],
            "There are 341 orders in all; the 2 here are one page of them, and more can be asked for.",
        ),
        (
            {"total": 90, "next": {"offset": 19}},
            None,
            [{"lines": "17-19", "text": "a\nb\nc"}],
            "There are 90 orders in all; the 3 here are one page of them, and more can be asked for.",
        ),
        (
            {"next": {"cursor": "abc"}},
            None,
            {"items": [1, 2, 3], "next_cursor": "abc"},
            "There are more orders than the 3 here; how many there are in all is unknown.",
        ),
        (
            {},
            AWAY,
            [1],
            "The call broke off after 1 order; how many there are in all is unknown. "
            "Calling it again may help.",
        ),
        (
            {"failed": [{"index": 2}], "succeeded": 4},
            None,
            [1, 2, 3, 4],
            "There were 5 items in all; 4 worked and 1 failed.",
        ),
    ],
)
def test_partial_says_the_total_first(prompt, meta, error, data, sentence):
    """A small model answers with the number that it reads first."""
    shown = prompt(data, status="partial", meta=meta, error=error, tool="find_orders")

    assert shown["meta"]["summary"] == sentence
    assert "total" in shown["meta"]
    assert "returned" not in shown["meta"]


def test_own_summary_takes_the_place_of_the_built_one(prompt):
    """The tool knows best what matters."""
    shown = prompt([{"id": 1}], summary=lambda rows: f"{len(rows)} order,\n still open")

    assert shown["meta"]["summary"] == "1 order, still open"


@pytest.mark.parametrize("broken", [lambda rows: rows["x"], lambda rows: None, lambda rows: "  "])
def test_broken_summary_is_a_warning(prompt, broken):
    """A summary that raises or says nothing does not fail the call."""
    shown = prompt([{"id": 1}], summary=broken, tool="find_orders")

    assert shown["meta"]["summary"] == "There is 1 order in all; it is shown."
    assert len(shown["meta"]["warnings"]) == 1


def test_own_summary_follows_the_total_when_the_data_is_cut(prompt):
    """That rows are missing has to be said all the same."""
    shown = prompt([{"id": i} for i in range(5000)], 300, summary=lambda rows: "All of them are late.")

    assert shown["meta"]["summary"].startswith("There are 5000 rows in all; the ")
    assert shown["meta"]["summary"].endswith("All of them are late.")


def test_an_own_line_that_is_long_does_not_cut_the_data(fit):
    """What fits without the line is whole; the line is clipped in the text and kept in the envelope."""
    line = "Late orders come from the two warehouses in the north, " * 6

    fitted = fit({"a": 1}, 100, summary=lambda data: line)

    assert (fitted.cut, fitted.envelope["status"], fitted.envelope["data"]) == (False, "success", {"a": 1})
    assert len(fitted.envelope["meta"]["summary"]) > 300
    assert json.loads(fitted.text)["meta"]["summary"].startswith("Late orders")


def test_a_page_that_is_cut_says_things_once(prompt):
    """The total, what is shown of the page, then the tool's own words."""
    rows = [{"id": n, "text": "x" * 40} for n in range(100)]
    meta = {"total": 900, "next": {"page": 2}, "summary": "These are rows 0 to 99."}

    summary = prompt(rows, 300, status="partial", meta=meta, tool="find_orders")["meta"]["summary"]

    assert summary.count("There are 900 orders in all") == 1
    assert summary.endswith("These are rows 0 to 99.")


def test_rows_that_a_conclusion_leaves_out_are_told(prompt):
    """A summary shows no rows, and says how many there are."""
    value = {"by_city": {"rows": [{"n": n} for n in range(900)]}, "conclusion": "up 4 %"}

    shown = prompt(value, 300, kind="summary")

    assert shown["data"] == {"by_city": {"rows": []}, "conclusion": "up 4 %"}
    assert shown["meta"]["cut"] == [{"path": "$.by_city.rows", "shown": 0, "total": 900}]


def test_only_the_rest_of_what_was_read_is_promised(prompt):
    """Of a file that was read in pieces read_result has these pieces and no more."""
    pieces = [{"lines": f"{n}-{n + 99}", "text": "word\n" * 100} for n in range(1, 900, 200)]

    summary = prompt(pieces, 300, status="partial", meta={"total": 300_000, "returned": 500})["meta"][
        "summary"
    ]

    assert summary.startswith(
        "There are 300000 lines in all; the 500 here are not all. Of the 5 pieces here "
    )
    assert "read_result gives the rest of what is here." in summary


def test_errors_beside_the_data_leave_its_total(prompt):
    """Nothing broke off, so that what came is counted."""
    rows = [{"id": n, "note": "word " * 9} for n in range(700)]
    failed = {"total": None, "failed": [{"message": "no access to billing"}]}

    meta = prompt({"rows": rows}, 300, status="partial", meta=failed)["meta"]

    assert meta["total"] == 700


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("id", range(7, 307), "id: 7 to 306"),
        ("userId", [n * 7919 % 1000 for n in range(300)], "userId: 0 to 996"),
        ("port", [80, 443, 8080, 5432, 22, 25, 53] * 40, "port: 22 to 8080"),
        ("status", [200] * 290 + [404] * 10, "status: 200 290, 404 10"),
        ("exit_code", [0] * 298 + [137, 1], "exit_code: 0 298, 1 1, 137 1"),
        ("stars", [1, 2, 3] * 100, "stars: 1 100, 2 100, 3 100"),
        ("ms", [n * 7919 % 1000 for n in range(300)], "ms: 0 to 996, mean 500.5"),
        ("celsius", [20.5 + n for n in range(300)], "celsius: 20.5 to 319.5, mean 170"),
    ],
)
def test_only_amounts_are_averaged(name: str, cells: Any, said: str) -> None:
    """The mean of ids, of ports or of codes says nothing; few values are counted."""
    assert survey([{name: cell} for cell in cells], {}, None).clauses == [said]


def test_the_only_code_of_its_kind_is_shown(prompt: Any) -> None:
    """Among 200 and 404 a 418 is no outlier by its size."""
    rows = [{"path": f"/{n}", "status": 500 if n % 5 == 0 else 200} for n in range(300)]
    rows[140]["status"] = 418

    shown = prompt(rows, 250)

    assert ["/140", 418] in shown["data"]["rows"]
