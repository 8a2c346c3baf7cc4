"""Confidence intervals of an average loss, measured on rows that no model has learnt from.

The level is the share of such intervals that contain the true loss. A unit is what was drawn independently: a
row, or a whole group where rows come in groups.

    zero-one loss, rows of equal weight       exact (Clopper and Pearson 1934)
    zero-one loss with weights or groups      the same for an effective number of rows (Korn, Graubard 1998)
    any other loss                            mean ± t · standard error
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from arboretum._data.scalars import is_real
from arboretum._types import Indices, Numbers
from arboretum.errors import ParameterError
from arboretum.estimators.losses import Loss, ZeroOne, average

Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """An average loss with what is needed for its intervals."""

    loss: float
    error: float  # standard error; NaN if there is only one unit
    n_units: int
    effective: float | None  # number of rows, for the zero-one loss
    lowest: float
    highest: float
    method: str

    def interval(self, level: float) -> Interval:
        """Return the interval at this level."""
        check_level(level)
        if self.loss == math.inf:
            # Something happened that had probability 0: the true loss is infinite as well.
            return math.inf, math.inf
        if self.effective is not None:
            return clopper_pearson(self.loss * self.effective, self.effective, level)
        if math.isnan(self.error):
            return self.lowest, self.highest
        reach = float(stats.t.ppf((1 + level) / 2, self.n_units - 1)) * self.error
        return max(self.loss - reach, self.lowest), min(self.loss + reach, self.highest)


def check_level(level: Any) -> None:
    """Refuse a level that is not between 0 and 1."""
    if not is_real(level) or not 0 < level < 1:
        raise ParameterError(f"level={level!r} is not allowed; give a number between 0 and 1, such as 0.95.")


def clopper_pearson(mistakes: float, n: float, level: float) -> Interval:
    """Return the exact interval of a share, given `mistakes` out of `n`.

    >>> low, high = clopper_pearson(0, 30, 0.95)
    >>> f"{low:.4f} {high:.4f}"
    '0.0000 0.1157'
    """
    tail = (1 - level) / 2
    low = 0.0 if mistakes <= 0 else float(stats.beta.ppf(tail, mistakes, n - mistakes + 1))
    high = 1.0 if mistakes >= n else float(stats.beta.ppf(1 - tail, mistakes + 1, n - mistakes))
    return low, high


def estimate_loss(loss: Loss, losses: Numbers, weights: Numbers | None, groups: Indices | None) -> Estimate:
    """Return the average of the losses of rows, with its standard error.

    Each of n units is one independent term of the error: sqrt(n/(n-1) Σ (Σ of its rows' w (e - m))²) / W.
    """
    mean = average(losses, weights)
    w = np.ones(len(losses)) if weights is None else weights
    losses, w, groups = losses[w > 0], w[w > 0], None if groups is None else groups[w > 0]
    unit = np.arange(len(losses)) if groups is None else np.unique(groups, return_inverse=True)[1].ravel()
    n_units, error = int(unit.max()) + 1, math.nan
    if n_units > 1 and math.isfinite(mean):
        terms = np.bincount(unit, weights=w * (losses - mean))
        error = math.sqrt(n_units / (n_units - 1) * float(np.sum(terms * terms))) / float(np.sum(w))
    plain = groups is None and bool((w == w[0]).all())
    effective = None
    if isinstance(loss, ZeroOne):
        n_rows = float(len(losses))
        by_unit = np.bincount(unit, weights=w).astype(np.float64)
        effective = n_rows if plain else min(n_rows, _effective_number(mean, error, by_unit))
    method = f"t interval over {n_units} {'rows' if groups is None else 'groups'}"
    if effective is not None:
        method = "Clopper-Pearson" if plain else f"Clopper-Pearson with {effective:.1f} effective rows"
    return Estimate(mean, error, n_units, effective, loss.lowest, loss.highest, method)


def _effective_number(share: float, error: float, unit_weights: Numbers) -> float:
    """Return how many rows of equal weight would have this standard error: share · (1 - share) / error².

    Where no row is mistaken, or every row is, nothing varies: then units count by their weights (Kish), and a
    group counts as one row, which is cautious.
    """
    kish = float(np.sum(unit_weights)) ** 2 / float(np.sum(unit_weights * unit_weights))
    if 0 < share < 1 and error > 0:
        return share * (1 - share) / (error * error)
    return kish
