"""Colours of pictures: a palette for light pages and one for dark pages, safe for the colour-blind.

*Ink* writes, *faint* writes what matters less, *line* draws edges and frames, *accent* marks cuts,
*highlight* the path of a row, *missing* the path of missing values. The eight hues of classes are those of
Okabe and Ito's colour-universal set, in an order of our own; the dark palette lightens those that would be
too dark.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from arboretum._options.rules import OneOf
from arboretum._tree.tree import Tree


@dataclass(frozen=True)
class Palette:
    """The colours of one theme, as hexadecimal strings."""

    name: str
    page: str
    card: str
    ink: str
    faint: str
    line: str
    accent: str
    highlight: str
    missing: str
    other: str  # classes beyond those that have a colour
    low: str  # the ends of the scale of numbers
    high: str
    classes: tuple[str, ...]


LIGHT: Final = Palette(
    name="light",
    page="#ffffff",
    card="#ffffff",
    ink="#1b2733",
    faint="#5b6875",
    line="#aab4be",
    accent="#b3261e",
    highlight="#7a3fb0",
    missing="#5b6875",
    other="#9aa3ab",
    low="#e8f0fa",
    high="#0b4a8f",
    classes=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#6b5b95"),
)
DARK: Final = Palette(
    name="dark",
    page="#12181f",
    card="#1b242d",
    ink="#eef2f5",
    faint="#a3b0bc",
    line="#566472",
    accent="#ff8a7a",
    highlight="#c792ff",
    missing="#a3b0bc",
    other="#7d8892",
    low="#22364a",
    high="#8cc4ff",
    classes=("#4aa3df", "#f0b23e", "#2fc49a", "#e39cc4", "#9ad7ff", "#ff8c42", "#e3d64f", "#a897d6"),
)
THEMES: Final = {"light": LIGHT, "dark": DARK}


def palette_of(theme: object) -> Palette:
    """Return the palette of a theme by its name."""
    name: str = OneOf(tuple(THEMES)).read(theme, "theme")
    return THEMES[name]


def class_colours(tree: Tree, palette: Palette) -> list[str]:
    """Return a colour for each class; if there are more classes than colours, the rare ones share one.

    The order of the classes decides, so a class has the same colour in every picture of a tree.
    """
    n_classes = len(tree.target.classes or ())
    if n_classes <= len(palette.classes):
        return list(palette.classes[:n_classes])
    weights = tree.array("counts")[0]
    frequent = np.sort(np.argsort(-weights, kind="stable")[: len(palette.classes)])
    colours = [palette.other] * n_classes
    for place, number in enumerate(frequent.tolist()):
        colours[number] = palette.classes[place]
    return colours


def shade(palette: Palette, share: float) -> str:
    """Return the colour of a number on a scale from the least, 0, to the greatest, 1."""
    return mixed(palette.low, palette.high, share)


@lru_cache(maxsize=4096)
def mixed(low: str, high: str, share: float) -> str:
    """Return the mix of two colours with this share of the second.

    >>> mixed("#000000", "#ff8000", 0.5)
    '#804000'
    """
    share = min(1.0, max(0.0, share)) if share == share else 0.0
    ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (low, high)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(*ends, strict=True))
