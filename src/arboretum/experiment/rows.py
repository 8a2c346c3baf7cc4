"""Rows of a table with their targets, weights and groups: what estimators are fitted to and measured on.

Words: *take* picks rows by number. The table stays what the caller gave: a pandas data frame stays one.
It reads no value of any column.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from arboretum.dataset.tables import open_table
from arboretum.experiment.targets import Target

__all__ = ["Rows", "as_table"]

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rows:
    """A table, one target per row, and weights and groups if there are any."""

    X: Any
    target: Target
    weights: Numbers | None = None
    groups: Codes | None = None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.target.n_rows

    def take(self, rows: npt.NDArray[np.intp]) -> Rows:
        """Return these rows, in this order."""
        return replace(
            self,
            X=_take(self.X, rows),
            target=self.target.take(rows),
            weights=None if self.weights is None else self.weights[rows],
            groups=None if self.groups is None else self.groups[rows],
        )


def as_table(X: Any) -> tuple[Any, int]:
    """Return the table in a form whose rows can be taken, and their number; refuse what is no table."""
    n_rows = open_table(X).n_rows
    native = nw.to_native(X, pass_through=True)
    if isinstance(native, np.ndarray | list | tuple) or _is_frame(native):
        return native, n_rows
    if hasattr(native, "__arrow_c_stream__"):
        return nw.from_arrow(native, backend="pyarrow").to_native(), n_rows
    return np.asarray(native) if hasattr(native, "__array__") else list(native), n_rows


def _is_frame(X: Any) -> bool:
    return isinstance(nw.from_native(X, pass_through=True), nw.DataFrame)


def _take(X: Any, rows: npt.NDArray[np.intp]) -> Any:
    if isinstance(X, np.ndarray):
        return X[rows]
    if isinstance(X, list | tuple):
        return [X[row] for row in rows.tolist()]
    return nw.from_native(X, eager_only=True)[rows].to_native()
