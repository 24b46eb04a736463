"""Exceptions of databases: SQLSTATE, SQLite and MySQL numbers, MongoDB codes and labels, Redis classes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_tools.stages.error_codes import Failure

Coder = Callable[..., Failure]
Raised = Callable[[Callable[[], object]], Exception]

# SQLSTATEs, code, retryable for an idempotent query, for an action
STATES = [
    ("40001 40P01 55P03", "ABORTED", True, True),
    ("40003 08007", "UNKNOWN", False, False),
    ("08000 08001 08003 08006 57P01 57P02 57P03 57P05", "UNAVAILABLE", True, True),
    ("08004 25006 23502 23503 23514 23P01 53400", "FAILED_PRECONDITION", False, False),
    ("08P01", "INTERNAL", False, False),
    ("53000 53200 53300", "RESOURCE_EXHAUSTED", True, True),
    ("53100", "RESOURCE_EXHAUSTED", False, False),
    ("57014", "DEADLINE_EXCEEDED", True, True),
    ("23505", "ALREADY_EXISTS", False, False),
    ("22001 22P02 42601 42P01 42703", "INVALID_ARGUMENT", False, False),
    ("42501", "PERMISSION_DENIED", False, False),
    ("28000 28P01", "UNAUTHENTICATED", False, False),
    ("3D000 3F000", "NOT_FOUND", False, False),
    ("XX000 XX001", "DATA_LOSS", False, False),
    ("0A000", "UNIMPLEMENTED", False, False),
]
ALL_STATES = [(state, *row) for states, *row in STATES for state in states.split()]


def _asyncpg_class(module: Any, state: str) -> Any:
    found = (
        cls
        for cls in vars(module).values()
        if isinstance(cls, type) and getattr(cls, "sqlstate", "") == state
    )
    return next(found)


@pytest.mark.parametrize(("state", "code", "query", "action"), ALL_STATES)
def test_a_postgres_error_goes_by_its_sqlstate(
    code_of: Coder, state: str, code: str, query: bool, action: bool
) -> None:
    """psycopg's and asyncpg's own classes of one SQLSTATE are the same failure."""
    psycopg = pytest.importorskip("psycopg.errors")
    asyncpg = pytest.importorskip("asyncpg.exceptions")
    errors = [psycopg.lookup(state)("x"), _asyncpg_class(asyncpg, state)("x")]

    for error in errors:
        asked, done = code_of(error), code_of(error, kind="action")
        assert (asked.error.code, asked.error.retryable, asked.error.sub_code) == (code, query, state)
        assert done.error.retryable == action


def test_a_connection_lost_in_a_commit_is_in_doubt(code_of: Coder, raised: Raised) -> None:
    """Nobody knows whether a commit that was cut off went through."""
    shutdown = pytest.importorskip("psycopg.errors").AdminShutdown

    def commit() -> None:
        raise shutdown("terminating connection")

    failure = code_of(raised(commit), kind="action")

    assert (failure.error.outcome, failure.error.retryable) == ("unknown", False)
    assert failure.error.recovery == "check_first"


def test_a_driver_error_does_not_show_the_row(code_of: Coder) -> None:
    """PostgreSQL's DETAIL repeats the values of the row, so only the first line is shown."""
    error = pytest.importorskip("psycopg.errors").UniqueViolation(
        "duplicate key value violates unique constraint\n"
        "DETAIL:  Key (email)=(ann@example.com) already exists."
    )

    message = code_of(error).error.message

    assert message == "UniqueViolation: duplicate key value violates unique constraint"


@pytest.mark.parametrize(
    ("numbers", "code", "query", "action"),
    [
        ("1213 1205 3572", "ABORTED", True, True),
        ("2006 2055 1927 4031 1053 2002 2003 2013", "UNAVAILABLE", True, None),
        ("1040 1203", "RESOURCE_EXHAUSTED", True, True),
        ("3024", "DEADLINE_EXCEEDED", True, True),
        ("1045", "UNAUTHENTICATED", False, False),
        ("1044 1142 1143 1227", "PERMISSION_DENIED", False, False),
        ("1062", "ALREADY_EXISTS", False, False),
        ("1049", "NOT_FOUND", False, False),
        ("1054 1064 1146", "INVALID_ARGUMENT", False, False),
        ("1048 1451 1452", "FAILED_PRECONDITION", False, False),
        ("1114 1021", "RESOURCE_EXHAUSTED", False, False),
    ],
)
def test_a_mysql_error_goes_by_its_number(
    code_of: Coder, numbers: str, code: str, query: bool, action: bool | None
) -> None:
    """The number decides, since pymysql files an unknown one under OperationalError."""
    err = pytest.importorskip("pymysql.err")
    for number in map(int, numbers.split()):
        error = err.error_map.get(number, err.OperationalError)(
            number, "Duplicate entry 'a@b.c' for key 'email'"
        )

        asked, done = code_of(error), code_of(error, kind="action")

        assert (asked.error.code, asked.error.retryable, asked.error.sub_code) == (code, query, str(number))
        assert action is None or done.error.retryable == action
        assert "a@b.c" not in asked.error.message


def test_a_connection_lost_mid_query_is_in_doubt(code_of: Coder) -> None:
    """2013 may have been applied, 2006 was never sent."""
    err = pytest.importorskip("pymysql.err")

    outcomes = [code_of(err.OperationalError(n, "x"), kind="action").error.outcome for n in (2013, 2006)]

    assert outcomes == ["unknown", "not_applied"]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A SQLite file with one table and one row."""
    path = tmp_path / "orders.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table orders (id integer primary key, city text not null)")
        connection.execute("insert into orders values (1, 'Rome')")
    connection.close()
    return path


def _locked(path: Path) -> None:
    holder, other = sqlite3.connect(path), sqlite3.connect(path, timeout=0)
    try:
        holder.execute("begin exclusive")
        other.execute("insert into orders values (2, 'Oslo')")
    finally:
        other.close()
        holder.close()


def _full(path: Path) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.execute("pragma max_page_count = 2")
        connection.executemany("insert into orders (city) values (?)", [("x" * 1000,)] * 50)
    finally:
        connection.close()


def _run(sql: str) -> Callable[[Path], None]:
    def run(path: Path) -> None:
        connection = sqlite3.connect(path)
        try:
            connection.execute(sql)
        finally:
            connection.close()

    return run


def _broken(path: Path) -> None:
    path.write_bytes(b"this is no database, it is text " * 64)
    _run("select 1 from orders")(path)


@pytest.mark.parametrize(
    ("run", "code", "query", "action", "sub_code"),
    [
        (_locked, "UNAVAILABLE", True, True, "SQLITE_BUSY"),
        (_full, "RESOURCE_EXHAUSTED", False, False, "SQLITE_FULL"),
        (_run("select * from nowhere"), "INVALID_ARGUMENT", False, False, "SQLITE_ERROR"),
        (_run("selec 1"), "INVALID_ARGUMENT", False, False, "SQLITE_ERROR"),
        (
            _run("insert into orders values (1, 'Oslo')"),
            "FAILED_PRECONDITION",
            False,
            False,
            "SQLITE_CONSTRAINT_PRIMARYKEY",
        ),
        (
            _run("insert into orders values (2, null)"),
            "FAILED_PRECONDITION",
            False,
            False,
            "SQLITE_CONSTRAINT_NOTNULL",
        ),
        (_broken, "DATA_LOSS", False, False, "SQLITE_NOTADB"),
    ],
)
def test_a_real_sqlite_file_fails_with_a_code(
    code_of: Coder,
    raised: Raised,
    database: Path,
    run: Callable[[Path], None],
    code: str,
    query: bool,
    action: bool,
    sub_code: str,
) -> None:
    """A lock, a full disk, a missing table, a broken rule, a broken file: told apart by SQLite's own code."""
    error = raised(lambda: run(database))

    asked, done = code_of(error), code_of(error, kind="action")

    assert (asked.error.code, asked.error.sub_code) == (code, sub_code)
    assert (asked.error.retryable, done.error.retryable) == (query, action)


def test_sqlalchemy_errors_are_what_they_wrap(code_of: Coder, raised: Raised, database: Path) -> None:
    """The driver's exception decides; statement and parameters are never shown."""
    sqlalchemy = pytest.importorskip("sqlalchemy")
    engine = sqlalchemy.create_engine(f"sqlite:///{database}")
    statement = sqlalchemy.text("insert into orders values (1, :city)")

    def insert() -> None:
        with engine.begin() as connection:
            connection.execute(statement, {"city": "hunter3hunter3"})

    failure = code_of(raised(insert))
    engine.dispose()

    assert (failure.error.code, failure.error.sub_code) == (
        "FAILED_PRECONDITION",
        "SQLITE_CONSTRAINT_PRIMARYKEY",
    )
    assert failure.error.message == "IntegrityError: UNIQUE constraint failed: orders.id"


@pytest.mark.parametrize(
    ("name", "code", "query", "action"),
    [
        ("TimeoutError", "RESOURCE_EXHAUSTED", True, True),
        ("NoResultFound", "NOT_FOUND", False, False),
        ("PendingRollbackError", "FAILED_PRECONDITION", False, False),
        ("ArgumentError", "INTERNAL", False, False),
    ],
)
def test_sqlalchemys_own_errors_have_a_code(
    code_of: Coder, name: str, code: str, query: bool, action: bool
) -> None:
    """A full pool is busy, whatever its class is called."""
    error = getattr(pytest.importorskip("sqlalchemy.exc"), name)("x")

    assert (code_of(error).error.code, code_of(error).error.retryable) == (code, query)
    assert code_of(error, kind="action").error.retryable == action


def test_an_invalidated_connection_is_unavailable(code_of: Coder) -> None:
    """SQLAlchemy knows its drivers' disconnects."""
    exc = pytest.importorskip("sqlalchemy.exc")
    error = exc.DBAPIError("select 1", {}, Exception("gone"), connection_invalidated=True)

    assert (code_of(error).error.code, code_of(error).error.retryable) == ("UNAVAILABLE", True)


@pytest.mark.parametrize(
    ("name", "code", "query", "action"),
    [
        ("AuthenticationError", "UNAUTHENTICATED", False, False),
        ("AuthorizationError", "PERMISSION_DENIED", False, False),
        ("NoPermissionError", "PERMISSION_DENIED", False, False),
        ("MaxConnectionsError", "RESOURCE_EXHAUSTED", True, True),
        ("TimeoutError", "DEADLINE_EXCEEDED", True, False),
        ("ConnectionError", "UNAVAILABLE", True, False),
        ("BusyLoadingError", "UNAVAILABLE", True, True),
        ("ClusterDownError", "UNAVAILABLE", True, True),
        ("TryAgainError", "UNAVAILABLE", True, True),
        ("ReadOnlyError", "UNAVAILABLE", True, True),
        ("OutOfMemoryError", "RESOURCE_EXHAUSTED", False, False),
        ("LockError", "ABORTED", True, True),
        ("WatchError", "ABORTED", True, True),
        ("ResponseError", "INVALID_ARGUMENT", False, False),
    ],
)
def test_a_redis_error_has_its_code(code_of: Coder, name: str, code: str, query: bool, action: bool) -> None:
    """The most specific class counts: a wrong password is a ConnectionError to redis."""
    error = getattr(pytest.importorskip("redis.exceptions"), name)("x")

    assert (code_of(error).error.code, code_of(error).error.retryable) == (code, query)
    assert code_of(error, kind="action").error.retryable == action


MONGO: list[tuple[Callable[[Any], Exception], str, bool, bool]] = [
    *(
        (lambda m, n=number: m.OperationFailure("x", n), "UNAVAILABLE", True, False)
        for number in (6, 7, 89, 91, 134, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436)
    ),
    (lambda m: m.OperationFailure("x", 18), "UNAUTHENTICATED", False, False),
    (lambda m: m.OperationFailure("x", 13), "PERMISSION_DENIED", False, False),
    (lambda m: m.ExecutionTimeout("x", 50), "DEADLINE_EXCEEDED", True, False),
    (lambda m: m.DuplicateKeyError("x", 11000), "ALREADY_EXISTS", False, False),
    (lambda m: m.BulkWriteError({"writeErrors": [{"code": 11000}]}), "ALREADY_EXISTS", False, False),
    (lambda m: m.PyMongoError("x", ["TransientTransactionError"]), "ABORTED", True, True),
    (lambda m: m.AutoReconnect("x", {"errorLabels": ["RetryableWriteError"]}), "ABORTED", True, True),
    (lambda m: m.AutoReconnect("x"), "UNAVAILABLE", True, False),
    (lambda m: m.ServerSelectionTimeoutError("x"), "UNAVAILABLE", True, True),
    (lambda m: m.NetworkTimeout("x"), "DEADLINE_EXCEEDED", True, False),
]


@pytest.mark.parametrize(("make", "code", "query", "action"), MONGO, ids=range(len(MONGO)))
def test_a_mongodb_error_has_its_code(
    code_of: Coder, make: Callable[[Any], Exception], code: str, query: bool, action: bool
) -> None:
    """Labels say what is safe to repeat, then numbers, then classes."""
    error = make(pytest.importorskip("pymongo.errors"))

    assert (code_of(error).error.code, code_of(error).error.retryable) == (code, query)
    assert code_of(error, kind="action").error.retryable == action


def test_a_driver_without_rows_is_known_by_the_names_of_the_standard(code_of: Coder) -> None:
    """PEP 249 names the classes, so a driver nobody has heard of has codes."""
    base = type("Error", (Exception,), {"__module__": "newdb.errors"})
    database = type("DatabaseError", (base,), {"__module__": "newdb.errors"})
    broken = type("IntegrityError", (database,), {"__module__": "newdb.errors"})("x")
    syntax = type("ProgrammingError", (database,), {"__module__": "newdb.errors"})("x")

    assert code_of(broken).error.code == "FAILED_PRECONDITION"
    assert code_of(syntax).error.code == "INVALID_ARGUMENT"
