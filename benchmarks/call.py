"""What a call costs that returns a small dict: bare, logged, unlogged, and by part.

Run it with `python benchmarks/call.py`. Figures are medians of several rounds of one run: compare them with
each other, not with another machine's.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_tools import configure, tool

ROUNDS = 15
CALLS = 2_000


def get_order(order_id: int) -> dict[str, Any]:
    """Return a small dict, like most tools do."""
    return {"id": order_id, "status": "open", "total": 12.5}


def measure_us(call: Callable[[int], Any]) -> float:
    """Return the median time of one call in microseconds."""
    for n in range(200):
        call(n)
    rounds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        for n in range(CALLS):
            call(n)
        rounds.append((time.perf_counter() - begun) / CALLS * 1e6)
    return statistics.median(rounds)


def measure_import_ms() -> float:
    """Return the median time of `import agent_tools` in a fresh process, less that of an empty one."""

    def run(code: str) -> float:
        times = []
        for _ in range(7):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times.append((time.perf_counter() - begun) * 1000)
        return statistics.median(times)

    return run("import agent_tools") - run("pass")


def main() -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        configure(home=Path(folder))
        logged = tool(get_order)
        unlogged = tool(get_order, log=False)
        rows = {
            "bare function": measure_us(get_order),
            "tool, log on": measure_us(logged),
            "tool, log on, and its prompt": measure_us(lambda n: logged(n).to_prompt()),
            "tool, log off": measure_us(unlogged),
            "invoke with JSON text, log on": measure_us(lambda n: logged.invoke(f'{{"order_id": {n}}}')),
        }
        for name, us in rows.items():
            print(f"{name:32} {us:8.2f} us")
        print(f"{'import agent_tools':32} {measure_import_ms():8.0f} ms")


if __name__ == "__main__":
    main()
