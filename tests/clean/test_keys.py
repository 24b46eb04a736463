"""Names of an object: other keys than text, and keys that would collide."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
from typing import Annotated

import numpy as np
import pytest

from agent_tools.audiences import visible_to
from agent_tools.errors import ToolError


class Headers(collections.UserDict):
    def items(self):
        return [("set-cookie", str(i)) for i in range(10_000)]


class Color(enum.Enum):
    RED = "red"


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int


@dataclasses.dataclass(frozen=True)
class Marked:
    plan_id: Annotated[int, visible_to("plan")]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (("EU", 2030), "EU|2030"),
        (("a", ("b", None)), "a|b|null"),
        (3, "3"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "true"),
        (dt.date(2031, 5, 1), "2031-05-01"),
        (decimal.Decimal("1.10"), "1.10"),
        (Color.RED, "red"),
        (b"name", "name"),
        (b"\xff", "/w=="),
        (np.int64(5), "5"),
        pytest.param(frozenset({"b", "a"}), "a|b", id="frozenset"),
        (Point(1, 2), '{"x": 1, "y": 2}'),
        ("\udc97key", "\ufffdkey"),
    ],
    ids=lambda v: ascii(v)[:20],
)
def test_a_key_becomes_readable_text(plain, key, name):
    """Every hashable value that has a form in JSON can be a key."""
    assert plain({key: 1}) == {name: 1}


def test_keys_that_collide_are_kept_apart(plain):
    """No value is lost, and the name that was text stays as it is."""
    assert plain({1: "a", "1": "b"}) == {"1#2": "a", "1": "b"}
    assert plain({"1": "b", 1: "a", "1#2": "c"}) == {"1": "b", "1#3": "a", "1#2": "c"}


def test_a_mapping_with_equal_names_keeps_all_values(plain):
    """Headers may repeat; ten thousand of one name cost no more than others."""
    data = plain(Headers())

    assert len(data) == 10_000
    assert list(data)[:2] == ["set-cookie", "set-cookie#2"]


def test_the_order_of_keys_is_kept(plain):
    """Converting a key does not move its entry."""
    assert list(plain({"z": 1, 5: 2, "a": 3})) == ["z", "5", "a"]


def test_no_name_comes_twice_in_the_text(plain):
    """The JSON text has each name once."""
    data = plain({1: 1, "1": 2, 1.5: 3, "1.5": 4, None: 5, "null": 6, False: 7, "false": 8})
    names: list[str] = []

    json.loads(json.dumps(data), object_pairs_hook=lambda pairs: names.extend(name for name, _ in pairs))

    assert len(names) == len(set(names)) == 8


@pytest.mark.parametrize("key", [object(), print, Marked(1)], ids=["object", "function", "marked record"])
def test_a_key_without_a_form_is_refused_by_its_type(plain, key):
    """The error names the place and the type, and no value."""
    with pytest.raises(ToolError, match=r"\$\.table.*: \w+ .*as a key") as caught:
        plain({"table": {key: 1}})

    assert caught.value.code == "UNSERIALIZABLE_RESULT"
    assert "0x" not in str(caught.value)
