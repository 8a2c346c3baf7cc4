"""Honest leaves: some rows choose the questions and the size of the tree, others what its leaves predict."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from arboretum._grow.impurities import class_impurities, class_tables, number_impurities, number_tables
from arboretum._grow.leaves.filling import Filler, LeafRows, not_bounded, not_divided
from arboretum._options.criteria import impurity_of
from arboretum._options.rules import Real
from arboretum._options.strategies import AroundLeaf
from arboretum._tree.beside import beside_of
from arboretum._tree.leaves import number_leaves
from arboretum._tree.quantiles import weighted_quantiles
from arboretum._tree.surgery import levels_below_root, with_beside
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Mask, Numbers

_HONEST = "leaf=Honest"


class Honest(AroundLeaf, Filler):
    """Some rows choose the questions and the size of the tree, the other rows what its leaves predict.

    A leaf whose rows were chosen for being alike looks purer than it is: its probabilities are too sure and
    its intervals too narrow. The rows held back here have had no say in where a leaf begins and ends, so
    what they say of it is fair (Athey and Imbens 2016). The price is a smaller tree, grown from fewer rows.

    All numbers of rows, values and impurities that nodes show are those of the rows held back; gains and the
    pruning path are those of the rows that chose the questions. A node that none of the rows held back
    reaches predicts what the nearest node above does.

    >>> import numpy as np
    >>> from arboretum import TreeRegressor
    >>> X = np.arange(400.0).reshape(-1, 1)
    >>> noise = np.random.default_rng(0).normal(size=400)
    >>> honest = TreeRegressor(leaf=Honest(leaf="mean"), prune=None).fit(X, noise)
    >>> usual = TreeRegressor(leaf="mean", prune=None).fit(X, noise)
    >>> [round(float(model.score(X, noise)), 1) for model in (usual, honest)]  # of nothing but noise
    [1.0, -0.2]

    Parameters
    ----------
    share : float
        The share of the rows that give leaves their values, between 0 and 1. They are drawn by
        `random_state`, of each class alike; groups stay together.
    leaf : {"shrinkage", "mean", "median", "frequency", "laplace"} or a leaf option
        What leaves predict.
    """

    share: float = 0.5
    leaf: Any = "shrinkage"

    _names: ClassVar = {"honest": {}}
    _holds_rows_back: ClassVar = True
    _rules: ClassVar = {
        "share": Real("a share of the rows between 0 and 1", above=True, most=1.0, below=True)
    }
    _excludes = (
        not_bounded(_HONEST),
        not_divided(_HONEST, "rows are counted anew, and parts of rows are not"),
    )

    def _filled(self, tree: Tree, rows: LeafRows) -> Tree:
        """Return the tree with the values of these rows."""
        names = ("weight", "impurity" if tree.rule is None else "counts")
        structure = beside_of("structure", {name: tree.array(name) for name in names})
        counted = _Counted(tree, rows)
        arrays = counted.of_numbers() if tree.rule is None else counted.of_classes()
        shape = {"parent": tree.array("parent")}
        leaves = number_leaves if tree.rule is None else tree.rule.leaves
        arrays |= leaves(shape | arrays, tree.shrinkage)
        return with_beside(tree, {"structure": structure}, arrays)


class _Counted:
    """What rows add up to at each node of a tree."""

    def __init__(self, tree: Tree, rows: LeafRows) -> None:
        self._tree, self._rows = tree, rows
        self._resting: Codes = rows.resting(tree)
        self._levels = levels_below_root(tree)[::-1]
        ones = np.ones(len(self._resting))
        self._shown: dict[str, Array] = {
            "n_rows": self._passing(np.bincount(self._resting, ones, len(tree))).astype(np.int64),
            "weight": self._passing(np.bincount(self._resting, rows.reported, len(tree))),
        }

    def _passing(self, resting: Array) -> Array:
        """Return sums over the rows that pass each node, from those over the rows that rest there."""
        sums, parent = resting.astype(np.float64), self._tree.array("parent")
        for level in self._levels:
            np.add.at(sums, parent[level], sums[level])
        return sums

    def of_classes(self) -> dict[str, Array]:
        """Return the arrays of nodes of classes."""
        tree, targets, n_classes = self._tree, self._rows.targets, self._rows.targets.n_classes
        classes = np.asarray(targets.classes, dtype=np.int64)

        def tables(weights: Numbers) -> Numbers:
            return self._passing(class_tables(classes, weights, self._resting, len(tree), n_classes))

        counts = tables(self._rows.reported)
        deciding = counts if targets.case_weights is None else tables(self._rows.deciding)
        impurity: Numbers = class_impurities(impurity_of(tree.criterion), deciding)
        return self._shown | {"counts": counts, "impurity": np.where(self._empty, 0.0, impurity)}

    @property
    def _empty(self) -> Mask:
        empty: Mask = self._shown["n_rows"] == 0
        return empty

    def of_numbers(self) -> dict[str, Array]:
        """Return the arrays of nodes of numbers."""
        if self._tree.criterion == "absolute_error":
            value, impurity = self._medians()
        else:
            value, impurity = self._means()
        return self._shown | {
            "value": value,
            "impurity": np.where(self._empty, 0.0, np.maximum(impurity, 0.0)),
        }

    def _means(self) -> tuple[Numbers, Numbers]:
        numbers, weights = np.asarray(self._rows.targets.numbers), self._rows.deciding
        tables = self._passing(number_tables(numbers, weights, self._resting, len(self._tree)))
        # The second sum is of distances from the mean of all.
        centre = np.average(numbers, weights=weights)
        with np.errstate(invalid="ignore"):
            value = centre + tables[:, 1] / tables[:, 0]
        if self._tree.criterion == "poisson":  # exactly zero where nothing happened
            value = np.where(tables[:, 3] > 0, value, 0.0)
        tables[self._empty, 0] = 1.0
        return value, number_impurities(self._tree.criterion, tables)

    def _medians(self) -> tuple[Numbers, Numbers]:
        order, begin, end = self._rows.by_node(self._tree)
        numbers, weights = np.asarray(self._rows.targets.numbers)[order], self._rows.deciding[order]
        value, impurity = np.full(len(begin), np.nan), np.zeros(len(begin))
        for node, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
            if last > first:
                here = slice(first, last)
                value[node] = weighted_quantiles(numbers[here], weights[here], np.array([0.5]))[0]
                impurity[node] = np.average(np.abs(numbers[here] - value[node]), weights=weights[here])
        return value, impurity
