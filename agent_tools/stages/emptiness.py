"""Decide whether a returned value holds anything: a part of `outcome`.

In:   a native value that is no mapping and no record: text, collection, frame, array, file, HTTP response.
Out:  whether it is empty.

Truthiness is never used, and no object of unknown kind is asked for its length: a lazy query would run,
a frame would raise. 0, False and NaN are values.
"""

from __future__ import annotations

import io
import os
from typing import cast

from agent_tools.foreign import peek
from agent_tools.stages.outcome_replies import is_blank, size_of, text_of


def is_empty_native(value: object) -> bool:
    """Say whether a value that is no mapping and no record is empty, by its kind.

    Example:
        >>> is_empty_native([]), is_empty_native(" "), is_empty_native(0)
        (True, True, False)
    """
    if value is None:
        return True
    text = text_of(value)
    if text is not None:
        return is_blank(text)
    size = size_of(value)
    if size is not None:
        return size == 0
    kind = type(value)
    if kind.__module__ == "builtins":
        return False
    if issubclass(kind, io.IOBase):
        return _is_read_out(value)
    return _is_empty_response(value) if response_status(value) is not None else _is_empty_frame(value)


# the modules whose `Response` keeps a body that was read under `_content`
HTTP_LIBRARIES = frozenset(("requests", "httpx", "httpx2"))


def response_status(value: object) -> int | None:
    """Return the HTTP status of a requests or httpx response, None for other values."""
    module = type(value).__module__
    if type(module) is not str or module.partition(".")[0] not in HTTP_LIBRARIES:
        return None
    status = peek(value, "status_code")
    return int(status) if type(status) is int else None


def response_body(value: object) -> bytes | None:
    """Return the body that a response has read already; reading a stream here would consume it."""
    fields = peek(value, "__dict__")
    body = fields.get("_content") if type(fields) is dict else None
    return body if type(body) is bytes else None


def _is_empty_response(value: object) -> bool:
    return response_status(value) == 204 or response_body(value) == b""


def _is_read_out(value: object) -> bool:
    """Say whether a file has nothing left to read; what cannot be asked without reading is not empty."""
    try:
        if isinstance(value, io.BytesIO):
            return value.tell() >= len(value.getbuffer())
        if isinstance(value, io.StringIO):
            return value.tell() >= len(value.getvalue())
        handle = cast("io.IOBase", value)
        return handle.seekable() and handle.tell() >= os.fstat(handle.fileno()).st_size
    except (OSError, ValueError, TypeError, AttributeError):
        return False


# frames and arrays that have a length and neither `empty` nor a shape
_SIZED_LIBRARIES = frozenset(("pyarrow", "awkward", "datasets"))


def row_count(value: object) -> int | None:
    """Return how many rows a collection, frame or array has; None for what is none of them.

    Example:
        >>> row_count([1, 2]), row_count("text")
        (2, None)
    """
    size = size_of(value)
    if size is not None or type(value).__module__ == "builtins":
        return size
    shape = peek(value, "shape")
    if issubclass(type(shape), tuple):
        first = next(iter(cast("tuple[object, ...]", shape)), None)
        return first if type(first) is int else None
    module = type(value).__module__
    if type(module) is str and module.partition(".")[0] in _SIZED_LIBRARIES:
        length = peek(value, "__len__")
        count = length() if callable(length) else None
        return count if type(count) is int else None
    return None


def _is_empty_frame(value: object) -> bool:
    """Ask frames and arrays by `.empty`, `.shape` and `.size`, in this order.

    A sparse matrix of zeros has the size 0 and a shape, so the shape is asked first. A `size` kept by the
    instance itself is a field (a file's bytes), not the number of elements.
    """
    if peek(value, "empty") is True or row_count(value) == 0:
        return True
    shape = peek(value, "shape")
    if issubclass(type(shape), tuple):
        return any(type(length) is int and length == 0 for length in cast("tuple[object, ...]", shape))
    own = peek(value, "__dict__")
    if type(own) is dict and "size" in own:
        return False
    size = peek(value, "size")
    return type(size) is int and size == 0
