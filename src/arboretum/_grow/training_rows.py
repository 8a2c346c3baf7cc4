"""The rows that a tree is grown from: those with a weight that the policy for missing values admits.

The policies "drop" and "error" act here; the others act in the core.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum.errors import DataError


@dataclass(frozen=True)
class TrainingRows:
    """A table with a target and a weight per row; weights are None where every row counts 1."""

    data: Dataset
    targets: Array
    weights: Numbers | None
    n_dropped: int = 0
    origin: Indices | None = None  # their places in the table as it was given; None: all of it

    def only(self, kept: Mask) -> TrainingRows:
        """Return only these rows; nothing is copied if that is all of them."""
        if kept.all():
            return self
        weights = None if self.weights is None else self.weights[kept]
        origin = np.flatnonzero(kept) if self.origin is None else self.origin[kept]
        return TrainingRows(self.data.take(kept), self.targets[kept], weights, self.n_dropped, origin)


def choose_rows(data: Dataset, targets: Array, weights: Numbers | None, policy: str) -> TrainingRows:
    """Return the rows to learn from: those with a weight, and incomplete ones if the policy admits them."""
    counting = np.ones(data.n_rows, dtype=np.bool_) if weights is None else weights > 0
    rows = TrainingRows(data, targets, weights)
    if policy == "error":
        for column in data.columns:
            refuse_missing(column, column.column.name)
    if policy != "drop":
        return rows.only(counting)
    incomplete = data.incomplete_rows() & counting
    kept = counting & ~incomplete
    if not kept.any():
        raise rows_all_incomplete(int(counting.sum()))
    return TrainingRows(data, targets, weights, int(incomplete.sum())).only(kept)


def rows_all_incomplete(n_rows: int) -> DataError:
    """Return what is said where the policy "drop" leaves none of so many rows."""
    return DataError(
        f"missing='drop' leaves no row: all {n_rows} rows that count miss a value.\n"
        "Hint: missing='category' learns from incomplete rows."
    )


def refuse_missing(data: ColumnData, name: str) -> None:
    """Refuse a column with missing values, for the policy "error"."""
    missing = data.is_missing()
    if missing.any():
        raise DataError(
            f"Input X contains NaN: column {name!r} misses {missing.sum()} of {len(missing)} values "
            f"(first: row {np.argmax(missing)}), which missing='error' refuses.\n"
            "Hint: choose missing='category' or missing='drop'."
        )
