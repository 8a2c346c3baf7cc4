"""The surface of a tree of numbers over two columns: flat steps, with walls where neighbours differ.

Steps and walls are cut into small tiles, since matplotlib sorts by distance tile by tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Final

import numpy as np

from arboretum._show.picture.palette import Palette, mixed
from arboretum._show.picture.text_width import text_width
from arboretum._show.words import rows_text
from arboretum._tree.tree import Tree
from arboretum._types import Mask, Numbers
from arboretum.errors import DataTypeError, ParameterError
from arboretum.plot._axes import add_colour_bar, add_note, check_flag, number_scale, open_axes_3d
from arboretum.plot._plane.plane import Points, note_narrow_leaves, open_plane
from arboretum.plot._plane.polygons import Polygon, cut_polygon, hold_each
from arboretum.plot._plane.regions import regions_of
from arboretum.plot._plane.sheet import ColumnAxis, Sheet, on_sheet
from arboretum.plot._ticks import set_number_ticks

Tile = list[tuple[float, float, float]]

_TILES: Final = 14  # along each axis
_TICK_SIZE, _NAME_SIZE = 8.0, 9.0  # points
_LONGEST_LEVEL: Final = 9.0  # em
_MOST_LEVELS: Final = 10
_MOST_NUMBERS: Final = 6
_NUMERIC: Final = frozenset({"number", "integer", "duration"})
_TICK_ROOM: Final = 6.0  # points that matplotlib leaves to ticks before the name of the axis
_LEAST_PAD: Final = 9.0
_SLANT: Final = 0.5  # how much of a long tick counts, since the axis runs at an angle
_SHORT_TICK: Final = 24.0  # points


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

    The options are those of `partition`; `ax` needs projection="3d". Rows of `data` on the surface or above
    it are drawn where no step hides them; the others are counted.

    >>> from arboretum import TreeRegressor
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> ax = surface(TreeRegressor(prune=None).fit(X, [1.0, 2.0, 3.0, 5.0]))
    >>> ax.name, ax.get_zlabel()
    ('3d', 'predicted number')
    """
    check_flag("legend", legend)
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
    plane = note_narrow_leaves(plane, sheet.leaves)
    pad = 0.1 if ax is None else 0.25  # given axes reach to the end of their part of the figure
    # Names and dates need more room beside the axes than numbers.
    numeric = all(axis is None or axis.column.kind in _NUMERIC for axis in sheet.axes)
    ax, palette = open_axes_3d(ax, theme, "surface()", zoom=1.0 if numeric else 0.85)
    colours = number_scale(plane.tree.array("value")[sheet.leaves], palette)
    notes = [*plane.notes, *_draw(plane.tree, sheet, ax, palette, colours)]
    if legend:
        add_colour_bar(ax, palette, colours, shrink=0.6, pad=pad)
    add_note(ax, palette, notes)
    return ax


def _draw(tree: Tree, sheet: Sheet, ax: Any, palette: Palette, colours: Any) -> list[str]:
    """Draw surface and rows; return notes about the rows that are not drawn."""
    from matplotlib.colors import to_rgba

    art3d: Any = import_module("mpl_toolkits.mplot3d.art3d")  # which has no types
    values = tree.array("value")[sheet.leaves]
    tops = list(_tops(sheet, values))
    walls = list(_walls(tree, sheet))
    wall_colour = to_rgba(mixed(palette.card, palette.faint, 0.45))
    fills = [*colours.to_rgba([top[0][2] for top in tops]), *[wall_colour] * len(walls)]
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
    _dress_in_space(ax, sheet)
    return notes


def _heights(sheet: Sheet, values: Numbers) -> Numbers:
    """Return the height of the surface at each point."""
    assert sheet.points is not None
    heights = np.full(len(sheet.points.targets), np.nan)
    for corners, value in zip(sheet.corners, values.tolist(), strict=True):
        heights[hold_each(corners, sheet.points.places)] = value
    return heights


def _draw_points(points: Points, drawn: Mask, tiles: Sequence[Tile], ax: Any, palette: Palette) -> None:
    from arboretum.plot._artists import VisiblePoints

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
            ax.add_line(VisiblePoints(places, corners, **marks, **look, **rim))


def _tops(sheet: Sheet, values: Numbers) -> Iterator[Tile]:
    """Yield the tiles of all regions."""
    for corners, height in zip(sheet.corners, values.tolist(), strict=True):
        whole = Polygon(tuple((float(x), float(y)) for x, y in corners), (None,) * len(corners))
        for tile in _tiles(whole, sheet):
            yield [(x, y, height) for x, y in tile.corners]


def _tiles(polygon: Polygon, sheet: Sheet) -> list[Polygon]:
    """Return a polygon cut by evenly spaced lines through the view."""
    polygons = [polygon]
    for i, (a, b) in enumerate(((1.0, 0.0), (0.0, 1.0))):
        for bound in np.linspace(sheet.low[i], sheet.high[i], _TILES + 1)[1:-1].tolist():
            halves = [cut_polygon(part, (a, b, bound)) for part in polygons]
            polygons = [half for pair in halves for half in pair if half is not None]
    return polygons


def _walls(tree: Tree, sheet: Sheet) -> Iterator[Tile]:
    """Yield the tiles of the walls between neighbours of different heights."""
    value = tree.array("value").tolist()
    for ends, below, above in sheet.neighbours:
        low, high = sorted((value[below], value[above]))
        if low < high:
            away = np.abs(ends[1] - ends[0]) / (sheet.high - sheet.low)
            n_tiles = max(1, round(float(away.max()) * _TILES))
            for (x, y), (u, v) in pairwise(np.linspace(ends[0], ends[1], n_tiles + 1).tolist()):
                yield [(x, y, low), (u, v, low), (u, v, high), (x, y, high)]


# --- labels beside the axes


def _dress_in_space(ax: Any, sheet: Sheet) -> None:
    """Give 3D axes the limits and names of the columns of a sheet, and the name of the height."""
    ax.set_xlim(sheet.low[0], sheet.high[0])
    ax.set_ylim(sheet.low[1], sheet.high[1])
    ax.tick_params(labelsize=_TICK_SIZE)
    for i, axis in enumerate(sheet.axes):
        assert axis is not None
        _dress_column(axis, (ax.xaxis, ax.yaxis)[i], float(sheet.low[i]), float(sheet.high[i]))
    ax.zaxis.get_major_locator().set_params(nbins=_MOST_NUMBERS)
    set_number_ticks(ax.zaxis)
    ax.set_zlabel("predicted number")
    for drawn, align in ((ax.xaxis, "right"), (ax.yaxis, "left"), (ax.zaxis, "left")):
        _place_labels(drawn, align)


def _dress_column(axis: ColumnAxis, drawn: Any, low: float, high: float) -> None:
    axis.dress(drawn, low, high, longest=_LONGEST_LEVEL, most=_MOST_LEVELS)
    if axis.column.kind in _NUMERIC:
        drawn.get_major_locator().set_params(nbins=_MOST_NUMBERS)
        # In 3D, matplotlib leaves room beside the limits, where nothing is predicted.
        drawn.set_ticks([place for place in drawn.get_majorticklocs() if low <= place <= high])


def _place_labels(drawn: Any, align: str) -> None:
    """Let ticks begin at the axis, and its name behind them; matplotlib only does so for short numbers."""
    ticks = drawn.get_ticklabels()
    longest = max((text_width(tick.get_text()) for tick in ticks), default=0.0) * _TICK_SIZE
    for tick in ticks:
        tick.set_horizontalalignment(align)
    drawn.label.set_fontsize(_NAME_SIZE)
    drawn.labelpad = max(
        _LEAST_PAD, min(longest, _SHORT_TICK) + _SLANT * max(0.0, longest - _SHORT_TICK) - _TICK_ROOM
    )
