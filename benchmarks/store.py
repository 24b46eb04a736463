"""What storing and paging cost, against one `json.dumps` of the same value.

    python benchmarks/store.py [memory|sqlite|redis://host:port/db ...]

Reach: 1e5 rows (16 MB) stored within half of one json.dumps of them.
"""

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id

CITIES = ["Rome", "Oslo", "Paris", "Berlin", "Tokyo"]
WORDS = ["late", "gift", "fragile", "priority", "return"]
LIMITS = {"ttl_s": 3600.0, "quota_bytes": 2 * 10**9}


def make_row(i: int) -> dict:
    return {
        "order_id": f"ORD-{i:06d}",
        "customer": f"customer {i * 7919 % 5000}",
        "city": random.choice(CITIES),
        "amount": round(random.random() * 1000, 2),
        "quantity": random.randrange(100),
        "note": " ".join(random.choices(WORDS, k=6)),
        "created": f"2024-0{random.randrange(1, 9)}-1{random.randrange(9)}T10:00:00",
    }


def best_ms(work, times: int = 5) -> float:
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took) * 1e3


def measure_rows(store, rows, dumps_ms: float) -> None:
    result_id = new_result_id()
    put_ms = best_ms(lambda: store.put(result_id, "", {"tool": "bench"}, rows))
    page_ms = best_ms(lambda: store.rows(result_id, "", random.randrange(90_000), 20), 50)
    whole_ms = best_ms(lambda: store.value(result_id, ""))
    print(f"  put 1e5 rows       {put_ms:8.1f} ms  {put_ms / dumps_ms:5.2f}x json.dumps")
    print(f"  page of 20 rows    {page_ms:8.2f} ms")
    print(f"  read whole         {whole_ms:8.1f} ms")


def measure_text(store) -> None:
    text, result_id = (
        "".join(f"line {i} of a log that is long enough\n" for i in range(130_000)),
        new_result_id(),
    )
    put_ms = best_ms(lambda: store.put(result_id, "", {"tool": "bench"}, text))
    page_ms = best_ms(lambda: store.lines(result_id, "", random.randrange(130_000), 20), 50)
    print(
        f"  put {len(text) / 1e6:.0f} MB of text   {put_ms:8.1f} ms\n  page of 20 lines   {page_ms:8.2f} ms"
    )


def measure_small(store) -> None:
    rows = [make_row(i) for i in range(60)]
    took = sorted(
        best_ms(lambda: store.put(new_result_id(), "", {"tool": "bench"}, rows), 1) for _ in range(500)
    )
    print(f"  put 60 rows        {took[250]:8.2f} ms in the median, {took[495]:.1f} ms for 99 %")


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_stream(store, n: int = 2_000_000) -> None:
    before_mb = most_mb = resident_mb()
    start = time.perf_counter()
    with store.open_writer(new_result_id(), "", {"tool": "bench"}) as writer:
        for at in range(0, n, 500):
            writer.add([{"i": i, "city": "Rome"} for i in range(at, at + 500)])
            most_mb = max(most_mb, resident_mb())
        writer.finish()
    took_s = time.perf_counter() - start
    print(f"  stream {n:.0e} rows  {took_s:8.2f} s, memory grew by {most_mb - before_mb:.0f} MB at most")


def main() -> None:
    random.seed(1)
    rows = [make_row(i) for i in range(100_000)]
    dumps_ms = best_ms(lambda: json.dumps(rows))
    print(f"json.dumps of 1e5 rows, {len(json.dumps(rows)) / 1e6:.0f} MB: {dumps_ms:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        for url in sys.argv[1:] or ["memory", "sqlite"]:
            print(url.partition("@")[2] or url)
            store = open_store(f"sqlite:///{folder}/results.db" if url == "sqlite" else url, **LIMITS)
            if url != "memory":
                measure_stream(store)
            measure_small(store)
            measure_text(store)
            measure_rows(store, rows, dumps_ms)
            store.close()


if __name__ == "__main__":
    main()
