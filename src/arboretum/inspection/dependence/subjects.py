"""Subjects: what predicts, and the rows that it is asked about.

A tree sends sets of rows and sets of cells through its questions together; any other model predicts the whole
table once for every cell. Both say what they predict as an array of targets by cells: the probability of each
class, or one number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Protocol

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from arboretum._data import Column, ColumnData, Dataset
from arboretum._data.dataset import core_dataset
from arboretum._data.rows import as_table
from arboretum._data.tables import open_table
from arboretum._data.targets import read_weights
from arboretum._options.rules import OneOf
from arboretum._tree.fitted import refuse_linear, refuse_model, tree_of
from arboretum._tree.linear_models import models_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Numbers
from arboretum._warning import unheard
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError, ParameterError
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.base_tree import BaseTree
from arboretum.inspection.dependence.cuts import cuts_of, is_added
from arboretum.inspection.dependence.tables import set_columns

KINDS = ("auto", "tree", "exact", "brute")
_MOST_CUTS: Final = 100  # of all trees of an ensemble in one column


class Subject(Protocol):
    """What predicts. Columns are given by their places; cells and rows as their values in those columns."""

    @property
    def kind(self) -> str:
        """The way: "tree", "exact" or "brute"."""

    @property
    def names(self) -> Sequence[str]:
        """The names of the columns."""

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes whose probabilities are predicted; None for numbers."""

    @property
    def weights(self) -> Numbers | None:
        """How much each row counts; None: all the same."""

    def column(self, place: int) -> Column:
        """Return a column."""

    def rows_of(self, place: int) -> ColumnData | None:
        """Return the values that the rows have in a column."""

    def cuts(self, place: int) -> Array | None:
        """Return where a column is cut; None if that is not known."""

    def means(self, places: Sequence[int], cells: Sequence[ColumnData]) -> Numbers:
        """Return the mean prediction of all rows in each cell."""

    def each(
        self, places: Sequence[int], cells: Sequence[ColumnData], rows: Indices
    ) -> tuple[Numbers, Numbers]:
        """Return the means over all rows, and what is predicted for some rows: targets by rows by cells."""

    def changed(self, place: int, column: ColumnData) -> Numbers:
        """Return what is predicted for each row with another value in one column."""


def open_subject(model: Any, X: Any, kind: Any, sample_weight: Any, asker: str) -> Subject:
    """Return what predicts, in the way that `kind` names."""
    OneOf(KINDS).read(kind, "kind")
    if isinstance(model, BaseBagging) and kind != "brute":
        return _trees_subject(model, X, kind, sample_weight)
    tree = _tree_in(model)
    if tree is None:
        goes_through = kind in ("tree", "exact")
        if isinstance(model, Tree):
            refuse_linear(model, asker)
        elif isinstance(model, BaseTree) and goes_through:
            refuse_linear(model.tree_, f"kind={shown(kind)}")
        _check_model(model, asker)
        if goes_through:
            raise DataTypeError(
                f"kind={shown(kind)} goes through the questions of a tree, but "
                f"{type(model).__name__} has no tree "
                "of this library.\nHint: kind='brute' serves any model that predicts."
            )
    chosen = kind if kind != "auto" else "brute" if tree is None else "tree" if X is None else "exact"
    if X is None:
        return _without_rows(tree, chosen, sample_weight)
    if tree is None or chosen == "brute":
        return _table_subject(model, tree, X, sample_weight)
    data = tree._matched(X, **_matching(model, tree))
    _check_rows(data.n_rows)
    if chosen == "tree" and sample_weight is not None:
        raise _weightless()
    return TreeSubject(tree, data, read_weights(sample_weight, data.n_rows), chosen)


def _trees_subject(model: BaseBagging, X: Any, kind: str, sample_weight: Any) -> Subject:
    """Return an ensemble with its rows, which are read once for all trees."""
    trees = model._fitted.trees
    chosen = kind if kind != "auto" else "tree" if X is None else "exact"
    if X is None:
        _without_rows(trees[0], chosen, sample_weight)
        data, weights = None, None
    else:
        data = model._fitted.matched(X, **model._matching("missing"))
        _check_rows(data.n_rows)
        if chosen == "tree" and sample_weight is not None:
            raise _weightless()
        weights = read_weights(sample_weight, data.n_rows)
    return TreesSubject(trees, TreeSubject(trees[0], data, weights, chosen))


def _without_rows(tree: Tree | None, kind: str, sample_weight: Any) -> Subject:
    if kind != "tree" or tree is None:
        hint = "" if tree is None else ", or choose kind='tree', which needs none"
        raise ParameterError(
            f"kind={shown(kind)} averages over rows, but X is not given.\nHint: give X{hint}."
        )
    if sample_weight is not None:
        raise _weightless()
    return TreeSubject(tree, None, None, kind)


def _weightless() -> ParameterError:
    return ParameterError(
        "sample_weight weighs the rows of X, but kind='tree' looks at none: it goes by the weights of the "
        "training rows.\nHint: choose kind='exact', or leave sample_weight out."
    )


def _check_rows(n_rows: int) -> None:
    if n_rows == 0:
        raise DataError("X has no rows, so there is nothing to average over.")


def _tree_in(model: Any) -> Tree | None:
    """Return the tree of a model that predicts what its tree says; None for any other model."""
    tree = model
    if isinstance(model, BaseTree):
        tree = tree_of(model, "dependence on columns", models=True)
    # Linear models in its leaves look at columns that no question is about.
    return tree if isinstance(tree, Tree) and models_of(tree) is None else None


def _matching(model: Any, tree: Tree) -> dict[str, Any]:
    if isinstance(model, BaseTree):
        return model._matching(model._fitted)
    return {"named": tree._is_named, "owner": "this tree"}


# --- trees


@dataclass(frozen=True, eq=False)
class TreeSubject:
    """A tree with rows, or without: then its own weights stand for them."""

    tree: Tree
    data: Dataset | None
    weights: Numbers | None
    kind: str

    @property
    def names(self) -> Sequence[str]:
        return [column.name for column in self.tree.columns]

    @property
    def classes(self) -> tuple[Any, ...] | None:
        return self.tree.target.classes

    def column(self, place: int) -> Column:
        return self.tree.columns[place]

    @property
    def _values(self) -> Numbers:
        """What the nodes predict, a row each."""
        values = self.tree.array("value" if self.classes is None else "probability")
        return values.reshape(len(values), -1)

    def rows_of(self, place: int) -> ColumnData | None:
        return None if self.data is None else self.data.columns[place]

    def cuts(self, place: int) -> Array | None:
        # Without rows, a sum is answered only if all its columns are set.
        return None if is_added(self.tree, place) else cuts_of(self.tree, place)

    def means(self, places: Sequence[int], cells: Sequence[ColumnData]) -> Numbers:
        table = core_dataset(self._with_cells(places, cells))
        router, values = self.tree._router, self._values
        if self.kind == "tree" or self.data is None:
            return router.sums_in_cells(table, places, values).T
        sums = router.sums_in_cells(table, places, values, core_dataset(self.data), self.weights)
        return sums.T / (self.data.n_rows if self.weights is None else self.weights.sum())

    def each(
        self, places: Sequence[int], cells: Sequence[ColumnData], rows: Indices
    ) -> tuple[Numbers, Numbers]:
        assert self.data is not None
        table, chosen = core_dataset(self._with_cells(places, cells)), core_dataset(self.data.take(rows))
        found = self.tree._router.rows_in_cells(table, places, self._values, chosen)
        lines = np.moveaxis(found.reshape(len(rows), -1, found.shape[1]), 2, 0)
        return self.means(places, cells), lines

    def changed(self, place: int, column: ColumnData) -> Numbers:
        assert self.data is not None
        columns = list(self.data.columns)
        columns[place] = column
        table = core_dataset(replace(self.data, columns=tuple(columns)))
        if self.tree.missing == "fractions":
            return self.tree._router.blend(table, self._values).T
        return self._values[self.tree._router.leaves_of(table)].T

    def _with_cells(self, places: Sequence[int], cells: Sequence[ColumnData]) -> Dataset:
        """Return a table of the cells; nobody looks at its other columns."""
        n_cells = len(cells[0].values)
        nothing = np.zeros(n_cells, dtype=np.int32)
        columns = [ColumnData(column, nothing) for column in self.tree.columns]
        for place, cell in zip(places, cells, strict=True):
            columns[place] = cell
        return Dataset(tuple(columns), n_cells, named=False)


# --- ensembles


@dataclass(frozen=True, eq=False)
class TreesSubject:
    """An ensemble: whatever its trees say is averaged. Each tree is made when it is asked."""

    trees: Sequence[Tree]
    first: TreeSubject

    @property
    def _members(self) -> Iterator[TreeSubject]:
        return (replace(self.first, tree=tree) for tree in self.trees)

    @property
    def kind(self) -> str:
        return self.first.kind

    @property
    def names(self) -> Sequence[str]:
        return self.first.names

    @property
    def classes(self) -> tuple[Any, ...] | None:
        return self.first.classes

    @property
    def weights(self) -> Numbers | None:
        return self.first.weights

    def column(self, place: int) -> Column:
        return self.first.column(place)

    def rows_of(self, place: int) -> ColumnData | None:
        return self.first.rows_of(place)

    def cuts(self, place: int) -> Array | None:
        """Return the cuts of all trees, if they are few enough to be looked at one by one."""
        found = np.empty(0)
        for member in self._members:
            its = member.cuts(place)
            if its is None:
                return None
            found = np.unique(np.concatenate([found.astype(its.dtype), its]))
            if len(found) > _MOST_CUTS:
                return None
        return found

    def means(self, places: Sequence[int], cells: Sequence[ColumnData]) -> Numbers:
        return self._mean(lambda member: member.means(places, cells))

    def each(
        self, places: Sequence[int], cells: Sequence[ColumnData], rows: Indices
    ) -> tuple[Numbers, Numbers]:
        lines = self._mean(lambda member: member.each(places, cells, rows)[1])
        return self.means(places, cells), lines

    def changed(self, place: int, column: ColumnData) -> Numbers:
        return self._mean(lambda member: member.changed(place, column))

    def _mean(self, answer: Callable[[TreeSubject], Numbers]) -> Numbers:
        mean: Numbers = sum(map(answer, self._members), start=np.zeros(())) / len(self.trees)
        return mean


# --- any model


@dataclass(frozen=True, eq=False)
class TableSubject:
    """A model that is asked to predict a whole table for every cell."""

    predict: Callable[[Any], Numbers]  # from a table to rows by targets
    X: Any
    n_rows: int
    names: Sequence[str]
    classes: tuple[Any, ...] | None
    weights: Numbers | None
    places: Sequence[int]  # of the columns in the table
    read: Callable[[int], ColumnData]  # from the place of a column to the values that the rows have there
    tree: Tree | None  # which knows where columns are cut
    kind: str = "brute"

    def column(self, place: int) -> Column:
        return self.read(place).column

    def rows_of(self, place: int) -> ColumnData | None:
        return self.read(place)

    def cuts(self, place: int) -> Array | None:
        return None if self.tree is None or is_added(self.tree, place) else cuts_of(self.tree, place)

    def means(self, places: Sequence[int], cells: Sequence[ColumnData]) -> Numbers:
        predicted = self._predictions(places, cells)
        return np.array([np.average(found, axis=0, weights=self.weights) for found in predicted]).T

    def each(
        self, places: Sequence[int], cells: Sequence[ColumnData], rows: Indices
    ) -> tuple[Numbers, Numbers]:
        means, lines = [], []
        for found in self._predictions(places, cells):
            means.append(np.average(found, axis=0, weights=self.weights))
            lines.append(found[rows])
        return np.array(means).T, np.array(lines).transpose(2, 1, 0)

    def changed(self, place: int, column: ColumnData) -> Numbers:
        return self.predict(set_columns(self.X, {self.places[place]: column})).T

    def _predictions(self, places: Sequence[int], cells: Sequence[ColumnData]) -> Iterator[Numbers]:
        """Yield what is predicted for all rows in each cell."""
        for number in range(len(cells[0].values)):
            everywhere = np.full(self.n_rows, number)
            columns = {
                self.places[place]: cell.take(everywhere) for place, cell in zip(places, cells, strict=True)
            }
            yield self.predict(set_columns(self.X, columns))


def _table_subject(model: Any, tree: Tree | None, X: Any, sample_weight: Any) -> TableSubject:
    table, n_rows = as_table(X)
    _check_rows(n_rows)
    source, weights = open_table(table), read_weights(sample_weight, n_rows)
    if tree is None:
        classes = _classes_of(model)
        names = source.names
        read: Callable[[int], ColumnData] = cache(lambda place: source.read(place, False))
        known = getattr(model, "feature_names_in_", ())
        if not source.named and len(known) == len(names):
            names = tuple(map(str, known))
        places = list(range(len(names)))
    else:
        matching = _matching(model, tree)
        data = tree._matched(X, **matching)
        classes, names, read = tree.target.classes, tuple(data.names), data.columns.__getitem__
        by_name = matching["named"] and source.named
        places = [source.names.index(name) if by_name else place for place, name in enumerate(names)]
    predict = _predictor(model, classes, n_rows)
    return TableSubject(predict, table, n_rows, names, classes, weights, places, read, tree)


def _check_model(model: Any, asker: str) -> None:
    if isinstance(model, type) or not (hasattr(model, "predict") or hasattr(model, "predict_proba")):
        refuse_model(model, asker, "a fitted model that can predict")
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    if is_classifier(model) and not hasattr(model, "predict_proba"):
        raise DataTypeError(
            f"{asker} averages the probabilities of classes, but {type(model).__name__} has no predict_proba."
            "\nHint: choose a classifier with probabilities, or wrap it in CalibratedClassifierCV."
        )


def _classes_of(model: Any) -> tuple[Any, ...] | None:
    """Return the classes whose probabilities a model predicts; None if it predicts numbers."""
    if not hasattr(model, "predict_proba"):
        return None
    known = getattr(model, "classes_", None)
    return () if known is None else tuple(np.asarray(known, dtype=object).tolist())


def _predictor(model: Any, classes: tuple[Any, ...] | None, n_rows: int) -> Callable[[Any], Numbers]:
    asked = "predict" if classes is None else "predict_proba"
    predict_rows = getattr(model, asked)

    def predict(X: Any) -> Numbers:
        with unheard():  # a column that is set to one value is constant on purpose
            found = np.asarray(predict_rows(X))
        if found.dtype.kind not in "fiub" or found.ndim not in (1, 2) or len(found) != n_rows:
            raise DataTypeError(
                f"{type(model).__name__}.{asked} returned {found.dtype} of shape {found.shape} for "
                f"{many(n_rows, 'row')}; one number or a list of numbers per row can be averaged."
            )
        return found.astype(np.float64).reshape(n_rows, -1)

    return predict
