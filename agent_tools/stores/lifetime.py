"""Close what is open before a fork and at exit.

A SQLite connection must not cross a fork, not even to be closed
(https://www.sqlite.org/howtocorrupt.html, 2.6), and a lock that another thread holds stays held in the
child for ever. So a fork takes every lock, closes every connection, and gives the locks back on both
sides; the next use opens a new connection.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import Protocol
from weakref import WeakSet


class Held(Protocol):
    """Something with a lock around a resource that `close` lets go of."""

    lock: threading.RLock

    def close(self) -> None:
        """Let go; the next use opens again."""


# taken before any lock of a store, by a fork and by whoever opens stores: one order, no deadlock
opening = threading.RLock()
_held: WeakSet[Held] = WeakSet()
_paused: list[Held] = []


def track(held: Held) -> None:
    """Close `held` before forks and at exit."""
    with opening:
        _held.add(held)


def _before_fork() -> None:
    opening.acquire()
    for held in list(_held):
        held.lock.acquire()
        _paused.append(held)
        held.close()


def _after_fork() -> None:
    while _paused:
        _paused.pop().lock.release()
    opening.release()


def _close_all() -> None:
    with opening:
        held = list(_held)
    for one in held:
        one.close()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
