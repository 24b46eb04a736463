"""Objects with named fields."""

from __future__ import annotations

import collections
import dataclasses
import sqlite3
import warnings
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar

import attrs
import pydantic
import pytest
import wrapt

from agent_tools.errors import ToolError
from agent_tools.stages.plain_data import register

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Item:
    name: str
    tags: tuple[str, ...] = ("a",)


@attrs.frozen
class Part:
    name: str
    item: Item


class Row(NamedTuple):
    count: int
    name: str


class Order(TypedDict):
    id: int


class Account(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    owner: str = pydantic.Field(alias="ownerName")
    password: pydantic.SecretStr
    internal: str = pydantic.Field(default="x", exclude=True)
    item: Item
    cents: int

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def euros(self) -> float:
        return self.cents / 100

    @pydantic.field_serializer("cents")
    def as_text(self, cents: int) -> str:
        return f"{cents} ct"


class Page(pydantic.BaseModel, Generic[T]):
    rows: list[T]


class Whole(pydantic.BaseModel):
    a: int

    @pydantic.model_serializer
    def ser(self) -> dict[str, Any]:
        return {"double": self.a * 2}


def test_records_of_all_kinds_become_objects(plain):
    """Field names and their order are kept; tuples are lists."""
    item = {"name": "n", "tags": ["a"]}

    assert plain(Item("n")) == item
    assert plain(Part("p", Item("n"))) == {"name": "p", "item": item}
    assert plain(Row(1, "n")) == {"count": 1, "name": "n"}
    assert plain(collections.namedtuple("Pair", "a b")(1, (2,))) == {"a": 1, "b": [2]}
    assert plain(Order(id=1)) == {"id": 1}


def test_a_pydantic_model_shows_what_its_author_shows(plain):
    """Own names instead of aliases, excluded fields left out, serializers and computed fields honoured."""
    account = Account(ownerName="Ann", password="hush", item=Item("n"), cents=250, extra=[1])

    assert plain(account) == {
        "owner": "Ann",
        "password": "***",
        "item": {"name": "n", "tags": ["a"]},
        "cents": "250 ct",
        "extra": [1],
        "euros": 2.5,
    }


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (Page[Item](rows=[Item("n")]), {"rows": [{"name": "n", "tags": ["a"]}]}),
        (pydantic.RootModel[list[int]]([1]), [1]),
        (Whole(a=2), {"double": 4}),
        (Page[int].model_construct(), {}),
    ],
    ids=["generic", "root", "serialized", "never set"],
)
def test_special_pydantic_models_work(plain, model, expected):
    """Generic, root and self-serializing models; a field that was never set is left out."""
    assert plain(model) == expected


def test_a_deprecated_field_warns_nobody(plain):
    """Showing a result is no use of a deprecated field."""

    class Old(pydantic.BaseModel):
        a: int = pydantic.Field(default=1, deprecated=True)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plain(Old()) == {"a": 1}


def test_a_pydantic_v1_model_works(plain):
    """Models of the old interface are records, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        v1 = pytest.importorskip("pydantic.v1")

    model = v1.create_model("Old", a=(int, ...), secret=(v1.SecretStr, ...))

    assert plain(model(a=1, secret="hush")) == {"a": 1, "secret": "***"}


def test_database_rows_keep_columns_of_the_same_name(plain):
    """A join may return `id` twice; both are shown."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("select 1 as id, 2 as id, 'n' as count").fetchall()
    connection.close()

    assert plain(rows) == [{"id": 1, "id#2": 2, "count": "n"}]


def test_rows_and_objects_of_sqlalchemy_are_objects(plain):
    """Also where a column is called like a method of tuples; relations are not followed."""
    sa = pytest.importorskip("sqlalchemy")
    orm = pytest.importorskip("sqlalchemy.orm")
    users = sa.Table("users", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True))
    user_class = type("User", (), {})
    orm.registry().map_imperatively(user_class, users)
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        rows = connection.execute(sa.text("select 1 as count, 2 as id")).fetchall()
    engine.dispose()

    assert plain(rows) == [{"count": 1, "id": 2}]
    assert plain([user_class(id=1)]) == [{"id": 1}]


def test_a_proxy_shows_what_it_stands_for(plain):
    """A wrapt proxy is transparent."""
    assert plain(wrapt.ObjectProxy({"a": (1,)})) == {"a": [1]}


def test_a_field_that_cannot_be_read_is_named(plain):
    """The error says where and of which type, and nothing of what the exception said."""

    class Lazy(pydantic.BaseModel):
        @pydantic.computed_field  # type: ignore[prop-decorator]
        @property
        def total(self) -> int:
            raise ValueError("content")

    with pytest.raises(ToolError, match=r"\$\.order\.total: Lazy \(reading it raised ValueError\)") as caught:
        plain({"order": Lazy()})

    assert caught.value.code == "UNSERIALIZABLE_RESULT"
    assert "content" not in str(caught.value)


def test_a_slot_that_was_never_filled_is_left_out(plain):
    """An unset field has no value that could be lost."""

    @dataclasses.dataclass(slots=True)
    class Open:
        a: int
        b: int = dataclasses.field(init=False)

    assert plain(Open(1)) == {"a": 1}


def test_a_type_of_ones_own_can_be_registered(plain):
    """A row by name is enough; it holds for subclasses and may return anything that is understood."""

    class Money:
        def __init__(self, cents: int) -> None:
            self.cents = cents

    class Fee(Money):
        pass

    with pytest.raises(ToolError, match="Money"):
        plain(Money(1))
    register(f"{__name__}.{Money.__qualname__}", lambda money: Row(money.cents, "ct"))

    assert plain([Fee(5)]) == [{"count": 5, "name": "ct"}]
