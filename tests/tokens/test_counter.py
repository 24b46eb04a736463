"""Counters: the margin, and callables of the user's own."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools import tokens
from agent_tools.errors import InvalidSetting


def words(text):
    """Count words, a tokenizer with tokens of any length."""
    return len(text.split())


def quarters(text):
    """Count as many do: four characters a token, in fractions."""
    return len(text) / 4


TEXT = "The quick brown fox, 17 of them, jumps over the lazy dog.\n" * 40
margins = st.floats(0.05, 20) | st.sampled_from([1.0, 1.1, 1.15, 1.5, 2.0])


@given(margin=margins, limit=st.integers(0, 1200), encoding=st.sampled_from(["o200k_base", words, len]))
def test_every_answer_of_a_counter_agrees_with_its_count(margin, limit, encoding):
    """Capped counts, fits and prefixes hold for the count with the margin."""
    counter = tokens.make_counter(encoding, margin)
    whole = counter.count(TEXT)

    assert counter.capped(TEXT, limit) == min(whole, limit + 1)
    assert counter.fits(TEXT, limit) == (whole <= limit)
    assert counter.count(counter.prefix(TEXT, limit)) <= limit
    assert TEXT.startswith(counter.prefix(TEXT, limit))


def test_the_margin_is_a_factor_rounded_up():
    """A margin makes every count larger by that factor."""
    assert tokens.make_counter("o200k_base", 1.25).count("one two three") == math.ceil(3 * 1.25)


@pytest.mark.parametrize("margin", [0, -1, math.inf, math.nan])
def test_a_margin_must_be_a_factor(margin):
    """A margin that is no positive factor is refused."""
    with pytest.raises(InvalidSetting, match="expected a factor above 0"):
        tokens.make_counter("o200k_base", margin)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("cl100k_base", "cl100k_base"), (words, "words"), (len, "len"), (str.__len__, "str.__len__")],
)
def test_a_counter_has_the_name_of_what_counts(encoding, name):
    """The log can say what counted."""
    assert tokens.make_counter(encoding).name == name


def test_a_callable_is_a_valid_encoding():
    """A callable needs no check beyond being one, and is not called for it."""
    tokens.check_encoding(lambda text: 1 // 0)


def test_fractions_of_a_token_are_rounded_up():
    """A callable may estimate."""
    assert tokens.make_counter(quarters).count("12345") == 2
    assert tokens.make_counter(quarters).prefix("12345678", 1) == "1234"


@pytest.mark.parametrize("answer", [None, "12", math.nan, math.inf])
def test_a_callable_that_gives_no_number_is_named(answer):
    """A counter's wrong answer is refused with what was expected."""
    counter = tokens.make_counter(lambda text: answer)

    with pytest.raises(InvalidSetting, match="expected a number of tokens"):
        counter.count("text")


def test_a_callable_reads_no_more_than_its_limit_needs():
    """A text of ten million characters is not handed to a callable to learn that it is too long."""
    asked = []
    counter = tokens.make_counter(lambda text: asked.append(len(text)) or len(text) // 4)

    counter.fits("word " * 2_000_000, 1500)
    counter.prefix("word " * 2_000_000, 1500)

    assert sum(asked) < 300_000


def test_a_callable_never_sees_half_a_character():
    """Lone surrogates, which tokenizers refuse, arrive as replacement characters."""
    counter = tokens.make_counter(lambda text: len(text.encode()))

    assert counter.count("\ud83d") == 3
    assert counter.prefix("\ud83d\ude00" * 9, 10) == "\ud83d\ude00" * 2
    assert counter.prefix("e\u0301" * 9, 10) == "e\u0301" * 3


def test_a_callable_prefix_is_as_long_as_possible():
    """One character more would not fit."""
    counter = tokens.make_counter(words)

    head = counter.prefix("word " * 5_000, 1200)

    assert counter.count(head) == 1200
    assert counter.count(("word " * 5_000)[: len(head) + 1]) == 1201
