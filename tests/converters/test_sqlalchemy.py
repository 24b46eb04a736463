"""SQLAlchemy Core and ORM, sync and async, against a SQLite file and a PostgreSQL server."""

from __future__ import annotations

from decimal import Decimal

import pytest

sqlalchemy = pytest.importorskip("sqlalchemy")
from sqlalchemy import ForeignKey, Numeric, String, select, text, update  # noqa: E402
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship, selectinload  # noqa: E402


class Base(DeclarativeBase):
    """The tables of a small shop."""


class Customer(Base):
    """A customer and what they ordered."""

    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    orders: Mapped[list[Order]] = relationship(back_populates="customer")


class Order(Base):
    """An order with an exact total."""

    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    total: Mapped[Decimal] = mapped_column(Numeric(10, 2, asdecimal=True))
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"))
    customer: Mapped[Customer] = relationship(back_populates="orders")


def _fill(engine):
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Customer(id=1, name="Ada", orders=[Order(id=10, total=Decimal("19.90"), customer_id=1)]))
        session.commit()
    return engine


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request, tmp_path):
    """The shop in both databases."""
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").replace("postgresql:", "postgresql+psycopg:")
    engine = _fill(sqlalchemy.create_engine(url))
    yield engine
    engine.dispose()


# SQLite keeps a Numeric as a float and says so
pytestmark = pytest.mark.filterwarnings("ignore:Dialect sqlite")
TABLE = Order.__table__


def test_a_core_result_becomes_records(call, engine):
    """Read while the connection is open, the statement told with its placeholders."""
    with engine.connect() as db:
        result = call(lambda: db.execute(text("select id, 1 as n from orders where id = :id"), {"id": 10}))

    assert result.data == [{"id": 10, "n": 1}]
    assert result.meta["row_count"] == 1
    assert "select id, 1 as n from orders" in result.meta["sql"]


def test_money_stays_exact(call, engine):
    """A Decimal is text with its cents."""
    with engine.connect() as db:
        assert call(lambda: db.execute(select(TABLE.c.total))).data == [{"total": "19.90"}]


@pytest.mark.parametrize("kind", ["scalars", "mappings"])
def test_every_kind_of_result_is_read(call, engine, kind):
    """Scalars are values, mappings are records."""
    with engine.connect() as db:
        result = call(lambda: getattr(db.execute(select(TABLE.c.id)), kind)())

    assert result.data == ([10] if kind == "scalars" else [{"id": 10}])


def test_objects_of_the_orm_are_records(call, engine):
    """One entity a row is that entity; what is not loaded is not queried for."""
    with Session(engine) as session:
        rows = call(lambda: session.execute(select(Order))).data
        scalars = call(lambda: session.scalars(select(Order))).data

    assert rows == scalars == [{"id": 10, "total": "19.90", "customer_id": 1}]


def test_a_relationship_that_was_loaded_is_shown(call, engine):
    """Asked for by selectinload; the way back to the parent is left out."""
    with Session(engine) as session:
        result = call(lambda: session.scalars(select(Customer).options(selectinload(Customer.orders))))

    order = {"id": 10, "total": "19.90", "customer_id": 1}
    assert result.data == [{"id": 1, "name": "Ada", "orders": [order]}]
    assert "cut" not in result.meta


def test_a_query_of_the_orm_is_run(call, engine):
    """It is lazy until it is read."""
    with Session(engine) as session:
        assert call(lambda: session.query(Order.id).filter(Order.id == 10)).data == [{"id": 10}]


def test_a_result_without_rows_tells_how_many_changed(call, engine):
    """An update of Core."""
    with engine.connect() as db:
        result = call(lambda: db.execute(update(TABLE).values(total=1)), kind="action")

    assert result.data == {"row_count": 1}


def test_a_closed_result_says_what_to_return(call, engine):
    """The `with` block closed it before anybody read it."""
    with engine.connect() as db:
        closed = db.execute(select(TABLE.c.id))
        closed.close()

    error = call(lambda: closed).error

    assert (error.code, error.retryable) == ("INTERNAL", False)
    assert "could not be read" in error.message


def test_an_object_that_lost_its_session_says_what_to_do(call, engine):
    """After a commit its fields are expired, and without a session they can't be loaded."""
    with Session(engine) as session:
        order = session.get(Order, 10)
        session.commit()

    error = call(lambda: order).error

    assert error.code == "UNSERIALIZABLE_RESULT"
    assert "expire_on_commit=False" in error.message


def test_a_statement_that_was_not_run_is_refused(call):
    """A statement is no result."""
    assert "session.execute(statement)" in call(lambda: select(Order)).error.message


async def test_async_results_are_awaited(acall, tmp_path):
    """A streamed result of an async session, and a buffered one."""
    pytest.importorskip("aiosqlite")
    from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

    _fill(sqlalchemy.create_engine(f"sqlite:///{tmp_path / 'a.db'}"))
    engine = create_async_engine(f"sqlite+aiosqlite:///{tmp_path / 'a.db'}")
    async with AsyncSession(engine) as session:
        shown = [
            (await acall(lambda f=f: f(select(Order.id)))).data
            for f in (session.execute, session.stream, session.scalars, session.stream_scalars)
        ]
    await engine.dispose()

    assert shown == [[{"id": 10}], [{"id": 10}], [10], [10]]
