"""What every store is made of: ids, the backend that keeps bytes, and the errors a reader meets.

A result is a header and chunks. `agent_tools.stores.store.Store` turns values into chunks and back and is
the same for all; a `Backend` keeps them and is all that a new store has to write.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from agent_tools.errors import ErrorCode, NotFound, ToolError

ID_BYTES = 12
_ID = re.compile(r"r_[A-Za-z0-9_-]{16}")
# an unfinished result that nobody wrote to for so long belongs to a process that died
PENDING_S = 3600.0

# a list, so that what a copied context takes is gone in the original, too
_given_ids: ContextVar[list[str] | None] = ContextVar("agent_tools.given_result_ids", default=None)

Unit = Literal["start", "line"]


def new_result_id() -> str:
    """Return an id that nobody can guess: `r_` and 12 random bytes as 16 url-safe characters.

    Example:
        >>> len(new_result_id()), is_result_id(new_result_id())
        (18, True)
    """
    given = _given_ids.get()
    if given:
        return given.pop()
    return "r_" + base64.urlsafe_b64encode(os.urandom(ID_BYTES)).decode("ascii")


@contextmanager
def given_result_id(result_id: str) -> Iterator[None]:
    """Give the next result that is kept this id.

    Ids take 9 to 13 tokens: a call that is made again is cut alike only with the id of the first time.

    Example:
        >>> with given_result_id("r_AAAAAAAAAAAAAAAA"):
        ...     new_result_id(), new_result_id() == "r_AAAAAAAAAAAAAAAA"
        ('r_AAAAAAAAAAAAAAAA', False)
    """
    token = _given_ids.set([result_id])
    try:
        yield
    finally:
        _given_ids.reset(token)


def is_result_id(text: object) -> bool:
    """Say whether `text` has the form of an id; checked before any I/O.

    Example:
        >>> is_result_id("../../etc/passwd"), is_result_id("r_AAAAAAAAAAAAAAAA")
        (False, True)
    """
    return isinstance(text, str) and _ID.fullmatch(text) is not None


class Chunk(NamedTuple):
    """A run of rows, of characters or of bytes of a result.

    Attributes:
        start: Number of the first row (or character, or byte of a document).
        length: How many of them; never 0.
        line: For text, how many newlines stand before `start`; else 0.
        form: How `body` is written, one of `agent_tools.stores.chunks`.
        crc: CRC-32 of all of the above and the body.
        body: The bytes.
    """

    start: int
    length: int
    line: int
    form: int
    crc: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished result, as it is published.

    Attributes:
        result_id: Its id.
        scope: Hash of the scope that may read it.
        created_s, expires_s: Seconds since 1970.
        size_bytes: What it takes, for the quota.
        header: The packed header.
    """

    result_id: str
    scope: str
    created_s: float
    expires_s: float
    size_bytes: int
    header: bytes


class Backend(Protocol):
    """Keeps the headers and chunks of results; safe to use from many threads.

    Raises `ToolError` with code UNAVAILABLE when the keeping fails, DATA_LOSS when what was kept
    is damaged, and nothing else.
    """

    def append(self, result_id: str, chunks: Sequence[Chunk], *, first: bool) -> None:
        """Keep chunks of a result that no reader sees yet, all or none; `first` clears what the id had."""

    def publish(self, entry: Entry, chunks: Sequence[Chunk], *, first: bool) -> None:
        """Keep the last chunks and make the result readable, in one step."""

    def discard(self, result_id: str) -> None:
        """Drop what `append` kept."""

    def header(self, result_id: str, scope: str) -> bytes | None:
        """Return the packed header; None when unknown, unfinished, expired or of another scope."""

    def chunk(self, result_id: str, at: int, unit: Unit) -> Chunk | None:
        """Return the last chunk with `start <= at`, or the last one with `line < at`."""

    def sweep(self, quota_bytes: int) -> bool:
        """Remove some of what expired or is over the quota, oldest first; say whether more is left.

        The newest result stays. One call costs about 10 ms at most.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Let go of connections; the next use opens them again."""


class DamagedError(ValueError):
    """Stored bytes are not what was written; never leaves the stores."""


def unavailable(message: str) -> ToolError:
    """Return the error for a store that cannot be used now."""
    return ToolError(f"The result store {message}.", code=ErrorCode.UNAVAILABLE)


def dropped() -> ToolError:
    """Return the error for adding to a result that was cleaned away meanwhile, see `PENDING_S`."""
    return unavailable("dropped this result, to which nothing was added for too long")


def data_loss(result_id: str) -> ToolError:
    """Return the error for a result whose bytes are damaged."""
    return ToolError(
        f"The stored result {result_id!r} is damaged and cannot be read; call the tool again.",
        code=ErrorCode.DATA_LOSS,
    )


def not_found(result_id: object) -> NotFound:
    """Return the error for an id that is unknown, expired or of another scope: they look alike."""
    # an id that a model made up may be long
    shown = repr(result_id)[:60]
    return NotFound(f"There is no stored result {shown}; it may have expired. Call the tool again.")
