"""A picture as SVG: one file without dependencies, with descriptions for those who cannot see it.

Text stays text, so that it can be searched and read aloud.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

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
from arboretum._show.picture.text_width import writable

_FONT: Final = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
)
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def picture_to_svg(picture: Picture) -> str:
    """Return a picture as the text of an SVG file."""
    width, height = _n(picture.width), _n(picture.height)
    body: list[str] = []
    _write(picture.marks, body)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(picture.title)}" '
            f'font-family="{_FONT}">',
            f"<desc>{escape(picture.description)}</desc>",
            f'<rect width="{width}" height="{height}" fill="{picture.page}"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def escape(text: str) -> str:
    """Return text for use between tags or in an attribute; characters that XML forbids are replaced.

    >>> escape('a < "b"')
    'a &lt; &quot;b&quot;'
    """
    return writable(text).translate(_ESCAPES)


def _write(marks: Iterable[Mark], out: list[str]) -> None:
    """Write marks one after the other; groups are not nested deeply, so recursion is fine."""
    for mark in marks:
        match mark:
            case Text():
                out.append(_text(mark))
            case Box():
                out.append(_box(mark))
            case Group():
                name = f' data-name="{escape(mark.name)}"' if mark.name else ""
                place = f' transform="translate({_n(mark.x)} {_n(mark.y)})"' if mark.x or mark.y else ""
                title = f"<title>{escape(mark.title)}</title>" if mark.title else ""
                out.append(f"<g{name}{place}>{title}")
                _write(mark.marks, out)
                out.append("</g>")
            case Curve():
                (x, y), a, b, c = mark.points
                path = f"M{_n(x)} {_n(y)}C{_pairs((a, b, c))}"
                out.append(f'<path d="{path}" fill="none"{_stroke(mark)}/>')
            case Line():
                out.append(f'<polyline points="{_pairs(mark.points)}" fill="none"{_stroke(mark)}/>')
            case Polygon():
                out.append(f'<polygon points="{_pairs(mark.points)}" fill="{mark.fill}"/>')
            case Wedge():
                out.append(_wedge(mark))
            case Dots():
                # Lines of no length with round ends are discs, all in one element.
                path = "".join(f"M{_n(x)} {_n(y)}h0" for x, y in mark.points)
                out.append(
                    f'<path d="{path}" fill="none" stroke="{mark.fill}" stroke-width="{_n(2 * mark.radius)}" '
                    f'stroke-linecap="round" stroke-opacity="{_n(mark.opacity)}"/>'
                )


def _box(mark: Box) -> str:
    radius = f' rx="{_n(mark.radius)}"' if mark.radius else ""
    line = f' stroke="{mark.line}" stroke-width="{_n(mark.line_width)}"' if mark.line else ""
    return (
        f'<rect x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.width)}" height="{_n(mark.height)}"'
        f'{radius} fill="{mark.fill or "none"}"{line}/>'
    )


def _text(mark: Text) -> str:
    anchor = "" if mark.anchor == "start" else f' text-anchor="{mark.anchor}"'
    bold = ' font-weight="600"' if mark.bold else ""
    return (
        f'<text x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(mark.size)}" fill="{mark.fill}"'
        f"{anchor}{bold}>{escape(mark.text)}</text>"
    )


def _stroke(mark: Line | Curve) -> str:
    dashes = ' stroke-dasharray="7 4"' if mark.dashed else ""
    return f' stroke="{mark.colour}" stroke-width="{_n(mark.width)}"{dashes}'


def _wedge(mark: Wedge) -> str:
    if mark.end - mark.begin >= 1 - 1e-9:
        return f'<circle cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(mark.radius)}" fill="{mark.fill}"/>'
    # Two arcs: if rounding made the ends coincide, one arc would vanish.
    turns = (mark.begin, (mark.begin + mark.end) / 2, mark.end)
    (x0, y0), (x1, y1), (x2, y2) = (_on_circle(mark, turn) for turn in turns)
    arc = f"A{_n(mark.radius)} {_n(mark.radius)} 0 0 1 "
    outline = f"M{_n(mark.x)} {_n(mark.y)}L{_n(x0)} {_n(y0)}{arc}{_n(x1)} {_n(y1)}{arc}{_n(x2)} {_n(y2)}Z"
    return f'<path d="{outline}" fill="{mark.fill}"/>'


def _on_circle(mark: Wedge, turn: float) -> Point:
    angle = 2 * math.pi * turn
    return mark.x + mark.radius * math.sin(angle), mark.y - mark.radius * math.cos(angle)


def _pairs(points: Iterable[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


@lru_cache(maxsize=2**16)  # most lengths recur on every card
def _n(value: float) -> str:
    """Return a length in the fewest characters, to a hundredth of a point."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
