"""The partition plot: how a tree divides the plane of two columns, exactly, with a label in each region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._show.picture.palette import Palette, class_colours, mixed
from arboretum._show.picture.text_width import shorten, text_width
from arboretum._show.words import class_names
from arboretum._tree.tree import Tree
from arboretum._types import Mask, Numbers
from arboretum._wording import percent
from arboretum.estimators.base_tree import BaseTree
from arboretum.plot._axes import (
    TEXT_SIZE,
    add_class_legend,
    add_colour_bar,
    add_note,
    check_flag,
    figure_of,
    looks,
    number_scale,
    open_axes,
    plain,
    write_over,
)
from arboretum.plot._plane.painted import draw_painted
from arboretum.plot._plane.plane import Plane, note_narrow_leaves, open_plane
from arboretum.plot._plane.polygons import area, centre
from arboretum.plot._plane.regions import Regions, regions_of
from arboretum.plot._plane.sheet import (
    FAINTEST,
    STRONGEST,
    Sheet,
    draw_class_points,
    dress,
    on_sheet,
    point_size,
)
from arboretum.plot._plane.steps import draw_steps
from arboretum.plot._ticks import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_THICKEST: Final = 2.4
_LONGEST_LABEL, _SHORTEST_LABEL = 12.0, 5.0  # em
_HIDDEN_SLACK: Final = 1.25  # how many more points than the fewest a label may hide nearer to the middle
_TRIED: Final = 7  # places along each axis


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
    """Draw how a tree divides the plane of two columns, or the line of one; needs matplotlib.

    Other fitted models of two columns of numbers are drawn as well, to compare: point by point, with `data`.

    Two columns: every leaf has its region, a rectangle, or a polygon where the tree asks about sums. Its
    colour is that of its class, stronger where the probability is higher, or from a scale for numbers.
    Borders of deeper questions are thinner. One column: the predicted number, or the probability of each
    class, step by step.

    Parameters
    ----------
    model : a fitted estimator of this package, or a Tree; or any other with `predict`
    columns : one or two columns by name or position. None for those that the tree asks about.
    data : (X, y) or (X, y, sample_weight), rows to draw. Rows with missing values are only counted.
    at : values of other columns that the tree asks about, {column: value}; None is a missing value. A row
        whose own values lead it to another leaf is drawn hollow, or as a cross.
    limits : the ends of axes, {column: (low, high)}. By default they cover the questions and the data.
    labels : whether to write labels into the regions, where there is room
    legend : whether to draw a legend or a colour bar
    ax : axes of matplotlib. None for new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = partition(TreeClassifier().fit(X, y), data=(X, y))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('petal_length', 'petal_width')
    """
    check_flag("labels", labels)
    check_flag("legend", legend)
    if not isinstance(model, Tree | BaseTree) and data is not None and hasattr(model, "predict"):
        ax, palette = open_axes(ax, theme, "partition()")
        return draw_painted(model, data, limits, ax, palette, legend=legend)
    plane = open_plane(model, columns, data, at, limits, "partition()")
    regions = regions_of(plane.tree, plane.axes, plane.view, plane.fixed)
    plane = note_narrow_leaves(plane, (region.leaf for region in regions.regions))
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
        _write_labels(plane.tree, sheet, ax, palette)
    return ax


def _draw_borders(sheet: Sheet, ax: Axes, palette: Palette) -> None:
    from matplotlib.collections import LineCollection

    widths = [max(0.5, _THICKEST * 0.72**depth) for depth in sheet.depths]
    ax.add_collection(
        LineCollection(sheet.borders, linewidths=widths, colors=palette.ink, capstyle="butt", zorder=2),
        autolim=False,
    )


# --- classes


def _draw_classes(tree: Tree, sheet: Sheet, ax: Axes, palette: Palette, *, legend: bool) -> None:
    looks_of = looks(class_colours(tree, palette), palette)
    label, strength = tree.array("label"), _strengths(tree)
    leaves = np.array(sheet.leaves, dtype=np.int64)
    for look in dict.fromkeys(looks_of[number] for number in label[leaves].tolist()):
        own = [i for i, leaf in enumerate(sheet.leaves) if looks_of[label[leaf]] == look]
        fills = [mixed(palette.card, look.colour, strength[sheet.leaves[i]]) for i in own]
        _fill([sheet.corners[i] for i in own], fills, ax, mixed(palette.card, look.colour, 0.62), look.hatch)
    seen = set(label[leaves].tolist())
    if (points := sheet.points) is not None:
        seen |= set(points.targets.tolist())
        rims = (0.5 if len(points.targets) <= 600 else 0.15, 0.9)
        draw_class_points(ax, palette, looks_of, points, points.places[:, 1], scale=1.0, rims=rims)
    if legend:
        add_class_legend(tree, seen, looks_of, ax, palette, markers=sheet.points is not None)


def _strengths(tree: Tree) -> Numbers:
    """Return the share of colour of each node's region, by how far its label is above an even guess."""
    probability, label = tree.array("probability"), tree.array("label")
    sure = probability[np.arange(len(label)), label]
    even = 1.0 / probability.shape[1]
    share = np.clip((sure - even) / (1.0 - even), 0.0, 1.0) if even < 1.0 else np.ones(len(label))
    return np.asarray(FAINTEST + (STRONGEST - FAINTEST) * share)


def _fill(corners: list[Numbers], fills: Sequence[Any], ax: Axes, edge: Any, hatch: str) -> None:
    from matplotlib.collections import PolyCollection

    # Not smoothed: the page would shine through between smoothed neighbours.
    collection = PolyCollection(
        corners, facecolors=fills, edgecolors=edge, linewidths=0.0, antialiaseds=False, zorder=1
    )
    if hatch:
        collection.set_hatch(hatch)
    ax.add_collection(collection, autolim=False)


# --- numbers


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
        x, y = points.places.T
        ax.scatter(x[own], y[own], s=size, linewidths=0.5, zorder=3, **fills)
        ax.scatter(x[~own], y[~own], s=size, linewidths=0.8, zorder=3, marker="x", color=palette.ink)
    if legend:
        ends = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}
        add_colour_bar(ax, palette, colours, extend=ends[beyond])


# --- labels


def _write_labels(tree: Tree, sheet: Sheet, ax: Axes, palette: Palette) -> None:
    """Write the label of every leaf into its largest region with room for it; labels never overlap."""
    figure = figure_of(ax)
    figure.draw_without_rendering()  # the layout decides on the room
    to_pixels, pixel = ax.transData, figure.dpi / 72.0
    points = None if sheet.points is None else to_pixels.transform(sheet.points.places)
    regions = [to_pixels.transform(corners) for corners in sheet.corners]
    done: set[int] = set()
    for i in sorted(range(len(regions)), key=lambda i: -area(regions[i].tolist())):
        leaf = sheet.leaves[i]
        if leaf in done:
            continue
        for lines in _wordings(tree, leaf):
            # Half the width and height of the text with some room around it, in pixels.
            size = max(map(text_width, lines)) + 0.6, 1.25 * len(lines) + 0.7
            half = np.array(size) * TEXT_SIZE * pixel / 2
            spot = _best_spot(regions[i], half, points)
            if spot is not None:
                done.add(leaf)
                place = to_pixels.inverted().transform(spot)
                write_over(ax, palette, float(place[0]), float(place[1]), "\n".join(map(plain, lines)))
                break


def _wordings(tree: Tree, leaf: int) -> list[list[str]]:
    """Return possible labels of a leaf, from the longest to the shortest."""
    node = tree.node(leaf)
    if node.confidence is None:
        assert node.value is not None
        return [[number_text(node.value)], [number_text(node.value, 2)]]
    name = class_names(tree.target.classes)[int(tree.array("label")[leaf])]
    name = shorten(" ".join(name.split()), _LONGEST_LABEL)
    brief, sure = shorten(name, _SHORTEST_LABEL), percent(node.confidence)
    return [[name, sure], [f"{name} {sure}"], [name], [brief, sure], [brief]]


def _best_spot(corners: Numbers, half: Numbers, points: Numbers | None) -> Numbers | None:
    """Return the best centre for a box inside a region; None if it does not fit.

    Of the places that hide nearly the fewest points, it is the nearest to the middle.
    """
    low, high = corners.min(axis=0) + half, corners.max(axis=0) - half
    if (low > high).any():
        return None
    middle = np.clip(np.array(centre(corners.tolist())), low, high)
    grid = [np.linspace(low[i], high[i], _TRIED) for i in (0, 1)]
    spots = np.array([middle, *((x, y) for x in grid[0] for y in grid[1])])
    spots = spots[_inside(corners, spots, half)]
    if not len(spots):
        return None
    hidden = np.zeros(len(spots))
    if points is not None and len(points):
        near = np.abs(points[None] - spots[:, None]) <= half + 2.0
        hidden = near.all(axis=2).sum(axis=1)
    far = (((spots - middle) / (high - low + 1.0)) ** 2).sum(axis=1)
    far[hidden > _HIDDEN_SLACK * hidden.min()] = np.inf
    best: Numbers = spots[np.argmin(far)]
    return best


def _inside(corners: Numbers, spots: Numbers, half: Numbers) -> Mask:
    """Return the spots whose box lies inside the region."""
    edges = np.roll(corners, -1, axis=0) - corners
    signs = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    boxes = spots[:, None] + signs * half  # (spots, 4, 2)
    away = boxes[:, :, None] - corners  # (spots, 4, edges, 2)
    turns: Any = edges[:, 0] * away[..., 1] - edges[:, 1] * away[..., 0]
    slack = 1e-6 * np.abs(edges).max()
    inside: Mask = ((turns >= -slack).all(axis=2) | (turns <= slack).all(axis=2)).all(axis=1)
    return inside
