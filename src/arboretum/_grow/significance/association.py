"""How strongly a column and the targets are associated, compared with all orders of the targets.

Each side is a set of scores (numbers, ordered levels) or of indicators (one per level or class). The linear
statistic sums the products of both sides over the rows; its mean and covariance over all orders of the
targets are known (Strasser and Weber 1999; Hothorn, Hornik and Zeileis 2006).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import chdtrc

from arboretum._grow.significance.normal_tail import factor_of, normal_tail
from arboretum._types import Array, Integers, Numbers


@dataclass(frozen=True)
class Scores:
    """Numbers minus their mean, rescaled."""

    covariance: Numbers
    inverse: Numbers
    centred: Numbers
    rank: int = 1


@dataclass(frozen=True)
class Indicators:
    """The level or class of each row as a number, and the share of the weight that each level has."""

    share: Numbers
    place: Integers

    @property
    def inverse(self) -> Numbers:
        """The diagonal of an inverse of the covariance that serves for what adds up to zero."""
        return np.asarray(1.0 / self.share)

    @property
    def covariance(self) -> Numbers:
        """The whole matrix, quadratic in the number of levels: computed only where it is needed."""
        return np.asarray(np.diag(self.share) - np.outer(self.share, self.share))

    @property
    def rank(self) -> int:
        """The number of free indicators, one less than there are: they add up to one."""
        return len(self.share) - 1


Side = Scores | Indicators


@dataclass(frozen=True)
class Association:
    """A statistic and its p-value: the chance of one this large if column and targets are unrelated."""

    statistic: float
    p_value: float


def scores(values: Array, weights: Numbers) -> Scores | None:
    """Return the scores of numbers; None if they are all equal. The unit does not matter."""
    numbers = np.asarray(values, dtype=np.float64)
    largest = np.abs(numbers).max()
    numbers = numbers / largest if largest > 0 else numbers
    away = numbers - float(weights @ numbers) / float(weights.sum())
    furthest = np.abs(away).max()
    if furthest == 0.0 or (values == values[0]).all():
        return None
    away /= furthest
    variance = float(weights @ away**2) / float(weights.sum())
    return Scores(np.array([[variance]]), np.array([1.0 / variance]), away)


def indicators(places: Array, weights: Numbers) -> Indicators | None:
    """Return the indicators of levels or classes; None if there is only one."""
    present, place = np.unique(places, return_inverse=True)
    if len(present) < 2:
        return None
    share = np.bincount(place, weights=weights) / weights.sum()
    return Indicators(share, place.astype(np.int64))


def associate(column: Side, targets: Side, weights: Numbers, statistic: str) -> Association:
    """Return the statistic of a kind and its p-value."""
    return STATISTICS[statistic](column, targets, weights)


def _deviation(column: Side, targets: Side, weights: Numbers) -> Numbers:
    """Return the linear statistic minus its mean, one row per part of the column."""
    shape = (len(column.inverse), len(targets.inverse))
    if isinstance(column, Indicators) and isinstance(targets, Indicators):
        cells = column.place * shape[1] + targets.place
        table = np.bincount(cells, weights=weights, minlength=shape[0] * shape[1]).reshape(shape)
        return np.asarray(table - np.outer(table.sum(axis=1), table.sum(axis=0)) / weights.sum())
    if isinstance(column, Scores) and isinstance(targets, Scores):
        return np.asarray((weights * column.centred) @ targets.centred).reshape(shape)
    if isinstance(column, Scores):
        column, targets = targets, column
    assert isinstance(column, Indicators)
    assert isinstance(targets, Scores)
    return np.asarray(np.bincount(column.place, weights=weights * targets.centred), np.float64).reshape(shape)


def _quadratic(column: Side, targets: Side, weights: Numbers) -> Association:
    """Combine all deviations in units of their covariance: chi-square with its rank as degrees of freedom.

    The covariance of the linear statistic is n² / (n - 1) times the product of those of both sides.
    """
    n_rows = float(weights.sum())
    deviation = _deviation(column, targets, weights)
    squares = float(column.inverse @ deviation**2 @ targets.inverse) * (n_rows - 1.0) / n_rows**2
    return Association(squares, float(chdtrc(column.rank * targets.rank, squares)))


def _maximum(column: Side, targets: Side, weights: Numbers) -> Association:
    """Take the largest deviation in units of its standard deviation: a multivariate normal tail."""
    n_rows = float(weights.sum())
    variance = np.outer(np.diag(column.covariance), np.diag(targets.covariance)) * n_rows**2 / (n_rows - 1.0)
    largest = float((np.abs(_deviation(column, targets, weights)) / np.sqrt(variance)).max())
    factor = np.asarray(np.kron(factor_of(column.covariance), factor_of(targets.covariance)), np.float64)
    return Association(largest, normal_tail(largest, factor))


STATISTICS: Final[dict[str, Callable[[Side, Side, Numbers], Association]]] = {
    "quadratic": _quadratic,
    "maximum": _maximum,
}
