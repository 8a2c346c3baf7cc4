"""Conditional inference: does any column have to do with the targets at all?

Words: a column is *testable* in a node if at least two different values and two different targets are known
there. The statistics themselves are in association.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from arboretum.dataset import ColumnData
from arboretum.errors import ParameterError, choices
from arboretum.significance.adjusting import check_adjust, check_level, sidak
from arboretum.significance.asked import Asked
from arboretum.significance.association import STATISTICS, Association, associate, indicators, scores

__all__ = ["Conditional", "column_association"]

Numbers = npt.NDArray[np.float64]


class Conditional(BaseEstimator):
    """A node is divided only if some column and the targets belong together, by a conditional test.

    As in the conditional inference trees of Hothorn, Hornik and Zeileis (2006), R's `ctree`: for every column
    the sum over the rows of value times target (numbers, positions of ordered levels and dates as they are,
    nominal levels and classes as indicators) is compared with its mean and covariance over all orders of the
    targets. The node's p-value is the smallest of all columns, adjusted for their number. No cut is involved,
    so that columns with many values are not favoured.

    It is the test of those trees, not their choice of column: if any column passes, the best question by the
    criterion is asked. A pattern without trend, such as a bump in the middle of a number, is not seen. Rows
    that miss the value of a column are left out of its test, and so are infinite values. Weights are those
    that decide the splits, scaled so that they add up to the number of rows; of divided rows their shares
    count. Where no column is testable the p-value is 1.

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

    _targets = ("classes", "numbers")
    _searches = False

    def __init__(
        self, level: float = 0.05, statistic: str = "quadratic", adjust: str | None = "bonferroni"
    ) -> None:
        self.level = level
        self.statistic = statistic
        self.adjust = adjust

    def _check(self) -> None:
        """Refuse options that are not allowed."""
        level: Any = self.level
        statistic: Any = self.statistic
        check_level(self, level)
        check_adjust(self, self.adjust)
        if not isinstance(statistic, str) or statistic not in STATISTICS:
            raise ParameterError(choices("significance=Conditional(…): statistic", statistic, STATISTICS))

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


def is_usable(column: ColumnData) -> npt.NDArray[np.bool_]:
    """Tell which rows have a value that can be averaged."""
    known = ~column.is_missing()
    return known & np.isfinite(column.values) if column.values.dtype.kind == "f" else known


def column_association(
    column: ColumnData,
    targets: npt.NDArray[Any],
    known: npt.NDArray[np.bool_],
    weights: Numbers,
    statistic: str,
    *,
    of_classes: bool,
) -> Association | None:
    """Return how a column and the targets belong together; None if that cannot be tested.

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
