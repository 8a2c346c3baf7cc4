"""Tables in which one column is shuffled: what a model predicts for them.

A shuffle puts the values of one column into other rows and leaves all else in place. A tree is asked
directly, without reading the table again; any other model gets a table of the kind that was given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from arboretum._data import ColumnData, Dataset, match_dataset
from arboretum._data.tables import open_table
from arboretum._tree.fitted import has_names
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.losses import Loss

# From the position of a column and the order of its values to a prediction per row, as the loss reads it.
Shuffled = Callable[[int, Indices], Array]


def tree_in(model: Any) -> Tree | None:
    """Return the tree of a model that predicts what its tree says; None for any other model."""
    if isinstance(model, Tree):
        return model
    return model.tree_ if isinstance(model, BaseTree) else None


def shuffled_by(model: Any, predicting: Any, loss: Loss, X: Any) -> Shuffled:
    """Return what predicts for a table with one column in another order, the fastest way that can.

    `predicting` is the model as the loss sees it.
    """
    tree = tree_in(model)
    # Predictions of a row that is divided are blended, which only the tree itself can do.
    if tree is None or tree.missing == "fractions":
        return lambda place, order: loss.predict(predicting, _with_shuffled(X, place, order))
    named, at_nodes = has_names(model, tree), loss.at_nodes(tree)
    table = match_dataset(X, tree.columns, named=named, owner=type(model).__name__)
    places = _places(tree, X, named)

    def predict(place: int, order: Indices) -> Array:
        columns, number = list(table.columns), places[place]
        old = columns[number]
        missing = None if old.missing is None else old.missing[order]
        columns[number] = ColumnData(old.column, old.values[order], missing)
        found: Array = at_nodes[tree._leaves_of(Dataset(tuple(columns), table.n_rows, table.named))]
        return found

    return predict


def column_names(model: Any, X: Any) -> tuple[str, ...]:
    """Return the names of the table's columns; if it has none, those that the model knows."""
    source = open_table(X)
    if source.named:
        return tuple(source.names)
    tree = tree_in(model)
    known = [column.name for column in tree.columns] if tree else getattr(model, "feature_names_in_", ())
    return tuple(map(str, known)) if len(known) == len(source.names) else tuple(source.names)


def asked_columns(model: Any, X: Any) -> set[int]:
    """Return which columns of the table a model may look at; of a tree, those that it asks about."""
    tree = tree_in(model)
    if tree is None:
        return set(range(len(open_table(X).names)))
    return {
        place for place, column in _places(tree, X, has_names(model, tree)).items() if column in tree._asked
    }


def _places(tree: Tree, X: Any, named: bool) -> dict[int, int]:
    """Return which of the tree's columns each column of the table is, by position."""
    source = open_table(X)
    if not (named and source.named):
        return {place: place for place in range(len(tree.columns))}
    place_of = {name: place for place, name in enumerate(source.names)}
    return {place_of[column.name]: number for number, column in enumerate(tree.columns)}


def _with_shuffled(X: Any, place: int, order: Indices) -> Any:
    """Return the table with one column in another order."""
    if isinstance(X, np.ndarray):
        array = X.copy()
        array[:, place] = X[order, place]
        return array
    if isinstance(X, list | tuple):
        rows = [list(row) for row in X]
        for row, source in zip(rows, order.tolist(), strict=True):
            row[place] = X[source][place]
        return rows
    frame = nw.from_native(X, eager_only=True)
    return frame.with_columns(frame[:, place][order]).to_native()
