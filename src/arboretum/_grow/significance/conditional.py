"""Conditional inference: is any column associated with the targets at all?

A column can be tested at a node where at least two values and two targets are known.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from arboretum._data import ColumnData
from arboretum._grow.significance.adjusting import ADJUST, sidak
from arboretum._grow.significance.asked import Asked
from arboretum._grow.significance.association import STATISTICS, Association, associate, indicators, scores
from arboretum._grow.significance.stopping import SignificanceTest
from arboretum._options.choices import Adjustment, Statistic
from arboretum._options.rules import OneOf
from arboretum._types import Array, Mask, Numbers


class Conditional(SignificanceTest):
    """Split a node only if some column is associated with the targets, by a conditional test.

    As in the conditional inference trees of Hothorn, Hornik and Zeileis (2006), R's `ctree`: for every column
    the sum over the rows of value times target (numbers, positions of ordered levels and dates as they are,
    nominal levels and classes as indicators) is compared with its mean and covariance over all orders of the
    targets. The node's p-value is the smallest of all columns, adjusted for their number. No cut is involved,
    so that columns with many values are not favoured.

    It is the test of those trees, not their choice of column: if any column passes, the best question by the
    criterion is asked. A pattern without trend, such as a bump in the middle, goes unnoticed. Rows
    whose value of a column is missing or infinite are left out of its test. Weights are those that decide
    the splits, scaled so that they add up to the number of rows; divided rows count by their shares. Where
    no column is testable the p-value is 1.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(significance=Conditional(), prune=None).fit(X, y)
    >>> f"{model.tree_.root.p_value:.4g}"
    '1.393e-30'

    Parameters
    ----------
    level : float
        A node whose p-value is above this becomes a leaf.
    statistic : {"quadratic", "maximum"}
        "quadratic": all parts of the sum together, which are chi-square distributed. "maximum": the largest
        of them, which is a multivariate normal tail; it is exact where one or two parts are free, and off by
        about one part in a thousand otherwise.
    adjust : {"bonferroni"} or None
        "bonferroni", as `ctree` calls it: 1 - (1 - p) ** m for m testable columns.
    """

    statistic: Statistic = "quadratic"
    adjust: Adjustment | None = "bonferroni"

    _rules: ClassVar = {
        "level": SignificanceTest._level,
        "adjust": ADJUST,
        "statistic": OneOf(tuple(STATISTICS)),
    }

    def _p_value(self, asked: Asked) -> float:
        """Return the smallest p-value of all columns of a node."""
        targets = asked.targets
        given = np.asarray(targets.numbers if targets.classes is None else targets.classes)
        found = []
        for column in asked.columns():
            known = is_usable(column)
            if not known.any():
                continue
            weights = asked.weights(known)
            tested = column_association(
                column, given, known, weights, self.statistic, of_classes=targets.classes is not None
            )
            if tested is not None:
                found.append(tested.p_value)
        if not found:
            return 1.0
        return min(found) if self.adjust is None else sidak(min(found), len(found))


def is_usable(column: ColumnData) -> Mask:
    """Return which rows have a value that can be averaged."""
    known = ~column.is_missing()
    return known & np.isfinite(column.values) if column.values.dtype.kind == "f" else known


def column_association(
    column: ColumnData,
    targets: Array,
    known: Mask,
    weights: Numbers,
    statistic: str,
    *,
    of_classes: bool,
) -> Association | None:
    """Return the association of a column and the targets; None if it cannot be tested.

    `known` are the rows with a value, and `weights` theirs, which add up to their number.
    """
    if not known.any() or weights.sum() <= 1.0:
        return None
    make = indicators if column.column.kind == "nominal" else scores
    side = make(column.values[known], weights)
    other = (indicators if of_classes else scores)(targets[known], weights)
    if side is None or other is None:
        return None
    return associate(side, other, weights, statistic)
