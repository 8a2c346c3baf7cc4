"""Columns with their values, and the table they make: what growing, predicting and reporting receive.

Words: a *mask* marks the missing rows of a column; a *level number* stands for a level, counted from 0.
Values are views of the caller's memory where possible and never written to; nothing is read or guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.dataset.column import Column

__all__ = ["ColumnData", "Dataset", "Mask"]

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[Any] | Sequence[int] | Sequence[bool]


@dataclass(frozen=True, eq=False)
class ColumnData:
    """A column and its values in stored form.

    `values` is one-dimensional, in the machine's byte order, possibly strided or read-only: float32, float64,
    int8 to int64, uint8 to uint32; int64 counts for datetime and duration; int32 level numbers for ordered
    and nominal. `missing` is True where the value is missing (the value itself then means nothing), None
    where no row is masked. NaN among floats is missing as well, with or without a mask.
    """

    column: Column
    values: npt.NDArray[Any]
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
        """What to remember of the table in order to read another one in the same way."""
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
        """Return which rows miss the value of at least one column."""
        incomplete = np.zeros(self.n_rows, dtype=np.bool_)
        for data in self.columns:
            if data.missing is not None or data.values.dtype.kind == "f":
                incomplete |= data.is_missing()
        return incomplete

    def missing_counts(self) -> dict[str, int]:
        """Return for each column how many rows miss its value."""
        return {data.column.name: int(np.count_nonzero(data.is_missing())) for data in self.columns}


def some(missing: Mask | None) -> Mask | None:
    """Return the mask, or None when it masks nothing."""
    return missing if missing is not None and missing.any() else None
