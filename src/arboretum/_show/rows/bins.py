"""Bins of a histogram: edges of equal width, one of which is the cut.

An axis holds doubles in which values keep their order. A value's side is 0 for the first outcome of a
question and 1 for the second. Bins are closed on the right, as `x <= cut` is.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from arboretum._types import Integers, Numbers

# Beyond this, values count as infinite: widths could neither be computed nor drawn.
_FAR: Final = 1e300


def edges_of(values: Numbers, bins: int) -> Numbers:
    """Return edges of equal width over the finite range of values; one bin for a single value.

    >>> edges_of(np.array([1.0, 2.5]), 3).tolist()
    [1.0, 1.5, 2.0, 2.5]
    """
    low, high, whole = _range(values)
    if low == high:
        reach = _reach(low)
        return np.array([low - reach, low + reach])
    if whole:  # every bin holds equally many integers
        width = max(1.0, math.ceil((high - low + 1) / max(bins, 1)))
        n_bins = max(1, math.ceil((high - low + 1) / width))
        if width < _least_width(low, high):
            return np.array([low, high])
        return np.asarray(low - 0.5 + width * np.arange(n_bins + 1), dtype=np.float64)
    n_bins = max(1, min(bins, math.floor((high / 2 - low / 2) / _least_width(low, high)) * 2))
    edges = np.asarray(low + (high - low) * (np.arange(n_bins + 1) / n_bins), dtype=np.float64)
    edges[-1] = high
    return edges


def edges_around(values: Numbers, side: Integers, cut: float, bins: int) -> Numbers:
    """Return edges of equal width over the finite range of values, so that the cut is one of them.

    Each side that has values has a bin. A cut far from all values is not an edge: it would leave them no
    room.

    >>> edges_around(np.array([1.0, 2.0, 3.0, 5.0]), np.array([0, 0, 1, 1]), 2.5, 5).tolist()
    [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    """
    cut = cut_on_axis(values, cut)
    if not len(values):
        reach = _reach(cut)
        return np.array([cut - reach, cut, cut + reach])
    low, high, whole = _range(values, otherwise=cut)
    both = 0 < int(side.sum()) < len(side)
    if low == high and not both:
        reach = _reach(low)
        if side[0]:
            return np.array([max(low - reach, cut) if cut < low + reach else low - reach, low + reach])
        return np.array([low - reach, min(low + reach, cut) if cut > low - reach else low + reach])
    if both:
        low, high = min(low, cut), max(high, cut)
    width = (high - low) / max(bins - 1, 1) or 1.0
    width = max(math.ceil(width) if whole else width, _least_width(low, high, cut))
    if not both and not low - width <= cut <= high + width:
        return edges_of(values, bins)
    n_left = max(math.ceil((cut - low) / width - 1e-9), 1) if (side == 0).any() else 0
    n_right = max(math.ceil((high - cut) / width - 1e-9), 1) if (side == 1).any() else 0
    return np.asarray(cut + width * np.arange(-n_left, n_right + 1), dtype=np.float64)


def bin_of(values: Numbers, side: Integers | None, edges: Numbers, cut: float | None) -> Integers:
    """Return the bin of each value, on its own side of the cut and inside the edges."""
    n_bins = len(edges) - 1
    place = np.searchsorted(edges, values, side="left") - 1  # NaN comes last
    first, last = np.zeros(len(values), dtype=np.int64), np.full(len(values), n_bins - 1)
    if side is not None and cut is not None:
        at = int(np.searchsorted(edges, cut))
        if 0 < at < n_bins:
            first, last = np.where(side == 1, at, first), np.where(side == 0, at - 1, last)
    return np.clip(place, first, last)


def cut_on_axis(values: Numbers, cut: float) -> float:
    """Return where to draw the cut; an infinite one at the end of the axis."""
    if abs(cut) <= _FAR:
        return cut
    low, high, _ = _range(values)
    return low if cut < 0 else high


def _range(values: Numbers, otherwise: float = 0.0) -> tuple[float, float, bool]:
    """Return the least and the greatest finite value, and whether all are integers."""
    with np.errstate(invalid="ignore"):
        finite = values[np.abs(values) <= _FAR]
    if not len(finite):
        return otherwise, otherwise, False
    low, high = float(finite.min()), float(finite.max())
    return low, high, max(abs(low), abs(high)) < 2**52 and bool((finite == np.floor(finite)).all())


def _least_width(*numbers: float) -> float:
    """Return the width below which edges near these numbers would coincide."""
    return float(2 * np.spacing(max(abs(number) for number in numbers)))


def _reach(value: float) -> float:
    """Return how far a bin around a single value reaches on either side."""
    return max(0.5, abs(value) * 1e-9)
