"""What a report is about: a fitted model, and a table with what is true of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import narwhals.stable.v2 as nw
import numpy as np

from arboretum._data import Dataset, match_dataset
from arboretum._data.queries import Queries, read_queries
from arboretum._data.rows import Rows, Target, as_table
from arboretum._data.tables import open_table
from arboretum._data.targets import match_classes, read_numbers, read_weights
from arboretum._options.criteria import ORDER_CRITERIA
from arboretum._prune.folds import read_groups
from arboretum._show.words import class_names
from arboretum._tree.fitted import has_names, tree_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Numbers
from arboretum.errors import DataError
from arboretum.estimators.base_tree import BaseTree

ASKER: Final = "report()"


class NotShownError(Exception):
    """A section cannot be filled; the message says why, in one sentence."""


@dataclass(frozen=True, eq=False)
class Given:
    """What a fit would be given: the model's columns as they came in, and what belongs to the rows."""

    X: Any
    y: Any
    sample_weight: Any
    groups: Any


@dataclass(frozen=True, eq=False)
class Subject:
    """A model with the rows that it is looked at with. Rows of weight 0 are left out.

    `task` is what the model predicts: "classes", "numbers" or an "order" of rows. `truth` has class numbers
    or numbers, None if they are not known.
    """

    model: Any
    tree: Tree
    task: str
    target: str  # what is predicted, by name
    X: Any  # the model's columns, in the form they were given
    data: Dataset
    truth: Array | None
    weights: Numbers | None
    groups: Array | None  # the number of each row's group
    queries: Queries | None
    n_weightless: int
    given: Given
    places: Indices  # of the rows in the table as it was given

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.data.n_rows

    @property
    def weight(self) -> Numbers:
        """The weight of each row."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @property
    def is_alone(self) -> bool:
        """Whether there is only a tree, without the settings it was grown with."""
        return not isinstance(self.model, BaseTree)

    @cached_property
    def classes(self) -> Array | None:
        """The classes."""
        if self.tree.target.classes is None:
            return None
        known = np.empty(len(self.tree.target.classes), dtype=object)
        known[:] = self.tree.target.classes
        return known

    @cached_property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.tree.target.classes)

    def need_truth(self) -> Array:
        """Return what is true of the rows, or say that it is not known."""
        if self.truth is None:
            raise NotShownError("The table does not say what is true of its rows: no target was given.")
        return self.truth

    @cached_property
    def labels(self) -> Array:
        """The truth as a model is fitted to it."""
        truth = self.need_truth()
        return truth if self.classes is None else self.classes.take(truth)

    def rows(self) -> Rows:
        """Return the table with its truths, from which rows can be taken."""
        truth = self.need_truth()
        if self.classes is None:
            target = Target(None, None, truth.astype(np.float64))
        else:
            target = Target(self.classes, truth.astype(np.intp), None)
        return Rows(self.X, target, self.weights, self.groups)

    def take(self, rows: Indices) -> Subject:
        """Return the same with only these rows."""
        none = None
        numbers = self.queries.numbers[rows] if self.queries is not None else none
        return replace(
            self,
            X=Rows(self.X, Target(none, none, np.zeros(self.n_rows))).take(rows).X,
            data=self.data.take(rows),
            places=self.places[rows],
            truth=none if self.truth is None else self.truth[rows],
            weights=none if self.weights is None else self.weights[rows],
            groups=none if self.groups is None else self.groups[rows],
            queries=none if numbers is None else Queries(np.unique(numbers, return_inverse=True)[1].ravel()),
        )


def read_subject(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, target: str | None) -> Subject:
    """Return what a report is about, or refuse it in one sentence."""
    tree = tree_of(model, ASKER)
    named, owner = has_names(model, tree), type(model).__name__
    data = match_dataset(X, tree.columns, named=named, owner=owner)
    if data.n_rows == 0:
        raise DataError("X has no rows, so that there is nothing to report on.")
    task = "classes" if tree.target.classes is not None else "numbers"
    task = "order" if tree.criterion in ORDER_CRITERIA else task
    own = _own_columns(X, tree, named)
    subject = Subject(
        model=model,
        tree=tree,
        task=task,
        target=_target_name(y, target),
        X=own,
        data=data,
        truth=None,
        weights=read_weights(sample_weight, data.n_rows),
        groups=read_groups(groups, data.n_rows),
        queries=None,
        n_weightless=0,
        given=Given(own, y, sample_weight, groups),
        places=np.arange(data.n_rows),
    )
    if y is not None:
        subject = replace(subject, truth=_read_truth(subject, y))
    if task == "order" and (y is not None or groups is not None):
        subject = replace(subject, queries=read_queries(groups, data.n_rows, ASKER))
    return _with_weight(subject)


def _read_truth(subject: Subject, y: Any) -> Array:
    if subject.classes is None:
        return read_numbers(y, subject.n_rows, ASKER)
    return match_classes(y, subject.n_rows, subject.classes, ASKER)


def _target_name(y: Any, given: str | None) -> str:
    """Return the name of the target: the given one, or that of a series."""
    name = getattr(y, "name", None) if given is None else given
    return name if isinstance(name, str) and name else "the target"


def _own_columns(X: Any, tree: Tree, named: bool) -> Any:
    """Return the table with the columns of the tree only, in the tree's order where they have names."""
    table, _ = as_table(X)
    names = [column.name for column in tree.columns]
    if isinstance(table, Mapping) or not (named and open_table(table).named):
        return table
    frame = nw.from_native(table, eager_only=True)
    return table if frame.columns == names else frame[names].to_native()


def _with_weight(subject: Subject) -> Subject:
    if subject.weights is None or subject.weights.all():
        return subject
    counting = np.flatnonzero(subject.weights > 0)
    if not len(counting):
        raise DataError("All rows have the weight zero, so that there is nothing to report on.")
    return replace(subject.take(counting), n_weightless=subject.n_rows - len(counting))
