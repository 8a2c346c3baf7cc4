"""Axes in space: what stands beside the two columns and the height, without hiding one another.

Words: a *tick* is a short text at a place along an axis, the *name* of an axis runs along it farther out; the
*pad* is how far, in points. Matplotlib lays these out for short numbers only.
"""

from __future__ import annotations

from typing import Any, Final

from arboretum.plot.column_axis import ColumnAxis
from arboretum.plot.sheet import Sheet
from arboretum.show.text_width import text_width

__all__ = ["dress_in_space", "zoom_for"]

_TICK_SIZE, _NAME_SIZE = 8.0, 9.0  # points
_LONGEST: Final = 9.0  # em of a level
_MOST_LEVELS: Final = 10
_MOST_NUMBERS: Final = 6
_NUMERIC: Final = frozenset({"number", "integer", "duration"})
_FREE: Final = 6.0  # points that matplotlib leaves to ticks before the name of the axis
_LEAST: Final = 9.0
_SLANT: Final = 0.5  # how much of the length of a long tick counts, where the axis runs at an angle
_SHORT: Final = 24.0  # points of a tick that is not long


def zoom_for(sheet: Sheet) -> float:
    """Return how large axes may be, so that what stands beside them is on the figure too."""
    kinds = {axis.column.kind for axis in sheet.axes if axis is not None}
    return 1.0 if kinds <= _NUMERIC else 0.85


def dress_in_space(ax: Any, sheet: Sheet) -> None:
    """Give axes in space the ends and the names of the columns that the sheet shows, and of the height."""
    from arboretum.plot.ticks import NumberTicks

    ax.set_xlim(sheet.low[0], sheet.high[0])
    ax.set_ylim(sheet.low[1], sheet.high[1])
    ax.tick_params(labelsize=_TICK_SIZE)
    for i, axis in enumerate(sheet.axes):
        assert axis is not None
        _dress_column(axis, (ax.xaxis, ax.yaxis)[i], float(sheet.low[i]), float(sheet.high[i]))
    ax.zaxis.get_major_locator().set_params(nbins=_MOST_NUMBERS)
    ax.zaxis.set_major_formatter(NumberTicks())
    ax.set_zlabel("predicted number")
    for drawn, align in ((ax.xaxis, "right"), (ax.yaxis, "left"), (ax.zaxis, "left")):
        _set_apart(drawn, align)


def _dress_column(axis: ColumnAxis, drawn: Any, low: float, high: float) -> None:
    axis.dress(drawn, low, high, longest=_LONGEST, most=_MOST_LEVELS)
    if axis.column.kind in _NUMERIC:
        drawn.get_major_locator().set_params(nbins=_MOST_NUMBERS)
        # In space matplotlib leaves room beside the limits, where nothing is predicted.
        drawn.set_ticks([place for place in drawn.get_majorticklocs() if low <= place <= high])


def _set_apart(drawn: Any, align: str) -> None:
    """Let ticks begin at the axis and its name begin behind them."""
    ticks = drawn.get_ticklabels()
    longest = max((text_width(tick.get_text()) for tick in ticks), default=0.0) * _TICK_SIZE
    for tick in ticks:
        tick.set_horizontalalignment(align)
    drawn.label.set_fontsize(_NAME_SIZE)
    drawn.labelpad = max(_LEAST, min(longest, _SHORT) + _SLANT * max(0.0, longest - _SHORT) - _FREE)
