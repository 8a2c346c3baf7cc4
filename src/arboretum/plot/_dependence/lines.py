"""One column: the steps of a tree as they are, other grids joined by lines, levels as points.

Below, a rug of the rows: where there are none, the model was never tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._data.levels import level_text
from arboretum._show.picture.palette import Palette
from arboretum._types import Numbers
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.plot._axes import Look, add_grid, add_legend, looks, plain
from arboretum.plot._dependence.drawn import Drawn
from arboretum.plot._dependence.places import edges_of, ends_of, few_of, side_of
from arboretum.plot._plane.sheet import ColumnAxis
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_MARKS: Final = 1_000  # of rows
_SHARE_HEIGHT: Final = 0.15  # of the axes, for a level that all rows have
_MARKED: Final = 30  # points; longer lines have no markers


def draw_lines(drawn: Drawn, ax: Axes, palette: Palette, *, marked: bool) -> None:
    (grid,) = drawn.axes
    axis = side_of(grid)
    styles = _looks(drawn.values, palette)
    if drawn.individual is not None:
        _draw_rows_lines(grid, axis, drawn.individual, ax, palette)
    handles = []
    for number, (heights, look) in enumerate(zip(drawn.values, styles, strict=True)):
        handles.append(_draw_one(grid, axis, heights, look, ax, palette, number - (len(styles) - 1) / 2))
    low, high = ends_of(grid, axis)
    ax.set_xlim(low, high)
    if marked and drawn.rows is not None:
        _draw_rug(drawn.rows[0], axis, ax, palette)
    axis.dress(ax.xaxis, low, high)
    set_number_ticks(ax.yaxis)
    ax.set_ylabel(drawn.label)
    add_grid(ax, palette, "y")
    if drawn.classes is not None and len(drawn.classes) > 1:
        _name_classes(drawn.classes, styles, handles, ax, palette)


def _looks(values: Numbers, palette: Palette) -> list[Look]:
    """Return the looks of the lines: of very many, those that change most have a colour of their own."""
    n_lines, n_colours = len(values), len(palette.classes)
    if n_lines <= n_colours:
        return looks(palette.classes[:n_lines], palette)
    changes = np.argsort(-np.ptp(values, axis=1), kind="stable")[:n_colours]
    colours = [palette.other] * n_lines
    for colour, number in zip(palette.classes, np.sort(changes).tolist(), strict=False):
        colours[number] = colour
    return looks(colours, palette)


def _name_classes(
    classes: Sequence[Any], styles: Sequence[Look], handles: Sequence[Any], ax: Axes, palette: Palette
) -> None:
    named = [number for number, look in enumerate(styles) if look.named]
    others = [number for number, look in enumerate(styles) if not look.named]
    names = [plain(level_text(classes[number])) for number in named]
    listed = [handles[number] for number in named]
    if others:
        names.append(
            plain(level_text(classes[others[0]])) if len(others) == 1 else f"{len(others)} other classes"
        )
        listed.append(handles[others[0]])
    add_legend(ax, palette, listed, names)


def _draw_one(
    grid: GridColumn,
    axis: ColumnAxis,
    heights: Numbers,
    look: Look,
    ax: Axes,
    palette: Palette,
    aside: float,
) -> Any:
    """Draw one line, or the points of levels, beside those of other classes; return its handle."""
    style: dict[str, Any] = {"color": look.colour, "linewidth": 2.0, "zorder": 3, "linestyle": look.line}
    dots: dict[str, Any] = {"marker": look.marker, "markersize": 6.0, "markeredgecolor": palette.card}
    if grid.column.levels is not None:
        places = axis.places(grid.data.values) + min(0.08, 0.5 / max(1, grid.size)) * aside
        style |= dots | {"markersize": 8.0, "linewidth": 1.0}
        if grid.column.kind == "nominal":
            style["linestyle"] = ""
    elif grid.cuts is not None:
        places, heights = _stairs(grid, axis, heights)
    else:
        order = np.argsort(grid.data.values, kind="stable")
        places, heights = axis.places(grid.data.values[order]), heights[order]
        style |= dots if grid.size <= _MARKED else {}
    (line,) = ax.plot(places, heights, **style)
    return line


def _stairs(grid: GridColumn, axis: ColumnAxis, heights: Numbers) -> tuple[Numbers, Numbers]:
    """Return the corners of steps: every value holds from one cut to the next."""
    edges = edges_of(grid, axis)
    return np.repeat(edges, 2)[1:-1], np.repeat(heights, 2, axis=-1)


def _draw_rows_lines(grid: GridColumn, axis: ColumnAxis, lines: Numbers, ax: Axes, palette: Palette) -> None:
    from matplotlib.collections import LineCollection

    if grid.cuts is not None:
        places, heights = _stairs(grid, axis, lines)
    else:
        order = np.argsort(grid.data.values, kind="stable")
        places, heights = axis.places(grid.data.values[order]), lines[:, order]
    paths = [np.column_stack([places, line]) for line in heights]
    alpha = float(np.clip(12.0 / len(lines), 0.12, 0.6))
    ax.add_collection(LineCollection(paths, colors=palette.faint, linewidths=0.7, alpha=alpha, zorder=2))
    ax.autoscale_view()


def _draw_rug(held: ColumnData, axis: ColumnAxis, ax: Axes, palette: Palette) -> None:
    """Show where rows are: a short line each, or the share of each level as a low bar."""
    known = held.values[~held.is_missing()]
    along = ax.get_xaxis_transform()
    if not len(known):
        return
    if held.column.levels is not None:
        shares = np.bincount(known, minlength=len(held.column.levels)) / len(known)
        bars: dict[str, Any] = {"color": palette.faint, "alpha": 0.35, "linewidth": 0, "zorder": 1}
        low, high = ax.get_ylim()
        ax.bar(np.arange(len(shares)), _SHARE_HEIGHT * shares, width=0.6, transform=along, **bars)
        ax.set_ylim(low - (high - low) * _SHARE_HEIGHT * shares.max(), high)  # the points stay above
        return
    shown_values = few_of(np.sort(known), _MOST_MARKS)
    style: dict[str, Any] = {"marker": "|", "markersize": 7.0, "markeredgewidth": 0.7, "linestyle": ""}
    places = axis.places(shown_values)
    ends = ax.get_xlim()
    style |= {"color": palette.faint, "alpha": 0.5, "zorder": 1}
    ax.plot(places, np.full(len(places), 0.018), transform=along, **style)
    ax.set_xlim(ends)
