"""An error word tells where it begins a message; in a name, or said in passing, it tells little."""

from __future__ import annotations

import random
from typing import Any

import pytest

from agent_tools.stages.summaries_text import announces, has_word

NAMES = (
    "liberror-perl",
    "errorprone",
    "gpg-error-dev",
    "exception.pm",
    "share/errors/de",
    "modelarmor",
    "failed_count",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_word_in_a_name_is_no_error(name: str) -> None:
    """Packages, files and fields are called after errors."""
    assert not has_word(f"installed {name} 1.2")


@pytest.mark.parametrize(
    "line", ["io error", "kernel panic", "payment_failed", "java.io.IOException: closed"]
)
def test_a_word_at_the_end_of_a_name_may_be_one(line: str) -> None:
    """`payment_failed` is an event."""
    assert has_word(line)


@pytest.mark.parametrize(
    "line",
    [
        "error: disk full",
        "error[E0308]: mismatched types",
        "[error] disk full",
        "ERROR disk full",
        "12:01:07 Failed to start",
        "Nov 30 12:00:01 host app[7]: Failed to start",
        "KeyError: 'id'",
        "level=error msg=full",
    ],
)
def test_a_message_begins_with_its_word(line: str) -> None:
    """In front of a colon, in brackets or capitals, or first of what is said."""
    word = "ERROR" if "ERROR" in line else "ailed" if "ailed" in line else "rror"

    assert announces(line, line.index(word), word)


@pytest.mark.parametrize(
    "line",
    ["an error is thrown", "the `Error` class", "std::Error::new", "job Failed to do", "VERIFY_FAIL_IF"],
)
def test_a_word_in_a_sentence_begins_none(line: str) -> None:
    """Manuals and programs are full of them."""
    word = "FAIL" if "FAIL" in line else "ailed" if "ailed" in line else "rror"

    assert not announces(line, line.index(word), word)


def test_an_error_is_shown_among_packages_named_after_errors(fit: Any) -> None:
    """The log of a package manager; each name comes in four lines."""
    lines = []
    for number in range(300):
        name = f"lib{'error' if number % 20 == 7 else 'handle'}-{'error' if number % 31 == 3 else 'read'}-dev"
        lines += [f"status {state} {name}:all 1.{number}" for state in ("half-installed", "installed")]
    lines.insert(411, "error: no space left on /srv/data")

    shown = fit("\n".join(lines), 400)

    assert "no space left on /srv/data" in shown.text
    kept = shown.envelope["meta"]["kept"]
    assert [item["row"] for item in kept if item["why"] == "error word"] == [412]


def test_an_error_is_shown_in_a_manual_about_errors(fit: Any) -> None:
    """Three lines that say the word in passing are enough of them."""
    rng = random.Random(3)
    words = ["shell", "reads", "input", "command", "option", "value", "prints", "list", "file", "when"]
    lines = [" ".join(rng.choices(words, k=9)) for _ in range(900)]
    for number in range(40, 860, 20):
        lines[number] = " ".join([*rng.choices(words, k=5), "an error", *rng.choices(words, k=3)])
    lines[655] = "2026-11-30 12:00:01 ERROR volume 7 is full"

    shown = fit("\n".join(lines), 800)

    assert "volume 7 is full" in shown.text
    assert [item["why"] for item in shown.envelope["meta"]["kept"]].count("error word") <= 4


def test_a_path_is_no_message(fit: Any) -> None:
    """Nor is a row odd for what is said in passing in its long text."""
    rows = [{"size": n, "path": f"/usr/share/doc/tool-{n}/examples/read.txt"} for n in range(300)]
    rows[90]["path"] = "/usr/share/doc/tool-90/examples/error.txt"
    rows[200]["path"] = "error: /usr/share/doc/tool-200 can not be read"

    kept = fit(rows, 500).envelope["meta"]["kept"]

    assert {item["row"] for item in kept if "error word" in item["why"]} == {200}
