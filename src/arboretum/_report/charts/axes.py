"""Axes: from a value to a place on a chart, and the round values that are written beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from arboretum._show.words import compact

_STEPS: Final = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True)
class Axis:
    """The range of an axis, with marks at round values; `log` spaces equal factors equally."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    log: bool = False

    def share(self, value: float) -> float:
        """Return how far along the axis a value lies, from 0 to 1."""
        value = min(self.high, max(self.low, value))
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def linear(low: float, high: float, *, percent: bool = False, n_ticks: int = 5) -> Axis:
    """Return an axis over a range, widened where there is none.

    >>> [text for _, text in linear(0.0, 1.0, percent=True).ticks]
    ['0%', '20%', '40%', '60%', '80%', '100%']
    """
    if not high > low:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    step = _round_step((high - low) / n_ticks)
    first = math.ceil(low / step - 1e-9)
    places = [
        round((first + k) * step, 12) for k in range(2 * n_ticks) if (first + k) * step <= high + 1e-9 * step
    ]
    write = (lambda value: f"{100 * value:.3g}%") if percent else compact
    return Axis(low, high, tuple([(place, write(place)) for place in places]))


def padded(low: float, high: float) -> Axis:
    """Return an axis with some room at both ends, so that no mark is cut."""
    room = 0.04 * (high - low)
    return linear(low - room, high + room)


def _round_step(least: float) -> float:
    unit = 10.0 ** math.floor(math.log10(least))
    return next(times * unit for times in _STEPS if times * unit >= least * (1 - 1e-9))


def logarithmic(low: float, high: float) -> Axis:
    """Return an axis of whole numbers from 1 upwards, marked at 1, 2, 5, 10, …"""
    low, high = max(1.0, low), max(high, low, 2.0)
    marks = [times * 10**power for power in range(12) for times in (1, 2, 5)]
    kept = [mark for mark in marks if low <= mark <= high]
    if len(kept) > 7:
        kept = [mark for mark in kept if str(mark)[0] == "1"]
    return Axis(low, high, tuple([(float(mark), compact(float(mark))) for mark in kept]), log=True)


def named(names: tuple[str, ...]) -> Axis:
    """Return an axis with a place for each name, at 0.5, 1.5, …"""
    return Axis(0.0, float(max(1, len(names))), tuple([(k + 0.5, name) for k, name in enumerate(names)]))
