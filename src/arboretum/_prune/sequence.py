"""The weakest-link sequence: ever smaller trees, each the smallest that minimises risk + alpha · complexity.

Alpha is the price of a leaf (or of a level of depth) in units of mean loss per row.
"""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Final

import numpy as np

from arboretum import _core
from arboretum._prune.path import PruningPath
from arboretum._prune.risks import deciding_array, node_risks
from arboretum._tree.surgery import collapse
from arboretum._tree.tree import Tree
from arboretum._types import Codes, Integers, Numbers

# Alphas nearer to each other than this share of the root's risk differ by rounding only.
SAME: Final = 1e-12


def shape_of(tree: Tree) -> _core.Shape:
    """Return the parents and children in the form that the core's pruners take."""
    return _core.Shape(tree.array("parent"), tree.array("first_child"), tree.array("n_children"))


class Sequence:
    """All trees T(alpha) of one grown tree."""

    def __init__(
        self, tree: Tree, measure: str, complexity: str = "leaves", risks: Numbers | None = None
    ) -> None:
        self.tree = tree
        self.measure = measure
        is_shared = risks is not None  # by several outputs, in shares of the root's
        risks = node_risks(tree, measure) if risks is None else risks
        # By weight as reported, also where priors change what classes count: folds then share one scale.
        weight = float(deciding_array(tree, "weight")[0])
        self._risks = risks / weight
        # Losses of classes are of the order of 1; those of numbers may be anything.
        of_numbers = tree.rule is None and not is_shared
        self.unit: float = float(self._risks[0]) if of_numbers and self._risks[0] > 0 else 1.0
        self._tolerance = SAME * float(abs(self._risks[0]))
        links = {"leaves": self._leaf_links, "depth": self._depth_links}[complexity](risks)
        self.alphas: Numbers
        self.node_alpha: Numbers
        self.alphas, self.node_alpha = self._clean(links / weight)

    def beside(self, tree: Tree, measure: str) -> Sequence:
        """Return the same sequence for another tree of the same shape, with what its predictions cost."""
        other = copy(self)
        other.tree, other.measure = tree, measure
        return other

    def _leaf_links(self, risks: Numbers) -> Numbers:
        return _core.weakest_links(self.shape, risks)

    def _depth_links(self, risks: Numbers) -> Numbers:
        """Return for each node the alpha from which on the tree is no deeper than the node."""
        depth, n_children = self.tree.array("depth"), self.tree.array("n_children")
        deepest = int(depth.max())
        own = np.bincount(depth, risks, deepest + 1)
        leaves = np.bincount(depth, np.where(n_children == 0, risks, 0.0), deepest + 1)
        risk = own + np.concatenate([[0.0], np.cumsum(leaves)[:-1]])  # of the tree cut at each depth
        link = np.zeros(deepest + 1)
        hull = deepest
        while hull > 0:  # from the whole tree on: the next depth is where the price of a level is least
            prices = (risk[:hull] - risk[hull]) / (hull - np.arange(hull))
            shallower = int(np.argmin(prices))
            link[shallower:hull] = prices[shallower]
            hull = shallower
        return np.where(n_children == 0, 0.0, link[depth])

    def _clean(self, links: Numbers) -> tuple[Numbers, Numbers]:
        """Return the distinct alphas from 0 up and that of each node, ignoring differences by rounding."""
        links = np.where(links <= self._tolerance, 0.0, links)
        inner = self.tree.array("n_children") > 0
        distinct = np.unique(np.append(links[inner], 0.0))
        last = np.append(np.diff(distinct) > self._tolerance, True)  # of those that are the same
        alphas = distinct[last]
        alphas[0] = 0.0
        cleaned = alphas[np.searchsorted(alphas, links)]
        return alphas, np.where(inner, cleaned, 0.0)

    @cached_property
    def shape(self) -> _core.Shape:
        """The shape of the tree."""
        return shape_of(self.tree)

    def __len__(self) -> int:
        return len(self.alphas)

    @cached_property
    def leaves(self) -> Integers:
        """The number of leaves of each tree."""
        counts = self.sums_over_leaves(np.ones(len(self.tree)))
        return counts.astype(np.int64)

    @cached_property
    def risks(self) -> Numbers:
        """The average training loss of each tree."""
        return self.sums_over_leaves(self._risks)

    @property
    def risk_as_grown(self) -> float:
        """The average training loss of the tree before anything is cut off."""
        return float(self._risks[self.tree.array("n_children") == 0].sum())

    def sums_over_leaves(self, at_node: Numbers) -> Numbers:
        """Return the sum of a quantity over the leaves of each tree."""
        resting = np.zeros(len(self.tree))
        return self.sums_at_steps(self.steps_at(self.alphas), len(self), np.array([at_node, resting]))

    def steps_at(self, prices: Numbers) -> Codes:
        """Return for each node the first of the rising prices at which it is a leaf."""
        steps = np.searchsorted(prices, self.node_alpha - self._tolerance)
        leaf = self.tree.array("n_children") == 0
        return np.where(leaf, 0, steps).astype(np.int32)

    def sums_at_steps(self, steps: Codes, n_steps: int, at_node: Numbers) -> Numbers:
        """Return the sum of a quantity over the leaves of trees whose nodes become leaves at these steps.

        It has the shape (2, nodes): its value at each node if it is a leaf, and at inner nodes if it is not.
        """
        passing, resting = np.ascontiguousarray(at_node)
        return _core.sums_along(self.shape, steps, n_steps, passing, resting)

    def step_of(self, alpha: float) -> int:
        """Return the step of T(alpha)."""
        return int(np.searchsorted(self.alphas, alpha + self._tolerance, side="right")) - 1

    def path(
        self, cv_risk: Numbers | None = None, cv_se: Numbers | None = None, chosen: int | None = None
    ) -> PruningPath:
        """Return what each tree costs, with the losses of held-out rows if they are given."""
        unknown = np.full(len(self), np.nan)
        risk, error = (unknown if known is None else known for known in (cv_risk, cv_se))
        return PruningPath(self.alphas, self.leaves, self.risks, risk, error, chosen)

    def cut(self, alpha: float) -> Tree:
        """Return T(alpha)."""
        return collapse(self.tree, self.node_alpha <= alpha + self._tolerance)
