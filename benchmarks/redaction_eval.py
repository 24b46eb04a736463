"""Score the redactor on labelled records, by kind, with every rule on.

    python benchmarks/redaction_eval.py DATA.jsonl.gz

The records' `score.py` is loaded from the folder of DATA. Records hold `record`, `positives` and `negatives`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from agent_tools.stages.redaction import make_redactor


def load_score(data: Path) -> ModuleType:
    """Load the `score.py` that lies beside the data."""
    path = data.parent / "score.py"
    spec = importlib.util.spec_from_file_location("redaction_score", path)
    if not path.is_file() or spec is None or spec.loader is None:
        sys.exit(f"no score.py beside {data}: put the scorer into {data.parent} and run again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_rows(data: Path) -> list[dict[str, Any]]:
    """Read one record a line, gzipped or not."""
    if not data.is_file():
        sys.exit(f"no such file: {data}; give the path of a .jsonl or .jsonl.gz file of labelled records")
    with (
        gzip.open(data, "rt", encoding="utf-8")
        if data.suffix == ".gz"
        else data.open(encoding="utf-8") as lines
    ):
        return [json.loads(line) for line in lines]


def main() -> None:
    """Print the score line, then each kind that is missed or wrongly hidden."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--rules", default="all", help="rule names, comma-separated; default: all")
    parser.add_argument("--half", type=int, choices=(0, 1), help="score every second record only")
    options = parser.parse_args()
    rows = read_rows(options.data)
    rows = rows if options.half is None else rows[options.half :: 2]
    result = load_score(options.data).score(rows, make_redactor(options.rules.split(",")))
    for name in (
        "core_recall",
        "strict_recall",
        "precision",
        "fp_rate",
        "filler_fp",
        "ctx_kept",
        "mutated",
        "mbps",
    ):
        print(f"{name:14} {result[name]:.4f}")
    print(f"{'tiers':14} {result['tier']}")
    for title, kinds in (("found", result["kinds"]), ("wrongly hidden", result["neg"])):
        print(f"\n{title}:")
        for kind, (hits, total) in sorted(kinds.items()):
            print(f"  {kind:24} {hits:5} / {total}")


if __name__ == "__main__":
    main()
