"""What is stored may be a part of what there is: no page, count or absence speaks of the whole then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from agent_tools import read_result, tool

ROWS = [{"id": n, "city": ["Rome", "Oslo"][n % 2], "note": "x" * 20} for n in range(900)]
BROKEN = "What is stored is not all: the call that read it broke off after 900."
PAGED = "What is stored is not all: 900 of 5000, the others are at the source."
OPEN = "What is stored is not all: there is more at the source, and how much is unknown."


def broken() -> Iterator[dict[str, Any]]:
    yield from ROWS
    raise ConnectionResetError(104, "reset")


SOURCES: dict[str, tuple[Any, str | None, str]] = {
    "a stream that broke off": (broken, None, BROKEN),
    "a page of a known total": (
        lambda: {"items": ROWS, "total": 5000, "next_page_token": "p2"},
        "items",
        PAGED,
    ),
    "a page of an unknown total": (lambda: {"data": ROWS, "has_more": True}, "data", OPEN),
}
QUESTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "a page": ({}, "There are 900 stored rows in all; the "),
    "the end": ({"offset": 899}, "There are 900 stored rows in all; the one here is "),
    "a condition": ({"where": {"city": "Rome"}}, "There are 450 matching stored rows in all; "),
    "one match": (
        {"search": "899"},
        "There is 1 matching stored row in all; the one here is not all that there is.",
    ),
    "no match": ({"where": {"city": "Bern"}}, "There are 0 matching stored rows in all. "),
    "groups": ({"group_by": "city"}, "There are 2 groups in all; the 2 here are not all that there is."),
    "past the end": ({"offset": 5000}, "There are 900 stored rows in all; none of them is on this page."),
}


def stored(source: Any) -> str:
    result_id: str = tool(source, name="list_readings", max_tokens=300)().meta["result_id"]
    return result_id


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("source", SOURCES)
def test_an_answer_says_that_it_speaks_of_a_part(source: str, question: str) -> None:
    """It is partial, never a success and never empty."""
    make, path, why = SOURCES[source]
    asked, begins = QUESTIONS[question]

    page = read_result(stored(make), path=path, **asked)

    assert page.status == "partial"
    assert page.meta["truncated"]
    assert page.meta["summary"].startswith(begins)
    assert page.meta["summary"].endswith(why)


def test_where_the_stored_part_ends_the_source_goes_on() -> None:
    """The last page tells what its source wants to hear next."""
    result_id = stored(SOURCES["a page of a known total"][0])

    page = read_result(result_id, path="items", offset=890)

    assert page.meta["next"] == {"next_page_token": "p2"}


@pytest.mark.parametrize(
    ("asked", "status"), [({"where": {"city": "Bern"}}, "empty"), ({"offset": 899}, "partial")]
)
def test_what_is_whole_says_so(asked: dict[str, Any], status: str) -> None:
    """A list that is stored whole may be searched for what is not there."""
    page = read_result(stored(lambda: ROWS), **asked)

    assert page.status == status
    assert "stored is not all" not in page.meta["summary"]


def test_nothing_matched_wherever_the_page_begins() -> None:
    """There is no last match to tell of."""
    page = read_result(stored(lambda: ROWS), where={"city": "Bern"}, offset=20)

    assert (page.status, page.meta["summary"]) == (
        "empty",
        "The call worked. No row of the stored result matched.",
    )
