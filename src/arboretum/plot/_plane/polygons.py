"""Convex polygons that know the line of each of their edges, and how a line cuts them in two.

A line is the triple (a, b, bound) of a·x + b·y = bound; edges at the rim of the view have none. Lines
parallel to an axis are met exactly, so that corners are thresholds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from arboretum._types import Mask, Numbers

Point = tuple[float, float]
Line = tuple[float, float, float]


@dataclass(frozen=True)
class Polygon:
    """A convex polygon: its corners in order, and the line of the edge after each corner."""

    corners: tuple[Point, ...]
    lines: tuple[Line | None, ...]


def rectangle(low: Point, high: Point) -> Polygon:
    """Return the rectangle between two corners."""
    (left, bottom), (right, top) = low, high
    return Polygon(((left, bottom), (right, bottom), (right, top), (left, top)), (None,) * 4)


def cut_polygon(polygon: Polygon, line: Line) -> tuple[Polygon | None, Polygon | None]:
    """Return the parts of a polygon where a·x + b·y is at most the bound, and above it.

    >>> below, above = cut_polygon(rectangle((0.0, 0.0), (2.0, 1.0)), (1.0, 0.0, 0.5))
    >>> below.corners
    ((0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0))
    >>> below.lines
    (None, (1.0, 0.0, 0.5), None, None)
    """
    a, b, bound = line
    side = [a * x + b * y - bound for x, y in polygon.corners]
    if max(side) <= 0.0:
        return polygon, None
    if min(side) >= 0.0:
        return None, polygon
    below: list[tuple[Point, Line | None]] = []
    above: list[tuple[Point, Line | None]] = []
    for i, (corner, edge) in enumerate(zip(polygon.corners, polygon.lines, strict=True)):
        after = (i + 1) % len(side)
        here, there = side[i], side[after]
        # Where a part leaves the polygon, its edge continues on the line.
        if here <= 0.0:
            below.append((corner, line if here == 0.0 < there else edge))
        if here >= 0.0:
            above.append((corner, line if there < 0.0 == here else edge))
        if here < 0.0 < there or there < 0.0 < here:
            met = _crossing(corner, polygon.corners[after], here / (here - there), line)
            below.append((met, line if here < 0.0 else edge))
            above.append((met, edge if here < 0.0 else line))
    return _solid(below), _solid(above)


def _crossing(p: Point, q: Point, share: float, line: Line) -> Point:
    """Return the point at this share of an edge, exactly on the line if that is parallel to an axis."""
    a, b, bound = line
    x = p[0] if p[0] == q[0] else p[0] + (q[0] - p[0]) * share
    y = p[1] if p[1] == q[1] else p[1] + (q[1] - p[1]) * share
    return (bound / a if b == 0.0 else x), (bound / b if a == 0.0 else y)


def _solid(outline: Sequence[tuple[Point, Line | None]]) -> Polygon | None:
    """Return the polygon without edges of no length; None if nothing is left."""
    kept = [(p, edge) for i, (p, edge) in enumerate(outline) if p != outline[(i + 1) % len(outline)][0]]
    corners = tuple(p for p, _ in kept)
    if len(corners) < 3 or _share(corners) <= 0.0:
        return None
    return Polygon(corners, tuple(edge for _, edge in kept))


def area(corners: Sequence[Point]) -> float:
    """Return the area between corners.

    >>> area([(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.0, 1.0)])
    2.0
    """
    _, (wide, high) = _from_first(corners)
    return _share(corners) * wide * high


def _share(corners: Sequence[Point]) -> float:
    """Return the area in units of the polygon's width and height, so that it is finite at every scale."""
    moved, _ = _from_first(corners)
    return abs(sum(x * v - u * y for (x, y), (u, v) in pairwise([*moved, moved[0]]))) / 2


def centre(corners: Sequence[Point]) -> Point:
    """Return the centre of gravity of the area between corners."""
    moved, (wide, high) = _from_first(corners)
    total = along = across = 0.0
    for (x, y), (u, v) in pairwise([*moved, moved[0]]):
        cross = x * v - u * y
        total, along, across = total + cross, along + (x + u) * cross, across + (y + v) * cross
    if total == 0.0:
        return corners[0]
    return corners[0][0] + along / (3 * total) * wide, corners[0][1] + across / (3 * total) * high


def _from_first(corners: Sequence[Point]) -> tuple[list[Point], Point]:
    """Return corners relative to the first, in units of their width and height; and these units.

    This keeps precision far from the origin, and products of huge or tiny lengths finite.
    """
    x0, y0 = corners[0]
    wide = max(abs(x - x0) for x, _ in corners) or 1.0
    high = max(abs(y - y0) for _, y in corners) or 1.0
    return [((x - x0) / wide, (y - y0) / high) for x, y in corners], (wide, high)


def hold_each(corners: Numbers, points: Numbers) -> Mask:
    """Return which points lie between corners, edges included."""
    size = np.abs(corners - corners[0]).max(axis=0)
    size[size == 0.0] = 1.0
    moved = (corners - corners[0]) / size
    edges = np.roll(moved, -1, axis=0) - moved
    away = ((points - corners[0]) / size)[:, None] - moved[None]
    turns = edges[:, 0] * away[..., 1] - edges[:, 1] * away[..., 0]
    return np.asarray((turns.min(axis=1) >= 0.0) | (turns.max(axis=1) <= 0.0))
