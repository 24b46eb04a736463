"""What a type says is secret is hidden everywhere, whatever its name."""

from __future__ import annotations

import dataclasses
import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

import attrs
import pydantic
import pytest

from agent_tools import read_result, tool
from agent_tools.audiences import Secret

VALUE = "blue horse 41"


@dataclasses.dataclass
class Data:
    user: str
    hint: Annotated[str, Secret]


@dataclasses.dataclass
class DataRepr:
    user: str
    hint: str = dataclasses.field(repr=False)


@attrs.define
class Attrs:
    user: str
    hint: str = attrs.field(repr=False)


class Model(pydantic.BaseModel):
    user: str
    hint: str = pydantic.Field(repr=False)


class Typed(pydantic.BaseModel):
    user: str
    hint: pydantic.SecretStr


class Dumped(pydantic.BaseModel):
    user: str
    hint: Annotated[str, Secret()]

    @pydantic.model_serializer
    def dump(self) -> dict[str, Any]:
        return {"user": self.user, "hint": self.hint}


class Aliased(pydantic.BaseModel):
    user: str
    hint: pydantic.SecretStr = pydantic.Field(alias="secondWord")


class Row(NamedTuple):
    user: str
    hint: Annotated[str | None, Secret]


class Typing(TypedDict):
    user: str
    hint: Annotated[str, Secret]


def refuse(value: Any) -> Any:
    raise ValueError(f"{value!r} is too weak")


class Tree(TypedDict):
    hint: Annotated[str, Secret]
    children: list[Tree]


def everything(result: Any, home: Path) -> str:
    """Return all that may leave the process: views, repr, pickle, log and store."""
    parts = [result.to_prompt(), result.to_prompt("answer"), repr(result), repr(pickle.dumps(result))]
    files = [path for path in home.rglob("*") if path.is_file()]
    return "\n".join(
        [*parts, json.dumps(result.to_dict()), *map(repr, (path.read_bytes() for path in files))]
    )


RECORDS = [Data("ann", VALUE), DataRepr("ann", VALUE), Attrs("ann", VALUE), Row("ann", VALUE)]
RECORDS += [Model(user="ann", hint=VALUE), Typed(user="ann", hint=VALUE), Dumped(user="ann", hint=VALUE)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_marked_field_is_hidden_in_a_result(record: Any, home: Path) -> None:
    """Alone, in lists and in dicts, whole and cut."""
    value = {"one": record, "many": [record] * 400}
    result = tool(lambda: value, name="get_users", max_tokens=200)()

    assert VALUE not in everything(result, home)
    assert result.data["one"] == {"user": "ann", "hint": "***"}
    assert result.meta["redactions"] >= 1
    assert read_result(result.meta["result_id"], path="data.many", limit=1).data[0]["hint"] == "***"


@pytest.mark.parametrize("kind", [Data, DataRepr, Attrs, Model, Typed, Dumped, Row], ids=lambda k: k.__name__)
def test_a_marked_field_is_hidden_in_arguments(kind: type, home: Path, read_log: Any) -> None:
    """A direct call with a record, and a model's call with an object."""

    def find_orders(login: Any, page: int = 1) -> list[int]:
        return []

    find_orders.__annotations__["login"] = kind
    made = tool(find_orders)
    called = [made(kind(user="ann", hint=VALUE)), made.invoke({"login": {"user": "ann", "hint": VALUE}})]
    called.append(made.invoke({"login": {"user": "ann", "hint": VALUE}, "page": "x"}))

    assert [VALUE in everything(result, home) for result in called] == [False] * 3
    assert [row["arguments"]["login"] for row in read_log()] == [{"user": "ann", "hint": "***"}] * 3
    assert "$.login.hint" in read_log()[0]["redacted"]


def test_marks_of_typed_dicts_follow_the_return_annotation(home: Path) -> None:
    """An instance is a plain dict: the annotation says where it stands."""

    @tool
    def list_users() -> dict[str, list[Typing]]:
        return {"users": [{"user": "ann", "hint": VALUE}]}

    result = list_users()

    assert result.data == {"users": [{"user": "ann", "hint": "***"}]}
    assert VALUE not in everything(result, home)


@pytest.mark.parametrize("depth", [1, 12, 70])
def test_a_recursive_type_is_hidden_at_any_depth(depth: int) -> None:
    """Not all its places can be listed."""
    tree: Tree = {"hint": VALUE, "children": []}
    for _ in range(depth):
        tree = {"hint": VALUE, "children": [tree]}

    def get_tree() -> Tree:
        return tree

    assert VALUE not in tool(get_tree, max_tokens=None)().to_prompt()


def test_a_whole_result_and_the_rows_of_a_stream_can_be_secret() -> None:
    """`Annotated` on the return annotation itself, and inside an iterator's."""

    def get_hint() -> Annotated[str, Secret]:
        return VALUE

    def list_users() -> Iterator[Typing]:
        yield from ({"user": str(n), "hint": VALUE} for n in range(3000))

    assert tool(get_hint)().data == "***"
    streamed = tool(list_users)()
    assert VALUE not in streamed.to_prompt()
    assert read_result(streamed.meta["result_id"], offset=2999).data == [{"user": "2999", "hint": "***"}]


def test_an_alias_and_a_missing_value(read_log: Any) -> None:
    """What a model calls by its alias is hidden, too; null stays null."""

    def check(login: Aliased) -> Row:
        return Row("ann", None)

    result = tool(check, name="check")
    assert result.invoke({"login": {"user": "ann", "secondWord": VALUE}}).data == {
        "user": "ann",
        "hint": None,
    }
    assert read_log()[0]["arguments"]["login"] == {"user": "ann", "secondWord": "***"}


def test_a_validators_own_words_do_not_quote_a_secret(home: Path) -> None:
    """Neither the value nor the message that a validator made of it is told."""

    def find_orders(word: Annotated[str, pydantic.AfterValidator(refuse), Secret]) -> list[int]:
        return []

    result = tool(find_orders).invoke({"word": VALUE})

    assert VALUE not in everything(result, home)
    assert result.error.message == "expected another value, got a hidden value @ $.word"


def test_an_annotation_that_can_not_be_resolved_still_counts(home: Path) -> None:
    """A name that is missing at run time does not uncover the value."""

    def find_orders(word: Annotated[Missing, Secret]) -> list[int]:  # noqa: F821
        return []

    assert VALUE not in everything(tool(find_orders)(VALUE), home)
