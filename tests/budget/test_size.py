"""How long a value is, found out without rendering much more than fits."""

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.formats.table import as_table
from agent_tools.stages import budget_size
from agent_tools.stages.budget_size import is_within

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("ab\n", max_size=200),
    lambda inner: (
        st.lists(inner, max_size=90) | st.dictionaries(st.text("xy", max_size=9), inner, max_size=9)
    ),
    max_leaves=150,
)


def _uncounted(value):
    """Return what keys, numbers and brackets of objects take, and escapes."""
    if isinstance(value, dict):
        return sum(2 * len(key) + 30 + _uncounted(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(map(_uncounted, value))
    return 2 * len(value) if isinstance(value, str) else 0


@given(VALUES, st.integers(0, 3000))
def test_what_fits_is_within_and_what_is_far_over_is_not(value, limit):
    """What is said to be too long must not fit; what is said to fit may be a little longer."""
    size = len(json.dumps(value, separators=(",", ":"), ensure_ascii=False))

    if not is_within(value, limit):
        assert size > limit
    else:
        assert size <= 2 * limit + 40 + _uncounted(value)


@pytest.mark.parametrize(
    "value",
    [
        ["x" * 100] * 100_000,
        {"rows": [{"id": n} for n in range(100_000)]},
        {f"k{n}": [n] * 100 for n in range(10_000)},
        {"page": {"items": [{"cells": ["x" * 100] * 100}] * 1000}},
        "x" * 10**7,
        {"content": "x" * 10**7},
    ],
    ids=["texts", "rows", "map", "deep", "text", "text in a field"],
)
def test_little_more_is_rendered_than_fits(value, monkeypatch):
    """The work ends soon after the limit."""
    rendered = []
    monkeypatch.setattr(
        budget_size.orjson,
        "dumps",
        lambda part, dumps=orjson.dumps: rendered.append(dumps(part)) or rendered[-1],
    )

    assert not is_within(value, 10_000)
    assert sum(map(len, rendered)) < 100_000


def test_a_table_of_records_with_other_orders_of_their_fields():
    """Cells stand under their own names."""
    rows = [{"a": 1, "b": 2}, {"b": 3, "a": 4}]

    assert as_table(rows) == {"columns": ["a", "b"], "rows": [[1, 2], [4, 3]]}
    assert as_table([{"a": 1}, {"a": 2}]) == {"columns": ["a"], "rows": [[1], [2]]}
    assert as_table([{"a": 1}, {"b": 2}]) == {"columns": ["a", "b"], "rows": [[1, None], [None, 2]]}
