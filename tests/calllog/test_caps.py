"""What a log line takes of arguments and prompt."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.calllog.caps import (
    ARGUMENTS_BYTES,
    PROMPT_BYTES,
    VALUE_BYTES,
    cap_arguments,
    cap_prompt,
    shape_of,
    shorten,
)

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(max_size=5_000),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=300), inner),
    max_leaves=30,
)


def size_of(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_small_arguments_are_kept_as_they_are():
    """Nothing is copied and nothing left out."""
    arguments = {"customer": "C1", "limit": 3}

    capped, size, was_cut = cap_arguments(arguments)

    assert capped is arguments
    assert (size, was_cut) == (size_of(arguments), False)


def test_huge_arguments_leave_the_small_ones_readable():
    """A file of 5 MB becomes its start and its length, a list its number of items."""
    arguments = {"path": "a.txt", "content": "c" * 5_000_000, "opts": {"k": ["v"] * 100_000, "issue": 2431}}

    capped, size, was_cut = cap_arguments(arguments)

    assert was_cut
    assert size > 5_000_000
    assert capped["path"] == "a.txt"
    assert capped["content"].startswith("cccc")
    assert "5000000" in capped["content"]
    assert capped["opts"]["issue"] == 2431
    assert "100000" in json.dumps(capped["opts"]["k"])


@given(st.dictionaries(st.text(max_size=300), plain))
def test_arguments_stay_under_their_cap(arguments):
    """2 kB a value and 8 kB in all, and something is said to be cut exactly when it is."""
    capped, size, was_cut = cap_arguments(arguments)

    assert size_of(capped) <= ARGUMENTS_BYTES
    assert all(size_of(value) <= VALUE_BYTES for value in capped.values())
    assert was_cut == (capped != arguments)
    assert size >= size_of(arguments)


def test_very_many_arguments_are_counted():
    """A call with a hundred thousand keywords leaves a short line, too."""
    capped, _, was_cut = cap_arguments({f"key_{n}": n for n in range(100_000)})

    assert was_cut
    assert capped["…"] == "100000 keys"
    assert size_of(capped) <= ARGUMENTS_BYTES


@pytest.mark.parametrize("value", [{1: 2}, {"big": 2**80}, {"text": "\ud800"}], ids=ascii)
def test_arguments_that_json_has_no_form_for_are_kept(value):
    """They are brought to plain data instead of lost."""
    capped, size, _ = cap_arguments({"value": value})

    assert size > 0
    json.dumps(capped).encode()


@pytest.mark.parametrize("character", ["p", "é", "中", "\U0001f4ca"])
def test_a_long_prompt_keeps_head_and_tail(character):
    """16 kB of text in UTF-8, cut between characters, with the number of characters left out."""
    text = "HEAD" + character * 50_000 + "TAIL"

    prompt, was_cut = cap_prompt(text, "full")

    assert was_cut
    assert prompt.startswith("HEAD" + character)
    assert prompt.endswith(character + "TAIL")
    assert len(prompt.encode()) <= PROMPT_BYTES


@pytest.mark.parametrize("text", ["", "p" * PROMPT_BYTES, "é" * (PROMPT_BYTES // 2)], ids=len)
def test_a_prompt_up_to_the_cap_is_kept_whole(text):
    """Measured in bytes of UTF-8."""
    assert cap_prompt(text, "full") == (text, False)


@pytest.mark.parametrize(
    ("mode", "expected"), [("preview", ("p" * 2_000, True)), ("none", (None, False)), (False, (None, False))]
)
def test_less_of_a_prompt_is_kept_when_asked(mode, expected):
    """The first 2,000 characters, or nothing."""
    assert cap_prompt("p" * 3_000, mode) == expected


def test_a_shape_shows_no_value():
    """Types and sizes only."""
    value = {"city": "Reykjavik", "limit": 3, "deep": {"ids": [1, 2], "none": None}, "on": True}

    assert shape_of(value) == {
        "city": "str(9)",
        "limit": "int",
        "deep": {"ids": "list(2)", "none": "null"},
        "on": "bool",
    }


@given(plain, st.integers(60, 5_000))
def test_a_value_that_fits_is_the_same_object(value, room):
    """And one that does not is smaller than before or near the room."""
    short, was_cut = shorten(value, room)

    assert was_cut or short is value
    assert size_of(short) <= max(room + 400, 500)
