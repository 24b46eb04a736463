"""Turn values into chunks and back.

In:   plain JSON data: a list of rows, a text, any other value.
Out:  chunks of about 64 kB that can be read one by one; orjson writes them, stdlib json what orjson
      refuses (integers over 64 bits, lone surrogates).
Raises: `ToolError` UNSERIALIZABLE_RESULT for what JSON cannot hold; `DamagedError` for bytes that
      are not what was written.
Cost: 1e5 rows of 16 MB in about 30 ms. Not compressed: zlib at level 1 takes 85 ms for them, half of
      one json.dumps.

Imported when the first store is opened, so that orjson is not loaded before.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Literal, cast

import orjson

from agent_tools.errors import ErrorCode, ToolError
from agent_tools.result import Json
from agent_tools.stores.base import Chunk, DamagedError

Shape = Literal["rows", "text", "value"]

CHUNK_BYTES = 65_536
# rows of uneven size: above it a chunk of many rows is made again from half of them
MAX_CHUNK_BYTES = 8 * CHUNK_BYTES
JSON, PLAIN_JSON, TEXT = 0, 1, 2


def encode(value: Json) -> tuple[bytes, int]:
    """Return `value` as compact JSON in UTF-8, and the form that reads it back.

    Example:
        >>> encode({"n": 1}), encode(2**70)
        ((b'{"n":1}', 0), (b'1180591620717411303424', 1))
    """
    try:
        return orjson.dumps(value), JSON
    except TypeError:
        return _encode_plain(value), PLAIN_JSON


def _encode_plain(value: Json) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolError(
            "The result cannot be stored as JSON.", code=ErrorCode.UNSERIALIZABLE_RESULT
        ) from error
    return text.encode("utf-8", "surrogatepass")


def decode(body: bytes, form: int) -> Json:
    """Read what `encode` wrote.

    Raises:
        DamagedError: it is no JSON, or of a form that is not known.
    """
    try:
        if form == JSON:
            return cast("Json", orjson.loads(body))
        if form == PLAIN_JSON:
            return cast("Json", json.loads(body.decode("utf-8", "surrogatepass")))
    except (ValueError, RecursionError) as error:
        raise DamagedError("no JSON") from error
    raise DamagedError("unknown form")


def shape_of(body: Json) -> Shape:
    """Say how a value is stored: a list row by row, a text by lines, the rest as one document."""
    if isinstance(body, list):
        return "rows"
    return "text" if isinstance(body, str) else "value"


def make_chunk(start: int, length: int, line: int, form: int, body: bytes) -> Chunk:
    """Build a chunk with its checksum."""
    return Chunk(start, length, line, form, _checksum(start, length, line, form, body), body)


def check(chunk: Chunk) -> Chunk:
    """Return the chunk.

    Raises:
        DamagedError: a part of it has another type or value than was written.
    """
    *numbers, body = chunk
    if not isinstance(body, bytes) or any(type(number) is not int for number in numbers):
        raise DamagedError("odd types")
    if _checksum(*chunk[:4], body) != chunk.crc:
        raise DamagedError("checksum differs")
    return chunk


def _checksum(start: int, length: int, line: int, form: int, body: bytes) -> int:
    # the place counts, too: a chunk that moved is as wrong as one that changed
    return zlib.crc32(body, zlib.crc32(b"%d %d %d %d" % (start, length, line, form)))


class RowPacker:
    """Turn rows that come little by little into chunks.

    Rows are written when they are added, so a row that its owner changes later stays as it was.

    Attributes:
        rows: How many were added.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._step = 64
        self._form = JSON
        self._parts: list[bytes] = []
        self._size = 0
        self._start = 0

    def add(self, rows: list[Json]) -> Iterator[Chunk]:
        """Take rows and yield the chunks that are full."""
        at = 0
        while at < len(rows):
            piece = rows[at : at + self._step]
            body, form = encode(piece)
            self._step = max(1, min(4 * self._step, CHUNK_BYTES * len(piece) // len(body)))
            if len(body) > MAX_CHUNK_BYTES and len(piece) > 1:
                self._step = min(self._step, len(piece) // 2)
                continue
            at += len(piece)
            if form != self._form:
                yield from self.flush()
            self._keep(body, form, len(piece))
            if self._size >= CHUNK_BYTES // 2:
                yield from self.flush()

    def _keep(self, body: bytes, form: int, count: int) -> None:
        self._form = form
        self._parts.append(body)
        self._size += len(body)
        self.rows += count

    def flush(self) -> Iterator[Chunk]:
        """Yield what is left as a chunk."""
        if not self._parts:
            return
        # one part is the usual case and is a chunk as it is: no copy
        body = self._parts[0] if len(self._parts) == 1 else b"[%s]" % b",".join(p[1:-1] for p in self._parts)
        start, self._start = self._start, self.rows
        self._parts, self._size = [], 0
        yield make_chunk(start, self.rows - start, 0, self._form, body)


def pack_rows(rows: list[Json]) -> Iterator[Chunk]:
    """Turn a list into chunks of whole rows."""
    packer = RowPacker()
    yield from packer.add(rows)
    yield from packer.flush()


def pack_text(text: str) -> Iterator[Chunk]:
    """Turn a text into chunks of whole characters, ended at a newline where one is near."""
    start = line = 0
    while start < len(text):
        end = min(start + CHUNK_BYTES, len(text))
        if end < len(text):
            end = text.rfind("\n", start + CHUNK_BYTES // 2, end) + 1 or end
        body = text[start:end].encode("utf-8", "surrogatepass")
        yield make_chunk(start, end - start, line, TEXT, body)
        line += text.count("\n", start, end)
        start = end


def pack_value(value: Json) -> Iterator[Chunk]:
    """Turn any other value into the pieces of one JSON document."""
    document, form = encode(value)
    for start in range(0, len(document), CHUNK_BYTES):
        body = document[start : start + CHUNK_BYTES]
        yield make_chunk(start, len(body), 0, form, body)


def pack(body: Json) -> Iterator[Chunk]:
    """Turn a value of any shape into chunks."""
    if isinstance(body, list):
        return pack_rows(body)
    return pack_text(body) if isinstance(body, str) else pack_value(body)


def count(body: Json) -> dict[str, Json]:
    r"""Return the number of rows of a list, or of lines and characters of a text.

    Lines are those that reading a file gives: each ends at `\n`, the last perhaps without.

    Example:
        >>> count([1, 2]), count("a\nb"), count({"a": 1})
        ({'rows': 2}, {'lines': 2, 'characters': 3}, {})
    """
    if isinstance(body, list):
        return {"rows": len(body)}
    if isinstance(body, str):
        lines = body.count("\n") + (body[-1:] not in ("", "\n"))
        return {"lines": lines, "characters": len(body)}
    return {}


def read_rows(chunk: Chunk) -> list[Json]:
    """Return the rows of a chunk."""
    rows = decode(chunk.body, chunk.form)
    if not isinstance(rows, list) or len(rows) != chunk.length:
        raise DamagedError("other rows")
    return rows


def read_text(chunk: Chunk) -> str:
    """Return the characters of a chunk."""
    try:
        text = chunk.body.decode("utf-8", "surrogatepass")
    except ValueError as error:
        raise DamagedError("no text") from error
    if chunk.form != TEXT or len(text) != chunk.length:
        raise DamagedError("other text")
    return text


def read_value(chunks: Iterable[Chunk]) -> Json:
    """Return the value whose document the chunks are."""
    kept = list(chunks)
    return decode(b"".join(chunk.body for chunk in kept), kept[0].form if kept else JSON)


class Digest:
    """SHA-256 of the canonical bytes of a result, whatever the chunks are.

    For rows and values that is compact JSON in UTF-8 (what orjson writes), for text its UTF-8.
    """

    def __init__(self, shape: Shape) -> None:
        self._hash = hashlib.sha256()
        self._is_list = shape == "rows"
        self._between = b"["

    def add(self, chunk: Chunk) -> None:
        """Take the next chunk."""
        if self._is_list:
            self._hash.update(self._between)
            self._between = b","
            self._hash.update(memoryview(chunk.body)[1:-1])
        else:
            self._hash.update(chunk.body)

    def hexdigest(self) -> str:
        """Return the digest of a result that has no more chunks."""
        end = self._hash.copy()
        if self._is_list:
            end.update(b"]" if self._between == b"," else b"[]")
        return end.hexdigest()


def pack_header(header: dict[str, Json]) -> bytes:
    """Write a header with its form and checksum in front."""
    body, form = encode(header)
    return b"%d %08x %s" % (form, zlib.crc32(body), body)


def read_header(packed: bytes) -> dict[str, Json]:
    """Read what `pack_header` wrote.

    Raises:
        DamagedError: it is something else.

    Example:
        >>> read_header(pack_header({"tool": "find_orders"}))
        {'tool': 'find_orders'}
    """
    if not isinstance(packed, bytes) or packed[:2] not in (b"0 ", b"1 ") or packed[10:11] != b" ":
        raise DamagedError("no header")
    body = packed[11:]
    if packed[2:10] != b"%08x" % zlib.crc32(body):
        raise DamagedError("checksum differs")
    header = decode(body, packed[0] - ord("0"))
    if not isinstance(header, dict):
        raise DamagedError("no header")
    return header
