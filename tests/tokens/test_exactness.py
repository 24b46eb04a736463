"""Counts, cuts and limits agree with tiktoken on every text."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_tools import tokens
from agent_tools.encodings.characters import repaired
from agent_tools.encodings.loading import find_encoding
from agent_tools.encodings.segments import _merge_windows, iter_segments

ENCODINGS = ["o200k_base", "cl100k_base"]
FRAGMENTS = [
    '{"id":17,"city":"Rome","amount":12.5,"note":"don\'t"},',
    "The customer's order wasn't shipped. ",
    "aGVsbG8gd29ybGQhIQ+/kLmN0Pq",
    "ACGTTGCA",
    "0123456789",
    "=",
    "-=",
    " ",
    "\t",
    "\n",
    " \n",
    "\r\n\r\n  ",
    "\u00a0\u3000",
    "\x1c a",
    "/\n",
    "你好，世界。",
    "漢字かなカナ",
    "สวัสดี",
    "한국어",
    "e\u0301",
    "Ab'S",
    "'ll",
    "\U0001f469\u200d\U0001f4bb",
    "\U0001f1ee\U0001f1f9",
    "<|endoftext|>",
    "\\u4f60",
    "\ud83d",
    "\ud83d\ude00",
]
# long enough that many examples span several stretches, and some pieces are longer than one
texts = st.lists(
    st.tuples(st.sampled_from(FRAGMENTS) | st.text(max_size=12), st.sampled_from([1, 3, 40, 700, 5_000])),
    max_size=6,
).map(lambda parts: "".join(fragment * times for fragment, times in parts)[:30_000])

thorough = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@thorough
@given(text=texts)
def test_count_equals_tiktoken(plain, encoding, text):
    """The exact count is what tiktoken's own encoding gives for the whole text."""
    assert tokens.count(text, encoding) == len(plain[encoding].encode_ordinary(text))


@pytest.mark.parametrize("encoding", ENCODINGS)
@thorough
@given(text=texts)
def test_segments_spell_the_same_tokens(plain, encoding, text):
    """The tokens of the stretches, in a row, are the tokens of the text."""
    found, text = find_encoding(encoding), repaired(text)

    segments = iter_segments(found.encoding, found.pattern, text)

    assert list(itertools.chain.from_iterable(t for _, t in segments)) == plain[encoding].encode_ordinary(
        text
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@thorough
@given(text=texts)
def test_counts_add_up_where_segments_start(plain, encoding, text):
    """What stands after a cut counts on its own as it does in the whole, and the stretches make up the whole.

    What stands before a cut may count less on its own: three tabs are one token, but two before a word.
    """
    found, text = find_encoding(encoding), repaired(text)
    whole = len(plain[encoding].encode_ordinary(text))

    segments = list(iter_segments(found.encoding, found.pattern, text))
    assert sum(len(tokens) for _, tokens in segments) == whole
    starts = sorted({start for start, _ in segments})
    for start in starts[:: len(starts) // 6 + 1]:
        before = sum(len(tokens) for at, tokens in segments if at < start)
        assert before + len(plain[encoding].encode_ordinary(text[start:])) == whole


@pytest.mark.parametrize("encoding", ENCODINGS)
@thorough
@given(text=texts, data=st.data())
def test_capped_count_and_fits_agree_with_the_count(encoding, text, data):
    """A capped count is exact up to its limit, and a text fits when its count does."""
    whole = tokens.count(text, encoding)
    limit = data.draw(st.integers(0, whole + 2) | st.sampled_from([whole, max(whole - 1, 0)]))

    assert tokens.count_capped(text, limit, encoding) == min(whole, limit + 1)
    assert tokens.fits(text, limit, encoding) == (whole <= limit)


@pytest.mark.parametrize("encoding", ENCODINGS)
@thorough
@given(text=texts, data=st.data())
def test_prefix_is_a_beginning_that_fits(plain, encoding, text, data):
    """A prefix is where the text begins, and has at most as many tokens as asked for."""
    limit = data.draw(st.integers(0, tokens.count(text, encoding) + 2))

    head = tokens.prefix(text, limit, encoding)

    assert text.startswith(head)
    assert len(plain[encoding].encode_ordinary(head)) <= limit


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("fragment", [*FRAGMENTS[:8], "你好，世界。", "漢字かなカナ", "<|endoftext|>"])
@pytest.mark.parametrize("limit", [60, 101, 1500])
def test_prefix_uses_the_limit(encoding, fragment, limit):
    """A prefix of a longer text is at most two tokens short."""
    head = tokens.prefix(fragment * (400_000 // len(fragment)), limit, encoding)

    assert limit - 2 <= tokens.count(head, encoding) <= limit


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=texts)
@settings(thorough, max_examples=15)
def test_a_text_within_its_limit_is_its_own_prefix(encoding, text):
    """Nothing is cut from a text that fits."""
    assert tokens.prefix(text, tokens.count(text, encoding), encoding) == text


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "run", ["\t", "\u00a0", "\n", "=", "-=", "a", "A", "ACGT", "é", "你", "😀"], ids=ascii
)
def test_a_long_run_counts_exactly(plain, encoding, run):
    """A run of one piece counts as merging it at once does."""
    text = run * 20_001

    assert tokens.count(text, encoding) == len(plain[encoding].encode_ordinary(text))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r", "\u3000", "\u2028"], ids=ascii)
@pytest.mark.parametrize("after", ["", "end", "\n", "\n\n \nend", "\t " * 5000, ".", "\u3000."], ids=ascii)
@pytest.mark.parametrize("size", [12_287, 12_288, 12_289, 20_001])
def test_a_long_run_of_blanks_counts_exactly(plain, encoding, blank, after, size):
    """Whatever follows it, of which the pattern may take the last blank."""
    text = f"start{blank * size}{after}"

    assert tokens.count(text, encoding) == len(plain[encoding].encode_ordinary(text))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_million_blanks_before_a_word_count_exactly(plain, encoding):
    """A run too long for tiktoken's own splitting counts; its last blank goes with the word after it."""
    blanks = plain[encoding]._encode_single_piece(b" " * 1_000_000)

    assert tokens.count("start" + " " * 1_000_001 + "end", encoding) == 1 + len(blanks) + 1


def test_a_run_of_pieces_of_its_own_is_cut_by_its_pieces(plain):
    """Text without any ordinary break between its many pieces still counts exactly."""
    text = "\U0001f600你สวัสดี\U0001f389" * 3_000

    assert tokens.count(text) == len(plain["o200k_base"].encode_ordinary(text))


def test_a_tiktoken_that_merges_only_whole_texts_still_counts(plain):
    """Without tiktoken's way to merge one piece, a long run is handed over in parts that it survives."""

    class Public:
        encode_ordinary = staticmethod(plain["o200k_base"].encode_ordinary)
        decode_bytes = staticmethod(plain["o200k_base"].decode_bytes)

    pattern = plain["o200k_base"]._pat_str

    segments = list(iter_segments(Public(), pattern, " " * 1_200_000))

    assert abs(sum(len(part) for _, part in segments) - 1_200_000 / 128) <= 3


@pytest.mark.parametrize("size", [4_097, 10_001, 40_000])
def test_windows_that_do_not_meet_grow_until_they_do(size):
    """Where what follows changes all tokens before it, the count is still that of the whole."""

    def pair_from_the_right(data):
        return [1] * (len(data) % 2) + [2] * (len(data) // 2)

    windows = _merge_windows(pair_from_the_right, lambda sizes: b"x" * sum(sizes), b"x" * size)

    assert sum(map(len, windows)) == len(pair_from_the_right(b"x" * size))


@pytest.mark.parametrize("pattern", [r"[a-z]+", r"\s|\S", r"x*"])
def test_an_unusual_pattern_neither_stalls_nor_drops(plain, pattern):
    """A plugin's pattern may skip characters, split blanks one by one, or match nothing."""
    text = "=" * 9_000 + " " * 9_000

    segments = iter_segments(plain["o200k_base"], pattern, text)

    spelt = b"".join(plain["o200k_base"].decode_bytes(tokens) for _, tokens in segments)
    assert spelt.decode() == text
