"""Marks that only an annotation knows: instances of a TypedDict are plain dicts."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping
from typing import Annotated, Any, Generic, NamedTuple, NotRequired, Optional, TypeVar

import attrs
import pandas as pd
import pydantic
import pytest
from typing_extensions import TypedDict  # pydantic asks for it before Python 3.12

from agent_tools.audiences import marks_from_annotation, visible_to

T = TypeVar("T")
Plan = Annotated[str, visible_to("plan")]


class Line(TypedDict):
    sku: Plan


class Order(TypedDict):
    plan_id: NotRequired[Plan]
    lines: list[Line]


class Both(TypedDict):
    plan_id: Annotated[str, visible_to("plan", "answer")]


class Node(TypedDict):
    id: Plan
    children: list[Node]


class Free(TypedDict):
    children: list[Free]


@dataclasses.dataclass
class Box:
    order: Optional[Order]  # noqa: UP045 - the old spelling is to work, too


@attrs.define
class Crate:
    by_city: dict[str, Line]


class Model(pydantic.BaseModel):
    line: Line | None


class Page(pydantic.BaseModel, Generic[T]):
    rows: list[T]


@dataclasses.dataclass
class Batch(Generic[T]):
    first: T


class Pair(NamedTuple):
    left: Line


LINE = {"sku": ["plan"]}
ORDER = {(): {"plan_id": ["plan"]}, ("lines", "*"): LINE}


def _under(*steps: str) -> dict[tuple[str, ...], dict[str, list[str]]]:
    return {(*steps, *path): fields for path, fields in ORDER.items()}


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (Order, ORDER),
        (Order | None, ORDER),
        (Annotated[Order, "doc"], ORDER),
        (Awaitable[Order], ORDER),
        (list[Order], _under("*")),
        (Iterator[Order], _under("*")),
        (AsyncIterator[Order], _under("*")),
        (tuple[int, Order], _under("*")),
        (tuple[Order, ...], _under("*")),
        (dict[str, Order], _under("*")),
        (Mapping[str, list[Order]], _under("*", "*")),
        (Box, _under("order")),
        (Crate, {("by_city", "*"): LINE}),
        (Model, {("line",): LINE}),
        (Page[Line], {("rows", "*"): LINE}),
        (Batch[Line], {("first",): LINE}),
        (Pair, {("left",): LINE}),
        (list[Both] | list[Order], _under("*")),
        (Any, {}),
        (None, {}),
        (dict, {}),
        (int | str, {}),
        (pd.DataFrame, {}),
        (Free, {}),
    ],
    ids=str,
)
def test_an_annotation_tells_where_marked_records_stand(hint, expected):
    """Through unions, containers and fields; `*` is any index or key."""
    assert marks_from_annotation(hint) == expected


def test_a_recursive_type_is_followed_far_enough():
    """Data seldom nests deeper, and the walk ends."""
    marks = marks_from_annotation(Node)

    assert ("children", "*") * 20 in marks
    assert len(marks) < 5_000
