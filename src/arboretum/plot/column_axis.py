"""Columns along axes: where their values lie on a drawing, and what stands beside the axis.

Words: a *stored* value becomes a *place*: days for dates, hours or another plain unit for durations, the
number of its band for a level, itself for a number. Which part of a column is looked at is decided elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.dataset import Column
from arboretum.dataset.times import NANOSECONDS
from arboretum.plot.axes import label_places, name_ticks, plain

__all__ = ["ColumnAxis", "axis_of"]

Numbers = npt.NDArray[np.float64]

_UNITS: Final = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0), ("seconds", 1.0))
_MANY: Final = 6  # names beside each other are turned
_LONGEST: Final = 14.0  # em
_MOST: Final = 40  # names


@dataclass(frozen=True)
class ColumnAxis:
    """An axis that shows a column; places are stored values times a factor, plus a shift."""

    column: Column
    factor: float
    shift: float
    unit: str

    @property
    def title(self) -> str:
        """What stands beside the axis."""
        name = plain(self.column.name, longest=32.0)
        return f"{name} ({self.unit})" if self.unit else name

    def places(self, stored: Any) -> Numbers:
        """Return where stored values lie."""
        return np.asarray(stored, dtype=np.float64) * self.factor + self.shift

    def dress(
        self, axis: Any, low: float, high: float, *, longest: float = _LONGEST, most: int = _MOST
    ) -> None:
        """Write names, dates or numbers beside an axis of matplotlib that shows places from low to high.

        Of levels at most so many are named, and not longer than so many em.
        """
        axis.set_label_text(self.title)
        if self.column.levels is not None:
            _write_levels(axis, self.column, longest, most)
        elif self.column.kind == "datetime":
            from arboretum.plot.ticks import DateTicks

            dates: Any = import_module("matplotlib.dates")  # which has no types
            locator: Any = DateTicks()  # type: ignore[no-untyped-call]
            axis.set_major_locator(locator)
            axis.set_major_formatter(dates.ConciseDateFormatter(locator))
        elif self.column.kind == "integer" and high - low > 2:
            axis.get_major_locator().set_params(integer=True)


def axis_of(column: Column, low: float, high: float) -> ColumnAxis:
    """Return the axis for a column of which the stored values from low to high are looked at."""
    if column.kind == "datetime":
        dates: Any = import_module("matplotlib.dates")
        factor = NANOSECONDS[str(column.unit)] / NANOSECONDS["D"]
        shift = float(dates.date2num(np.datetime64(0, "s")))  # what matplotlib counts from can be set
        return ColumnAxis(column, factor, shift, "" if column.timezone is None else "UTC")
    if column.kind == "duration":
        in_seconds = NANOSECONDS[str(column.unit)] / NANOSECONDS["s"]
        span = (high - low) * in_seconds
        unit, seconds = next(((name, size) for name, size in _UNITS if span >= 2 * size), _UNITS[-1])
        return ColumnAxis(column, in_seconds / seconds, 0.0, unit)
    return ColumnAxis(column, 1.0, float(column.offset), "")


def _write_levels(axis: Any, column: Column, longest: float, most: int) -> None:
    places = label_places(len(column.levels or ()), most)
    names = name_ticks([column.format(place) for place in places], longest)
    axis.set_ticks(places, names)
    axis.set_tick_params(length=0)
    if axis.axes.name == "3d":
        return
    if axis.axis_name == "x" and (len(names) > _MANY or max(map(len, names), default=0) > 12):
        for label in axis.get_ticklabels():
            label.set_rotation(40 if len(names) <= 20 else 90)
            label.set_horizontalalignment("right" if len(names) <= 20 else "center")
            label.set_rotation_mode("anchor" if len(names) <= 20 else "default")
            label.set_fontsize(9 if len(names) <= 20 else 7)
