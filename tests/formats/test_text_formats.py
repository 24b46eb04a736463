"""YAML, markdown and plain text."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.formats.yaml_text import _block, scalar

TEXTS = st.text(st.characters(blacklist_categories=["Cs"]))
CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
PLAIN = st.recursive(CELLS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20)
AMBIGUOUS = [
    *("no", "Yes", "on", "OFF", "y", "N", "true", "null", "~", "", " x", "x ", "=", "<<"),
    *("1_000", "0o17", "0x1F", "12:30:00", "2026-10-01", "1e5", ".inf", "NaN"),
    *("- a", "a: b", "a #b", "#a", "&a", "*a", "!a", "@a", "`a", "%a", "[a", "{a", "? a", "| x", "> x"),
    *("a\nb", "---", "...", "\x85", "a\u2028b", "\x7f", "\ufeffa", "it's", 'say "x"'),
]


@given(PLAIN)
def test_yaml_gives_back_the_value(value):
    """What PyYAML reads is what was rendered."""
    assert yaml.safe_load("\n".join(_block(value, 0))) == value


@pytest.mark.parametrize("text", AMBIGUOUS, ids=ascii)
def test_yaml_text_stays_text(text):
    """What another parser would read as a boolean, number, date or syntax is quoted."""
    assert yaml.safe_load(f"a: {scalar(text)}") == {"a": text}
    assert scalar(text).startswith('"') or text == "it's"


def test_yaml_key_of_any_length_reads_back():
    """A key too long for the simple form takes the explicit one."""
    value = {"k" * 2000: {"a": [1]}, "b": {"k " * 1000: 1}}

    assert yaml.safe_load("\n".join(_block(value, 0))) == value


def test_markdown_escapes_pipes_and_line_breaks(body):
    """Each record is one line of the table with as many cells as the header."""
    lines = body("markdown", [{"a": "x|y", "b": "1\n2"}, {"a": None, "c": {"k": "|"}}]).split("\n")

    assert lines == [
        "| a | b | c |",
        "| --- | --- | --- |",
        "| x\\|y | 1<br>2 |  |",
        '|  |  | {"k":"\\|"} |',
    ]


def test_markdown_object_is_a_list_of_its_keys(body):
    """One object reads as one line per key."""
    assert body("markdown", {"id": 7, "tags": ["a"]}) == '- id: 7\n- tags: ["a"]'


@pytest.mark.parametrize("name", ["markdown", "text"])
def test_text_stands_as_it_is(body, name):
    """A text is not escaped: it is no cell."""
    assert body(name, "# Title\n\na | b\n") == "# Title\n\na | b\n"


@pytest.mark.parametrize("name", ["csv", "markdown", "text"])
@pytest.mark.parametrize("data", [None, [], {}], ids=repr)
def test_nothing_has_no_body(render, name, data):
    """An empty value leaves only the line of JSON, whose status says what happened."""
    assert "\n" not in render(name, data)


def test_text_is_key_value_lines(body):
    """Nested objects are indented, records are apart by a blank line."""
    data = [{"id": 1, "to": {"city": "Rome"}, "log": "a\nb"}, {"id": 2, "tags": ["x", "y"]}]

    assert body("text", data) == "id: 1\nto:\n  city: Rome\nlog:\n  a\n  b\n\nid: 2\ntags: x, y"
