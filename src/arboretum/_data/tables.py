"""Tables of any type, opened as a source of columns; anything else is refused with a hint.

Data frames (pandas, polars, pyarrow, …) are read through narwhals: no data-frame library is imported here,
and what a library can give as a view is not copied.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from scipy.sparse import issparse

from arboretum._data.arrays import Source, check_shape, one_dimensional, open_array, open_rows
from arboretum._data.column import Column
from arboretum._data.dataset import ColumnData, some
from arboretum._data.encoding import as_nominal, encode_array, encode_levels, nothing_known
from arboretum._data.objects import encode_objects
from arboretum._types import Array, Mask
from arboretum.errors import DataError, DataTypeError, listing


def open_table(X: Any) -> Source:
    """Return any table as a source of columns; refuse anything else."""
    _refuse_known_others(X)
    if isinstance(X, np.ndarray):
        return open_array(X)
    frame = _as_frame(X)
    if frame is not None:
        return _open_frame(frame)
    if isinstance(X, Sequence):
        return open_rows(X)
    if hasattr(X, "__array__"):
        return open_array(_as_matrix(X))
    raise DataTypeError(
        f"X is of type {type(X).__name__}, which is not a table.\n"
        "Hint: pass a data frame (pandas, polars, pyarrow), a 2-D NumPy array or a list of rows."
    )


def _refuse_known_others(X: Any) -> None:
    """Refuse what is often passed by mistake, with a hint for each case."""
    kind = type(X)  # not X itself: of a data frame, a column may be called like that
    if issparse(X) or (hasattr(kind, "tocsr") and hasattr(kind, "toarray")) or hasattr(kind, "todense"):
        raise DataTypeError(
            f"X is a sparse {type(X).__name__}, and sparse data are not supported.\n"
            "Hint: make it dense with X.toarray() if it fits into memory."
        )
    if isinstance(X, str | bytes):
        raise DataTypeError("X is text, not a table.\nHint: read the file into a data frame first.")
    if isinstance(X, Mapping):
        raise DataTypeError(
            "X is a dictionary, not a table.\nHint: make it a data frame, pandas.DataFrame(X)."
        )
    if nw.dependencies.is_into_series(X):
        raise _no_table(X)


# How to turn a row or a column into a table. A pandas series may be a row, `frame.iloc[0]`.
_OF_SERIES = {
    "pandas": "for one row, frame.iloc[[0]] or X.to_frame().T; for one column, X.to_frame()",
    "polars": "for one row, frame[0:1]; for one column, X.to_frame()",
    "pyarrow": "for one row, table.slice(0, 1); for one column, pyarrow.table({'x': X})",
}


def _no_table(series: Any) -> DataError:
    library = type(nw.to_native(series, pass_through=True)).__module__.partition(".")[0]
    return one_dimensional(f"a {library} series", _OF_SERIES.get(library, "for one column, X.to_frame()"))


def _as_matrix(X: Any) -> Array:
    """Return X as an array of two dimensions. The hint does not call `reshape` on X, which may lack it."""
    values = np.asarray(X)
    if values.ndim == 1:
        hint = "for one row, numpy.asarray(X).reshape(1, -1); for one column, numpy.asarray(X).reshape(-1, 1)"
        raise one_dimensional(f"of type {type(X).__name__} with one dimension", hint)
    return values


# Methods that bring the rows of a lazy frame into memory; `collect` comes last, since some return a list.
_COLLECTORS = ("to_arrow_table", "to_pyarrow", "toPandas", "compute", "collect")


def _lazy_hint(X: Any) -> str:
    method = next((name for name in _COLLECTORS if hasattr(type(X), name)), None)
    return "read its rows into a data frame first" if method is None else f"call .{method}() first"


def _as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return X as a narwhals data frame, or None if it is not a data frame."""
    try:
        frame = nw.from_native(nw.to_native(X, pass_through=True), pass_through=True)
        if not isinstance(frame, nw.LazyFrame | nw.DataFrame) and hasattr(X, "__arrow_c_stream__"):
            # A table of another library that speaks Arrow, such as a RecordBatch.
            return nw.from_arrow(X, backend="pyarrow")
    except DuplicateError:
        names = getattr(X, "column_names", None)
        if names is None:
            schema = getattr(X, "schema", None)  # of a RecordBatch, whose columns are arrays
            names = X.columns if schema is None else schema.names
        _check_names(names)
        raise
    if isinstance(frame, nw.LazyFrame):
        raise DataTypeError(
            f"X is a lazy frame ({type(X).__name__}), whose rows are not in memory.\nHint: {_lazy_hint(X)}."
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def _open_frame(frame: nw.DataFrame[Any]) -> Source:
    """Return a data frame as a source."""
    labels = frame.columns  # asked for once: some libraries make the list anew each time
    names = _check_names(labels)
    check_shape(len(frame), len(names))

    def read(position: int, nominal: bool) -> ColumnData:
        return _read_series(names[position], frame.get_column(labels[position]), nominal)

    def declares(position: int) -> bool:
        return _declares_levels(frame.get_column(labels[position]))

    return Source(names, len(frame), True, read, declares)


def _declares_levels(series: nw.Series[Any]) -> bool:
    """Return whether the type declares the levels and their order, as pandas categories and enums do.

    Those of polars' Categorical and of Arrow's dictionaries stand in the order of appearance.
    """
    return _is_pandas_categorical(series.to_native()) or isinstance(series.dtype, nw.Enum)


def _is_pandas_categorical(native: Any) -> bool:
    return hasattr(native, "cat") and hasattr(native.cat, "codes")


def _check_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return the names as text; refuse two columns that would share one."""
    texts = tuple(str(name) for name in names)
    twice = [text for text, count in Counter(texts).items() if count > 1]
    if twice:
        several = "s" if len(twice) > 1 else ""
        raise DataError(
            f"X has more than one column with the name{several} {listing(twice)}.\n"
            "Hint: names are compared as text; rename the columns so that each is there once."
        )
    return texts


def _read_series(name: str, series: nw.Series[Any], nominal: bool) -> ColumnData:
    """Return one column of a data frame."""
    native: Any = series.to_native()
    if isinstance(getattr(native, "dtype", None), np.dtype):  # pandas on NumPy: all is said by NumPy's dtype
        values = series.to_numpy()
        if values.dtype.kind == "O":
            return encode_objects(name, values.tolist(), nominal=nominal)
        return encode_array(name, values)
    if _is_pandas_categorical(native):
        return encode_levels(
            name, native.cat.codes.to_numpy(), native.cat.categories, ordered=native.cat.ordered
        )
    return _read_by_dtype(name, series, native, nominal)


def _read_by_dtype(name: str, series: nw.Series[Any], native: Any, nominal: bool) -> ColumnData:
    """Return a column according to its narwhals dtype."""
    dtype = series.dtype
    if isinstance(dtype, nw.Int128 | nw.UInt128 | nw.Decimal | nw.Object):
        return encode_objects(name, series.to_list(), nominal=nominal)
    if dtype.is_float():
        return encode_array(name, series.to_numpy())  # null becomes NaN
    if dtype.is_integer():
        return _read_filled(name, series, 0)
    if isinstance(dtype, nw.Boolean):
        return _read_filled(name, series, False)
    if isinstance(dtype, nw.String):
        return _read_text(name, series)
    if isinstance(dtype, nw.Enum):
        return _read_enum(name, series, [str(level) for level in dtype.categories])
    if isinstance(dtype, nw.Categorical):
        return _read_categories(name, series, native)
    if isinstance(dtype, nw.Date | nw.Datetime | nw.Duration):
        return _read_times(name, series, getattr(dtype, "time_zone", None))
    if series.null_count() == len(series):
        return nothing_known(name, len(series))
    return _read_unknown(name, series, native)


def _read_filled(name: str, series: nw.Series[Any], filler: int) -> ColumnData:
    """Return integers or booleans exactly: missing values are filled and masked, never turned into NaN."""
    if series.null_count() == 0:
        return encode_array(name, series.to_numpy())
    return encode_array(name, series.fill_null(filler).to_numpy(), _nulls(series))


def _nulls(series: nw.Series[Any]) -> Mask | None:
    return some(series.is_null().to_numpy().astype(np.bool_, copy=False))


def _read_text(name: str, series: nw.Series[Any]) -> ColumnData:
    """Return text as a nominal column with the observed levels, sorted so that row order does not matter."""
    native: Any = series.to_native()
    if not nw.dependencies.is_pandas_series(native):
        return _read_enum(name, series, sorted(series.drop_nulls().unique().to_list()))
    numbers, distinct = native.factorize()  # ten times quicker there than looking every row up
    levels = sorted(distinct)
    place = {level: number for number, level in enumerate(levels)}
    sorted_numbers = np.array([*(place[level] for level in distinct), -1], dtype=np.int32)
    return encode_levels(name, sorted_numbers[numbers], levels)  # -1, missing, is the last place


def _read_enum(name: str, series: nw.Series[Any], levels: list[str]) -> ColumnData:
    """Return text with known levels as a nominal column; the library itself looks up the level numbers."""
    missing = _nulls(series)
    column = Column(name, "nominal", levels=tuple(levels))
    if not levels:
        return ColumnData(column, np.zeros(len(series), dtype=np.int32), missing)
    text = series.cast(nw.String)
    filled = text if missing is None else text.fill_null(levels[0])
    numbers = filled.replace_strict(levels, list(range(len(levels))), return_dtype=nw.Int32)
    values = numbers.to_numpy().astype(np.int32, copy=False)
    if missing is not None:
        values = np.where(missing, np.int32(0), values)
    return ColumnData(column, values, missing)


def _read_categories(name: str, series: nw.Series[Any], native: Any) -> ColumnData:
    """Return polars categoricals and Arrow dictionaries as nominal columns.

    Their dictionaries come in the order of appearance, so that the levels are the observed values, sorted;
    only a dictionary that says it is ordered declares them.
    """
    dictionary = getattr(native, "type", None)  # an Arrow column
    if dictionary is None:
        if hasattr(native.dtype, "pyarrow_dtype"):  # pandas on Arrow
            return encode_objects(name, series.to_list(), nominal=True)
        return _read_text(name, series.cast(nw.String))
    if dictionary.ordered:
        return _read_ordered_dictionary(name, native)
    decoded = nw.from_native(native.cast(dictionary.value_type), series_only=True)
    return as_nominal(_read_series(name, decoded, True))


def _read_ordered_dictionary(name: str, native: Any) -> ColumnData:
    """Return an ordered Arrow dictionary as an ordered column in the declared order."""
    levels: list[Any] = native.chunk(0).dictionary.to_pylist()
    if any(chunk.dictionary.to_pylist() != levels for chunk in native.chunks):
        raise DataError(
            f"Column {name!r} is an ordered dictionary whose chunks declare different levels.\n"
            "Hint: bring them to one dictionary with Table.unify_dictionaries()."
        )
    numbers = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in native.chunks]
    return encode_levels(name, np.concatenate(numbers), levels, ordered=True)


def _read_times(name: str, series: nw.Series[Any], timezone: str | None) -> ColumnData:
    """Return dates, datetimes and durations in their own unit; those with a time zone come as UTC."""
    values = series.to_numpy()
    if values.dtype.kind == "O":  # pandas on Arrow gives dates as objects
        values = series.cast(nw.Datetime("ms")).to_numpy().astype("datetime64[D]")
    return encode_array(name, values, timezone=timezone)


_HINTS = {
    "list": "spread the values over several columns",
    "array": "spread the values over several columns",
    "struct": "spread the fields over several columns",
    "map": "spread the fields over several columns",
    "binary": "decode the bytes to text",
    "time": "turn the time of day into a duration since midnight, or into a number of seconds",
    "period": "turn the periods into dates with .dt.to_timestamp()",
    "interval": "turn the intervals into an ordered categorical, or into numbers",
}


def _read_unknown(name: str, series: nw.Series[Any], native: Any) -> ColumnData:
    """Return what narwhals does not know; refuse everything else.

    These are Arrow's dates in milliseconds, and datetimes of pandas in a time zone whose name has an
    underscore, such as America/New_York.
    """
    dtype = str(getattr(native, "type", None) or getattr(native, "dtype", series.dtype))
    if (zone := getattr(getattr(native, "dtype", None), "tz", None)) is not None:
        return encode_array(name, native.dt.tz_convert(None).to_numpy(), timezone=str(zone))
    if dtype.startswith("date64"):
        return encode_array(name, series.to_numpy())
    if dtype.startswith("Sparse"):
        raise DataTypeError(
            f"Column {name!r} is sparse ({dtype}), and sparse data are not supported.\n"
            "Hint: make it dense with X.sparse.to_dense()."
        )
    words = f"{dtype} {series.dtype}".lower()
    hint = next((hint for word, hint in _HINTS.items() if word in words), "convert it to one of them first")
    raise DataTypeError(
        f"Column {name!r} has the dtype {dtype}; a column holds numbers, text, booleans, dates or "
        f"durations.\nHint: {hint}."
    )
