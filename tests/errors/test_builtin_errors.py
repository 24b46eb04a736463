"""Exceptions of the interpreter and the standard library."""

from __future__ import annotations

import asyncio
import concurrent.futures
import csv
import errno
import http.client
import json
import multiprocessing
import queue
import re
import socket
import ssl
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
import xml.etree.ElementTree as ET
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_tools.stages.error_codes import Failure

Coder = Callable[..., Failure]
Raised = Callable[[Callable[[], object]], Exception]


def _os(name: str) -> OSError:
    return OSError(getattr(errno, name), "x")


# exception, code, retryable for an idempotent query, retryable for an action
CASES = [
    (TimeoutError(), "DEADLINE_EXCEEDED", True, False),
    (TimeoutError("timed out"), "DEADLINE_EXCEEDED", True, False),
    (multiprocessing.TimeoutError(), "DEADLINE_EXCEEDED", True, False),
    (concurrent.futures.CancelledError(), "CANCELLED", False, False),
    (ConnectionRefusedError("127.0.0.1:9"), "UNAVAILABLE", True, True),
    (_os("ECONNREFUSED"), "UNAVAILABLE", True, True),
    (_os("ENETUNREACH"), "UNAVAILABLE", True, True),
    (_os("EHOSTUNREACH"), "UNAVAILABLE", True, True),
    (ConnectionResetError("peer reset"), "UNAVAILABLE", True, False),
    (_os("ECONNRESET"), "UNAVAILABLE", True, False),
    (_os("ETIMEDOUT"), "DEADLINE_EXCEEDED", True, False),
    (BrokenPipeError(), "UNAVAILABLE", True, False),
    (ConnectionAbortedError(), "UNAVAILABLE", True, False),
    (ConnectionError("down"), "UNAVAILABLE", True, False),
    (socket.gaierror(socket.EAI_NONAME, "x"), "NOT_FOUND", False, False),
    (socket.gaierror(socket.EAI_FAIL, "x"), "NOT_FOUND", False, False),
    (socket.gaierror(socket.EAI_AGAIN, "x"), "UNAVAILABLE", True, True),
    (ssl.SSLCertVerificationError(1, "self-signed"), "FAILED_PRECONDITION", False, False),
    (ssl.SSLError(1, "wrong version"), "FAILED_PRECONDITION", False, False),
    (ssl.SSLEOFError(8, "eof"), "UNAVAILABLE", True, False),
    (FileNotFoundError("no"), "NOT_FOUND", False, False),
    (_os("ENOENT"), "NOT_FOUND", False, False),
    (NotADirectoryError(), "INVALID_ARGUMENT", False, False),
    (IsADirectoryError(), "INVALID_ARGUMENT", False, False),
    (FileExistsError(), "ALREADY_EXISTS", False, False),
    (PermissionError("b"), "PERMISSION_DENIED", False, False),
    (_os("EROFS"), "PERMISSION_DENIED", False, False),
    (_os("ENOTEMPTY"), "FAILED_PRECONDITION", False, False),
    (_os("ENOSPC"), "RESOURCE_EXHAUSTED", False, False),
    (_os("EDQUOT"), "RESOURCE_EXHAUSTED", False, False),
    (_os("EMFILE"), "RESOURCE_EXHAUSTED", True, False),
    (_os("ENFILE"), "RESOURCE_EXHAUSTED", True, False),
    (_os("ENOMEM"), "RESOURCE_EXHAUSTED", True, False),
    (_os("ENOBUFS"), "RESOURCE_EXHAUSTED", True, False),
    (_os("EAGAIN"), "UNAVAILABLE", True, False),
    (_os("EINTR"), "UNAVAILABLE", True, False),
    (_os("EBUSY"), "UNAVAILABLE", True, False),
    (_os("ESTALE"), "UNAVAILABLE", True, False),
    (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "DATA_LOSS", False, False),
    (TypeError("x"), "INTERNAL", False, False),
    (KeyError(), "INTERNAL", False, False),
    (IndexError("x"), "INTERNAL", False, False),
    (AttributeError("x"), "INTERNAL", False, False),
    (ZeroDivisionError("x"), "INTERNAL", False, False),
    (StopIteration(), "INTERNAL", False, False),
    (AssertionError(), "INTERNAL", False, False),
    (RecursionError("x"), "INTERNAL", False, False),
    (ValueError("x"), "INTERNAL", False, False),
    (RuntimeError("x"), "INTERNAL", False, False),
    (Exception("x"), "INTERNAL", False, False),
    (NotImplementedError(), "UNIMPLEMENTED", False, False),
    (ModuleNotFoundError("no"), "FAILED_PRECONDITION", False, False),
    (MemoryError(), "RESOURCE_EXHAUSTED", False, False),
    (queue.Full(), "RESOURCE_EXHAUSTED", True, True),
    (asyncio.QueueFull(), "RESOURCE_EXHAUSTED", True, True),
    (asyncio.IncompleteReadError(b"", 4), "UNAVAILABLE", True, False),
    (http.client.RemoteDisconnected("gone"), "UNAVAILABLE", True, False),
    (http.client.IncompleteRead(b""), "UNAVAILABLE", True, False),
    (urllib.error.URLError(ConnectionRefusedError(111, "x")), "UNAVAILABLE", True, True),
    (urllib.error.URLError(socket.gaierror(socket.EAI_NONAME, "x")), "NOT_FOUND", False, False),
    (urllib.error.URLError(TimeoutError()), "DEADLINE_EXCEEDED", True, False),
    (subprocess.TimeoutExpired(["curl", "x"], 5), "DEADLINE_EXCEEDED", True, False),
    (subprocess.CalledProcessError(2, "x"), "EXECUTION_ERROR", False, False),
    (subprocess.CalledProcessError(126, "x"), "FAILED_PRECONDITION", False, False),
    (subprocess.CalledProcessError(127, "x"), "FAILED_PRECONDITION", False, False),
    (subprocess.CalledProcessError(-9, "x"), "ABORTED", False, False),
    (re.error("bad pattern"), "INVALID_ARGUMENT", False, False),
]


@pytest.mark.parametrize(("exc", "code", "query", "action"), CASES, ids=lambda value: repr(value)[:60])
def test_a_builtin_exception_has_its_code(
    code_of: Coder, exc: Exception, code: str, query: bool, action: bool
) -> None:
    """Each class, errno and exit status says what it means for both kinds of tools."""
    asked, done = code_of(exc), code_of(exc, kind="action")

    assert (asked.error.code, asked.error.retryable) == (code, query)
    assert (done.error.code, done.error.retryable) == (code, action)


READS = [
    lambda: json.loads("{"),
    lambda: b"\xff".decode(),
    lambda: ET.fromstring("<a>"),
    lambda: tomllib.loads("= 1"),
    lambda: zlib.decompress(b"x"),
    lambda: zipfile.ZipFile(__file__),
    lambda: list(csv.reader(["a\0b", '"'], strict=True)),
]


@pytest.mark.parametrize("read", READS, ids=range(len(READS)))
def test_unreadable_data_is_data_loss(code_of: Coder, raised: Raised, read: Callable[[], object]) -> None:
    """What a reader of the standard library can't read is malformed, not a wrong argument."""
    failure = code_of(raised(read), module=__name__)

    assert (failure.error.code, failure.error.sub_code) == ("DATA_LOSS", "MALFORMED_RESPONSE")
    assert not failure.error.retryable


def test_a_refused_connection_did_not_happen(code_of: Coder, raised: Raised) -> None:
    """A real refusal on loopback may be repeated even by an action."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = raised(lambda: socket.create_connection(("127.0.0.1", port), 1))

    failure = code_of(error, kind="action")

    assert (failure.error.code, failure.error.sub_code) == ("UNAVAILABLE", "ECONNREFUSED")
    assert (failure.error.retryable, failure.error.outcome) == (True, "not_applied")


@pytest.mark.parametrize(
    ("script", "code", "sub_code"),
    [
        (
            "import sys; sys.stderr.write('warming up\\nno such table\\n'); sys.exit(3)",
            "EXECUTION_ERROR",
            "exit 3",
        ),
        ("import os; os.kill(os.getpid(), 9)", "ABORTED", "SIGKILL"),
    ],
)
def test_a_failed_process_tells_status_and_last_line(
    code_of: Coder, raised: Raised, script: str, code: str, sub_code: str
) -> None:
    """A real process: its status is the detail, its arguments are never shown."""
    command = [sys.executable, "-c", script]
    error = raised(lambda: subprocess.run(command, check=True, capture_output=True))

    failure = code_of(error)

    assert (failure.error.code, failure.error.sub_code) == (code, sub_code)
    assert "import" not in failure.error.message
    assert code != "EXECUTION_ERROR" or failure.error.message.endswith("no such table")
    assert isinstance(failure.data, dict)


def test_a_process_that_takes_too_long_does_not_show_its_arguments(code_of: Coder, raised: Raised) -> None:
    """The limit is told in seconds, the command line is not."""
    command = [sys.executable, "-c", "import time; time.sleep(60)", "--password=hunter3"]
    error = raised(lambda: subprocess.run(command, timeout=0.2, check=True))

    failure = code_of(error)

    assert failure.error.code == "DEADLINE_EXCEEDED"
    assert "0.2 seconds" in failure.error.message
    assert "hunter3" not in failure.error.message


def test_files_and_folders_tell_what_is_wrong(code_of: Coder, raised: Raised, tmp_path: Path) -> None:
    """Real file system calls: not found, a folder, not empty."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("x")
    calls = {
        "ENOENT": lambda: (tmp_path / "index").read_text(),
        "EISDIR": lambda: tmp_path.read_text(),
        "ENOTEMPTY": lambda: (tmp_path / "full").rmdir(),
        "EEXIST": lambda: (tmp_path / "full").mkdir(),
    }

    failures = {name: code_of(raised(call)) for name, call in calls.items()}

    assert [failure.error.sub_code for failure in failures.values()] == list(calls)
    assert "index" in failures["ENOENT"].error.message


@pytest.mark.parametrize(
    ("status", "code"), [(404, "NOT_FOUND"), (429, "RESOURCE_EXHAUSTED"), (503, "UNAVAILABLE")]
)
def test_urllib_errors_go_by_status(code_of: Coder, server: str, status: int, code: str) -> None:
    """A real answer through urllib is classified by its status and closed by its owner."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{server}/{status}")
    with caught.value as error:
        failure = code_of(error)

    assert (failure.error.code, failure.error.sub_code) == (code, str(status))
    assert failure.error.retry_after_s == (7.0 if status > 404 else None)


def test_a_property_that_raises_is_no_status(code_of: Coder) -> None:
    """A foreign exception whose attribute raises is classified without it."""

    class Odd(Exception):
        @property
        def status_code(self) -> int:
            raise RuntimeError("not now")

    assert code_of(Odd("x")).error.code == "INTERNAL"


@pytest.mark.parametrize("name", ["status_code", "status", "code"])
def test_a_status_on_an_unknown_class_counts(code_of: Coder, name: str) -> None:
    """An exception of one's own that carries an HTTP status is classified by it, set or inherited."""
    own = type("ApiError", (OSError,), {name: 404})("gone")
    foreign = RuntimeError("slow down")
    setattr(foreign, name, 429)

    assert code_of(own).error.code == "NOT_FOUND"
    assert code_of(foreign).error.code == "RESOURCE_EXHAUSTED"
