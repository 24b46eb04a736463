"""The text of a result never has more tokens than its budget."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FORMATS = ["auto", "json", "table", "csv", "text", "markdown", "yaml"]
TEXTS = st.text(max_size=60) | st.text(alphabet='\n"\\ 你好😀a1', max_size=400)
CELLS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
PLAIN = st.recursive(
    CELLS,
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(TEXTS, inner, max_size=30),
    max_leaves=150,
)
STATUSES = st.sampled_from(["success", "partial", "error", "empty"])
WIDE = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)
FAILURE = {
    "code": "UNAVAILABLE",
    "message": "The service is away. " * 12,
    "retryable": True,
    "recovery": "retry",
}


@pytest.mark.parametrize("name", FORMATS)
@WIDE
@given(
    data=PLAIN,
    status=STATUSES,
    budget=st.integers(64, 700),
    encoding=st.sampled_from(["o200k_base", "cl100k_base"]),
)
def test_any_data_fits(fit, name, data, status, budget, encoding):
    """Whatever the data, the format and the encoding."""
    error = FAILURE if status == "error" else None

    fit(data, budget, status=status, error=error, format=name, encoding=encoding)


@pytest.mark.parametrize("name", FORMATS)
@WIDE
@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from("abcdef"), CELLS | st.lists(CELLS), max_size=5), max_size=8
    ),
    budget=st.integers(64, 2000),
)
def test_any_records_fit(fit, name, rows, budget):
    """Records of any shape, repeated until they are many."""
    fit(rows * 100, budget, format=name, tool="find_orders", asked={"a": 1, "b": "x" * 500})


@WIDE
@given(
    meta=st.dictionaries(
        st.sampled_from(["failed", "warnings", "total", "next", "source", "lossy", "mine", "cut"]), PLAIN
    ),
    message=st.text(max_size=2000),
    budget=st.integers(64, 300),
    status=STATUSES,
)
def test_any_meta_and_message_fit(fit, meta, message, budget, status):
    """A tool's own meta, warnings and messages of any size give way."""
    error = {"code": "DB_DOWN", "message": message, "retryable": False, "recovery": "report", "hint": message}

    fit([1, 2], budget, status=status, meta=meta, error=error if status == "error" else None)


@pytest.mark.parametrize("status", ["success", "partial", "error", "empty"])
@pytest.mark.parametrize("budget", [64, 65, 70, 90, 120, 200])
def test_megabytes_of_meta_fit(fit, status, budget):
    """What is huge is cut before it is rendered."""
    meta = {
        "failed": [{"index": i, "code": "X", "message": "m" * 300} for i in range(5000)],
        "warnings": ["w" * 100_000] * 20,
        "mine": {"deep": [["x" * 1000] * 1000]},
        "k" * 10_000: 1,
    }
    error = {
        "code": "C" * 400,
        "message": "m" * 100_000,
        "retryable": True,
        "recovery": "retry",
        "hint": "h" * 999,
    }

    fitted = fit([{"i": i} for i in range(3000)], budget, status=status, meta=meta, error=error)

    assert fitted.envelope["meta"]["call_id"] == "c_1"


@pytest.mark.parametrize("budget", range(64, 141, 7))
def test_mixed_scripts_fit_and_no_character_breaks(fit, budget):
    """Arrows, Chinese, joined emoji and accents, at any budget."""
    fitted = fit("\u2192\u2713\u6f22\U0001f469\u200d\U0001f4bb e\u0301 " * 5_000, budget)

    assert "\ufffd" not in fitted.text


@pytest.mark.parametrize("margin", [1.0, 1.7])
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base", len, lambda text: len(text.split())])
def test_any_counter_fits(fit, encoding, margin):
    """A callable that counts otherwise, and a safety margin."""
    fit([{"id": i, "name": f"n{i}"} for i in range(2000)], 100, encoding=encoding, margin=margin)


@pytest.mark.parametrize("budget", [64, 300, 1500, 8000])
@pytest.mark.parametrize(
    "data",
    [
        " " * 3_000_000,
        "=" * 400_000,
        '\n"' * 200_000,
        "你" * 200_000,
        "\x00\x1f" * 100_000,
        ["x" * 100_000] * 50,
        [[[i, [i]]] for i in range(9000)],
        {f"k{i}": "v" * (i % 900) for i in range(5000)},
        [2**70, -(2**200)] * 4000,
        [[]] * 20_000,
        [""] * 20_000,
        {"a": {"b": {"c": ["x" * 99] * 999}}, "d" * 5000: 1},
    ],
    ids=[
        "blanks",
        "signs",
        "escapes",
        "chinese",
        "controls",
        "texts",
        "nested",
        "map",
        "integers",
        "lists",
        "empty",
        "key",
    ],
)
def test_hostile_values_fit(fit, data, budget):
    """Values whose tokens are far from what their characters say."""
    fit(data, budget)


def test_deep_nesting_fits(fit):
    """A hundred and fifty levels are cut, not walked for a second."""
    data: object = ["leaf"]
    for level in range(150):
        data = {"level": level, "inner": data, "note": "n" * 50}

    assert fit(data, 300).cut


def test_same_draft_gives_same_text(fit):
    """Nothing about a cut is left to chance."""
    rng = random.Random(3)
    rows = [{"id": i, "x": rng.random(), "k": rng.choice("ab")} for i in range(3000)]

    assert fit(rows, 400).text == fit([dict(row) for row in rows], 400).text
