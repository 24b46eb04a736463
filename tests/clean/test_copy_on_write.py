"""Plain data comes back as it is, and a tool's own objects are never changed."""

from __future__ import annotations

import copy
import datetime as dt
import enum
import types
import uuid

import pytest

PLAIN = [
    None, True, 0, 10**30, 1.5, "", "text", "日本語", [], {}, [[], {}],
    {"rows": [{"id": 1, "name": "Ann", "amount": 0.5, "ok": None}] * 1},
]  # fmt: skip


@pytest.mark.parametrize("value", PLAIN, ids=lambda v: ascii(v)[:20])
def test_plain_data_comes_back_as_the_same_object(plain, notes, value):
    """Nothing is copied and nothing noted."""
    assert plain(value) is value
    assert notes(value) is None


def test_plain_parts_of_other_data_are_shared(plain):
    """Only the way to what changed is new."""
    data = {"at": dt.date(2031, 5, 1), "rows": [{"id": 1}], "deep": {"a": {"b": (1,)}, "c": {"d": [1]}}}

    result = plain(data)

    assert result["rows"] is data["rows"]
    assert result["deep"]["c"] is data["deep"]["c"]


@pytest.mark.parametrize(
    "value",
    [
        {"db": {"password": "x", "at": dt.date(2031, 5, 1)}, "list": [(1,), {2}], "none": {}},
        types.SimpleNamespace(a=[float("nan")], b={1: "x"}),
        [{"k": "\ud800"}, {("a", 1): [bytearray(b"x")]}],
    ],
    ids=["nested", "namespace", "repaired"],
)
def test_the_value_itself_is_never_changed(plain, value):
    """Whatever is replaced is replaced in a copy."""
    before = copy.deepcopy(value)

    plain(value)

    assert repr(value) == repr(before)


def test_a_frozen_mapping_works(plain):
    """Read-only views are read."""
    inner = {"a": (1,)}

    assert plain(types.MappingProxyType(inner)) == {"a": [1]}
    assert inner == {"a": (1,)}


class Color(enum.StrEnum):
    RED = "red"


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "odd",
    [
        {"id": 7, Name("rate"): 0.5},
        {"id": 7, Color.RED: 0.5, "rate": 0.5},
        {"id": Color.RED, "rate": 0.5},
        {"id": 7, "rate": float("nan")},
        {"id": 7, "rate": None},
        {"id": float("-inf"), "rate": 0.5},
        {"id": uuid.UUID(int=7), "rate": 0.5},
        {"id": (7,), "rate": 0.5},
        {"id": "\ud800", "rate": 0.5},
        {"id": 10**30, "rate": 1e308},
        {"id": {"n": (7,)}, "rate": 0.5},
    ],
    ids=ascii,
)
@pytest.mark.parametrize("wrap", [lambda rows: rows, lambda rows: {"items": [rows]}], ids=["bare", "inside"])
def test_one_odd_row_among_many_becomes_what_it_is_alone(plain, wrap, odd):
    """Many rows are looked at by columns, with the same outcome as one by one."""
    rows = [{"id": n, "rate": 1e308} for n in range(200)]

    found = repr(plain(wrap([*rows[:99], odd, *rows[99:]])))

    assert found == repr(wrap([*rows[:99], plain(odd), *rows[99:]]))


def test_many_rows_come_back_as_the_same_object(plain, notes):
    """Also with huge numbers, with null and with rows in rows."""
    rows = [{"id": n, "rate": 1e308, "to": {"city": "Rome", "zip": None if n % 3 else 7}} for n in range(200)]

    assert plain(rows) is rows
    assert notes(rows) is None
