"""Growing: one tree of an ensemble from its sample of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from arboretum import _core
from arboretum._data.dataset import core_dataset
from arboretum._grow.growth import Growth
from arboretum._grow.leaves.filling import Filler
from arboretum._options.running import in_order
from arboretum._prune.folds import FoldMaker
from arboretum._prune.leaf_filling import grow_prune_and_fill
from arboretum._prune.pruning import Task
from arboretum._tree.importance import column_importance
from arboretum._tree.tree import Tree
from arboretum._types import Mask, Numbers, RowNumbers
from arboretum._warning import unheard
from arboretum.errors import DataError
from arboretum.estimators.bagging.samples import Samples


@dataclass(frozen=True)
class Grown:
    """A tree, how much its columns matter, and what it predicts for the rows it was not grown from."""

    tree: Tree
    importance: Numbers
    left_out: Mask | None = None
    predicted: Numbers | None = None  # one row for each that was left out


@dataclass(frozen=True)
class Grower:
    """The table, encoded once for all trees, and the samples."""

    growth: Growth
    samples: Samples
    judged: bool  # out of bag
    random_state: int | None  # of the folds that pruning makes

    def trees(self, numbers: range, n_threads: int) -> Iterator[Grown]:
        """Yield the trees with these numbers, one after the other, whatever the number of threads."""
        return in_order(self._grown, numbers, n_threads)

    def _grown(self, number: int) -> Grown:
        try:
            with unheard():
                tree = self._tree(number)
        except DataError as error:
            raise DataError(
                f"Tree {number + 1} cannot be grown from its sample of the rows: {error}"
            ) from error
        importance = column_importance(tree)
        if not self.judged:
            return Grown(tree, importance)
        left_out = self.samples.left_out(number)
        table = core_dataset(self.growth.table).take(np.flatnonzero(left_out).astype(np.uint32))
        return Grown(tree, importance, left_out, predictions_for(tree, table))

    def _tree(self, number: int) -> Tree:
        growth = replace(self.growth, draw=self.samples.draw(number))
        rows = self.samples.rows(number)
        settings = growth.settings
        if settings.prune is None and not any(isinstance(layer, Filler) for layer in settings.leaf_layers):
            return growth.tree(rows, in_place=True)
        return self._pruned(growth if rows is None else growth.part(rows), rows)

    def _pruned(self, growth: Growth, rows: RowNumbers | None) -> Tree:
        """Return a tree that is pruned, or whose leaves need rows; copies of a row are held out together."""
        copies = None if rows is None else np.unique(rows, return_inverse=True)[1].astype(np.int64)
        known = growth.targets.classes if growth.targets.numbers is None else growth.targets.numbers
        assert known is not None
        queries, groups = self.samples.queries, copies
        if queries is not None:
            groups = queries.numbers if rows is None else queries.numbers[rows]
        folds = FoldMaker(
            *(growth.n_rows, growth.targets.classes, groups, self.random_state, known, None, groups),
            undivided=queries is not None,
        )
        pruned, _ = grow_prune_and_fill(growth.settings.prune, Task(growth, folds, None, verbose=False))
        return pruned.tree


def node_predictions(tree: Tree) -> Numbers:
    """Return what each node predicts: probabilities, or a column with one number."""
    if tree.target.classes is None:
        return np.ascontiguousarray(tree.array("value").reshape(-1, 1))
    return np.ascontiguousarray(tree.array("probability"))


def predictions_for(tree: Tree, table: _core.Dataset) -> Numbers:
    """Return what a tree predicts for each row of a table in its own columns."""
    values = node_predictions(tree)
    if tree.missing == "fractions":
        return tree._router.blend(table, values)
    found: Numbers = values[tree._router.leaves_of(table)]
    return found
