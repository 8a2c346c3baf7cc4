"""Conditional inference: which column is associated with the targets, if any?

A column can be tested at a node where at least two values and two targets are known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._grow.significance.adjusting import ADJUST, sidak
from arboretum._grow.significance.association import STATISTICS, Association, associate, indicators, scores
from arboretum._grow.significance.choosing import ColumnTest, NodeRows
from arboretum._options.choices import Adjustment, Statistic
from arboretum._options.rules import OneOf
from arboretum._options.strategies import AHEAD, SEVERAL
from arboretum._options.strategy import Exclusion
from arboretum._types import Array, Mask, Numbers
from arboretum.errors import DataError

_NAME: Final = "significance=Conditional"
_MOST_PARTS: Final = 2_000  # of the largest deviation, whose covariances are a square of so many
_LEAST: Final = float(np.sqrt(np.finfo(np.float64).tiny))  # smaller p-values are the same, as in ctree


class Conditional(ColumnTest):
    """Conditional inference trees: ask about the column that a test finds most associated with the targets.

    As Hothorn, Hornik and Zeileis (2006) and R's `ctree` do it. For every column the sum over the rows of
    value times target (numbers, positions of ordered levels and dates as they are, nominal levels and classes
    as indicators) is compared with its mean and covariance over all orders of the targets. The column with
    the smallest p-value is asked about, and the node is a leaf if that p-value, adjusted for the number of
    columns, is above the level. No cut is involved, so that columns with many values are not favoured.

    Only then is a question about that column sought: the one whose two sides differ most by the same
    statistic. For classes that is Pearson's chi-square of the sides by class, whatever the criterion, which
    still measures the impurity of nodes; for numbers it is the best by `criterion`, and "squared_error" is
    that statistic. If the limits on sizes or `monotonic_cst` allow no question about the column, the next
    one that passes the test is asked about.

    A pattern without trend, such as a bump in the middle, goes unnoticed. Rows whose value of a column is
    missing or infinite are left out of its test. Weights are those that decide the splits, scaled so that
    they add up to the number of rows; divided rows count by their shares. Where no column is testable the
    node is a leaf without a p-value. Of columns with the same p-value the one with the larger statistic
    comes first, then the first; as in `ctree`, p-values below 1e-154 are the same.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(significance=Conditional(), prune=None).fit(X, y)
    >>> model.tree_.root.question, f"{model.tree_.root.p_value:.4g}"
    (petal_length <= 2.45, '1.393e-30')

    Parameters
    ----------
    level : float
        A node whose p-value is above this becomes a leaf.
    statistic : {"quadratic", "maximum"}
        "quadratic": all parts of the sum together, which are chi-square distributed. "maximum": the largest
        of them, which is a multivariate normal tail; it is exact where one or two parts are free, and off by
        about one part in a thousand otherwise. It chooses the column; the question is chosen as above.
    adjust : {"bonferroni"} or None
        "bonferroni", as `ctree` calls it: 1 - (1 - p) ** m for m testable columns.
    """

    statistic: Statistic = "quadratic"
    adjust: Adjustment | None = "bonferroni"

    _rules: ClassVar = {
        "level": ColumnTest._level,
        "adjust": ADJUST,
        "statistic": OneOf(tuple(STATISTICS)),
    }
    _excludes = (
        Exclusion(
            _NAME,
            SEVERAL,
            "its test chooses one column",
            'choose questions="axis", or significance=Permutation()',
        ),
        Exclusion(
            _NAME,
            AHEAD,
            "its test chooses the column, whatever lies ahead",
            'choose search="greedy", or significance=Permutation()',
        ),
        Exclusion(
            _NAME,
            'criterion="gain_ratio"',
            "columns are compared by their p-values and not by their gain ratios",
            'choose criterion="entropy", or significance=Permutation()',
        ),
        Exclusion(
            _NAME,
            "column_costs",
            "columns are compared by their p-values, which have no cost",
            "leave the costs out, or choose significance=Permutation()",
        ),
    )

    def _columns(self, at: NodeRows) -> tuple[list[int], float]:
        """Return the columns whose adjusted p-values are no larger than the level, the best first."""
        tests = self._tests(at)
        n_tests = 1 if self.adjust is None else len(tests)
        p_values = {column: sidak(tested.p_value, n_tests) for column, tested in tests.items()}
        passed = [column for column in ranked(tests) if p_values[column] <= self.level]
        return passed, min(p_values.values(), default=math.nan)

    def _tests(self, at: NodeRows) -> dict[int, Association]:
        """Return the association of each testable column with the targets."""
        targets, of_classes = at.known, at.here.classes is not None
        found = {}
        for number in range(len(at.table.columns)):
            column = at.column(number)
            known = is_usable(column)
            if not known.any():
                continue
            weights = at.weights(known)
            tested = column_association(
                column, targets, known, weights, self.statistic, of_classes=of_classes
            )
            if tested is not None:
                found[number] = tested
        return found


def ranked(tests: Mapping[int, Association]) -> list[int]:
    """Return the columns by their p-values; equal ones by their statistics, and then as they come.

    >>> ranked({0: Association(3.0, 0.5), 1: Association(900.0, 1e-170), 2: Association(950.0, 1e-160)})
    [2, 1, 0]
    """

    def rank(column: int) -> tuple[float, float, int]:
        tested = tests[column]
        return (
            _digits(tested.p_value if tested.p_value >= _LEAST else 0.0),
            -_digits(tested.statistic),
            column,
        )

    return sorted(tests, key=rank)


def _digits(number: float) -> float:
    """Return the number without the last digits, in which equal ones may differ by rounding."""
    return float(f"{number:.9e}")


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
    n_parts = len(side.inverse) * len(other.inverse)
    if statistic == "maximum" and n_parts > _MOST_PARTS:
        raise DataError(
            f"Column {column.column.name!r} and the target have {n_parts:,} combinations of values, more "
            f"than the {_MOST_PARTS:,} that statistic='maximum' can compare.\n"
            "Hint: choose Conditional(statistic='quadratic'), or join rare levels."
        )
    return associate(side, other, weights, statistic)
