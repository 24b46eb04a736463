"""Page by page, a reader gets exactly the whole redacted value, under the budget of the tool that made it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tools import read_result, tool
from agent_tools.tokens import count

ROWS = [{"i": i, "t": "w " * 30} for i in range(600)]


@pytest.mark.parametrize("budget", [100, 300, 800, 2000])
@pytest.mark.parametrize(
    "row", [lambda i: i, lambda i: {"i": i}, lambda i: [i, {"n": [i]}]], ids=["n", "dict", "list"]
)
def test_rows_are_read_whole(row: Any, budget: int, read_all: Any, rows_of: Any) -> None:
    """Every row once, in order, whatever the budget; the total is said on each page."""
    rows = [row(i) for i in range(2 * budget)]

    result = tool(lambda: rows, name="find_rows", max_tokens=budget)()
    pages = read_all(result, budget, limit=1000)

    assert rows_of(pages) == rows
    assert {page.meta["total"] for page in pages} == {len(rows)}
    assert {str(page.status) for page in pages} == {"partial"}
    assert sum(page.meta["returned"] for page in pages) == len(rows)


def test_the_smallest_budget_goes_on(read_all: Any) -> None:
    """With 64 tokens the way to the next page is lost in the text, not in the result; no row is skipped."""
    result = tool(lambda: list(range(300)), name="find_rows", max_tokens=64)()
    result_id, seen = result.meta["result_id"], []

    while len(seen) < 300:
        page = read_result(result_id, offset=len(seen), limit=300)
        assert count(page.to_prompt()) <= 64
        assert page.data
        seen += page.data

    assert seen == list(range(300))


def test_no_more_pages_than_needed(read_all: Any) -> None:
    """As many rows as fit are on each page: the budget is used."""
    result = tool(lambda: ROWS, name="find_rows", max_tokens=1000)()

    pages = read_all(result, 1000, limit=1000)

    assert all(count(page.to_prompt()) > 800 for page in pages[:-1])
    assert len(pages) <= math.ceil(600 / (1000 / 45))


def test_the_limit_is_the_most_that_is_shown(read_all: Any, rows_of: Any) -> None:
    """Twenty rows unless more are asked for."""
    result = tool(lambda: list(range(5000)), name="find_rows")()

    assert read_result(result.meta["result_id"]).data == list(range(20))
    assert read_result(result.meta["result_id"], limit=7).data == list(range(7))
    assert rows_of(read_all(result, 1500, limit=100_000)) == list(range(5000))


@pytest.mark.parametrize(
    "text",
    [
        "word " * 80_000 + "NEEDLE",
        "".join(f"line {i} of a log\n" for i in range(5000)),
        "".join(f"{i}\n" for i in range(3000)) + "no newline at the end",
        "\n" * 3000 + "x" * 6000,
        "short\n" * 2000 + "y" * 30_000 + "\nshort again" * 300,
        "é漢字🙂e\u0301" * 3000,
        "windows\r\nlines\r" * 2000,
        "".join(f"{i} \u2028 \x0b \x85 odd separators\n" for i in range(2000)),
    ],
    ids=[
        "one line",
        "lines",
        "no end",
        "blank lines",
        "one long line",
        "other scripts",
        "carriage returns",
        "separators",
    ],
)
def test_text_is_read_whole(text: str, read_all: Any, text_of: Any) -> None:
    """By lines, or by characters where a line is longer than a page; nothing is lost or doubled."""
    made = tool(lambda: text, name="get_text", max_tokens=2000)
    whole = made.__wrapped__()
    clean = tool(lambda: whole, name="get_text", max_tokens=None)().data

    pages = read_all(made(), 2000, limit=10_000)

    assert text_of(pages) == clean
    assert len(pages) < 100


def test_a_needle_in_one_long_line_is_found() -> None:
    """`search` says where; `offset` goes there."""
    result = tool(lambda: "z" * 400_000 + "NEEDLE" + "z" * 1000, name="get_text", max_tokens=300)()

    found = read_result(result.meta["result_id"], search="needle")

    assert "NEEDLE" in str(found.data)
    assert "NEEDLE" in str(read_result(result.meta["result_id"], offset=399_990, limit=100).data)


def test_an_object_is_read_by_its_keys(read_all: Any) -> None:
    """Key by key, each with its value."""
    value = {f"key {i}": {"n": i, "text": "word " * 10} for i in range(200)}
    result = tool(lambda: value, name="get_map", max_tokens=400)()

    seen: dict[str, Any] = {}
    for page in read_all(result, 400, limit=1000):
        seen |= page.data

    assert seen == value
    assert list(seen) == list(value)


def test_what_is_nested_is_read_by_its_path(read_all: Any, rows_of: Any, text_of: Any) -> None:
    """Dotted names, indexes, with or without `data.` in front."""
    orders = [{"id": i, "lines": [{"n": n} for n in range(300)], "note": "a\n" * 4000} for i in range(3)]
    result = tool(lambda: {"orders": orders, "page": 1}, name="get_orders", max_tokens=500)()

    for path in ("orders[1].lines", "data.orders[1].lines", "$.orders[1].lines", "orders.1.lines"):
        assert rows_of(read_all(result, 500, path=path, limit=1000)) == orders[1]["lines"]
    assert text_of(read_all(result, 500, path="orders[2].note", limit=10_000)) == orders[2]["note"]
    assert read_result(result.meta["result_id"], path="orders[2].id").data == 2
    assert read_result(result.meta["result_id"], path="page").data == 1


def test_odd_keys_can_be_reached(read_all: Any) -> None:
    """A key with a dot or a bracket in it, as it stands."""
    value = {"a.b": list(range(3000)), "c[0]": {"d e": list(range(3000))}, "": [1], "0": [2]}
    result = tool(lambda: value, name="get_map", max_tokens=400)()
    result_id = result.meta["result_id"]

    assert read_result(result_id, path="a.b", offset=2999).data == [2999]
    assert read_result(result_id, path="c[0].d e", offset=2999).data == [2999]
    assert read_result(result_id, path="0").data == [2]


def test_a_row_larger_than_the_budget_is_read_inside(read_all: Any, text_of: Any) -> None:
    """It is shown in part with the path that leads into it; the rows around it are read as ever."""
    rows = [{"i": 0}, {"i": 1, "note": "word " * 3000}, {"i": 2}]
    result = tool(lambda: rows, name="find_rows", max_tokens=300)()

    pages = read_all(result, 300)
    summaries = " ".join(page.meta["summary"] for page in pages)

    assert "path='[1]'" in summaries
    assert text_of(read_all(result, 300, path="[1].note", limit=100_000)) == rows[1]["note"]


@pytest.mark.parametrize("kind", ["list of lists", "text as json", "csv", "generator", "set", "scalar rows"])
def test_every_shape_of_rows_is_read(kind: str, read_all: Any, rows_of: Any) -> None:
    """What is stored is the value as it was shown before it was cut."""
    values: dict[str, Any] = {
        "list of lists": [[i, str(i)] for i in range(2000)],
        "text as json": "[" + ",".join(f'{{"i": {i}}}' for i in range(3000)) + "]",
        "csv": "i,name\n" + "".join(f"{i},n{i}\n" for i in range(3000)),
        "set": {f"{i:04}" for i in range(3000)},
        "scalar rows": [None, True, 1.5, "x"] * 800,
    }

    def find_rows() -> Any:
        return ({"i": i} for i in range(3000)) if kind == "generator" else values[kind]

    result = tool(find_rows, max_tokens=500)()
    whole = tool(find_rows, max_tokens=None)().data
    pages = read_all(result, 500, limit=10_000)

    if isinstance(whole, str):
        assert "".join(part["text"] for page in pages for part in page.data) == whole
    else:
        assert rows_of(pages) == whole


def test_a_page_reads_back_what_was_redacted(read_all: Any, rows_of: Any) -> None:
    """The stored copy is the redacted one; reading it back hides nothing more and nothing less."""
    secret = "pw-" + "Zx81" * 4
    rows = [
        {"i": i, "password": secret, "mobile": "13800138000", "note": f"for {secret}"} for i in range(300)
    ]

    hidden = tool(lambda: rows, name="find_rows", max_tokens=500, secrets=[secret])
    plain = tool(lambda: rows, name="find_rows", max_tokens=500, redact=False)

    pages = rows_of(read_all(hidden(), 500, limit=1000))
    assert len(pages) == 300
    assert secret not in str(pages)
    assert "13800138000" not in str(pages)
    assert rows_of(read_all(plain(), 500, limit=1000)) == rows


def test_a_tools_own_rule_is_not_undone_or_doubled(read_all: Any, rows_of: Any) -> None:
    """A callable ran once, when the result was made."""

    def shout(value: Any) -> Any:
        return [{**row, "t": row["t"] + "!"} for row in value] if isinstance(value, list) else value

    result = tool(
        lambda: [{"t": "x" * 50} for _ in range(300)], name="find_rows", max_tokens=300, redact=shout
    )()

    assert rows_of(read_all(result, 300, limit=1000)) == [{"t": "x" * 50 + "!"}] * 300


@pytest.mark.parametrize("format_", ["csv", "yaml", "markdown", "text", "table", "json"])
def test_results_of_every_format_are_read(format_: str, read_all: Any, rows_of: Any) -> None:
    """A page is JSON, whatever the tool's format was."""
    result = tool(lambda: ROWS[:200], name="find_rows", max_tokens=500, format=format_)()

    assert rows_of(read_all(result, 500, limit=1000)) == ROWS[:200]


def test_a_margin_holds_for_the_pages(read_all: Any) -> None:
    """A tool that counts with a factor for another tokenizer has smaller pages, too."""
    result = tool(lambda: ROWS, name="find_rows", max_tokens=900, token_margin=1.5)()

    assert len(read_all(result, 600, limit=1000)) > 1


def test_a_broken_generators_rows_are_read(read_all: Any, rows_of: Any) -> None:
    """A partial result that was cut keeps its error, its total and all rows that came."""

    def find_rows() -> Iterator[dict[str, int]]:
        yield from ({"i": i} for i in range(3000))
        raise TimeoutError("cut off after 3000")

    result = tool(find_rows, max_tokens=200)()

    assert (result.status, result.error.code, result.error.retryable) == (
        "partial",
        "DEADLINE_EXCEEDED",
        True,
    )
    assert result.meta["truncated"] is True
    assert {"call_id", "elapsed_ms", "result_id"} <= result.meta.keys()
    assert rows_of(read_all(result, 200, limit=10_000)) == [{"i": i} for i in range(3000)]


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab é漢🙂\n\r\t\"'\\", max_size=40)
    | st.text("lorem ipsum\n", min_size=300, max_size=900),
    lambda inner: (
        st.lists(inner, max_size=12) | st.dictionaries(st.text("abc", max_size=4), inner, max_size=8)
    ),
    max_leaves=40,
)


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
)
@given(st.lists(VALUES, min_size=1, max_size=30), st.sampled_from([64, 90, 250, 600, 2000]))
def test_any_list_is_read_whole(read_all: Any, value: list[Any], budget: int) -> None:
    """Row by row equal to the whole; a row that is too large for a page says where it goes on."""
    made = tool(lambda: value, name="find_rows", max_tokens=budget, log=False, store="memory", redact=False)
    result = made()
    if "result_id" not in result.meta:
        return
    whole = tool(lambda: value, name="find_rows", max_tokens=None, log=False, redact=False)().data

    at = 0
    while at < len(whole):
        page = read_result(result.meta["result_id"], offset=at, limit=100)
        assert page.error is None
        assert count(page.to_prompt()) <= budget
        assert page.meta["returned"] or budget < 250
        n = page.meta["returned"] or 1
        # a row that is larger than a page is shown in part; with few tokens that is not even said
        assert page.data == whole[at : at + n] or n == 1
        assert (
            page.data == whole[at : at + n]
            or budget < 250
            or "larger than the budget" in page.meta["summary"]
        )
        at += n


def test_the_only_key_that_is_too_large_is_one_of_one() -> None:
    """Its entries are not taken for the page's items."""
    result = tool(lambda: {"rows": ROWS}, name="load", max_tokens=300)()

    page = read_result(result.meta["result_id"])

    assert page.meta["summary"].startswith("There is 1 item in all; the one here is not whole.")
    assert "path='rows'" in page.meta["summary"]
    assert page.meta["returned"] == 1


@pytest.mark.parametrize("budget", [120, 150, 200, 300])
def test_the_way_inside_is_told_in_a_small_page(budget: int) -> None:
    """Without the path a reader could not go on to what is larger than the page."""
    rows = [{"n": n, "note": "word " * 200} for n in range(30)]
    result = tool(lambda: {"took": 3, "rows": rows}, name="load", max_tokens=budget)()

    page = read_result(result.meta["result_id"], offset=1).to_prompt()
    inner = read_result(result.meta["result_id"], path="rows", offset=4).to_prompt()

    assert "path='rows'" in page
    assert "path='rows[4]'" in inner
    assert max(count(page), count(inner)) <= budget
