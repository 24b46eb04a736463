"""Files and folders: a path that a function returned is read, an open file is read and closed.

In:   a `Path` as the result itself (one inside data is its text), or an open file, text or binary.
Out:  text with its path and lines in meta; a binary file as type and size; a folder as its entries.
Raises: ToolError for what can't be read; OSError passes: missing and forbidden have codes of their own.
Cost: at most MAX_TEXT_BYTES are held. The lines of a larger file are counted in one pass, and pieces of it
      are read by seeking.
"""

from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import Any

from agent_tools.converters import Converted
from agent_tools.converters.text_encodings import decode, find_encoding, is_binary
from agent_tools.errors import ErrorCode, ToolError

MAX_TEXT_BYTES = 4_000_000
BLOCK_BYTES = 1_000_000
PIECE_BYTES = 100_000
PIECES = 5
SNIFFED_BYTES = 8_192
MAX_ENTRIES = 10_000
BINARY = "application/octet-stream"


def read_path(path: Path) -> Converted:
    """Read what a path leads to.

    Raises:
        ToolError: it is a device, a socket or a pipe.
        OSError: it does not exist, or may not be read.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        return _read_folder(path)
    if not stat.S_ISREG(mode):
        raise ToolError(
            f"{path} is no file but a device, socket or pipe; the tool has to return what it read from it",
            code=ErrorCode.FAILED_PRECONDITION,
        )
    with path.open("rb") as file:
        # not by the size that stat tells: it is 0 for files of /proc
        head = file.read(MAX_TEXT_BYTES + 1)
        if len(head) > MAX_TEXT_BYTES and not is_binary(head[:SNIFFED_BYTES]):
            return _read_large(path, file)
    return _read_small(path, head)


def _read_small(path: Path, content: bytes) -> Converted:
    meta: dict[str, Any] = {"file_path": str(path)}
    if is_binary(content[:SNIFFED_BYTES]):
        return Converted({"type": _type_of(path), "size_bytes": path.stat().st_size}, meta)
    text, warning = decode(content)
    if warning:
        meta["warnings"] = [warning]
    return Converted(text, meta | _lines(text))


def _lines(text: str) -> dict[str, int]:
    number = count_lines(text)
    return {"total_lines": number, "returned_lines": number}


def count_lines(text: str) -> int:
    r"""Return the number of lines; a last one need not end in a newline.

    Example:
        >>> count_lines("a\nb"), count_lines("a\nb\n"), count_lines("")
        (2, 2, 0)
    """
    return text.count("\n") + (not text.endswith("\n") and text != "")


def _type_of(path: Any) -> str:
    import mimetypes

    kind, packing = mimetypes.guess_type(str(path))
    return f"application/{packing}" if packing else kind or BINARY


# --- files that are not read whole


def _read_large(path: Path, file: Any) -> Converted:
    file.seek(0)
    encoding, warning = find_encoding(file.read(SNIFFED_BYTES))
    encoding = encoding.removesuffix("-sig")  # a piece from the middle has no mark
    newline = "\n".encode(encoding)
    newlines = _count_newlines(file, newline)
    size = file.tell()
    total = newlines[-1] + (not _ends_with(file, size, newline))
    width = len(newline)
    starts = [
        (size - PIECE_BYTES) * n // (PIECES - 1) // BLOCK_BYTES * BLOCK_BYTES for n in range(PIECES - 1)
    ]
    starts.append(max(0, (size - PIECE_BYTES) // width * width))
    pieces = [_piece(file, start, newlines, newline, encoding) for start in dict.fromkeys(starts)]
    returned = sum(count_lines(piece["text"]) for piece in pieces)
    meta = {
        "file_path": str(path),
        "total": total,
        "total_lines": total,
        "returned_lines": returned,
        "size_bytes": size,
        "truncated": True,
        "warnings": [
            f"The file has {size} bytes in {total} lines; only {returned} lines from {len(pieces)} places "
            "are here. The rest has to be read by a call for a part of it.",
            *([warning] if warning else []),
        ],
    }
    return Converted(pieces, meta)


def _count_newlines(file: Any, newline: bytes) -> list[int]:
    """Return how many newlines stand before each block, and in all; one pass, one block in memory."""
    file.seek(0)
    counts = [0]
    while block := file.read(BLOCK_BYTES):
        counts.append(counts[-1] + block.count(newline))
    return counts


def _ends_with(file: Any, size: int, newline: bytes) -> bool:
    file.seek(max(0, size - len(newline)))
    return bool(file.read() == newline)


def _piece(file: Any, start: int, newlines: list[int], newline: bytes, encoding: str) -> dict[str, str]:
    """Return whole lines from a place on, with their numbers."""
    block = start // BLOCK_BYTES
    file.seek(block * BLOCK_BYTES)
    before = file.read(start - block * BLOCK_BYTES).count(newline)
    content = file.read(PIECE_BYTES)
    first = newlines[block] + before + 1
    if start:
        # the line that begins before this place is not whole
        _, _, content = content.partition(newline)
        first += 1
    whole, cut, _ = content.rpartition(newline)
    text = _decode_piece(whole + cut or content, encoding).removeprefix("\ufeff")
    return {"lines": f"{first}-{first + count_lines(text) - 1}", "text": text}


def _decode_piece(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:  # the first bytes of the file did not tell
        return decode(content)[0]


# --- folders


def _read_folder(path: Path) -> Converted:
    entries: list[dict[str, object]] = []
    total = 0
    for entry in path.iterdir():
        total += 1
        if len(entries) < MAX_ENTRIES:
            entries.append(_entry(entry))
    entries.sort(key=lambda entry: str(entry["name"]))
    meta: dict[str, Any] = {"file_path": str(path)}
    if total > len(entries):
        meta |= {"total": total, "truncated": True}
    return Converted(entries, meta)


def _entry(path: Path) -> dict[str, object]:
    try:
        info = path.lstat()
    except OSError:  # gone meanwhile
        return {"name": path.name, "type": "unknown", "size_bytes": None}
    if stat.S_ISREG(info.st_mode):
        return {"name": path.name, "type": "file", "size_bytes": info.st_size}
    kinds = {stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return {"name": path.name, "type": kinds.get(stat.S_IFMT(info.st_mode), "special"), "size_bytes": None}


# --- open files


def read_handle(handle: Any) -> Converted:
    """Read an open file from where it stands, at most MAX_TEXT_BYTES, and close it.

    A buffer in memory keeps its position and stays open.

    Raises:
        ToolError: it is closed, or was opened for writing.
    """
    if isinstance(handle, io.BytesIO | io.StringIO) and not handle.closed:
        place = handle.tell()
        converted = _read_open(handle)
        handle.seek(place)
        return Converted(converted.value, converted.meta)
    try:
        return _read_open(handle)
    finally:
        handle.close()


def read_wrapped_handle(wrapper: Any) -> Converted:
    """Read a temporary file, which wraps an open one."""
    try:
        return _read_open(wrapper.file)
    finally:
        wrapper.close()


def _read_open(handle: Any) -> Converted:
    try:
        content = handle.read(MAX_TEXT_BYTES + 1)
    except UnicodeDecodeError:
        content = _read_below(handle)
    except io.UnsupportedOperation as error:
        raise _misused("opened for writing", "its path or its text") from error
    except ValueError as error:
        raise _misused("closed", "its text, its lines or its path") from error
    meta: dict[str, Any] = {}
    name = getattr(handle, "name", None)
    if isinstance(name, str):
        meta["file_path"] = name
    is_cut = content is not None and len(content) > MAX_TEXT_BYTES
    if isinstance(content, str):
        text, warning = content[:MAX_TEXT_BYTES], None
    else:
        content = (content or b"")[:MAX_TEXT_BYTES]
        if is_binary(content[:SNIFFED_BYTES]):
            return Converted(
                {"type": _type_of(name), "size_bytes": _size_of(handle, content, is_cut)}, meta, True
            )
        text, warning = decode(content)
    number = count_lines(text)
    meta |= {"total_lines": None if is_cut else number, "returned_lines": number}
    warnings = [warning] if warning else []
    if is_cut:
        meta["truncated"] = True
        warnings.append(f"Reading the open file stopped after {MAX_TEXT_BYTES} bytes; there is more.")
    if warnings:
        meta["warnings"] = warnings
    return Converted(text, meta, is_spent=True)


def _read_below(handle: Any) -> bytes:
    """Read the bytes of a text file that was opened with the wrong encoding."""
    buffer = handle.buffer
    buffer.seek(0)
    return buffer.read(MAX_TEXT_BYTES + 1)  # type: ignore[no-any-return]  # a binary file reads bytes


def _size_of(handle: Any, content: bytes, is_cut: bool) -> int | None:
    if not is_cut:
        return len(content)
    try:
        return int(handle.seek(0, io.SEEK_END))
    except (OSError, ValueError):
        return None


def _misused(how: str, instead: str) -> ToolError:
    return ToolError(
        f"the function returned a file that is {how}; it has to return {instead}",
        code=ErrorCode.INTERNAL,
        retryable=False,
    )
