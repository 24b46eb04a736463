"""Frames and arrays of pandas, polars, pyarrow and numpy.

In:   a frame, series, table or array; a lazy frame is collected.
Out:  the frame itself, which is made records later; of one of more than LONG_ROWS only the first rows, with
      statistics of all and a way to read the others part by part.
Raises: ToolError for a lazy frame that fails when it is collected.
Cost: a short frame nothing; a long one a pass over each column in the library's own code. Never a copy of
      the whole, never a loop over its rows.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from agent_tools.converters import Converted
from agent_tools.converters.database import distinct
from agent_tools.errors import ErrorCode, ToolError

LONG_ROWS = 100_000
FIRST_ROWS = 5_000
PART_ROWS = 10_000
# of a wide frame so many columns are named and described
MAX_COLUMNS = 40
MAX_DESCRIBED = 12
MAX_KINDS = 1_000
COUNTED_ROWS = 1_000_000
TOP_VALUES = 3
MAX_VALUE_CHARS = 40

Slice = Callable[[int, int], Any]


def read_pandas(frame: Any) -> Converted:
    """Read a DataFrame or Series; an index that says something comes along as a column."""
    if frame.ndim == 2:
        dtypes = _name(zip(map(_label, frame.columns), map(str, frame.dtypes), strict=True))
        return _read(frame, len(frame), dtypes, lambda start, end: frame.iloc[start:end])
    # a long series with labels would be an object, which has no parts
    rows = frame if len(frame) <= LONG_ROWS else frame.to_frame("value" if frame.name is None else frame.name)
    return _read(frame, len(frame), str(frame.dtype), lambda start, end: rows.iloc[start:end])


def read_polars(frame: Any) -> Converted:
    """Read a DataFrame or Series of polars."""
    schema = getattr(frame, "schema", None)
    dtypes = str(frame.dtype) if schema is None else _name((name, str(kind)) for name, kind in schema.items())
    return _read(frame, len(frame), dtypes, lambda start, end: frame.slice(start, end - start))


def read_lazy(frame: Any) -> Converted:
    """Collect a lazy frame and read it.

    Raises:
        ToolError: the query in it fails; it was only planned when the function returned.
    """
    try:
        return read_polars(frame.collect())
    except Exception as error:
        why = " ".join(str(error).split())[:120]
        raise ToolError(
            f"the lazy frame failed when it was collected ({type(error).__name__}: {why}); "
            "the tool has to return `frame.collect()` and handle its errors",
            code=ErrorCode.INTERNAL,
            retryable=False,
        ) from error


def read_arrow(table: Any) -> Converted:
    """Read a table, a record batch or an array of pyarrow."""
    schema = getattr(table, "schema", None)
    dtypes = str(table.type) if schema is None else _name((f.name, str(f.type)) for f in schema)
    return _read(table, len(table), dtypes, lambda start, end: table.slice(start, end - start))


def read_batches(reader: Any) -> Converted:
    """Read the rows of a RecordBatchReader as they come."""

    def rows() -> Iterator[Any]:
        with reader:
            for batch in reader:
                yield from batch.to_pylist()

    return Converted(rows(), {"dtypes": _name((f.name, str(f.type)) for f in reader.schema)}, is_spent=True)


def read_array(array: Any) -> Converted:
    """Read an array by its rows: the first axis."""
    meta: dict[str, Any] = {} if array.dtype.names else {"dtypes": str(array.dtype)}
    if array.ndim > 1:
        meta["shape"] = list(array.shape)
    if not array.ndim or len(array) <= LONG_ROWS:
        return Converted(array, meta)
    summary = _describe_array(array) if array.dtype.kind in "iufb" else ""
    return _long(meta, len(array), summary, lambda start, end: array[start:end])


def _read(frame: Any, total: int, dtypes: Any, part: Slice) -> Converted:
    meta = {"dtypes": dtypes} if dtypes else {}
    return Converted(frame, meta) if total <= LONG_ROWS else _long(meta, total, describe(frame), part)


def _long(meta: dict[str, Any], total: int, summary: str, part: Slice) -> Converted:
    def parts() -> Iterator[Any]:
        for start in range(0, total, PART_ROWS):
            yield part(start, min(start + PART_ROWS, total))

    told = {"summary": summary} if summary else {}
    return Converted(part(0, FIRST_ROWS), {**meta, "total": total, **told}, parts=parts)


def _label(column: object) -> str:
    """Spell a column as its records do: one of several levels is `a|x`."""
    return "|".join(map(str, column)) if isinstance(column, tuple) else str(column)


def _name(pairs: Any) -> dict[str, str]:
    named = list(pairs)
    first = named[:MAX_COLUMNS]
    dtypes = dict(zip(distinct([name for name, _ in first]), (kind for _, kind in first), strict=True))
    return (
        dtypes if len(named) <= MAX_COLUMNS else {**dtypes, "...": f"{len(named) - MAX_COLUMNS} more columns"}
    )


# --- statistics


def describe(frame: Any) -> str:
    """Say what is in the columns of a long frame; nothing where narwhals is not installed.

    Example:
        >>> import pandas
        >>> describe(pandas.DataFrame({"amount": [1.0, 3.0, None], "city": ["Rome", "Oslo", "Rome"]}))
        'amount: 1 to 3, mean 2, 1 missing; city: 2 different, most often Rome 2, Oslo 1.'
    """
    try:
        import narwhals.stable.v1 as nw
    except ImportError:
        return ""
    try:
        if type(frame).__name__ == "RecordBatch":
            import pyarrow as pa  # type: ignore[import-untyped]  # no stubs; the frame has imported it

            frame = pa.Table.from_batches([frame])
        seen: Any = nw.from_native(frame, eager_only=True, allow_series=True)
        columns = (
            [seen] if isinstance(seen, nw.Series) else [seen[name] for name in seen.columns[:MAX_DESCRIBED]]
        )
    except Exception:  # noqa: BLE001 - columns of the same name and the like: the rows are shown all the same
        return ""
    told = [said for column in columns if (said := _describe_column(column))]
    return "; ".join(told) + "." if told else ""


def _describe_column(column: Any) -> str:
    try:
        said = _say(column)
        missing = int(column.null_count())
    except Exception:  # noqa: BLE001 - a kind of cell that its library can't compare or count
        return ""
    parts = [said] if said else []
    if missing:
        parts.append(f"{missing} missing")
    return f"{column.name or 'value'}: {', '.join(parts)}" if parts else ""


def _say(column: Any) -> str:
    kind = column.dtype
    if column.null_count() == len(column):
        return ""
    if kind.is_numeric():
        return f"{_number(column.min())} to {_number(column.max())}, mean {_number(column.mean())}"
    if kind.is_temporal():
        return f"{column.min()} to {column.max()}"
    if str(kind) == "Boolean":
        return f"{int(column.sum() or 0)} true"
    number = int(column.drop_nulls().n_unique())
    if number > MAX_KINDS:
        return f"{number} different"
    # of equally frequent values always the same
    counts = sorted(_count(column).items(), key=lambda pair: (-pair[1], pair[0]))
    top = [f"{value[:MAX_VALUE_CHARS]} {count}" for value, count in counts[:TOP_VALUES]]
    return f"{number} different, most often {', '.join(top)}" if top else ""


def _count(column: Any) -> Counter[str]:
    """Count the values part by part: for the groups of 10 million rows at once polars takes 320 MB, so 33."""
    counts: Counter[str] = Counter()
    for start in range(0, len(column), COUNTED_ROWS):
        part = column[start : start + COUNTED_ROWS].drop_nulls().value_counts()
        for value, count in part.iter_rows():
            counts[str(value)] += count
    return counts


def _number(value: Any) -> str:
    number = float(value)
    if not math.isfinite(number):
        return "unknown"
    return f"{int(value)}" if number == int(number) and abs(number) < 1e15 else f"{number:.6g}"


def _describe_array(array: Any) -> str:
    import numpy as np

    finite = array if array.dtype.kind != "f" else array[np.isfinite(array)]
    if not finite.size:
        return "No value is finite."
    said = f"{_number(finite.min())} to {_number(finite.max())}, mean {_number(finite.mean(dtype='f8'))}"
    missing = array.size - finite.size
    return f"Values: {said}{f', {missing} not finite' if missing else ''}."
