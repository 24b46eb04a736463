"""Plain data comes back as it is, and a tool's own objects are never changed."""

from __future__ import annotations

import copy
import datetime as dt
import types

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
