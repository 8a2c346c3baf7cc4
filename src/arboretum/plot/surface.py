"""The surface of a tree of numbers over two columns: flat steps, with walls where neighbours differ.

Words: a *top* is a region at the height of its leaf's value, a *wall* stands on a border between two tops.
Both are cut into small *tiles*: matplotlib draws the far before the near, and judges that tile by tile.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.errors import DataTypeError, ParameterError
from arboretum.plot.axes import add_colour_bar, number_scale, open_axes_3d
from arboretum.plot.pieces import Piece, cut_piece
from arboretum.plot.plane import open_plane
from arboretum.plot.regions import regions_of
from arboretum.plot.sheet import Sheet, on_sheet
from arboretum.show.palette import Palette, mixed
from arboretum.tree import Tree

__all__ = ["surface"]

Numbers = npt.NDArray[np.float64]
Wall = tuple[tuple[float, float], tuple[float, float], float, float]  # begin, end, the two heights

_TILES: Final = 14  # along each axis


def surface(
    model: Any,
    columns: Any = None,
    data: Any = None,
    *,
    at: Any = None,
    limits: Any = None,
    legend: bool = True,
    ax: Any = None,
    theme: str = "light",
) -> Any:
    """Draw what a tree of numbers predicts over the plane of two columns, as steps; needs matplotlib.

    The options are those of `partition`; `ax` are axes with projection="3d".

    >>> from arboretum import TreeRegressor
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> ax = surface(TreeRegressor(prune=None).fit(X, [1.0, 2.0, 3.0, 5.0]))
    >>> ax.name, ax.get_zlabel()
    ('3d', 'predicted number')
    """
    plane = open_plane(model, columns, data, at, limits, "surface()", least=2)
    if plane.tree.target.classes is not None:
        raise DataTypeError(
            "surface() draws numbers, but this tree predicts classes.\nHint: use partition()."
        )
    if plane.axes[1] is None:
        raise ParameterError(
            "surface() needs two columns, but the tree is shown along one.\n"
            "Hint: name two, columns=(…, …), or use partition(), which draws the steps of one."
        )
    sheet = on_sheet(plane, regions_of(plane.tree, plane.axes, plane.view, plane.fixed))
    ax, palette = open_axes_3d(ax, theme, "surface()")
    _draw(plane.tree, sheet, ax, palette, legend=legend)
    if plane.notes:
        ax.set_title("\n".join(plane.notes), loc="left", fontsize=8, color=palette.faint, parse_math=False)
    return ax


def _draw(tree: Tree, sheet: Sheet, ax: Any, palette: Palette, *, legend: bool) -> None:
    art3d: Any = import_module("mpl_toolkits.mplot3d.art3d")  # which has no types
    values = tree.array("value")[sheet.leaves]
    colours = number_scale(values, palette)
    tops = list(_tops(sheet, values))
    walls = [tile for wall in _walls(tree, sheet) for tile in _wall_tiles(sheet, wall)]
    fills = [*colours.to_rgba([top[0][2] for top in tops]), *[_wall_colour(palette)] * len(walls)]
    ax.add_collection3d(
        art3d.Poly3DCollection([*tops, *walls], facecolors=fills, edgecolors=fills, linewidths=0.7)
    )
    if sheet.points is not None:
        places, targets = sheet.points.places, sheet.points.targets
        ax.scatter(
            places[:, 0], places[:, 1], targets, s=7, color=palette.ink, depthshade=False, linewidths=0
        )
        values = np.concatenate([values, targets])
    ax.set_xlim(sheet.low[0], sheet.high[0])
    ax.set_ylim(sheet.low[1], sheet.high[1])
    low, high = float(values.min()), float(values.max())
    room = (high - low) * 0.03 or max(1.0, abs(low)) / 2
    ax.set_zlim(low - room, high + room)
    for i, axis in enumerate(sheet.axes):
        if axis is not None:
            drawn, low, high = (ax.xaxis, ax.yaxis)[i], float(sheet.low[i]), float(sheet.high[i])
            axis.dress(drawn, low, high)
            if axis.column.kind in ("number", "integer"):
                # In space matplotlib leaves room beside the limits, where nothing is predicted.
                drawn.set_ticks([place for place in drawn.get_majorticklocs() if low <= place <= high])
    ax.set_zlabel("predicted number")
    if legend:
        add_colour_bar(ax, palette, colours, shrink=0.6, pad=0.1)


def _wall_colour(palette: Palette) -> Any:
    from matplotlib.colors import to_rgba

    return to_rgba(mixed(palette.card, palette.faint, 0.45))


def _tops(sheet: Sheet, values: Numbers) -> Iterator[list[tuple[float, float, float]]]:
    """Yield the tiles of all regions."""
    for corners, height in zip(sheet.corners, values.tolist(), strict=True):
        whole = Piece(tuple((float(x), float(y)) for x, y in corners), (None,) * len(corners))
        for tile in _tiles(whole, sheet):
            yield [(x, y, height) for x, y in tile.corners]


def _tiles(piece: Piece, sheet: Sheet) -> list[Piece]:
    """Return a piece cut along even lines through the whole view."""
    pieces = [piece]
    for i, (a, b) in enumerate(((1.0, 0.0), (0.0, 1.0))):
        for bound in np.linspace(sheet.low[i], sheet.high[i], _TILES + 1)[1:-1].tolist():
            halves = [cut_piece(part, (a, b, bound)) for part in pieces]
            pieces = [half for pair in halves for half in pair if half is not None]
    return pieces


def _walls(tree: Tree, sheet: Sheet) -> Iterator[Wall]:
    """Yield where neighbours have different heights."""
    value = tree.array("value").tolist()
    for ((x, y), (u, v)), below, above in sheet.neighbours:
        low, high = sorted((value[below], value[above]))
        if low < high:
            yield (float(x), float(y)), (float(u), float(v)), low, high


def _wall_tiles(sheet: Sheet, wall: Wall) -> list[list[tuple[float, float, float]]]:
    begin, end, low, high = wall
    away = np.abs(np.array(end) - begin) / (sheet.high - sheet.low)
    n_tiles = max(1, round(float(away.max()) * _TILES))
    spots = np.linspace(begin, end, n_tiles + 1).tolist()
    return [[(x, y, low), (u, v, low), (u, v, high), (x, y, high)] for (x, y), (u, v) in pairwise(spots)]
