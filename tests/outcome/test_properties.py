"""What holds for every value."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_tools.errors import ErrorCode
from agent_tools.stages.outcome import make_outcome
from agent_tools.stages.outcome_keys import COLLECTION_KEYS, NEUTRAL_KEYS
from agent_tools.stages.reported_errors import SPELT_TRIGGERS

QUERY = make_outcome(kind="query", empty=None, error_as_data="detect")
KEEP = make_outcome(kind="query", empty=None, error_as_data="keep")
ACTION = make_outcome(kind="action", empty=None, error_as_data="detect")

# keys that mean nothing to anybody
DULL_KEYS = st.sampled_from(["alpha", "beta", "gamma", "city", "amount", "große", "名前", "a b", ""])
MARKERS = st.sampled_from(sorted(SPELT_TRIGGERS | NEUTRAL_KEYS | COLLECTION_KEYS.keys() | {"id", "name"}))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["error", "404"])
)


def values(keys, scalars=SCALARS):
    """JSON data with these keys."""
    nest = lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5)  # noqa: E731
    return st.recursive(scalars, nest, max_leaves=15)


@given(values(DULL_KEYS).filter(lambda value: not isinstance(value, str)))
def test_data_without_marker_keys_is_a_value_or_empty(value):
    """No failure and no page is seen in it, and the very object comes back."""
    outcome = QUERY(value)

    assert outcome.status in ("success", "empty")
    assert outcome.error is None
    assert outcome.value is value


@given(values(MARKERS | DULL_KEYS))
def test_nothing_raises_and_nothing_is_mutated(value):
    """Marker keys with any content give a sound outcome, twice the same."""
    before = copy.deepcopy(value)

    outcome = QUERY(value)

    assert outcome.status in ("success", "empty", "partial", "error")
    assert (outcome.error is not None) >= (outcome.status == "error")
    assert repr(value) == repr(before)
    assert repr(QUERY(value)) == repr(outcome)


@given(values(MARKERS | DULL_KEYS))
def test_a_report_is_never_blank(value):
    """Every reported failure has a code in UPPER_SNAKE and a message."""
    error = QUERY(value).error

    if error is not None:
        assert error.code.replace("_", "").isalnum()
        assert error.code == error.code.upper()
        assert error.message.strip()


@given(values(MARKERS | DULL_KEYS))
def test_an_action_is_neither_empty_nor_paged(value):
    """Whatever comes back, an action is done, partly done or failed."""
    outcome = ACTION(value)

    assert outcome.status != "empty"
    assert (outcome.status == "partial") <= (outcome.error is not None)


@given(values(MARKERS | DULL_KEYS))
def test_kept_errors_are_never_errors(value):
    """error_as_data="keep" sees no failure in any data."""
    assert KEEP(value).error is None


@given(st.text(max_size=300))
def test_any_text_is_judged(text):
    """Text of any script and shape gives an outcome."""
    assert QUERY(text).status in ("success", "empty", "error")


@pytest.mark.parametrize("zero", [0, 0.0, False, -0.0, 0j], ids=repr)
def test_a_zero_is_a_value_everywhere(zero):
    """Alone, in a list, under any key."""
    assert {QUERY(value).status for value in (zero, [zero], {"city": zero}, {"result": zero})} == {"success"}


def test_codes_are_plain_text():
    """A reported code compares and prints as text."""
    assert QUERY({"error": {"code": 404, "message": "no"}}).error.code == ErrorCode.NOT_FOUND


WORDS = ["error", "failed", "404", "a://b", "abc", " ", "0", "Forbidden", "Error: a"]
TEXTS = st.text(max_size=8) | st.sampled_from(WORDS)
FLAT = st.dictionaries(MARKERS | DULL_KEYS, st.integers() | st.floats() | TEXTS, max_size=4)


@given(FLAT)
def test_the_short_cut_for_flat_dicts_decides_the_same(value):
    """A subclass of dict takes the long way and comes to the same outcome."""

    class Same(dict):
        """No plain dict, so no short cut."""

    outcome, other = QUERY(value), QUERY(Same(value))

    assert (outcome.status, outcome.error, outcome.meta) == (other.status, other.error, other.meta)
