"""A list over its budget: the total, statistics over all rows, and the rows that a reader needs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools import tool
from agent_tools.stages.summaries_rows import survey


def orders(number: int = 8000) -> list[dict[str, Any]]:
    rng = random.Random(4)
    return [
        {
            "id": f"O{i:05d}",
            "customer": f"c{rng.randint(1, 900)}",
            "country": rng.choice(["DE", "IT", "FR"]),
            "price": round(rng.gauss(50, 5), 2),
            "paid": i % 2 == 0,
        }
        for i in range(number)
    ]


def changed(**fields: Any) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[5555].update(fields)


def without_price(rows: list[dict[str, Any]]) -> None:
    del rows[5555]["price"]


def step_up(rows: list[dict[str, Any]]) -> None:
    for row in rows[5555:]:
        row["price"] += 100


@pytest.mark.parametrize("budget", [300, 800, 1500])
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (changed(price=987654.32), "largest price"),
        (changed(price=-4500.0), "smallest price"),
        (changed(country="KP"), "only country of its kind"),
        (changed(price=None), "price is null"),
        (changed(price="n/a"), "price is text here"),
        (changed(fraud="CONFIRMED"), "extra field fraud"),
        (changed(customer="ROOT_ADMIN"), "customer unlike the others"),
        (changed(customer="cancelled after a complaint of the issuing bank"), "longest customer"),
        (without_price, "no field price"),
        (step_up, "price changes here"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_odd_row_is_shown_and_says_why(fit, spoil, why, budget):
    """One row of thousands that is unlike the others is among the few that are shown."""
    rows = orders()
    spoil(rows)

    fitted = fit(rows, budget, tool="find_orders")

    assert [row["id"] for row in fitted.envelope["data"]].count("O05555") == 1
    assert any(item["row"] == 5555 and why in item["why"] for item in fitted.envelope["meta"]["kept"])


def test_totals_and_advice_come_in_words(prompt):
    """Counts over all rows, and that none may be concluded from the sample."""
    rows = [{"id": i, "unit": "A" if i < 160 else "B", "weekend": i >= 270} for i in range(276)]

    meta = prompt(rows, 400, tool="list_staff_members")["meta"]

    assert meta["summary"].startswith("There are 276 staff members in all; the ")
    assert "Conclude no count and no absence from these; the same call gives the same cut." in meta["summary"]
    assert "weekend: false 270, true 6" in meta["summary"]
    assert (meta["total"], meta["truncated"]) == (276, True)


def test_rest_is_offered_only_where_it_can_be_fetched(prompt):
    """A way to get more is never mentioned to a model that does not have it."""
    rows = [{"id": i} for i in range(5000)]

    offered, bare = prompt(rows, 300)["meta"], prompt(rows, 300, result_id=None)["meta"]

    assert offered["next"]["tool"] == "read_result"
    assert offered["next"]["arguments"]["result_id"] == offered["result_id"]
    assert "read_result" not in json.dumps(bare)
    assert not {"next", "result_id"} & bare.keys()


def test_next_page_starts_behind_the_first_rows(fit):
    """The offset leads to the first row that was not shown."""
    rows = orders()

    fitted = fit(rows, 800)

    offset = fitted.envelope["meta"]["next"]["arguments"]["offset"]
    assert fitted.envelope["data"][:offset] == rows[:offset]
    assert fitted.envelope["data"][offset] != rows[offset]


def test_asked_rows_come_first(fit):
    """Rows that hold an argument of the call are shown, with the reason."""
    rows = orders()
    rows[4321]["customer"] = "ACME"

    fitted = fit(rows, 400, asked={"customer": "ACME", "limit": 10})

    assert {"row": 4321, "why": "matches customer"} in [
        {"row": item["row"], "why": item["why"].split(",")[0]} for item in fitted.envelope["meta"]["kept"]
    ]


@pytest.mark.parametrize("important", ["rank", lambda row: row["rank"]], ids=["column", "callable"])
def test_important_ranks_the_rows(fit, important):
    """The tool's own ranking goes before the built one."""
    rows = [{"id": i, "rank": i * 7919 % 1000} for i in range(1000)]

    shown = fit(rows, 300, important=important).envelope["data"]

    assert {999, 998, 997} <= {row["rank"] for row in shown}


def test_broken_ranking_is_a_warning(fit):
    """A predicate that raises does not fail the call."""
    fitted = fit([{"id": i} for i in range(2000)], 300, important=lambda row: row["nope"])

    assert "ranking failed (KeyError)" in fitted.envelope["meta"]["warnings"][0]


def test_wide_rows_show_the_telling_columns(prompt):
    """Of 200 columns the one that is unlike the others is among those shown."""
    rng = random.Random(1)
    wide: dict[str, Any] = {
        f"col_{i:03d}": f"{rng.choice(['hit', 'miss'])} flush queue batch" for i in range(200)
    }
    wide["col_150"] = "ACCOUNT_SUSPENDED since 2026-10-01"

    shown = prompt([wide], 500)

    assert shown["data"][0]["col_150"] == wide["col_150"]
    assert "of 200 fields" in shown["meta"]["summary"]
    assert shown["meta"]["cut"][0]["total"] == 200


def test_a_word_inside_another_one_is_not_what_was_asked_for(fit):
    """The call asked for Rome; romet and jerome are other words, and no row matches."""
    rng = random.Random(6)
    rows = [{"id": n, "name": rng.choice(["bo li", "an wu", "hu ma"]), "state": "open"} for n in range(300)]
    for place in range(0, 24, 3):
        rows[place]["name"] = rng.choice(["romet li", "jerome wu"])
    rows[200]["state"] = None

    kept = fit(rows, 300, asked={"city": "Rome"}).envelope["meta"]["kept"]

    assert {"row": 200, "why": "state is null"} in kept
    assert "matches city" not in str(kept)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("budget", [200, 300, 800])
def test_the_failing_field_of_a_wide_row_comes_first(prompt, budget, seed):
    """Before numbers in other units, which are many, and among texts of one kind."""
    rng = random.Random(seed)
    wide: dict[str, Any] = {}
    for n in range(200):
        words = " ".join(rng.choices(["north", "dock", "pallet", "order"], k=2))
        wide[f"f{n}"] = rng.choice([round(rng.gauss(10, 1), 1), round(rng.gauss(1000, 50), 1), words])
    wide["f163"] = "dock errors"

    assert prompt([wide], budget)["data"][0]["f163"] == "dock errors"


@pytest.mark.parametrize("budget", range(300, 700, 20))
def test_a_wide_row_stays_one_row(prompt, budget):
    """Its fields are alike as those of a map are; parts of them are no rows, at no budget."""
    rng = random.Random(1)
    wide = {f"col_{i:03d}": f"{rng.choice(['hit', 'miss'])} flush queue batch" for i in range(200)}
    wide["col_150"] = "ACCOUNT_SUSPENDED since 2026-10-01"

    shown = prompt([wide], budget)

    assert shown["data"][0]["col_150"] == wide["col_150"]
    assert [part["total"] for part in shown["meta"]["cut"]] == [200]


def test_columns_that_do_not_fit_are_counted(prompt):
    """Rows shown of two and fields shown of thirty are both said."""
    rows = [{f"c{i:02d}": cell for i in range(30)} for cell in ("x" * 120, "y")]

    shown = prompt(rows, 300)

    assert shown["meta"]["total"] == 2
    assert "of 30 fields" in shown["meta"]["summary"]
    assert "..." not in json.dumps(shown)


def test_long_cells_are_cut_and_listed(fit):
    """A shortened cell is listed, and nothing in it says so."""
    rows = [{"id": i, "body": f"{i} " + "word " * 2000} for i in range(50)]

    fitted = fit(rows, 600)

    [entry] = [item for item in fitted.envelope["meta"]["cut"] if "body" in item["path"]]
    assert entry["shown"] < entry["total"]
    assert all(rows[row["id"]]["body"].startswith(row["body"]) for row in fitted.envelope["data"])


def test_odd_shape_among_mixed_rows_is_shown(fit):
    """Rows of several kinds are grouped; the one of its own kind is shown."""
    rows: list[Any] = [{"kind": "a", "x": i} if i % 3 else f"raw line {i}" for i in range(3000)]
    rows[1777] = {"kind": "refund", "total": -88000, "reason": "FRAUD"}

    assert rows[1777] in fit(rows, 500).envelope["data"]


def test_statistics_cover_every_row():
    """Minimum, maximum, mean, nulls and counts are over all rows, not over the sample."""
    rows: list[Any] = [
        {"n": i, "k": "a" if i < 9990 else "b", "x": None if i == 5 else 1.5 * i} for i in range(10_000)
    ]

    clauses = survey(rows, {}, None).clauses

    assert "n: 0 to 9999" in clauses
    assert "k: a 9990, b 10" in clauses
    assert any(clause.startswith("x: 0.0 to 14998.5") and clause.endswith("1 null") for clause in clauses)


def test_map_of_like_values_becomes_records(fit):
    """Thousands of ids as keys are rows with the key as a column; the odd one is shown."""
    users = {f"u{i}": "active" for i in range(5000)}
    users["u3210"] = "SUSPENDED"

    fitted = fit(users, 400)

    assert {"key": "u3210", "value": "SUSPENDED"} in fitted.envelope["data"]
    assert fitted.envelope["meta"]["total"] == 5000


def test_interrupted_rows_keep_error_and_meta(fit):
    """A cut drops neither the error nor what the stages before said."""
    error = {
        "code": "DEADLINE_EXCEEDED",
        "message": "Cut off after 3000.",
        "retryable": True,
        "recovery": "retry",
    }
    meta = {"warnings": ["slow"], "redactions": 2, "total": None}

    fitted = fit([{"i": i} for i in range(3000)], 200, status="partial", error=error, meta=meta)

    assert (fitted.envelope["status"], fitted.envelope["error"]) == ("partial", error)
    assert {
        "truncated": True,
        "call_id": "c_1",
        "returned": len(fitted.envelope["data"]),
        **meta,
    }.items() <= fitted.envelope["meta"].items()


def test_conclusion_shows_no_rows(fit):
    """A tool that computes a conclusion shows it and leaves the rows out when they do not fit."""
    data = {"conclusion": "sales fell", "rows": [{"i": i} for i in range(5000)]}

    fitted = fit(data, 300, kind="summary")

    assert fitted.envelope["data"] == {"conclusion": "sales fell", "rows": []}


def test_action_shows_its_outcome_first(fit):
    """What happened and under which id comes before the long rest."""
    data = {"log": "line\n" * 9000, "details": ["d"] * 900, "operation_id": "op_1", "status": "done"}

    shown = fit(data, 300, kind="action").envelope["data"]

    assert list(shown)[:2] == ["operation_id", "status"]
    assert (shown["operation_id"], shown["status"]) == ("op_1", "done")


CURSOR = "Y3Vyc29yOjEw"


@pytest.mark.parametrize("budget", [300, 800])
@pytest.mark.parametrize(
    "errors", [[], [{"message": "no access", "path": ["bills"]}]], ids=["whole", "errors"]
)
def test_both_ways_on_are_told(budget, errors):
    """What was fetched and did not fit is read here, the next page at the source: with its cursor."""
    page = {"totalCount": 341, "pageInfo": {"hasNextPage": True, "endCursor": CURSOR}}
    nodes = [{"name": f"r{i}", "about": "some words " * 4} for i in range(90)]
    reply = {"data": {"org": {"repositories": page | {"nodes": nodes}}}}

    reply |= {"errors": errors} if errors else {}

    result = tool(lambda: reply, name="list_repos", max_tokens=budget)()

    following = json.loads(result.to_prompt())["meta"]["next"]
    assert (following["tool"], following["arguments"]["result_id"]) == (
        "read_result",
        result.meta["result_id"],
    )
    assert following["at_source"] == {"endCursor": CURSOR}


@pytest.mark.parametrize("budget", [64, 100, 200, 300, 800, 1500])
def test_a_cursor_is_shown_whole_or_not_in_next(prompt, budget):
    """Part of one asks for another page, or for none."""
    cursor = "Qx7" * 150

    shown = prompt(
        [{"n": n, "about": "some words " * 9} for n in range(90)],
        budget,
        status="partial",
        meta={"total": 900, "next": {"cursor": cursor}},
    )

    following = shown["meta"].get("next")
    assert following is None or following["at_source"] == {"cursor": cursor}


@pytest.mark.parametrize(("number", "words"), [(4, 6000), (12, 900), (300, 120)])
@pytest.mark.parametrize("place", [0.1, 0.5, 0.98])
def test_a_long_cell_is_shown_where_its_error_is(fit, number, words, place):
    """One cell of prose says what failed, far from its beginning; where in the cell is listed."""
    rng = random.Random(number)
    usual = ["we", "looked", "at", "the", "pump", "and", "valve", "in", "hall", "four", "at", "noon"]
    rows = [{"doc": f"D{i}", "body": " ".join(rng.choices(usual, k=words))} for i in range(number)]
    at = int(len(rows[2]["body"]) * place)
    rows[2]["body"] = rows[2]["body"][:at] + " FATAL seal broken " + rows[2]["body"][at:]

    fitted = fit(rows, 400)

    assert "FATAL seal broken" in fitted.text
    places = [item["chars"] for item in fitted.envelope["meta"]["cut"] if "chars" in item]
    for first, last in (map(int, span.split("-")) for span in places):
        assert "FATAL seal broken" in rows[2]["body"][first - 1 : last]


def test_an_odd_entry_of_lists_with_one_entry_is_found(fit):
    """As many entries as rows, and one of them unlike the others."""
    rows = [{"pod": f"web-{i}", "images": [f"app:{i % 9}.{i % 7}"]} for i in range(3000)]
    rows[1234]["images"] = ["shell:9.9-rc"]

    assert "shell:9.9-rc" in fit(rows, 300).text


@pytest.mark.parametrize("seed", range(5))
def test_odd_rows_come_before_statistics_of_all_columns(fit, seed):
    """In little room three rows that are odd in three ways, and what is known of one column."""
    rng = random.Random(seed)
    rows = [
        {
            "flight": f"LH{rng.randint(100, 999)}",
            "from": rng.choice(["FRA", "CDG"]),
            "late": rng.randint(0, 30),
        }
        for _ in range(5000)
    ]
    far, odd, extra = rng.sample(range(100, 5000), 3)
    rows[far]["late"], rows[odd]["from"], rows[extra]["cancelled"] = 4321, "XQX", "fog"

    text = fit(rows, 250).text

    assert "4321" in text
    assert '"XQX"' in text
    assert '"fog"' in text


@pytest.mark.parametrize("max_tokens", range(220, 700, 40))
def test_no_field_that_is_left_out_reads_as_null(prompt: Any, max_tokens: int) -> None:
    """The beginning of one more row would have some of its fields."""
    rng = random.Random(max_tokens)
    words = ["views", "budget", "redaction", "a name", "and its value", "is shown", "beside", "the other"]
    rows = [
        {
            "hash": f"{rng.getrandbits(28):07x}",
            "who": "the maintainers",
            "when": f"2026-11-30 {n % 24:02}:16:56",
        }
        | {"subject": " ".join(rng.choices(words, k=12))}
        for n in range(300)
    ]

    data = prompt(rows, max_tokens)["data"]

    cells = [cell for row in data["rows"] for cell in row] if isinstance(data, dict) else []
    assert None not in cells
