"""Points on a plane, one at a time: the twin of what charts ask about many points at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from arboretum.plot._plane.polygons import Point, _from_first
from arboretum.plot._plane.regions import Regions

__all__ = ["holds", "leaf_at"]


def holds(corners: Sequence[Point], point: Point) -> bool:
    """Return whether a point lies between corners, edges included."""
    moved, (wide, high) = _from_first(corners)
    px, py = (point[0] - corners[0][0]) / wide, (point[1] - corners[0][1]) / high
    turns = [(u - x) * (py - y) - (v - y) * (px - x) for (x, y), (u, v) in pairwise([*moved, moved[0]])]
    return min(turns) >= 0.0 or max(turns) <= 0.0


def leaf_at(found: Regions, point: Point) -> int | None:
    """Return the leaf whose region holds a point; None outside the view."""
    return next((region.leaf for region in found.regions if holds(region.corners, point)), None)
