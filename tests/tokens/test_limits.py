"""What is decided by size alone, what is text, and where a prefix ends."""

import pytest

from agent_tools import tokens

MARKERS = ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|endofprompt|>", "<|start|>"]


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", "o200k_harmony"])
@pytest.mark.parametrize("marker", MARKERS)
def test_special_token_text_is_text(encoding, marker):
    """A text that spells a special token counts as its characters do, several tokens."""
    assert tokens.count(marker, encoding) > 3
    assert tokens.prefix(marker * 9, 10_000, encoding) == marker * 9


def test_a_lone_surrogate_counts_as_the_replacement_character():
    """Half a surrogate pair counts, anywhere in a long text, and both halves count as one character."""
    words = "word " * 3_000

    assert tokens.count(words + "\ud83d" + words) == tokens.count(words + "\ufffd" + words)
    assert tokens.count(words + "\ud83d\ude00" + words) == tokens.count(words + "\U0001f600" + words)


@pytest.mark.parametrize("limit", range(60, 141))
def test_no_limit_cuts_a_character(limit):
    """At every limit a prefix ends on a whole visible character."""
    text = "\u2192\u2713\u6f22\U0001f469\u200d\U0001f4bb e\u0301 \U0001f1ee\U0001f1f9" * 500
    ends = {"\u2192", "\u2713", "\u6f22", "\U0001f4bb", " ", "\u0301", "\U0001f1f9"}

    head = tokens.prefix(text, limit)

    assert text.startswith(head)
    assert head[-1] in ends
    assert not head.endswith("\u200d")


def test_a_prefix_never_ends_between_the_halves_of_a_pair():
    """A surrogate pair in two code units is cut before or after it and not inside."""
    text = "\ud83d\ude00" * 500

    heads = [tokens.prefix(text, limit) for limit in range(1, 60)]

    assert all(text.startswith(head) and len(head) % 2 == 0 for head in heads)
    assert len(heads[-1]) > 50


@pytest.mark.parametrize("limit", [0, -1])
def test_no_tokens_are_an_empty_prefix(limit):
    """Without a token to spend nothing is left."""
    assert tokens.prefix("word", limit) == ""
    assert not tokens.fits("word", limit)


@pytest.mark.parametrize("text", ["", "a", "你好"])
def test_an_empty_text_fits_and_short_ones_count(text):
    """The smallest texts have the smallest counts."""
    assert tokens.count(text) == len(text[:1])
    assert tokens.fits(text, 8)
    assert tokens.count_capped(text, 0) == len(text[:1])


def test_sizes_decide_without_an_encoding(run_python):
    """A text that surely fits, or surely does not, is answered without loading anything."""
    done = run_python(
        "import sys\n"
        "from agent_tools import tokens\n"
        "assert tokens.fits('x' * 100, 100) and tokens.fits('\\u4f60' * 25, 100)\n"
        "assert not tokens.fits('x' * 12_801, 100)\n"
        "assert tokens.count_capped('x' * 12_801, 100) == 101\n"
        "assert tokens.prefix('x' * 25, 100) == 'x' * 25\n"
        "assert 'tiktoken' not in sys.modules\n"
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_no_bundled_token_is_longer_than_the_bound(plain, encoding):
    """The bound that decides by size alone holds for the ranks themselves."""
    assert max(map(len, plain[encoding]._mergeable_ranks)) == tokens.longest_token(encoding)
