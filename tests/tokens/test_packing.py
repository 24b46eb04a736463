"""The packed files: what they hold, and the tool that makes them."""

import hashlib

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.encodings import pack, packed
from agent_tools.encodings.loading import PATTERNS, find_encoding


@pytest.mark.parametrize("name", packed.BUNDLED)
def test_a_packed_file_unpacks_to_the_text_that_tiktoken_expects(name):
    """The text rebuilt from the package has the SHA-256 in tiktoken's own source."""
    import inspect

    from tiktoken_ext import openai_public

    ranks = packed.read_ranks(name)
    digest = hashlib.sha256(packed.original_text(list(ranks))).hexdigest()

    assert digest in inspect.getsource(openai_public.ENCODING_CONSTRUCTORS[name])
    assert list(ranks.values()) == list(range(len(ranks)))


def test_the_package_holds_what_the_official_files_hold(capsys):
    """The check of the packing tool finds no difference."""
    assert pack.main(["--check"]) == 0
    assert capsys.readouterr().out.count(": ok") == len(packed.BUNDLED)


@given(st.lists(st.binary(min_size=1, max_size=128)))
def test_packing_is_reversible(tokens):
    """What is packed unpacks to itself."""
    assert packed.unpack(packed.pack(tokens)) == tokens


@pytest.mark.parametrize("name", packed.BUNDLED)
@given(text=st.text(max_size=60) | st.text(alphabet=" \t\r\n/'sSaAB1你é=\u0301", max_size=60))
def test_the_pattern_kept_for_another_tiktoken_splits_alike(name, text):
    """The library's copy of a pattern gives the pieces that the installed tiktoken's gives."""
    assert regex.findall(f"(?:{PATTERNS[name]})", text) == regex.findall(
        f"(?:{find_encoding(name).pattern})", text
    )
