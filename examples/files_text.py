"""A tool over files returns a path: text is read in its encoding, a folder listed, a huge log sampled.

Run it: `python examples/files_text.py`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from agent_tools import NotFound, tool

FOLDER = Path(tempfile.mkdtemp())


@tool(max_tokens=400)
def read_file(name: str) -> Path:
    """Read a file, or list a folder.

    Args:
        name: Path below the project's folder.

    Raises:
        NotFound: the path leads out of the folder.
    """
    path = (FOLDER / name).resolve()
    if not path.is_relative_to(FOLDER.resolve()):
        raise NotFound(f"there is no {name!r} in this project")
    return path


@tool
def find_files(pattern: str) -> list[Path]:
    """Find files by a pattern: inside data, a path is its text and nothing is opened."""
    return [path.relative_to(FOLDER) for path in sorted(FOLDER.rglob(pattern))]


if __name__ == "__main__":
    (FOLDER / "menu.txt").write_text("café\ncrème brûlée\n", encoding="latin-1")
    (FOLDER / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    with (FOLDER / "app.log").open("w") as log:
        log.writelines(f"INFO request {n} took {n % 90} ms\n" for n in range(300_000))
    for name in (".", "menu.txt", "logo.png", "app.log", "missing.txt", "../etc/passwd"):
        print(read_file(name).to_prompt(), end="\n\n")
    print(find_files("*.txt").to_prompt())
