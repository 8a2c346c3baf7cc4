"""Similar rows: those of a table that end in the same leaf as a row, nearest first.

The distance is that of `counterfactual`, over all columns: numbers and times by their distance in spreads,
levels by whether they are the same. A value that is missing, or infinite, in one of the two rows counts 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum.inspection.spread import spreads_of

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SimilarRow:
    """A row of a table in the same leaf: its place, how far it is, and its target if that was given.

    `label` is its label in the index of a pandas table, unless that just counts the rows.
    """

    number: int
    distance: float
    target: object = None
    label: object = None
    unique: bool = True  # whether no other row of the table has this label


def similar_rows(
    tree: Tree, row: Dataset, table: Dataset, targets: Array | None, labels: pd.Index[Any] | None, n_rows: int
) -> tuple[tuple[SimilarRow, ...], int]:
    """Return the nearest rows of a table in the leaf of a row, and how many are in that leaf."""
    leaf = int(tree._leaves_of(row)[0])
    together = np.flatnonzero(tree._leaves_of(table) == leaf)
    spreads = spreads_of(table)
    distance = np.zeros(len(together))
    for mine, theirs, spread in zip(row.columns, table.take(together).columns, spreads, strict=True):
        distance += _distances(mine, theirs, float(spread))
    order = np.argsort(distance, kind="stable")[:n_rows]
    numbers = together[order]
    known: list[object] = [None] * len(order) if targets is None else targets[numbers].tolist()
    found = [
        SimilarRow(*each) for each in zip(numbers.tolist(), distance[order].tolist(), known, strict=True)
    ]
    if labels is not None:
        shared = labels.duplicated(keep=False)
        found = [replace(each, label=labels[each.number], unique=not shared[each.number]) for each in found]
    return tuple(found), len(together)


def labels_of(table: Any) -> pd.Index[Any] | None:
    """Return the index of a table if it has one that says more than the numbers of the rows."""
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    index = nw.maybe_get_index(frame) if isinstance(frame, nw.DataFrame) else None
    if index is None or np.array_equal(index, np.arange(len(index))):
        return None
    labels: pd.Index[Any] = index
    return labels


def _distances(mine: ColumnData, theirs: ColumnData, spread: float) -> Numbers:
    """Return the distance of each row from another one, in one column."""
    missing = theirs.is_missing()
    if mine.is_missing()[0]:
        return np.where(missing, 0.0, 1.0)
    if mine.column.kind == "nominal":
        return np.where(missing | (theirs.values != mine.values[0]), 1.0, 0.0)
    own, others = float(mine.values[0]), theirs.values.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(others - own) / spread
    near = np.isfinite(others) & np.isfinite(own)
    return np.where(missing | (~near & (others != own)), 1.0, np.where(near, apart, 0.0))
