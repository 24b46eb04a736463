"""Encodings from tiktoken's download folder and from its plugins."""

import base64
import hashlib

import pytest

from agent_tools.encodings.loading import SAME_AS
from agent_tools.encodings.packed import BUNDLED

URL = "https://example.invalid/encodings/tiny.tiktoken"
RANKS = [bytes([i]) for i in range(256)] + [b"ab", b"abab"]
DATA = b"".join(b"%b %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(RANKS))
PLUGIN = rf"""
from tiktoken.load import load_tiktoken_bpe

def ranks():
    return load_tiktoken_bpe({URL!r}, expected_hash={hashlib.sha256(DATA).hexdigest()!r})

def tiny():
    return dict(name="tiny", pat_str=r"\S+|\s+", mergeable_ranks=ranks(), special_tokens={{}})

ENCODING_CONSTRUCTORS = {{"tiny": tiny}}
"""
CHECK = (
    "from agent_tools import errors, tokens\n"
    "try:\n"
    "    tokens.check_encoding('tiny')\n"
    "    print(tokens.count('abab ab', 'tiny'), tokens.fits('ab' * 9, 4, 'tiny'), end=' ')\n"
    "    print(tokens.prefix('abab ab', 2, 'tiny'))\n"
    "except errors.InvalidSetting as error: print(error)\n"
)


@pytest.fixture
def plugin(tmp_path):
    """A folder with a tiktoken plugin, and the file that tiktoken would have kept for it."""
    (tmp_path / "tiktoken_ext").mkdir()
    (tmp_path / "tiktoken_ext" / "tiny_plugin.py").write_text(PLUGIN)
    kept = tmp_path / "kept"
    kept.mkdir()
    return tmp_path, kept / hashlib.sha1(URL.encode()).hexdigest()


@pytest.mark.parametrize("variable", ["TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR"])
def test_a_kept_file_is_used(run_python, plugin, variable):
    """An encoding whose file is in tiktoken's folder counts without a network."""
    folder, kept = plugin
    kept.write_bytes(DATA)

    done = run_python(CHECK, path=[folder], **{variable: str(kept.parent)})

    assert done.stdout == "3 False abab \n", done.stderr


def test_the_usual_folder_is_looked_in(run_python, plugin, tmp_path):
    """Without a variable the folder is tiktoken's own, in the system's temporary one."""
    folder, kept = plugin
    (tmp_path / "data-gym-cache").mkdir()
    (tmp_path / "data-gym-cache" / kept.name).write_bytes(DATA)

    done = run_python(CHECK, path=[folder])

    assert done.stdout == "3 False abab \n", done.stderr


def test_a_damaged_kept_file_is_refused_and_stays(run_python, plugin):
    """A file with another SHA-256 is named, not deleted, and not downloaded again."""
    folder, kept = plugin
    kept.write_bytes(DATA + b"YWJj 258\n")

    done = run_python(CHECK, path=[folder], TIKTOKEN_CACHE_DIR=str(kept.parent))

    assert "its SHA-256 is not the one that tiktoken expects" in done.stdout, done.stderr
    assert kept.exists()


def test_a_missing_file_is_refused_without_a_download(run_python, plugin):
    """An encoding whose file is not there is refused, and nothing is written."""
    folder, kept = plugin

    done = run_python(CHECK, path=[folder], TIKTOKEN_CACHE_DIR=str(kept.parent))

    assert "encoding 'tiny' is not bundled" in done.stdout, done.stderr
    assert list(kept.parent.iterdir()) == []


def test_a_plugin_of_a_taken_name_leaves_bundled_ones_alone(run_python, plugin):
    """Two plugins of one name stop tiktoken itself; the bundled encodings count on."""
    folder, _ = plugin
    (folder / "tiktoken_ext" / "twin.py").write_text(PLUGIN)

    done = run_python(CHECK + "print(tokens.count('one two'))", path=[folder])

    assert "Duplicate encoding name tiny" in done.stdout, done.stderr
    assert done.stdout.endswith("\n2\n")


def test_every_alias_is_of_a_bundled_encoding():
    """An alias needs no file of its own."""
    assert set(SAME_AS.values()) <= set(BUNDLED)
