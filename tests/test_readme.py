"""Everything in the README runs and prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agent_tools.settings import CHECKS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(python|text)\n(.*?)```", README, re.DOTALL)
COMMANDS = re.findall(r"^    (agent-tools .*?)(?:\s+#.*)?$", README, re.MULTILINE)


@pytest.fixture
def after_the_examples(home: Path) -> list[tuple[str, str]]:
    """Run the README's Python from top to bottom; return what each block printed and was said to print."""
    space: dict[str, Any] = {"__name__": "readme"}
    printed = []
    for n, (language, body) in enumerate(BLOCKS):
        if language != "python":
            continue
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(body, f"README block {n}", "exec"), space)
        promised = BLOCKS[n + 1][1] if n + 1 < len(BLOCKS) and BLOCKS[n + 1][0] == "text" else ""
        printed.append((out.getvalue(), promised))
    return printed


def test_the_examples_print_what_is_shown(after_the_examples: list[tuple[str, str]]) -> None:
    """Every output in the README is the real one."""
    assert len(after_the_examples) >= 8
    for printed, promised in after_the_examples:
        assert printed == promised


@pytest.mark.parametrize("command", COMMANDS)
def test_the_log_commands_work(command: str, after_the_examples: Any, home: Path, read_log: Any) -> None:
    """Each command of the README runs on the log that its examples leave."""
    from agent_tools.cli.main import main

    call_id = read_log()[-1]["call_id"]
    words = shlex.split(command.replace("CALL_ID", call_id))[1:]
    if "-f" in words:
        words.remove("-f")  # it would wait for more calls

    done = CliRunner().invoke(main, [*words, "--home", str(home)])

    assert done.exit_code == 0, done.output
    assert done.output.strip()


def test_the_make_targets_exist() -> None:
    """The two commands of the README are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    for target in re.findall(r"^    make (\S+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_setting_is_in_the_table() -> None:
    """The table of settings is complete."""
    table = README[README.index("| setting |") :]

    assert {name for name in CHECKS if f"`{name}`" not in table} == set()
