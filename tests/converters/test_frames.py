"""Frames and arrays: short ones as records, long ones by their first rows, statistics and the store."""

from __future__ import annotations

import subprocess
import sys

import pytest

from agent_tools import read_result, tool

ROWS = 250_000


def _short(library):
    module = pytest.importorskip(library)
    columns = {"id": [1, 2], "city": ["Rome", None]}
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def _long(library):
    module = pytest.importorskip(library)
    columns = {"id": list(range(ROWS)), "city": ["Rome", "Oslo"] * (ROWS // 2)}
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


LIBRARIES = ["pandas", "polars", "pyarrow"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_short_frame_is_its_records_and_its_types(call, library):
    """Missing cells are null; the types stand in meta."""
    result = call(lambda: _short(library))

    assert result.data == [{"id": 1, "city": "Rome"}, {"id": 2, "city": None}]
    assert result.meta["dtypes"]["id"].lower() == "int64"


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_code_gets_the_frame_itself(call, library):
    """What the function returned, not a copy."""
    frame = _short(library)

    assert call(lambda: frame).value is frame


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_long_frame_is_kept_whole_in_the_store(library):
    """A sample, the total, and every row behind the result_id."""
    pytest.importorskip(library)
    load = tool(lambda: _long(library), name="load_trips", store="memory")

    result = load()

    assert (result.status, result.meta["total"]) == ("partial", ROWS)
    page = read_result(result.meta["result_id"], offset=ROWS - 1)
    assert page.data == [{"id": ROWS - 1, "city": "Oslo"}]


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_long_frame_without_a_store_says_what_is_not_there(call, library):
    """The first rows, statistics of all, and a warning."""
    pytest.importorskip("narwhals")

    result = call(lambda: _long(library))

    assert (result.status, result.meta["total"]) == ("partial", ROWS)
    assert "id: 0 to 249999, mean 125000" in result.meta["summary"]
    assert "2 different" in result.meta["summary"]
    assert "not kept" in result.meta["warnings"][0]
    assert result.data[0] == {"id": 0, "city": "Rome"}


def test_a_long_series_and_a_long_array_are_cut_too(call):
    """By their first axis."""
    np, pd = pytest.importorskip("numpy"), pytest.importorskip("pandas")

    array = call(lambda: np.arange(ROWS, dtype="f8"))
    series = call(lambda: pd.Series(range(ROWS), name="n"))

    assert array.data[:2] == [0.0, 1.0]
    assert "mean 125000" in array.meta["summary"]
    assert series.data[0] == {"n": 0}
    assert array.meta["total"] == series.meta["total"] == ROWS


def test_columns_of_the_same_name_are_no_obstacle(call):
    """No statistics then, but the rows."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, 2]] * ROWS, columns=["a", "a"])

    assert call(lambda: frame).data[0] == {"a": 1, "a#2": 2}


def test_types_are_told_by_the_names_of_the_records(call):
    """Columns of one name are numbered, those of several levels joined, in both places."""
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([[1, 2.5]], columns=["a", "a"])
    levels = pandas.DataFrame([[1, 2]], columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))

    for result in (call(lambda: twice), call(lambda: levels)):
        assert list(result.meta["dtypes"]) == list(result.data[0])


def test_a_long_column_without_values_has_no_range(call):
    """Only that they are missing."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    frame = pandas.DataFrame({"rate": [float("nan")] * ROWS, "id": range(ROWS)})

    summary = call(lambda: frame).meta["summary"]

    assert f"rate: {ROWS} missing; id: 0 to {ROWS - 1}" in summary


def test_a_lazy_frame_is_collected(call):
    """Planned in the function, run here; what fails then says what to do."""
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"a": [1]})

    assert call(lambda: lazy.select(pl.col("a") + 1)).data == [{"a": 2}]
    error = call(lambda: lazy.select("nope")).error
    assert error.code == "INTERNAL"
    assert "frame.collect()" in error.message


def test_batches_are_read_as_they_come(call):
    """A RecordBatchReader is read once and closed."""
    pa = pytest.importorskip("pyarrow")
    reader = pa.table({"a": [1, 2]}).to_reader()

    result = call(lambda: reader)

    assert (result.data, result.meta["dtypes"]) == ([{"a": 1}, {"a": 2}], {"a": "int64"})


@pytest.mark.parametrize("max_tokens", [4000, 300])
def test_a_wide_frame_loses_no_column_silently(max_tokens):
    """Thirty columns of long cells: all shown, or the cut is said and the whole can be read."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({f"c{n:02d}": ["x" * 120, None] for n in range(30)})

    result = tool(lambda: frame, name="load_table", store="memory", max_tokens=max_tokens)()

    text = result.to_prompt()
    assert "..." not in text
    if max_tokens == 4000:
        assert all(f"c{n:02d}" in text for n in range(30))
    else:
        assert result.status == "partial"
        row = read_result(result.meta["result_id"], path="[1]", limit=30)
        assert list(row.data) == [f"c{n:02d}" for n in range(30)]


MEMORY = """
import sys
import numpy, pyarrow
from agent_tools import tool

def load(rows):
    place = numpy.arange(rows)
    table = pyarrow.table({"id": place, "city": pyarrow.array(["Rome", "Oslo"]).take(place % 2)})
    if sys.argv[1] == "pyarrow":
        return table
    if sys.argv[1] == "pandas":
        return table.to_pandas()
    import polars
    return polars.from_arrow(table)

def memory(name):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(name))

show = tool(lambda: frame, name="load_trips", store=False, log="none")
frame = load(200_000)
show()
frame = load(5_000_000)
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = memory("VmRSS")
show()
print(memory("VmHWM") - before)
"""


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_long_frame_is_not_copied(library):
    """Of one of 100 MB the values are counted part by part; a copy, or its groups, would double it."""
    for needed in (library, "pyarrow", "narwhals"):
        pytest.importorskip(needed)
    if not sys.platform.startswith("linux"):
        pytest.skip("the peak of the memory is reset through /proc")

    done = subprocess.run([sys.executable, "-c", MEMORY, library], capture_output=True, text=True, check=True)

    assert float(done.stdout) < 50


def test_values_that_are_equally_frequent_stand_in_one_order(call):
    """The same frame has the same summary."""
    polars = pytest.importorskip("polars")
    pytest.importorskip("narwhals")
    frame = polars.DataFrame({"city": ["Rome", "Oslo", "Bonn", "Lima"] * 50_000})

    summary = call(lambda: frame).meta["summary"]

    assert "most often Bonn 50000, Lima 50000, Oslo 50000" in summary


def test_no_library_is_imported_to_look_for_a_frame():
    """A tool that returns dicts loads no frame, web or database package."""
    code = (
        "import sys; from agent_tools import tool\n"
        "tool(lambda: {'a': 1}, name='f', store=False, log=False)()\n"
        "bad = {'pandas', 'polars', 'pyarrow', 'numpy', 'narwhals', 'httpx', 'requests', 'aiohttp',"
        " 'sqlite3', 'sqlalchemy', 'psycopg'} & set(sys.modules)\nassert not bad, bad"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
