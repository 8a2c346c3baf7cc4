"""Tables in parts: the growth of a table in memory, and that of its rows in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from arboretum import Tree
from arboretum._data.targets import read_weights
from arboretum._grow.growth import Growth
from arboretum._grow.training_table import read_training_table
from arboretum._prune.pruning import Pruned
from arboretum._types import Array
from arboretum.dask.roots import Root
from arboretum.dask.runner import Runner
from arboretum.dask.tree import PartedGrowth, PartedTable
from support.tables import Table
from support.trees import estimator

__all__ = ["assert_same_pruned", "growth_of", "in_parts", "tree_of"]


def growth_of(table: Table, criterion: str, **params: Any) -> tuple[Growth, Array | None]:
    """What trees of the table are grown from, and its classes."""
    model = estimator(criterion, **({"prune": None} | params))
    read = read_training_table(model._settings(), table.frame(), list(table.targets), "this tree")
    _, growth = read.growth(model._settings(), read_weights(table.weights, table.n_rows))
    return growth, read.classes


def in_parts(
    runner: Runner, growth: Growth, classes: Array | None, cuts: list[int], small_rows: int
) -> PartedGrowth:
    """The growth of the rows, which are cut into parts at these places."""
    rows = [
        (growth.table.take(own), growth.targets.take(own))
        for own in np.split(np.arange(growth.n_rows), sorted(min(cut, growth.n_rows) for cut in cuts))
    ]
    weights = growth.targets.weights
    table = PartedTable(
        growth.table.take(np.zeros(0, dtype=np.int64)),
        rows,
        growth.n_rows,
        weights is not None,
        None if classes is None else tuple(classes.tolist()),
    )
    return PartedGrowth(runner, table, growth.settings, growth.rule, growth.monotone, small_rows=small_rows)


def tree_of(parted: PartedGrowth) -> Tree:
    """The tree of all rows."""
    (tree,) = parted.trees([Root(parted.table.n_rows)])
    return tree


def assert_same_pruned(ours: Pruned, its: Pruned) -> None:
    """All of it: both trees, the path with the losses of held-out rows, the choice and the record."""
    assert ours.alpha == its.alpha
    for own, other in ((ours.grown, its.grown), (ours.tree, its.tree)):
        assert own.shrinkage == other.shrinkage
        assert own.to_json() == other.to_json()
        for name, array in other._arrays.items():
            assert np.array_equal(own.array(name), array, equal_nan=array.dtype.kind == "f"), name
    assert (ours.path is None) == (its.path is None)
    if ours.path is not None and its.path is not None:
        assert ours.path.chosen == its.path.chosen
        for name in ("alpha", "leaves", "risk", "cv_risk", "cv_se"):
            assert np.array_equal(getattr(ours.path, name), getattr(its.path, name), equal_nan=True), name
    assert str(ours.log) == str(its.log)
