"""Where whole results are kept when only a part fits the budget.

    open_store(url)  ->  Store           put, open_writer, header, rows, lines, text, value
                         backend         memory | sqlite | redis: keeps headers and chunks

A new store is one module with a `Backend` and one row below; a package of its own joins through an entry
point in the group `agent_tools.stores`, named by the scheme.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from agent_tools.context import home_folder
from agent_tools.errors import InvalidSetting
from agent_tools.stores.base import Backend, unavailable
from agent_tools.stores.lifetime import opening

if TYPE_CHECKING:
    from agent_tools.stores.store import Store

# scheme -> factory(url) -> Backend, imported at first use
SCHEMES: dict[str, str] = {
    "memory": "agent_tools.stores.memory:open_memory",
    "redis": "agent_tools.stores.redis:open_redis",
    "rediss": "agent_tools.stores.redis:open_redis",
    "sqlite": "agent_tools.stores.sqlite:open_sqlite",
    "unix": "agent_tools.stores.redis:open_redis",
}
ENTRY_POINTS = "agent_tools.stores"
FILE_NAME = "results.db"
# a process seldom has more than one; tests with a folder each would run out of file descriptors
MAX_OPEN = 8


class _Opened:
    """The open stores of the process, the latest last."""

    def __init__(self) -> None:
        self._stores: dict[str, Store] = {}

    def get(self, url: str, ttl_s: float, quota_bytes: int) -> Store:
        with opening:
            store = self._stores.pop(url, None) or _make(url, ttl_s, quota_bytes)
            self._stores[url] = store
            # the settings of now hold for a store that was opened before, too
            store.upkeep.ttl_s, store.upkeep.quota_bytes = ttl_s, quota_bytes
            if len(self._stores) > MAX_OPEN:
                self._close_oldest()
        return store

    def _close_oldest(self) -> None:
        # what is in memory would be lost
        for url in [url for url in self._stores if not url.startswith("memory")][:1]:
            self._stores.pop(url).close()


_opened = _Opened()


def open_store(url: str, *, ttl_s: float, quota_bytes: int) -> Store:
    """Return the store of a URL, one per process and URL; makes no file and no connection yet.

    Args:
        url: `sqlite` (`results.db` in the home folder), `sqlite:///relative.db`, `sqlite:////absolute.db`,
            `memory`, `redis://host:port/db`, `rediss://...`, `unix:///path`.
        ttl_s: Seconds a result can be read.
        quota_bytes: Size at which the oldest results go.

    Raises:
        InvalidSetting: an unknown scheme, a bad URL, or a package that is missing.
        ToolError: UNAVAILABLE when there is no home folder that can be written.

    Example:
        >>> store = open_store("memory", ttl_s=60, quota_bytes=10**6)
        >>> store is open_store("memory", ttl_s=60, quota_bytes=10**6)
        True
        >>> open_store("pg", ttl_s=60, quota_bytes=10**6)  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        agent_tools.errors.InvalidSetting: unknown store scheme 'pg'; known: memory, redis, ...
    """
    return _opened.get(_in_home() if url == "sqlite" else url, ttl_s, quota_bytes)


def check_url(url: str) -> None:
    """Make sure that a store's URL can be opened, without opening it.

    Raises:
        InvalidSetting: an unknown scheme, a bad URL, or a package that is missing.

    Example:
        >>> check_url("sqlite:///results.db")
    """
    if url != "sqlite":
        _find_factory(url.partition(":")[0])(url)


def _in_home() -> str:
    try:
        return f"sqlite:///{home_folder() / FILE_NAME}"
    except OSError as error:
        raise unavailable("has no home folder that can be written") from error


def _make(url: str, ttl_s: float, quota_bytes: int) -> Store:
    # here, not above: it loads orjson
    from agent_tools.stores.store import Store

    return Store(_find_factory(url.partition(":")[0])(url), ttl_s=ttl_s, quota_bytes=quota_bytes)


def _find_factory(scheme: str) -> Callable[[str], Backend]:
    if scheme in SCHEMES:
        return _import(scheme)
    from importlib.metadata import entry_points

    found = entry_points(group=ENTRY_POINTS)
    if scheme in found.names:
        return cast("Callable[[str], Backend]", found[scheme].load())
    known = ", ".join(sorted({*SCHEMES, *found.names}))
    raise InvalidSetting(f"unknown store scheme {scheme!r}; known: {known}")


def _import(scheme: str) -> Callable[[str], Backend]:
    module, _, name = SCHEMES[scheme].partition(":")
    try:
        return cast("Callable[[str], Backend]", getattr(importlib.import_module(module), name))
    except ModuleNotFoundError as error:
        raise InvalidSetting(
            f"the store {scheme!r} needs the package {error.name!r}; install agent-tools[{error.name}] or "
            "choose 'sqlite'"
        ) from error
