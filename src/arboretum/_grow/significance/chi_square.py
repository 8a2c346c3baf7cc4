"""The chi-square test of the children of a node by class.

The table has a row per child and a column per class. Simulated tables have the same margins.
"""

from __future__ import annotations

import math
from typing import ClassVar, Final

import numpy as np
from scipy.special import chdtrc
from scipy.stats import fisher_exact, random_table

from arboretum._grow.significance.adjusting import ADJUST, bonferroni, n_tried
from arboretum._grow.significance.asked import Asked
from arboretum._grow.significance.stopping import QuestionTest
from arboretum._options.choices import Adjustment
from arboretum._options.rules import Real, Whole
from arboretum._types import Integers, Numbers

_MOST_SIMULATIONS: Final = 1_000_000
_CELLS_AT_ONCE: Final = 1_000_000
ROUNDING: Final = 1e-9  # statistics that differ by less, in shares, are equal


class ChiSquare(QuestionTest):
    """Classes: ask a question only if its children differ in their classes by Pearson's chi-square test.

    The statistic of the table of children by classes has (children with rows - 1) · (classes present - 1)
    degrees of freedom; no continuity correction is made. Where a count of less than `min_expected` is
    expected, chi-square approximates badly. Then two children by two classes are compared by Fisher's
    exact test, and larger tables with random ones: rows are dealt out to the children again and again, the
    margins stay, and the p-value is (1 + tables whose statistic is as large) / (1 + tables). Dealing stops
    when the p-value can no longer reach the level. `random_state` controls it; None is always the same.

    Weights are those that decide the splits, scaled so that they add up to the number of rows. Weighted small
    tables are always compared with random ones, in which each row keeps its weight and class. Rows with a
    missing value are left out where the question was judged without them; divided rows count by their shares.

    The test does not allow for the cut being the best of many: p-values are too small, and the more values a
    column has, the smaller they get. `Permutation` corrects this.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(significance=ChiSquare(level=0.001), prune=None).fit(X, y)
    >>> [f"{node.p_value:.1g}" for node in model.tree_.walk() if node.p_value is not None]
    ['1e-32', '4e-18', '0.0009', '0.08', '1', '0.3']

    Parameters
    ----------
    level : float
        A node whose p-value is above this becomes a leaf.
    adjust : {"bonferroni"} or None
        "bonferroni": the p-value is multiplied by the number of columns that vary in the node.
    min_expected : float
        The smallest expected count for which chi-square is taken; 0 takes it always.
    simulations : int
        How many random tables are compared at least; ten times as many as a p-value at the level would need
        where that is more, but not more than a million.
    """

    adjust: Adjustment | None = "bonferroni"
    min_expected: float = 5.0
    simulations: int = 9999

    _rules: ClassVar = {
        "level": QuestionTest._level,
        "adjust": ADJUST,
        "simulations": Whole(1),
        "min_expected": Real("a number of 0 or more", finite=True),
    }
    _targets = ("classes",)

    def _p_value(self, asked: Asked) -> float:
        judged = asked.judged
        child, classes = asked.child[judged], np.asarray(asked.targets.classes)[judged].astype(np.int64)
        weights = asked.weights(judged)
        table = _table(child, classes, weights)
        if min(table.shape) < 2:
            return 1.0
        n_tests = 1 if self.adjust is None else n_tried(asked)
        statistic, expected = chi_square(table)
        if expected.min() >= self.min_expected:
            p_value = float(chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), statistic))
        elif table.shape == (2, 2) and (weights == 1.0).all():
            p_value = float(fisher_exact(table.astype(np.int64))[1])
        else:
            random = asked.tested.random(asked.node)
            level = float(self.level) / n_tests
            n_tables = min(_MOST_SIMULATIONS, max(int(self.simulations), math.ceil(10 / level)))
            p_value = simulated(child, classes, weights, level, n_tables, random)
        return bonferroni(p_value, n_tests)


def chi_square(table: Numbers) -> tuple[float, Numbers]:
    """Return the statistic and the expected counts.

    >>> statistic, expected = chi_square(np.array([[8.0, 2], [2, 8]]))
    >>> round(statistic, 6), expected.tolist()
    (7.2, [[5.0, 5.0], [5.0, 5.0]])
    """
    expected = table.sum(axis=1, keepdims=True) * (table.sum(axis=0) / table.sum())
    return float(((table - expected) ** 2 / expected).sum()), expected


def simulated(
    child: Integers,
    classes: Integers,
    weights: Numbers,
    level: float,
    n_tables: int,
    random: np.random.Generator,
) -> float:
    """Return the p-value from random tables, in which rows of the same class and weight are alike."""
    _, child = np.unique(child, return_inverse=True)
    kinds, counts = np.unique(np.stack([classes.astype(np.float64), weights]), axis=1, return_counts=True)
    names, kind_class = np.unique(kinds[0], return_inverse=True)
    weight_of = np.zeros((len(counts), len(names)))  # of a row of each kind, in the column of its class
    weight_of[np.arange(len(counts)), kind_class] = kinds[1]
    drawn = random_table(np.bincount(child), counts)
    least = chi_square(_table(child, classes, weights))[0] * (1.0 - ROUNDING)
    class_weight: Numbers = np.bincount(kind_class, weights=kinds[1] * counts).astype(np.float64)
    enough = math.floor(level * (1 + n_tables))  # this many as large put the p-value above the level
    n_large = n_done = 0
    at_once = max(1, min(1000, _CELLS_AT_ONCE // weight_of.shape[0] // (int(child.max()) + 1)))
    while n_done < n_tables:
        size = min(at_once, n_tables - n_done)
        tables = drawn.rvs(size=size, random_state=random) @ weight_of
        statistics = _statistics(tables, class_weight)
        n_large += int((statistics >= least).sum())
        n_done += size
        if n_large >= enough:
            break
    return (1 + n_large) / (1 + n_done)


def _statistics(tables: Numbers, class_weight: Numbers) -> Numbers:
    """Return the statistic of each of many tables with the same classes."""
    expected = tables.sum(axis=2, keepdims=True) * (class_weight / class_weight.sum())
    return np.asarray(((tables - expected) ** 2 / expected).sum(axis=(1, 2)), dtype=np.float64)


def _table(child: Integers, classes: Integers, weights: Numbers) -> Numbers:
    """Return the weight of each class in each child; children without rows are left out."""
    if not len(child):
        return np.zeros((0, 0))
    shape = (int(child.max()) + 1, int(classes.max()) + 1)
    cells = np.bincount(child * shape[1] + classes, weights=weights, minlength=shape[0] * shape[1])
    table = np.asarray(cells, dtype=np.float64).reshape(shape)
    filled: Numbers = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return filled
