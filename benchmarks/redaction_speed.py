"""Time the redactor against json.dumps on clean results, and on hostile texts of 20 kB.

python benchmarks/redaction_speed.py [--rules all] [--big]
"""

from __future__ import annotations

import argparse
import json
import random
import timeit
from typing import Any

from agent_tools.stages.redaction import make_redactor

PROSE = """the order was shipped to a customer in the north and the report lists each key point about
design and considered options while the session ended early"""
WORDS = PROSE.split()
HOSTILE = (
    "password=", "password: ", "key is ", '"', "\\", "13800138000 ", "a@b.", "http://a:b@", "eyJ.", "密码",
    "密码：", "{", "[", "AA00 ", "4111 ", "+1 ", "Bearer ", "Cookie: a=", "name,password\n", "tokens=['",
    "zip -P x ", " -u a -p ", "auth=('a','", "sk-a1", "\x1b[", "-----BEGIN PRIVATE " + "KEY-----", "1", "w",
)  # fmt: skip


def make_row(number: int) -> dict[str, Any]:
    """Make a flat record without anything to hide."""
    return {
        "id": number,
        "name": random.choice(("Ann Lee", "Bob Stone")),
        "city": "Rome",
        "created_at": f"2025-01-01T10:{number % 60:02d}:00.123456+08:00",
        "uuid": f"{random.getrandbits(32):08x}-1234-4a50-8901-{random.getrandbits(48):012x}",
        "amount": number * 1.5,
        "url": f"https://example.com/items/{number}?page=2",
        "note": "The quick brown fox jumps over the lazy dog",
    }


def clean_results() -> dict[str, Any]:
    """Make results of about 10 kB without anything to hide."""
    prose = " ".join(random.choices(WORDS, k=1800))
    return {
        "small dict": {"id": 1, "name": "x", "city": "Rome"},
        "rows": [make_row(i) for i in range(38)],
        "records with prose": [{"id": i, "body": " ".join(random.choices(WORDS, k=46))} for i in range(32)],
        "one text": prose,
        "nested": {"items": [{"sku": "A-1", "qty": 2, "tags": ["vip"], "dim": {"w": 1}} for _ in range(120)]},
        "chinese": [{"编号": i, "内容": "各地区的销售总体平稳，华东地区增长明显。"} for i in range(80)],
        "log lines": [
            f"2026-01-01 10:00:00,123 INFO svc - done path=/v1 status=200 cost={i}ms" for i in range(120)
        ],
    }


def best_us(function: Any, repeats: int = 60) -> float:
    """Return the time of one call in microseconds, from the fastest of many short rounds."""
    timer = timeit.Timer(function)
    number, _ = timer.autorange()
    calls = max(1, number // 40)
    return min(timer.repeat(repeats, calls)) / calls * 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default="")
    parser.add_argument("--big", action="store_true", help="also 1e5 rows")
    options = parser.parse_args()
    random.seed(1)
    redact = make_redactor(options.rules.split(",") if options.rules else True)
    results = clean_results() | ({"1e5 rows": [make_row(i) for i in range(100_000)]} if options.big else {})
    for name, value in results.items():
        assert redact(value) is value, f"{name} is not clean"
        dumps, redacts = best_us(lambda v=value: json.dumps(v)), best_us(lambda v=value: redact(v))
        size = len(json.dumps(value))
        ratio, speed = redacts / dumps, size / redacts
        print(f"{name:20} {size:>9} B {redacts:>10.1f} us {ratio:5.2f}x json.dumps {speed:7.1f} MB/s")
    print()
    for unit in HOSTILE:
        texts = [(unit * (size // len(unit) + 1))[:size] for size in (10_000, 20_000)]
        half, whole = (best_us(lambda t=text: redact.text(t), 5) / 1e3 for text in texts)
        print(f"{unit.strip()[:20]!r:24} 20 kB {whole:7.2f} ms  doubling {whole / half:4.2f}x")


if __name__ == "__main__":
    main()
