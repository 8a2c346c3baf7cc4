"""Points over a surface in space: of those above it, the ones that can be seen are drawn.

Words: *tiles* are the flat parts of the surface; a point is *hidden* if a tile lies between it and the eye.
Matplotlib draws a surface as a whole before or after the points; so each point is judged anew in every view.
This file imports matplotlib: import it where something is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from mpl_toolkits.mplot3d.art3d import Line3D  # type: ignore[import-untyped]
from mpl_toolkits.mplot3d.proj3d import proj_transform  # type: ignore[import-untyped]

from arboretum.plot.pieces import hold_each

__all__ = ["SeenPoints", "hidden"]

Numbers = npt.NDArray[np.float64]

_CLOSE: Final = 1e-6  # how much nearer to the eye a tile must be than a point that may lie on it


class SeenPoints(Line3D):
    """Marks at points in space, without a line between them; those that tiles hide are left out."""

    def __init__(self, points: Numbers, tiles: Sequence[Numbers], **how: Any) -> None:
        super().__init__(*points.T, linestyle="", **how)
        self.tiles = [np.asarray(tile, dtype=np.float64) for tile in tiles]

    def seen(self) -> npt.NDArray[np.bool_]:
        """Return which points are drawn in the present view."""
        view = self.axes.get_proj()
        points = np.column_stack(proj_transform(*self.get_data_3d(), view))
        tiles = [np.column_stack(proj_transform(*tile.T, view)) for tile in self.tiles]
        return ~hidden(points, tiles)

    def draw(self, renderer: Any) -> None:
        """Draw the points that are seen."""
        whole = self.get_data_3d()
        shown = self.seen()
        self.set_data_3d(*(np.asarray(along)[shown] for along in whole))
        super().draw(renderer)
        self.set_data_3d(*whole)
        self.stale = False


def hidden(points: Numbers, tiles: Sequence[Numbers]) -> npt.NDArray[np.bool_]:
    """Return which points lie behind a tile; the third number of each point and corner is its depth.

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


def _behind(points: Numbers, tile: Numbers) -> npt.NDArray[np.bool_]:
    # The depth of a flat tile is a linear function of the place: depth = a·x + b·y + c.
    places = np.column_stack([tile[:, :2], np.ones(len(tile))])
    plane, _, rank, _ = np.linalg.lstsq(places, tile[:, 2], rcond=None)
    if rank < 3:  # seen from the side, it is a line, which hides nothing
        return np.zeros(len(points), dtype=np.bool_)
    depth = points[:, :2] @ plane[:2] + plane[2]
    behind: npt.NDArray[np.bool_] = hold_each(tile[:, :2], points[:, :2]) & (depth < points[:, 2] - _CLOSE)
    return behind
