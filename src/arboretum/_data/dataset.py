"""Columns with their values, and the table they make: what growing, predicting and reporting receive.

Values are views of the caller's memory where possible, and are never written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arboretum import _core
from arboretum._data.column import Column
from arboretum._types import Array, Mask

Rows = Array | Sequence[int] | Sequence[bool]


@dataclass(frozen=True, eq=False)
class ColumnData:
    """A column and its values in stored form.

    `values` is one-dimensional, in the machine's byte order, possibly strided or read-only: float32, float64,
    int8 to int64, uint8 to uint32; int64 counts for datetime and duration; int32 level numbers for ordered
    and nominal. `missing` is True where the value is missing (the value itself then means nothing), None
    where no row is masked. NaN among floats is missing as well, with or without a mask.
    """

    column: Column
    values: Array
    missing: Mask | None = None

    def is_missing(self) -> Mask:
        """Return which rows are missing, masked or NaN."""
        if self.values.dtype.kind != "f":
            return np.zeros(len(self.values), dtype=np.bool_) if self.missing is None else self.missing
        nan: Mask = np.isnan(self.values)
        return nan if self.missing is None else nan | self.missing

    def take(self, rows: Rows) -> ColumnData:
        """Return the column with these rows only, given by number or as a mask."""
        chosen = np.asarray(rows)
        missing = None if self.missing is None else self.missing[chosen]
        return ColumnData(self.column, self.values[chosen], some(missing))


@dataclass(frozen=True, eq=False)
class Dataset:
    """Named, typed columns of equal length. `named` is False when the names were made up (x0, x1, …)."""

    columns: tuple[ColumnData, ...]
    n_rows: int
    named: bool

    @property
    def schema(self) -> tuple[Column, ...]:
        """The columns without their values: enough to read another table in the same way."""
        return tuple(data.column for data in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(data.column.name for data in self.columns)

    def take(self, rows: Rows) -> Dataset:
        """Return the table with these rows only, given by number or as a mask."""
        chosen = np.asarray(rows)
        numbers = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.intp, copy=False)
        return Dataset(tuple(data.take(numbers) for data in self.columns), len(numbers), self.named)

    def incomplete_rows(self) -> Mask:
        """Return which rows have at least one missing value."""
        incomplete = np.zeros(self.n_rows, dtype=np.bool_)
        for data in self.columns:
            if data.missing is not None or data.values.dtype.kind == "f":
                incomplete |= data.is_missing()
        return incomplete

    def missing_counts(self) -> dict[str, int]:
        """Return the number of missing values in each column."""
        return {data.column.name: int(np.count_nonzero(data.is_missing())) for data in self.columns}


def some(missing: Mask | None) -> Mask | None:
    """Return the mask, or None when it masks nothing."""
    return missing if missing is not None and missing.any() else None


def core_dataset(data: Dataset) -> _core.Dataset:
    """Return the table as the core reads it; no values are copied."""
    table = _core.Dataset(data.n_rows)
    for column in data.columns:
        kind = column.column.kind if column.column.levels is not None else "numeric"
        table.add_column(column.values, column.missing, kind, len(column.column.levels or ()))
    return table
