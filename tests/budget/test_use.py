"""A cut result uses the budget that it has."""

from __future__ import annotations

import base64
import random
import statistics
from typing import Any

import pytest

from agent_tools.tokens import make_counter

BUDGETS = (200, 300, 500, 800, 1500, 4000)


def values() -> list[Any]:
    rng = random.Random(8)
    words = [rng.choice(["alpha", "beta", "gamma", "delta"]) for _ in range(40_000)]
    rows = [
        {
            "id": i,
            "user": f"u{rng.randint(1, 99)}",
            "amount": rng.random(),
            "note": " ".join(words[i : i + 5]),
        }
        for i in range(3000)
    ]
    return [
        rows,
        {"items": rows, "total": 3000},
        [rng.randint(0, 10**6) for _ in range(9000)],
        {f"k{i}": {"n": i, "s": "ok"} for i in range(3000)},
        "\n".join(f"{i} INFO {' '.join(words[i : i + 8])}" for i in range(9000)),
        " ".join(words),
        "系统运行正常数据同步完成" * 5000,
        [{"id": i, "lines": [{"sku": f"s{j}", "n": j} for j in range(i % 5)]} for i in range(2000)],
        {"title": "t", "body": " ".join(words), "links": [f"https://example.com/{i}" for i in range(300)]},
    ]


def test_budget_is_used(share):
    """At least 0.95 in the median, and hardly ever less than 0.9."""
    used = [share(value, budget) for value in values() for budget in BUDGETS]

    assert statistics.median(used) >= 0.95
    assert sum(part >= 0.9 for part in used) >= 0.95 * len(used)


def anything(rng: random.Random, depth: int) -> Any:
    """A nested value of no plan: numbers, short and long texts, base64, lists and objects."""
    if not depth or rng.random() < 0.1:
        words = " ".join(rng.choices(["alpha", "beta", "gamma"], k=rng.choice([1, 9, 200, 2000])))
        blob = base64.b64encode(rng.randbytes(rng.choice([30, 300, 900, 5000, 40_000]))).decode()
        return rng.choice([None, True, rng.random(), rng.randint(0, 10**6), words, words, blob])
    parts = [anything(rng, depth - 1) for _ in range(rng.choice([2, 3, 5, 9]))]
    return parts if rng.random() < 0.5 else {f"field{i}": part for i, part in enumerate(parts)}


def test_budget_is_used_whatever_the_data(fit):
    """With binary content and long texts anywhere, at least 0.9 for 98 of 100 that are cut."""
    used = []
    for seed in range(40):
        data = anything(random.Random(seed), 3)
        for budget in BUDGETS:
            fitted = fit(data, budget)
            if fitted.envelope["status"] == "partial":
                used.append(make_counter("o200k_base").count(fitted.text) / budget)

    assert len(used) > 100
    assert sum(part >= 0.9 for part in used) >= 0.98 * len(used)


@pytest.mark.parametrize("budget", [64, 100, 200, 800, 8000])
def test_total_and_id_stay_to_the_last(prompt, budget):
    """What little room there is holds the state, the total and where the rest is."""
    shown = prompt([{"id": i, "txt": "word " * 20} for i in range(50_000)], budget)

    assert (shown["status"], shown["meta"]["total"]) == ("partial", 50_000)
    assert shown["meta"]["result_id"].startswith("r_")


@pytest.mark.parametrize("budget", [64, 100, 200])
def test_error_code_stays_to_the_last(prompt, budget):
    """A long message gives way, the code does not."""
    error = {
        "code": "DB_TIMEOUT",
        "message": "It took too long. " * 60,
        "retryable": True,
        "recovery": "retry",
    }

    shown = prompt({"stdout": "x" * 99_999}, budget, status="error", error=error)

    assert (shown["status"], shown["error"]["code"]) == ("error", "DB_TIMEOUT")
