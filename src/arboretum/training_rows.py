"""The rows a tree is grown from: those that count something and that the policy for missing values lets in.

Words: a *policy* says what becomes of rows with missing values when fitting; "drop" and "error" act here.
What missing values do inside the tree is the work of the core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.dataset import ColumnData, Dataset
from arboretum.errors import DataError, ParameterError, choices
from arboretum.strategies import Surrogate

__all__ = ["MISSING_POLICIES", "TrainingRows", "choose_rows", "refuse_missing", "resolve_missing"]

MISSING_POLICIES: Final = ("category", "surrogate", "fractional", "drop", "error")

Mask = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TrainingRows:
    """A table with a target and a weight per row; weights are None where every row counts 1."""

    data: Dataset
    targets: npt.NDArray[Any]
    weights: Numbers | None
    n_dropped: int = 0
    origin: npt.NDArray[np.intp] | None = None  # their places in the table as it was given; None: all of it

    def only(self, kept: Mask) -> TrainingRows:
        """Return these rows alone; nothing is copied when that is all of them."""
        if kept.all():
            return self
        weights = None if self.weights is None else self.weights[kept]
        origin = np.flatnonzero(kept) if self.origin is None else self.origin[kept]
        return TrainingRows(self.data.take(kept), self.targets[kept], weights, self.n_dropped, origin)


def resolve_missing(missing: Any) -> str:
    """Return the policy for missing values, or refuse it."""
    if isinstance(missing, Surrogate):
        return "surrogate"
    if isinstance(missing, type) and issubclass(missing, Surrogate):
        raise ParameterError("missing=Surrogate is a class, not an object of it.\nHint: write Surrogate().")
    if not isinstance(missing, str) or missing not in MISSING_POLICIES:
        raise ParameterError(choices("missing", missing, MISSING_POLICIES) + " Or give Surrogate(…).")
    return missing


def choose_rows(
    data: Dataset, targets: npt.NDArray[Any], weights: Numbers | None, policy: str
) -> TrainingRows:
    """Return the rows to learn from: those that weigh something, incomplete ones as the policy says."""
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
        raise DataError(
            f"missing='drop' leaves no row: all {counting.sum()} rows that count miss a value.\n"
            "Hint: missing='category' learns from incomplete rows."
        )
    return TrainingRows(data, targets, weights, int(incomplete.sum())).only(kept)


def refuse_missing(data: ColumnData, name: str) -> None:
    """Refuse a column with missing values, for the policy "error"."""
    missing = data.is_missing()
    if missing.any():
        raise DataError(
            f"Input X contains NaN: column {name!r} misses {missing.sum()} of {len(missing)} values "
            f"(first: row {np.argmax(missing)}), which missing='error' refuses.\n"
            "Hint: choose missing='category' or missing='drop'."
        )
