"""What callers give to the pruners: a fitted model, a Tree or a tree of `grow`; lists or a data frame.

>>> import pandas as pd
>>> from arboretum.reference.plain_tree import grow
>>> frame = pd.DataFrame({"age": [20.0, None], "colour": ["red", "blue"]})
>>> columns_of(grow([[1, 2]], ["numeric"], ["a", "b"]), frame)
[[20.0, None], ['red', 'blue']]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw

from arboretum._data.dataset import ColumnData
from arboretum._data.matching import match_dataset
from arboretum._tree.fitted import has_names, refuse_model
from arboretum._tree.tree import Tree
from arboretum.errors import DataError, DataTypeError
from arboretum.reference.fitted import from_fitted
from arboretum.reference.nodes import Branch, Leaf


def tree_given(tree: Any, asker: str) -> Leaf | Branch:
    """Return a tree of `grow`, as it is or made of the tree of the library; messages name the asker."""
    if isinstance(tree, Leaf | Branch):
        return tree
    found = fitted_tree(tree)
    if found is None:
        refuse_model(tree, asker, "a fitted tree estimator, a Tree or a tree of reference.grow")
    return from_fitted(found)


def fitted_tree(tree: Any) -> Tree | None:
    """Return the Tree of a fitted model, or the Tree itself; None for anything else."""
    found = getattr(tree, "tree_", tree)
    return found if isinstance(found, Tree) else None


def columns_of(tree: Any, columns: Any) -> Sequence[Sequence[Any]]:
    """Return the columns of a table as lists of values that `tree_given` understands.

    To a fitted tree, a table is what it was fitted to: rows or a data frame. To a tree of `grow`, it is a
    list of columns, which is left as it is, or a data frame.
    """
    fitted = fitted_tree(tree)
    if fitted is not None:
        data = match_dataset(columns, fitted.columns, named=has_names(tree, fitted))
        return [as_asked(column) for column in data.columns]
    if isinstance(columns, list | tuple):
        return columns
    frame = nw.from_native(columns, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        raise DataTypeError(
            f"The table is of type {type(columns).__name__}, which trees of reference.grow do not read.\n"
            "Hint: give lists or a data frame."
        )
    return [as_given(series) for series in frame.iter_columns()]


def rows_of(tree: Any, rows: Any) -> Sequence[Sequence[Any]]:
    """Return the rows of a table in the same way; for a tree of `grow`, lists are lists of rows."""
    if isinstance(rows, list | tuple) and fitted_tree(tree) is None:
        return rows
    return list(zip(*columns_of(tree, rows), strict=True))


def as_given(series: Any) -> list[Any]:
    """Return the values of a column as they are, and None where one is missing."""
    gone = series.is_null().to_list()
    return [
        None if missing or value != value else value
        for missing, value in zip(gone, series.to_list(), strict=True)
    ]


def as_asked(data: ColumnData) -> list[Any]:
    """Return the numbers of the caller, the numbers of levels, and None where a value is missing."""
    pairs = zip(data.values.tolist(), data.is_missing().tolist(), strict=True)
    return [None if missing else value + data.column.offset for value, missing in pairs]


def targets_of(targets: Any, n_rows: int) -> list[Any]:
    """Return the targets as a list, one for each row."""
    ways = [getattr(targets, name) for name in ("tolist", "to_pylist") if hasattr(targets, name)]
    listed = ways[0]() if ways else list(targets)
    if len(listed) != n_rows:
        raise DataError(f"There are {n_rows} rows and {len(listed)} targets; each row needs one.")
    return listed
