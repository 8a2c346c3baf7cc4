"""Pruners: what they take and return. Each has a file of its own.

Tuning data are rows that the tree is not grown from.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arboretum import _core
from arboretum._data import Dataset
from arboretum._grow.growth import Growth
from arboretum._grow.optimality import Optimality
from arboretum._grow.targets import Targets
from arboretum._options.strategy import Strategy
from arboretum._prune.folds import FoldMaker, RareClasses
from arboretum._prune.log import PruningLog
from arboretum._prune.path import PruningPath
from arboretum._prune.risks import losses_of
from arboretum._prune.sequence import shape_of
from arboretum._tree.linear_models import MODELS, design_of, models_of, predicted_at
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers, RowNumbers


@dataclass(frozen=True)
class Tuning:
    """Rows that the tree is not grown from, with the weights that are reported."""

    data: _core.Dataset
    targets: Targets
    table: Dataset  # as Python holds them: these rows, or the table that `rows` are of
    rows: RowNumbers | None = None  # which of the training rows they are; None: they are others

    def design(self, places: Array) -> Numbers:
        """Return numeric columns as a matrix; the last one asked for is kept."""
        known: dict[str, Any] = self.__dict__
        if "_design" not in known or not np.array_equal(known["_design"][0], places):
            table = self.table if self.rows is None else self.table.take(self.rows)
            known["_design"] = (places, design_of(table, places))
        found: Numbers = known["_design"][1]
        return found


@dataclass(frozen=True)
class Task:
    """What a pruner works with: how to grow, how to make folds, and tuning data."""

    growth: Growth
    folds: FoldMaker
    tuning: Tuning | None  # given by the user; None: rows are held out where a pruner needs some
    verbose: bool
    rows: RowNumbers | None = None  # those to grow from; None: all
    also_seen: tuple[_core.Dataset, ...] = ()  # other rows, whose values thresholds="table" may take

    def grow(self) -> Tree:
        """Return the tree to be pruned."""
        return self.growth.tree(self.rows, also_seen=self.also_seen)

    def part(self, rows: RowNumbers) -> Task:
        """Return the same for these of the training rows alone."""
        return replace(self, growth=self.growth.part(rows), folds=self.folds.part(rows))

    def held_out(self, rows: RowNumbers) -> Tuning:
        """Return training rows as tuning data."""
        growth = self.growth
        return Tuning(growth.data.take(rows), growth.targets.take(rows), growth.table, rows)


@dataclass(frozen=True)
class Pruned:
    """A pruned tree, the tree as it was grown, and why it was pruned so."""

    tree: Tree
    grown: Tree
    path: PruningPath | None = None
    log: PruningLog | None = None
    alpha: float | None = None
    optimality: Optimality | None = None  # of a tree that was searched for as a whole
    optimal_path: tuple[Any, ...] = ()  # the optimal trees of other sizes that were found


def errors_at_nodes(
    tree: Tree, tuning: Tuning, measure: str, unit: float = 1.0
) -> tuple[Numbers, Numbers, Numbers]:
    """Return what tuning rows cost at each node, and the same with losses squared, both of shape (2, nodes).

    First come the rows that pass a node, then those that go no further than an inner node. Losses are squared
    in units of `unit`: the squares of squared errors could be too large otherwise. Rows that cost infinitely
    much are in neither; the third is their weight.
    """
    if models_of(tree) is not None:
        return _errors_of_models(tree, tuning, unit)
    return values_at_nodes(sums_at_nodes(tree, tuning, measure, unit), len(tree))


def values_at_nodes(sums: Array, n_nodes: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return the numbers that sums of doubled precision stand for."""
    errors, squares, infinite = _core.twofold_values(sums).reshape(3, 2, n_nodes)
    return errors, squares, infinite


def sums_at_nodes(tree: Tree, tuning: Tuning, measure: str, unit: float = 1.0) -> Array:
    """Return the same as sums of doubled precision, which add up over parts of the rows."""
    targets = tuning.targets
    return _core.node_errors(
        tree._router,
        shape_of(tree),
        tuning.data,
        targets.classes,
        targets.n_classes,
        targets.numbers,
        targets.reported_weights,
        losses_of(tree, measure).ravel(),
        measure,
        unit,
    )


def modelled(tree: Tree, tuning: Tuning, nodes: Array, rows: Any = slice(None)) -> Numbers:
    """Return what the linear models of these nodes say of rows of the tuning data, one node for each."""
    models = tree.beside[MODELS]
    return predicted_at(models, nodes, tuning.design(models.whole["column"])[rows])


def _errors_of_models(tree: Tree, tuning: Tuning, unit: float) -> tuple[Numbers, Numbers, Numbers]:
    """Return the same where linear models predict: every row is asked at every node on its path."""
    truth, parent = np.asarray(tuning.targets.numbers), tree.array("parent")
    reported = tuning.targets.reported_weights
    weights = np.ones(len(truth)) if reported is None else reported
    sums, squares = np.zeros((2, 2, len(tree)))
    rows, nodes, is_first = np.arange(len(truth)), tree._router.leaves_of(tuning.data), True
    while len(rows):
        loss = (truth[rows] - modelled(tree, tuning, nodes, rows)) ** 2
        for found, each in ((sums, loss), (squares, (loss / unit) ** 2)):
            by_node = np.bincount(nodes, weights[rows] * each, len(tree))
            found[0] += by_node
            if is_first:
                found[1] += np.where(tree.array("n_children") > 0, by_node, 0.0)
        above, is_first = parent[nodes], False
        rows, nodes = rows[above >= 0], above[above >= 0]
    return sums, squares, np.zeros((2, len(tree)))


class Pruner(Strategy, abstract=True):
    """A way to cut trees back. It may choose the rows to grow from, and then gets the grown tree."""

    _option = "prune"

    @property
    def _wants_tuning(self) -> bool:
        """Whether the pruner would use tuning data."""
        return False

    def _prepared(self, task: Task) -> Task:
        """Return the task with the rows that the tree is to be grown from."""
        return task

    def _rare_classes(self, grown: Tree, task: Task) -> RareClasses | None:
        """Return the classes that are too rare to be in all folds by which the grown tree is judged."""
        return None

    @abstractmethod
    def _prune(self, grown: Tree, task: Task) -> Pruned:
        """Return the pruned tree."""


def prepared_for(pruner: Pruner | None, task: Task) -> Task:
    """Return the task with the rows that the pruner wants the tree to be grown from."""
    return task if pruner is None else pruner._prepared(task)
