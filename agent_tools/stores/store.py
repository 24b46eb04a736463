"""Keep whole results and read them back a page at a time.

A result's header is a dict of the caller's own (tool, format, budget, audience, labels, status, meta,
error ...) to which the store adds, when the result is whole:

    shape               "rows", "text" or "value"
    rows                number of rows, for rows
    lines, characters   number of lines and characters, for text
    total               the same as rows or lines, None for a value, unless the caller gave one
    complete            True, unless the caller said that the source broke
    size_bytes, sha256  of the canonical bytes, see `chunks.Digest`
    created_at, expires_at  ISO 8601, UTC

A result can be read once it is finished, never before: what a killed process began is an unknown id. All
reading takes the scope; a wrong scope, an expired id and an unknown one look alike.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

from agent_tools.errors import InvalidArgument
from agent_tools.result import Json
from agent_tools.stores import chunks as packing
from agent_tools.stores.base import Backend, Chunk, DamagedError, Unit, data_loss, is_result_id, not_found
from agent_tools.stores.chunks import Shape
from agent_tools.stores.writing import Header, Upkeep, Upload, Writer, hash_scope

Part = TypeVar("Part", str, list[str], list[Json])

# the key of the header that says where a result of this shape ends
_ENDS: dict[Shape, str] = {"rows": "rows", "text": "characters", "value": "size_bytes"}


class Store:
    """Results of tools under their ids; safe to use from many threads and after a fork.

    Limits: a result can be read for `ttl_s`; above `quota_bytes` the oldest go first, even before
    their time, and the newest stays. Cleaning runs once a minute and after each sixteenth of the quota
    that this process wrote, in steps of a few milliseconds, so for a while there may be a sixteenth more
    than the quota for each process that writes.

    Raises, in every method: `ToolError` UNAVAILABLE when the keeping fails, DATA_LOSS for a damaged
    result, NOT_FOUND from everything that reads but `header`, INVALID_ARGUMENT for misuse.

    Example:
        >>> from agent_tools.stores import open_store
        >>> from agent_tools.stores.base import new_result_id
        >>> store, result_id = open_store("memory", ttl_s=60, quota_bytes=10**6), new_result_id()
        >>> store.put(result_id, "", {"tool": "count"}, [{"n": 1}, {"n": 2}, {"n": 3}])["total"]
        3
        >>> store.rows(result_id, "", offset=1, limit=1)
        [{'n': 2}]
    """

    def __init__(self, backend: Backend, *, ttl_s: float, quota_bytes: int) -> None:
        self.backend = backend
        self.upkeep = Upkeep(backend, ttl_s, quota_bytes)

    # --- writing

    def put(self, result_id: str, scope: str, header: Header, body: Json) -> Header:
        """Keep a whole value, all or nothing, and return its header.

        Args:
            result_id: From `new_result_id()`. What stood under it before is replaced.
            scope: Who may read it, see `agent_tools.context.make_scope`.
            header: What to know about it; JSON data.
            body: Plain JSON data, already redacted.

        Raises:
            ToolError: UNSERIALIZABLE_RESULT; RESOURCE_EXHAUSTED when it is larger than the quota.
        """
        upload = Upload(self.upkeep, result_id, scope, header, packing.shape_of(body))
        with upload.guarded():
            upload.keep(packing.pack(body))
            return upload.finish({}, packing.count(body))

    def open_writer(self, result_id: str, scope: str, header: Header) -> Writer:
        """Begin a result of rows that come little by little; memory stays flat.

        Example:
            >>> from agent_tools.stores import open_store
            >>> from agent_tools.stores.base import new_result_id
            >>> store, result_id = open_store("memory", ttl_s=60, quota_bytes=10**6), new_result_id()
            >>> with store.open_writer(result_id, "", {"tool": "count"}) as writer:
            ...     writer.add([{"n": 1}, {"n": 2}])
            ...     header = writer.finish(status="success")
            >>> header["rows"], header["complete"]
            (2, True)
        """
        return Writer(Upload(self.upkeep, result_id, scope, header, "rows"))

    # --- reading

    def header(self, result_id: str, scope: str) -> Header | None:
        """Return the header; None when the id is unknown, unfinished, expired or of another scope."""
        if not is_result_id(result_id):
            return None
        packed = self.backend.header(result_id, hash_scope(scope))
        if packed is None:
            return None
        with _reporting(result_id):
            return packing.read_header(packed)

    def rows(self, result_id: str, scope: str, offset: int = 0, limit: int | None = None) -> list[Json]:
        """Return up to `limit` rows (None: all that are left); none past the end.

        Reads the chunks that the page touches and no others.
        """
        return [row for part in _clip(self.iter_rows(result_id, scope, offset), limit) for row in part]

    def iter_rows(self, result_id: str, scope: str, start: int = 0) -> Iterator[list[Json]]:
        """Iterate over the rows from `start` on, some hundred at a time.

        From 0 to the end, the whole is checked against its SHA-256 after the last rows.
        """
        return _read_rows(result_id, self._chunks(result_id, scope, "rows", start), start)

    def lines(self, result_id: str, scope: str, offset: int = 0, limit: int | None = None) -> list[str]:
        r"""Return up to `limit` lines of a text, each with its `\n`; none past the end."""
        return [line for part in _clip(self.iter_lines(result_id, scope, offset), limit) for line in part]

    def iter_lines(self, result_id: str, scope: str, start: int = 0) -> Iterator[list[str]]:
        r"""Iterate over the lines of a text from line `start` on, each with its `\n`, some at a time.

        A line ends at `\n` only and the joined lines are the text. A long line comes in one piece:
        page through it by `text`.
        """
        return _read_lines(result_id, self._chunks(result_id, scope, "text", start, "line"), start)

    def text(self, result_id: str, scope: str, offset: int = 0, limit: int | None = None) -> str:
        """Return up to `limit` characters of a text (None: all that are left), from character `offset` on."""
        found = self._chunks(result_id, scope, "text", offset)
        return "".join(_clip(_read_text(result_id, found, offset), limit))

    def value(self, result_id: str, scope: str) -> Json:
        """Return the whole result, of any shape, checked against its SHA-256."""
        shape = self._header(result_id, scope).get("shape")
        if shape == "rows":
            return self.rows(result_id, scope)
        if shape == "text":
            return self.text(result_id, scope)
        with _reporting(result_id):
            return packing.read_value(self._chunks(result_id, scope, "value", 0))

    # --- upkeep

    def sweep(self) -> None:
        """Remove everything that expired or is over the quota, now."""
        while self.backend.sweep(self.upkeep.quota_bytes):
            pass

    def close(self) -> None:
        """Let go of files and connections; the next use opens them again."""
        self.backend.close()

    # --- finding chunks

    def _header(self, result_id: str, scope: str) -> Header:
        header = self.header(result_id, scope)
        if header is None:
            raise not_found(result_id)
        return header

    def _chunks(
        self, result_id: str, scope: str, shape: Shape, at: int, unit: Unit = "start"
    ) -> Iterator[Chunk]:
        """Return the chunks from the one that holds row, character or line `at` to the last."""
        if at < 0:
            raise InvalidArgument(f"an offset must be 0 or more, got {at}")
        header = self._header(result_id, scope)
        if header.get("shape") != shape:
            raise InvalidArgument(
                f"The stored result {result_id!r} holds {header.get('shape')}, not {shape}."
            )
        end, size = header.get(_ENDS[shape]), header.get("lines" if unit == "line" else _ENDS[shape])
        if not isinstance(end, int) or not isinstance(size, int):
            raise data_loss(result_id)
        if at >= size:
            return iter(())
        walk = self._walk(result_id, scope, at, "start" if at == 0 else unit, end)
        return walk if at else _verify(result_id, walk, packing.Digest(shape), header.get("sha256"))

    def _walk(self, result_id: str, scope: str, at: int, unit: Unit, end: int) -> Iterator[Chunk]:
        chunk = self._chunk(result_id, scope, at, unit)
        yield chunk
        while (after := chunk.start + chunk.length) < end:
            chunk = self._chunk(result_id, scope, after, "start")
            if chunk.start != after:
                raise data_loss(result_id)
            yield chunk

    def _chunk(self, result_id: str, scope: str, at: int, unit: Unit) -> Chunk:
        chunk = self.backend.chunk(result_id, at, unit)
        if chunk is None:
            # it may have gone while it was being read
            self._header(result_id, scope)
            raise data_loss(result_id)
        with _reporting(result_id):
            packing.check(chunk)
        if unit == "start" and not chunk.start <= at < chunk.start + chunk.length:
            self._header(result_id, scope)
            raise data_loss(result_id)
        return chunk


def _verify(result_id: str, chunks: Iterator[Chunk], digest: packing.Digest, sha256: Json) -> Iterator[Chunk]:
    for chunk in chunks:
        digest.add(chunk)
        yield chunk
    if digest.hexdigest() != sha256:
        raise data_loss(result_id)


def _read_rows(result_id: str, chunks: Iterable[Chunk], start: int) -> Iterator[list[Json]]:
    for chunk in chunks:
        with _reporting(result_id):
            rows = packing.read_rows(chunk)
        yield rows[start - chunk.start :] if chunk.start < start else rows


def _read_text(result_id: str, chunks: Iterable[Chunk], start: int) -> Iterator[str]:
    for chunk in chunks:
        with _reporting(result_id):
            text = packing.read_text(chunk)
        yield text[start - chunk.start :] if chunk.start < start else text


def _read_lines(result_id: str, chunks: Iterable[Chunk], start: int) -> Iterator[list[str]]:
    begun: list[str] = []
    skipped: int | None = None
    for chunk in chunks:
        with _reporting(result_id):
            *ended, rest = packing.read_text(chunk).split("\n")
        if skipped is None:
            # the chunk begins on an earlier line
            skipped = start - chunk.line
            ended = ended[skipped:]
        if ended:
            yield ["".join([*begun, ended[0], "\n"]), *(line + "\n" for line in ended[1:])]
            begun = []
        begun.append(rest)
    if any(begun):
        yield ["".join(begun)]


def _clip(parts: Iterator[Part], limit: int | None) -> Iterator[Part]:
    """Pass on parts until they hold `limit` items; draws none that is not needed."""
    if limit is None:
        yield from parts
        return
    if limit < 0:
        raise InvalidArgument(f"a limit must be 0 or more, got {limit}")
    while limit and (part := next(parts, None)) is not None:
        yield part[:limit]
        limit -= min(limit, len(part))


@contextlib.contextmanager
def _reporting(result_id: str) -> Iterator[None]:
    try:
        yield
    except DamagedError as error:
        raise data_loss(result_id) from error
