"""Values of any kind that a tool may return, drawn by hypothesis."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import attrs
import pydantic
import pytest
from hypothesis import strategies as st


class Color(enum.Enum):
    RED = 1
    BLUE = "blue"


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = None


class Model(pydantic.BaseModel):
    a: Any
    b: Any = None


@attrs.define
class Attrs:
    a: Any


class Pair(NamedTuple):
    left: Any
    right: Any


class Unspeakable:
    """Raises wherever it is looked at."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __str__(self) -> str:
        raise RuntimeError("no str")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __len__(self) -> int:
        raise RuntimeError("no length")

    __hash__ = object.__hash__


TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(st.characters(categories=["Cs", "Cc", "Lo", "So"]), max_size=20),
    st.sampled_from(
        [
            "",
            "   ",
            "null",
            "NaN",
            "[]",
            '{"a": [1, NaN]}',
            "Error: no such user",
            "<|endoftext|>",
            "\ud800",
            "a\x1b[31mred\x00",
            "=cmd|' /C calc'!A0",
            "| pipe |\n---",
            "yes",
            "2031-05-01",
            "x" * 5000,
            "word " * 2000,
            " " * 20_000,
            "漢字🙂" * 800,
            "line\n" * 1500,
            "A1b2+/" * 900,
            "i,name\n1,ann\n2,bob\n",
            "{" * 3000,
        ]
    ),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(2**63, 2**70),
    st.floats(),
    st.decimals(),
    st.complex_numbers(),
    st.fractions(),
    TEXTS,
    st.binary(max_size=40),
    st.dates(),
    st.datetimes(timezones=st.none() | st.just(datetime.UTC)),
    st.timedeltas(),
    st.times(),
    st.uuids(),
    st.sampled_from(
        [
            Color.RED,
            Color.BLUE,
            decimal.Decimal("sNaN"),
            fractions.Fraction(1, 3),
            pathlib.PurePosixPath("a/b"),
            uuid.UUID(int=7),
            object(),
            len,
            int,
            ValueError("bad"),
            range(5),
            b"x" * 5000,
            memoryview(b"abc"),
            float("inf"),
        ]
    ),
    # drawn by a call: hypothesis would write them down
    st.builds(Unspeakable),
    st.builds(lambda: 10**5000),
)
# not NaN: its hash is that of its place in memory, and draws would differ from run to run
HASHABLE = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.dates()
)


def _containers(inner: Any) -> Any:
    lists = st.lists(inner, max_size=6)
    return st.one_of(
        lists,
        lists.map(tuple),
        lists.map(collections.deque),
        st.builds(lambda rows, n: rows * n, lists, st.integers(1, 60)),
        st.sets(HASHABLE, max_size=5),
        st.frozensets(HASHABLE, max_size=5),
        st.dictionaries(HASHABLE, inner, max_size=5),
        st.dictionaries(
            st.sampled_from(["a", "A", "items", "error", "status", "next_cursor", "total"]), inner, max_size=4
        ),
        st.builds(Point, inner, inner),
        st.builds(Model, a=inner, b=inner),
        st.builds(Attrs, inner),
        st.builds(Pair, inner, inner),
    )


VALUES = st.recursive(LEAVES, _containers, max_leaves=12)


@pytest.fixture(scope="session")
def values() -> Any:
    """Draw any value; a generator is made from `rows` by the test."""
    return VALUES


@pytest.fixture
def settle() -> Callable[[Any], str]:
    """Write down a value so that a change of it shows; objects count by identity."""

    def write(value: Any, depth: int = 0) -> str:
        if depth > 50:
            return "..."
        if isinstance(value, dict):
            return "{" + ",".join(f"{id(k)}:{write(v, depth + 1)}" for k, v in value.items()) + "}"
        if isinstance(value, (list, tuple, collections.deque)):
            return type(value).__name__ + "[" + ",".join(write(v, depth + 1) for v in value) + "]"
        if isinstance(value, (Point, Model, Attrs)):
            fields = value.__slots__ if isinstance(value, Attrs) else vars(value)
            return type(value).__name__ + write(
                [getattr(value, name) for name in fields if name != "__weakref__"]
            )
        return f"{type(value).__name__}@{id(value)}"

    return write
