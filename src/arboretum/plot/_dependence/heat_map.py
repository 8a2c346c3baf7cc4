"""Two columns: a heat map, whose dots show where the rows are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._show.picture.palette import Palette
from arboretum._types import Indices, Mask
from arboretum.plot._axes import add_colour_bar, plain, scale
from arboretum.plot._dependence.drawn import Drawn
from arboretum.plot._dependence.places import edges_of, few_of, order_of, side_of
from arboretum.plot._plane.sheet import ColumnAxis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_DOTS: Final = 1_000
_LONGEST_TITLE: Final = 20.0  # em
_SPREAD: Final = (0.7548776662466927, 0.5698402909980532)  # steps that fill a square evenly


def draw_map(drawn: Drawn, ax: Axes, palette: Palette, *, marked: bool) -> None:
    sides = [side_of(grid) for grid in drawn.axes]
    orders: list[Indices] = [order_of(grid) for grid in drawn.axes]
    edges = [edges_of(grid, axis) for grid, axis in zip(drawn.axes, sides, strict=True)]
    cells = drawn.values[0][np.ix_(*orders)]
    cells[orders[0] < 0], cells[:, orders[1] < 0] = np.nan, np.nan
    low, high = float(np.nanmin(cells)), float(np.nanmax(cells))
    room = 0.0 if high > low else max(1.0, abs(low)) / 2
    ends: dict[str, Any] = {"vmin": low - room, "vmax": high + room}
    if room and drawn.is_probability:
        ends = {"vmin": 0.0, "vmax": 1.0}
    mesh = ax.pcolormesh(edges[0], edges[1], cells.T, cmap=scale(palette), **ends)
    if marked and drawn.rows is not None:
        _draw_dots(drawn.rows, sides, ax, palette)
    for i, (axis, own) in enumerate(zip(sides, edges, strict=True)):
        ax.set(**{"xy"[i] + "lim": (float(own[0]), float(own[-1]))})
        axis.dress((ax.xaxis, ax.yaxis)[i], float(own[0]), float(own[-1]))
    if len(sides[1].title) > _LONGEST_TITLE:  # there is less room upwards than sideways
        ax.set_ylabel(plain(sides[1].title, longest=_LONGEST_TITLE))
    add_colour_bar(ax, palette, mesh, label=drawn.label)
    bar = ax.get_figure().axes[-1]  # type: ignore[union-attr]
    bar.yaxis.label.set_color(palette.ink)


def _draw_dots(rows: tuple[ColumnData, ...], sides: Sequence[ColumnAxis], ax: Axes, palette: Palette) -> None:
    known: Mask = ~np.any([held.is_missing() for held in rows], axis=0)
    chosen = few_of(np.flatnonzero(known), _MOST_DOTS)
    places = []
    for held, axis, step in zip(rows, sides, _SPREAD, strict=True):
        place = axis.places(held.values[chosen])
        if held.column.levels is not None:  # rows of a level are spread over its band
            place = place + (np.arange(len(place)) * step % 1.0 - 0.5) * 0.7
        places.append(place)
    size = float(np.clip(160.0 / max(1.0, len(chosen) ** 0.5), 4.0, 16.0))
    style: dict[str, Any] = {"edgecolors": palette.card, "linewidths": 0.4, "alpha": 0.55, "zorder": 2}
    ax.scatter(places[0], places[1], s=size, color=palette.ink, **style)
