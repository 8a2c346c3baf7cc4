"""Questions as cuts: the trees of ONNX only ask whether a feature is at most a number.

A feature is a column of the matrix that these trees read, known by its place. A branch is a cut, or a number
that the caller chose, called its goal. A feature of codes holds integers and no NaN.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np


@dataclass(frozen=True)
class Cut:
    """`feature <= threshold`: low, else high. NaN is low if `nan_is_low`."""

    feature: int
    threshold: float
    low: Branch
    high: Branch
    nan_is_low: bool = False


Branch = Cut | int


def by_value(feature: int, threshold: float, low: Branch, high: Branch, missing: Branch) -> Branch:
    """Return the cut of a feature of numbers, in which NaN is missing."""
    if missing == low:
        return Cut(feature, threshold, low, high, nan_is_low=True)
    if missing == high:
        return Cut(feature, threshold, low, high)
    # Every number is at most infinity, so only NaN is high.
    return Cut(feature, math.inf, Cut(feature, threshold, low, high), missing)


def by_code(feature: int, branches: Mapping[int, Branch]) -> Branch:
    """Return the cuts that send each code to its branch; unlisted codes follow a neighbour.

    >>> by_code(0, {0: 5, 1: 5, 2: 7})
    Cut(feature=0, threshold=1.5, low=5, high=7, nan_is_low=False)
    """
    runs: list[tuple[int, Branch]] = []  # the last code of each run of codes with the same branch
    for code, branch in sorted(branches.items()):
        if runs and runs[-1][1] == branch:
            runs.pop()
        runs.append((code, branch))
    return _halve(feature, runs)


def _halve(feature: int, runs: list[tuple[int, Branch]]) -> Branch:
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    low, high = _halve(feature, runs[:middle]), _halve(feature, runs[middle:])
    return Cut(feature, runs[middle - 1][0] + 0.5, low, high)


def goals_of(branch: Branch) -> Counter[int]:
    """Return how often a branch ends in each goal."""
    found: Counter[int] = Counter()
    below = [branch]
    while below:
        part = below.pop()
        if isinstance(part, Cut):
            below += [part.low, part.high]
        else:
            found[part] += 1
    return found


_LEAF: Final = "LEAF"


class Forest:
    """Trees of cuts for the operator TreeEnsembleRegressor, which adds up the goals that a row reaches."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.n_trees = 0
        self._nodes: list[tuple[int, int, int, float, int, int, int]] = []
        self._leaves: list[tuple[int, int, int, float]] = []

    def plant(self, root: Branch, target: int, subtrees: Mapping[int, Branch] | None = None) -> None:
        """Add a tree with goals as leaves; a goal that has a subtree continues there."""
        more = subtrees or {}
        tree, self.n_trees = self.n_trees, self.n_trees + 1
        first = len(self._nodes)
        self._nodes.append((0,) * 7)
        open_branches = [(0, root)]
        while open_branches:
            place, branch = open_branches.pop()
            while not isinstance(branch, Cut) and branch in more:
                branch = more[branch]
            if not isinstance(branch, Cut):
                self._nodes[first + place] = (tree, place, 0, 0.0, 0, 0, 0)
                self._leaves.append((tree, place, target, float(branch)))
                continue
            low, high = len(self._nodes) - first, len(self._nodes) - first + 1
            self._nodes += [(0,) * 7, (0,) * 7]
            threshold = self._rounded_down(branch.threshold)
            nan = int(branch.nan_is_low)
            self._nodes[first + place] = (tree, place, branch.feature, threshold, low, high, nan)
            open_branches += [(high, branch.high), (low, branch.low)]

    def _rounded_down(self, threshold: float) -> float:
        """Return the largest number of the type that is at most the threshold."""
        with np.errstate(over="ignore", under="ignore"):
            near = self.dtype.type(threshold)
            if float(near) > threshold:
                near = np.nextafter(near, self.dtype.type(-np.inf))
        return float(near)

    def attributes(self, onnx: Any, n_targets: int) -> dict[str, Any]:
        """Return the attributes of the operator."""
        trees, places, features, thresholds, lows, highs, nans = map(list, zip(*self._nodes, strict=True))
        leaf_trees, leaf_places, targets, weights = map(list, zip(*self._leaves, strict=True))
        found: dict[str, Any] = {
            "n_targets": n_targets,
            "nodes_treeids": trees,
            "nodes_nodeids": places,
            "nodes_featureids": features,
            "nodes_truenodeids": lows,
            "nodes_falsenodeids": highs,
            "nodes_missing_value_tracks_true": nans,
            # A leaf has no branch: place 0 is the root, to which nothing leads.
            "nodes_modes": ["BRANCH_LEQ" if low else _LEAF for low in lows],
            "target_treeids": leaf_trees,
            "target_nodeids": leaf_places,
            "target_ids": targets,
        }
        if self.dtype == np.float32:
            return found | {"nodes_values": thresholds, "target_weights": weights}
        tensor = onnx.numpy_helper.from_array
        return found | {
            "nodes_values_as_tensor": tensor(np.array(thresholds, np.float64), "thresholds"),
            "target_weights_as_tensor": tensor(np.array(weights, np.float64), "goals"),
        }
