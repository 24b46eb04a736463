"""Properties that hold for arbitrary nested values of all kinds."""

from __future__ import annotations

import collections
import copy
import dataclasses
import decimal
import enum
import json
import pathlib
import string
import types
from typing import Any, NamedTuple

import numpy as np
import orjson
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_tools.stages.plain_data import plain_data


class Color(enum.Enum):
    RED = "red"
    HIGH = 3


class Row(NamedTuple):
    count: object
    name: object


@dataclasses.dataclass
class Item:
    name: object
    tags: object


TEXT = st.text(st.characters(), max_size=8)
# half of a surrogate pair is no text that JSON can hold as it is
WHOLE_TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
HASHABLE = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), TEXT, st.binary(max_size=8), st.uuids(), st.dates(),
    # a signalling NaN can't be hashed, and pandas can't show a frame with one
    st.decimals().filter(lambda d: not d.is_snan()), st.sampled_from(Color),
    st.builds(pathlib.PurePosixPath, st.text(string.ascii_letters)),
)  # fmt: skip
LEAVES = st.one_of(
    HASHABLE, st.datetimes(timezones=st.none() | st.timezones()), st.times(), st.timedeltas(),
    st.fractions(), st.complex_numbers(), st.integers(-(2**62), 2**62).map(np.int64),
    st.floats(width=32).map(np.float32),
    st.lists(st.floats(), max_size=3).map(np.array), st.just(pd.NaT), st.just(pd.NA), TEXT.map(ValueError),
    st.ip_addresses(), st.binary(min_size=257, max_size=300),
    st.just("\ud800"), st.binary(max_size=4).map(bytearray),
)  # fmt: skip
KEYS = HASHABLE | st.tuples(HASHABLE, HASHABLE) | st.frozensets(HASHABLE, max_size=2)


def _grow(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(children, max_size=4)
    return st.one_of(
        few, few.map(tuple), few.map(collections.deque), st.dictionaries(KEYS, children, max_size=4),
        st.sets(HASHABLE, max_size=4), st.builds(Row, children, children),
        st.builds(Item, children, children),
        st.builds(types.SimpleNamespace, a=children),
        few.map(lambda rows: pd.DataFrame({"a": pd.Series(rows, dtype=object)})),
        few.map(lambda rows: collections.ChainMap({"rows": rows})),
    )  # fmt: skip


VALUES = st.recursive(LEAVES, _grow, max_leaves=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WHOLE_TEXT,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(WHOLE_TEXT, children, max_size=4),
    max_leaves=20,
)


def _dump(value: object) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


@given(VALUES)
@settings(deadline=None)
def test_the_result_is_strict_json(value):
    """Every serialiser can write it, and what they wrote is UTF-8 with the same meaning."""
    data, _ = plain_data(value)

    text = _dump(data)

    assert json.loads(text.encode("utf-8")) == data
    if all(abs(n) < 2**63 for n in _integers(data)):
        assert orjson.loads(orjson.dumps(data)) == data


@given(VALUES)
@settings(deadline=None)
def test_the_result_is_the_same_each_time(value):
    """The same value gives the same text, also from a copy of it with other addresses."""
    first, _ = plain_data(value)
    second, _ = plain_data(copy.deepcopy(value))

    assert _dump(first) == _dump(second)


@given(VALUES)
@settings(deadline=None)
def test_the_value_is_not_changed(value):
    """Compared by its repr, which tells NaN from null; addresses would tell a replaced object, too."""
    before = repr(value)

    plain_data(value)

    assert repr(value) == before


@given(JSON)
@settings(deadline=None)
def test_plain_data_is_returned_as_it_is(value):
    """The same object, and no notes."""
    data, notes = plain_data(value)

    assert data is value
    assert notes is None or notes.total == 0


@given(VALUES)
@settings(deadline=None)
def test_a_result_is_final(value):
    """Plain data that goes through again does not change."""
    data, _ = plain_data(value)

    again, _ = plain_data(data)

    assert again is data


@given(st.lists(st.dictionaries(KEYS, st.integers(), max_size=6)))
@settings(deadline=None)
def test_no_entry_is_lost_through_its_key(tables):
    """As many names as keys, whatever the keys are."""
    data, _ = plain_data(tables)

    assert [len(row) for row in data] == [len(row) for row in tables]


def _integers(data: object) -> list[int]:
    if isinstance(data, dict):
        return [n for item in data.values() for n in _integers(item)]
    if isinstance(data, list):
        return [n for item in data for n in _integers(item)]
    return [data] if isinstance(data, int) else []


def test_a_decimal_and_a_float_differ():
    """An amount keeps its digits."""
    assert plain_data(decimal.Decimal("0.10"))[0] == "0.10"


def test_a_signalling_nan_is_null():
    """Like any other value that is no number."""
    data, notes = plain_data({"rate": decimal.Decimal("sNaN")})

    assert data == {"rate": None}
    assert notes.lossy.texts() == ["$.rate"]
