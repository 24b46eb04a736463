"""Judge recorded tool returns and print how many statuses are right.

    python benchmarks/replay_eval.py PATH_TO_bfcl.jsonl

A line: `{"tool", "call", "returned", "expect"}`; expect is a status, `a|b` (either is right) or `none` (the
function returned None: empty for a query). Every return is judged as a query's, with no setting.
Exits with 1 when a line is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agent_tools.stages.outcome import make_outcome

judge = make_outcome(kind="query", empty=None, error_as_data="detect")


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and replay."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield number, json.loads(line)


def is_right(expect: str, status: str) -> bool:
    """Compare a status with what a replay expects."""
    return status in ("empty" if expect == "none" else expect).split("|")


def main(path: str) -> int:
    """Print the wrong lines and right/total."""
    right = total = 0
    for number, replay in read_lines(Path(path)):
        status = judge(replay["returned"]).status
        total += 1
        if is_right(replay["expect"], status):
            right += 1
        else:
            shown = json.dumps(replay["returned"], ensure_ascii=False)[:200]
            print(f"line {number}: {replay.get('tool')} expected {replay['expect']}, got {status}: {shown}")
    print(f"{right}/{total}")
    return 0 if right == total else 1


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python benchmarks/replay_eval.py PATH_TO_bfcl.jsonl")
    sys.exit(main(sys.argv[1]))
