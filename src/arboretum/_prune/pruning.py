"""Pruners: what they take and return. Each has a file of its own.

Tuning data are rows that the tree is not grown from.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

from arboretum import _core
from arboretum._grow.growth import Growth
from arboretum._grow.optimality import Optimality
from arboretum._grow.targets import Targets
from arboretum._options.strategy import Strategy
from arboretum._prune.folds import FoldMaker, RareClasses
from arboretum._prune.log import PruningLog
from arboretum._prune.path import PruningPath
from arboretum._prune.risks import losses_of
from arboretum._prune.sequence import shape_of
from arboretum._tree.tree import Tree
from arboretum._types import Numbers, RowNumbers


@dataclass(frozen=True)
class Tuning:
    """Rows that the tree is not grown from, with the weights that are reported."""

    data: _core.Dataset
    targets: Targets
    rows: RowNumbers | None = None  # which of the training rows they are; None: they are others


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
        return Tuning(self.growth.data.take(rows), self.growth.targets.take(rows), rows)


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
