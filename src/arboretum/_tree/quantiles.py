"""Quantiles of numbers that have weights: one definition, for medians of leaves and for `predict_quantile`.

The quantile q is the least number at or below which at least the share q of the weight lies; where that is
exactly the share q, it is the mean of this number and the next. With q = 0.5 that is the median.
"""

from __future__ import annotations

import numpy as np

from arboretum._types import Array, Integers, Numbers

_ROUNDING = 1e-12  # weights add up to a share only up to rounding


def weighted_quantiles(numbers: Numbers, weights: Numbers, shares: Numbers) -> Numbers:
    """Return the quantiles of numbers, at least one, whose weights are positive.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0, 4.0]), np.ones(4), np.array([0.0, 0.5, 0.6])).tolist()
    [1.0, 2.5, 3.0]
    """
    order = np.argsort(numbers, kind="stable")
    return sorted_quantiles(numbers[order], np.cumsum(weights[order]), shares)


def sorted_quantiles(numbers: Numbers, so_far: Numbers, shares: Numbers) -> Numbers:
    """Return the same for numbers in order, with the weight up to each."""
    last, wanted = len(numbers) - 1, shares * so_far[-1]
    lower = numbers[np.minimum(np.searchsorted(so_far, wanted * (1 - _ROUNDING)), last)]
    upper = numbers[np.minimum(np.searchsorted(so_far, wanted * (1 + _ROUNDING), side="right"), last)]
    # Only a share that weights reach exactly lies between two numbers; 0 is the least of them.
    between = np.where(shares > 0, upper, lower)
    found: Numbers = np.where(lower == between, lower, lower / 2 + between / 2)
    return found


def row_ranges(first_child: Array, n_children: Array, resting: Array) -> tuple[Integers, Integers, Integers]:
    """Return an order of rows in which those that pass a node stand together, and where: begin and end.

    `resting` holds the node at which each row rests; a row that rests at an inner node stands before those
    that go on.
    """
    n_nodes = len(first_child)
    own = np.bincount(resting, minlength=n_nodes)
    passing = own.copy()
    inner = np.flatnonzero(n_children > 0)
    for node in inner[::-1].tolist():  # children come after their parents
        first = first_child[node]
        passing[node] += passing[first : first + n_children[node]].sum()
    begin = np.zeros(n_nodes, dtype=np.int64)
    for node in inner.tolist():
        first, last = first_child[node], first_child[node] + n_children[node]
        before = np.concatenate([[0], np.cumsum(passing[first : last - 1])])
        begin[first:last] = begin[node] + own[node] + before
    return np.argsort(begin[resting], kind="stable"), begin, begin + passing
