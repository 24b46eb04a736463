"""What one log record of 1 kB costs as a line of JSON in a file, beside other loggers, in one run.

    python benchmarks/peers_log.py

Rounds are interleaved and the fastest of each counts. With each of them a line is in the file when the call
returns: nothing is buffered in the process.
"""

from __future__ import annotations

import json
import logging
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from calllog import RECORD, WRITERS

CALLS = 1_000
ROUNDS = 15
OURS = "agent_tools"


def json_logger(folder: Path) -> Callable[[], object]:
    """The standard logger with python-json-logger's formatter."""
    from pythonjsonlogger.json import JsonFormatter

    handler = logging.FileHandler(folder / "jsonlogger", encoding="utf-8")
    handler.setFormatter(JsonFormatter())
    logger = logging.getLogger("benchmark.jsonlogger")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    return lambda: logger.info("tool_call", extra=RECORD)


# name -> its package
LOGGERS = {
    OURS: "agent_tools",
    "structlog, JSONRenderer": "structlog",
    "structlog, orjson, BytesLogger": "structlog",
    "logging, json.dumps": "",
    "logging, python-json-logger": "python-json-logger",
    "loguru, serialize": "loguru",
}


def make_writers(folder: Path) -> dict[str, Callable[[], object]]:
    """Make the loggers that are installed."""
    made = {}
    for name, make in (WRITERS | {"logging, python-json-logger": json_logger}).items():
        try:
            made[name] = make(folder)
        except ImportError:
            continue
    return made


def measure(writers: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the fastest round of each, in microseconds a record."""
    best = dict.fromkeys(writers, float("inf"))
    for _ in range(ROUNDS):
        for name, write in writers.items():
            begun = time.perf_counter()
            for _ in range(CALLS):
                write()
            best[name] = min(best[name], (time.perf_counter() - begun) / CALLS * 1e6)
    return best


def _version(package: str) -> str:
    try:
        return version(package) if package else ""
    except PackageNotFoundError:
        return "not installed"


def main() -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        best = measure(make_writers(Path(folder)))
    print(f"one record of {len(json.dumps(RECORD))} bytes\n")
    print("| logger | version | us | x agent_tools |\n|---|---|---|---|")
    for name, package in LOGGERS.items():
        us = best.get(name)
        figures = f"{us:.1f} | {us / best[OURS]:.1f}" if us else " | "
        print(f"| {name} | {_version(package)} | {figures} |")


if __name__ == "__main__":
    main()
