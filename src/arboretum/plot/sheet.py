"""The sheet: regions, borders and rows of a plane where they lie on a drawing, in places along its axes.

Words: *places* are what matplotlib counts along an axis: days for dates, bands for levels (column_axis.py).
Colours are no matter of this file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from arboretum.plot.column_axis import ColumnAxis, axis_of
from arboretum.plot.plane import Plane, Points
from arboretum.plot.regions import Regions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Sheet", "dress", "on_sheet", "point_size"]

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sheet:
    """What is drawn of a plane, and where; one leaf and one array of corners per region."""

    axes: tuple[ColumnAxis | None, ColumnAxis | None]
    low: Numbers
    high: Numbers
    leaves: list[int]
    corners: list[Numbers]
    depths: list[int]
    borders: list[Numbers]
    neighbours: list[tuple[Numbers, int, int]]  # where leaves meet, and which
    points: Points | None


def on_sheet(plane: Plane, regions: Regions) -> Sheet:
    """Return where everything lies."""
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
    """Give axes the ends and the names of the columns that the sheet shows."""
    ax.set_xlim(float(sheet.low[0]), float(sheet.high[0]))
    if sheet.axes[1] is not None:
        ax.set_ylim(float(sheet.low[1]), float(sheet.high[1]))
    for i, axis in enumerate(sheet.axes):
        if axis is not None:
            axis.dress((ax.xaxis, ax.yaxis)[i], float(sheet.low[i]), float(sheet.high[i]))


def point_size(n_points: int) -> float:
    """Return the area of a point: the smaller the more there are.

    >>> point_size(100), point_size(10_000)
    (34.0, 7.0)
    """
    return float(np.clip(340.0 / max(1.0, n_points**0.5), 7.0, 34.0))
