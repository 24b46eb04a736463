"""With two or three hundred tokens a row that a reader needs is worth more than statistics and advice."""

from __future__ import annotations

import random
from typing import Any

import pytest


def orders(rng: random.Random, size: int) -> list[dict[str, Any]]:
    return [
        {
            "Nummer": f"E-{n:06}-{rng.randint(100, 999)}",
            "Name": rng.choice(["alpha beta", "gamma delta", "theta iota"]),
            "Ort": rng.choice(["Kiel", "Bonn", "Ulm", "Jena", "Trier"]),
            "Umsatz": round(rng.gauss(100, 12), 2),
            "Zustand": rng.choice(["offen", "zu"]),
            "Datum": f"2026-{1 + n % 12:02}-{1 + n % 28:02}T10:00:00Z",
        }
        for n in range(size)
    ]


@pytest.mark.parametrize("budget", [200, 250, 300])
@pytest.mark.parametrize(
    "change",
    [{"Name": None}, {"Zustand": ["x"]}, {"extra": 1}, {"Umsatz": -77.5}, {"Zustand": "gesperrt"}],
    ids=str,
)
def test_the_odd_row_is_shown_whole(prompt: Any, change: dict[str, Any], budget: int) -> None:
    """The row, not only a count of it."""
    rows = orders(random.Random(budget), 3000)
    rows[1777] |= change

    shown = prompt(rows, budget)

    assert rows[1777]["Nummer"] in str(shown["data"])
    assert shown["meta"]["kept"][0]["row"] == 1777


@pytest.mark.parametrize("seed", range(6))
def test_three_odd_rows_come_before_the_first_one(prompt: Any, seed: int) -> None:
    """No room is held back for the beginning while a row is missing that is odd beyond doubt."""
    rng = random.Random(seed)
    rows = orders(rng, 800)
    places = rng.sample(range(20, 800), 3)
    for place, change in zip(
        places, ({"Umsatz": 9_000.5}, {"Ort": None}, {"Zustand": "gesperrt"}), strict=True
    ):
        rows[place] |= change

    shown = str(prompt(rows, 300)["data"])

    assert [place for place in places if rows[place]["Nummer"] not in shown] == []


@pytest.mark.parametrize("size", [400, 12_000])
def test_three_lines_with_errors_come_before_the_first_ones(prompt: Any, size: int) -> None:
    """As for rows, in a short and in a long log."""
    rng = random.Random(size)
    words = ["moved", "order", "to", "north", "dock", "checked", "pallet"]
    lines = [
        f"2026-05-02T{n % 24:02}:10:07Z INFO hall-{n % 7} {' '.join(rng.choices(words, k=9))}"
        for n in range(size)
    ]
    needles = {size // 5: "gate-a", size // 2: "gate-b", size * 4 // 5: "gate-c"}
    for place, needle in needles.items():
        lines[place] = lines[place].replace("INFO", "ERROR") + f" failed: {needle}"

    shown = str(prompt("\n".join(lines), 300)["data"])

    assert [needle for needle in needles.values() if needle not in shown] == []


@pytest.mark.parametrize("seed", range(4))
def test_what_is_left_of_a_small_budget_is_filled(fit: Any, seed: int) -> None:
    """One row and not room for two: statistics that fit, the short one where a long one does not."""
    rows = orders(random.Random(seed), 400)
    rows[300]["Zustand"] = None

    fitted = fit(rows, 200)

    assert fitted.tokens >= 0.9 * 200


def test_a_part_of_a_row_is_of_the_one_that_matters(prompt: Any) -> None:
    """Where no row fits whole: the field that is odd and the one that names the row."""
    rows = [{"name": f"n{n}", **{f"m{i}": "some words" for i in range(40)}} for n in range(500)]
    rows[321]["m33"] = None

    shown = str(prompt(rows, 200)["data"])

    assert "n321" in shown
    assert "m33" in shown
