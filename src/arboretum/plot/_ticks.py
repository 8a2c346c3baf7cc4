"""Ticks along axes: numbers written in full, and as many dates as have room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

_PLAIN: Final = (1e-4, 1e6)  # numbers of this size are written without an exponent
_FINEST: Final = 12  # digits after the point


def set_number_ticks(axis: Any) -> None:
    """Write the numbers beside an axis in full."""
    from arboretum.plot._artists import NumberTicks

    axis.set_major_formatter(NumberTicks())


def set_date_ticks(axis: Any) -> None:
    """Put dates beside an axis, at the steps of a calendar."""
    from arboretum.plot._artists import DateTicks

    dates: Any = import_module("matplotlib.dates")  # which has no types
    locator: Any = DateTicks()  # type: ignore[no-untyped-call]
    axis.set_major_locator(locator)
    axis.set_major_formatter(dates.ConciseDateFormatter(locator))


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
    """Return the label of a tick at one of these places, with as many digits as the others.

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
