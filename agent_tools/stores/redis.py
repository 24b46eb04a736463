"""Results in Redis, shared by many machines.

In:   headers and chunks.
Out:  the same. A result is four keys in one slot, published by the header, which is written last in one
      MULTI with the rest; all of them expire at the same moment.

          agent_tools:{r_...}:header:<scope>  the packed header
          agent_tools:{r_...}:chunks          hash: start -> chunk
          agent_tools:{r_...}:starts          sorted set of starts
          agent_tools:{r_...}:lines           sorted set of starts by line, for text
          agent_tools:results                 sorted set of all results by age, for the quota

Raises: `ToolError` UNAVAILABLE when the server can't be reached or refuses.
Cost: a round trip for a header, two for a chunk.
"""

from __future__ import annotations

import contextlib
import os
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from agent_tools.errors import InvalidSetting, ToolError
from agent_tools.stores.base import PENDING_S, Backend, Chunk, Entry, Unit, data_loss, dropped, unavailable
from agent_tools.stores.chunks import TEXT

CONNECT_S = 2.0
ANSWER_S = 10.0
REGISTRY = "agent_tools:results"


def open_redis(url: str) -> Backend:
    """Return the store of a URL; connects at first use.

    Raises:
        InvalidSetting: the URL is bad.
    """

    def connect() -> Any:
        return redis.ConnectionPool.from_url(
            url,
            socket_connect_timeout=CONNECT_S,
            socket_timeout=ANSWER_S,
            # once, for a connection that the server closed meanwhile; more would hold up the tool
            retry=Retry(NoBackoff(), 1),
            health_check_interval=30,
        )

    try:
        return RedisBackend(connect)
    except ValueError as error:
        # without the URL: it may hold a password
        raise InvalidSetting("bad redis store URL; expected redis://host:port/db") from error


def _disconnect(pool: Any, owner: int) -> None:
    if owner == os.getpid():
        pool.disconnect()


class RedisBackend:
    """The four keys of each result; redis-py guards its connections against threads.

    Each process has connections of its own: a lock of the pool that another thread holds at a fork stays
    held in the child for ever, so a child never asks its parent's pool for anything, not even to close.
    """

    def __init__(self, connect: Callable[[], Any]) -> None:
        # Any: redis-py types every answer as "or awaitable"
        self._connect = connect
        self._open()

    def _open(self) -> Any:
        pool = self._connect()
        # a client that is given its pool leaves it open when it goes itself
        client = redis.Redis(connection_pool=pool)
        self._opened, self._owner = client, os.getpid()
        weakref.finalize(self, _disconnect, pool, self._owner)
        return client

    @property
    def _client(self) -> Any:
        return self._opened if self._owner == os.getpid() else self._open()

    def append(self, result_id: str, chunks: Sequence[Chunk], *, first: bool) -> None:
        """See `Backend`."""
        with self._transaction(result_id) as (pipe, answers):
            self._add(pipe, result_id, chunks, first=first)
            for key in _chunk_keys(result_id):
                pipe.pexpire(key, int(PENDING_S * 1000))
        self._check_grown(result_id, answers, first=first)

    def publish(self, entry: Entry, chunks: Sequence[Chunk], *, first: bool) -> None:
        """See `Backend`."""
        until_ms = int(entry.expires_s * 1000)
        header = _header_key(entry.result_id, entry.scope)
        with self._transaction(entry.result_id) as (pipe, answers):
            self._add(pipe, entry.result_id, chunks, first=first)
            pipe.set(header, entry.header)
            for key in (*_chunk_keys(entry.result_id), header):
                pipe.pexpireat(key, until_ms)
        self._check_grown(entry.result_id, answers, first=first, header=header)
        member = f"{entry.result_id} {entry.scope} {entry.size_bytes} {until_ms}"
        # after the MULTI, as it is in another slot; what is missing here still expires
        with self._asking():
            self._client.zadd(REGISTRY, {member: entry.created_s})

    def discard(self, result_id: str) -> None:
        """See `Backend`."""
        with self._asking():
            self._client.unlink(*_chunk_keys(result_id))

    def header(self, result_id: str, scope: str) -> bytes | None:
        """See `Backend`."""
        with self._asking(result_id):
            packed: bytes | None = self._client.get(_header_key(result_id, scope))
        return packed

    def chunk(self, result_id: str, at: int, unit: Unit) -> Chunk | None:
        """See `Backend`."""
        chunks, starts, lines = _chunk_keys(result_id)
        key, upper = (starts, str(at)) if unit == "start" else (lines, f"({at}")
        with self._asking(result_id):
            found = self._client.zrevrangebyscore(key, upper, "-inf", start=0, num=1)
            packed = self._client.hget(chunks, int(found[0])) if found else None
        return _unpack(result_id, packed) if packed is not None else None

    def sweep(self, quota_bytes: int) -> bool:
        """See `Backend`; what expires the server removes itself."""
        with self._asking():
            members = self._client.zrange(REGISTRY, 0, -1)
            gone = _choose(members, quota_bytes, time.time() * 1000)
            for member in gone:
                result_id, scope = f"{member.decode('latin-1')}  ".split(" ")[:2]
                self._client.unlink(*_chunk_keys(result_id), _header_key(result_id, scope))
            if gone:
                self._client.zrem(REGISTRY, *gone)
        return False

    def close(self) -> None:
        """See `Backend`."""
        _disconnect(self._opened.connection_pool, self._owner)

    def _add(self, pipe: Any, result_id: str, chunks: Sequence[Chunk], *, first: bool) -> None:
        keys = _chunk_keys(result_id)
        if first:
            pipe.delete(*keys)
        else:
            pipe.exists(keys[0])
        if chunks:
            # starts are padded: sets order members of one line as text
            places = {f"{chunk.start:020d}": chunk for chunk in chunks}
            pipe.hset(keys[0], mapping={chunk.start: _pack(chunk) for chunk in chunks})
            pipe.zadd(keys[1], {place: chunk.start for place, chunk in places.items()})
            if chunks[0].form == TEXT:
                pipe.zadd(keys[2], {place: chunk.line for place, chunk in places.items()})

    def _check_grown(
        self, result_id: str, answers: list[Any], *, first: bool, header: str | None = None
    ) -> None:
        if not first and not answers[0]:
            with self._asking():
                self._client.unlink(*_chunk_keys(result_id), *([header] if header else []))
            raise dropped()

    @contextlib.contextmanager
    def _transaction(self, result_id: str) -> Iterator[tuple[Any, list[Any]]]:
        answers: list[Any] = []
        with self._asking(result_id), self._client.pipeline(transaction=True) as pipe:
            yield pipe, answers
            answers += pipe.execute()

    @contextlib.contextmanager
    def _asking(self, result_id: str | None = None) -> Iterator[None]:
        try:
            yield
        except (redis.RedisError, OSError) as error:
            raise _explain(error, result_id) from error


def _header_key(result_id: str, scope: str) -> str:
    return f"agent_tools:{{{result_id}}}:header:{scope}"


def _chunk_keys(result_id: str) -> tuple[str, str, str]:
    # braces: all keys of a result are in one slot of a cluster
    prefix = f"agent_tools:{{{result_id}}}"
    return f"{prefix}:chunks", f"{prefix}:starts", f"{prefix}:lines"


def _pack(chunk: Chunk) -> bytes:
    return b"%d %d %d %d %d\n%s" % chunk


def _unpack(result_id: str, packed: bytes) -> Chunk:
    head, _newline, body = packed.partition(b"\n")
    try:
        start, length, line, form, crc = (int(number) for number in head.split(b" "))
    except ValueError as error:
        raise data_loss(result_id) from error
    return Chunk(start, length, line, form, crc, body)


def _choose(members: list[bytes], quota_bytes: int, now_ms: float) -> list[bytes]:
    """Return what expired and the oldest above the quota; `members` are in the order of age."""
    live = [(member, *_read_member(member)) for member in members]
    gone = [member for member, _size, until_ms in live if until_ms <= now_ms]
    live = [one for one in live if one[2] > now_ms]
    over = sum(size for _member, size, _until_ms in live) - quota_bytes
    for member, size, _until_ms in live[:-1]:
        if over <= 0:
            break
        gone.append(member)
        over -= size
    return gone


def _read_member(member: bytes) -> tuple[int, int]:
    """Return size and end of a result; what nobody here wrote ended long ago."""
    try:
        _id, _scope, size, until_ms = member.split(b" ")
        return int(size), int(until_ms)
    except ValueError:
        return 0, 0


def _explain(error: Exception, result_id: str | None) -> ToolError:
    # an error code of the protocol: somebody else wrote under our keys
    if result_id is not None and str(error).startswith("WRONGTYPE"):
        return data_loss(result_id)
    explained = unavailable("did not answer or refused")
    explained.sub_code = type(error).__name__
    return explained
