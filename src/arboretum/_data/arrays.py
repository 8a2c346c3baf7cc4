"""Two-dimensional NumPy arrays and lists of rows, opened as a source of columns.

Columns are views of the array, and only those that are asked for are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._data.dataset import ColumnData
from arboretum._data.encoding import encode_array, native
from arboretum._data.objects import encode_objects, short
from arboretum._types import Array, Mask
from arboretum._wording import many
from arboretum.errors import DataError, DataTypeError

# In the words that scikit-learn's checks look for.
_RESHAPE = "Reshape your data: X.reshape(-1, 1) if it is one column, X.reshape(1, -1) if it is one row"
_NEST = "for one row, [X]; for one column, [[value] for value in X]"


@dataclass(frozen=True, eq=False)
class Source:
    """An opened table. `read(position, nominal)` returns one column; `nominal` makes every object a level.

    `declares(position)` returns whether the type of a column lists its levels in an order of their own.
    """

    names: tuple[str, ...]
    n_rows: int
    named: bool
    read: Callable[[int, bool], ColumnData]
    declares: Callable[[int], bool] = lambda position: False


def is_plain_matrix(X: Any, n_columns: int) -> bool:
    """Return whether X is an array of floats with this many columns that the core can read in place.

    Its columns have no names, masks or levels, and would come out of `open_array` unchanged.
    """
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.shape[1] == n_columns
        and X.shape[0] > 0
        and X.dtype.char in "fd"
        and X.dtype.isnative
        and X.flags.aligned
    )


def open_array(X: Array) -> Source:
    """Return a NumPy array as a source; the masked values of a masked array are missing."""
    mask: Mask | None = np.ma.getmaskarray(X) if isinstance(X, np.ma.MaskedArray) else None
    values = np.asarray(X)  # drops np.matrix, whose columns would stay two-dimensional
    if values.dtype.names is not None:
        raise DataTypeError(
            f"X is a structured array with the fields {', '.join(values.dtype.names)}.\n"
            "Hint: pass it as a data frame, for instance pandas.DataFrame(X)."
        )
    check_dimensions(values.ndim)
    values = native(values) if values.dtype.kind != "O" else values
    n_rows, n_columns = values.shape
    check_shape(n_rows, n_columns)
    names = made_up_names(n_columns)

    def read(position: int, nominal: bool) -> ColumnData:
        column, name = values[:, position], names[position]
        missing = None if mask is None else mask[:, position]
        if values.dtype.kind not in "OUT":  # objects and text of fixed or variable width
            return encode_array(name, column, missing)
        cells = column.tolist()
        if missing is not None:
            cells = [None if gone else cell for cell, gone in zip(cells, missing.tolist(), strict=True)]
        return encode_objects(name, cells, nominal=nominal)

    return Source(names, n_rows, False, read)


def open_rows(rows: Sequence[Any]) -> Source:
    """Return a list of rows as a source; the type of each column is found separately."""
    # A row may be an array, or whatever can be one, such as a pandas Series.
    rows = [np.asarray(row) if hasattr(row, "__array__") else row for row in rows]
    check_rows(rows)
    if isinstance(rows[0], np.ndarray) and all(
        isinstance(row, np.ndarray) and row.dtype == rows[0].dtype and row.ndim == 1 for row in rows
    ):
        return open_array(np.stack(rows))
    names = made_up_names(len(rows[0]))

    def read(position: int, nominal: bool) -> ColumnData:
        return encode_objects(names[position], [row[position] for row in rows], nominal=nominal)

    return Source(names, len(rows), False, read)


def check_rows(rows: Sequence[Any]) -> None:
    """Refuse lists that are not tables: of dictionaries, single values, uneven rows, or nested too deeply."""
    for number, row in enumerate(rows):
        if isinstance(row, Mapping):
            raise DataTypeError(
                f"X is a list whose row {number} is a dictionary.\n"
                "Hint: make a data frame of it, for instance pandas.DataFrame(X) or polars.DataFrame(X)."
            )
        if not _is_row(row):
            if number == 0:
                raise one_dimensional("a list of single values", _NEST)
            raise DataError(
                f"X is a list of rows, but its row {number} is {short(row)}.\nHint: make it a list too."
            )
        if len(row) != len(rows[0]):
            raise DataError(
                f"Row {number} of X has {many(len(row), 'value')}, but row 0 has {len(rows[0])}.\n"
                "Hint: use None for a value that is missing."
            )
    if not rows:
        raise one_dimensional("an empty list", "give a list for each row")
    check_shape(len(rows), len(rows[0]))
    if _is_row(rows[0][0]):
        check_dimensions(3)


def _is_row(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def check_dimensions(n_dimensions: int) -> None:
    """Refuse what is not two-dimensional."""
    if n_dimensions < 2:
        raise one_dimensional(
            "a single value" if n_dimensions == 0 else "an array of one dimension", _RESHAPE
        )
    if n_dimensions > 2:
        raise DataError(
            f"X has {n_dimensions} dimensions, but a table has 2: rows and columns.\n"
            "Hint: reshape it to X.reshape(len(X), -1)."
        )


def one_dimensional(found: str, hint: str) -> DataError:
    """Return the error for a single row or column; the hint says how to make a table of it."""
    return DataError(
        f"X is {found}, but a table of rows and columns (2 dimensions) is needed.\nHint: {hint}."
    )


def check_shape(n_rows: int, n_columns: int) -> None:
    """Refuse a table without columns or without rows (in the words that scikit-learn's checks look for)."""
    shape = f"(shape=({n_rows}, {n_columns})) while a minimum of 1 is required."
    if n_columns == 0:
        raise DataError(f"X has no columns: 0 feature(s) {shape}")
    if n_rows == 0:
        raise DataError(f"X has no rows: 0 sample(s) {shape}")


def made_up_names(n_columns: int) -> tuple[str, ...]:
    """Return names for columns that have none: x0, x1, …."""
    return tuple(f"x{position}" for position in range(n_columns))
