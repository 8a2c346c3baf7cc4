"""Tables in which one column is shuffled: what a model predicts for them.

Words: a *shuffle* puts the values of one column into other rows and leaves all else in place, missing values
and levels as they are. A tree is asked directly, without reading the table again; any other model gets
a table of the kind that was given.
What the loss rises by is counted in permutation_importance.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from arboretum.base_tree import BaseTree
from arboretum.dataset import ColumnData, Dataset, match_dataset
from arboretum.dataset.tables import open_table
from arboretum.experiment.losses import Loss
from arboretum.tree import Tree

__all__ = ["Shuffled", "asked_columns", "column_names", "shuffled_by", "tree_in"]

Array = npt.NDArray[Any]
Order = npt.NDArray[np.intp]


class Shuffled(Protocol):
    """Predictions for a table of which one column is shuffled."""

    def predict(self, place: int, order: Order) -> Array:
        """Return a prediction per row, in the form that the loss reads."""


def tree_in(model: Any) -> Tree | None:
    """Return the tree of a model that predicts what its tree says; None for any other model."""
    if isinstance(model, Tree):
        return model
    return model.tree_ if isinstance(model, BaseTree) else None


def shuffled_by(model: Any, predicting: Any, loss: Loss, X: Any) -> Shuffled:
    """Return what predicts for shuffled tables, the fastest that can; `predicting` is the slow way."""
    tree = tree_in(model)
    # Of a row that is divided the predictions are blended, which only the tree itself can do.
    if tree is None or tree.missing == "fractions":
        return ByModel(predicting, loss, X)
    named = tree._is_named if isinstance(model, Tree) else bool(model._named)
    table = match_dataset(X, tree.columns, named=named, owner=type(model).__name__)
    return ByTree(tree, loss.at_nodes(tree), table, _places(tree, X, named))


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
    named = tree._is_named if isinstance(model, Tree) else bool(model._named)
    return {place for place, column in _places(tree, X, named).items() if column in tree._asked}


def _places(tree: Tree, X: Any, named: bool) -> dict[int, int]:
    """Return for each column of the table that the tree knows which one that is."""
    source = open_table(X)
    if not (named and source.named):
        return {place: place for place in range(len(tree.columns))}
    place_of = {name: place for place, name in enumerate(source.names)}
    return {place_of[column.name]: number for number, column in enumerate(tree.columns)}


@dataclass(frozen=True, eq=False)
class ByTree:
    """Rows are led down the tree again, with one column shuffled."""

    tree: Tree
    at_nodes: Array
    table: Dataset
    places: dict[int, int]

    def predict(self, place: int, order: Order) -> Array:
        """Return what the nodes predict in which the rows come to rest."""
        columns, number = list(self.table.columns), self.places[place]
        old = columns[number]
        missing = None if old.missing is None else old.missing[order]
        columns[number] = ColumnData(old.column, old.values[order], missing)
        leaves = self.tree._leaves_of(Dataset(tuple(columns), self.table.n_rows, self.table.named))
        found: Array = self.at_nodes[leaves]
        return found


@dataclass(frozen=True, eq=False)
class ByModel:
    """The model is given a table of the same kind, with one column shuffled."""

    model: Any
    loss: Loss
    X: Any

    def predict(self, place: int, order: Order) -> Array:
        """Return what the model predicts."""
        return self.loss.predict(self.model, _with_shuffled(self.X, place, order))


def _with_shuffled(X: Any, place: int, order: Order) -> Any:
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
