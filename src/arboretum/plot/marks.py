"""Draws a picture of marks on matplotlib's axes.

Words: those of show/marks.py. The axes get the coordinates of the picture, upside down, as y grows downwards;
text and lines have sizes in points, so that they are *scaled* by how large the axes are on their page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from arboretum.show.marks import Box, Curve, Dots, Group, Line, Mark, Picture, Polygon, Text, Wedge

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["POINTS", "draw_marks"]

POINTS: Final = 72.0  # in an inch
_WRITTEN: Final = 0.94  # matplotlib's own font runs a little wider than those that cards are measured for
_ALIGNED: Final = {"start": "left", "middle": "center", "end": "right"}


def draw_marks(ax: Axes, picture: Picture) -> None:
    """Draw a picture so that it fills the axes, without changing its proportions."""
    ax.set_xlim(0.0, picture.width)
    ax.set_ylim(picture.height, 0.0)
    ax.set_aspect("equal", adjustable="box")
    ax.set_axis_off()
    scale = _scale(ax, picture)
    for order, (mark, x, y) in enumerate(_flat(picture.marks, 0.0, 0.0)):
        _draw(ax, mark, x, y, scale, 2.0 + order * 1e-4)


def _scale(ax: Axes, picture: Picture) -> float:
    """Return how many points of the page one point of the picture takes."""
    box = ax.get_window_extent()
    points = POINTS / ax.figure.dpi
    return float(min(box.width * points / picture.width, box.height * points / picture.height))


def _flat(marks: Iterable[Mark], x: float, y: float) -> Iterator[tuple[Mark, float, float]]:
    """Yield the marks of groups one by one, with the place to which they are moved."""
    for mark in marks:
        if isinstance(mark, Group):
            yield from _flat(mark.marks, x + mark.x, y + mark.y)
        else:
            yield mark, x, y


def _draw(ax: Axes, mark: Mark, dx: float, dy: float, scale: float, order: float) -> None:
    from matplotlib import patches
    from matplotlib.path import Path

    artist: Any
    match mark:
        case Text():
            ax.text(
                mark.x + dx,
                mark.y + dy,
                mark.text,
                fontsize=mark.size * scale * _WRITTEN,
                color=mark.fill,
                ha=_ALIGNED[mark.anchor],
                va="baseline",
                weight="bold" if mark.bold else "normal",
                zorder=order,
                parse_math=False,
                clip_on=True,
            )
            return
        case Box() if mark.radius:
            artist = patches.FancyBboxPatch(
                (mark.x + dx, mark.y + dy),
                mark.width,
                mark.height,
                boxstyle=f"round,pad=0,rounding_size={mark.radius}",
            )
            _colour(artist, mark.fill, mark.line, mark.line_width * scale)
        case Box():
            artist = patches.Rectangle((mark.x + dx, mark.y + dy), mark.width, mark.height)
            _colour(artist, mark.fill, mark.line, mark.line_width * scale)
        case Curve():
            codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
            artist = patches.PathPatch(Path([(x + dx, y + dy) for x, y in mark.points], codes))
            _stroke(artist, mark, scale)
        case Line():
            artist = patches.PathPatch(Path([(x + dx, y + dy) for x, y in mark.points]))
            _stroke(artist, mark, scale)
        case Polygon():
            artist = patches.Polygon([(x + dx, y + dy) for x, y in mark.points])
            _colour(artist, mark.fill, None, 0.0)
        case Wedge():
            # Angles run against the clock from the right here, on a page that is upside down.
            begin, end = 360.0 * mark.begin - 90.0, 360.0 * mark.end - 90.0
            artist = patches.Wedge((mark.x + dx, mark.y + dy), mark.radius, begin, end)
            _colour(artist, mark.fill, None, 0.0)
        case Dots():
            xs, ys = [x + dx for x, _ in mark.points], [y + dy for _, y in mark.points]
            area = (2.0 * mark.radius * scale) ** 2
            ax.scatter(xs, ys, s=area, c=mark.fill, alpha=mark.opacity, linewidths=0.0, zorder=order)
            return
        case Group():
            return
    artist.set_zorder(order)
    ax.add_patch(artist)


def _colour(artist: Any, fill: str | None, line: str | None, width: float) -> None:
    artist.set_facecolor(fill or "none")
    artist.set_edgecolor(line or "none")
    artist.set_linewidth(width if line else 0.0)


def _stroke(artist: Any, mark: Line | Curve, scale: float) -> None:
    artist.set_facecolor("none")
    artist.set_edgecolor(mark.colour)
    artist.set_linewidth(mark.width * scale)
    if mark.dashed:
        width = max(mark.width * scale, 1e-6)
        artist.set_linestyle((0.0, (7.0 * scale / width, 4.0 * scale / width)))
