"""What every cut of a small table gains, worked out on paper: in fractions, and logarithms to 80 digits.

It knows the definitions of the impurities and nothing of how the engine computes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import Node

__all__ = ["ExactCuts", "exact_cuts"]

Rows = Sequence[tuple[Fraction, Any]]  # weight and target
_DIGITS = 80


@dataclass(frozen=True)
class ExactCuts:
    """The impurity of a node, and the gain of each of its cuts by column and rows on the left."""

    impurity: Fraction
    gains: dict[tuple[int, frozenset[int]], Fraction]

    @property
    def best(self) -> Fraction:
        """The largest gain."""
        return max(self.gains.values())

    def gain_of(self, root: Node, X: npt.NDArray[np.float64]) -> Fraction:
        """The gain of the cut that a root asks for."""
        column = int(root.tree.array("column")[0])
        left = frozenset(np.flatnonzero(X[:, column] <= root.tree.array("threshold")[0]).tolist())
        return self.gains[column, left]


def exact_cuts(
    X: npt.NDArray[np.float64], y: Sequence[Any], weights: Sequence[float], criterion: str
) -> ExactCuts:
    """All cuts of a table of numbers; of Poisson, those that leave no side without an event."""
    of_numbers = criterion in ("squared_error", "absolute_error", "poisson")
    rows = [
        (Fraction(float(weight)), Fraction(float(target)) if of_numbers else target)
        for weight, target in zip(weights, y, strict=True)
    ]
    whole, weight = _total(rows, criterion), sum(weight for weight, _ in rows)
    gains = {}
    for column in range(X.shape[1]):
        for value in sorted(set(X[:, column].tolist()))[:-1]:
            goes_left = X[:, column] <= value
            left = [row for row, is_left in zip(rows, goes_left, strict=True) if is_left]
            right = [row for row, is_left in zip(rows, goes_left, strict=True) if not is_left]
            if criterion == "poisson" and not (_sum(left) and _sum(right)):
                continue
            place = column, frozenset(np.flatnonzero(goes_left).tolist())
            gains[place] = (whole - _total(left, criterion) - _total(right, criterion)) / weight
    return ExactCuts(whole / weight, gains)


def _sum(rows: Rows) -> Fraction:
    return sum((weight * y for weight, y in rows), Fraction(0))


def _total(rows: Rows, criterion: str) -> Fraction:
    """The impurity of some rows times their weight."""
    weight = sum((weight for weight, _ in rows), Fraction(0))
    if criterion in ("gini", "entropy", "misclassification"):
        counts: dict[Any, Fraction] = {}
        for own, label in rows:
            counts[label] = counts.get(label, Fraction(0)) + own
        if criterion == "gini":
            return weight - sum(count * count for count in counts.values()) / weight
        if criterion == "misclassification":
            return weight - max(counts.values())
        return (_x_log_x(weight) - sum(map(_x_log_x, counts.values()))) / _log(Fraction(2))
    if criterion == "squared_error":
        return sum((own * y * y for own, y in rows), Fraction(0)) - _sum(rows) ** 2 / weight
    if criterion == "poisson":
        return sum(own * _x_log_x(y) for own, y in rows) - _sum(rows) * _log(_sum(rows) / weight)
    median = _median(rows, weight)
    return sum((own * abs(y - median) for own, y in rows), Fraction(0))


def _median(rows: Rows, weight: Fraction) -> Fraction:
    so_far = Fraction(0)
    for own, y in sorted(rows, key=lambda row: row[1]):
        so_far += own
        if 2 * so_far >= weight:
            return Fraction(y)
    raise AssertionError("half of the weight is never reached")


def _x_log_x(x: Fraction) -> Fraction:
    return x * _log(x) if x else Fraction(0)


def _log(x: Fraction) -> Fraction:
    with localcontext() as context:
        context.prec = _DIGITS
        return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).ln())
