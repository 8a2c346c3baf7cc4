"""Ticks and points that derive from matplotlib's classes; imported only where something is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import matplotlib.dates as dates
import numpy as np
from matplotlib.ticker import Formatter
from mpl_toolkits.mplot3d.art3d import Line3D  # type: ignore[import-untyped]
from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped]

from arboretum._types import Mask, Numbers
from arboretum.plot._plane.polygons import hold_each
from arboretum.plot._ticks import tick_text

_MOST_DATES: Final = 11  # where there is room for all
_CLOSE: Final = 1e-6  # how much nearer to the eye a tile must be than a point that may lie on it


class NumberTicks(Formatter):
    """Numbers in full, without a power or an offset at the end of the axis."""

    def format_ticks(self, values: Any) -> list[str]:
        """Return the labels of all ticks."""
        places = [float(value) for value in values]
        return [self.fix_minus(tick_text(place, places)) for place in places]

    def __call__(self, x: float, pos: int | None = None) -> str:
        return self.fix_minus(tick_text(x, []))


class DateTicks(dates.AutoDateLocator):
    """Dates at the steps of a calendar, no more of them than have room."""

    def get_locator(self, dmin: Any, dmax: Any) -> Any:
        """Return what finds the places, for the present length of the axis."""
        axis: Any = self.axis
        room = axis.get_tick_space() * 3 // 4  # a year or a month needs more than a number
        if axis.axes.name == "3d":
            room //= 2  # seen at an angle
        # Calendar steps are coarse: for few ticks at most, few must be enough.
        if room < _MOST_DATES:
            self.minticks = 2 if room >= 5 else 1
            self.maxticks = dict.fromkeys(self.maxticks, max(room, 5 if self.minticks == 2 else 3))
        return super().get_locator(dmin, dmax)  # type: ignore[no-untyped-call]


class VisiblePoints(Line3D):
    """Marks at points in space, without a line between them; points behind tiles of a surface are left out.

    Matplotlib draws all points before or after a surface, so the points themselves find out in every view
    which of them are visible.
    """

    def __init__(self, points: Numbers, tiles: Sequence[Numbers], **style: Any) -> None:
        super().__init__(*points.T, linestyle="", **style)
        self.tiles = [np.asarray(tile, dtype=np.float64) for tile in tiles]

    def visible_points(self) -> Mask:
        """Return which points are visible in the present view."""
        view = self.axes.get_proj()
        points = np.column_stack(proj_transform(*self.get_data_3d(), view))
        tiles = [np.column_stack(proj_transform(*tile.T, view)) for tile in self.tiles]
        return ~hidden(points, tiles)

    def draw(self, renderer: Any) -> None:
        """Draw the visible points."""
        whole = self.get_data_3d()
        shown = self.visible_points()
        self.set_data_3d(*(np.asarray(values)[shown] for values in whole))
        super().draw(renderer)
        self.set_data_3d(*whole)
        self.stale = False


def hidden(points: Numbers, tiles: Sequence[Numbers]) -> Mask:
    """Return which points lie behind a tile; the third number of points and corners is the depth.

    >>> tile = np.array([[0.0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    >>> hidden(np.array([[0.5, 0.5, 2], [0.5, 0.5, 0], [3, 0.5, 2]]), [tile]).tolist()
    [True, False, False]
    """
    found = np.zeros(len(points), dtype=np.bool_)
    for tile in tiles:
        low, high = tile[:, :2].min(axis=0), tile[:, :2].max(axis=0)
        near = ~found & ((points[:, :2] >= low) & (points[:, :2] <= high)).all(axis=1)
        if near.any():
            found[near] = _behind(points[near], tile)
    return found


def _behind(points: Numbers, tile: Numbers) -> Mask:
    # The depth of a flat tile is a linear function of the place: depth = a·x + b·y + c.
    places = np.column_stack([tile[:, :2], np.ones(len(tile))])
    plane, _, rank, _ = np.linalg.lstsq(places, tile[:, 2], rcond=None)
    if rank < 3:  # from the side it is a line, which hides nothing
        return np.zeros(len(points), dtype=np.bool_)
    depth = points[:, :2] @ plane[:2] + plane[2]
    behind: Mask = hold_each(tile[:, :2], points[:, :2]) & (depth < points[:, 2] - _CLOSE)
    return behind
