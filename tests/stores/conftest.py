"""Three real stores, and processes to share them with."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import agent_tools
from agent_tools.stores.memory import MemoryBackend
from agent_tools.stores.redis import open_redis
from agent_tools.stores.sqlite import open_sqlite
from agent_tools.stores.store import Store

ROOT = Path(agent_tools.__file__).parent.parent


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(port, server):
    for _ in range(500):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if server.poll() is not None:
            raise RuntimeError("redis-server ended at its start")
        time.sleep(0.02)
    raise RuntimeError("redis-server does not answer")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """URL of a real server on a free loopback port."""
    binary = shutil.which("redis-server")
    if binary is None:
        pytest.skip("no redis-server on this machine")
    port, folder = _free_port(), tmp_path_factory.mktemp("redis")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    command = [binary, *options, "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        _wait_for(port, server)
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


@pytest.fixture
def redis_url(redis_server):
    """URL of the server, empty."""
    import redis

    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
    return redis_server


@pytest.fixture
def make_store(tmp_path, request):
    """Open a store of a kind with limits."""
    opened = []

    def make(kind, *, ttl_s=3600.0, quota_bytes=10**8):
        if kind == "memory":
            backend = MemoryBackend()
        elif kind == "sqlite":
            backend = open_sqlite(f"sqlite:///{tmp_path}/home/results.db")
        else:
            backend = open_redis(request.getfixturevalue("redis_url"))
        opened.append(Store(backend, ttl_s=ttl_s, quota_bytes=quota_bytes))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture(params=["memory", "sqlite", "redis"])
def kind(request):
    """Each kind of store."""
    return request.param


@pytest.fixture
def store(make_store, kind):
    """An empty store of each kind."""
    return make_store(kind)


@pytest.fixture
def start_python():
    """Start a process that runs code with warnings as errors."""
    started = []

    def start(code, *arguments):
        command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        # with all that it forked: a child that hangs would keep the pipes open, and the reading of them waits
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def run_python(start_python):
    """Run code in a process of its own and return what it printed."""

    def run(code, *arguments):
        process = start_python(code, *arguments)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, err) == (0, "")
        return out

    return run
