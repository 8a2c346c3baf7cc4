"""The gain of a split, computed the long way with NumPy: the judge where two trees ask different questions.

A total is impurity times weight; a gain is the total of a node less the totals of its two children. Nothing
here is taken from the library under test or from the ones it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ["TOLERANCE", "agree", "gain", "total"]

Numbers = npt.NDArray[np.float64]

# Two numbers are the same when they differ by no more than this share of the larger one,
# or of FLOOR times the scale of what they were made from.
TOLERANCE: Final = 1e-9
FLOOR: Final = 1e-3


def agree(a: float, b: float, scale: float) -> bool:
    """Return whether two numbers are the same up to TOLERANCE.

    `scale` is the size of what the numbers were made from. A number that is small beside it comes out of a
    subtraction and keeps fewer digits, so the tolerance does not shrink below TOLERANCE * FLOOR * scale.
    """
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b), FLOOR * abs(scale))


def _class_weights(y: npt.NDArray[Any], w: Numbers) -> Numbers:
    counts = np.bincount(y, weights=w).astype(np.float64)
    return counts[counts > 0]


def _gini(y: npt.NDArray[Any], w: Numbers) -> float:
    counts = _class_weights(y, w)
    return float((counts * (1.0 - counts / counts.sum())).sum())


def _entropy(y: npt.NDArray[Any], w: Numbers) -> float:
    counts = _class_weights(y, w)
    return float(-(counts * np.log2(counts / counts.sum())).sum())


def _squared_error(y: npt.NDArray[Any], w: Numbers) -> float:
    mean = np.average(y, weights=w)
    return float((w * (y - mean) ** 2).sum())


def _absolute_error(y: npt.NDArray[Any], w: Numbers) -> float:
    """Return the least weighted sum of distances; some observed value attains it."""
    return float(min((w * np.abs(y - centre)).sum() for centre in np.unique(y)))


def _poisson(y: npt.NDArray[Any], w: Numbers) -> float:
    mean = np.average(y, weights=w)
    some = y > 0
    return float((w[some] * y[some] * np.log(y[some] / mean)).sum())


_TOTALS: Final[dict[str, Callable[[npt.NDArray[Any], Numbers], float]]] = {
    "gini": _gini,
    "entropy": _entropy,
    "squared_error": _squared_error,
    "absolute_error": _absolute_error,
    "poisson": _poisson,
}


def total(criterion: str, y: npt.NDArray[Any], w: Numbers) -> float:
    """Return the impurity of these rows times their weight."""
    return _TOTALS[criterion](y, w)


def gain(criterion: str, y: npt.NDArray[Any], w: Numbers, left: npt.NDArray[np.bool_]) -> float:
    """Return by how much the total falls when the rows are divided into `left` and the others."""
    children = total(criterion, y[left], w[left]) + total(criterion, y[~left], w[~left])
    return total(criterion, y, w) - children
