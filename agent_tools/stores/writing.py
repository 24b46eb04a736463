"""Bring a result into a backend in batches that no reader sees before the last.

In:   chunks of one result and its header.
Out:  a published entry, or nothing.
Raises: `ToolError` UNAVAILABLE when the keeping fails, RESOURCE_EXHAUSTED for a result larger than the
      quota, INVALID_ARGUMENT for misuse.
Cost: a commit for each 4 MB.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType

from agent_tools.errors import ErrorCode, InvalidArgument, ToolError
from agent_tools.result import Json
from agent_tools.stores.base import Backend, Chunk, Entry, is_result_id
from agent_tools.stores.chunks import Digest, RowPacker, Shape, pack_header

Header = dict[str, Json]

# few commits, and little memory for ten million rows
BATCH_BYTES = 4_000_000
# what an entry takes beside its chunks, so that a million tiny results count
ENTRY_BYTES = 512
SWEEP_EVERY_S = 60.0
SWEEP_PARTS = 16


@dataclass(slots=True)
class Upkeep:
    """How long results stay and how much they may take; cleans up as they are written.

    Attributes:
        backend: Where they are.
        ttl_s: Seconds a result can be read.
        quota_bytes: Size at which the oldest go.
    """

    backend: Backend
    ttl_s: float
    quota_bytes: int
    _unswept_bytes: int = 0
    # the first write cleans up what earlier processes left
    _next_sweep_s: float = 0.0

    def account(self, size_bytes: int) -> None:
        """Clean up a little when enough was written or a minute has passed since the last time."""
        self._unswept_bytes += size_bytes
        now_s = time.monotonic()
        if self._unswept_bytes < self.quota_bytes // SWEEP_PARTS and now_s < self._next_sweep_s:
            return
        self._unswept_bytes, self._next_sweep_s = 0, now_s + SWEEP_EVERY_S
        # what was stored is stored, whether or not old results could be removed
        with contextlib.suppress(ToolError):
            if self.backend.sweep(self.quota_bytes):
                self._next_sweep_s = now_s


class Upload:
    """One result on its way in."""

    def __init__(self, upkeep: Upkeep, result_id: str, scope: str, header: Header, shape: Shape) -> None:
        if not is_result_id(result_id):
            raise InvalidArgument(f"bad result id {result_id!r:.60}; make one by new_result_id()")
        self._upkeep = upkeep
        self._id = result_id
        self._scope = hash_scope(scope)
        self._header = header
        self._shape: Shape = shape
        self._digest = Digest(shape)
        self._batch: list[Chunk] = []
        self._batch_bytes = 0
        self._size_bytes = 0
        self._is_first = True
        self._is_open = True

    def keep(self, chunks: Iterable[Chunk]) -> None:
        """Take the next chunks."""
        self._check_open()
        for chunk in chunks:
            self._digest.add(chunk)
            self._batch.append(chunk)
            self._batch_bytes += len(chunk.body)
            self._size_bytes += len(chunk.body)
            if self._batch_bytes >= BATCH_BYTES:
                self._flush()

    def finish(self, updates: Header, counts: Header) -> Header:
        """Publish the result and return its header."""
        self._check_open()
        self._check_size()
        now_s = time.time()
        until_s = now_s + self._upkeep.ttl_s
        header = {
            **self._describe(updates, counts),
            "created_at": _iso(now_s),
            "expires_at": _iso(until_s),
        }
        packed = pack_header(header)
        taken = self._size_bytes + len(packed) + ENTRY_BYTES
        entry = Entry(self._id, self._scope, now_s, until_s, taken, packed)
        self._upkeep.backend.publish(entry, self._batch, first=self._is_first)
        self._is_open = False
        self._upkeep.account(self._batch_bytes + len(packed) + ENTRY_BYTES)
        return header

    def abort(self) -> None:
        """Drop what was kept; nothing happens after `finish`."""
        if self._is_open and not self._is_first:
            # a store that fails now forgets the rest by itself, see PENDING_S
            with contextlib.suppress(ToolError):
                self._upkeep.backend.discard(self._id)
        self._is_open = False
        self._batch = []

    @contextlib.contextmanager
    def guarded(self) -> Iterator[None]:
        """Drop everything when the block fails."""
        try:
            yield
        except BaseException:
            self.abort()
            raise

    def _flush(self) -> None:
        self._check_size()
        self._upkeep.backend.append(self._id, self._batch, first=self._is_first)
        self._upkeep.account(self._batch_bytes)
        self._batch, self._batch_bytes, self._is_first = [], 0, False

    def _check_open(self) -> None:
        if not self._is_open:
            raise InvalidArgument(f"the result {self._id!r} was finished or dropped before")

    def _check_size(self) -> None:
        if self._size_bytes > self._upkeep.quota_bytes:
            raise ToolError(
                f"The result is larger than the store's quota of {self._upkeep.quota_bytes} bytes.",
                code=ErrorCode.RESOURCE_EXHAUSTED,
                retryable=False,
            )

    def _describe(self, updates: Header, counts: Header) -> Header:
        return {
            "total": counts.get("rows", counts.get("lines")),
            "complete": True,
            **self._header,
            **updates,
            **counts,
            "shape": self._shape,
            "size_bytes": self._size_bytes,
            "sha256": self._digest.hexdigest(),
        }


class Writer:
    """Takes rows as they come; leaving its `with` block without `finish()` drops them.

    Made by `Store.open_writer()`. For one thread at a time.
    """

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._packer = RowPacker()

    def add(self, rows: list[Json]) -> None:
        """Keep rows; they are encoded at once, so their owner may change them afterwards.

        Raises:
            ToolError: as `Store.put`; everything is dropped then.
        """
        with self._upload.guarded():
            self._upload.keep(self._packer.add(rows))

    def finish(self, **updates: Json) -> Header:
        """Make the result readable and return its header, with `updates` in it.

        Say `complete=False, total=None` when the source broke after these rows.
        """
        with self._upload.guarded():
            self._upload.keep(self._packer.flush())
            return self._upload.finish(updates, {"rows": self._packer.rows})

    def abort(self) -> None:
        """Drop everything."""
        self._upload.abort()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None
    ) -> None:
        self._upload.abort()


def hash_scope(scope: str) -> str:
    """Return what a scope is kept as: of fixed length, fit for a key, without a tenant's name."""
    return hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _iso(at_s: float) -> str:
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds")
