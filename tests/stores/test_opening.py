"""One store per URL and process, opened when it is first needed."""

import os

import pytest

from agent_tools.errors import InvalidSetting
from agent_tools.settings import override
from agent_tools.stores import MAX_OPEN, open_store
from agent_tools.stores.base import new_result_id

FORKED = """
import os, sys, threading, warnings
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id

# newer versions of Python warn of a fork beside threads: that is what is tried here
warnings.simplefilter("ignore", DeprecationWarning)
store, before = open_store(sys.argv[1], ttl_s=3600, quota_bytes=10**9), new_result_id()
store.put(before, "", {}, [1])
stop = threading.Event()

def write():
    while not stop.is_set():
        store.put(new_result_id(), "", {}, ["x" * 1000] * 100)

def use_in_child():
    mine = new_result_id()
    store.put(mine, "", {}, [2])
    return store.value(mine, "") == [2] and store.value(before, "") == [1]

threads = [threading.Thread(target=write) for _ in range(3)]
for thread in threads:
    thread.start()
ends = []
for _ in range(20):
    child = os.fork()
    if not child:
        os._exit(0 if use_in_child() else 1)
    ends.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for thread in threads:
    thread.join()
print(set(ends), store.value(before, ""))
"""


def opened(url, ttl_s=3600.0, quota_bytes=10**6):
    return open_store(url, ttl_s=ttl_s, quota_bytes=quota_bytes)


@pytest.fixture
def url(tmp_path):
    """A file of its own."""
    return f"sqlite:///{tmp_path}/results.db"


def test_default_store_is_a_file_in_the_home_folder(tmp_path):
    """`sqlite` follows the home folder of the moment."""
    with override(home=tmp_path / "home"):
        opened("sqlite").put(new_result_id(), "", {}, [1])

    assert (tmp_path / "home" / "results.db").exists()


def test_opening_makes_no_file(tmp_path, url):
    """A tool that never stores leaves no trace."""
    opened(url)

    assert list(tmp_path.iterdir()) == []


def test_same_url_is_the_same_store_with_the_limits_of_now(url):
    """Another quota changes the open store; it does not open the file twice."""
    first = opened(url)

    assert opened(url, ttl_s=5, quota_bytes=20_000) is first
    assert (first.upkeep.ttl_s, first.upkeep.quota_bytes) == (5, 20_000)


def test_memory_survives_many_other_stores(tmp_path):
    """Files are closed when too many are open; what is in memory is not lost."""
    store, result_id = opened("memory"), new_result_id()
    store.put(result_id, "", {}, [1])
    for i in range(3 * MAX_OPEN):
        opened(f"sqlite:///{tmp_path}/{i}.db").put(new_result_id(), "", {}, [1])

    assert opened("memory").value(result_id, "") == [1]


@pytest.mark.parametrize("bad", ["pg", "postgres://host/db", "", "file.db", "SQLITE"])
def test_unknown_scheme_names_the_known_ones(bad):
    """Misuse says what there is."""
    with pytest.raises(InvalidSetting, match="known: memory, redis, rediss, sqlite, unix"):
        opened(bad)


def test_missing_package_says_what_to_install(run_python):
    """Redis is optional; without it the setting is refused with the way out."""
    code = """
import sys
sys.modules["redis"] = None
from agent_tools.stores import open_store
try:
    open_store("redis://localhost", ttl_s=1, quota_bytes=10**6)
except ValueError as error:
    print(error)
"""
    assert "install agent-tools[redis] or choose 'sqlite'" in run_python(code)


def test_stores_load_their_libraries_when_opened(run_python):
    """Importing the package costs neither sqlite3 nor redis."""
    code = """
import sys, agent_tools.stores
print([name for name in ("sqlite3", "redis") if name in sys.modules])
"""
    assert run_python(code) == "[]\n"


def test_connections_are_closed_at_exit(run_python, tmp_path):
    """A process that ends leaves no open connection and no WAL behind."""
    code = """
import sys
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id
open_store("sqlite:///" + sys.argv[1], ttl_s=1, quota_bytes=10**6).put(new_result_id(), "", {}, [1])
"""
    run_python(code, tmp_path / "results.db")

    assert [one.name for one in tmp_path.iterdir()] == ["results.db"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork there")
def test_fork_beside_writing_threads(kind, url, request, run_python):
    """A child forked while threads write uses the store at once, and so does its parent."""
    urls = {
        "memory": lambda: "memory",
        "sqlite": lambda: url,
        "redis": lambda: request.getfixturevalue("redis_url"),
    }

    assert run_python(FORKED, urls[kind]()) == "{0} [1]\n"
