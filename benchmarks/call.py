"""What a call costs that returns a small dict or fails: bare, logged, unlogged, and with its prompt.

Run it with `python benchmarks/call.py`. Figures are the fastest of many interleaved rounds of one run:
compare them with each other, not with another machine's. `python benchmarks/call.py calls N` makes N logged
calls and prints nothing, for `valgrind --tool=callgrind` and other profilers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_tools import configure, tool

ROUNDS = 60
CALLS = 200


def get_order(order_id: int) -> dict[str, Any]:
    """Return a small dict, like most tools do."""
    return {"id": order_id, "status": "open", "total": 12.5}


def fail(order_id: int) -> dict[str, Any]:
    """Fail as a tool's body does."""
    raise ConnectionRefusedError(111, "Connection refused")


ORDERS = [
    {
        "id": n,
        "customer": f"C-{n % 7}",
        "city": ("Rome", "Oslo")[n % 2],
        "amount": 20.5 + n,
        "state": "open",
        "note": None,
    }
    for n in range(20)
]


def list_orders(customer: int) -> list[dict[str, Any]]:
    """Return a page of rows."""
    return ORDERS


def caught(order_id: int) -> str:
    """Catch a failure and say what it was, as bare code would."""
    try:
        fail(order_id)
    except OSError as error:
        return str(error)
    raise AssertionError("nothing was raised")


def measure_us(calls: dict[str, Callable[[int], Any]]) -> dict[str, float]:
    """Return the time of one call in microseconds, the fastest round of each."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begun = time.perf_counter()
            for n in range(CALLS):
                call(n)
            best[name] = min(best[name], (time.perf_counter() - begun) / CALLS * 1e6)
    return best


def measure_import_ms() -> float:
    """Return the least CPU time of the statement `import agent_tools` in a fresh process."""
    code = "import time; begun = time.process_time(); import agent_tools; print(time.process_time() - begun)"
    # compiled modules are kept, as they are where packages are installed
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    run = [sys.executable, "-c", code]
    return (
        min(float(subprocess.run(run, check=True, env=env, capture_output=True).stdout) for _ in range(9))
        * 1000
    )


def run_calls(number: int) -> None:
    """Make calls for a profiler."""
    logged = tool(get_order)
    for n in range(number):
        logged(n)


def main() -> None:
    """Measure and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        configure(home=Path(folder))
        if sys.argv[1:2] == ["calls"]:
            run_calls(int(sys.argv[2]))
            return
        logged, unlogged = tool(get_order), tool(get_order, log=False)
        failing, quiet = tool(fail), tool(fail, log=False)
        best = measure_us(
            {
                "bare function": get_order,
                "tool, log off": unlogged,
                "tool, log on": logged,
                "tool, log on, and its prompt": lambda n: logged(n).to_prompt(),
                "invoke with JSON text, log on": lambda n: logged.invoke(f'{{"order_id": {n}}}'),
                "json.dumps of 20 rows": lambda n: json.dumps(ORDERS),
                "tool of 20 rows, log off": tool(list_orders, log=False),
                "tool of 20 rows, log on": tool(list_orders),
                "bare function that fails": caught,
                "tool that fails, log off": quiet,
                "tool that fails, log on": failing,
            }
        )
        for name, us in best.items():
            print(f"{name:32} {us:8.2f} us")
        print(f"{'import agent_tools':32} {measure_import_ms():8.0f} ms")


if __name__ == "__main__":
    main()
