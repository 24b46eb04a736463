"""Native results of other libraries as plain data, a file per family.

A converter is found by the name of a class along the value's MRO, so nothing is imported to look for it.
A name is `module.Class`, or `package.Class` for a class of any module of the package: the nearest class
with a row decides. What no row names, but behaves as a DB-API cursor, is read as one.

A converter of your own is a function under `@converter("package.Class")`, or an entry point in the group
`agent_tools.converters` whose name is the class and whose object is the function. It returns

- `Converted(value, meta)`. `value` is any value that a tool could return itself; an iterator in it is
  drained, bounded and closed by the library, and its rows are kept when it breaks off;
- an awaitable of one, for what has to be awaited; such a tool has to be called from async code;
- or it raises a `ToolError` when the native result reports a failure: its `data` and `meta` are kept.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, TypeVar

from agent_tools.errors import InvalidSetting


@dataclass(frozen=True, slots=True)
class Converted:
    """A native result as data, and what is known about it.

    Attributes:
        value: What is shown instead of the native result; iterators and async iterators are drained.
        meta: What else is known, added to the envelope's meta after redaction. A dict that is filled while
            `value` is drained counts as it is at the end.
        is_spent: The native result is used up (a cursor that was read and closed): code that asks for
            `result.value` gets the data instead.
        parts: All rows in lists of some thousand, where `value` holds only the first of them: for
            results too large to be made plain whole. `meta["total"]` says how many there are.
    """

    value: Any
    meta: Mapping[str, Any] = field(default_factory=dict)
    is_spent: bool = False
    parts: Callable[[], Iterator[Any]] | None = None


Converter = Callable[[Any], "Converted | Awaitable[Converted]"]
Own = TypeVar("Own", bound=Converter)

_DATABASE = "agent_tools.converters.database"
_SQLALCHEMY = "agent_tools.converters.sqlalchemy_results"
_HTTP = "agent_tools.converters.http"
_FILES = "agent_tools.converters.files"
_PROCESS = "agent_tools.converters.process"
_FRAMES = "agent_tools.converters.frames"
_RETRIEVAL = "agent_tools.converters.retrieval"

CONVERTERS: dict[str, str] = {
    # database
    "sqlite3.Cursor": f"{_DATABASE}:read_cursor",
    "psycopg.BaseCursor": f"{_DATABASE}:read_cursor",
    "duckdb.DuckDBPyRelation": f"{_DATABASE}:read_relation",
    "_duckdb.DuckDBPyRelation": f"{_DATABASE}:read_relation",
    "sqlalchemy.Result": f"{_SQLALCHEMY}:read_result",
    "sqlalchemy.FilterResult": f"{_SQLALCHEMY}:read_result",
    "sqlalchemy.ScalarResult": f"{_SQLALCHEMY}:read_result",
    "sqlalchemy.AsyncCommon": f"{_SQLALCHEMY}:read_async_result",
    "sqlalchemy.Query": f"{_SQLALCHEMY}:read_query",
    "sqlalchemy.Executable": f"{_SQLALCHEMY}:refuse_statement",
    # http
    "httpx.Response": f"{_HTTP}:read_httpx",
    "httpx2.Response": f"{_HTTP}:read_httpx",
    "requests.Response": f"{_HTTP}:read_requests",
    "aiohttp.ClientResponse": f"{_HTTP}:read_aiohttp",
    "http.client.HTTPResponse": f"{_HTTP}:read_urllib",
    "urllib3.BaseHTTPResponse": f"{_HTTP}:read_urllib",
    # files
    "pathlib.Path": f"{_FILES}:read_path",
    "_io._IOBase": f"{_FILES}:read_handle",
    "tempfile._TemporaryFileWrapper": f"{_FILES}:read_wrapped_handle",
    "tempfile.SpooledTemporaryFile": f"{_FILES}:read_handle",
    # processes
    "subprocess.CompletedProcess": f"{_PROCESS}:read_completed",
    "subprocess.Popen": f"{_PROCESS}:refuse_running",
    "asyncio.subprocess.Process": f"{_PROCESS}:refuse_running",
    # frames
    "pandas.DataFrame": f"{_FRAMES}:read_pandas",
    "pandas.Series": f"{_FRAMES}:read_pandas",
    "polars.DataFrame": f"{_FRAMES}:read_polars",
    "polars.Series": f"{_FRAMES}:read_polars",
    "polars.LazyFrame": f"{_FRAMES}:read_lazy",
    "pyarrow.Table": f"{_FRAMES}:read_arrow",
    "pyarrow.RecordBatch": f"{_FRAMES}:read_arrow",
    "pyarrow.ChunkedArray": f"{_FRAMES}:read_arrow",
    "pyarrow.Array": f"{_FRAMES}:read_arrow",
    "pyarrow.RecordBatchReader": f"{_FRAMES}:read_batches",
    "numpy.ndarray": f"{_FRAMES}:read_array",
    # retrieval; lists of these are told apart by `may_be_hits`
    "langchain_core.Document": f"{_RETRIEVAL}:read_hit",
    "llama_index.NodeWithScore": f"{_RETRIEVAL}:read_hit",
    "llama_index.BaseNode": f"{_RETRIEVAL}:read_hit",
    "haystack.Document": f"{_RETRIEVAL}:read_hit",
    "qdrant_client.ScoredPoint": f"{_RETRIEVAL}:read_hit",
    "elastic_transport.ApiResponse": f"{_RETRIEVAL}:read_elastic",
}

# Exceptions that carry a native result: what it adds to the meta and the data of the failure.
FAILURES: dict[str, str] = {
    "httpx.HTTPStatusError": f"{_HTTP}:describe_failure",
    "httpx2.HTTPStatusError": f"{_HTTP}:describe_failure",
    "requests.RequestException": f"{_HTTP}:describe_failure",
    "aiohttp.ClientResponseError": f"{_HTTP}:describe_failure",
    "urllib.error.HTTPError": f"{_HTTP}:describe_failure",
    "subprocess.CalledProcessError": f"{_PROCESS}:describe_failure",
}

CURSOR_METHODS = ("execute", "fetchone", "fetchmany", "fetchall", "close", "description")

_INSIDE = (_HTTP, _PROCESS, _RETRIEVAL)
# what the items of most lists are, and no hit of a search is
_NO_HITS = frozenset({dict, str, int, float, bool, type(None), list, bytes})

_own: dict[str, Converter] = {}


def converter(*names: str) -> Callable[[Own], Own]:
    """Register a converter for the classes of these names and their subclasses.

    It wins over the library's own row for the same class; the class need not be imported.

    Args:
        *names: `module.Class`, or `package.Class` for a class of any module of the package.

    Raises:
        InvalidSetting: a name without a package.

    Example:
        >>> @converter("decimal.Context")
        ... def read_context(context):
        ...     return Converted({"precision": context.prec}, {"source": "decimal"})
        >>> import decimal
        >>> find_converter(decimal.Context)(decimal.Context(prec=5)).value
        {'precision': 5}
    """
    for name in names:
        if not isinstance(name, str) or "." not in name:
            raise InvalidSetting(f"a converter is for 'package.Class', got {name!r}")

    def register(function: Own) -> Own:
        _own.update(dict.fromkeys(names, function))
        find_converter.cache_clear()
        return function

    return register


@lru_cache(maxsize=1024)
def find_converter(kind: type, inside: bool = False) -> Converter | None:
    """Return the converter of a class or of the nearest base that has one; None for other values.

    Args:
        kind: The class.
        inside: The value stands inside data: only responses, finished processes, hits and classes with a
            converter of one's own are converted there; cursors and open files are no part of data.

    Example:
        >>> import sqlite3
        >>> find_converter(sqlite3.Cursor).__name__, find_converter(int)
        ('read_cursor', None)
    """
    for base in kind.__mro__:
        for name in names_of(base):
            if (own := _own.get(name) or _entry_point(name)) is not None:
                return own
            if name in CONVERTERS and not (inside and not CONVERTERS[name].startswith(_INSIDE)):
                return _load(CONVERTERS[name])  # type: ignore[no-any-return]  # the table says what it is
    return _load(f"{_DATABASE}:read_cursor") if not inside and _is_cursor(kind) else None


@lru_cache(maxsize=256)
def find_failure_reader(kind: type) -> Callable[[Any], Converted] | None:
    """Return what reads the native result that exceptions of a class carry; None for other exceptions."""
    for base in kind.__mro__:
        for name in names_of(base):
            if name in FAILURES:
                return _load(FAILURES[name])  # type: ignore[no-any-return]  # as above
    return None


def may_be_hits(value: Any) -> bool:
    """Say in 0.1 us whether a list or dict may be the answer of a search, see `converters.retrieval`.

    Example:
        >>> may_be_hits([("text", 0.5)]), may_be_hits({"hits": {"hits": []}}), may_be_hits([{"id": 1}])
        (True, True, False)
    """
    if type(value) is dict:
        return "hits" in value or "distances" in value
    return type(value) is list and bool(value) and type(value[0]) not in _NO_HITS


def names_of(kind: type) -> tuple[str, str]:
    """Return the names of a class: with its module, and with its package only.

    Example:
        >>> import collections
        >>> names_of(collections.abc.Mapping)
        ('collections.abc.Mapping', 'collections.Mapping')
    """
    module = str(kind.__module__)
    return f"{module}.{kind.__qualname__}", f"{module.partition('.')[0]}.{kind.__name__}"


def _load(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(importlib.import_module(module), name)


def _entry_point(name: str) -> Converter | None:
    point = _entry_points().get(name)
    return None if point is None else point.load()


@cache
def _entry_points() -> dict[str, Any]:
    # importlib.metadata alone takes 20 ms, so not before a value needs a converter
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group="agent_tools.converters")}


def _is_cursor(kind: type) -> bool:
    """Say whether a class is a cursor of PEP 249 by what it can do; classes made up of proxies are none."""
    names = {name for base in kind.__mro__ for name in vars(base)}
    return names.issuperset(CURSOR_METHODS)


# what a converter may hand out to be drained
Rows = Iterator[Any] | AsyncIterator[Any]
