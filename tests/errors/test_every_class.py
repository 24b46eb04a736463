"""Every exception class of every library at hand has a row of its own library."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Iterator

import pytest

from agent_tools.stages.error_codes import is_control_flow
from agent_tools.stages.error_kinds import kind_of, names_of
from agent_tools.stages.error_table import TYPES

MODULES = """
httpx httpx2 httpcore httpcore2 requests.exceptions urllib3.exceptions aiohttp
aiohttp.http_exceptions h11 urllib.error http.client json subprocess sqlite3 psycopg.errors
asyncpg.exceptions pymysql.err sqlalchemy.exc sqlalchemy.orm.exc redis.exceptions pymongo.errors
bson.errors gridfs.errors botocore.exceptions grpc openai anthropic pydantic.errors pydantic_core
jsonschema.exceptions pydantic_ai.exceptions langchain_core.exceptions starlette.exceptions
websockets.exceptions langgraph.errors tenacity anyio dns.exception dns.resolver concurrent.futures
zipfile tarfile _duckdb poplib playwright._impl._errors jmespath.exceptions
"""


def _classes(module: str) -> Iterator[type[BaseException]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loaded = pytest.importorskip(module)
        values = list(vars(loaded).values())
    root = module.partition(".")[0]
    for value in values:
        if not isinstance(value, type) or issubclass(value, Warning | ExceptionGroup):
            continue
        if issubclass(value, Exception) and value.__module__.partition(".")[0] == root:
            yield value


@pytest.mark.parametrize("module", MODULES.split())
def test_every_class_of_a_library_has_a_row(module: str) -> None:
    """None of them falls back to the built-in class that it happens to derive from."""
    classes = list(_classes(module))

    forgotten = [
        cls.__qualname__
        for cls in classes
        if kind_of(cls).library is None and not is_control_flow(cls.__new__(cls))
    ]

    assert classes
    assert forgotten == []


def test_every_builtin_exception_has_a_row() -> None:
    """Each is a listed class or one whose listed parent means the same."""
    classes = [value for value in vars(builtins).values() if isinstance(value, type)]

    for cls in classes:
        if issubclass(cls, Exception) and not issubclass(cls, Warning | ExceptionGroup):
            known = next(name for name in names_of(cls) if name in TYPES)
            assert cls is Exception or known != "builtins.Exception", cls


def test_a_row_names_its_library_by_its_root_package() -> None:
    """Two parts, so that a module that moves inside its package is still found."""
    assert all(name.count(".") == 1 for name in TYPES)
