"""One file, many threads and processes, and what may happen to it."""

import os
import signal
import sqlite3
import stat
import sys

import pytest

from agent_tools.errors import ErrorCode, InvalidSetting, ToolError
from agent_tools.stores.base import new_result_id
from agent_tools.stores.sqlite import open_sqlite
from agent_tools.stores.store import Store

OPEN = """
import sys
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id
store = open_store("sqlite:///" + sys.argv[1], ttl_s=3600, quota_bytes=10**9)
"""
# sixteen threads write, print their ids and read back while the others write
HAMMER = (
    OPEN
    + """
from concurrent.futures import ThreadPoolExecutor
def work(i):
    result_id, body = new_result_id(), [{"i": i, "pad": "x" * 200}] * 200
    store.put(result_id, "", {"i": i}, body)
    assert store.rows(result_id, "", 100, 1) == body[:1]
    return f"{result_id} {i}"
with ThreadPoolExecutor(16) as pool:
    print(*pool.map(work, range(48)), sep="\\n")
"""
)
ENDLESS = (
    OPEN
    + """
i = 0
while True:
    i += 1
    result_id = new_result_id()
    store.put(result_id, "", {"i": i}, [{"i": i, "pad": "x" * 400}] * 25_000)
    print(result_id, flush=True)
"""
)
KILLED_IN_A_STREAM = (
    OPEN
    + """
import os, signal
result_id = new_result_id()
writer = store.open_writer(result_id, "", {})
for i in range(100):
    writer.add(["x" * 100_000])
print(result_id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
)
FULL = (
    OPEN
    + """
import resource
from agent_tools.errors import ToolError
first, second = new_result_id(), new_result_id()
store.put(first, "", {}, ["before"])
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (6_000_000, hard))
try:
    store.put(second, "", {}, ["x" * 1000] * 20_000)
except ToolError as error:
    print(error.code, error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
print(store.header(second, ""), store.value(first, ""))
third = new_result_id()
store.put(third, "", {}, ["x" * 1000] * 20_000)
print(len(store.value(third, "")))
"""
)


@pytest.fixture
def path(tmp_path):
    """The file that `make_store("sqlite")` opens."""
    return tmp_path / "home" / "results.db"


def whole_ids(path):
    with sqlite3.connect(path) as connection:
        ids = [one for (one,) in connection.execute("SELECT id FROM results WHERE state = 1")]
        sound = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    assert sound == ("ok",)
    return ids


def test_files_are_for_their_owner_only(make_store, path):
    """Folder 0700, database, WAL and shared memory 0600, whatever the umask."""
    before = os.umask(0)
    try:
        make_store("sqlite").put(new_result_id(), "", {}, [1])
    finally:
        os.umask(before)

    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert modes == {"results.db": 0o600, "results.db-wal": 0o600, "results.db-shm": 0o600}


def test_processes_and_threads_share_a_new_file(start_python, make_store, path):
    """Four processes with sixteen threads each make and fill one file at once; nothing is lost."""
    processes = [start_python(HAMMER, path) for _ in range(4)]
    ends = [process.communicate(timeout=300) for process in processes]

    assert [(process.returncode, err) for process, (_, err) in zip(processes, ends, strict=True)] == [
        (0, "")
    ] * 4
    stored = [line.split() for out, _ in ends for line in out.splitlines()]
    store = make_store("sqlite")
    assert len(stored) == 192
    assert all(store.header(one, "")["i"] == int(i) and len(store.value(one, "")) == 200 for one, i in stored)
    assert len(whole_ids(path)) == 192


def test_many_processes_create_the_file_at_once(start_python, path):
    """The first use by sixteen processes at the same moment makes one sound file."""
    code = OPEN + "store.put(new_result_id(), '', {}, [1])"
    processes = [start_python(code, path) for _ in range(16)]

    assert [process.communicate(timeout=300)[1] for process in processes] == [""] * 16
    assert len(whole_ids(path)) == 16


def test_killed_process_leaves_whole_results_only(start_python, make_store, path):
    """SIGKILL in the middle of writing: what is there is whole, what was reported is there."""
    process = start_python(ENDLESS, path)
    reported = [process.stdout.readline().strip() for _ in range(3)]
    process.send_signal(signal.SIGKILL)
    reported += process.communicate()[0].split()

    store, found = make_store("sqlite"), whole_ids(path)
    assert set(reported) <= set(found)
    assert len(found) <= len(reported) + 1
    assert all(len(store.value(one, "")) == 25_000 for one in found)


def test_killed_stream_is_unknown(start_python, make_store, path):
    """Rows that were committed before the process died are not served as a result."""
    result_id = start_python(KILLED_IN_A_STREAM, path).communicate()[0].strip()

    store = make_store("sqlite")
    assert result_id
    assert store.header(result_id, "") is None
    assert whole_ids(path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limit there")
def test_full_disk_is_unavailable_and_heals(run_python, path):
    """No room: UNAVAILABLE, nothing half written, the results of before stay, and later it works again."""
    refused, state, later = run_python(FULL, path).splitlines()

    assert refused.startswith("UNAVAILABLE The result store ")
    assert (state, later) == ("None ['before']", "20000")
    assert len(whole_ids(path)) == 2


def test_file_that_was_removed_is_made_again(make_store, path):
    """Results go on being kept after somebody cleaned the folder up."""
    store, result_id = make_store("sqlite"), new_result_id()
    store.put(new_result_id(), "", {}, [1])
    for one in path.parent.iterdir():
        one.unlink()
    path.parent.rmdir()

    store.put(result_id, "", {}, [2])

    assert Store(open_sqlite(f"sqlite:///{path}"), ttl_s=1, quota_bytes=10**6).value(result_id, "") == [2]


@pytest.mark.parametrize("content", [b"no database at all" * 500, b"SQLite format 3\x00" + b"\x00" * 5000])
def test_damaged_file_is_an_error_with_a_code(make_store, path, content):
    """A file that is no database is left as it is and reported, without its path."""
    path.parent.mkdir()
    path.write_bytes(content)

    with pytest.raises(ToolError) as failure:
        make_store("sqlite").put(new_result_id(), "", {}, [1])

    assert failure.value.code in (ErrorCode.DATA_LOSS, ErrorCode.UNAVAILABLE)
    assert str(path) not in failure.value.message
    assert path.read_bytes() == content


def test_database_of_somebody_else_is_left_alone(make_store, path):
    """A file with other tables is not taken for a store."""
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE results (mine TEXT)")
    connection.close()
    before = path.read_bytes()

    with pytest.raises(ToolError) as failure:
        make_store("sqlite").put(new_result_id(), "", {}, [1])

    assert failure.value.code == ErrorCode.UNAVAILABLE
    assert path.read_bytes() == before


def test_folder_that_cannot_be_made_is_unavailable(tmp_path):
    """A file where the folder should be: UNAVAILABLE, as for every other fault of the disk."""
    (tmp_path / "file").write_text("")
    store = Store(open_sqlite(f"sqlite:///{tmp_path}/file/results.db"), ttl_s=1, quota_bytes=10**6)

    with pytest.raises(ToolError) as failure:
        store.header(new_result_id(), "")

    assert failure.value.code == ErrorCode.UNAVAILABLE


def test_file_stays_near_the_quota(make_store, path):
    """Thirty times the quota written: the file is not twice as large."""
    store = make_store("sqlite", quota_bytes=2_000_000)
    for _ in range(300):
        store.put(new_result_id(), "", {}, "x" * 200_000)
    store.close()

    assert path.stat().st_size < 4_000_000


def test_file_shrinks_when_results_expire(make_store, path):
    """Room that is no longer needed goes back to the disk."""
    store = make_store("sqlite", ttl_s=0.001)
    for _ in range(3):
        store.put(new_result_id(), "", {}, ["x" * 1000] * 20_000)
    store.close()
    before = path.stat().st_size

    for _ in range(20):
        store.sweep()
    store.close()

    assert path.stat().st_size < before / 4


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite://results.db",
        "sqlite:results.db",
        "sqlite:///a.db?mode=ro",
    ],
)
def test_url_without_a_file_is_refused(url):
    """A bad URL is misuse and says what is expected."""
    with pytest.raises(InvalidSetting, match="expected 'sqlite'"):
        open_sqlite(url)
