"""Whatever the caller calls a table, opened as a source of columns: the one place that looks at the type of
X.

Words: a *table* has rows and columns; a *lazy* frame is a plan for a table whose rows are not in memory.
It reads no column; what is no table is refused with a hint how to make it one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from narwhals.exceptions import DuplicateError
from scipy.sparse import issparse

from arboretum.dataset.arrays import Source, one_dimensional, open_array, open_rows
from arboretum.dataset.frames import check_names, open_frame
from arboretum.errors import DataError, DataTypeError

__all__ = ["open_table"]


def open_table(X: Any) -> Source:
    """Return any table as a source of columns; refuse what is none."""
    _refuse_known_others(X)
    if isinstance(X, np.ndarray):
        return open_array(X)
    frame = _as_frame(X)
    if frame is not None:
        return open_frame(frame)
    if isinstance(X, Sequence):
        return open_rows(X)
    if hasattr(X, "__array__"):
        return open_array(_as_matrix(X))
    raise DataTypeError(
        f"X is of type {type(X).__name__}, which is not a table.\n"
        "Hint: pass a data frame (pandas, polars, pyarrow), a 2-D NumPy array or a list of rows."
    )


def _refuse_known_others(X: Any) -> None:
    """Refuse what is often passed by mistake, each with its own hint."""
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


# How a row or a column becomes a table. A series of pandas may be a row, `frame.iloc[0]`.
_OF_SERIES = {
    "pandas": "for one row, frame.iloc[[0]] or X.to_frame().T; for one column, X.to_frame()",
    "polars": "for one row, frame[0:1]; for one column, X.to_frame()",
    "pyarrow": "for one row, table.slice(0, 1); for one column, pyarrow.table({'x': X})",
}


def _no_table(series: Any) -> DataError:
    library = type(nw.to_native(series, pass_through=True)).__module__.partition(".")[0]
    return one_dimensional(f"a {library} series", _OF_SERIES.get(library, "for one column, X.to_frame()"))


def _as_matrix(X: Any) -> npt.NDArray[Any]:
    """Return what can be an array as one; of one dimension it is refused, since X may not have `reshape`."""
    values = np.asarray(X)
    if values.ndim == 1:
        hint = "for one row, numpy.asarray(X).reshape(1, -1); for one column, numpy.asarray(X).reshape(-1, 1)"
        raise one_dimensional(f"of type {type(X).__name__} with one dimension", hint)
    return values


# What brings the rows of a lazy frame into memory; `collect` last, since of some it returns a list of rows.
_COLLECTORS = ("to_arrow_table", "to_pyarrow", "toPandas", "compute", "collect")


def _lazy_hint(X: Any) -> str:
    method = next((name for name in _COLLECTORS if hasattr(type(X), name)), None)
    return "read its rows into a data frame first" if method is None else f"call .{method}() first"


def _as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return X as a narwhals data frame, None when it is no data frame at all."""
    try:
        frame = nw.from_native(nw.to_native(X, pass_through=True), pass_through=True)
    except DuplicateError:
        names = getattr(X, "column_names", None)
        check_names(X.columns if names is None else names)
        raise
    if isinstance(frame, nw.LazyFrame):
        raise DataTypeError(
            f"X is a lazy frame ({type(X).__name__}), whose rows are not in memory.\nHint: {_lazy_hint(X)}."
        )
    if isinstance(frame, nw.DataFrame):
        return frame
    if hasattr(X, "__arrow_c_stream__"):  # tables of other libraries that speak Arrow, such as a RecordBatch
        return nw.from_arrow(X, backend="pyarrow")
    return None
