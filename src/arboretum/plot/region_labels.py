"""Labels in regions: what each leaf predicts, written where there is room for it.

Words: a label *fits* if its box lies inside one region; so labels never overlap each other. Of the places
where it fits, that which is nearest to the middle is taken, of those that hide nearly the fewest points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.plot.axes import TEXT_SIZE, figure_of, plain, write_over
from arboretum.plot.pieces import area, centre
from arboretum.plot.sheet import Sheet
from arboretum.show.palette import Palette
from arboretum.show.text_width import shorten, text_width
from arboretum.show.words import class_names, percent
from arboretum.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["write_labels"]

Numbers = npt.NDArray[np.float64]

_LONGEST: Final = 12.0  # em
_BRIEFEST: Final = 5.0
_NEARLY: Final = 1.25  # how many more points than the fewest may be hidden nearer to the middle
_STEPS: Final = 7  # places that are tried along each axis


def write_labels(tree: Tree, sheet: Sheet, ax: Axes, palette: Palette) -> None:
    """Write the label of every leaf into its largest region that has room for it."""
    figure = figure_of(ax)
    figure.draw_without_rendering()  # the layout decides how much room there is
    to_pixels, pixel = ax.transData, figure.dpi / 72.0
    points = None if sheet.points is None else to_pixels.transform(sheet.points.places)
    regions = [to_pixels.transform(corners) for corners in sheet.corners]
    done: set[int] = set()
    for i in sorted(range(len(regions)), key=lambda i: -area(regions[i].tolist())):
        leaf = sheet.leaves[i]
        if leaf in done:
            continue
        for lines in _wordings(tree, leaf):
            half = _half_box(lines, pixel)
            spot = _best_spot(regions[i], half, points)
            if spot is not None:
                done.add(leaf)
                place = to_pixels.inverted().transform(spot)
                write_over(ax, palette, float(place[0]), float(place[1]), "\n".join(map(plain, lines)))
                break


def _wordings(tree: Tree, leaf: int) -> list[list[str]]:
    """Return how a leaf may be labelled, from the fullest to the shortest wording."""
    node = tree.node(leaf)
    if node.confidence is None:
        from arboretum.plot.ticks import number_text

        assert node.value is not None
        return [[number_text(node.value)], [number_text(node.value, 2)]]
    name = class_names(tree.target.classes)[int(tree.array("label")[leaf])]
    name = shorten(" ".join(name.split()), _LONGEST)
    brief, sure = shorten(name, _BRIEFEST), percent(node.confidence)
    return [[name, sure], [f"{name} {sure}"], [name], [brief, sure], [brief]]


def _half_box(lines: list[str], pixel: float) -> Numbers:
    """Return half the width and half the height of a text with some room around it, in pixels."""
    width = max(map(text_width, lines)) + 0.6
    return np.array([width, 1.25 * len(lines) + 0.7]) * TEXT_SIZE * pixel / 2


def _best_spot(corners: Numbers, half: Numbers, points: Numbers | None) -> Numbers | None:
    """Return where the middle of a box is best put inside a region; None if it does not fit."""
    low, high = corners.min(axis=0) + half, corners.max(axis=0) - half
    if (low > high).any():
        return None
    middle = np.clip(np.array(centre(corners.tolist())), low, high)
    grid = [np.linspace(low[i], high[i], _STEPS) for i in (0, 1)]
    spots = np.array([middle, *((x, y) for x in grid[0] for y in grid[1])])
    spots = spots[_inside(corners, spots, half)]
    if not len(spots):
        return None
    hidden = np.zeros(len(spots))
    if points is not None and len(points):
        near = np.abs(points[None] - spots[:, None]) <= half + 2.0
        hidden = near.all(axis=2).sum(axis=1)
    far = (((spots - middle) / (high - low + 1.0)) ** 2).sum(axis=1)
    far[hidden > _NEARLY * hidden.min()] = np.inf
    best: Numbers = spots[np.argmin(far)]
    return best


def _inside(corners: Numbers, spots: Numbers, half: Numbers) -> npt.NDArray[np.bool_]:
    """Return for which spots all corners of the box around them are in the region."""
    edges = np.roll(corners, -1, axis=0) - corners
    signs = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    boxes = spots[:, None] + signs * half  # (spots, 4, 2)
    away = boxes[:, :, None] - corners  # (spots, 4, edges, 2)
    turns: Any = edges[:, 0] * away[..., 1] - edges[:, 1] * away[..., 0]
    slack = 1e-6 * np.abs(edges).max()
    inside: npt.NDArray[np.bool_] = ((turns >= -slack).all(axis=2) | (turns <= slack).all(axis=2)).all(axis=1)
    return inside
