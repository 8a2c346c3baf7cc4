"""The sheet: regions, borders and rows of a plane at their places on a drawing.

A place is what matplotlib counts along an axis: days for dates, a plain unit for durations, the number of its
band for a level, the value itself for a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import Column
from arboretum._data.times import NANOSECONDS
from arboretum._show.picture.palette import Palette
from arboretum._types import Array, Numbers
from arboretum.plot._axes import Look, label_places, name_ticks, plain
from arboretum.plot._plane.plane import Plane, Points
from arboretum.plot._plane.regions import Regions
from arboretum.plot._ticks import set_date_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNITS: Final = (("days", 86_400.0), ("hours", 3_600.0), ("minutes", 60.0), ("seconds", 1.0))
_MANY: Final = 6  # names; more are turned
_LONGEST: Final = 14.0  # em
_MOST: Final = 40  # names
FAINTEST, STRONGEST = 0.16, 0.52  # share of the colour of a class at the lowest and the highest probability


@dataclass(frozen=True)
class ColumnAxis:
    """An axis that shows a column; a place is a stored value times a factor, plus a shift."""

    column: Column
    factor: float
    shift: float
    unit: str

    @property
    def title(self) -> str:
        """The name of the axis."""
        name = plain(self.column.name, longest=32.0)
        return f"{name} ({self.unit})" if self.unit else name

    def places(self, stored: Any) -> Numbers:
        """Return the places of stored values."""
        return np.asarray(stored, dtype=np.float64) * self.factor + self.shift

    def dress(
        self, axis: Any, low: float, high: float, *, longest: float = _LONGEST, most: int = _MOST
    ) -> None:
        """Write names, dates or numbers beside an axis of matplotlib that shows places from low to high.

        At most `most` levels are named, with names of at most `longest` em.
        """
        axis.set_label_text(self.title)
        if self.column.levels is not None:
            _write_levels(axis, self.column, longest, most)
        elif self.column.kind == "datetime":
            set_date_ticks(axis)
        elif self.column.kind == "integer" and high - low > 2:
            axis.get_major_locator().set_params(integer=True)


def axis_of(column: Column, low: float, high: float) -> ColumnAxis:
    """Return the axis of a column that shows stored values from low to high."""
    if column.kind == "datetime":
        dates: Any = import_module("matplotlib.dates")
        factor = NANOSECONDS[str(column.unit)] / NANOSECONDS["D"]
        shift = float(dates.date2num(np.datetime64(0, "s")))  # matplotlib's origin of dates can be set
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
        turned: dict[str, Any] = {"rotation": 40, "ha": "right", "rotation_mode": "anchor", "fontsize": 9}
        if len(names) > 20:
            turned = {"rotation": 90, "ha": "center", "rotation_mode": "default", "fontsize": 7}
        for label in axis.get_ticklabels():
            label.set(**turned)


@dataclass(frozen=True, eq=False)
class Sheet:
    """What is drawn, and where; one leaf and one array of corners per region."""

    axes: tuple[ColumnAxis | None, ColumnAxis | None]
    low: Numbers
    high: Numbers
    leaves: list[int]
    corners: list[Numbers]
    depths: list[int]
    borders: list[Numbers]
    neighbours: list[tuple[Numbers, int, int]]  # where two leaves meet, and which
    points: Points | None


def on_sheet(plane: Plane, regions: Regions) -> Sheet:
    """Return a plane in places of a drawing."""
    view, columns = plane.view, plane.axes
    axes = [
        None if column is None else axis_of(column, view.low[i], view.high[i])
        for i, column in enumerate(columns)
    ]

    def place(spots: object) -> Numbers:
        given = np.array(spots, dtype=np.float64).reshape(-1, 2)
        moved = [given[:, i] if axis is None else axis.places(given[:, i]) for i, axis in enumerate(axes)]
        return np.column_stack(moved)

    low, high = place([view.low, view.high])
    points = plane.points
    return Sheet(
        (axes[0], axes[1]),
        low,
        high,
        [region.leaf for region in regions.regions],
        [place(region.corners) for region in regions.regions],
        [border.depth for border in regions.borders],
        [place(border.ends) for border in regions.borders],
        [(place(pair.ends), pair.below, pair.above) for pair in regions.neighbours],
        None if points is None else Points(place(points.places), points.targets, points.elsewhere),
    )


def dress(ax: Axes, sheet: Sheet) -> None:
    """Give axes the limits and the names of the columns of a sheet."""
    for i, axis in enumerate(sheet.axes):
        if axis is not None:
            low, high = float(sheet.low[i]), float(sheet.high[i])
            ax.set(**{"xy"[i] + "lim": (low, high)})
            axis.dress((ax.xaxis, ax.yaxis)[i], low, high)


def point_size(n_points: int) -> float:
    """Return the area of a point, smaller where there are many.

    >>> point_size(100), point_size(10_000)
    (34.0, 7.0)
    """
    return float(np.clip(340.0 / max(1.0, n_points**0.5), 7.0, 34.0))


def draw_class_points(
    ax: Axes,
    palette: Palette,
    looks: Sequence[Look],
    points: Points,
    heights: Array,
    *,
    scale: float,
    rims: tuple[float, float],
) -> None:
    """Draw rows in the looks of their classes, hollow if they belong elsewhere.

    `scale` multiplies the size of a point; `rims` are the widths of the lines around full and hollow ones.
    """
    for number in np.unique(points.targets).tolist():
        look = looks[number]
        for hollow in (False, True):
            own = (points.targets == number) & (points.elsewhere == hollow)
            if own.any():
                ax.scatter(
                    points.places[own, 0],
                    heights[own],
                    s=point_size(len(points.targets)) * scale,
                    marker=look.marker,
                    facecolors="none" if hollow else look.colour,
                    edgecolors=look.colour if hollow else palette.card,
                    linewidths=rims[hollow],
                    zorder=3,
                )
