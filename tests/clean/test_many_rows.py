"""A row among many becomes what it becomes alone: many are read a column at a time."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import math
import sqlite3
import typing
import uuid
from collections.abc import Callable
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Annotated, Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tools import visible_to
from agent_tools.stages.plain_data import Notes, Refused, plain_data

MANY = 100


class Color(enum.Enum):
    RED = "red"
    NONE = None


class Name(str):
    __slots__ = ()


@dataclasses.dataclass
class Order:
    id: object
    at: object
    note: object = None


class Pair(typing.NamedTuple):
    id: object
    at: object
    note: object


class Model(pydantic.BaseModel):
    id: Any
    at: Any
    note: Any
    key: pydantic.SecretStr = pydantic.SecretStr("k")


class Root(pydantic.RootModel[Any]):
    pass


SHAPES: list[Callable[[Any, Any, Any], Any]] = [
    lambda a, b, c: {"id": a, "at": b, "note": c},
    lambda a, b, c: {"at": b, "id": a} if c is None else {"id": a, "at": b},
    lambda a, b, c: {"id": a, 1: b},
    lambda a, b, c: {Name("id"): a, "at": b},
    lambda a, b, c: {"\ud800": a, "at": b},
    lambda a, b, c: (a, b, c),
    lambda a, b, c: [a, b],
    lambda a, b, c: (),
    lambda a, b, c: {},
    lambda a, b, c: b,
    Order,
    Pair,
    lambda a, b, c: Model(id=a, at=b, note=c),
    lambda a, b, c: Root([("id", a), ("at", b)]),
    lambda a, b, c: Root({"id": a, "at": b}),
    lambda a, b, c: Root(["ab", "cd"]),
]
CELLS = st.sampled_from(
    [
        *(None, True, 7, -(2**63), 2**64, 2**20_000, 1.5, math.nan, math.inf, 1e308),
        *("Rome", "Köln", "half \ud83d", Name("x"), "", b"abc", [1], {"a": dt.date(2031, 5, 1)}),
        *(dt.datetime(2031, 5, 1, 10, tzinfo=dt.UTC), dt.date(2031, 5, 1), dt.time(10), dt.timedelta(1)),
        *(Decimal("1.10"), Decimal("NaN"), Decimal("sNaN"), uuid.UUID(int=7), Color.RED, Color.NONE),
        *(PurePosixPath("a/b"), 1 + 2j, pydantic.SecretStr("s"), object()),
    ]
)


def told(value: object) -> Any:
    """The data and what was noted, or the error."""
    try:
        data, notes = plain_data(value)
    except Refused as error:
        return str(error)
    notes = notes or Notes()
    # as text, to see the order of fields too
    return repr(data), notes.lossy.counts(), notes.hidden.counts(), notes.cut_entries(), notes.marks


@given(
    shape=st.sampled_from(SHAPES),
    usual=st.tuples(CELLS, CELLS, CELLS),
    odd=st.tuples(CELLS, CELLS, CELLS),
    at=st.integers(0, MANY - 1),
)
@settings(max_examples=400, deadline=None)
def test_a_row_among_many_becomes_what_it_becomes_alone(
    shape: Callable[..., Any], usual: Any, odd: Any, at: int
) -> None:
    """Of every shape, also where one is odd: the rows of an iterator are read one by one."""
    rows = [shape(*usual) for _ in range(MANY)]
    rows[at] = shape(*odd)

    assert told(rows) == told(iter(rows))


@pytest.mark.parametrize("shape", [dict, tuple], ids=["sqlite3.Row", "tuple"])
def test_rows_of_a_database_keep_names_that_come_twice(shape: type) -> None:
    """A join has two columns named id."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row if shape is dict else None
    query = "with recursive n(id) as (select 1 union all select id + 1 from n limit 100) select id, id from n"

    data, _ = plain_data(connection.execute(query).fetchall())

    assert data[99] == ({"id": 100, "id#2": 100} if shape is dict else [100, 100])


def test_marks_hold_for_many_records() -> None:
    """Fields for one reader only are noted, whichever way their record is read."""
    marked = dataclasses.make_dataclass(
        "Marked", [("id", int), ("plan", Annotated[dt.date, visible_to("plan")])]
    )

    _, notes = plain_data({"rows": [marked(n, dt.date(2031, 5, 1)) for n in range(MANY)]})

    assert notes is not None
    assert notes.marks == {("rows", "*"): {"plan": ["plan"]}}


def test_rows_that_need_no_change_are_shared() -> None:
    """Only the rows near one that changes are copied."""
    plain = [{"id": n} for n in range(1000)]

    data, _ = plain_data([*plain, *({"id": n, "at": dt.date(2031, 5, 1)} for n in range(1000))])

    assert all(made is row for made, row in zip(data, plain, strict=False))


def test_a_field_that_fails_is_named_with_its_row() -> None:
    """The code of a value's class may raise in the middle of a column."""

    class Failing(dt.date):
        def isoformat(self) -> str:
            raise ValueError

    rows = [{"at": dt.date(2031, 5, 1)} for _ in range(MANY)]
    rows[77] = {"at": Failing(2031, 5, 1)}

    with pytest.raises(Refused, match=r"\$\[77\]\.at: Failing"):
        plain_data(rows)


def test_many_rows_in_the_deepest_list_are_left_out() -> None:
    """A hundred levels are kept, however the last of them is read."""
    value: Any = [{"at": dt.date(2031, 5, 1)} for _ in range(MANY)]
    for _ in range(99):
        value = [value]

    data, notes = plain_data(value)

    assert notes is not None
    assert [entry["why"] for entry in notes.cut_entries()] == ["depth"]
    for _ in range(99):
        data = data[0]
    assert data == [None] * MANY
