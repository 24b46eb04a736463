"""Recognise data that hides in text: JSON, JSON lines, CSV, TSV, and binary content in base64.

A part of `budget`.

Only asked when a result is over its budget, so a small text is never turned into something else.
"""

from __future__ import annotations

import base64
import csv
import gc
import hashlib
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import cast

from agent_tools.result import Json

MIN_BLOB = 256
MIN_ROWS = 5
MAX_HEADER = 60
USUAL = 0.95  # of a column: the others are the odd ones
# a table of more characters costs more to read than a cut may take; its lines are shown as lines
MAX_TABLE = 1_500_000
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\r\n]+={0,2}\s*")
_TIME = re.compile(r"\d:\d\d")
_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,")
_MAGIC = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"RIFF", "image/webp"),
    (b"ID3", "audio/mpeg"),
    (b"\x7fELF", "application/x-executable"),
)


def read_blob(text: str) -> dict[str, Json] | None:
    """Return type, size in bytes and sha256 of binary content written as text, None for real text.

    A digest or an id is no blob: it is short. Prose is none: it has blanks.

    Example:
        >>> read_blob("a3f5" * 16) is None
        True
        >>> png = base64.b64encode(b"\\x89PNG" + bytes(range(256))).decode()
        >>> read_blob("data:image/png;base64," + png)["type"]
        'image/png'
    """
    if len(text) < MIN_BLOB or not text.isascii():
        return None
    head = _DATA_URI.match(text[:200])
    body = text[head.end() :] if head else text
    if not _is_base64(body):
        return None
    content = _decode(body)
    if content is None:
        return None
    kind = (head[1] if head else None) or next(
        (k for magic, k in _MAGIC if content.startswith(magic)), "binary"
    )
    return {"type": kind, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _is_base64(body: str) -> bool:
    head, tail = body[:1000], body[-1000:]
    if not _BASE64.fullmatch(head.rstrip("=")) or not _BASE64.fullmatch(tail):
        return False
    # letters alone are a word or a sequence, hex digits alone a digest: the alphabet has to be in use
    kinds = set(head)
    return len(kinds) >= 24 and any(map(str.isupper, kinds)) and any(map(str.islower, kinds))


def _decode(body: str) -> bytes | None:
    # splitting takes as long as decoding, and mostly there is nothing to split at
    compact = "".join(body.split()) if any(blank in body for blank in string.whitespace) else body
    compact = compact.rstrip("=").replace("-", "+").replace("_", "/")
    # of the last few characters of a text that was cut, Rust refuses what Python reads
    whole = len(compact) // 4 * 4
    try:
        rest = base64.b64decode(compact[whole:] + "=" * (-len(compact) % 4), validate=True)
        return _decoder()(compact[:whole]) + rest if "=" not in compact else None
    except ValueError:  # those of pydantic and of binascii are such
        return None


@lru_cache(maxsize=1)
def _decoder() -> Callable[[str], bytes]:
    """Return what decodes base64 in Rust: 0.6 ms per MB, a fifth of what binascii takes."""
    from pydantic_core import CoreConfig, SchemaValidator, core_schema  # a small result needs none

    validator = SchemaValidator(core_schema.bytes_schema(), CoreConfig(val_json_bytes="base64"))
    decode = cast("Callable[[str], bytes]", validator.validate_strings)
    # pydantic before 2.9 has no such setting
    return decode if decode("QUJD") == b"ABC" else partial(base64.b64decode, validate=True)


def read_data(text: str) -> tuple[Json, str] | None:
    """Return the data that a text holds and the name of its form, None for other text.

    Cost: a look at the first lines; the whole is parsed only when these look right.

    Example:
        >>> read_data("id,city\\n" + "7,Rome\\n" * 6)[0][0]
        {'id': 7, 'city': 'Rome'}
        >>> read_data("Dear all,\\nno data here\\n" * 6) is None
        True
    """
    head = text[:2000].lstrip("\ufeff \t\r\n")
    if head[:1] in ("{", "["):
        return _read_json(text) or (_read_json_lines(text) if len(text) <= 2 * MAX_TABLE else None)
    return _read_csv(text) if len(text) <= MAX_TABLE else None


def _read_json(text: str) -> tuple[Json, str] | None:
    import orjson

    try:
        value = _parse(text.lstrip("\ufeff"))
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return None
    return (value, "JSON") if isinstance(value, dict | list) and value else None


def _parse(text: str) -> Json:
    """Parse JSON while no garbage is collected: looking for it takes as long again, and there is none yet.

    No other thread runs while orjson does.
    """
    import orjson

    is_on = gc.isenabled()
    gc.disable()
    try:
        value: Json = orjson.loads(text)
    finally:
        if is_on:
            gc.enable()
    return value


def _read_json_lines(text: str) -> tuple[Json, str] | None:
    import orjson

    rows: list[Json] = []
    for line in text.lstrip("\ufeff").split("\n"):
        if not line or line.isspace():
            continue
        try:
            rows.append(orjson.loads(line))
        except (orjson.JSONDecodeError, UnicodeEncodeError):
            return None
    return (rows, "JSON lines") if len(rows) >= 2 else None


def _read_csv(text: str) -> tuple[Json, str] | None:
    lines = text[:20_000].split("\n")[:12]
    for sign, name in ((",", "CSV"), ("\t", "TSV"), (";", "CSV"), ("|", "CSV")):
        if lines[0].count(sign) and _looks_like_table(lines, sign):
            return _parse_csv(text, sign, name)
    return None


def _looks_like_table(lines: list[str], sign: str) -> bool:
    try:
        header, *rows = csv.reader(lines[:10], delimiter=sign)
    except (csv.Error, ValueError):
        return False
    names = [name.strip() for name in header]
    if len(names) < 2 or len(set(names)) != len(names) or not all(0 < len(n) <= MAX_HEADER for n in names):
        return False
    # a number or a time of day is no name: the line of a log begins "2026-10-20 10:31:07,815 - INFO"
    if any(name.replace(".", "", 1).lstrip("-").isdigit() or _TIME.search(name) for name in names):
        return False
    widths = Counter(len(row) for row in rows[:-1] if row)
    return bool(widths) and widths[len(names)] >= 0.9 * widths.total() and widths.total() >= MIN_ROWS - 1


def _parse_csv(text: str, sign: str, name: str) -> tuple[Json, str] | None:
    try:
        header, *rows = csv.reader(text.lstrip("\ufeff").splitlines(keepends=True), delimiter=sign)
    except (csv.Error, ValueError):
        return None
    width = len(header)
    if set(map(len, rows)) != {width}:
        rows = [row for row in rows if row]
        if sum(len(row) == width for row in rows) < 0.95 * len(rows):
            return None
        rows = [_padded(row, width) for row in rows]
    if len(rows) < MIN_ROWS:
        return None
    names = [column.strip() for column in header]
    columns = [_typed(cells) for cells in zip(*rows, strict=True)]
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)], name


def _padded(row: list[str], width: int) -> list[str]:
    if len(row) <= width:
        return row + [""] * (width - len(row))
    return [*row[: width - 1], " ".join(row[width - 1 :])]


def _typed(cells: Sequence[str]) -> Sequence[Json]:
    """Return numbers where nearly all of the column are, and they write back as they stand."""
    sample = [cell for cell in cells[:: max(1, len(cells) // 200)] if cell]
    for kind in (int, float):
        # "007" and "1e5" are written otherwise than they read: such a column stays text
        if not sample or sum(_reads_as(kind, cell) for cell in sample) < USUAL * len(sample):
            continue
        try:
            return list(map(kind, cells))
        except ValueError:
            read = [_read_cell(kind, cell) for cell in cells]
            if sum(type(cell) is str for cell in read) <= (1 - USUAL) * len(cells):
                return read
    return cells


def _read_cell(kind: type[int] | type[float], cell: str) -> Json:
    if not cell:
        return None
    # the odd one, "N/A" or "007", stays what it is
    return kind(cell) if _reads_as(kind, cell) else cell


def _reads_as(kind: type[int] | type[float], cell: str) -> bool:
    try:
        text = str(kind(cell))
    except ValueError:
        return False
    return cell == text or (kind is float and cell.rstrip("0").rstrip(".") == text.rstrip("0").rstrip("."))
