"""What somebody else wrote into a store is an error with a code, and is never run."""

import pickle
import sqlite3

import pytest

from agent_tools.errors import ErrorCode, ToolError
from agent_tools.stores.base import new_result_id
from agent_tools.stores.chunks import JSON, PLAIN_JSON, make_chunk, pack_header
from agent_tools.stores.redis import _pack

ROWS = [{"i": i, "pad": "x" * 200} for i in range(1500)]


class Evil:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.fixture(params=["sqlite", "redis"])
def damaged(request, make_store, tmp_path):
    """A store with one result, and a way to change one of its chunks or its header behind its back."""
    store, result_id = make_store(request.param), new_result_id()
    store.put(result_id, "", {"tool": "t"}, ROWS)

    def in_sqlite(*, chunk=None, header=None, start=0):
        with sqlite3.connect(tmp_path / "home" / "results.db") as connection:
            if header is not None:
                connection.execute("UPDATE results SET header = ?", (header,))
            elif chunk is None:
                connection.execute("DELETE FROM chunks WHERE start = ?", (start,))
            else:
                connection.execute("DELETE FROM chunks WHERE start = ?", (start,))
                connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", (result_id, *chunk))
        connection.close()

    def in_redis(*, chunk=None, header=None, start=0):
        import redis

        with redis.Redis.from_url(request.getfixturevalue("redis_server")) as client:
            if header is not None:
                (key,) = client.keys("*:header:*")
                client.set(key, header)
            elif chunk is None:
                client.hdel(f"agent_tools:{{{result_id}}}:chunks", start)
            else:
                client.hset(f"agent_tools:{{{result_id}}}:chunks", start, _pack(chunk))

    return store, result_id, in_sqlite if request.param == "sqlite" else in_redis


def bad_chunks(marker):
    evil = pickle.dumps(Evil(marker))
    whole = make_chunk(0, 2, 0, JSON, b"[1,2]")
    return {
        "pickle": make_chunk(0, 64, 0, JSON, evil),
        "pickle in the other form": make_chunk(0, 64, 0, PLAIN_JSON, evil),
        "unknown form": make_chunk(0, 64, 0, 9, b"[]"),
        "other checksum": whole._replace(crc=whole.crc ^ 1),
        "fewer rows": make_chunk(0, 64, 0, JSON, b"[1,2]"),
        "no list": make_chunk(0, 64, 0, JSON, b'{"__class__": "os.system"}'),
        "deep": make_chunk(0, 64, 0, PLAIN_JSON, b"[" * 100_000),
        "empty": make_chunk(0, 64, 0, JSON, b""),
    }


@pytest.mark.parametrize("case", bad_chunks("x"))
def test_damaged_chunk_is_data_loss(damaged, tmp_path, case):
    """No exception of another kind leaves the store, and nothing that was planted runs."""
    store, result_id, change = damaged
    marker = tmp_path / "marker"

    change(chunk=bad_chunks(marker)[case])

    for read in (lambda: store.rows(result_id, "", 3, 2), lambda: store.value(result_id, "")):
        with pytest.raises(ToolError) as failure:
            read()
        assert failure.value.code == ErrorCode.DATA_LOSS
    assert not marker.exists()


def test_missing_chunk_is_data_loss(damaged):
    """A hole in the middle is not a shorter result."""
    store, result_id, change = damaged
    start = sum(len(part) for part, _ in zip(store.iter_rows(result_id, ""), range(2), strict=False))

    change(start=start)

    with pytest.raises(ToolError) as failure:
        store.value(result_id, "")
    assert failure.value.code == ErrorCode.DATA_LOSS


def test_changed_rows_fail_the_digest(damaged):
    """Rows that were replaced with the right checksum are found out when the whole is read."""
    store, result_id, change = damaged
    first = next(store.iter_rows(result_id, ""))

    change(chunk=make_chunk(0, len(first), 0, JSON, b"[" + b",".join([b"1"] * len(first)) + b"]"))

    with pytest.raises(ToolError) as failure:
        store.value(result_id, "")
    assert failure.value.code == ErrorCode.DATA_LOSS


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\x80\x04.",
        b"0 00000000 {}",
        pack_header({"shape": "rows"}),
        pack_header({})[:-1],
        b"9 aaaaaaaa {}",
    ],
    ids=repr,
)
def test_damaged_header_is_data_loss(damaged, header):
    """A header that was changed is told apart from an unknown id."""
    store, result_id, change = damaged

    change(header=header)

    with pytest.raises(ToolError) as failure:
        store.rows(result_id, "")
    assert failure.value.code == ErrorCode.DATA_LOSS
