"""The tables: columns of numbers (floats) and of levels (texts, None where missing), and a target.

What all tables have in common is done here; where they come from is in real_tables.py and made_tables.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Array", "Table", "make_table"]

Array = npt.NDArray[Any]

# A class with fewer rows would be missing from one side of some splits.
FEWEST_ROWS_OF_CLASS = 6
# Which rows of a large table are used; the splits have a seed of their own.
DRAW_SEED = 7


@dataclass(frozen=True)
class Table:
    """Columns and a target."""

    name: str
    X: pd.DataFrame
    y: Array  # texts for classes, floats for numbers
    of_classes: bool
    source: str
    made: bool = False  # by a generator, not observed

    @property
    def nominal(self) -> list[str]:
        """The names of the columns that hold levels."""
        return [name for name in map(str, self.X) if self.X[name].dtype == object]

    @property
    def most_levels(self) -> int:
        """The largest number of levels in a column."""
        return max((int(self.X[name].nunique()) for name in self.nominal), default=0)

    @cached_property
    def classes(self) -> Array:
        """The classes in the order in which probabilities are given."""
        return np.unique(self.y)

    def numbered(self, labels: Array) -> Array:
        """Classes as their positions in `classes`."""
        return np.searchsorted(self.classes, labels)

    @property
    def rarest_share(self) -> float:
        """The share of the rarest class."""
        return float(np.unique(self.y, return_counts=True)[1].min() / len(self.y))


def make_table(
    name: str,
    X: pd.DataFrame,
    y: Any,
    *,
    of_classes: bool,
    source: str,
    most_rows: int = 3_000,
    made: bool = False,
) -> Table:
    """Bring columns and target into the form of all tables.

    Left out are rows without a target, columns with a single value, rows beyond `most_rows` (drawn at
    random), and then classes with very few rows.
    """
    target = pd.Series(np.asarray(y, dtype=object if of_classes else np.float64))
    known = target.notna().to_numpy()
    columns = {str(column): plain_column(X[column]) for column in X}
    X = pd.DataFrame(columns).reset_index(drop=True)[known].reset_index(drop=True)
    X = X.loc[:, X.nunique() > 1]
    target = target[known].reset_index(drop=True)
    rows = drawn_rows(len(target), most_rows)
    X, target = X.iloc[rows].reset_index(drop=True), target.iloc[rows].reset_index(drop=True)
    if of_classes:
        target = target.astype(str)
        counts = target.map(target.value_counts())
        common = (counts >= FEWEST_ROWS_OF_CLASS).to_numpy()
        X, target = X[common].reset_index(drop=True), target[common].reset_index(drop=True)
        return Table(name, X, target.to_numpy(dtype=str), True, source, made)
    return Table(name, X, target.to_numpy(dtype=np.float64), False, source, made)


def plain_column(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as floats; everything else, dates and truth values included, as texts."""
    if pd.api.types.is_bool_dtype(column):
        column = column.map({True: "yes", False: "no"})
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(np.float64)
    texts = [None if pd.isna(value) else str(value) for value in column]
    return pd.Series(texts, index=column.index, dtype=object)


def drawn_rows(n_rows: int, most_rows: int) -> Array:
    """All rows, or as many as allowed, drawn at random and kept in their order."""
    if n_rows <= most_rows:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(DRAW_SEED).permutation(n_rows)[:most_rows])
