"""Step functions: what a tree predicts along one column, as a number or as stacked probabilities of classes.

A step is a stretch of the axis that belongs to one leaf. Rows lie at their target, or in a strip above the
stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._show.picture.palette import Palette, class_colours, mixed
from arboretum._show.picture.text_width import text_width
from arboretum._show.words import class_names
from arboretum._tree.tree import Tree
from arboretum.plot._axes import (
    TEXT_SIZE,
    add_class_legend,
    add_note,
    figure_of,
    looks,
    plain,
    write_over,
)
from arboretum.plot._plane.plane import Plane
from arboretum.plot._plane.regions import Regions
from arboretum.plot._plane.sheet import Sheet, draw_class_points, dress, on_sheet, point_size
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Step = tuple[float, float, int]  # begin, end, leaf

_SMALLEST_SHARE: Final = 0.08  # of the height, for a label
_STRIP: Final = (1.04, 1.16)  # heights of rows above the stack
_GOLDEN: Final = 0.6180339887498949


def draw_steps(
    plane: Plane, regions: Regions, ax: Axes, palette: Palette, *, labels: bool, legend: bool
) -> Axes:
    """Draw the steps of a plane that shows one column."""
    sheet = on_sheet(plane, regions)
    steps = _in_order(sheet)
    dress(ax, sheet)
    if plane.tree.target.classes is None:
        _draw_values(plane.tree, sheet, steps, ax, palette)
    else:
        _draw_stack(plane.tree, sheet, steps, ax, palette, labels=labels, legend=legend)
    add_note(ax, palette, plane.notes)
    return ax


def _in_order(sheet: Sheet) -> list[Step]:
    """Return the steps in order; neighbours of one leaf are one step."""
    pairs = zip(sheet.corners, sheet.leaves, strict=True)
    ends = [(float(c[:, 0].min()), float(c[:, 0].max()), leaf) for c, leaf in pairs]
    steps: list[Step] = []
    for begin, end, leaf in sorted(ends):
        if steps and steps[-1][2] == leaf:
            begin = steps.pop()[0]
        steps.append((begin, end, leaf))
    return steps


# --- numbers


def _draw_values(tree: Tree, sheet: Sheet, steps: list[Step], ax: Axes, palette: Palette) -> None:
    values = tree.array("value")
    if sheet.points is not None:
        x, own = sheet.points.places[:, 0], ~sheet.points.elsewhere
        size, colour = point_size(len(own)) * 0.7, mixed(palette.card, palette.classes[0], 0.55)
        dots: dict[str, Any] = {"color": colour, "edgecolors": palette.card, "linewidths": 0.7}
        ax.scatter(x[own], sheet.points.targets[own], s=size, zorder=2, **dots)
        ax.scatter(x[~own], sheet.points.targets[~own], s=size, zorder=2, marker="x", color=colour)
    begins, ends, leaves = zip(*steps, strict=True)
    heights = [float(values[leaf]) for leaf in leaves]
    ax.hlines(heights, begins, ends, colors=palette.accent, linewidths=2.2, zorder=4)
    jumps: dict[str, Any] = {"colors": palette.accent, "linewidths": 0.8, "linestyles": ":"}
    ax.vlines(begins[1:], heights[:-1], heights[1:], zorder=3, **jumps)
    ax.set_ylabel("predicted number" if sheet.points is None else "target, and what is predicted")
    ax.margins(y=0.08)
    set_number_ticks(ax.yaxis)


# --- classes


def _draw_stack(
    tree: Tree,
    sheet: Sheet,
    steps: list[Step],
    ax: Axes,
    palette: Palette,
    *,
    labels: bool,
    legend: bool,
) -> None:
    looks_of = looks(class_colours(tree, palette), palette)
    probability = tree.array("probability")
    seen: set[int] = set()
    begin = np.array([step[0] for step in steps])
    width = np.array([step[1] for step in steps]) - begin
    base = np.zeros(len(steps))
    order = sorted(range(len(looks_of)), key=lambda number: not looks_of[number].named)
    for number in order:
        share = probability[[step[2] for step in steps], number]
        if share.any():
            seen.add(number)
            look = looks_of[number]
            fill, edge = (mixed(palette.card, look.colour, strength) for strength in (0.5, 0.75))
            style: dict[str, Any] = {"facecolor": fill, "edgecolor": edge, "hatch": look.hatch or None}
            ax.bar(begin, share, width, bottom=base, align="edge", linewidth=0.0, zorder=1, **style)
            base = base + share
    if labels:
        _label_steps(tree, steps, order, ax, palette)
    ax.vlines(begin[1:], 0.0, 1.0, colors=palette.ink, linewidths=1.0, zorder=3)
    if (points := sheet.points) is not None:
        seen |= set(points.targets.tolist())
        # In a strip above the stack, spread so that rows do not hide each other.
        spread = np.arange(len(points.targets)) * _GOLDEN % 1.0
        heights = _STRIP[0] + spread * (_STRIP[1] - _STRIP[0])
        draw_class_points(ax, palette, looks_of, points, heights, scale=0.5, rims=(0.3, 0.7))
    ax.set_ylim(0.0, 1.0 if sheet.points is None else 1.2)
    ax.set_yticks(np.linspace(0.0, 1.0, 6))
    ax.set_ylabel("probability")
    if legend:
        add_class_legend(tree, seen, looks_of, ax, palette, markers=sheet.points is not None)


def _label_steps(tree: Tree, steps: list[Step], order: list[int], ax: Axes, palette: Palette) -> None:
    """Write the name of its class into each step that is wide and high enough; classes stack in order."""
    figure = figure_of(ax)
    figure.draw_without_rendering()
    em = TEXT_SIZE * figure.dpi / 72.0
    names = class_names(tree.target.classes)
    for begin, end, leaf in steps:
        room = abs(np.diff(ax.transData.transform([(begin, 0), (end, 0)])[:, 0])[0])
        probability, label = tree.array("probability")[leaf], int(tree.array("label")[leaf])
        text = plain(names[label], longest=12.0)
        if text_width(text) * em > room - em or probability[label] < _SMALLEST_SHARE:
            continue
        below = sum(float(probability[number]) for number in order[: order.index(label)])
        height = below + float(probability[label]) / 2
        write_over(ax, palette, (begin + end) / 2, height, text)
