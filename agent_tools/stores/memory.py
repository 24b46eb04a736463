"""Results in the memory of this process: gone at its end, unknown to every other."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

from agent_tools.stores.base import PENDING_S, Backend, Chunk, Entry, Unit, dropped
from agent_tools.stores.lifetime import track

_start, _line = attrgetter("start"), attrgetter("line")


def open_memory(url: str) -> Backend:
    """Return an empty store."""
    return MemoryBackend()


class MemoryBackend:
    """Keeps bytes, not objects: what a caller changes later stays here as it was."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        # both in the order of writing, oldest first
        self._entries: dict[str, Entry] = {}
        self._chunks: dict[str, list[Chunk]] = {}
        self._pending: dict[str, float] = {}
        self._size_bytes = 0
        track(self)

    def append(self, result_id: str, chunks: Sequence[Chunk], *, first: bool) -> None:
        """See `Backend`."""
        with self.lock:
            self._add(result_id, chunks, first=first)
            self._pending[result_id] = time.monotonic() + PENDING_S

    def publish(self, entry: Entry, chunks: Sequence[Chunk], *, first: bool) -> None:
        """See `Backend`."""
        with self.lock:
            self._add(entry.result_id, chunks, first=first)
            self._pending.pop(entry.result_id, None)
            self._entries[entry.result_id] = entry
            self._size_bytes += entry.size_bytes - self._chunk_bytes(entry.result_id)

    def discard(self, result_id: str) -> None:
        """See `Backend`."""
        with self.lock:
            entry = self._entries.pop(result_id, None)
            kept = self._chunk_bytes(result_id)
            self._size_bytes -= entry.size_bytes if entry else kept
            self._chunks.pop(result_id, None)
            self._pending.pop(result_id, None)

    def header(self, result_id: str, scope: str) -> bytes | None:
        """See `Backend`."""
        entry = self._entries.get(result_id)
        if entry is None or entry.scope != scope or entry.expires_s <= time.time():
            return None
        return entry.header

    def chunk(self, result_id: str, at: int, unit: Unit) -> Chunk | None:
        """See `Backend`."""
        with self.lock:
            chunks = self._chunks.get(result_id, [])
            place = (
                bisect_right(chunks, at, key=_start)
                if unit == "start"
                else bisect_left(chunks, at, key=_line)
            )
            return chunks[place - 1] if place else None

    def sweep(self, quota_bytes: int) -> bool:
        """See `Backend`; everything at once, a removal is 0.3 us."""
        now_s, now_monotonic_s = time.time(), time.monotonic()
        with self.lock:
            gone = [one.result_id for one in self._entries.values() if one.expires_s <= now_s]
            gone += [one for one, until_s in self._pending.items() if until_s <= now_monotonic_s]
            for result_id in gone:
                self.discard(result_id)
            while self._size_bytes > quota_bytes and len(self._entries) > 1:
                self.discard(next(iter(self._entries)))
        return False

    def close(self) -> None:
        """Nothing to let go of: what is kept stays for this process."""

    def _add(self, result_id: str, chunks: Sequence[Chunk], *, first: bool) -> None:
        if first:
            self.discard(result_id)
        elif result_id not in self._pending:
            raise dropped()
        self._chunks.setdefault(result_id, []).extend(chunks)
        self._size_bytes += sum(len(chunk.body) for chunk in chunks)

    def _chunk_bytes(self, result_id: str) -> int:
        return sum(len(chunk.body) for chunk in self._chunks.get(result_id, ()))
