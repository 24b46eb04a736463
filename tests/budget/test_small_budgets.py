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
