"""The legend of classes: which colour, hatch, marker or line belongs to which.

Words: classes that share one look share one line of the legend.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from arboretum.plot.axes import Look, add_legend, plain
from arboretum.show.palette import Palette, mixed
from arboretum.show.words import class_names
from arboretum.tree import Tree

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

__all__ = ["add_class_legend"]


def add_class_legend(
    tree: Tree, seen: Iterable[int], looks: Sequence[Look], ax: Axes, palette: Palette, *, markers: bool
) -> None:
    """List the classes that are seen, each with its fill, and with its marker if points are drawn."""
    names = class_names(tree.target.classes)
    listed = sorted(number for number in seen if looks[number].named)
    handles = [_handle(looks[number], palette, markers=markers) for number in listed]
    texts = [plain(names[number]) for number in listed]
    others = [number for number in seen if not looks[number].named]
    if others:
        handles.append(_handle(looks[others[0]], palette, markers=markers))
        texts.append(plain(names[others[0]]) if len(others) == 1 else f"{len(others)} other classes")
    add_legend(ax, palette, handles, texts)


def _handle(look: Look, palette: Palette, *, markers: bool) -> Artist:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    edge = mixed(palette.card, look.colour, 0.7)
    patch = Patch(facecolor=mixed(palette.card, look.colour, 0.45), edgecolor=edge, hatch=look.hatch * 2)
    if not markers:
        return patch
    marker = Line2D([], [], linestyle="", marker=look.marker, color=look.colour, markeredgecolor=palette.card)
    return (patch, marker)  # type: ignore[return-value]
