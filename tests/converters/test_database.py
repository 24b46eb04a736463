"""DB-API cursors as records: sqlite3 in a file, psycopg against a server, both read while they are open."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass

import pytest


@pytest.fixture
def shop(tmp_path):
    """A SQLite file with three orders."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("create table orders (id integer, city text, paid real)")
        db.executemany(
            "insert into orders values (?, ?, ?)", [(1, "Rome", 9.5), (2, "Oslo", None), (3, "Rome", 0)]
        )
    return path


def test_a_cursor_becomes_records(call, shop):
    """Rows by column name, counted; the code gets them too, since the cursor is closed."""

    def orders():
        return sqlite3.connect(shop).execute("select id, paid from orders where city = ?", ("Rome",))

    result = call(orders)

    assert result.data == result.value == [{"id": 1, "paid": 9.5}, {"id": 3, "paid": 0.0}]
    assert result.meta["row_count"] == 2


def test_a_cursor_is_closed_after_it_was_read(call, shop):
    """Nothing is left open that would lock the file."""
    cursor = sqlite3.connect(shop).execute("select * from orders")

    call(lambda: cursor)

    with pytest.raises(sqlite3.ProgrammingError):
        cursor.fetchone()


@pytest.mark.parametrize("factory", [None, sqlite3.Row, lambda cursor, row: {"id": row[0]}])
def test_rows_of_any_factory_are_records(call, shop, factory):
    """Tuples, sqlite3.Row and dicts come out alike."""

    def ids():
        db = sqlite3.connect(shop)
        db.row_factory = factory
        return db.execute("select id from orders order by id limit 1")

    assert call(ids).data == [{"id": 1}]


def test_columns_of_the_same_name_are_kept_apart(call, shop):
    """A join has two columns `id`; none of them is lost."""
    rows = call(lambda: sqlite3.connect(shop).execute("select id, id + 10 as id from orders limit 1")).data

    assert rows == [{"id": 1, "id#2": 11}]


def test_no_rows_are_an_empty_result(call, shop):
    """A select that finds nothing is empty, not an error."""
    assert call(lambda: sqlite3.connect(shop).execute("select * from orders where id = 9")).status == "empty"


def test_a_statement_without_rows_tells_how_many_it_changed(call, shop):
    """An update has no columns, but a count."""
    result = call(lambda: sqlite3.connect(shop).execute("update orders set paid = 1"), kind="action")

    assert (result.status, result.data) == ("success", {"row_count": 3})


def test_a_statement_that_tells_no_number_was_executed(call, shop):
    """A table that is made changes no row, and a null would say that nothing is known."""
    made = call(lambda: sqlite3.connect(shop).execute("create table notes (id integer)"))

    assert (made.status, made.data) == ("success", {"executed": True})
    assert "warnings" not in made.meta


def test_a_cursor_of_a_closed_connection_says_what_to_return(call, shop):
    """Raised inside the wrapper, coded, not retryable."""

    def lazy():
        with closing(sqlite3.connect(shop)) as db:
            return db.execute("select * from orders")

    error = call(lazy).error

    assert (error.code, error.retryable) == ("INTERNAL", False)
    assert "could not be read" in error.message
    assert "fetchall()" in error.message


def test_a_cursor_that_fails_late_keeps_its_rows(call, shop):
    """An exception after k rows is partial with these rows and the error."""

    def broken():
        db = sqlite3.connect(shop)
        db.create_function("check_id", 1, lambda n: 1 // (600 - n))
        numbers = "with recursive n(i) as (select 1 union all select i + 1 from n limit 700)"
        return db.execute(f"{numbers} select check_id(i) as x from n")

    result = call(broken, max_tokens=None)

    assert result.status == "partial"
    assert len(result.data) == 500
    assert result.error.code == "INVALID_ARGUMENT"


def test_a_huge_cursor_is_read_up_to_the_limit(call, shop):
    """Only so many rows are fetched, and the result says that there are more."""
    sql = "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"

    result = call(lambda: sqlite3.connect(shop).execute(sql), max_rows=1000, max_tokens=None)

    assert (result.status, len(result.data)) == ("partial", 1000)
    assert "there are more" in result.meta["warnings"][0]


async def test_a_cursor_is_read_in_the_thread_that_made_it(acall, shop):
    """A sync function runs in a thread, and SQLite lets no other thread read its cursor."""
    result = await acall(lambda: sqlite3.connect(shop).execute("select count(*) as n from orders"))

    assert result.data == [{"n": 3}]


async def test_an_async_cursor_is_awaited(acall, shop):
    """aiosqlite has the methods of PEP 249, as coroutines."""
    aiosqlite = pytest.importorskip("aiosqlite")

    async def orders():
        async with aiosqlite.connect(shop) as db:
            cursor = await db.execute("select id from orders where id < 3")
            return await cursor.fetchall()

    async def lazy():
        async with aiosqlite.connect(shop) as db:
            return await db.execute("select id from orders")

    assert (await acall(orders)).status == "success"
    assert "could not be read" in (await acall(lazy)).error.message


# --- PostgreSQL


def test_psycopg_gives_records_and_the_statement_without_values(call, postgres):
    """Money stays exact as text; parameters stay out of meta."""
    import psycopg

    with psycopg.connect(postgres) as db:
        result = call(lambda: db.execute("select %s::numeric(10, 2) as total", ["19.90"]))

    assert result.data == [{"total": "19.90"}]
    assert result.meta["sql"] == "select $1::numeric(10, 2) as total"
    assert result.meta["row_count"] == 1


def test_a_closed_cursor_of_psycopg_is_no_update(call, postgres):
    """It has no columns any more, as a statement without rows."""
    psycopg = pytest.importorskip("psycopg")

    def closed():
        with psycopg.connect(postgres) as db, db.cursor() as cursor:
            return cursor.execute("select 1")

    error = call(closed).error

    assert error.code == "INTERNAL"
    assert "the cursor is closed" in error.message
    assert "fetchall()" in error.message


async def test_ranges_of_postgresql_are_objects(call, acall, postgres):
    """Of both drivers; one column of ranges must not cost the whole result."""
    psycopg, asyncpg = pytest.importorskip("psycopg"), pytest.importorskip("asyncpg")
    query = "select int4range(1, 5) as days"

    async def fetch():
        db = await asyncpg.connect(postgres)
        try:
            return await db.fetch(query)
        finally:
            await db.close()

    def execute():
        with psycopg.connect(postgres) as db:
            return db.execute(query).fetchone()

    days = {"lower": 1, "upper": 5, "bounds": "[)", "empty": False}
    assert (await acall(fetch)).data == [{"days": days}]
    assert call(execute).data == [days]


def test_psycopgs_row_factories_are_respected(call, postgres):
    """Dicts, dataclasses, named tuples and single values are what was asked for."""
    import psycopg.rows

    @dataclass
    class Order:
        id: int

    factories = [
        psycopg.rows.dict_row,
        psycopg.rows.namedtuple_row,
        psycopg.rows.class_row(Order),
        psycopg.rows.scalar_row,
    ]
    with psycopg.connect(postgres) as db:
        shown = [call(lambda f=f: db.cursor(row_factory=f).execute("select 7 as id")).data for f in factories]

    assert shown == [[{"id": 7}], [{"id": 7}], [{"id": 7}], [7]]


def test_values_in_the_text_of_a_client_cursor_are_not_told(call, postgres):
    """Such a cursor merges the parameters into the statement, so that is left out."""
    import psycopg

    with psycopg.connect(postgres, cursor_factory=psycopg.ClientCursor) as db:
        result = call(lambda: db.execute("select %s as code", ["hush"]))

    assert result.data == [{"code": "hush"}]
    assert "sql" not in result.meta


def test_a_generator_over_a_server_side_cursor_is_drained(call, postgres):
    """Rows come batch by batch inside the generator's own connection."""
    import psycopg

    def numbers():
        with psycopg.connect(postgres) as db, db.cursor("big") as cursor:
            cursor.execute("select i from generate_series(1, 2000) i")
            yield from ({"i": i} for (i,) in cursor)

    assert len(call(numbers, max_tokens=None).data) == 2000


def test_a_server_side_cursor_is_read_as_far_as_it_is_shown(call, postgres):
    """A billion rows on the server, a thousand here."""
    import psycopg

    with psycopg.connect(postgres) as db:
        cursor = db.cursor("endless").execute("select generate_series(1, 1000000000) as i")
        result = call(lambda: cursor, max_rows=1000, max_tokens=None)

    assert (result.status, len(result.data)) == ("partial", 1000)


def test_a_lost_connection_is_the_drivers_failure(call, postgres):
    """The code comes from the table of errors, as if the function had raised it."""
    import psycopg

    db = psycopg.connect(postgres)
    cursor = db.cursor("cut").execute("select generate_series(1, 1000000) as i")
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("select pg_terminate_backend(%s)", [db.info.backend_pid])

    error = call(lambda: cursor).error

    assert (error.code, error.retryable) == ("UNAVAILABLE", True)
    db.close()


async def test_psycopgs_async_cursor_is_read(acall, postgres):
    """Awaited by the library; the cursor is closed afterwards."""
    import psycopg

    async with await psycopg.AsyncConnection.connect(postgres) as db:
        cursor = await db.execute("select 1 as a union select 2 order by 1")

        async def rows():
            return cursor

        result = await acall(rows)

    assert result.data == [{"a": 1}, {"a": 2}]
    assert cursor.closed


def test_duckdbs_connection_stays_open(call):
    """It is its own cursor, and closing it would close the database; a relation is read alike."""
    duckdb = pytest.importorskip("duckdb")
    db = duckdb.connect()

    shown = [call(lambda f=f: f("select 7 as id")).data for f in (db.execute, db.sql)]

    assert shown == [[{"id": 7}]] * 2
    assert db.execute("select 1").fetchall() == [(1,)]


@pytest.mark.parametrize("inside", ["cursor", "file"])
def test_an_open_handle_is_no_part_of_data(call, shop, inside):
    """Inside data, a file is refused; a cursor is read."""
    value = sqlite3.connect(shop).execute("select 1 as a") if inside == "cursor" else shop.open("rb")

    result = call(lambda: {"it": value})

    if inside == "cursor":
        assert result.data == {"it": [{"a": 1}]}
    else:
        assert result.error.code == "UNSERIALIZABLE_RESULT"
        value.close()
