"""Marks: the few shapes that pictures are made of, whatever draws them.

Lengths are in points, y grows downwards, colours are hexadecimal; later marks cover earlier ones. Renderers
(svg.py, plot/) draw marks and know nothing about trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None
    line: str | None = None
    line_width: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; y is its base line."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Anchor = "start"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points."""

    points: tuple[Point, ...]
    colour: str
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic Bézier curve."""

    points: tuple[Point, Point, Point, Point]
    colour: str
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled outline."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Wedge:
    """A sector of a circle; angles in turns from the top, clockwise."""

    x: float
    y: float
    radius: float
    begin: float
    end: float
    fill: str


@dataclass(frozen=True, slots=True)
class Dots:
    """Small discs of one colour."""

    points: tuple[Point, ...]
    radius: float
    fill: str
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """The marks of one thing, moved to a place; `title` describes it."""

    x: float
    y: float
    marks: tuple[Mark, ...]
    title: str = ""
    name: str = ""  # how renderers may identify it: "node 3"


Mark = Box | Text | Line | Curve | Polygon | Wedge | Dots | Group


@dataclass(frozen=True)
class Picture:
    """A page of marks."""

    width: float
    height: float
    page: str
    marks: tuple[Mark, ...]
    title: str
    description: str
