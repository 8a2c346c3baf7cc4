"""Marks: the few things that pictures are made of, whoever draws them.

Words: a *picture* is a page with marks on it, later ones over earlier ones; lengths are in points, y grows
downwards, colours are hexadecimal. A *group* holds the marks of one thing and says what that is.
Renderers (svg.py, plot/) draw marks and know nothing of trees; what is drawn is decided before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Box", "Curve", "Dots", "Group", "Line", "Mark", "Picture", "Polygon", "Text", "Wedge", "moved"]

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
    """A cubic curve from a point to another one, bent by two that it does not touch."""

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
    """A piece of a pie; angles in turns from the top, clockwise."""

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
    """The marks of one thing, moved to a place; `title` says in words what it is."""

    x: float
    y: float
    marks: tuple[Mark, ...]
    title: str = ""
    name: str = ""  # how a renderer may tell it: "node 3"


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


def moved(x: float, y: float, marks: Iterable[Mark]) -> Group:
    """Return marks at another place."""
    return Group(x, y, tuple(marks))
