"""What making data plain costs, against one `json.dumps` of the same rows.

    python benchmarks/clean.py

Reach: a small dict 1.0 us; 1e5 plain rows (16 MB) one json.dumps. CPU time, best of five.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import random
import time
import timeit
import uuid
from collections.abc import Callable
from typing import Any

from agent_tools.stages.plain_data import plain_data

ROWS = 100_000
SMALL = {"id": 1, "name": "Ann", "total": 2.5}
CITIES = ["Rome", "Bonn", "Köln", "Oslo"]


def records() -> list[dict[str, Any]]:
    """1e5 flat rows of eight fields."""
    rng = random.Random(1)
    return [
        {
            "order_id": f"ORD-{i:06d}",
            "customer": f"Customer {rng.randrange(10_000)}",
            "city": rng.choice(CITIES),
            "amount": rng.random() * 100,
            "quantity": rng.randrange(9),
            "paid": True,
            "note": None,
            "at": "2031-05-01T10:00:00",
        }
        for i in range(ROWS)
    ]


def kinds(rows: list[dict[str, Any]]) -> dict[str, object]:
    """The same rows as other kinds of values."""
    record = dataclasses.make_dataclass("Order", list(rows[0]), slots=True)
    day = dt.date(2031, 5, 1)
    amount = decimal.Decimal("1.10")
    values: dict[str, object] = {
        "plain rows": rows,
        "plain rows beside a date": {"at": day, "rows": rows},
        "a Decimal in each row": [row | {"amount": amount} for row in rows],
        "a NaN in each row": [row | {"amount": float("nan")} for row in rows],
        "dataclasses": [record(**row) for row in rows],
        **database_rows(rows),
    }
    try:
        import pandas as pd
    except ImportError:
        return values
    return values | {"a pandas frame": pd.DataFrame(rows).assign(at=pd.Timestamp(2031, 5, 1))}


def database_rows(rows: list[dict[str, Any]]) -> dict[str, object]:
    """The rows with a time, a day, an amount, an id and a state, as three drivers give them."""
    state = enum.Enum("state", ["OPEN", "PAID"])
    at = dt.datetime(2031, 5, 1, tzinfo=dt.UTC)
    typed = [
        {
            "order_id": uuid.UUID(int=number),
            "customer": row["customer"],
            "amount": decimal.Decimal(number) / 100,
            "quantity": row["quantity"],
            "state": state.PAID if number % 3 else state.OPEN,
            "note": None,
            "day": (at + dt.timedelta(days=number % 900)).date(),
            "at": at + dt.timedelta(seconds=number),
        }
        for number, row in enumerate(rows)
    ]
    record = dataclasses.make_dataclass("Order", list(typed[0]), slots=True)
    return {
        "typed dicts": typed,
        "typed tuples": [tuple(row.values()) for row in typed],
        "typed dataclasses": [record(**row) for row in typed],
    }


def best_s(step: Callable[[], object], times: int = 5) -> float:
    """Return the least CPU seconds of a step."""
    return min(timeit.repeat(step, number=1, repeat=times, timer=time.process_time))


def main() -> None:
    """Print the table."""
    loops = 200_000
    small = min(timeit.repeat(lambda: plain_data(SMALL), number=loops, repeat=5, timer=time.process_time))
    print(f"{'a small dict':28} {small / loops * 1e6:8.2f} us")
    rows = records()
    dumps = best_s(lambda: json.dumps(rows))
    print(f"{'json.dumps of 1e5 rows':28} {dumps * 1e3:8.1f} ms  {len(json.dumps(rows)) / 1e6:.1f} MB")
    for name, value in kinds(rows).items():
        spent = best_s(lambda value=value: plain_data(value))  # type: ignore[misc]
        print(f"{name:28} {spent * 1e3:8.1f} ms  {spent / dumps:.2f} x json.dumps")


if __name__ == "__main__":
    main()
