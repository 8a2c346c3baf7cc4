"""Where growth is open: nodes of a tree in which another choice would have been exactly as good.

A node is open when rounding decides in it: which of two questions is asked, which of two surrogates comes
first, which child takes the rows that nothing can send, or which class is the label. All questions are tried
the long way with NumPy; nothing is taken from the library under test but its trees.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .plain_cross_validation import FoldTree
from .plain_gains import agree
from .pruning_models import only_rows
from .surrogate_oracle import NOWHERE, SurrogateOracle
from .test_rpart import ClassWeights

__all__ = ["open_nodes"]

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]

MOST_EQUALS: Final = 10  # levels of which all subsets are tried


class _Targets:
    """What rows weigh in the search for splits, and how a total impurity is made of sums over rows."""

    def __init__(self, oracle: SurrogateOracle) -> None:
        known = oracle.oracle
        self.is_classification, self.by_entropy = known.is_classification, known.uses_entropy
        y, w = known.target, oracle.case_weights
        if self.is_classification:
            w = ClassWeights(known, w).split_weights
            self.sums = np.eye(known.n_classes)[y] * w[:, None]
        else:
            self.sums = np.column_stack([w, w * y, w * y * y])

    def total(self, sums: Numbers) -> Numbers:
        """Return impurity times weight for each row of sums."""
        if not self.is_classification:
            w = np.where(sums[:, 0] > 0, sums[:, 0], 1.0)
            return np.asarray(sums[:, 2] - sums[:, 1] ** 2 / w)
        weight = sums.sum(axis=1, keepdims=True)
        share = np.divide(sums, weight, out=np.zeros_like(sums), where=weight > 0)
        if not self.by_entropy:
            return np.asarray((sums * (1.0 - share)).sum(axis=1))
        logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
        return np.asarray(-(sums * logs).sum(axis=1))

    def rank(self, sums: Numbers) -> Numbers:
        """Return what levels are put in order by: the mean, or the share of the last class."""
        return np.asarray(
            sums[:, -1] / sums.sum(axis=1) if self.is_classification else sums[:, 1] / sums[:, 0]
        )


def _gains(targets: _Targets, left: Numbers, whole: Numbers) -> Numbers:
    right = whole - left
    return np.asarray(targets.total(whole[None])[0] - targets.total(left) - targets.total(right))


def _fair(n_left: Rows, n_rows: int, least: int) -> npt.NDArray[np.bool_]:
    return np.asarray(np.minimum(n_left, n_rows - n_left) >= least)


def _ordered_gains(targets: _Targets, values: Numbers, sums: Numbers, least: int) -> Numbers:
    """Return the gain of every cut between two values that leaves enough rows on each side."""
    order = np.argsort(values, kind="stable")
    n_left = np.arange(1, len(order))
    fair = (np.diff(values[order]) > 0) & _fair(n_left, len(order), least)
    return _gains(targets, np.cumsum(sums[order], axis=0)[:-1][fair], sums.sum(axis=0))


def _subsets(n: int) -> Rows:
    """Return all subsets of so many levels, one per row, neither none nor all."""
    return np.asarray((np.arange(1, 2**n - 1)[:, None] >> np.arange(n)) & 1)


def _equals(ranks: Numbers) -> list[Rows]:
    """Return the levels in the order of their ranks; those of the same rank together."""
    order = np.argsort(ranks, kind="stable")
    scale = float(np.abs(ranks).max())
    ends = [i for i in range(1, len(order)) if not agree(ranks[order[i - 1]], ranks[order[i]], scale)]
    return np.split(order, ends)


def _nominal_gains(targets: _Targets, values: Numbers, sums: Numbers, least: int) -> tuple[Numbers, Numbers]:
    """Return the gains of the subsets of levels that are tried for sure, and of those that may be tried.

    Of more than two classes all subsets are tried, else the cuts of an order: levels of the same rank may
    come in any order, and with it some questions or others. Where a cut of the order is too small, we try all
    subsets of few levels, and rpart does not.
    """
    levels, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    by_level = np.zeros((len(levels), sums.shape[1]))
    np.add.at(by_level, place, sums)
    none = np.empty((0, len(levels)), dtype=np.int64)
    if targets.is_classification and sums.shape[1] > 2:
        tried = [_subsets(len(levels))[: 2 ** (len(levels) - 1) - 1]], [none]
    else:
        tried = _cuts(_equals(targets.rank(by_level)), len(levels))
        if len(levels) <= MOST_EQUALS:
            tried = tried[0], [_others(np.concatenate([none, *tried[0]]))]
    found = []
    for subsets in (np.concatenate([none, *some]) for some in tried):
        fair = _fair(subsets @ sizes, int(sizes.sum()), least)
        found.append(_gains(targets, subsets[fair] @ by_level, sums.sum(axis=0)))
    return found[0], found[1]


def _others(subsets: Rows) -> Rows:
    """Return all subsets but these and the other sides of these."""
    known = {tuple(side) for subset in subsets for side in (subset, 1 - subset)}
    others = [subset for subset in _subsets(subsets.shape[1]) if tuple(subset) not in known]
    return np.array(others, dtype=np.int64).reshape(-1, subsets.shape[1])


def _cuts(groups: list[Rows], n_levels: int) -> tuple[list[Rows], list[Rows]]:
    """Return the subsets that lie between two groups of equals, and those that divide one."""
    sure, unsure, below = [], [], np.zeros(n_levels, dtype=np.int64)
    for group in groups:
        if len(group) > 1:
            divided = np.tile(below, (2 ** min(len(group), MOST_EQUALS) - 2, 1))
            divided[:, group[:MOST_EQUALS]] = _subsets(min(len(group), MOST_EQUALS))
            unsure.append(divided)
        below = below.copy()
        below[group] = 1
        sure.append(below[None])
    return sure[:-1], unsure


def _has_rivals(oracle: SurrogateOracle, targets: _Targets, rows: Rows) -> bool:
    """Return whether two questions about these rows gain most, or one that may be tried or not."""
    least, sure, unsure = oracle.limits["minbucket"], [np.zeros(2)], [np.zeros(1)]
    for column in oracle.oracle.columns:
        values, nominal = oracle.values[column][rows], column in oracle.oracle.table.levels
        known = ~np.isnan(values)
        sums = targets.sums[rows[known]]
        if nominal and column not in oracle.ordered:
            gains, more = _nominal_gains(targets, values[known], sums, least)
            sure.append(gains)
            unsure.append(more)
        else:
            sure.append(_ordered_gains(targets, values[known], sums, least))
    second, best = np.sort(np.concatenate(sure))[-2:].tolist()
    perhaps = float(np.concatenate(unsure).max())
    scale = float(targets.total(targets.sums[rows].sum(axis=0)[None])[0])
    return agree(second, best, scale) or perhaps > best or agree(perhaps, best, scale)


def _has_open_label(oracle: SurrogateOracle, rows: Rows, prior_weights: Numbers | None, loss: Any) -> bool:
    if prior_weights is None:
        return False
    y, n_classes = oracle.oracle.target[rows], oracle.oracle.n_classes
    costs = np.sort(np.bincount(y, weights=prior_weights[rows], minlength=n_classes) @ loss)
    return agree(float(costs[0]), float(costs[1]), float(prior_weights.sum()))


def _has_open_sides(tree: FoldTree, number: int, rows: Rows) -> bool:
    """Return whether rows that miss the value asked for might go another way."""
    node, oracle = tree.nodes[number], tree.oracle
    assert node.split is not None
    values = oracle.values[node.split.cut.column]
    children = node.split.cut.children(values[rows])
    some_miss = bool((node.split.cut.children(values) == NOWHERE).any())
    agreements = [surrogate.worth for surrogate in node.surrogates]
    levels = any(surrogate.cut.sides is not None for surrogate in node.surrogates)
    left, right = (float(oracle.case_weights[rows[children == c]].sum()) for c in (0, 1))
    open_list = any(agree(a, b, 1.0) for a, b in pairwise(agreements))
    return some_miss and (open_list or levels or agree(left, right, left))


def open_nodes(tree: FoldTree, numbers: set[int]) -> list[int]:
    """Return which of these nodes of the tree of a fold are open."""
    part = only_rows(tree.oracle, tree.rows)
    targets, known = _Targets(part), part.oracle
    loss = 1.0 - np.eye(known.n_classes) if known.loss is None else known.loss
    weights = ClassWeights(known, part.case_weights).prior_weights if known.is_classification else None
    found, waiting = [], [(0, np.arange(len(tree.rows)))]
    while waiting:
        number, rows = waiting.pop()
        if _has_open_label(part, rows, weights, loss):
            found.append(number)
        if number not in numbers:
            continue
        if _has_rivals(part, targets, rows) or _has_open_sides(tree, number, tree.rows[rows]):
            found.append(number)
        node = tree.nodes[number]
        sent = node.send(part.values, rows, by_surrogates=part.sends_by_surrogates)
        waiting += [(child, rows[sent == c]) for c, child in enumerate(node.children)]
    return found
