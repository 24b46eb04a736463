"""Arrays and frames."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import pytest

NAN = float("nan")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(2), 2),
        (np.bool_(True), True),
        (np.float64(1.5), 1.5),
        (np.float32(0.1), 0.1),
        (np.float16(0.1), 0.1),
        (np.longdouble("0.5"), 0.5),
        (np.str_("x"), "x"),
        (np.complex128(1 + 2j), "1+2j"),
        (np.datetime64("2031-05-01"), "2031-05-01"),
        (np.datetime64("2031-05-01T09:30:00.000000001"), "2031-05-01T09:30:00.000000001"),
        (np.datetime64("NaT"), None),
        (np.timedelta64(90, "s"), "PT1M30S"),
        (np.timedelta64(3, "M"), "P3M"),
        (np.timedelta64("NaT"), None),
        (np.array(5), 5),
        (np.array([]), []),
        (np.array([0, 0]), [0, 0]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.array([0.1, 0.2], dtype="f4"), [0.1, 0.2]),
        (np.array(["2031-05-01", "NaT"], dtype="M8[D]"), ["2031-05-01", None]),
        (np.array([(1, "a")], dtype=[("id", "i4"), ("s", "U1")]), [{"id": 1, "s": "a"}]),
        (np.array((1, "a"), dtype=[("id", "i4"), ("s", "U1")]), {"id": 1, "s": "a"}),
        (np.ma.array([1, 2], mask=[0, 1]), [1, None]),
        (np.array([{"a": (1,)}, None], dtype=object), [{"a": [1]}, None]),
        (np.dtype("i4"), "int32"),
        (pd.Timestamp("2031-05-01 09:30", tz="UTC"), "2031-05-01T09:30:00+00:00"),
        (pd.NaT, None),
        (pd.NA, None),
        (pd.Timedelta("1h"), "PT1H"),
        (pd.Period("2031-05"), "2031-05"),
        (pd.Interval(0, 1), "(0, 1]"),
        (pd.Categorical(["a", None]), ["a", None]),
        (pd.array([1, None]), [1, None]),
        (pd.Index(["a", "b"]), ["a", "b"]),
        (pd.MultiIndex.from_tuples([("a", 1)]), [["a", 1]]),
    ],
    ids=lambda v: f"{type(v).__module__.split('.')[0]}.{type(v).__name__}",
)
def test_cells_and_arrays_become_values_and_lists(plain, value, expected):
    """Numbers stay numbers of the value that they mean; missing is null."""
    assert plain(value) == expected
    assert plain({"v": value}) == {"v": expected}


def test_an_array_says_what_it_lost(plain, notes):
    """NaN in an array is a number that JSON lacks."""
    assert plain({"arr": np.array([1.0, NAN])}) == {"arr": [1.0, None]}
    assert notes({"arr": np.array([1.0, NAN])}).lossy.texts() == ["$.arr[1]"]


def test_a_frame_becomes_records_with_all_columns(plain):
    """No column and no cell is dropped or shortened."""
    frame = pd.DataFrame({f"c{i:02d}": ["x" * 120, "y"] for i in range(30)})

    data = plain(frame)

    assert [list(row) for row in data] == [[f"c{i:02d}" for i in range(30)]] * 2
    assert data[0]["c29"] == "x" * 120


def test_cells_of_a_frame_are_plain(plain, notes):
    """Missing cells of every kind are null, which is no loss; integers stay integers."""
    frame = pd.DataFrame(
        {
            "n": [1, 2],
            "f": [0.5, NAN],
            "f4": np.array([0.1, NAN], dtype="f4"),
            "i": pd.array([1, None], dtype="Int64"),
            "b": pd.array([True, None], dtype="boolean"),
            "at": pd.to_datetime(["2031-05-01", None]),
            "utc": pd.to_datetime(["2031-05-01", None], utc=True),
            "cat": pd.Categorical(["a", None]),
            "obj": [decimal.Decimal("1.10"), None],
            "s": ["x", None],
        }
    )
    first, second = plain({"rows": frame})["rows"]

    assert first == {
        "n": 1, "f": 0.5, "f4": 0.1, "i": 1, "b": True, "at": "2031-05-01T00:00:00",
        "utc": "2031-05-01T00:00:00+00:00", "cat": "a", "obj": "1.10", "s": "x",
    }  # fmt: skip
    assert second == {**dict.fromkeys(first), "n": 2}
    assert notes({"rows": frame}).lossy.texts() == []


@pytest.mark.parametrize(
    "times",
    [["2031-05-01", "2031-05-02"], ["2031-05-01 00:00:00.5", "2031-05-02"], [None, "1600-01-01 09:30"]],
    ids=["days", "fractions", "missing"],
)
def test_a_column_of_times_reads_like_each_time_alone(plain, times):
    """The quick way for a column gives the same text as isoformat."""
    column = pd.Series(times, dtype="datetime64[us]")

    assert plain(column) == [plain(stamp) for stamp in column]


def test_row_numbers_are_left_out_and_labels_are_kept(plain):
    """An index that says something is a column of its own."""
    frame = pd.DataFrame({"a": [1, 2, 3]})

    assert plain(frame[frame["a"] > 1]) == [{"a": 2}, {"a": 3}]
    assert plain(frame.set_index(pd.Index(["x", "y", "z"], name="city")))[0] == {"city": "x", "a": 1}
    assert plain(pd.DataFrame({"a": [1]}, index=["row"])) == [{"index": "row", "a": 1}]
    assert plain(frame.set_index([["x"] * 3, [7, 8, 9]]))[0] == {"level_0": "x", "level_1": 7, "a": 1}


def test_labels_of_columns_follow_the_rule_of_keys(plain):
    """Pivot tables have tuples as labels, joins the same label twice."""
    pivot = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("EU", 2030), ("EU", 2031)]))
    double = pd.DataFrame([[1, 2]], columns=["a", "a"])

    assert plain(pivot) == [{"EU|2030": 1, "EU|2031": 2}]
    assert plain(double) == [{"a": 1, "a#2": 2}]
    assert plain(pd.DataFrame([[1, 2]])) == [{"0": 1, "1": 2}]


def test_a_series_is_a_list_an_object_or_records(plain):
    """Row numbers: a list. Labels without a name, a row of a frame: an object. A named index: records."""
    counts = pd.Series(["x", "x", "y"], name="city").value_counts()

    assert plain(pd.Series([False])) == [False]
    assert plain(pd.DataFrame({"a": [1], "b": ["x"]}).iloc[0]) == {"a": 1, "b": "x"}
    assert plain(counts) == [{"city": "x", "count": 2}, {"city": "y", "count": 1}]


COLUMNS = {"id": [1, 2], "day": [dt.date(2031, 5, 1), None], "tags": [["a"], []]}
RECORDS = [{"id": 1, "day": "2031-05-01", "tags": ["a"]}, {"id": 2, "day": None, "tags": []}]


@pytest.mark.parametrize(
    ("module", "make", "expected"),
    [
        ("polars", lambda pl: pl.DataFrame(COLUMNS), RECORDS),
        ("polars", lambda pl: pl.Series([1, None]), [1, None]),
        ("polars", lambda pl: pl.DataFrame({"a": []}), []),
        ("pyarrow", lambda pa: pa.table(COLUMNS), RECORDS),
        ("pyarrow", lambda pa: pa.RecordBatch.from_pydict(COLUMNS), RECORDS),
        ("pyarrow", lambda pa: pa.table([[1], [2]], names=["a", "a"]), [{"a": 1, "a#2": 2}]),
        ("pyarrow", lambda pa: pa.array([1, None]), [1, None]),
        ("pyarrow", lambda pa: pa.chunked_array([[1], [2]]), [1, 2]),
        ("pyarrow", lambda pa: pa.scalar(1), 1),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_polars_and_arrow_become_records_and_lists(plain, module, make, expected):
    """Nested and missing cells, and columns of the same name, too."""
    library = pytest.importorskip(module)

    assert plain({"v": make(library)}) == {"v": expected}


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": []}), pd.DataFrame()], ids=["columns", "nothing"])
def test_an_empty_frame_is_an_empty_list(plain, frame):
    """No rows, no records, no truth test."""
    assert plain(frame) == []
