"""JSON and tables: strict for every input, and nothing lost."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.errors import InvalidSetting
from agent_tools.formats import RENDERERS, get_renderer
from agent_tools.formats.compact_json import dumps

CELLS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
PLAIN = st.recursive(CELLS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def strict(text: str) -> object:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    text.encode()
    return json.loads(text, parse_constant=refuse)


@pytest.mark.parametrize("name", ["json", "auto", "table"])
@pytest.mark.parametrize(
    "value",
    [math.nan, [math.inf, -math.inf], 2**64, -(2**200), 10**5000, "\ud83d", "\ud83d\ude00", {"\udc00": 1}],
    ids=lambda value: ascii(value)[:20] if not isinstance(value, int) else "int",
)
def test_any_value_is_strict_json(render, name, value):
    """NaN, integers over 64 bits and half a surrogate pair still give a text that parses."""
    assert strict(render(name, {"x": [value, math.nan]}))["status"] == "success"


def test_depth_is_bounded():
    """A thousand levels do not overflow the stack."""
    value: object = 1
    for _ in range(1000):
        value = [value]

    assert strict(dumps(value))


def test_surrogate_halves_join_to_their_character():
    """Two halves that belong together are one character, a half alone is U+FFFD."""
    assert strict(dumps(["\ud83d\ude00", "a\ud83d"])) == ["😀", "a\ufffd"]


@given(PLAIN)
def test_json_loses_nothing(value):
    """What is parsed is what was rendered."""
    assert strict(dumps(value)) == value


@given(st.lists(st.fixed_dictionaries({"a": CELLS, "b": CELLS}), min_size=3, max_size=8))
def test_table_gives_back_the_records(rows):
    """Columns and rows rebuild the records, types and nulls included."""
    envelope = {"status": "success", "meta": {}, "error": None, "data": rows}

    table = strict(get_renderer("auto")(envelope))["data"]

    assert [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]] == rows


@pytest.mark.parametrize(
    "data",
    [
        [{"a": 1}, {"a": 2}],
        [{"a": 1}, {"a": 2}, {"b": 3}],
        [{"a": 1}, {"a": 2}, {}],
        [{"a": [1]}, {"a": [2]}, {"a": [3]}],
        [1, 2, 3],
        {"rows": [{"a": 1}] * 4},
    ],
    ids=["two", "other field", "missing field", "nested", "scalars", "inner list"],
)
def test_auto_leaves_everything_else_as_it_is(render, data):
    """Only three or more flat records that have the same fields become a table."""
    assert strict(render("auto", data))["data"] == data


def test_table_reaches_into_nested_lists(render):
    """The explicit format makes a table of every list of similar records."""
    data = {"total": 3, "items": [{"id": 1, "tags": ["x"]}, {"id": 2, "tags": []}, {"id": 3, "tags": []}]}

    shown = strict(render("table", data))["data"]

    assert shown == {"total": 3, "items": {"columns": ["id", "tags"], "rows": [[1, ["x"]], [2, []], [3, []]]}}


def test_no_character_is_escaped_that_need_not_be(render):
    """Text of other scripts stands as it is, a third of the tokens of its escapes."""
    assert "北京" in render("json", {"city": "北京"})


def test_unknown_format_names_the_known_ones():
    """A misspelt format says what there is."""
    with pytest.raises(InvalidSetting, match="unknown format 'xml'; known: auto, csv"):
        get_renderer("xml")


@pytest.mark.parametrize("name", RENDERERS)
@given(value=PLAIN)
def test_every_format_renders_everything(name, value):
    """No plain value makes a format raise, and the first line always parses."""
    text = get_renderer(name)({"status": "success", "meta": {}, "error": None, "data": value})

    assert strict(text.split("\n")[0])["status"] == "success"
