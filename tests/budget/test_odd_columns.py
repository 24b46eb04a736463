"""What is out of the ordinary in a column: a change of level, a far date, a cell of another type, a list."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from agent_tools.stages.summaries_changes import changes
from agent_tools.stages.summaries_groups import group_outliers

Series = Callable[[random.Random, int], list[float]]


def noise(rng: random.Random, size: int) -> list[float]:
    return [rng.gauss(50, 2) for _ in range(size)]


@pytest.mark.parametrize("size", [1000, 3000, 50_000])
@pytest.mark.parametrize(
    ("begin", "end"),
    [(0.5, 1), (0.06, 1), (0.95, 1), (0.3, 0.35), (0.6, 0.63)],
    ids=["middle", "early", "late", "short", "shorter"],
)
@pytest.mark.parametrize("jump", [8, -12])
def test_a_level_that_changes_is_found(jump: float, begin: float, end: float, size: int) -> None:
    """For good or for a while, near an end or not; the place is right to one in a hundred."""
    series = noise(random.Random(size), size)
    first, last = int(begin * size), int(end * size)
    series[first:last] = [value + jump for value in series[first:last]]

    places = [place for _, place, _ in changes(series)]

    assert any(abs(place - first) <= max(2, size // 100) for place in places)


NO_CHANGE: dict[str, Series] = {
    "noise": noise,
    "skewed": lambda rng, size: [math.exp(rng.gauss(0, 2)) for _ in range(size)],
    "slope": lambda rng, size: [n * 0.01 + rng.gauss(0, 1) for n in range(size)],
    "wave": lambda rng, size: [5 * math.sin(n / size * 20) + rng.gauss(0, 0.3) for n in range(size)],
    "growth": lambda rng, size: [math.exp(n / size * 5) for n in range(size)],
    "saw": lambda rng, size: [n % 50 for n in range(size)],
    "outliers": lambda rng, size: [1e6 if rng.random() < 0.002 else rng.gauss(0, 1) for _ in range(size)],
    "few": lambda rng, size: [1.0, 2.0],
    "same": lambda rng, size: [7.0] * size,
    "square wave": lambda rng, size: [20.0 * (n * 4 // size % 2) for n in range(size)],
    "noisy square wave": lambda rng, size: [20 * (n * 8 // size % 2) + rng.random() for n in range(size)],
    "pulses": lambda rng, size: [80 * (n * 5 % size < size // 8) + rng.gauss(0, 1) for n in range(size)],
    "dips": lambda rng, size: [80 * (n * 5 % size > size // 8) + rng.gauss(0, 1) for n in range(size)],
    "flags": lambda rng, size: [rng.choice([0, 1]) for _ in range(size)],
    "two values": lambda rng, size: [float(n % 8 in (0, 3)) for n in range(size)],
    "huge": lambda rng, size: [rng.choice([1e308, -1e308]) for _ in range(size)],
}


@pytest.mark.parametrize("size", [1000, 3000, 50_000])
@pytest.mark.parametrize("kind", NO_CHANGE)
def test_no_change_is_made_up(kind: str, size: int) -> None:
    """Noise, slopes and waves have no level that changes."""
    assert changes(NO_CHANGE[kind](random.Random(size), size)) == []


def test_a_dip_among_equal_values_is_no_level() -> None:
    """Where all values but a few are the same, there is no noise to measure a change by."""
    assert changes([0.0] * 104 + [-1.0] * 4 + [5.0] + [0.0] * 291) == []


@pytest.mark.parametrize("levels", [(50, 80, 110), (50, 80, 62), (50, 56), (0, 3, 0.5)], ids=repr)
@pytest.mark.parametrize("size", [240, 3000])
def test_levels_that_stay_are_found_however_many(levels: tuple[float, ...], size: int) -> None:
    """Stairs of two or three levels, up or down, each for as long as the others."""
    rng = random.Random(size)
    least = min(abs(one - other) for one, other in itertools.pairwise(levels))
    long = size // len(levels)
    series = [rng.gauss(level, least / 4) for level in levels for _ in range(long)]

    places = [place for _, place, _ in changes(series)]

    edges = range(long, long * len(levels), long)
    assert len(places) == len(edges)
    assert all(abs(place - edge) <= max(2, size // 100) for place, edge in zip(places, edges, strict=True))


SPOILT: dict[str, tuple[dict[str, Any], str]] = {
    "date": ({"at": "1970-01-01"}, "earliest at"),
    "list": ({"tags": []}, "fewest tags"),
    "script": ({"note": "REVOKED 7"}, "note unlike the others"),
}


@pytest.mark.parametrize("kind", SPOILT)
def test_the_odd_cell_is_shown_with_its_reason(fit: Any, kind: str) -> None:
    """One row of thousands."""
    rng = random.Random(3)
    rows = [
        {
            "at": f"2026-{1 + n % 12:02}-{1 + n % 28:02}",
            "tags": ["a", "b", "c"],
            "note": "".join(rng.choices("甲乙丙丁戊己庚辛", k=6)),
        }
        for n in range(3000)
    ]
    change, why = SPOILT[kind]
    rows[2100] |= change

    kept = fit(rows, 300).envelope["meta"]["kept"]

    assert [item for item in kept if item["row"] == 2100 and why in item["why"]]


@pytest.mark.parametrize("size", [40, 2500])
@pytest.mark.parametrize("name", ["kapecim", "fubur de tecan"])
def test_a_text_of_another_number_of_words_is_shown(fit: Any, name: str, size: int) -> None:
    """Where all others have two."""
    rng = random.Random(size)
    words = ["".join(rng.choices("aeioubdgkmnprst", k=5)) for _ in range(90)]
    rows = [{"id": n, "name": " ".join(rng.sample(words, 2)), "price": rng.gauss(50, 5)} for n in range(size)]
    rows[size // 2]["name"] = name

    kept = fit(rows, 250).envelope["meta"]["kept"]

    assert [item["row"] for item in kept if "name unlike" in item["why"]] == [size // 2]


@pytest.mark.parametrize("size", [300, 5000])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_only_number_of_its_sign_is_shown(fit: Any, sign: int, size: int) -> None:
    """It is not far off: minus four pieces among one to nine."""
    rng = random.Random(size)
    rows = [{"id": n, "pieces": sign * rng.randint(1, 9), "price": rng.gauss(50, 5)} for n in range(size)]
    rows[size // 3]["pieces"] = -sign * 4

    kept = fit(rows, 200).envelope["meta"]["kept"]

    assert [item["row"] for item in kept if "tive pieces" in item["why"]] == [size // 3]


def test_a_category_that_replaces_another_is_a_change(fit: Any) -> None:
    """The first row of the new version, where no row before it has it and none after it has the old one."""
    rows = [{"n": n, "version": "v1" if n < 2345 else "v2"} for n in range(4000)]

    kept = fit(rows, 300).envelope["meta"]["kept"]

    assert kept == [{"row": 2345, "why": "version changes here, first with another version"}]


@pytest.mark.parametrize("odd", ["N/A", "12,5", ""])
def test_an_odd_cell_of_csv_text_is_found(fit: Any, odd: str) -> None:
    """A column of numbers stays one when one cell is none."""
    lines = [f"E-{n},{n * 37 % 900 + 0.25}" for n in range(3000)]
    lines[1999] = f'E-1999,"{odd}"'

    fitted = fit("id,amount\n" + "\n".join(lines), 400)

    assert [
        row for row in fitted.envelope["data"] if row["id"] == "E-1999" and row["amount"] == (odd or None)
    ]
    assert isinstance(fitted.envelope["data"][0]["amount"], float)


@pytest.mark.parametrize("budget", [400, 800])
@pytest.mark.parametrize("odd", [{"health": "degraded"}, {"used": 99.9}, {"health": None}], ids=str)
def test_an_odd_entry_of_an_inner_list_is_shown(prompt: Any, odd: dict[str, Any], budget: int) -> None:
    """One of thousands of entries in lists of six, where no list is large enough to have an odd one."""
    rng = random.Random(budget)
    clusters = [
        {
            "name": f"c{n}",
            "nodes": [
                {"id": f"c{n}n{k}", "used": round(rng.gauss(40, 3), 1), "health": "ok"} for k in range(6)
            ],
        }
        for n in range(400)
    ]
    clusters[271]["nodes"][4] |= odd

    shown = prompt({"clusters": clusters, "took": 3}, budget)

    assert "c271n4" in str(shown["data"])


def test_the_rest_of_a_list_inside_an_object_is_offered_by_its_path(fit: Any) -> None:
    """A list larger than a page is read inside, from the first row on that was not shown."""
    rows = [{"id": n, "note": "word " * 5} for n in range(900)]

    envelope = fit({"code": 0, "data": {"list": rows}}, 400).envelope

    arguments = envelope["meta"]["next"]["arguments"]
    shown = envelope["data"]["data"]["list"]
    assert arguments["path"] == "data.list"
    assert shown[: arguments["offset"]] == rows[: arguments["offset"]]
    assert arguments["offset"] > 3


@pytest.mark.parametrize("budget", [300, 800])
@pytest.mark.parametrize("size", [300, 20_000])
def test_an_outlier_among_its_own_is_not_hidden_by_the_scale_of_others(
    fit: Any, size: int, budget: int
) -> None:
    """A price that is usual in yen and not in dollars."""
    rng = random.Random(size)
    scales = {"USD": 100.0, "EUR": 90.0, "JPY": 15_000.0}
    rows: list[dict[str, Any]] = [{"id": f"p{n}", "currency": rng.choice(list(scales))} for n in range(size)]
    for row in rows:
        row["price"] = round(scales[row["currency"]] * rng.gauss(1, 0.1), 2)
    rows[size // 2] = {"id": "odd", "currency": "USD", "price": 14_000.0}

    kept = fit(rows, budget).envelope["meta"]["kept"]

    assert [
        item for item in kept if item["row"] == size // 2 and "far off price for currency USD" in item["why"]
    ]


def test_long_tails_inside_groups_are_no_outliers() -> None:
    """Where many numbers are far off, none is odd."""
    rng = random.Random(1)
    rows = [{"kind": rng.choice("ab"), "size": math.exp(rng.gauss(0, 3))} for _ in range(4000)]

    assert group_outliers(rows) == []


AMOUNTS = {
    "unit behind": ("{:.2f} EUR", "98214.00 EUR"),
    "unit before": ("USD {:,.2f}", "USD 98,214.00"),
    "sign": ("${:.2f}", "$98214.00"),
    "no unit": ("{:.2f}", "-9821.00"),
    "time": ("{:.0f} ms", "98214 ms"),
    "share": ("{:.1f} %", "9821.0 %"),
}


@pytest.mark.parametrize("kind", AMOUNTS)
@pytest.mark.parametrize("size", [100, 5000])
def test_a_number_with_a_unit_that_is_far_off_is_found(fit: Any, kind: str, size: int) -> None:
    """Text to a program, a number to a reader; the length of the text need not differ much."""
    rng = random.Random(size)
    written, odd = AMOUNTS[kind]
    rows = [{"id": n, "cost": written.format(rng.gauss(300, 40)), "note": "x" * 60} for n in range(size)]
    rows[size * 2 // 3]["cost"] = odd

    assert odd in fit(rows, 300).text


@pytest.mark.parametrize("odd", [2.5, -0.25])
def test_a_fraction_among_whole_numbers_is_found(fit: Any, odd: float) -> None:
    """Near the others in size, of another type; a whole number written as a float is none."""
    rows = [{"id": n, "pieces": n * 7 % 9 if n % 50 else 3.0, "note": "x" * 60} for n in range(3000)]
    rows[2100]["pieces"] = odd

    kept = fit(rows, 300).envelope["meta"]["kept"]

    assert [item for item in kept if item["row"] == 2100 and "pieces has a fraction" in item["why"]]


@pytest.mark.parametrize("place", [1, 1500, 2999])
@pytest.mark.parametrize(("column", "odd"), [(2, "UPWARDS"), (1, 94.25), (1, None)])
def test_lists_of_one_length_are_rows_of_a_table(fit: Any, place: int, column: int, odd: Any) -> None:
    """What is odd in its column is found, though the other columns are of other types."""
    rng = random.Random(place)
    rows = [[n, round(rng.gauss(4, 0.2), 3), rng.choice(["N", "S", "E"])] for n in range(3000)]
    rows[place][column] = odd

    shown = fit({"columns": ["day", "temp", "wind"], "rows": rows}, 300)

    assert json.dumps(rows[place], separators=(",", ":")) in shown.text


def packages(number: int) -> list[dict[str, Any]]:
    """Records with fields that some have and others have not, nearly each its own set of them."""
    rng = random.Random(number)
    optional = [f"Opt-{n}" for n in range(9)]
    return [
        {"Package": f"pkg-{n}", "Status": "installed", "Section": f"s{min(int(rng.expovariate(0.3)), 14)}"}
        | {name: "yes" for name in optional if rng.random() < 0.4}
        for n in range(number)
    ]


def test_a_set_of_fields_is_not_odd_where_each_has_its_own(fit: Any) -> None:
    """Odd is the record with a field that no other has, and the one without a field that all others have."""
    rows = packages(400)
    rows[150]["Held-By"] = "ops"
    del rows[290]["Section"]

    kept = fit(rows, 800).envelope["meta"]["kept"]

    odd = {item["row"]: item["why"] for item in kept if "field" in item["why"]}
    assert odd == {150: "extra field Held-By", 290: "no field Section"}


def test_the_only_other_state_is_odder_than_the_last_of_many_sections(fit: Any) -> None:
    """A few sections have one package each; one state differs among four hundred."""
    rows = packages(400)
    rows[300]["Status"] = "half-installed"
    for place in range(20, 120, 20):
        rows[place]["Section"] = f"section-{place}"

    kept = fit(rows, 300).envelope["meta"]["kept"]

    assert 300 in [item["row"] for item in kept]


def test_an_extra_field_is_shown_though_the_columns_are_chosen(fit: Any) -> None:
    """Of wide records a part of the fields is shown."""
    rows = [{f"field_{c}": f"words of the {c}th field" for c in range(30)} for _ in range(300)]
    rows[170]["reviewed"] = "by hand"

    assert "by hand" in fit(rows, 400).text
