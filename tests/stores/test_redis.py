"""Results that many machines share."""

import os

import pytest
import redis

from agent_tools.errors import ErrorCode, InvalidSetting, ToolError
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id
from agent_tools.stores.redis import open_redis

READ = """
import sys
from agent_tools.stores import open_store
store = open_store(sys.argv[1], ttl_s=3600, quota_bytes=10**9)
print(store.rows(sys.argv[2], "tenant", 1, 1), store.header(sys.argv[2], "other"))
"""


def test_another_process_reads_what_this_one_stored(redis_url, run_python):
    """The server is all that two machines share."""
    result_id = new_result_id()
    open_store(redis_url, ttl_s=3600, quota_bytes=10**9).put(result_id, "tenant", {}, [{"i": 0}, {"i": 1}])

    assert run_python(READ, redis_url, result_id) == "[{'i': 1}] None\n"


FORKED_AT_A_BAD_MOMENT = """
import os, sys, threading, warnings
import redis
from agent_tools.stores import open_store
from agent_tools.stores.base import new_result_id

warnings.simplefilter("ignore", DeprecationWarning)  # newer versions of Python warn of a fork beside threads
pools, make = [], redis.ConnectionPool.from_url
redis.ConnectionPool.from_url = lambda *args, **named: pools.append(make(*args, **named)) or pools[-1]
store = open_store(sys.argv[1], ttl_s=3600, quota_bytes=10**9)
store.put(new_result_id(), "", {}, [1])
is_held, is_over = threading.Event(), threading.Event()

def hold():
    with pools[0]._lock:
        is_held.set()
        is_over.wait()

holder = threading.Thread(target=hold)
holder.start()
is_held.wait()
child = os.fork()
if not child:
    if sys.argv[2] == "used":
        store.put(new_result_id(), "", {}, [2])
    if sys.argv[2] == "closed":
        store.close()
    is_over.set()
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
is_over.set()
holder.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("use", ["used", "closed", "untouched"])
def test_a_fork_while_a_thread_holds_the_pool_neither_hangs_nor_fails(redis_url, run_python, use):
    """Whatever the child does, up to its end: it asks nothing of the parent's pool."""
    assert run_python(FORKED_AT_A_BAD_MOMENT, redis_url, use) == "7\n"


@pytest.mark.parametrize(
    "body", [["x" * 1000] * 500, "line\n" * 50_000, {"a": 1}], ids=["rows", "text", "value"]
)
def test_every_key_expires(redis_url, make_store, body):
    """Nothing but the small list of results stays when a process never comes back."""
    make_store("redis", ttl_s=3600).put(new_result_id(), "", {}, body)

    with redis.Redis.from_url(redis_url) as client:
        lives = {key: client.ttl(key) for key in client.keys("*") if key != b"agent_tools:results"}
    assert all(0 < ttl_s <= 3600 for ttl_s in lives.values())
    assert len(lives) >= 3


def test_unfinished_rows_expire_too(redis_url, make_store):
    """What a killed writer left goes by itself."""
    writer = make_store("redis").open_writer(new_result_id(), "", {})
    writer.add(["x" * 100_000] * 60)

    with redis.Redis.from_url(redis_url) as client:
        lives = [client.ttl(key) for key in client.keys("*")]
    writer.abort()

    assert lives
    assert all(0 < ttl_s <= 3600 for ttl_s in lives)


def test_swept_result_leaves_no_key(redis_url, make_store):
    """Above the quota all keys of a result go, with its place in the list."""
    store = make_store("redis", quota_bytes=200_000)
    for _ in range(5):
        store.put(new_result_id(), "", {}, "line\n" * 30_000)
    store.sweep()

    with redis.Redis.from_url(redis_url) as client:
        ids = {key.split(b"}")[0] for key in client.keys("*{*")}
        listed = client.zcard("agent_tools:results")
    assert len(ids) == listed == 1


def test_rows_added_after_too_long_are_refused(redis_url, make_store):
    """A result that was cleaned away meanwhile does not come back as half of itself."""
    store, result_id = make_store("redis"), new_result_id()
    writer = store.open_writer(result_id, "", {})
    writer.add(["x" * 100_000] * 60)
    with redis.Redis.from_url(redis_url) as client:
        client.flushall()

    with pytest.raises(ToolError, match="dropped this result"):
        writer.finish()

    assert store.header(result_id, "") is None


@pytest.mark.parametrize(
    "use",
    [
        lambda store: store.put(new_result_id(), "", {}, [1]),
        lambda store: store.header(new_result_id(), ""),
        lambda store: store.sweep(),
    ],
    ids=["put", "header", "sweep"],
)
def test_server_that_is_away_is_unavailable(use):
    """Nobody listens there: an error with a code that says so."""
    store = open_store("redis://127.0.0.1:1/0", ttl_s=60, quota_bytes=10**6)

    with pytest.raises(ToolError) as failure:
        use(store)

    assert failure.value.code == ErrorCode.UNAVAILABLE


def test_key_of_another_type_is_data_loss(redis_url, make_store):
    """Somebody else's value under our key is damage, not an exception of another kind."""
    store, result_id = make_store("redis"), new_result_id()
    store.put(result_id, "", {}, [1])
    with redis.Redis.from_url(redis_url) as client:
        client.delete(f"agent_tools:{{{result_id}}}:chunks")
        client.set(f"agent_tools:{{{result_id}}}:chunks", "mine")

    with pytest.raises(ToolError) as failure:
        store.value(result_id, "")

    assert failure.value.code == ErrorCode.DATA_LOSS


@pytest.mark.parametrize("member", ["", "odd", "a b c d", "r_x y 5 nan"])
def test_odd_entries_in_the_list_do_not_stop_a_sweep(redis_url, make_store, member):
    """What nobody here wrote is removed from the list."""
    store = make_store("redis")
    with redis.Redis.from_url(redis_url) as client:
        client.zadd("agent_tools:results", {member: 1})
        store.sweep()

        assert client.zcard("agent_tools:results") == 0


def test_bad_url_is_misuse_and_hides_the_password():
    """The message tells the form and not what was given."""
    with pytest.raises(InvalidSetting, match="expected redis://") as failure:
        open_redis("redis://:hunter2@host:port/0")

    assert "hunter2" not in str(failure.value)
