"""The tail of the largest of several dependent normal numbers, computed without random draws.

A factor has a row of length 1 per number; the numbers are its rows times independent normal ones.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri, owens_t

from arboretum._types import Numbers

_LEAST: Final = 1e-10  # eigenvalues below this share of the largest are rounding
_ROUNDING: Final = 1e-12
_POINTS: Final = 2**14
_NUMBERS_AT_ONCE: Final = 4_000_000


def factor_of(covariance: Numbers) -> Numbers:
    """Return the factor of the correlations, as many columns as their rank."""
    deviation = np.sqrt(np.diag(covariance))
    values, vectors = np.linalg.eigh(covariance / np.outer(deviation, deviation))
    kept = values > _LEAST * values.max()
    factor = vectors[:, kept] * np.sqrt(values[kept])
    return np.asarray(factor / np.linalg.norm(factor, axis=1, keepdims=True), dtype=np.float64)


def normal_tail(bound: float, factor: Numbers) -> float:
    """Return the probability that one of the numbers is at least `bound` away from 0.

    It is exact up to a rank of two; beyond, it is off by about one part in a thousand.

    >>> round(normal_tail(1.959963984540054, np.array([[1.0], [-1.0]])), 9)
    0.05
    >>> round(normal_tail(2.0, np.eye(2)), 9), round(float(1 - (1 - 2 * ndtr(-2.0)) ** 2), 9)
    (0.088930254, 0.088930254)
    """
    if bound <= 0.0:
        return 1.0
    rank = factor.shape[1]
    if rank == 1:
        return float(2 * ndtr(-bound))
    return _around(bound, factor) if rank == 2 else _beyond(bound, factor)


def _around(bound: float, factor: Numbers) -> float:
    """Integrate around the polygon in the plane within which all numbers are small.

    Seen from the middle, every side is responsible for the directions that are nearer to its own than to
    those of its neighbours; what lies beyond it there is Owen's T, on both halves of the plane.
    """
    angles = np.sort(np.arctan2(factor[:, 1], factor[:, 0]) % np.pi)
    angles = angles[np.diff(angles, append=angles[0] + np.pi) > _ROUNDING]
    gaps = np.diff(angles, append=angles[0] + np.pi) if len(angles) else np.array([np.pi])
    return float(4 * owens_t(bound, np.tan(gaps / 2)).sum())


def _beyond(bound: float, factor: Numbers) -> float:
    """Draw points where one number is beyond the bound, and weigh them by how many others are.

    The union of J events of probability q has the probability J q E(1 / events that happen), where one of the
    events, each as often as the others, is made to happen (Owen, Maximov, Chertkov 2019). Only the direction
    of the point is drawn: along it, an event happens beyond some distance, the tail of which is chi-square's.
    Points are those of a lattice, so that nothing is left to chance.
    """
    n_events, rank = factor.shape
    single = float(ndtr(-bound))
    if single == 0.0:
        return 0.0
    step = np.sqrt(_primes(rank + 1))
    total, begin = 0.0, 0
    n_points = n_events * -(-_POINTS // n_events)
    at_once = max(1, _NUMBERS_AT_ONCE // (n_events + rank))
    while begin < n_points:
        places = np.arange(begin, min(n_points, begin + at_once))
        uniform = (0.5 + (places[:, None] + 1) * step) % 1.0
        uniform = np.clip(1.0 - np.abs(2.0 * uniform - 1.0), 1e-16, 1.0 - 1e-16)
        chosen = factor[places % n_events]
        free = ndtri(uniform[:, 1:])
        made = -ndtri(uniform[:, 0] * single)
        free += chosen * (made - (free * chosen).sum(axis=1))[:, None]
        along = np.abs(free @ factor.T) / np.linalg.norm(free, axis=1, keepdims=True)
        tail = chdtrc(rank, (bound / np.maximum(along, _LEAST)) ** 2)
        largest, all_tails = tail.max(axis=1), tail.sum(axis=1)
        total += float(np.divide(largest, all_tails, out=np.ones_like(largest), where=all_tails > 0).sum())
        begin += at_once
    return float(min(1.0, n_events * 2 * single * total / n_points))


def _primes(n: int) -> Numbers:
    """Return the first primes."""
    most = int(20 + 2 * n * np.log(n + 1))
    is_prime = np.ones(most, dtype=np.bool_)
    is_prime[:2] = False
    for number in range(2, int(most**0.5) + 1):
        if is_prime[number]:
            is_prime[number * number :: number] = False
    return np.flatnonzero(is_prime)[:n].astype(np.float64)
