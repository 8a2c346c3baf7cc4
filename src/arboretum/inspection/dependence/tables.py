"""Tables in which columns are set to other values, for models that predict rows only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np

from arboretum._data import ColumnData
from arboretum._data.levels import level_key
from arboretum._data.tables import open_table
from arboretum._types import Array, Indices
from arboretum.inspection.dependence.grids import natural

# What stands for a missing value, by the kind of an array.
_MISSING: Final[dict[str, Any]] = {
    "O": None,
    "f": np.nan,
    "M": np.datetime64("NaT"),
    "m": np.timedelta64("NaT"),
}


def set_columns(X: Any, columns: Mapping[int, ColumnData]) -> Any:
    """Return the table with other values in some columns, found by position; one value per row.

    A data frame keeps its types: levels are taken from rows that have them.
    """
    if isinstance(X, np.ndarray):
        return _set_in_array(X, {place: _plain(data) for place, data in columns.items()})
    if isinstance(X, list | tuple):
        rows = [list(row) for row in X]
        for place, data in columns.items():
            for row, value in zip(rows, _plain(data).tolist(), strict=True):
                row[place] = value
        return rows
    frame = nw.from_native(X, eager_only=True)
    source = open_table(X)
    for place, data in columns.items():
        name = frame.columns[place]
        held = source.read(place, data.column.levels is not None)
        frame = frame.with_columns(_like(frame[name], held, data).alias(name))
    return frame.to_native()


def _set_in_array(X: Array, columns: Mapping[int, Array]) -> Array:
    kinds = [X.dtype, *(values.dtype for values in columns.values())]
    try:
        array = X.astype(np.result_type(*kinds), copy=True)
    except TypeError:  # numbers and dates have no common type
        array = X.astype(object)
    for place, values in columns.items():
        array[:, place] = values
    return array


def _plain(data: ColumnData) -> Array:
    """Return the values as people write them; None or NaN where one is missing."""
    values, missing = natural(data), data.is_missing()
    if not missing.any():
        return values
    if values.dtype.kind in "iu":
        values = values.astype(np.float64)
    values = values.copy()
    values[missing] = _MISSING[values.dtype.kind]
    return values


def _like(series: nw.Series[Any], held: ColumnData, data: ColumnData) -> nw.Series[Any]:
    """Return a series of these values; `held` has those that the series has now."""
    if data.column.levels is not None and (rows := _rows_with(held, data)) is not None:
        return series[rows]
    values, backend = _plain(data), nw.get_native_namespace(series)
    if values.dtype.kind in "mM" and np.datetime_data(values.dtype)[0] == "D":
        values = values.astype(f"{values.dtype.kind}8[{'us' if values.dtype.kind == 'm' else 'ms'}]")
    made = nw.new_series(
        series.name, values.tolist() if values.dtype.kind == "O" else values, backend=backend
    )
    if data.column.timezone is None:
        return made
    return made.dt.replace_time_zone("UTC").dt.convert_time_zone(data.column.timezone)


def _rows_with(held: ColumnData, data: ColumnData) -> Indices | None:
    """Return rows that hold the wanted levels, in their order; None if no row holds one of them."""
    known = ~held.is_missing()
    if held.column.levels is None or data.is_missing().any():
        return None
    numbers, first = np.unique(held.values[known], return_index=True)
    row_of = np.flatnonzero(known)[first]
    row_of_level = {
        level_key(held.column.levels[number]): row
        for number, row in zip(numbers.tolist(), row_of.tolist(), strict=True)
    }
    wanted = [row_of_level.get(level_key(level), -1) for level in data.column.levels or ()]
    rows = np.array(wanted, dtype=np.intp)[data.values]
    return None if (rows < 0).any() else rows
