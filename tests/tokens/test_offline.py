"""Loading: without a network, once, in threads and after a fork."""

import os
import shutil

import pytest

from agent_tools import tokens
from agent_tools.encodings import loading, packed
from agent_tools.errors import InvalidSetting

COUNT_ALL = (
    "from agent_tools import tokens\n"
    "print([tokens.count('Hello, world! 你好', e) for e in ('o200k_base', 'cl100k_base', 'o200k_harmony')])\n"
)


def test_a_fresh_machine_counts_without_a_network(run_python, plain, tmp_path):
    """With no variable set and sockets that refuse, bundled encodings count, and no file appears."""
    done = run_python(COUNT_ALL)

    expected = [len(plain[e].encode_ordinary("Hello, world! 你好")) for e in ("o200k_base", "cl100k_base")]
    assert done.stdout == f"{[*expected, expected[0]]}\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_download_is_neither_used_nor_touched(run_python, tmp_path):
    """What lies in tiktoken's folder does not matter to a bundled encoding, and stays."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "fb374d419588a4632f3f557e76b4b70aebbca790").write_bytes(b"broken")

    done = run_python(COUNT_ALL, TIKTOKEN_CACHE_DIR=str(kept))

    assert done.returncode == 0, done.stderr
    assert [file.read_bytes() for file in kept.iterdir()] == [b"broken"]


def test_importing_loads_no_tokenizer(run_python):
    """Import, check and make_counter leave tiktoken and regex alone."""
    done = run_python(
        "import sys\n"
        "from agent_tools import tokens\n"
        "tokens.check_encoding('o200k_base'); tokens.check_encoding('o200k_harmony')\n"
        "tokens.make_counter('o200k_base', 1.1)\n"
        "assert not {'tiktoken', 'regex', 'requests'} & set(sys.modules)\n"
    )

    assert done.returncode == 0, done.stderr


def test_threads_share_one_encoding(run_python):
    """Sixteen threads that count at once, first of all, load one encoding and agree."""
    done = run_python(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from threading import Barrier\n"
        "from agent_tools import tokens\n"
        "barrier = Barrier(16)\n"
        "def work(i):\n"
        "    barrier.wait()\n"
        "    return tokens.count('word ' * 5000), id(tokens.find_encoding('o200k_base').encoding)\n"
        "with ThreadPoolExecutor(16) as pool:\n"
        "    assert len(set(pool.map(work, range(16)))) == 1\n"
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_fork_while_a_thread_loads_can_count(run_python):
    """A child forked while another thread holds the loading lock loads for itself."""
    done = run_python(
        "import os, threading, warnings\n"
        "warnings.simplefilter('ignore', DeprecationWarning)\n"
        "from agent_tools import tokens\n"
        "from agent_tools.encodings import loading\n"
        "held, done = threading.Event(), threading.Event()\n"
        "def load():\n"
        "    with loading._lock:\n"
        "        held.set(); done.wait()\n"
        "threading.Thread(target=load).start(); held.wait()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os._exit(tokens.count('one two', 'cl100k_base'))\n"
        "code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]); done.set()\n"
        "assert code == 2, code\n",
        timeout_s=30,
    )

    assert done.returncode == 0, done.stderr


def test_a_damaged_package_says_so(run_python, tmp_path):
    """A bundled file that is not tiktoken's never counts."""
    copy = tmp_path / "copy" / "agent_tools"
    shutil.copytree(os.path.dirname(tokens.__file__), copy, ignore=shutil.ignore_patterns("__pycache__"))
    ranks = packed.unpack((copy / "encodings" / "cl100k_base.xz").read_bytes())
    (copy / "encodings" / "cl100k_base.xz").write_bytes(packed.pack([*ranks[:-1], b"other"]))

    done = run_python(
        "from agent_tools import errors, tokens\n"
        "try: tokens.warm('cl100k_base')\n"
        "except errors.ToolError as error: print(error.code, error)\n",
        path=[copy.parent],
    )

    assert done.stdout.startswith("DATA_LOSS The bundled token table 'cl100k_base' is damaged"), done.stderr


def test_another_layout_of_tiktoken_counts_the_same(run_python, plain, tmp_path):
    """Where tiktoken's module of constructors is not as known, the library's own patterns serve."""
    (tmp_path / "tiktoken_ext").mkdir()
    (tmp_path / "tiktoken_ext" / "openai_public.py").write_text("")

    done = run_python(COUNT_ALL, path=[tmp_path])

    expected = [len(plain[e].encode_ordinary("Hello, world! 你好")) for e in ("o200k_base", "cl100k_base")]
    assert done.stdout == f"{[*expected, expected[0]]}\n", done.stderr


@pytest.mark.parametrize("encoding", ["p50k_base", "p50k_edit", "r50k_base", "gpt2"])
@pytest.mark.parametrize("folder", ["", "nowhere"])
def test_an_encoding_that_is_not_here_is_refused_early(run_python, encoding, folder):
    """Without its file an encoding is refused by the check, offline, with what to do."""
    done = run_python(
        "from agent_tools import errors, tokens\n"
        f"try: tokens.check_encoding({encoding!r})\n"
        "except errors.InvalidSetting as error: print(error)\n",
        TIKTOKEN_CACHE_DIR=folder,
    )

    assert f"encoding {encoding!r} is not bundled" in done.stdout, done.stderr
    assert "set TIKTOKEN_CACHE_DIR to a folder that has the file" in done.stdout


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("o200k", "did you mean 'o200k_base'"),
        ("gpt-4o", "is a model; its encoding is 'o200k_base'"),
        ("zzz", "known: cl100k_base, gpt2"),
        (17, "expected the name of a tiktoken encoding or a callable"),
        (None, "expected the name of a tiktoken encoding or a callable"),
    ],
)
def test_a_wrong_encoding_is_named_with_what_is_known(wrong, says):
    """A bad encoding is refused with the right one."""
    with pytest.raises(InvalidSetting, match=says):
        tokens.check_encoding(wrong)


def test_harmony_is_the_bundled_encoding_under_another_name():
    """o200k_harmony has the ranks and the pattern of o200k_base, so it loads nothing more."""
    from tiktoken_ext import openai_public

    harmony = loading._offline(openai_public.ENCODING_CONSTRUCTORS["o200k_harmony"])()
    base = tokens.find_encoding("o200k_base")

    assert harmony["mergeable_ranks"] == base.encoding._mergeable_ranks
    assert harmony["pat_str"] == base.pattern
    assert tokens.find_encoding("o200k_harmony") is base
