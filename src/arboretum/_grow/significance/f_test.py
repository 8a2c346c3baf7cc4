"""The F test: are the means of the children further apart than their spread explains?"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from scipy.special import fdtrc

from arboretum._grow.significance.adjusting import ADJUST, bonferroni, n_tried
from arboretum._grow.significance.asked import Asked
from arboretum._grow.significance.stopping import QuestionTest
from arboretum._options.choices import Adjustment
from arboretum._types import Integers, Numbers

_ROUNDING: Final = 1e-9  # of weights that are scaled to add up to the number of rows


class FTest(QuestionTest):
    """Numbers: ask a question only if the means of its children differ by a one-way F test.

    The test looks at the targets of the rows, whatever the criterion is, and assumes that they spread equally
    in all children. Weights are scaled so that they add up to the number of rows. Rows whose value is missing
    are left out where the question was judged without them; divided rows count by their shares. The p-value
    of a node with as many children as rows is 1: there is nothing to compare.

    The test does not allow for the cut being the best of many: p-values are too small, and the more values a
    column has, the smaller they get. `Permutation` corrects this.

    >>> from arboretum import TreeRegressor
    >>> TreeRegressor(significance=FTest(level=0.01)).get_params()["significance__adjust"]
    'bonferroni'

    Parameters
    ----------
    level : float
        A node whose p-value is above this becomes a leaf.
    adjust : {"bonferroni"} or None
        "bonferroni": the p-value is multiplied by the number of columns that vary in the node.
    """

    adjust: Adjustment | None = "bonferroni"

    _rules: ClassVar = {"level": QuestionTest._level, "adjust": ADJUST}
    _targets = ("numbers",)

    def _p_value(self, asked: Asked) -> float:
        judged = asked.judged
        numbers = np.asarray(asked.targets.numbers)[judged]
        p_value = f_test(asked.child[judged], numbers, asked.weights(judged))
        return p_value if self.adjust is None else bonferroni(p_value, n_tried(asked))


def f_test(child: Integers, numbers: Numbers, weights: Numbers) -> float:
    """Return the p-value of the one-way F test between the children; weights add up to the number of rows.

    >>> round(f_test(np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, 2, 3, 2, 3, 4]), np.ones(6)), 6)
    0.287864
    """
    _, child = np.unique(child, return_inverse=True)
    weight = np.bincount(child, weights=weights)
    n_children = len(weight)
    n_rows = float(weights.sum())
    if n_children < 2 or n_rows <= n_children * (1.0 + _ROUNDING):
        return 1.0
    away = _centred(numbers, weights)
    mean = np.bincount(child, weights=weights * away) / weight
    between = float(weight @ mean**2) - float(weight @ mean) ** 2 / n_rows
    within = float(weights @ (away - mean[child]) ** 2)
    if between <= 0.0:
        return 1.0
    if within <= 0.0:
        return 0.0
    above, below = n_children - 1, n_rows - n_children
    return float(fdtrc(above, below, (between / above) / (within / below)))


def _centred(numbers: Numbers, weights: Numbers) -> Numbers:
    """Return the distances from the mean in units of the largest: squares neither vanish nor overflow."""
    largest = np.abs(numbers).max()
    scaled = numbers / largest if largest > 0 else numbers
    away = scaled - np.average(scaled, weights=weights)
    furthest = np.abs(away).max()
    return np.asarray(away / furthest if furthest > 0 else away, dtype=np.float64)
