"""The partition plot: the parts of the plane that belong to the leaves of a tree, exactly as it cuts them.

Words: a *region* is filled by what its leaf predicts, the stronger the surer; *borders* are the thinner the
later they are asked. One column gives a step function (steps.py), a surface of numbers is in surface.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.errors import ParameterError
from arboretum.plot.axes import Look, add_colour_bar, add_note, looks, number_scale, open_axes
from arboretum.plot.class_legend import add_class_legend
from arboretum.plot.plane import Plane, Points, open_plane, tell_narrow
from arboretum.plot.region_labels import write_labels
from arboretum.plot.regions import Regions, regions_of
from arboretum.plot.sheet import Sheet, dress, on_sheet, point_size
from arboretum.plot.steps import draw_steps
from arboretum.show.palette import Palette, class_colours, mixed
from arboretum.tree import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["partition"]

Numbers = npt.NDArray[np.float64]

_FAINTEST, _STRONGEST = 0.16, 0.52  # how much of its colour the region of the least and the surest label has
_THICKEST: Final = 2.4


def partition(
    model: Any,
    columns: Any = None,
    data: Any = None,
    *,
    at: Any = None,
    limits: Any = None,
    labels: bool = True,
    legend: bool = True,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw how a tree parts the plane of two columns, or the line of one; needs matplotlib.

    Two columns: every leaf has its region, a rectangle, or a polygon where sums are asked; its colour is that
    of its label, the stronger the surer, or for numbers along a scale. Borders are the thinner the later they
    are asked. One column: the number that is predicted, or the probability of each class, step by step.

    Parameters
    ----------
    model : a fitted estimator of this package, or a Tree
    columns : one or two columns by name or position. None: those that the tree asks about.
    data : (X, y) or (X, y, sample_weight): rows to draw over it. Those that miss a value are only counted.
    at : values of other columns that the tree asks about, {column: value}; None is a missing value. A row
        whose own values lead it to another leaf is drawn hollow, or as a cross.
    limits : how far axes reach, {column: (low, high)}. By default as far as the questions and the data do.
    labels : whether labels are written into the regions, where there is room
    legend : whether there is a legend or a colour bar
    ax : axes of matplotlib. None: new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = partition(TreeClassifier().fit(X, y), data=(X, y))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('petal_length', 'petal_width')
    """
    for name, value in (("labels", labels), ("legend", legend)):
        if not isinstance(value, bool | np.bool_):
            raise ParameterError(f"{name}={value!r} is not allowed; give True or False.")
    plane = open_plane(model, columns, data, at, limits, "partition()")
    regions = regions_of(plane.tree, plane.axes, plane.view, plane.fixed)
    plane = tell_narrow(plane, (region.leaf for region in regions.regions))
    ax, palette = open_axes(ax, theme, "partition()")
    if plane.axes[1] is None:
        return draw_steps(plane, regions, ax, palette, labels=labels, legend=legend)
    return _draw_plane(plane, regions, ax, palette, labels=labels, legend=legend)


def _draw_plane(
    plane: Plane, regions: Regions, ax: Axes, palette: Palette, *, labels: bool, legend: bool
) -> Axes:
    sheet = on_sheet(plane, regions)
    dress(ax, sheet)
    draw = _draw_numbers if plane.tree.target.classes is None else _draw_classes
    draw(plane.tree, sheet, ax, palette, legend=legend)
    _draw_borders(sheet, ax, palette)
    add_note(ax, palette, plane.notes)
    if labels:
        write_labels(plane.tree, sheet, ax, palette)
    return ax


def _draw_borders(sheet: Sheet, ax: Axes, palette: Palette) -> None:
    from matplotlib.collections import LineCollection

    widths = [max(0.5, _THICKEST * 0.72**depth) for depth in sheet.depths]
    ax.add_collection(
        LineCollection(sheet.borders, linewidths=widths, colors=palette.ink, capstyle="butt", zorder=2),
        autolim=False,
    )


# Classes


def _draw_classes(tree: Tree, sheet: Sheet, ax: Axes, palette: Palette, *, legend: bool) -> None:
    looks_of = looks(class_colours(tree, palette), palette)
    label, strength = tree.array("label"), _strengths(tree)
    leaves = np.array(sheet.leaves, dtype=np.int64)
    for look in dict.fromkeys(looks_of[number] for number in label[leaves].tolist()):
        own = [i for i, leaf in enumerate(sheet.leaves) if looks_of[label[leaf]] == look]
        fills = [mixed(palette.card, look.colour, strength[sheet.leaves[i]]) for i in own]
        _fill([sheet.corners[i] for i in own], fills, ax, mixed(palette.card, look.colour, 0.62), look.hatch)
    if sheet.points is not None:
        _draw_class_points(sheet.points, looks_of, ax, palette)
    if legend:
        seen = set(label[leaves].tolist())
        if sheet.points is not None:
            seen |= set(sheet.points.targets.tolist())
        add_class_legend(tree, seen, looks_of, ax, palette, markers=sheet.points is not None)


def _strengths(tree: Tree) -> Numbers:
    """Return how much colour each node's region has: by how far the label is above an even guess."""
    probability, label = tree.array("probability"), tree.array("label")
    sure = probability[np.arange(len(label)), label]
    even = 1.0 / probability.shape[1]
    share = np.clip((sure - even) / (1.0 - even), 0.0, 1.0) if even < 1.0 else np.ones(len(label))
    return np.asarray(_FAINTEST + (_STRONGEST - _FAINTEST) * share)


def _fill(corners: list[Numbers], fills: Sequence[Any], ax: Axes, edge: Any, hatch: str) -> None:
    from matplotlib.collections import PolyCollection

    # Not smoothed: between smoothed neighbours the page would shine through.
    collection = PolyCollection(
        corners, facecolors=fills, edgecolors=edge, linewidths=0.0, antialiaseds=False, zorder=1
    )
    if hatch:
        collection.set_hatch(hatch)
    ax.add_collection(collection, autolim=False)


def _draw_class_points(points: Points, looks_of: Sequence[Look], ax: Axes, palette: Palette) -> None:
    rim = 0.5 if len(points.targets) <= 600 else 0.15
    for number in np.unique(points.targets).tolist():
        look = looks_of[number]
        for hollow in (False, True):
            own = (points.targets == number) & (points.elsewhere == hollow)
            if own.any():
                edge = look.colour if hollow else palette.card
                ax.scatter(
                    points.places[own, 0],
                    points.places[own, 1],
                    s=point_size(len(points.targets)),
                    marker=look.marker,
                    facecolors="none" if hollow else look.colour,
                    edgecolors=edge,
                    linewidths=0.9 if hollow else rim,
                    zorder=3,
                )


# Numbers


def _draw_numbers(tree: Tree, sheet: Sheet, ax: Axes, palette: Palette, *, legend: bool) -> None:
    values = tree.array("value")[sheet.leaves]
    colours = number_scale(values, palette)
    _fill(sheet.corners, colours.to_rgba(values), ax, palette.line, "")
    points, beyond = sheet.points, (False, False)
    if points is not None:
        targets = points.targets
        beyond = (bool((targets < values.min()).any()), bool((targets > values.max()).any()))
        size, own = point_size(len(targets)), ~points.elsewhere
        fills: dict[str, Any] = {"facecolors": colours.to_rgba(targets[own]), "edgecolors": palette.ink}
        ax.scatter(points.places[own, 0], points.places[own, 1], s=size, linewidths=0.5, zorder=3, **fills)
        crosses: dict[str, Any] = {"marker": "x", "color": palette.ink}
        ax.scatter(
            points.places[~own, 0], points.places[~own, 1], s=size, linewidths=0.8, zorder=3, **crosses
        )
    if legend:
        ends = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
        add_colour_bar(ax, palette, colours, extend=ends[beyond])
