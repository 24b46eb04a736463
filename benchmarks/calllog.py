"""What a record of the call log costs to write, and a large log to read.

    python benchmarks/calllog.py            writing, two processes, start of the command, reading 1e5 records
    python benchmarks/calllog.py --large    and reading a million records of 1 kB (1 GB in a temporary folder)

Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

RECORD = {
    "schema": "agent_tools.call/1",
    "event": "tool_call",
    "level": "info",
    "ts": "2026-01-31T12:00:00.000000+00:00",
    "run_id": "1a2b-c3d4e5f6",
    "trace_id": "0123456789abcdef" * 2,
    "call_id": "c_0643b2a1f0c0001deadbeef",
    "call_id_source": "own",
    "tool": "find_orders",
    "status": "success",
    "elapsed_ms": 12.345,
    "arguments": {"customer": "Zoë", "limit": 20},
    "arguments_bytes": 35,
    "repeat_n": 1,
    "prompt": '{"status":"success","data":[' + '{"id":1,"city":"Malmö"},' * 20 + "]}",
    "tokens": 190,
    "truncated": False,
    "host": "machine",
    "pid": 4711,
}
WRITER = """
import sys
sys.path.insert(0, {root!r})
from agent_tools.calllog import sinks
for n in range({lines}):
    row = {{"schema": "agent_tools.call/1", "event": "tool_call", "writer": {writer}, "n": n}}
    sinks.write(row | {{"pad": "p" * 900}})
"""


def best_us(call: Callable[[], object], n: int = 20_000, rounds: int = 5) -> float:
    """Return the best mean of some rounds, in microseconds a call."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(n):
            call()
        times.append((time.perf_counter() - begin) / n * 1e6)
    return min(times)


def ours(folder: Path) -> Callable[[], object]:
    from agent_tools.calllog.day_files import DayFiles
    from agent_tools.calllog.sinks import Sink

    sink = Sink(DayFiles(lambda: folder))
    return lambda: sink.write(RECORD)


def structlog_json(folder: Path) -> Callable[[], object]:
    import structlog

    logger = structlog.wrap_logger(
        structlog.WriteLogger((folder / "structlog").open("a", encoding="utf-8")),
        processors=[structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        context_class=dict,
        cache_logger_on_first_use=True,
    ).bind()
    given = {key: value for key, value in RECORD.items() if key != "event"}
    return lambda: logger.info("tool_call", **given)


def structlog_orjson(folder: Path) -> Callable[[], object]:
    import orjson
    import structlog

    logger = structlog.wrap_logger(
        structlog.BytesLogger((folder / "structlog_orjson").open("ab")),
        processors=[structlog.processors.JSONRenderer(serializer=orjson.dumps)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        context_class=dict,
        cache_logger_on_first_use=True,
    ).bind()
    given = {key: value for key, value in RECORD.items() if key != "event"}
    return lambda: logger.info("tool_call", **given)


def standard_logging(folder: Path) -> Callable[[], object]:
    logger = logging.getLogger("benchmark")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(logging.FileHandler(folder / "logging", encoding="utf-8"))
    return lambda: logger.info(json.dumps(RECORD))


def loguru_json(folder: Path) -> Callable[[], object]:
    from loguru import logger

    logger.remove()
    logger.add(folder / "loguru", serialize=True)
    bound = logger.bind(**RECORD)
    return lambda: bound.info("tool_call")


WRITERS = {
    "agent_tools": ours,
    "structlog, JSONRenderer": structlog_json,
    "structlog, orjson, BytesLogger": structlog_orjson,
    "logging, json.dumps": standard_logging,
    "loguru, serialize": loguru_json,
}


def write_one(folder: Path) -> None:
    print(f"one record of {len(json.dumps(RECORD))} bytes, us")
    for name, make in WRITERS.items():
        if name.startswith("loguru") and importlib.util.find_spec("loguru") is None:
            continue
        call = make(folder)
        call()
        print(f"  {name:<34} {best_us(call):7.1f}")


def write_two(folder: Path, lines: int = 100_000) -> None:
    env = os.environ | {"AGENT_TOOLS_HOME": str(folder)}
    begin = time.perf_counter()
    codes = [WRITER.format(root=str(ROOT), lines=lines, writer=n) for n in range(2)]
    writers = [subprocess.Popen([sys.executable, "-c", code], env=env) for code in codes]
    assert [writer.wait() for writer in writers] == [0, 0]
    took = time.perf_counter() - begin
    seen = set()
    for path in (folder / "calls").iterdir():
        with path.open("rb") as file:
            seen.update((row["writer"], row["n"]) for row in map(json.loads, file))
    print(f"two processes x {lines} lines: {took:.1f} s, lost or torn: {2 * lines - len(seen)}")


def cpu_s() -> float:
    """Return the CPU time of the processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_command(label: str, home: Path, *arguments: str) -> None:
    """Print the least time of a few runs, on the clock and on the CPU: other work moves the first only."""
    env = os.environ | {"PYTHONPATH": str(ROOT), "AGENT_TOOLS_HOME": str(home)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    command = [sys.executable, "-m", "agent_tools", *arguments]
    times = []
    for _ in range(5):
        begin, used = time.perf_counter(), cpu_s()
        subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - begin, cpu_s() - used))
    clock, cpu = (min(column) * 1000 for column in zip(*times, strict=True))
    print(f"  {label:<34} {clock:7.0f} {cpu:7.0f} CPU", flush=True)


def read_log(folder: Path, n: int) -> None:
    import orjson

    rows = random.Random(7)
    (folder / "calls").mkdir(parents=True)
    wanted = ("", "", "")
    per_day = n // 4
    for day in range(4):
        with (folder / f"calls/calls-2026-01-0{day + 1}.jsonl").open("wb") as file:
            for place in range(per_day):
                i = day * per_day + place
                trace, model_id = (
                    f"{i // 10 * 0x9E3779B97F4A7C15 % 2**128:032x}",
                    f"call_{rows.getrandbits(64):x}",
                )
                row = RECORD | {
                    "ts": f"2026-01-0{day + 1}T12:00:00.{place:06d}+00:00",
                    "trace_id": trace,
                    "call_id": model_id if i % 2 else f"c_{i:014x}{rows.getrandbits(32):08x}",
                    "call_id_source": "model" if i % 2 else "own",
                    "pad": "",
                }
                row["pad"] = "p" * (1000 - len(orjson.dumps(row)))
                file.write(orjson.dumps(row) + b"\n")
                if i in (n // 8, n // 8 + 1):
                    wanted = (trace, str(row["call_id"]) if i % 2 == 0 else wanted[1], model_id)
    print(f"a log of {n} records of 1 kB, ms with the start of the command")
    run_command("list, the latest 50", folder, "logs", "list")
    run_command("show, our own id", folder, "logs", "show", wanted[1])
    run_command("show, a model's id", folder, "logs", "show", wanted[2])
    run_command("trace", folder, "logs", "trace", wanted[0])
    run_command("stats", folder, "logs", "stats")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="write and read a log of 1 GB, too")
    is_large = parser.parse_args().large
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_one(folder)
        write_two(folder / "two")
        print("start of the command, ms")
        run_command("logs path", folder / "two", "logs", "path")
        run_command("logs list, JSON", folder / "two", "logs", "list", "-n", "1")
        run_command("logs list, table", folder / "two", "logs", "list", "-n", "1", "--table")
        read_log(folder / "log", 100_000)
        if is_large:
            read_log(folder / "large", 1_000_000)


if __name__ == "__main__":
    main()
