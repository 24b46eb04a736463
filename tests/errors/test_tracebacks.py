"""The traceback for the log."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools import tool
from agent_tools.errors import family_of
from agent_tools.stages.error_codes import format_traceback
from agent_tools.stages.error_tracebacks import MAX_BYTES

Raised = Callable[[Callable[[], object]], Exception]
Redact = Callable[[str], str]


def _grep(pattern: str) -> list[str]:
    raise OSError(2, "No such file or directory", "/data/index")


def _look_up() -> None:
    try:
        _grep("x")
    except OSError as error:
        raise LookupError("index unavailable") from error


def test_the_whole_chain_is_told(raised: Raised, redact: Redact) -> None:
    """Type, text, file and line of the cause and of what followed from it."""
    text = format_traceback(raised(_look_up), redact)

    assert (
        text.index("FileNotFoundError: No such file")
        < text.index("direct cause")
        < text.index("LookupError: index")
    )
    assert text.count("Traceback (most recent call last):") == 2
    assert "in _grep" in text
    assert "test_tracebacks.py" in text


def test_deep_recursion_is_told_once(raised: Raised, redact: Redact) -> None:
    """Forty frames become a few; the first and the last of them stay."""

    def deep(n: int = 400) -> None:
        if n:
            return deep(n - 1)
        raise ZeroDivisionError("division by zero at the end")

    text = format_traceback(raised(deep), redact)

    assert len(text.splitlines()) < 40
    assert "more frames" in text
    assert text.endswith("ZeroDivisionError: division by zero at the end")


def test_the_users_frames_stay_under_a_library(raised: Raised, redact: Redact) -> None:
    """Where the user called the library, and where it failed inside."""

    def parse() -> object:
        return json.loads("{", parse_float=float)

    text = format_traceback(raised(parse), redact)

    assert "in parse" in text
    assert "in raw_decode" in text


def test_locals_and_secrets_are_not_told(raised: Raised, redact: Redact, secret: str) -> None:
    """Not in a message, not in a note, not in a chained cause; values of variables never."""

    def fail() -> None:
        password = secret[::-1]
        try:
            raise ConnectionError(f"https://me:{password}@example.com/?api_key={password}")
        except ConnectionError as error:
            wrapper = RuntimeError("wrapper")
            wrapper.add_note(secret)
            raise wrapper from error

    text = format_traceback(raised(fail), redact)

    assert secret not in text
    assert secret[::-1] not in text
    assert "example.com" in text


def test_a_group_tells_its_leaves_with_their_frames(raised: Raised, redact: Redact) -> None:
    """A task group alone says nothing."""
    group = ExceptionGroup("tasks", [raised(_look_up), TimeoutError()])

    text = format_traceback(group, redact)

    assert "in _look_up" in text
    assert "+- TimeoutError: no message given" in text


def test_a_redactor_that_fails_hides_the_traceback(raised: Raised) -> None:
    """Nothing unredacted is written."""

    def broken(text: str) -> str:
        raise RuntimeError(text)

    assert (
        format_traceback(raised(_look_up), broken)
        == "LookupError: the traceback is withheld, the redactor failed"
    )


@given(st.text(max_size=50), st.integers(1, 12), st.sampled_from([1, 500]))
def test_a_traceback_is_bounded(redact: Redact, text: str, causes: int, repeats: int) -> None:
    """Whatever the texts, the chain and the circles in it."""
    error = first = ValueError(text * repeats)
    for _ in range(causes):
        outer = ValueError(text * repeats)
        outer.__cause__ = error
        outer.add_note(text * repeats)
        error = outer
    first.__cause__ = error

    told = format_traceback(error, redact)

    assert 0 < len(told.encode()) <= MAX_BYTES


def test_a_bad_note_does_no_harm(redact: Redact) -> None:
    """`__notes__` is an attribute like any other, so it may hold anything."""

    class Bad:
        def __str__(self) -> str:
            raise RuntimeError("no")

    error = ValueError("x")
    error.__notes__ = [Bad()]  # type: ignore[list-item]

    assert format_traceback(error, redact).startswith("ValueError: x")
    with pytest.raises(RuntimeError):
        str(Bad())


def test_groups_in_groups_end_somewhere(redact: Redact) -> None:
    """Neither the depth of nested groups nor their number decides what a traceback costs."""
    deep = ExceptionGroup("d", [ValueError("x")])
    for _ in range(900):
        deep = ExceptionGroup("d", [deep])
    wide = ExceptionGroup("w", [ValueError("x")] * 4)
    for _ in range(40):
        wide = ExceptionGroup("w", [wide] * 4)

    texts = [format_traceback(group, redact) for group in (deep, wide)]

    assert all("ValueError: x" in text and len(text.encode()) <= MAX_BYTES for text in texts)


@pytest.mark.parametrize("before", range(250, 300, 9))
def test_a_secret_in_a_long_line_of_source_does_not_come_out_partly(
    tmp_path: Path, raised: Raised, redact: Redact, secret: str, before: int
) -> None:
    """A line is redacted before it is cut."""
    line = f"x = '{'- ' * (before // 2)}', '{secret}' / 2"
    (tmp_path / "keys.py").write_text(line)
    code = compile(line, str(tmp_path / "keys.py"), "exec")

    told = format_traceback(raised(lambda: exec(code, {})), redact)

    assert "- - -" in told
    assert "Zx81" not in told


def test_many_long_links_are_redacted_before_they_are_cut(redact: Redact, secret: str) -> None:
    """Each exception of a chain has its share of the room."""
    for size in range(500, 590, 7):
        links = [ValueError("a" * 200) for _ in range(6)]
        for outer, inner in itertools.pairwise(links):
            outer.__cause__ = inner
        for link in links:
            link.__notes__ = ["- " * (size // 2) + secret, secret, "- " * 290]

        told = format_traceback(links[0], redact)

        assert "Zx81" not in told


def test_a_redactor_that_fails_hides_the_notes(raised: Raised) -> None:
    """They are read with the rest."""

    def broken(text: str) -> str:
        raise RuntimeError(text)

    error = ValueError("x" * 2000)
    error.add_note("y" * 2000)

    assert format_traceback(error, broken) == "ValueError: the traceback is withheld, the redactor failed"


def test_how_the_library_came_to_call_the_tool_is_left_out(home: Path) -> None:
    """The traceback begins in the tool."""
    tool(_look_up)()

    row = json.loads(next(home.glob("calls/*.jsonl")).read_text().splitlines()[-1])
    frames = [line for line in row["traceback"].splitlines() if line.startswith("  File")]

    assert frames
    assert all(__file__ in frame for frame in frames)


def test_a_failure_of_the_library_itself_is_placed(redact: Redact, raised: Raised) -> None:
    """Where all frames are its own, they are all there is to tell."""
    error = raised(lambda: family_of(None))  # type: ignore[arg-type]
    error.__traceback__ = error.__traceback__.tb_next.tb_next  # type: ignore[union-attr]

    assert "errors.py" in format_traceback(error, redact)
