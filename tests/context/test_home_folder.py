"""The home folder: where it is looked for, how it is made, what happens when it can't be."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_tools import configure, context, override, tool
from agent_tools.context import find_home, home_folder


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Look for the folder anew in every test, from a working folder of its own."""
    above = [folder for folder in tmp_path.parents if (folder / ".agent_tools").exists()]
    if above:
        pytest.skip(f"{above[0]} holds a log folder, which all folders below it take")
    monkeypatch.delenv("AGENT_TOOLS_HOME", raising=False)
    work = tmp_path / "project" / "src"
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.setattr(context, "_home", None)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield
    configure(home=None)


def test_the_environment_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It wins over `configure()`, so that whoever runs a program can move its log."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path / "env"))
    configure(home=tmp_path / "configured")

    assert home_folder() == tmp_path / "env"


def test_an_override_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tests keep what they write apart, whatever the machine is set to."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path / "env"))

    with override(home=tmp_path / "forced"):
        assert home_folder() == tmp_path / "forced"
    assert home_folder() == tmp_path / "env"


def test_configure_wins_over_the_folders_around(tmp_path: Path) -> None:
    """Over a `.agent_tools` that stands nearer."""
    (tmp_path / "project" / ".agent_tools").mkdir()

    configure(home=str(tmp_path / "configured"))

    assert home_folder() == tmp_path / "configured"


def test_the_nearest_parent_that_has_one_is_taken(tmp_path: Path) -> None:
    """A program that is started in a subfolder writes to the project's."""
    (tmp_path / ".agent_tools").mkdir()
    (tmp_path / "project" / ".agent_tools").mkdir()

    assert home_folder() == tmp_path / "project" / ".agent_tools"


def test_else_it_is_made_here(tmp_path: Path) -> None:
    """Absolute, made once: a later change of the working folder does not split the log."""
    first = home_folder()
    os.chdir(tmp_path)

    assert first == tmp_path / "project" / "src" / ".agent_tools"
    assert home_folder() == first


def test_a_file_of_that_name_is_no_home(tmp_path: Path) -> None:
    """Only folders count on the way up."""
    (tmp_path / "project" / ".agent_tools").write_text("x")

    assert home_folder() == tmp_path / "project" / "src" / ".agent_tools"


@pytest.mark.parametrize("value", ["", "relative/home", "~/home"], ids=repr)
def test_the_environment_may_be_relative_or_empty(
    value: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Empty is unset, relative is from here, `~` is the user's folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("AGENT_TOOLS_HOME", value)
    here = tmp_path / "project" / "src"
    expected = {
        "": here / ".agent_tools",
        "relative/home": here / value,
        "~/home": tmp_path / "user" / "home",
    }

    assert home_folder() == expected[value]


def test_it_is_the_users_alone_and_ignored_by_git() -> None:
    """Mode 0700, and a `.gitignore` that ignores everything, itself included."""
    folder = home_folder()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert (folder / ".gitignore").read_text() == "*\n"


def test_a_gitignore_of_the_users_own_stays() -> None:
    """The library writes one only where there is none."""
    folder = home_folder()
    (folder / ".gitignore").write_text("calls/\n")
    context._home = None

    assert (home_folder() / ".gitignore").read_text() == "calls/\n"


def test_what_a_call_leaves_is_the_users_alone() -> None:
    """Log and store: files 0600, folders 0700, whatever the umask says."""
    before = os.umask(0)
    try:
        tool(lambda: ["word " * 50] * 500, name="find_words")()
    finally:
        os.umask(before)

    made = [path for path in home_folder().rglob("*") if path.name != ".gitignore"]
    modes = {(path.is_dir(), oct(stat.S_IMODE(path.stat().st_mode))) for path in made}
    assert modes == {(True, "0o700"), (False, "0o600")}


# a path below a file can't be made by anybody, not even by root
def _block(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("x")
    return tmp_path / "file" / "home"


def test_a_home_that_can_not_be_written_costs_one_warning(tmp_path: Path) -> None:
    """The user's state folder is taken; calls work, results are kept, and the warning comes once."""
    find = tool(lambda: ["word " * 50] * 500, name="find_words")
    configure(home=_block(tmp_path))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = [find() for _ in range(3)]

    assert [str(w.message).count("AGENT_TOOLS_HOME") for w in caught] == [1]
    assert all(result.meta["result_id"] for result in results)
    assert list((tmp_path / "state" / "agent_tools" / "calls").glob("*.jsonl"))


def test_a_call_survives_a_warning_that_is_an_error(tmp_path: Path) -> None:
    """With `-W error` the warning is an exception, and the call still returns its envelope."""
    configure(home=_block(tmp_path))

    result = tool(lambda: ["word " * 50] * 500, name="find_words")()

    assert result.status == "partial"


def test_no_folder_at_all_costs_only_the_log_and_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be written the result says that the rest is lost, and its status is right."""
    blocked = _block(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    configure(home=blocked)

    small = tool(lambda: {"n": 1}, name="get")()
    cut = tool(lambda: ["word " * 50] * 500, name="find_words")()

    assert (small.status, small.data) == ("success", {"n": 1})
    assert (cut.status, "result_id" in cut.meta) == ("partial", False)
    assert any("could not be kept" in warning for warning in cut.meta["warnings"])


def test_import_makes_no_folder(tmp_path: Path) -> None:
    """Only a call writes."""
    code = "import agent_tools; agent_tools.tool(lambda: 1, name='get')"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=tmp_path / "project")

    assert not list((tmp_path / "project").glob(".*"))


def test_two_processes_share_one_home(tmp_path: Path) -> None:
    """What one of them stored the other reads."""
    write = "from agent_tools import tool; find = tool(lambda: list(range(9000)), name='find')"
    write += "; print(find().meta['result_id'])"
    read = "import sys; from agent_tools import read_result; print(read_result(sys.argv[1], 8999).data)"
    environment = dict(os.environ) | {"AGENT_TOOLS_HOME": str(tmp_path / "shared")}

    def run(code: str, *args: str) -> Any:
        command = [sys.executable, "-W", "error", "-c", code, *args]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment
        ).stdout.strip()

    assert run(read, run(write)) == "[8999]"


def test_finding_the_home_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever only reads leaves no folder behind."""
    monkeypatch.setenv("AGENT_TOOLS_HOME", str(tmp_path / "elsewhere"))

    found = find_home()

    assert (found, found.exists()) == (tmp_path / "elsewhere", False)
    assert home_folder() == found
