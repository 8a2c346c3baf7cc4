"""Ticks along axes: numbers written in full, and as many dates as have room.

Words: *places* are where the ticks of an axis lie; its *room* is how many labels fit beside each other.
This file imports matplotlib: import it where something is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import matplotlib.dates as dates
from matplotlib.ticker import Formatter

__all__ = ["DateTicks", "NumberTicks", "number_text", "tick_text"]

_PLAIN: Final = (1e-4, 1e6)  # numbers of this size are written without an exponent
_FINEST: Final = 12  # digits behind the point
_MOST: Final = 11  # dates, where there is room for all


class NumberTicks(Formatter):
    """Numbers as they are, without a power or a summand that stands at the end of the axis for them all."""

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks."""
        places = [float(value) for value in values]
        return [self.fix_minus(tick_text(place, places)) for place in places]

    def __call__(self, x: float, pos: int | None = None) -> str:
        return self.fix_minus(tick_text(x, []))


def number_text(value: float, digits: int = 3) -> str:
    """Return a number with a few digits, and no exponent unless it is huge or tiny.

    >>> number_text(10712.0), number_text(5.0375), number_text(12345678.0)
    ('10,700', '5.04', '1.23e+07')
    """
    rounded = float(f"{value:.{digits}g}")
    if rounded != 0 and not _PLAIN[0] <= abs(rounded) < _PLAIN[1]:
        return f"{value:.{digits}g}"
    return f"{rounded:,.10g}" if abs(rounded) < 1 else f"{rounded:,.12g}"


def tick_text(value: float, places: Sequence[float]) -> str:
    """Return the label of one of the ticks at these places: with the same number of digits as the others.

    >>> [tick_text(place, [0.0, 0.25, 0.5]) for place in (0.0, 0.25, 0.5)]
    ['0.00', '0.25', '0.50']
    >>> tick_text(12500.0, [7500.0, 10000.0, 12500.0]), tick_text(1.25e7, [5e6, 1.25e7])
    ('12,500', '1.25e+07')
    """
    size = max(map(abs, [value, *places]))
    ordered = sorted({value, *places})
    step = min((b - a for a, b in pairwise(ordered)), default=size)
    if size == 0 or _PLAIN[0] <= size < _PLAIN[1]:
        slack = step * 1e-3
        enough = (
            n for n in range(_FINEST) if all(abs(place - round(place, n)) <= slack for place in ordered)
        )
        return f"{value:,.{next(enough, _FINEST)}f}"
    digits = math.floor(math.log10(size)) - math.floor(math.log10(step)) + 2
    return f"{0.0 if abs(value) < step * 1e-3 else value:.{min(digits, 17)}g}"


class DateTicks(dates.AutoDateLocator):
    """Dates at the steps of a calendar, and no more of them than have room beside each other."""

    def get_locator(self, dmin: Any, dmax: Any) -> Any:
        """Return what finds the places, for the length that the axis has now."""
        axis: Any = self.axis
        room = axis.get_tick_space() * 3 // 4  # a year or a month needs more than a number
        if axis.axes.name == "3d":
            room //= 2  # seen from an angle
        # Steps of a calendar are coarse: to have few ticks at most, few must be enough.
        if room < _MOST:
            self.minticks = 2 if room >= 5 else 1
            self.maxticks = dict.fromkeys(self.maxticks, max(room, 5 if self.minticks == 2 else 3))
        return super().get_locator(dmin, dmax)  # type: ignore[no-untyped-call]
