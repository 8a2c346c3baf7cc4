"""Quantiles of an ensemble: how the targets spread that its trees have in the leaves of a row.

A training row weighs, in each tree, its share of the weight in the leaf, and zero outside; these weights are
averaged over the trees. The mean of the targets with these weights is what an ensemble of means predicts;
their quantiles are those of a quantile regression forest (Meinshausen 2006).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from arboretum._tree.quantiles import sorted_quantiles
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Integers, Numbers
from arboretum.inspection.leaf_answers import read_interval_level, read_shares, require_targets

_MOST_ENTRIES: Final = 2_000_000  # at a time: targets in the leaves of some rows


def forest_quantiles(trees: Sequence[Tree], leaves: Codes, q: object) -> Numbers:
    """Return quantiles for rows whose leaves are given (rows × trees): a column for each of several `q`."""
    shares = read_shares(q)
    values: list[Numbers] = []
    weights: list[Numbers] = []
    begin, end = (np.empty(leaves.shape, dtype=np.int64) for _ in range(2))
    before = 0  # targets of the trees before
    for number, tree in enumerate(trees):
        require_targets(tree)
        its = tree.beside["targets"].arrays
        places = _with_rows(leaves[:, number], tree.array("parent"), its["begin"], its["end"])
        begin[:, number], end[:, number] = its["begin"][places] + before, its["end"][places] + before
        values.append(its["value"])
        weights.append(its["weight"])
        before += len(its["value"])
    value, weight = np.concatenate(values), np.concatenate(weights)
    found = np.empty((len(leaves), shares.size))
    for some in _pieces((end - begin).sum(axis=1)):
        _fill(found[some], begin[some], end[some], value, weight, shares.ravel())
    each: Numbers = found[:, 0] if shares.ndim == 0 else found
    return each


def forest_interval(trees: Sequence[Tree], leaves: Codes, level: object) -> Numbers:
    """Return the quantiles between which the share `level` of the targets lies: rows × 2."""
    read = read_interval_level(level)
    return forest_quantiles(trees, leaves, [(1 - read) / 2, (1 + read) / 2])


def _with_rows(nodes: Codes, parent: Array, begin: Array, end: Array) -> Codes:
    """Return the nodes, each without rows replaced by the nearest above that has some."""
    while (empty := begin[nodes] == end[nodes]).any():
        nodes = np.where(empty, parent[nodes], nodes)
    return nodes


def _pieces(sizes: Integers) -> Iterator[slice]:
    """Yield ranges of rows that have no more targets than memory should hold at once, or of one row."""
    first, total = 0, 0
    for row, size in enumerate(sizes.tolist()):
        if row > first and total + size > _MOST_ENTRIES:
            yield slice(first, row)
            first, total = row, 0
        total += size
    if first < len(sizes):
        yield slice(first, len(sizes))


def _fill(
    found: Numbers, begin: Integers, end: Integers, value: Numbers, weight: Numbers, shares: Numbers
) -> None:
    """Write the quantiles of some rows, by the targets from `begin` to `end` in each tree."""
    lengths = (end - begin).ravel()
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(starts[-1]) + np.repeat(begin.ravel() - starts[:-1], lengths)
    mine = weight[places]
    counts = mine / np.repeat(np.add.reduceat(mine, starts[:-1]), lengths)
    row = np.repeat(np.repeat(np.arange(len(begin)), begin.shape[1]), lengths)
    targets = value[places]
    order = np.lexsort((targets, row))
    targets, counts = targets[order], counts[order]
    ends = np.searchsorted(row, np.arange(len(begin) + 1))  # rows stand in order before and after
    for number, (first, last) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        found[number] = sorted_quantiles(targets[first:last], np.cumsum(counts[first:last]), shares)
