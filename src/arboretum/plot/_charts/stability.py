"""Stability as four panels: what trees ask about, where they cut, how large they are, what they dispute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from arboretum._options.rules import Whole
from arboretum._show.picture.palette import Palette, mixed, palette_of
from arboretum._show.picture.text_width import text_width
from arboretum._types import Numbers
from arboretum._wording import many
from arboretum.errors import DataTypeError, ParameterError, choices
from arboretum.inspection.stability.result import Stability
from arboretum.plot._axes import (
    add_grid,
    add_legend,
    add_note,
    import_matplotlib,
    name_ticks,
    open_axes,
    plain,
    style,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Panel: TypeAlias = Literal["columns", "thresholds", "sizes", "rows"]
_LONGEST: Final = 18.0  # em of a column's name
_LONGEST_BESIDE: Final = 24.0  # em of the words beside a line
_MOST_BARS: Final = 40  # of sizes; more are put together
_MOST_TICKS: Final = 8  # of sizes
_WIDTH: Final = 11.0  # inches of the whole figure
_AROUND: Final = 1.2  # inches above and below the lines of a panel
_LEGEND_GAP: Final = 0.52  # inches between a panel and the legend below it


def stability(
    found: Stability,
    panel: Panel | None = None,
    *,
    top: int = 12,
    ax: Axes | None = None,
    theme: str = "light",
) -> Any:
    """Draw how much a tree changes under resampling, in four panels or one of them; needs matplotlib.

    "columns": the share of the trees that ask about a column at the root, in the first levels, and at all.
    "thresholds": where they cut it in the first levels, as the share of the rows at or below the threshold,
    so that all columns have the same scale; the words give the middle threshold and how far they spread.
    "sizes": how many trees have how many leaves. "rows": the rows, from the most disputed to the least.

    Parameters
    ----------
    found : what `arboretum.stability` returned
    panel : the name of a panel; None draws all four in a new figure, and returns their axes by name
    top : the largest number of columns to draw
    ax, theme : as in `roc`; `ax` is for a single panel

    >>> from arboretum import TreeClassifier, datasets
    >>> import arboretum
    >>> X, y = datasets.load_iris()
    >>> found = arboretum.stability(TreeClassifier(max_depth=2, prune=None), X, y, n_resamples=20)
    >>> list(stability(found))
    ['columns', 'thresholds', 'sizes', 'rows']
    >>> [label.get_text() for label in stability(found, "columns").get_yticklabels()]
    ['petal_length', 'petal_width']
    """
    if not isinstance(found, Stability):
        raise DataTypeError(
            f"stability() draws what arboretum.stability() returned, not {type(found).__name__}.\n"
            "Hint: plot.stability(arboretum.stability(estimator, X, y))."
        )
    Whole(1).read(top, "top")
    if panel is None:
        if ax is not None:
            raise ParameterError("ax is for one panel; choose panel='columns', or leave ax out.")
        return _draw_all(found, top, theme)
    if panel not in _PANELS:
        raise ParameterError(choices("panel", panel, tuple(_PANELS)))
    ax, palette = open_axes(ax, theme, "stability()", size=(8.0, _height(found, top, panel)))
    _PANELS[panel](found, top, ax, palette)
    return ax


def _draw_all(found: Stability, top: int, theme: str) -> dict[str, Axes]:
    palette, plt = palette_of(theme), import_matplotlib("stability()")
    heights = _height(found, top, "columns"), _height(found, top, "sizes")
    figure = plt.figure(figsize=(_WIDTH, sum(heights)), layout="constrained", facecolor=palette.page)
    figure.get_layout_engine().set(hspace=0.05, wspace=0.05)
    # Names of columns need room above, but not below: each half has its own widths.
    halves = [half.subgridspec(1, 2) for half in figure.add_gridspec(2, 1, height_ratios=heights)]
    axes = [ax for half in halves for ax in half.subplots()]
    drawn = dict(zip(_PANELS, axes, strict=True))
    for name, ax in drawn.items():
        style(ax, palette)
        _PANELS[name](found, top, ax, palette)
    drawn["thresholds"].set_yticklabels([])  # the same columns as on the left
    return drawn


def _height(found: Stability, top: int, panel: str) -> float:
    lines = max(2, len(_drawn_columns(found, top)))
    return 0.4 + _AROUND + 0.3 * lines if panel in ("columns", "thresholds") else 3.2


def _drawn_columns(found: Stability, top: int) -> list[int]:
    """Return the columns that are drawn: those that any tree asks about, the most often asked first."""
    return found._asked[:top]


def _draw_columns(found: Stability, top: int, ax: Axes, palette: Palette) -> None:
    drawn = _drawn_columns(found, top)
    lines = np.arange(len(drawn))
    shares = {
        "anywhere": (found.anywhere, 0.25),
        f"first {many(found.levels, 'level')}": (found.first, 0.55),
        "root": (found.root, 1.0),
    }
    handles = {}
    for name, (share, strength) in shares.items():
        colour = mixed(palette.card, palette.classes[0], strength)
        handles[name] = ax.barh(lines, share[drawn], height=0.68, color=colour, zorder=2)
    _name_lines(found, drawn, ax)
    _set_shares(ax.xaxis, ax)
    ax.set_xlabel("trees that ask about the column")
    add_grid(ax, palette, "x")
    names = list(reversed(handles))
    _add_legend_below(found, top, ax, palette, [handles[name] for name in names], names)
    more = int((found.anywhere > 0).sum()) - len(drawn)
    never = int((found.anywhere == 0).sum())
    notes = [f"not drawn: {many(more, 'column')} that fewer trees ask about"] * (more > 0)
    add_note(ax, palette, notes + [f"{many(never, 'column')} that no tree asks about"] * (never > 0))


def _draw_thresholds(found: Stability, top: int, ax: Axes, palette: Palette) -> None:
    drawn = _drawn_columns(found, top)
    any_cut = False
    for line, place in enumerate(drawn):
        cuts = found._cuts_of(place, found.levels)
        if not len(cuts):
            continue
        any_cut = True
        # Trees lie one above the other, so that equal thresholds do not hide each other.
        heights = line + 0.3 - 0.6 * (cuts.tree + 0.5) / len(found.trees)
        deeper = cuts.depth > 0
        for chosen, marker, colour in (
            (deeper, "|", mixed(palette.card, palette.classes[0], 0.6)),
            (~deeper, "o", palette.classes[1]),
        ):
            ax.scatter(
                cuts.below[chosen] * 100, heights[chosen], s=14, marker=marker, color=colour,
                linewidths=0.9 if marker == "|" else 0.0, alpha=0.8, zorder=3,
            )  # fmt: skip
        _write_beside(ax, palette, line, found._text(place, found.levels))
    _name_lines(found, drawn, ax)
    _set_shares(ax.xaxis, ax, hundred=True)
    ax.set_xlabel("rows at or below the threshold")
    add_grid(ax, palette, "x")
    if any_cut:
        _write_beside(ax, palette, -0.75, "the middle threshold (5% to 95%)")
        _add_mark_legend(found, top, ax, palette)
    else:
        _write_inside(ax, palette, "No tree asks about a number.")


def _write_inside(ax: Axes, palette: Palette, text: str) -> None:
    """Write in the middle of a panel that has nothing to show."""
    ax.text(0.5, 0.5, text, ha="center", color=palette.ink, transform=ax.transAxes)


def _write_beside(ax: Axes, palette: Palette, line: float, text: str) -> None:
    """Write to the right of a line of the panel."""
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "annotation_clip": False, "va": "center"}
    # Two lines for what is too long for one: the middle threshold, and the spread.
    parts = [text] if text_width(text) <= _LONGEST_BESIDE else text.split(" (", 1)
    lines = [plain(part, longest=_LONGEST_BESIDE) for part in [parts[0], *(f"({rest}" for rest in parts[1:])]]
    ax.annotate("\n".join(lines), (1.02, line), fontsize=8, color=palette.faint, **place)


def _add_mark_legend(found: Stability, top: int, ax: Axes, palette: Palette) -> None:
    from matplotlib.lines import Line2D

    colours = palette.classes[1], mixed(palette.card, palette.classes[0], 0.6)
    handles = [
        Line2D([], [], linestyle="", marker=marker, color=colour, markersize=5)
        for marker, colour in zip("o|", colours, strict=True)
    ]
    _add_legend_below(found, top, ax, palette, handles, ["at the root", "below"])


def _add_legend_below(
    found: Stability, top: int, ax: Axes, palette: Palette, handles: list[Any], names: list[str]
) -> None:
    """Put a legend in one line below the name of the axis."""
    below = _LEGEND_GAP / (_height(found, top, "columns") - _AROUND)
    place = {
        "loc": "upper center",
        "bbox_to_anchor": (0.5, -below),
        "columnspacing": 1.2,
        "handletextpad": 0.5,
    }
    add_legend(ax, palette, handles, names, ncols=len(names), **place)


def _draw_sizes(found: Stability, top: int, ax: Axes, palette: Palette) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    leaves = found.leaves
    low, high = int(leaves.min()), int(leaves.max())
    step = -(-(high - low + 1) // _MOST_BARS)
    edges = np.arange(low, high + step + 1, step) - 0.5
    counts, _ = np.histogram(leaves, edges)
    ax.bar(
        edges[:-1],
        counts,
        width=step * 0.9,
        align="edge",
        color=mixed(palette.card, palette.classes[0], 0.55),
        zorder=2,
    )
    lines = {
        "all rows": (found.model.tree_.n_leaves, palette.ink, "--"),
        "consensus": (found.consensus.n_leaves, palette.accent, ":"),
    }
    handles = [
        ax.axvline(where, color=colour, linestyle=dash, linewidth=1.6, zorder=3)
        for where, colour, dash in lines.values()
    ]
    ends = [low, high, *(where for where, _, _ in lines.values())]
    if max(ends) - min(ends) < _MOST_TICKS:  # one for each size
        ax.set_xlim(min(ends) - 1, max(ends) + 1)
        ax.set_xticks(np.arange(min(ends), max(ends) + 1))
    else:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    ax.yaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel="leaves", ylabel="trees")
    names = [f"{name}: {where:,}" for name, (where, _, _) in lines.items()]
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.01), "ncols": 2}
    add_legend(ax, palette, handles, names, **place)
    add_grid(ax, palette, "y")


def _draw_rows(found: Stability, top: int, ax: Axes, palette: Palette) -> None:
    """Draw a step for each row, the most disputed first."""
    of_classes = found.disagreement is not None
    heights: Numbers = np.sort(found.deviation if found.disagreement is None else found.disagreement)[::-1]
    places = np.linspace(0.0, 100.0, len(heights) + 1)
    scale = 100.0 if of_classes else 1.0
    ax.stairs(heights * scale, places, fill=True, color=mixed(palette.card, palette.classes[0], 0.35))
    ax.stairs(heights * scale, places, color=palette.classes[0], linewidth=1.4, baseline=None)
    _set_shares(ax.xaxis, ax, hundred=True)
    if not heights.any():
        ax.set_ylim(0.0, 1.0)
        ax.yaxis.set_ticks([])
        _write_inside(ax, palette, "No row is in dispute.")
    ax.set_ylim(bottom=0.0)
    if of_classes:
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:g}%")
        ax.set_ylabel("trees that predict another class")
    else:
        ax.set_ylabel("standard deviation of predictions")
    ax.set_xlabel("rows, the most disputed first")
    add_grid(ax, palette)


def _name_lines(found: Stability, drawn: list[int], ax: Axes) -> None:
    ax.set_yticks(np.arange(len(drawn)), name_ticks([found.columns[place] for place in drawn], _LONGEST))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(max(2, len(drawn)) - 0.4, -0.6)


def _set_shares(axis: Any, ax: Axes, *, hundred: bool = False) -> None:
    most = 100.0 if hundred else 1.0
    ax.set_xlim(0.0, most)
    axis.set_ticks(np.linspace(0.0, most, 3), ["0%", "50%", "100%"])
    axis.set_ticks(np.linspace(0.0, most, 5), minor=True)


_PANELS: Final[dict[str, Callable[[Stability, int, Axes, Palette], None]]] = {
    "columns": _draw_columns,
    "thresholds": _draw_thresholds,
    "sizes": _draw_sizes,
    "rows": _draw_rows,
}
