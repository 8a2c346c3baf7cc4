"""The tree on matplotlib's axes: the same picture as `export.to_svg` writes.

Text and lines have sizes in points, so they are scaled to the size of the axes on their page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.marks import (
    Box,
    Curve,
    Dots,
    Group,
    Line,
    Mark,
    Picture,
    Point,
    Polygon,
    Text,
    Wedge,
)
from arboretum._show.scene import View
from arboretum.plot._axes import open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_NODES: Final = 31
_LARGEST: Final = 200.0  # inches; a larger page takes matplotlib too much memory
_POINTS: Final = 72.0  # in an inch
_FONT_SCALE: Final = 0.94  # matplotlib's font is a little wider than those that cards are measured for
_ALIGNED: Final = {"start": "left", "middle": "center", "end": "right"}


def tree(
    model: Any,
    *,
    ax: Axes | None = None,
    data: Any = None,
    row: Any = None,
    charts: bool = False,
    max_depth: int | None = None,
    max_nodes: int | None = _MAX_NODES,
    figures: Sequence[str] | None = None,
    amounts: str = "shares",
    direction: str | None = None,
    theme: str = "light",
    title: str | None = None,
) -> Axes:
    """Draw a fitted estimator or a tree, and return the axes.

    Without `ax`, the figure is as large as the tree needs; on given axes, the tree shrinks to fit. The
    options are those of `arboretum.export.to_svg`.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = tree(TreeClassifier(max_depth=2).fit(X, y))
    >>> sorted(text.get_text() for text in ax.texts if "<=" in text.get_text())
    ['<= 1.75', '<= 2.45', 'petal_length <= 2.45', 'petal_width <= 1.75']
    """
    view = View(max_depth, max_nodes, figures, amounts, row, data)
    picture = draw_tree(
        model, view, theme=theme, direction=direction, charts=charts, title=title, asker="plot.tree()"
    )
    shrunk = min(1.0, _LARGEST * _POINTS / max(picture.width, picture.height))
    size = picture.width * shrunk / _POINTS, picture.height * shrunk / _POINTS
    own = ax is None
    drawn, _ = open_axes(ax, theme, "plot.tree()", size=size)
    if own:
        figure: Any = drawn.figure
        figure.set_layout_engine("none")  # the tree fills the page
        drawn.set_position((0.0, 0.0, 1.0, 1.0))
    _draw_picture(drawn, picture)
    return drawn


def _draw_picture(ax: Axes, picture: Picture) -> None:
    """Draw a picture that fills the axes and keeps its proportions; its y axis points down."""
    ax.set_xlim(0.0, picture.width)
    ax.set_ylim(picture.height, 0.0)
    ax.set_aspect("equal", adjustable="box")
    ax.set_axis_off()
    scale = _scale(ax, picture)
    for order, (mark, x, y) in enumerate(_flat(picture.marks, 0.0, 0.0)):
        _draw(ax, mark, x, y, scale, 2.0 + order * 1e-4)


def _scale(ax: Axes, picture: Picture) -> float:
    """Return how many points of the page are one point of the picture."""
    box = ax.get_window_extent()
    points = _POINTS / ax.figure.dpi
    return float(min(box.width * points / picture.width, box.height * points / picture.height))


def _flat(marks: Iterable[Mark], x: float, y: float) -> Iterator[tuple[Mark, float, float]]:
    """Yield the marks of groups one by one, with how far they are moved."""
    for mark in marks:
        if isinstance(mark, Group):
            yield from _flat(mark.marks, x + mark.x, y + mark.y)
        else:
            yield mark, x, y


def _draw(ax: Axes, mark: Mark, dx: float, dy: float, scale: float, order: float) -> None:
    from matplotlib import patches
    from matplotlib.path import Path

    def moved(points: Iterable[Point]) -> list[Point]:
        return [(x + dx, y + dy) for x, y in points]

    artist: Any
    match mark:
        case Text():
            ax.text(
                mark.x + dx,
                mark.y + dy,
                mark.text,
                fontsize=mark.size * scale * _FONT_SCALE,
                color=mark.fill,
                ha=_ALIGNED[mark.anchor],
                va="baseline",
                weight="bold" if mark.bold else "normal",
                zorder=order,
                parse_math=False,
                clip_on=True,
            )
            return
        case Dots():
            xs, ys = zip(*moved(mark.points), strict=True) if mark.points else ((), ())
            area = (2.0 * mark.radius * scale) ** 2
            ax.scatter(xs, ys, s=area, c=mark.fill, alpha=mark.opacity, linewidths=0.0, zorder=order)
            return
        case Group():
            return
        case Box():
            size, round_ = (mark.width, mark.height), f"round,pad=0,rounding_size={mark.radius}"
            corner = (mark.x + dx, mark.y + dy)
            artist = patches.Rectangle(corner, *size)
            if mark.radius:
                artist = patches.FancyBboxPatch(corner, *size, boxstyle=round_)
            width = mark.line_width * scale if mark.line else 0.0
            artist.set(facecolor=mark.fill or "none", edgecolor=mark.line or "none", linewidth=width)
        case Curve() | Line():
            codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4] if isinstance(mark, Curve) else None
            artist = patches.PathPatch(Path(moved(mark.points), codes))
            artist.set(facecolor="none", edgecolor=mark.colour, linewidth=mark.width * scale)
            if mark.dashed:
                width = max(mark.width * scale, 1e-6)
                artist.set_linestyle((0.0, (7.0 * scale / width, 4.0 * scale / width)))
        case Polygon() | Wedge():
            if isinstance(mark, Polygon):
                artist = patches.Polygon(moved(mark.points))
            else:  # here angles start at the right, and the page is upside down
                begin, end = 360.0 * mark.begin - 90.0, 360.0 * mark.end - 90.0
                artist = patches.Wedge((mark.x + dx, mark.y + dy), mark.radius, begin, end)
            artist.set(facecolor=mark.fill, edgecolor="none", linewidth=0.0)
    artist.set_zorder(order)
    ax.add_patch(artist)
