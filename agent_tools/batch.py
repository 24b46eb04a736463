"""Many items in one call: what worked and what failed, item by item."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from agent_tools.errors import ToolError

T = TypeVar("T")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Failed:
    """One item that failed: its place, its key and why."""

    index: int
    key: Any
    error: Exception


@dataclass(slots=True)
class _Item:
    """The item whose `with` block runs in this task or thread."""

    batch: Any
    index: int
    key: Any
    values: list[Any] = field(default_factory=list)
    error: Exception | None = None


_ITEM: ContextVar[_Item | None] = ContextVar("agent_tools_batch_item", default=None)


class Batch(Generic[T]):
    """Collect the outcomes of many items, and return it from a tool.

    None failed: a success with the values. Some failed: partial, `meta.failed` names each with its index,
    key, code, message and retryable. All failed: an error. No items: empty.

    Attributes:
        values: What the items that worked gave, in order.
        failures: The items that failed.

    Example:
        >>> batch = Batch()
        >>> for text in ["1", "x", "3"]:
        ...     with batch.item(text):
        ...         batch.ok(int(text))
        >>> batch.values, [failed.key for failed in batch.failures], batch.total
        ([1, 3], ['x'], 3)
    """

    __slots__ = ("_lock", "failures", "total", "values")

    def __init__(self) -> None:
        self.values: list[T] = []
        self.failures: list[Failed] = []
        self.total = 0
        self._lock = threading.Lock()

    @classmethod
    def of(
        cls, items: Iterable[Item], function: Callable[[Item], T], *, key: Callable[[Item], Any] | None = None
    ) -> Batch[T]:
        """Apply a function to each item; an exception is that item's failure, the others go on.

        Args:
            items: What to go through.
            function: Called with one item.
            key: Names an item in `failed`; the item itself when None.

        Example:
            >>> Batch.of(["1", "x"], int).values
            [1]
        """
        batch = cls()
        for item in items:
            with batch.item(item if key is None else key(item)):
                batch.ok(function(item))
        return batch

    @contextmanager
    def item(self, key: Any = None) -> Iterator[None]:
        """Run one item in a `with` block: an exception in it is the item's failure and does not leave it.

        Items may run at the same time, in tasks or in threads.
        """
        item = _Item(self, self._next_index(), key)
        token = _ITEM.set(item)
        try:
            yield
        except Exception as error:  # noqa: BLE001 - it is kept, and mapped to a code when the call ends
            item.error = error
        finally:
            _ITEM.reset(token)
        if item.error is None:
            self.values += item.values
        else:
            self.failures.append(Failed(item.index, item.key, item.error))

    def ok(self, value: T) -> None:
        """Keep what an item gave; outside `item()` it counts as an item of its own."""
        item = self._own_item()
        if item is not None:
            item.values.append(value)
        else:
            self._next_index()
            self.values.append(value)

    def fail(self, error: Exception | str, *, key: Any = None, code: str | None = None) -> None:
        """Count an item that failed without raising; inside `item()` it is that one.

        Args:
            error: The exception, or a message.
            key: Names the item; None takes that of `item()`.
            code: A code for a message; None takes TOOL_REPORTED_ERROR.

        Example:
            >>> batch = Batch()
            >>> batch.fail("no such order", key="A1", code="NOT_FOUND")
            >>> batch.failures[0].error.code
            'NOT_FOUND'
        """
        kept = ToolError(error, code=code) if isinstance(error, str) else error
        item = self._own_item()
        if item is None:
            self.failures.append(Failed(self._next_index(), key, kept))
        else:
            item.error = kept
            item.key = item.key if key is None else key

    def _own_item(self) -> _Item | None:
        item = _ITEM.get()
        return item if item is not None and item.batch is self else None

    def _next_index(self) -> int:
        with self._lock:
            self.total += 1
            return self.total - 1
