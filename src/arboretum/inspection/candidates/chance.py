"""What questions about the levels of a column gain where the levels say nothing about the target."""

from __future__ import annotations

import math

import numpy as np

from arboretum._grow.impurities import entropy_of
from arboretum.inspection.candidates.questions import Buckets, node_impurity_of
from arboretum.inspection.candidates.targets import ClassTarget, Target


def gain_by_chance(target: Target, buckets: Buckets, nominal: str) -> float:
    """Return what the best question about these levels gains by chance; missing values are one more level.

    "Columns with many levels" in `docs/guide.md` says where the formula comes from. The core computes the
    same.
    """
    n_rows = float(target.weights.sum() ** 2 / np.sum(target.weights**2))
    if n_rows <= 1:
        return math.inf
    n_levels = buckets.n_buckets + buckets.some_missing
    choices, bits, per_level = n_levels - 1.0, 1.0, 0.0
    if isinstance(target, ClassTarget):
        counts = np.bincount(target.values, target.weights)
        shares = counts / counts.sum()
        if nominal == "one_vs_rest":
            choices = min(choices, 2 * math.log(n_levels))
        if nominal != "multiway":
            bits = min(1.0, float(entropy_of(shares)))
        if target.criterion == "entropy":
            n_classes = np.count_nonzero(counts)
            sparse = 1 + (n_levels + 1) * (n_classes + 1) / (6 * n_rows)  # Williams 1976
            per_level = (n_classes - 1) / (2 * math.log(2) * n_rows) * sparse
    if bits == 0:  # one class: there is nothing to gain
        return 0.0
    of_impurity = node_impurity_of(target) / ((n_rows - 1) * bits)
    return target.known_share * choices * max(of_impurity, per_level)
