"""How impure groups of rows are, in arrays: for questions that are listed or asked by hand.

A group's *table* holds what its rows add up to: the weight of each class, or sums of numbers. The core turns
tables into impurities; only the absolute error is not made of sums.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from arboretum import _core
from arboretum._types import Array, Mask, Numbers

# Of the sums in a table of numbers, those that the core reads: weight, sum, and sum of squares or of y log y.
_SUMS: Final = {"squared_error": (0, 1, 2), "poisson": (0, 3, 4)}


def class_tables(classes: Array, weights: Numbers, groups: Array, n_groups: int, n_classes: int) -> Numbers:
    """Return the weight of each class in each group of rows."""
    cells: Array = np.bincount(groups * n_classes + classes, weights=weights, minlength=n_groups * n_classes)
    return cells.reshape(n_groups, n_classes)


def number_tables(values: Numbers, weights: Numbers, groups: Array, n_groups: int) -> Numbers:
    """Return five sums for each group: of weight, y - mean, the square of that, y, and y log y."""
    # Distances from the mean keep the sum of squares from swallowing small differences of large numbers.
    centred = values - np.average(values, weights=weights)
    logarithms = np.log(values, where=values > 0, out=np.zeros_like(values))
    parts = (np.ones_like(centred), centred, centred**2, values, values * logarithms)
    sums = [np.bincount(groups, weights=weights * part, minlength=n_groups) for part in parts]
    return np.stack(sums, axis=-1)


def class_impurities(criterion: str, tables: Numbers) -> Numbers:
    """Return the impurity of each table of class weights, which is the last axis."""
    rows = np.ascontiguousarray(tables.reshape(-1, tables.shape[-1]))
    found: Numbers = _core.impurities(criterion, rows).reshape(tables.shape[:-1])
    return found


def number_impurities(criterion: str, tables: Numbers) -> Numbers:
    """Return the squared error or Poisson deviance of each table of numbers, which is the last axis."""
    return class_impurities(criterion, tables[..., _SUMS[criterion]])


def may_be_children(criterion: str, tables: Numbers) -> Mask:
    """Return which tables of numbers the criterion allows: with "poisson", none whose targets are all zero.

    A mean of zero would say that nothing ever happens.
    """
    allowed: Mask = (tables[..., 3] > 0) | (criterion != "poisson")
    return allowed


def absolute_error(values: Numbers, weights: Numbers) -> float:
    """Return the sum of weighted distances from the median; weights may be zero."""
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    so_far = np.cumsum(weights)
    if len(values) == 0 or so_far[-1] == 0:
        return 0.0
    median = values[np.searchsorted(so_far, so_far[-1] / 2)]
    return float(weights @ np.abs(values - median))


def split_information(weights: Numbers, aside: float) -> Numbers:
    """Return the information of the answers to each question, from the weights of its children.

    Rows whose value is missing, of the weight `aside`, are one more answer.

    >>> split_information(np.array([[2.0, 1.0]]), aside=1.0).tolist()
    [1.5]
    """
    parts = np.column_stack([weights, np.full(len(weights), aside)])
    return entropy_of(quotient(parts, parts.sum(axis=1, keepdims=True)))


def entropy_of(shares: Numbers) -> Numbers:
    """Return the entropy in bits over the last axis."""
    logarithms = np.log2(shares, where=shares > 0, out=np.zeros_like(shares))
    entropy: Numbers = np.maximum(-np.sum(shares * logarithms, axis=-1), 0.0)
    return entropy


def quotient(above: Numbers, below: Numbers) -> Numbers:
    """Return above / below, and 0 where below is 0: an empty child has no share of anything."""
    shape = np.broadcast_shapes(above.shape, below.shape)
    return np.divide(above, below, out=np.zeros(shape), where=np.broadcast_to(below != 0, shape))
