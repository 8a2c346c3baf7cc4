"""Out of bag: each row is judged by the trees that were not grown from it."""

from __future__ import annotations

import numpy as np

from arboretum._tree.leaves import cheapest
from arboretum._types import Array, Mask, Numbers


class OutOfBag:
    """The sums of what trees predict for rows that they have not seen, and the error after each tree."""

    def __init__(self, targets: Array, weights: Numbers | None, width: int, loss: Numbers | None) -> None:
        self._targets, self._weights, self._loss = targets, weights, loss
        self._of_classes = width > 1 or targets.dtype.kind == "i"
        self._sums = np.zeros((len(targets), width))
        self._times = np.zeros(len(targets), dtype=np.int64)
        self._errors = np.zeros(len(targets))
        self.curve: list[float] = []

    def add(self, rows: Mask, predicted: Numbers) -> None:
        """Take in what one tree predicts for these rows, in their order."""
        self._sums[rows] += predicted
        self._times[rows] += 1
        self._errors[rows] = self._errors_of(rows)
        seen = self._times > 0
        self.curve.append(
            float(np.average(self._errors[seen], weights=self._of(seen))) if seen.any() else np.nan
        )

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
        """The accuracy or, of numbers, R²; NaN where no row is judged."""
        seen = self._times > 0
        if not seen.any():
            return np.nan
        if self._of_classes:
            return 1.0 - self.curve[-1]
        weights = self._of(seen)
        known = self._targets[seen]
        spread = np.average((known - np.average(known, weights=weights)) ** 2, weights=weights)
        if spread == 0:
            return 1.0 if self.curve[-1] == 0 else 0.0
        return float(1.0 - self.curve[-1] / spread)

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
