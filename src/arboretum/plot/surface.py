"""The surface of a tree of numbers over two columns: flat steps, with walls where neighbours differ.

Words: a *top* is a region at the height of its leaf's value, a *wall* stands on a border between two tops.
Both are cut into small *tiles*: matplotlib draws the far before the near, and judges that tile by tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.errors import DataTypeError, ParameterError
from arboretum.plot.axes import add_colour_bar, add_note, number_scale, open_axes_3d
from arboretum.plot.pieces import Piece, cut_piece, hold_each
from arboretum.plot.plane import Points, open_plane, tell_narrow
from arboretum.plot.regions import regions_of
from arboretum.plot.sheet import Sheet, on_sheet
from arboretum.plot.space_axes import dress_in_space, zoom_for
from arboretum.show.palette import Palette, mixed
from arboretum.show.words import rows_text
from arboretum.tree import Tree

__all__ = ["surface"]

Numbers = npt.NDArray[np.float64]
Tile = list[tuple[float, float, float]]
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

    The options are those of `partition`; `ax` are axes with projection="3d". Of the rows of `data` those that
    lie on the surface or above it are drawn, as far as no step hides them; the others are counted.

    >>> from arboretum import TreeRegressor
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> ax = surface(TreeRegressor(prune=None).fit(X, [1.0, 2.0, 3.0, 5.0]))
    >>> ax.name, ax.get_zlabel()
    ('3d', 'predicted number')
    """
    if not isinstance(legend, bool | np.bool_):
        raise ParameterError(f"legend={legend!r} is not allowed; give True or False.")
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
    plane = tell_narrow(plane, sheet.leaves)
    pad = 0.1 if ax is None else 0.25  # axes that are given reach to the end of their part of the figure
    ax, palette = open_axes_3d(ax, theme, "surface()", zoom=zoom_for(sheet))
    colours = number_scale(plane.tree.array("value")[sheet.leaves], palette)
    notes = [*plane.notes, *_draw(plane.tree, sheet, ax, palette, colours)]
    if legend:
        add_colour_bar(ax, palette, colours, shrink=0.6, pad=pad)
    add_note(ax, palette, notes)
    return ax


def _draw(tree: Tree, sheet: Sheet, ax: Any, palette: Palette, colours: Any) -> list[str]:
    """Draw surface and rows; return what is to be said of the rows that are not drawn."""
    art3d: Any = import_module("mpl_toolkits.mplot3d.art3d")  # which has no types
    values = tree.array("value")[sheet.leaves]
    tops = list(_tops(sheet, values))
    walls = [tile for wall in _walls(tree, sheet) for tile in _wall_tiles(sheet, wall)]
    fills = [*colours.to_rgba([top[0][2] for top in tops]), *[_wall_colour(palette)] * len(walls)]
    tiles = [*tops, *walls]
    ax.add_collection3d(art3d.Poly3DCollection(tiles, facecolors=fills, edgecolors=fills, linewidths=0.7))
    notes, heights = [], values
    if sheet.points is not None:
        above = sheet.points.targets >= _heights(sheet, values)
        heights = np.concatenate([values, sheet.points.targets[above]])
        _draw_points(sheet.points, above, tiles, ax, palette)
        if n_below := int((~above).sum()):
            notes.append(f"not drawn: {rows_text(n_below)} below the surface")
    low, high = float(heights.min()), float(heights.max())
    room = (high - low) * 0.03 or max(1.0, abs(low)) / 2
    ax.set_zlim(low - room, high + room)
    dress_in_space(ax, sheet)
    return notes


def _heights(sheet: Sheet, values: Numbers) -> Numbers:
    """Return how high the surface is at each point."""
    assert sheet.points is not None
    heights = np.full(len(sheet.points.targets), np.nan)
    for corners, value in zip(sheet.corners, values.tolist(), strict=True):
        heights[hold_each(corners, sheet.points.places)] = value
    return heights


def _draw_points(
    points: Points, drawn: npt.NDArray[np.bool_], tiles: Sequence[Tile], ax: Any, palette: Palette
) -> None:
    from arboretum.plot.seen_points import SeenPoints

    corners = [np.array(tile) for tile in tiles]
    marks: dict[str, Any] = {"color": palette.ink, "markeredgewidth": 0.5, "zorder": 10}  # over the surface
    for crossed, look in (
        (False, {"marker": "o", "markersize": 3.2}),
        (True, {"marker": "x", "markersize": 4.0}),
    ):
        own = drawn & (points.elsewhere == crossed)
        places = np.column_stack([points.places[own], points.targets[own]])
        if len(places):
            rim = {} if crossed else {"markeredgecolor": palette.card}
            ax.add_line(SeenPoints(places, corners, **marks, **look, **rim))


def _wall_colour(palette: Palette) -> Any:
    from matplotlib.colors import to_rgba

    return to_rgba(mixed(palette.card, palette.faint, 0.45))


def _tops(sheet: Sheet, values: Numbers) -> Iterator[Tile]:
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


def _wall_tiles(sheet: Sheet, wall: Wall) -> list[Tile]:
    begin, end, low, high = wall
    away = np.abs(np.array(end) - begin) / (sheet.high - sheet.low)
    n_tiles = max(1, round(float(away.max()) * _TILES))
    spots = np.linspace(begin, end, n_tiles + 1).tolist()
    return [[(x, y, low), (u, v, low), (u, v, high), (x, y, high)] for (x, y), (u, v) in pairwise(spots)]
