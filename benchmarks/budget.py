"""What a cut costs and how much of the budget it uses.

Run `python benchmarks/budget.py [share] [time]`; without a word, both. Times are CPU times, the best of
a few, as a share of one json.dumps of the same value where that says more.
"""

from __future__ import annotations

import base64
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from agent_tools.formats import get_renderer
from agent_tools.stages.budget import Draft, Fitted, make_fit
from agent_tools.tokens import make_counter

COUNTER = make_counter("o200k_base")
WORDS = (
    "request",
    "handled",
    "cache",
    "hit",
    "miss",
    "worker",
    "queue",
    "flush",
    "ack",
    "user",
    "late",
    "order",
)
BUDGETS = (200, 300, 500, 800, 1500, 3000, 8000)


def fit_with(max_tokens: int, **settings: Any) -> Callable[[Any], Fitted]:
    """Return data -> fitted, as the pipeline calls it."""
    settings = {"format": "auto", "tool": "find_orders", "kind": "query", **settings}
    fit = make_fit(max_tokens=max_tokens, counter=COUNTER, get_renderer=get_renderer, **settings)
    meta = {"call_id": "call_1", "elapsed_ms": 12.5}
    return lambda data: fit(
        Draft("success", data, dict(meta), None, {"city": "Rome"}, "r_" + "a" * 16, "plan")
    )


def records(rng: random.Random, number: int, fields: int = 8) -> list[dict[str, Any]]:
    """Flat records with ids, names, categories, amounts, dates and a sentence."""
    made: list[dict[str, Any]] = []
    for i in range(number):
        row = {
            "id": i,
            "user": f"user{rng.randint(1, 3000)}@example.com",
            "region": rng.choice(["eu-west", "us-east", "ap-south"]),
            "amount": round(rng.gauss(100, 15), 2),
            "qty": rng.randint(1, 5),
            "status": rng.choice(["OK", "OK", "OK", "LATE"]),
            "ts": f"2026-10-{1 + i % 28:02d}T{i % 24:02d}:{i % 60:02d}:00Z",
            "note": " ".join(rng.choice(WORDS) for _ in range(6)),
        }
        row.update({f"c{k}": rng.random() for k in range(fields - 8)})
        made.append(dict(list(row.items())[:fields]))
    return made


def log_lines(rng: random.Random, size: int) -> str:
    """Write a log of `size` characters."""
    lines, length = [], 0
    while length < size:
        words = " ".join(rng.choice(WORDS) for _ in range(8))
        at = f"10:{len(lines) % 60:02d}:01.{rng.randint(100, 999)}"
        lines.append(f"2026-10-20T{at}Z INFO svc-{rng.randint(1, 9)} {words}")
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def tree(rng: random.Random, depth: int) -> dict[str, Any]:
    """Build a nested value of four children a level."""
    node: dict[str, Any] = {
        "id": f"n{depth}-{rng.randint(0, 9999)}",
        "size": rng.randint(0, 99),
        "tags": ["a", "b"],
    }
    if depth:
        node["children"] = [tree(rng, depth - 1) for _ in range(4)]
    return node


def cases(rng: random.Random) -> dict[str, Any]:
    """Return values of the kinds that tools give back."""
    prose = " ".join(rng.choice(WORDS) for _ in range(60_000))
    chinese = "".join(
        rng.choice("系统运行正常数据同步完成用户请求已处理缓存命中率稳定") for _ in range(60_000)
    )
    order = {"id": 1, "to": {"city": "Rome"}, "lines": [{"sku": f"s{i}", "n": i} for i in range(4)]}
    return {
        "records": records(rng, 3000),
        "narrow": records(rng, 3000, 3),
        "wide": records(rng, 300, 60),
        "few long": [{"id": i, "body": prose[i * 900 : i * 900 + 9000]} for i in range(5)],
        "orders": [{**order, "id": i, "note": "x" * rng.randint(0, 90)} for i in range(900)],
        "integers": [rng.randint(0, 10**6) for _ in range(20_000)],
        "texts": [f"line {i} {rng.choice(WORDS)}" for i in range(5000)],
        "wrapped": {"items": records(rng, 3000), "total": 3000, "page": {"next": "abc"}},
        "tree": tree(rng, 5),
        "map": {f"u{i}": {"name": f"n{i}", "age": rng.randint(18, 80)} for i in range(3000)},
        "plain map": {f"key-{i}": rng.random() for i in range(3000)},
        "one wide": [{f"col_{i:03d}": " ".join(rng.choices(WORDS, k=7)) for i in range(200)}],
        "object": {"title": "T", "body": prose, "links": [f"https://example.com/{i}" for i in range(300)]},
        "log": log_lines(rng, 400_000),
        "prose": prose,
        "chinese": chinese,
        "sentences": "。\n".join(chinese[i : i + 30] for i in range(0, 30_000, 30)),
        "csv": "\n".join(["id,city,amount"] + [f"{i},Rome,{rng.random():.3f}" for i in range(4000)]),
        "scans": [{"page": i, "scan": binary(rng, 3000), "text": prose[i * 90 :][:300]} for i in range(90)],
        "mail": {"from": "a@example.com", "body": prose[:20_000], "files": [binary(rng, 90_000)] * 3},
        **{f"any {seed}": anything(random.Random(seed), 3) for seed in range(16)},
    }


def binary(rng: random.Random, size: int) -> str:
    """Write random bytes as base64."""
    return base64.b64encode(rng.randbytes(size)).decode()


def anything(rng: random.Random, depth: int) -> Any:
    """Build a nested value of no plan: short and long texts, base64, numbers, lists and objects."""
    if not depth or rng.random() < 0.1:
        words = " ".join(rng.choices(WORDS, k=rng.choice([1, 3, 9, 200, 2000])))
        size = rng.choice([30, 300, 900, 5000, 40_000])
        return rng.choice([None, True, rng.random(), rng.randint(0, 10**6), words, words, binary(rng, size)])
    number = rng.choice([2, 3, 5, 9])
    parts = [anything(rng, depth - 1) for _ in range(number)]
    return parts if rng.random() < 0.5 else {f"{rng.choice(WORDS)}{i}": part for i, part in enumerate(parts)}


def shares() -> None:
    """Print how much of its budget each cut uses."""
    used: list[float] = []
    for name, value in cases(random.Random(5)).items():
        row = []
        for budget in BUDGETS:
            fitted = fit_with(budget)(value)
            tokens = COUNTER.count(fitted.text)
            assert tokens <= budget, (name, budget, tokens)
            # of a result of which only binary content is not shown, there is nothing left to show
            is_cut = fitted.envelope["status"] == "partial"
            row.append(f"{tokens / budget:.3f}" if is_cut else "whole")
            used += [tokens / budget] if is_cut else []
        print(f"{name:12s}", *row)
    used.sort()
    over = sum(share >= 0.9 for share in used) / len(used)
    low = used[len(used) // 50]
    median = statistics.median(used)
    print(f"cuts {len(used)}  median {median:.3f}  2% quantile {low:.3f}  at least 0.9: {over:.3f}")


def best_ms(run: Callable[[], Any], tries: int = 5) -> float:
    """Return the CPU milliseconds of the cheapest of some tries."""
    times = []
    for _ in range(tries):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return 1000 * min(times)


def times() -> None:
    """Print what fitting costs."""
    small = fit_with(1500)
    row = {"id": 7, "city": "Rome", "ok": True, "amount": 12.5}
    print(f"small dict      {best_ms(lambda: [small(row) for _ in range(10_000)]) / 10:.2f} us")
    rng = random.Random(5)
    big = records(rng, 100_000)
    dumps = best_ms(lambda: json.dumps(big), 3)
    cut = best_ms(lambda: small(big), 3)
    print(f"100,000 rows    {cut:.0f} ms, {cut / dumps:.2f} of a json.dumps ({dumps:.0f} ms)")
    for what, kinds in (("ten kinds", texts(rng)), ("twelve more", more_texts(rng))):
        taken = []
        for name, text in kinds.items():
            assert COUNTER.count(small(text).text) <= 1500
            taken.append(best_ms(lambda text=text: small(text)))
            print(f"{name:15s} {taken[-1]:.1f} ms for {len(text) / 1e6:.1f} M characters")
        print(f"{what}: median {statistics.median(taken):.1f} ms, worst {max(taken):.1f} ms")


def texts(rng: random.Random) -> dict[str, str]:
    """Return texts of 5 MB."""
    log = log_lines(rng, 5_000_000)
    prose = " ".join(rng.choice(WORDS) for _ in range(900_000))
    return {
        "log": log,
        "log, errors": log.replace(" INFO svc-3", " ERROR svc-3"),
        "prose": prose,
        "paragraphs": prose.replace("late order", "late\norder"),
        "chinese": "系统运行正常，数据同步完成。" * 110_000,
        "blanks": " " * 5_000_000,
        "base64-like": "".join(rng.choice("abcdefghijkLMNOPQ0123456789+/") for _ in range(5_000_000)),
        "short lines": "ok\n" * 1_700_000,
        "csv": "\n".join(["id,city,amount"] + [f"{i},Rome,{i * 7 % 1000}" for i in range(300_000)]),
        "json": json.dumps(records(rng, 28_000)),
    }


def more_texts(rng: random.Random) -> dict[str, str]:
    """Return texts of 5 MB of twelve more shapes."""
    words = [rng.choice(WORDS) + rng.choice(WORDS) for _ in range(40)]

    def say(number: int) -> str:
        return " ".join(rng.choices(words, k=number))

    def at(n: int) -> str:
        return f"{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}"

    rows = records(rng, 34_000)
    trace = (
        lambda n: f"2026-10-20 {at(n)} ERROR api request failed",
        lambda n: "Traceback (most recent call last):",
        lambda n: f'  File "/srv/app/views.py", line {rng.choice((12, 30, 44))}, in {rng.choice(words[:4])}',
        lambda n: f"    {words[5]}({rng.choice(words[:6])})",
        lambda n: f"ValueError: order {n} is {rng.choice(words[:5])}",
    )
    makers: dict[str, Callable[[int], str]] = {
        "markdown": lambda n: rng.choice((f"- {say(6)}", f"{say(9)}.", "", f"## {say(3)}")),
        "html": lambda n: f'<tr><td>{n}</td><td class="n">{say(1)}</td><td>{rng.randint(1, 99)}</td></tr>',
        "xml": lambda n: f'  <item id="{n}"><name>{say(1)}</name><state>ok</state></item>',
        "yaml": lambda n: (f"- id: {n // 4}", f"  name: {say(1)}", "  state: ready", f"  size: {n % 7}")[
            n % 4
        ],
        "sql": lambda n: f"INSERT INTO `orders` VALUES ({n},'{say(2)}',{rng.randint(1, 999)},'2026-10-20');",
        "traces": lambda n: trace[n % 5](n),
        "access log": lambda n: (
            f"10.0.{rng.randint(0, 255)}.{n % 255} - - [20/Oct/2026:{at(n)} +0000] "
            f'"GET /{say(1)}/{n % 999} HTTP/1.1" 200 {rng.randint(100, 9999)} "-" "Mozilla/5.0"'
        ),
        "chinese log": lambda n: (
            f"2026-10-20 {at(n)} [信息] 服务{n % 5} 请求已处理，耗时{rng.randint(1, 90)}毫秒"
        ),
        "tsv": lambda n: "\t".join(map(str, rows[n % 34_000].values())),
    }
    return {
        **{
            name: lines_of(make, 2_500_000 if name == "chinese log" else 5_000_000)
            for name, make in makers.items()
        },
        "json lines": "\n".join(map(json.dumps, rows)),
        "crlf log": log_lines(rng, 5_000_000).replace("\n", "\r\n"),
        "nested json": json.dumps(
            {
                "data": [
                    {"id": n, "to": {"city": say(1)}, "lines": [{"sku": say(1), "n": n % 7}] * 2}
                    for n in range(50_000)
                ]
            }
        ),
    }


def lines_of(make: Callable[[int], str], size: int) -> str:
    """Write lines until there are `size` characters."""
    lines, length = [], 0
    while length < size:
        lines.append(make(len(lines)))
        length += len(lines[-1]) + 1
    return "\n".join(lines)


if __name__ == "__main__":
    wanted = sys.argv[1:] or ["share", "time"]
    if "share" in wanted:
        shares()
    if "time" in wanted:
        times()
