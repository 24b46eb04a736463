"""Rules that an installed package offers to all who install it, by an entry point."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import agent_tools

pytest.importorskip("pip", reason="nothing to install a package with")

Run = Callable[[str, str], str]

RULES = """
from agent_tools.redaction import Rule

badge = Rule("badge", r"BDG-(?P<secret>[0-9]{6})", "BDG-123456", mask="******")
several = [badge, Rule("desk", r"DSK[0-9]{4}", "DSK1234")]
nothing = 7
"""
CALL = """
from agent_tools import tool

@tool(log="none", store=False{settings})
def find_staff():
    return {{"note": "badge BDG-204711 at DSK8811"}}

print(find_staff().to_prompt())
"""


def _write_wheel(folder: Path, rules: str) -> Path:
    """Write what a build would write of a package with one module and one entry point."""
    info = "acme_rules-1.0.dist-info"
    files = {
        "acme_rules.py": RULES,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[agent_tools.redaction_rules]\nacme = {rules}\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    wheel = folder / "acme_rules-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


@pytest.fixture
def with_package(tmp_path: Path) -> Run:
    """Install a package that offers rules, run a program beside it, return what it prints."""

    def run(rules: str, program: str) -> str:
        wheel, target = _write_wheel(tmp_path, rules), tmp_path / "site"
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-cache-dir"]
        subprocess.run([*pip, "--target", target, wheel], check=True, capture_output=True, timeout=90)
        home = Path(agent_tools.__file__).parents[1]
        env = {**os.environ, "PYTHONPATH": f"{target}{os.pathsep}{home}", "AGENT_TOOLS_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", program], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        return done.stdout + done.stderr

    return run


def test_the_rules_of_an_installed_package_hold_for_every_tool(with_package: Run) -> None:
    """Nothing is imported or configured for it; the package is there, so its rules are."""
    printed = with_package("acme_rules:several", CALL.format(settings=""))

    assert "badge BDG-****** at [REDACTED]" in printed


def test_one_rule_may_stand_alone(with_package: Run) -> None:
    """An entry point is a rule or a list of them."""
    printed = with_package("acme_rules:badge", CALL.format(settings=""))

    assert "badge BDG-****** at DSK8811" in printed


def test_a_tool_may_do_without_an_installed_rule(with_package: Run) -> None:
    """By its name, as with every other rule."""
    printed = with_package("acme_rules:several", CALL.format(settings=', redact=["-badge"]'))

    assert "badge BDG-204711 at [REDACTED]" in printed


@pytest.mark.parametrize("rules", ["acme_rules:missing", "acme_rules:nothing", "no_such_module:x"])
def test_rules_that_cannot_be_loaded_are_no_silence(with_package: Run, rules: str) -> None:
    """Nothing is shown without them, and whoever runs the program is told which ones they are."""
    printed = with_package(rules, CALL.format(settings=""))

    assert "REDACTION_FAILED" in printed
    assert "RuntimeWarning: no tool shows anything" in printed
    assert repr(rules) in printed
    assert "204711" not in printed
