"""Contributions to many predictions as a swarm of points: one line per column, one point per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import stats

from arboretum._data import ColumnData
from arboretum._options.rules import Whole
from arboretum._show.picture.palette import Palette
from arboretum._types import Indices, Numbers
from arboretum._wording import many
from arboretum.inspection.contributions import Contributions
from arboretum.plot._axes import add_colour_bar, add_grid, add_legend, add_note, figure_of, open_axes
from arboretum.plot._charts.contributions import (
    by_size,
    check_result,
    names_of,
    of_target,
    title_of,
    zero_note,
)
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.text import Text

_MOST_ROWS: Final = 3_000
_N_BINS: Final = 110  # of a line, for points that would hide each other
_HALF_HEIGHT: Final = 0.4  # of a line's swarm, in lines
_STEP: Final = 0.055  # between points that lie on each other, in lines


def contributions_summary(
    result: Contributions,
    *,
    target: Any = None,
    top: int = 12,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw the contributions to many rows, a line of points for each column; needs matplotlib.

    The columns with the largest mean contribution, whatever its sign, come first. A point's colour says how
    large the row's value is among the values of its column; nominal values have no order and are grey, and
    missing ones are hollow.

    Parameters
    ----------
    result : what `arboretum.contributions` returned
    target : the class whose probability is explained; of two classes the second unless you say otherwise
    top : the largest number of columns to draw; the others share one line
    ax, theme : as in `roc`

    >>> import arboretum
    >>> from arboretum import TreeRegressor, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeRegressor(max_depth=3).fit(X.iloc[:, 1:], X["sepal_length"])
    >>> ax = contributions_summary(arboretum.contributions(model, X))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['petal_length', 'sepal_width']
    """
    Whole(1).read(top, "top")
    check_result(result, "contributions_summary()")
    two = result.classes is not None and len(result.classes) == 2
    found = of_target(result, target, 1 if two else None)
    kept, rest, n_zero = by_size(np.abs(found.values).mean(axis=0), found, top)
    n_lines = len(kept) + bool(len(rest))
    ax, palette = open_axes(ax, theme, "contributions_summary()", size=(6.8, 1.5 + 0.42 * max(2, n_lines)))
    ax.axvline(0.0, color=palette.faint, linewidth=1.0, zorder=1)
    if n_lines == 0:
        nothing = "No column contributes anything."
        ax.text(0.5, 0.5, nothing, ha="center", va="center", color=palette.ink, transform=ax.transAxes)
        ax.set(xticks=[], yticks=[], xlabel=title_of(found, "contribution"))
        return ax
    n_rows = len(found.values)
    rows = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _MOST_ROWS)).round().astype(np.intp))
    lines = [found.values[rows, place] for place in kept.tolist()]
    lines += [found.values[np.ix_(rows, rest)].sum(axis=1)] * bool(len(rest))
    _draw(found, kept, rows, lines, ax, palette)
    names = names_of(found, kept, 20.0)
    ax.set_yticks(range(n_lines), names + [f"{many(len(rest), 'other')}"] * bool(len(rest)))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(n_lines - 0.45, -0.55)
    ax.set_xlabel(title_of(found, "contribution"))
    set_number_ticks(ax.xaxis)
    add_grid(ax, palette, "x")
    drawn = [f"{len(rows):,} of {many(n_rows, 'row')} are drawn"] if len(rows) < n_rows else []
    note, legend = add_note(ax, palette, [*drawn, *zero_note(n_zero)]), ax.get_legend()
    if note is not None and legend is not None:
        _keep_apart(ax, note, legend)
    return ax


def _keep_apart(ax: Axes, note: Text, legend: Legend) -> None:
    """Move the legend above the note if they would lie on each other, as in narrow axes beside long names."""
    figure_of(ax).draw_without_rendering()
    extent = note.get_window_extent()
    if extent.overlaps(legend.get_window_extent()):
        top = float(ax.transAxes.inverted().transform((0.0, extent.y1))[1])
        legend.set_bbox_to_anchor((1.0, top), transform=ax.transAxes)


def _draw(
    found: Contributions, kept: Indices, rows: Indices, lines: list[Numbers], ax: Axes, palette: Palette
) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    ends = [palette.classes[0], palette.classes[3], palette.classes[5]]
    colours = ScalarMappable(
        Normalize(0.0, 1.0), LinearSegmentedColormap.from_list(f"arboretum-{palette.name}-values", ends)
    )
    low, high = min(line.min() for line in lines), max(line.max() for line in lines)
    ranked, hollow, grey = False, None, None
    for number, line in enumerate(lines):
        height = number + _swarm(line, float(low), float(high))
        column = found.table.columns[int(kept[number])].take(rows) if number < len(kept) else None
        missing = np.zeros(len(rows), dtype=np.bool_) if column is None else column.is_missing()
        points: dict[str, Any] = {"s": 13.0, "linewidths": 0.0, "zorder": 3}
        known = ~missing
        if column is None or column.column.kind == "nominal":
            plain_points = ax.scatter(line[known], height[known], color=palette.other, **points)
            grey = grey if column is None else plain_points
        else:
            ranked = True
            tones = colours.to_rgba(_ranks(column)[known])
            ax.scatter(line[known], height[known], c=tones, **points)
        if missing.any():
            ring = points | {"linewidths": 0.8, "s": 11.0}
            hollow = ax.scatter(
                line[missing], height[missing], facecolors=palette.card, edgecolors=palette.ink, **ring
            )
    if ranked:
        add_colour_bar(ax, palette, colours, ticks=[0.0, 1.0], aspect=30, pad=0.02)
        bar = ax.get_figure().axes[-1]  # type: ignore[union-attr]
        bar.set_yticks([0.0, 1.0], ["low", "high"])
        bar.set_ylabel("value of the column" if len(lines) > 2 else "value", color=palette.ink, labelpad=-12)
    handles = [(hollow, "missing"), (grey, "no order")]
    listed = [(handle, name) for handle, name in handles if handle is not None]
    if listed:
        place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 2, "borderaxespad": 0.2}
        add_legend(ax, palette, [handle for handle, _ in listed], [name for _, name in listed], **place)


def _swarm(line: Numbers, low: float, high: float) -> Numbers:
    """Return how far each point lies above or below its line, so that points beside each other all show."""
    width = (high - low) / _N_BINS or 1.0
    bins = np.floor((line - low) / width).astype(np.intp)
    order = np.argsort(bins, kind="stable")
    counts = np.bincount(bins)
    first = np.cumsum(counts) - counts
    place = np.arange(len(line)) - first[bins[order]]  # within its bin
    # In the middle, above, below, further above, …
    offset = np.where(place % 2 == 1, (place + 1) // 2, -(place // 2))
    height = np.empty(len(line))
    height[order] = offset * min(_STEP, _HALF_HEIGHT / max(1, (counts.max() + 1) // 2))
    return height


def _ranks(column: ColumnData) -> Numbers:
    """Return where each value stands among the known ones, from 0 to 1, however far away some of them are."""
    known = ~column.is_missing()
    ranks = np.full(len(known), 0.5)
    if known.any():
        found = stats.rankdata(column.values[known], method="average") - 1.0
        ends = found.min(), found.max()
        ranks[known] = (found - ends[0]) / (ends[1] - ends[0]) if ends[0] < ends[1] else 0.5
    return ranks
