"""Read what a function returned: native results by their converter, iterators by draining them.

In:   the function's own return value, in the thread where the function ran: a cursor may be bound to it.
Out:  the value itself when it is data; `Native` or `Drained`; an awaitable of it for what must be awaited.
Raises: what a converter raises: a ToolError when the native result reports a failure.
Cost: a look-up by type in a cache; nothing for the builtin kinds of data.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from agent_tools.converters import Converted, find_converter
from agent_tools.errors import ErrorCode, ToolError
from agent_tools.result import ToolResult
from agent_tools.stages.error_codes import is_control_flow

# values of these types are what they seem: neither iterators nor somebody's native result
PLAIN_TYPES = frozenset({dict, list, tuple, str, int, float, bool, type(None), bytes, set, frozenset})

# rows of a spilled stream that are held at a time
BLOCK_ROWS = 1_000

NOT_ALL = "Only the first rows are here; the others were not kept, since this tool stores nothing."


class Read(Protocol):
    """Reads what a function returned; what takes long is handed over at the deadline."""

    def __call__(self, value: Any, handover: Handover | None = None, /) -> Any:
        """Return the value, or the `Native` or `Drained` that was read from it."""
        ...


class Spills(Protocol):
    """Takes the rows of a stream that are too many to hold, see `agent_tools.spilling`."""

    def add(self, rows: list[Any]) -> None:
        """Take a block of rows."""
        ...

    def end(self) -> None:
        """Take what was held back."""

    def abort(self) -> None:
        """Drop what was taken."""
        ...


class SpillFrom(Protocol):
    """From how many rows on a stream is spilled, and how."""

    @property
    def from_rows(self) -> int:
        """Rows that are held before."""
        ...

    def open(self) -> Spills:
        """Begin a spill."""
        ...


@dataclass(slots=True)
class Drained:
    """What came out of an iterator: the rows, whether that is all, and what broke it.

    With a `spill`, the rows went there and `rows` is empty.
    """

    rows: list[Any]
    is_complete: bool = True
    error: Exception | None = None
    spill: Spills | None = None


@dataclass(slots=True)
class Native:
    """A native result that was read.

    Attributes:
        data: The data, `Drained` where it came row by row.
        meta: What is known of it, not redacted yet.
        kept: What code gets as the call's value.
        error: What broke the reading of what an action returned; its effect has happened.
    """

    data: Any
    meta: Mapping[str, Any] = field(default_factory=dict)
    kept: Any = None
    error: Exception | None = None


def is_reported(error: BaseException) -> bool:
    """Say whether an error is what a native result reports, not a failure to show it."""
    return isinstance(error, ToolError) and error.code not in (
        ErrorCode.UNSERIALIZABLE_RESULT,
        ErrorCode.REDACTION_FAILED,
    )


def make_read(*, max_rows: int, is_action: bool, spilling: SpillFrom | None = None) -> Read:
    """Make the reader of a tool's return values.

    Args:
        max_rows: Most rows that are drawn from an iterator or cursor when nothing is spilled.
        spilling: How the rows of a long stream are kept; None when nothing may be stored.
        is_action: The tool changes something: when what it returned can't be read, it has still worked.

    Example:
        >>> read = make_read(max_rows=2, is_action=False)
        >>> read({"id": 1})
        {'id': 1}
        >>> read(iter("abc"))
        Drained(rows=['a', 'b'], is_complete=False, error=None, spill=None)
    """

    def read(value: Any, handover: Handover | None = None) -> Any:
        kind: type = type(value)
        if kind in PLAIN_TYPES or kind is Native or kind is Drained or isinstance(value, ToolResult):
            return value
        convert = find_converter(kind)
        if convert is None:
            if isinstance(value, AsyncIterator):
                return Later(value, lambda: drain_async(value, max_rows, spilling, handover))
            return drain(value, max_rows, spilling, handover) if isinstance(value, Iterator) else value
        try:
            converted = convert(value)
            if not isinstance(converted, Converted):
                return Later(converted, lambda: await_and_settle(converted, value, handover))
            return _settle(converted, value, max_rows, spilling, handover)
        except Exception as error:  # noqa: BLE001 - any library's own; it is raised again or kept
            return unread(error)

    async def await_and_settle(converted: Awaitable[Converted], value: Any, handover: Handover | None) -> Any:
        try:
            known = await converted
            if isinstance(known.value, AsyncIterator):
                return _native(known, value, await drain_async(known.value, max_rows, spilling, handover))
            return _settle(known, value, max_rows, spilling, handover)
        except Exception as error:  # noqa: BLE001 - as above
            return unread(error)

    def unread(error: Exception) -> Native:
        if is_action and not is_reported(error):
            return Native(None, error=error)
        raise error

    return read


class Later:
    """A native result that has to be awaited to be read; it is closed where nothing can await it."""

    __slots__ = ("_converted", "_read")

    def __init__(self, converted: object, read: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        self._converted = converted
        self._read = read

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._read().__await__()

    def close(self) -> None:
        """Give up the reading."""
        close = getattr(self._converted, "close", None)
        if close is not None:
            close()


def _settle(
    converted: Converted, value: Any, max_rows: int, spilling: SpillFrom | None, handover: Handover | None
) -> Native:
    data = converted.value
    if converted.parts is not None:
        return _settle_parts(converted, converted.parts, value, spilling)
    if not isinstance(data, Iterator):
        return _native(converted, value, data)
    if handover is not None:
        handover.finish = lambda taken: _native(converted, value, taken)
    return _native(converted, value, drain(data, max_rows, spilling, handover))


def _settle_parts(
    converted: Converted, parts: Callable[[], Iterator[Any]], value: Any, spilling: SpillFrom | None
) -> Native:
    """Keep all rows of a result too large to be made plain whole; show the first where nothing is kept."""
    if spilling is None:
        meta = {"truncated": True, "warnings": [NOT_ALL], **converted.meta}
        return Native(converted.value, meta, value)
    spill = spilling.open()
    try:
        for part in parts():
            spill.add(part)
        spill.end()
    except BaseException:
        spill.abort()
        raise
    return _native(converted, value, Drained([], spill=spill))


def _native(converted: Converted, value: Any, data: Any) -> Native:
    spent = data
    if isinstance(data, Drained):
        spent = data.rows if data.spill is None else None
    return Native(data, converted.meta, spent if converted.is_spent else value)


def refuse_awaitable(tool: str, value: Any) -> None:
    """Give up a value that has to be awaited where nothing can await it.

    Raises:
        ToolError: always, and it says how to call the tool.
    """
    close = getattr(value, "close", None) or getattr(value, "cancel", None)
    if close is not None:
        close()
    raise ToolError(
        f"{tool} returned an awaitable, and no event loop runs here; "
        f"call it from async code with `await {tool}.ainvoke(...)`",
        code=ErrorCode.INTERNAL,
    )


# --- rows that come one at a time


class Handover:
    """What the reader of a call with a deadline has taken, for who waits for it no longer.

    Args:
        late: Makes the error that the call ends with.

    Attributes:
        is_late: Whether the reading was interrupted because of the deadline.
        taking: The rows that are being read.
        finish: Makes of them what the reader would have returned.
    """

    __slots__ = ("finish", "is_late", "late", "taking")

    def __init__(self, late: Callable[[], ToolError]) -> None:
        self.late = late
        self.is_late: Callable[[], bool] = lambda: False
        self.taking: _Taking | None = None
        self.finish: Callable[[Drained], Any] = lambda taken: taken

    def take(self) -> Any:
        """Take over from a reader in another thread, which stops at its next row.

        Returns:
            What it has read so far, with the error; None when it has just come to its end.

        Raises:
            ToolError: it has read no row.
        """
        if self.taking is None:
            raise self.late()
        taken = self.taking.leave(self.late())
        return None if taken is None else self.finish(taken)


class _Taking:
    """Takes rows one at a time: holds them, spills them, or stops at `max_rows`."""

    __slots__ = ("_lock", "has_ended", "limit", "spilling", "taken")

    def __init__(self, max_rows: int, spilling: SpillFrom | None, handover: Handover | None) -> None:
        self.taken = Drained([])
        self.spilling = spilling
        self.limit = max_rows if spilling is None else spilling.from_rows
        self.has_ended = False
        self._lock = threading.Lock()  # between the reader and who takes over from it
        if handover is not None:
            handover.taking = self

    def is_full(self) -> bool:
        """Make place for one more row; say whether there is none."""
        with self._lock:
            if self.has_ended:
                return True
            if self.spilling is None:
                self.taken.is_complete = False
                return True
            self._spill(self.spilling)
            return False

    def end(self, failure: BaseException | None = None) -> Drained:
        """Return what was taken; `failure` is what broke the source.

        Raises:
            BaseException: the failure, when no row came before it or the call was ended from outside.
        """
        with self._lock:
            if self.has_ended:
                return self.taken
            self.has_ended = True
            return self._end(failure)

    def leave(self, failure: ToolError) -> Drained | None:
        """Return what was taken so far, None when that is all; the reader adds nothing to it any more."""
        with self._lock:
            if self.has_ended:
                return None
            self.has_ended, self.limit = True, 0
            self.taken = Drained(list(self.taken.rows), spill=self.taken.spill)
            return self._end(failure)

    def _end(self, failure: BaseException | None) -> Drained:
        taken = self.taken
        if failure is not None:
            self._broke(failure)
        if taken.spill is not None and self.spilling is not None:
            try:
                self._spill(self.spilling)
                taken.spill.end()
            except Exception as error:  # noqa: BLE001 - a row that can't be shown breaks the stream
                self._broke(error)
        return taken

    def _broke(self, error: BaseException) -> None:
        taken = self.taken
        # rows that came before are worth keeping
        if not isinstance(error, Exception) or is_control_flow(error) or not (taken.rows or taken.spill):
            self._abort()
            raise error
        taken.error, taken.is_complete = error, False

    def _abort(self) -> None:
        if self.taken.spill is not None:
            self.taken.spill.abort()

    def _spill(self, spilling: SpillFrom) -> None:
        taken = self.taken
        if taken.spill is None:
            taken.spill = spilling.open()
            self.limit = BLOCK_ROWS
        block, taken.rows = taken.rows, []
        taken.spill.add(block)


def drain(
    rows: Iterator[Any],
    max_rows: int,
    spilling: SpillFrom | None = None,
    handover: Handover | None = None,
) -> Drained:
    """Take the rows of an iterator and close it: what the library drained, it closes.

    At most `max_rows` are held; with `spilling` there is no end, and memory stays flat.
    """
    taking = _Taking(max_rows, spilling, handover)
    taken, failure = taking.taken, None
    try:
        for row in rows:
            if len(taken.rows) >= taking.limit and taking.is_full():
                break
            taken.rows.append(row)
    except BaseException as error:  # noqa: BLE001 - it is raised again or kept
        failure = error
    try:
        close = getattr(rows, "close", None)
        if close is not None:
            close()
    except Exception as error:  # noqa: BLE001 - the rows are there; what broke before says more
        failure = failure or error
    return taking.end(failure)


async def drain_async(
    rows: AsyncIterator[Any],
    max_rows: int,
    spilling: SpillFrom | None = None,
    handover: Handover | None = None,
) -> Drained:
    """Take the rows of an async iterator as `drain` does."""
    taking = _Taking(max_rows, spilling, handover)
    taken, failure = taking.taken, None
    try:
        async for row in rows:
            if len(taken.rows) >= taking.limit and taking.is_full():
                break
            taken.rows.append(row)
    except BaseException as error:  # noqa: BLE001 - as above
        # who cancels at the deadline takes a result, too
        failure = handover.late() if handover is not None and handover.is_late() else error
    try:
        close = getattr(rows, "aclose", None)
        if close is not None:
            await close()
    except Exception as error:  # noqa: BLE001 - as above
        failure = failure or error
    return taking.end(failure)
