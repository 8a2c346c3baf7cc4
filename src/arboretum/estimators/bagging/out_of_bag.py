"""Out of bag: each row is judged by the trees that were not grown from it."""

from __future__ import annotations

from typing import Final

import numpy as np

from arboretum._data.queries import Queries
from arboretum._options.measures.of_order import NDCG
from arboretum._tree.leaves import cheapest
from arboretum._types import Array, Mask, Numbers

_PLACES: Final = 10  # that NDCG counts


class OutOfBag:
    """The sums of what trees predict for rows that they have not seen, and the error after each tree."""

    def __init__(
        self,
        targets: Array,
        weights: Numbers | None,
        width: int,
        loss: Numbers | None = None,
        queries: Queries | None = None,
    ) -> None:
        self._targets, self._weights, self._loss = targets, weights, loss
        self._of_classes = width > 1 or targets.dtype.kind == "i"
        self._order = None
        if queries is not None:
            gains = "linear" if targets.min(initial=0.0) >= 0 else "above_lowest"
            self._order = NDCG(targets, queries, _PLACES, gains)
        self._sums = np.zeros((len(targets), width))
        self._times = np.zeros(len(targets), dtype=np.int64)
        self._errors = np.zeros(len(targets))
        self.curve: list[float] = []

    def add(self, rows: Mask, predicted: Numbers) -> None:
        """Take in what one tree predicts for these rows, in their order."""
        self._sums[rows] += predicted
        self._times[rows] += 1
        if self._order is None:
            self._errors[rows] = self._errors_of(rows)
        self.curve.append(self._error())

    @property
    def parts(self) -> dict[str, Array | None]:
        """What a file keeps: targets and weights of the rows, sums and times of predictions, the curve."""
        return {
            "targets": self._targets,
            "weights": self._weights,
            "sums": self._sums,
            "times": self._times,
            "curve": np.array(self.curve),
        }

    def restore(self, sums: Numbers, times: Array, curve: list[float]) -> None:
        """Take in what `parts` gave of predictions."""
        self._sums, self._times, self.curve = sums, times, curve
        if self._order is None:
            seen = times > 0
            self._errors[seen] = self._errors_of(seen)

    @property
    def prediction(self) -> Numbers:
        """The mean prediction for each row, in one column or one per class; NaN where no tree left it out."""
        with np.errstate(invalid="ignore"):
            mean: Numbers = self._sums / self._times[:, None]
        return mean

    @property
    def score(self) -> float:
        """The accuracy; of numbers, R²; of an order, NDCG@10; NaN where no row is judged."""
        seen = self._times > 0
        if not seen.any():
            return np.nan
        if self._of_classes or self._order is not None:
            return 1.0 - self.curve[-1]
        weights = self._of(seen)
        known = self._targets[seen]
        spread = np.average((known - np.average(known, weights=weights)) ** 2, weights=weights)
        if spread == 0:
            return 1.0 if self.curve[-1] == 0 else 0.0
        return float(1.0 - self.curve[-1] / spread)

    def _error(self) -> float:
        """Return the mean error of the rows, or queries, that are judged; NaN if none is."""
        seen = self._times > 0
        if not seen.any():
            return np.nan
        if self._order is None:
            return float(np.average(self._errors[seen], weights=self._of(seen)))
        # A query is left out as a whole.
        queries, means = self._order.queries, np.divide(self._sums[:, 0], np.maximum(self._times, 1))
        weights = np.ones(len(seen)) if self._weights is None else self._weights
        counts = queries.means(np.where(seen, weights, 0.0)) * self._order.defined
        if not counts.any():
            return np.nan
        return 1.0 - float(np.average(self._order._values(means), weights=counts))

    def _of(self, rows: Mask) -> Numbers | None:
        return None if self._weights is None else self._weights[rows]

    def _errors_of(self, rows: Mask) -> Numbers:
        mean = self._sums[rows] / self._times[rows, None]
        if self._of_classes:
            wrong: Numbers = (cheapest(mean, self._loss) != self._targets[rows]).astype(np.float64)
            return wrong
        squares: Numbers = (mean[:, 0] - self._targets[rows]) ** 2
        return squares


def is_flat(curve: list[float], patience: int) -> bool:
    """Return whether the error no longer falls.

    It is flat when its mean over the last `patience` trees is not at least half a percent below its mean over
    the `patience` trees before.

    >>> is_flat([0.4, 0.3, 0.2, 0.2, 0.2, 0.2], 2), is_flat([0.4, 0.3, 0.25, 0.2], 2)
    (True, False)
    """
    if len(curve) < 2 * patience:
        return False
    before, last = np.mean(curve[-2 * patience : -patience]), np.mean(curve[-patience:])
    return bool(last > before * (1 - 0.005))
