"""One line per record, whatever the record holds."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.calllog.json_lines import LINE_BYTES, to_line

SEPARATORS = ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
FORGED = '{"event":"tool_call","tool":"pay","status":"success"}'
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()) | st.integers(), inner),
    max_leaves=20,
)


def strict(line):
    def refuse(name):
        raise ValueError(name)

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize("separator", SEPARATORS, ids=ascii)
@pytest.mark.parametrize("field", ["tool", "call_id", "error_class", "prompt"])
def test_a_line_break_in_a_value_forges_no_record(field, separator):
    """Under both readers of lines there is one line, and the text comes back unchanged."""
    line = to_line({field: separator + FORGED, separator: 1})

    assert line.count(b"\n") == 1
    assert len(line.decode().splitlines()) == 1
    assert strict(line)[field] == separator + FORGED


@given(st.dictionaries(st.text(), anything))
def test_every_record_becomes_one_strict_line(record):
    """Surrogates, huge integers, NaN, bytes and odd keys included."""
    line = to_line(record)

    assert line.endswith(b"\n")
    assert len(line.decode("utf-8").splitlines()) == 1
    assert isinstance(strict(line), dict)


def test_an_emoji_split_in_halves_does_not_lose_the_record():
    """A lone surrogate becomes U+FFFD, a pair the character that it stands for."""
    line = to_line({"prompt": "half \ud83d", "whole": "\ud83d\udcca"})

    assert strict(line) == {"prompt": "half \ufffd", "whole": "\U0001f4ca"}


def test_integers_keep_their_digits():
    """What 64 bits can't hold is written as text, so that no reader rounds it."""
    assert strict(to_line({"id": 2**70, "small": 2**53 + 1})) == {"id": str(2**70), "small": 2**53 + 1}


def test_an_object_without_a_json_form_shows_its_type_only():
    """Its repr may hold what nobody has redacted."""

    class Session:
        def __repr__(self):
            raise RuntimeError("no")

    line = to_line({"session": Session(), "price": Decimal("1.10"), "raw": b"secret"})

    assert strict(line) == {"session": "<Session>", "price": "1.10", "raw": "<bytes of 6 bytes>"}


def test_a_cycle_ends():
    """A value that holds itself is cut where it starts again."""
    loop = {"a": 1}
    loop["self"] = loop

    assert strict(to_line({"loop": loop}))["loop"] == {"a": 1, "self": "<cycle>"}


def test_values_that_hold_one_another_do_not_unfold_without_end():
    """Thirty lists that each hold all others have more paths than can be written."""
    lists = [[] for _ in range(30)]
    for each in lists:
        each.extend(lists)

    assert len(to_line({"value": lists})) <= LINE_BYTES


@pytest.mark.parametrize("long", [{"prompt": "p" * 5_000_000}, {"redacted": ["$.a"] * 50_000}])
def test_a_line_has_a_greatest_length(long):
    """What makes it too long is shortened; the small fields stay, and the line says so."""
    line = to_line({"schema": "s", "call_id": "c_1"} | long)

    row = strict(line)
    assert len(line) <= LINE_BYTES
    assert (row["call_id"], row["log_capped"]) == ("c_1", True)
