"""Filling: rows go down a finished tree, and leaf options make of them what its nodes predict and keep."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from arboretum import _core
from arboretum._data import Dataset
from arboretum._grow.targets import Targets
from arboretum._options.strategies import FilledLeaf
from arboretum._options.strategy import Exclusion
from arboretum._tree.quantiles import row_ranges
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Integers, Numbers


@dataclass(frozen=True)
class LeafRows:
    """The rows that give the nodes of a tree their values."""

    data: _core.Dataset
    targets: Targets
    table: Dataset  # the same rows, as Python holds them

    @property
    def deciding(self) -> Numbers:
        """The weights by which questions are judged."""
        return _or_ones(self.targets.weights, self.targets.n_rows)

    @property
    def reported(self) -> Numbers:
        """The weights that nodes show."""
        return _or_ones(self.targets.reported_weights, self.targets.n_rows)

    def resting(self, tree: Tree) -> Codes:
        """Return the node at which each row rests."""
        return tree._router.leaves_of(self.data)

    def by_node(self, tree: Tree) -> tuple[Integers, Array, Array]:
        """Return an order of the rows, and where those that pass each node begin and end in it."""
        return row_ranges(tree.array("first_child"), tree.array("n_children"), self.resting(tree))


def _or_ones(weights: Numbers | None, n_rows: int) -> Numbers:
    return np.ones(n_rows) if weights is None else weights


class Filler(FilledLeaf, abstract=True):
    """A leaf option that changes what nodes predict or keep."""

    @abstractmethod
    def _filled(self, tree: Tree, rows: LeafRows) -> Tree:
        """Return the tree with what these rows say."""


def not_divided(name: str, why: str) -> Exclusion:
    """Return the exclusion of rows in fractions."""
    return Exclusion(name, 'missing="fractional"', why, 'choose missing="category" or missing="surrogate"')


def not_ordered(name: str) -> Exclusion:
    """Return the exclusion of an order within queries."""
    return Exclusion(
        name,
        "order within queries",
        "the targets of rows stand for slopes of a loss, whose quantiles say nothing about an order",
        'choose leaf="mean" or leaf="shrinkage"',
    )


def not_bounded(name: str) -> Exclusion:
    """Return the exclusion of monotone columns."""
    return Exclusion(
        name,
        "monotonic_cst",
        "values that are found after growth may break the constraint",
        'choose leaf="mean" or leaf="shrinkage"',
    )
