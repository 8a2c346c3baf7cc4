"""Partial dependence as charts: steps and lines for one column, a heat map for two.

The steps of a tree are drawn as they are; other grids are joined by lines; levels are points. Small marks
show where the rows are: elsewhere the model was never tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._data.levels import level_text
from arboretum._data.scalars import is_integer
from arboretum._show.picture.palette import Palette
from arboretum._types import Array, Indices, Mask, Numbers
from arboretum._wording import many, shown
from arboretum.errors import ParameterError, choices
from arboretum.inspection.dependence.accumulated_effects import AccumulatedEffects
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.inspection.dependence.partial_dependence import PartialDependence
from arboretum.inspection.dependence.partial_dependence import partial_dependence as find
from arboretum.plot._axes import (
    Look,
    add_colour_bar,
    add_grid,
    add_legend,
    add_note,
    check_flag,
    looks,
    open_axes,
    plain,
    scale,
)
from arboretum.plot._plane.sheet import ColumnAxis, axis_of
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LINES: Final = 200  # of single rows
_MOST_MARKS: Final = 1_000  # of rows
_MARKED: Final = 30  # points; longer lines have no markers
_SPREAD: Final = (0.7548776662466927, 0.5698402909980532)  # steps that fill a square evenly
_SAID: Final = {
    "tree": "by the weights of the tree, without rows",
    "exact": "mean over {rows}, through the tree",
    "brute": "mean over {rows}",
}


@dataclass(frozen=True, eq=False)
class Drawn:
    """What is drawn of a result: targets by places along the axes, and how it is called."""

    axes: tuple[GridColumn, ...]
    values: Numbers
    individual: Numbers | None
    classes: tuple[Any, ...] | None
    rows: tuple[ColumnData, ...] | None
    label: str
    notes: tuple[str, ...]


def partial_dependence(
    model_or_result: Any,
    columns: Any = None,
    X: Any = None,
    *,
    kind: str = "auto",
    grid: Any = None,
    sample_weight: Any = None,
    individual: bool | int = False,
    centred: bool = False,
    target: Any = None,
    rows: bool = True,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw the mean prediction by one column, or by two as a heat map; needs matplotlib.

    A tree is drawn with its own steps unless a grid is given. Along the axis, small marks show where rows
    are; in a heat map they are dots.

    Parameters
    ----------
    model_or_result : what `arboretum.partial_dependence` or `arboretum.accumulated_effects` returned; or a
        model, with `columns`, `X`, `kind`, `grid` and `sample_weight` as there
    individual : whether to draw the line of each row, or how many of them at most (True: 200)
    centred : whether lines show the difference from the first value of the grid
    target : the class to draw; None for all of them. A heat map, or lines of single rows, show one class:
        None is then the second of two
    rows : whether to show where the rows of X are
    ax, theme : as in `roc`

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = partial_dependence(TreeClassifier().fit(X, y), "petal_width", X)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('petal_width', 'mean probability')
    """
    check_flag("centred", centred)
    check_flag("rows", rows)
    most_lines = _read_lines(individual)
    if isinstance(model_or_result, PartialDependence | AccumulatedEffects):
        _refuse_options(columns=columns, X=X, grid=grid, sample_weight=sample_weight)
        found = model_or_result
    else:
        if columns is None:
            raise ParameterError("columns is not given; name the column to draw, or two of them.")
        how: dict[str, Any] = {"kind": kind, "grid": grid, "sample_weight": sample_weight}
        found = find(model_or_result, columns, X, individual=most_lines > 0, **how)
    drawn = _drawn(found, target, centred=bool(centred), most_lines=most_lines)
    ax, palette = open_axes(ax, theme, "partial_dependence()")
    if len(drawn.axes) == 2:
        _draw_map(drawn, ax, palette, marked=bool(rows))
    else:
        _draw_lines(drawn, ax, palette, marked=bool(rows))
    add_note(ax, palette, drawn.notes)
    return ax


# --- what is drawn


def _read_lines(individual: Any) -> int:
    """Return the largest number of lines of single rows."""
    if isinstance(individual, bool | np.bool_):
        return _MOST_LINES if individual else 0
    if is_integer(individual) and individual >= 1:
        return int(individual)
    raise ParameterError(
        f"individual={shown(individual)} is not allowed; give True, False or a number of lines."
    )


def _refuse_options(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise ParameterError(
                f"{name} belongs to a model; a result has been computed already, so leave it out."
            )


def _drawn(
    found: PartialDependence | AccumulatedEffects, target: Any, *, centred: bool, most_lines: int
) -> Drawn:
    if isinstance(found, AccumulatedEffects):
        if centred or most_lines:
            raise ParameterError(
                "centred and individual are for partial dependence; accumulated effects have their mean at 0 "
                "and no lines of single rows."
            )
        chosen = _targets(found.classes, len(found.values), target, single=False)
        note = f"steps added up over {many(len(found.rows[0].values), 'row')}"
        label = "accumulated effect" + _of_class(found.classes, chosen)
        return Drawn((found.axis,), found.values[chosen], None, _some(found.classes, chosen), found.rows,
                     label, (note,))  # fmt: skip
    found = found.centred() if centred else found
    lines = found.individual if most_lines else None
    if most_lines and lines is None:
        raise ParameterError(
            "individual=… draws the lines of single rows, but the result has none.\n"
            "Hint: partial_dependence(…, individual=True) keeps them."
        )
    if lines is not None and len(found.axes) == 2:
        raise ParameterError("individual=… draws lines along one column; a heat map of two has none.")
    single = len(found.axes) == 2 or lines is not None
    chosen = _targets(found.classes, len(found.values), target, single=single)
    notes = [_SAID[found.kind].format(rows=many(_n_rows(found), "row"))]
    if lines is not None:
        lines = lines[chosen[0]]
        if len(lines) > most_lines:
            notes.append(f"{most_lines:,} of {many(len(lines), 'line')} are drawn")
            lines = lines[np.linspace(0, len(lines) - 1, most_lines).astype(np.intp)]
    what = "prediction" if found.classes is None else "probability"
    label = f"change of the mean {what}" if found.is_centred else f"mean {what}"
    label += _of_class(found.classes, chosen)
    classes = _some(found.classes, chosen)
    return Drawn(found.axes, found.values[chosen], lines, classes, found.rows, label, tuple(notes))


def _n_rows(found: PartialDependence) -> int:
    return 0 if found.rows is None else len(found.rows[0].values)


def _targets(classes: tuple[Any, ...] | None, n_targets: int, target: Any, *, single: bool) -> list[int]:
    """Return the numbers of the targets to draw."""
    if target is not None:
        if classes is None:
            raise ParameterError(f"target={shown(target)} names a class, but the model predicts numbers.")
        if target not in classes:
            raise ParameterError(choices("target", target, classes))
        return [classes.index(target)]
    if not single or n_targets == 1:
        return list(range(n_targets))
    if n_targets == 2:
        return [1]
    some = "" if classes is None else f", such as target={classes[0]!r}"
    raise ParameterError(f"There are {n_targets} classes, of which this chart shows one; name it{some}.")


def _some(classes: tuple[Any, ...] | None, chosen: Sequence[int]) -> tuple[Any, ...] | None:
    return None if classes is None else tuple(classes[number] for number in chosen)


def _of_class(classes: tuple[Any, ...] | None, chosen: Sequence[int]) -> str:
    one = classes is not None and len(chosen) == 1
    return f" of {plain(level_text(classes[chosen[0]]))}" if one and classes is not None else ""


# --- one column


def _draw_lines(drawn: Drawn, ax: Axes, palette: Palette, *, marked: bool) -> None:
    (grid,) = drawn.axes
    axis = _axis(grid)
    styles = _looks(drawn.values, palette)
    if drawn.individual is not None:
        _draw_rows_lines(grid, axis, drawn.individual, ax, palette)
    handles = []
    for number, (heights, look) in enumerate(zip(drawn.values, styles, strict=True)):
        handles.append(_draw_one(grid, axis, heights, look, ax, palette, number - (len(styles) - 1) / 2))
    low, high = _ends(grid, axis)
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
        style |= dots | {"markersize": 7.0, "linewidth": 1.0}
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
    edges = _edges(grid, axis)
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
        low = ax.get_ylim()
        ax.bar(np.arange(len(shares)), 0.12 * shares, width=0.6, transform=along, **bars)
        ax.set_ylim(low)
        return
    shown_values = _few(np.sort(known), _MOST_MARKS)
    style: dict[str, Any] = {"marker": "|", "markersize": 7.0, "markeredgewidth": 0.7, "linestyle": ""}
    places = axis.places(shown_values)
    ends = ax.get_xlim()
    ax.plot(places, np.full(len(places), 0.018), transform=along, color=palette.faint, alpha=0.5,
            zorder=1, **style)  # fmt: skip
    ax.set_xlim(ends)


def _few(values: Array, most: int) -> Array:
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).astype(np.intp)]


# --- two columns


def _draw_map(drawn: Drawn, ax: Axes, palette: Palette, *, marked: bool) -> None:
    sides = [_axis(grid) for grid in drawn.axes]
    orders: list[Indices] = [_order(grid) for grid in drawn.axes]
    edges = [_edges(grid, axis) for grid, axis in zip(drawn.axes, sides, strict=True)]
    cells = drawn.values[0][np.ix_(*orders)]
    low, high = float(cells.min()), float(cells.max())
    room = 0.0 if high > low else max(1.0, abs(low)) / 2
    ends: dict[str, Any] = {"vmin": low - room, "vmax": high + room}
    mesh = ax.pcolormesh(edges[0], edges[1], cells.T, cmap=scale(palette), **ends)
    if marked and drawn.rows is not None:
        _draw_dots(drawn.rows, sides, ax, palette)
    for i, (axis, own) in enumerate(zip(sides, edges, strict=True)):
        ax.set(**{"xy"[i] + "lim": (float(own[0]), float(own[-1]))})
        axis.dress((ax.xaxis, ax.yaxis)[i], float(own[0]), float(own[-1]))
    add_colour_bar(ax, palette, mesh, label=drawn.label)
    bar = ax.get_figure().axes[-1]  # type: ignore[union-attr]
    bar.yaxis.label.set_color(palette.ink)


def _draw_dots(rows: tuple[ColumnData, ...], sides: Sequence[ColumnAxis], ax: Axes, palette: Palette) -> None:
    known: Mask = ~np.any([held.is_missing() for held in rows], axis=0)
    chosen = _few(np.flatnonzero(known), _MOST_MARKS)
    places = []
    for held, axis, step in zip(rows, sides, _SPREAD, strict=True):
        place = axis.places(held.values[chosen])
        if held.column.levels is not None:  # rows of a level are spread over its band
            place = place + (np.arange(len(place)) * step % 1.0 - 0.5) * 0.7
        places.append(place)
    size = float(np.clip(160.0 / max(1.0, len(chosen) ** 0.5), 4.0, 16.0))
    ax.scatter(places[0], places[1], s=size, color=palette.ink, edgecolors=palette.card, linewidths=0.4, alpha=0.55,
               zorder=2)  # fmt: skip


# --- places along an axis


def _axis(grid: GridColumn) -> ColumnAxis:
    return axis_of(grid.column, grid.low, grid.high)


def _order(grid: GridColumn) -> Indices:
    return np.argsort(grid.data.values, kind="stable")


def _ends(grid: GridColumn, axis: ColumnAxis) -> tuple[float, float]:
    if grid.column.levels is not None:
        return -0.5, max(1, len(grid.column.levels)) - 0.5
    low, high = axis.places([grid.low, grid.high]).tolist()
    if low < high:
        return (low, high) if grid.cuts is not None else (low - (high - low) / 40, high + (high - low) / 40)
    return low - 0.5, high + 0.5


def _edges(grid: GridColumn, axis: ColumnAxis) -> Numbers:
    """Return the borders of the cells: cuts, or the middles between values."""
    low, high = _ends(grid, axis)
    if grid.column.levels is not None and grid.cuts is None:
        places = np.sort(grid.data.values.astype(np.float64))
    elif grid.cuts is not None:
        cuts = axis.places(grid.cuts)[: grid.size - 1]
        return np.concatenate([[low], np.clip(cuts, low, high), [high]])
    else:
        places = np.sort(axis.places(grid.data.values))
    middles = (places[1:] + places[:-1]) / 2
    return np.concatenate([[low], middles, [high]])
