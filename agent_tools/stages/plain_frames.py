"""Arrays and frames as lists and records: numpy, pandas, polars, pyarrow.

A part of `plain_data`. Nothing is imported that the value's own library has not imported before. Missing
cells (NaN, NaT, NA) of a frame are null: there they mean "no value", so nothing is lost.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from agent_tools.stages.plain_values import Fields, iso_duration

NS_PER_UNIT = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}


def records(labels: Iterable[object], columns: Sequence[list[Any]]) -> list[Any]:
    """Return one object per row; `Fields` where the labels are no text or not unique.

    Example:
        >>> records(["id", "city"], [[1, 2], ["Rome", "Bonn"]])
        [{'id': 1, 'city': 'Rome'}, {'id': 2, 'city': 'Bonn'}]
    """
    names = list(labels)
    rows = zip(*columns, strict=True)
    if all(type(name) is str for name in names) and len(set(names)) == len(names):
        return [dict(zip(names, row, strict=True)) for row in rows]
    return [Fields(zip(names, row, strict=True)) for row in rows]


# --- numpy


def from_scalar(value: Any) -> object:
    """Return the Python value of a numpy scalar."""
    if value.dtype.kind == "f" and value.dtype.itemsize != 8:
        return float(str(value))  # the shortest text that means this number: 0.1, not 0.10000000149
    if value.dtype.kind == "V" and value.dtype.names:
        return Fields((name, value[name]) for name in value.dtype.names)
    return value.item()


def from_datetime64(value: Any) -> str | None:
    """Return ISO 8601 in the value's own resolution: a day stays a day."""
    text = str(value)
    return None if text == "NaT" else text


def from_timedelta64(value: Any) -> str | int | None:
    """Return an ISO 8601 duration; months and years, which have no fixed length, stay such."""
    if str(value) == "NaT":
        return None
    unit, count = _numpy().datetime_data(value.dtype)
    amount = int(value.astype("i8")) * count
    if unit in NS_PER_UNIT:
        return iso_duration(amount * NS_PER_UNIT[unit])
    return f"P{amount}{unit}" if unit in "YM" else amount


def from_array(array: Any) -> Any:
    """Return nested lists; a structured array as records, a masked cell as None."""
    if array.dtype.names:
        names = array.dtype.names
        if array.ndim == 1:
            return records(names, [from_array(array[name]) for name in names])
        return list(array) if array.ndim else array[()]
    if array.dtype.kind == "f" and array.dtype.itemsize != 8 and not hasattr(array, "mask"):
        return array.astype("U64").astype("f8").tolist()
    if array.dtype.kind in "mM":
        if hasattr(array, "mask"):
            array = array.filled("NaT")
        to_text = from_datetime64 if array.dtype.kind == "M" else from_timedelta64
        texts = _numpy().array([to_text(cell) for cell in array.ravel()], dtype=object)
        return texts.reshape(array.shape).tolist()
    return array.tolist()


def _numpy() -> Any:
    return sys.modules["numpy"]


# --- pandas


def from_dataframe(frame: Any) -> list[Any]:
    """Return records; an index that says something comes first as columns of its own.

    Row numbers (an unnamed index of integers) say nothing.
    """
    labels, columns = _index_columns(frame.index)
    for label, series in frame.items():
        labels.append(label)
        columns.append(_cells(series))
    return records(labels, columns) if labels else [{} for _ in range(len(frame))]


def from_series(series: Any) -> object:
    """Return a list; with an unnamed index of labels an object, with a named index records."""
    labels, columns = _index_columns(series.index)
    if not labels:
        return _cells(series)
    if len(labels) == 1 and series.index.name is None:
        return Fields(zip(columns[0], _cells(series), strict=True))
    name = series.name if series.name is not None else "value"
    return records([*labels, name], [*columns, _cells(series)])


def from_index(index: Any) -> list[Any]:
    """Return the labels of an index."""
    return _cells(index)


def _index_columns(index: Any) -> tuple[list[object], list[list[Any]]]:
    if index.nlevels > 1:
        names: list[object] = [f"level_{i}" if name is None else name for i, name in enumerate(index.names)]
        return names, [_cells(index.get_level_values(i)) for i in range(index.nlevels)]
    if index.name is None and getattr(index.dtype, "kind", "O") in "iu":
        return [], []
    return ["index" if index.name is None else index.name], [_cells(index)]


def _cells(series: Any) -> list[Any]:
    """Return the cells of a series or index with None for the missing ones.

    Column by column: `iterrows` is 40 times slower and turns integers beside floats into floats.
    """
    kind = getattr(series.dtype, "kind", "O")
    if kind == "f" and series.dtype.itemsize == 4:
        cells = from_array(series.to_numpy(dtype="f4", na_value=float("nan")))
    elif kind == "M":
        cells = _stamps(series)
    else:
        cells = series.astype(object).tolist()
    missing = series.isna()
    if not missing.any():
        return cells  # type: ignore[no-any-return]
    return [None if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]


def _stamps(series: Any) -> list[str]:
    if str(series.dtype).startswith("datetime64[") and "," not in str(series.dtype):
        times = series.to_numpy()
        seconds = times.astype("M8[s]")
        if ((times == seconds) | series.isna()).all():
            # the same text as isoformat, 20 times faster
            return _numpy().datetime_as_string(seconds).tolist()  # type: ignore[no-any-return]
    return [stamp.isoformat() for stamp in series.astype(object)]


# --- polars and pyarrow


def from_polars_frame(frame: Any) -> list[Any]:
    """Return records."""
    return records(frame.columns, [column.to_list() for column in frame.get_columns()])


def from_arrow_table(table: Any) -> list[Any]:
    """Return records; columns of the same name are kept apart."""
    return records(table.column_names, [column.to_pylist() for column in table.columns])


FRAMES: dict[str, Callable[[Any], object]] = {
    "numpy.ndarray": from_array,
    "pandas.DataFrame": from_dataframe,
    "pandas.Series": from_series,
    "pandas.Index": from_index,
    "pandas.MultiIndex": list,
    "pandas.ExtensionArray": lambda array: array.astype(object).tolist(),
    "polars.DataFrame": from_polars_frame,
    "polars.Series": lambda series: series.to_list(),
    "pyarrow.Table": from_arrow_table,
    "pyarrow.RecordBatch": from_arrow_table,
    "pyarrow.Array": lambda array: array.to_pylist(),
    "pyarrow.ChunkedArray": lambda array: array.to_pylist(),
}

CELLS: dict[str, Callable[[Any], object]] = {
    "numpy.generic": from_scalar,
    "numpy.datetime64": from_datetime64,
    "numpy.timedelta64": from_timedelta64,
    "numpy.dtype": str,
    "pandas.NaTType": lambda value: None,
    "pandas.NAType": lambda value: None,
    "pandas.Timedelta": lambda value: value.to_timedelta64(),
    "pandas.Period": str,
    "pandas.Interval": str,
    "pyarrow.Scalar": lambda value: value.as_py(),
}
