"""What a pruner gets and gives: rows to hold out or tuning data in, a smaller tree with its reasons out.

Words: *tuning* data are rows that the tree is not grown from. The pruners themselves have a file each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.growing import Targets
from arboretum.growth import Growth
from arboretum.pruning.folds import FoldMaker
from arboretum.pruning.log import PruningLog
from arboretum.pruning.path import PruningPath
from arboretum.pruning.risks import losses_of
from arboretum.pruning.sequence import shape_of
from arboretum.tree import Tree

__all__ = ["Pruned", "Task", "Tuning", "errors_at_nodes"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Tuning:
    """Rows that the tree is not grown from; weights of targets are those that are reported."""

    data: _core.Dataset
    targets: Targets


@dataclass(frozen=True)
class Task:
    """What a pruner works with."""

    growth: Growth
    folds: FoldMaker
    tuning: Tuning | None  # given by the user; None: rows are held out where a pruner needs some
    verbose: bool

    def held_out(self, rows: npt.NDArray[np.uint32]) -> Tuning:
        """Return training rows as tuning data."""
        return Tuning(self.growth.data.take(rows), self.growth.targets.take(rows))


@dataclass(frozen=True)
class Pruned:
    """A pruned tree, the tree as it was grown, and why."""

    tree: Tree
    grown: Tree
    path: PruningPath | None = None
    log: PruningLog | None = None
    alpha: float | None = None


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
