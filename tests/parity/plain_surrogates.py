"""The surrogates of a node, searched the long way with NumPy, by rules that were read off rpart's results.

The primary is the cut of the node itself; a row is sendable if its primary value is known and its weight is
not zero. rpart's rule for levels asks for two rows that disagree, ours for two rows each way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from .plain_gains import agree
from .surrogate_oracle import NOWHERE, Candidate, Children, Cut, Numbers, PlainNode, SurrogateOracle

__all__ = ["LevelRule", "count_rows", "plain_surrogates", "worth_of"]

LEAST_ROWS: Final = 2
LEAST_ADJUSTED: Final = 1e-10
LevelRule = Literal["two disagree", "two each way"]


def worth_of(cut: Cut, values: Numbers, primary: Children, weights: Numbers, *, style: int) -> Candidate:
    """Return the agreement and the adjusted agreement of a cut with the primary, on the rows of a node."""
    own = cut.children(values)
    both = (primary != NOWHERE) & (own != NOWHERE)
    judged = both if style == 1 else primary != NOWHERE
    left, right = (float(weights[judged & (primary == child)].sum()) for child in (0, 1))
    agreement = float(weights[both & (own == primary)].sum()) / (left + right)
    majority = max(left, right) / (left + right)
    adjusted = (agreement - majority) / (1.0 - majority) if majority < 1.0 else 0.0
    return Candidate(cut, agreement, adjusted)


def _threshold_cuts(
    column: str, values: Numbers, primary: Children, weights: Numbers
) -> Iterator[tuple[float, Cut]]:
    """Yield the agreeing weight of each cut half-way between two values, from below.

    All rows of the node have a say in what the next value is; only the sendable ones are counted.
    """
    known = ~np.isnan(values)
    order = np.argsort(values[known], kind="stable")
    x, side, w = (a[known][order] for a in (values, primary, weights))
    sendable = (side != NOWHERE) & (w > 0)
    left, right = (np.cumsum(np.where(sendable & (side == child), w, 0.0)) for child in (0, 1))
    count = np.cumsum(sendable)
    for i in np.flatnonzero(x[1:] != x[:-1]):
        if min(count[i], count[-1] - count[i]) >= LEAST_ROWS:
            threshold = float(x[i] + x[i + 1]) / 2
            yield float(left[i] + right[-1] - right[i]), Cut(column, threshold, 0)
            yield float(right[i] + left[-1] - left[i]), Cut(column, threshold, 1)


def _best_threshold(column: str, values: Numbers, primary: Children, weights: Numbers) -> Cut | None:
    """Return the first of the cuts that agree best."""
    best, best_cut = 0.0, None
    for agreeing, cut in _threshold_cuts(column, values, primary, weights):
        if agreeing > best and not agree(agreeing, best, 0.0):
            best, best_cut = agreeing, cut
    return best_cut


def _best_levels(
    column: str, values: Numbers, primary: Children, weights: Numbers, n_levels: int, rule: LevelRule
) -> Cut | None:
    """Return the cut that sends each level to where the primary sends more of its weight.

    A level in balance goes where the primary sends more of the rows that know this column, else to the right.
    """
    sendable = ~np.isnan(values) & (primary != NOWHERE) & (weights > 0)
    level, side, w = values[sendable].astype(np.int64), primary[sendable], weights[sendable]
    weight = np.array([np.bincount(level[side == c], w[side == c], n_levels) for c in (0, 1)])
    count = np.array([np.bincount(level[side == c], minlength=n_levels) for c in (0, 1)])
    heavier = 0 if weight[0].sum() > weight[1].sum() else 1
    sides = np.where(weight[0] > weight[1], 0, np.where(weight[1] > weight[0], 1, heavier))
    sides[count.sum(axis=0) == 0] = NOWHERE
    n_disagreeing = count[1][sides == 0].sum() + count[0][sides == 1].sum()
    n_each_way = min(count[:, sides == child].sum() for child in (0, 1))
    enough = n_disagreeing if rule == "two disagree" else n_each_way
    return Cut(column, sides=sides) if enough >= LEAST_ROWS else None


def _with_levels(cut: Cut, n_levels: int) -> Cut:
    """Return a threshold between ordered levels as rpart shows it: level for level."""
    is_below = np.arange(n_levels) <= cut.threshold
    return Cut(cut.column, sides=np.where(is_below, cut.below, 1 - cut.below))


def plain_surrogates(oracle: SurrogateOracle, number: int, rule: LevelRule) -> tuple[Candidate, ...]:
    """Return the surrogates of one of rpart's nodes, best first; of equals, the first column comes first."""
    node, rows = oracle.nodes[number], oracle.rows_at[number]
    assert node.split is not None
    primary = node.split.cut.children(oracle.values[node.split.cut.column][rows])
    weights, style = oracle.case_weights[rows], oracle.limits["surrogatestyle"]
    found: list[Candidate] = []
    for column in oracle.oracle.columns:
        values, levels = oracle.values[column][rows], oracle.oracle.table.levels.get(column)
        if column == node.split.cut.column:
            continue
        if levels is None or column in oracle.ordered:
            cut = _best_threshold(column, values, primary, weights)
            cut = _with_levels(cut, len(levels)) if cut and levels else cut
        else:
            cut = _best_levels(column, values, primary, weights, len(levels), rule)
        if cut is not None:
            found.append(worth_of(cut, values, primary, weights, style=style))
    found = [candidate for candidate in found if candidate.adjusted > LEAST_ADJUSTED]
    best = sorted(found, key=lambda candidate: -round(candidate.worth, 9))[: oracle.limits["maxsurrogate"]]
    return count_rows(oracle, number, replace(node, surrogates=tuple(best)))


def count_rows(oracle: SurrogateOracle, number: int, node: PlainNode) -> tuple[Candidate, ...]:
    """Return the surrogates of a node, each with the number of rows that no other before it can send."""
    rows, counted = oracle.rows_at[number], []
    assert node.split is not None
    rows = rows[node.split.cut.children(oracle.values[node.split.cut.column][rows]) == NOWHERE]
    for surrogate in node.surrogates:
        children = surrogate.cut.children(oracle.values[surrogate.cut.column][rows])
        n_sent = int((children != NOWHERE).sum()) if oracle.sends_by_surrogates else 0
        counted.append(replace(surrogate, n_rows=n_sent))
        rows = rows[children == NOWHERE] if oracle.sends_by_surrogates else rows
    return tuple(counted)
