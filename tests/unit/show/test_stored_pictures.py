"""Pictures as they were when somebody looked at them and found them good, compared with tolerance.

A reference is a stored SVG. Its elements, words and colours must be the same, its numbers may differ by a
little. After a change that is meant, draw them anew, look at them, and store them: `python
tests/unit/show/test_stored_pictures.py`.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from support.pages import fitted

from arboretum.export import to_svg

IMAGES = Path(__file__).parents[2] / "images"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
TOLERANCE = 0.05  # points
PLACES = ("x", "y", "width", "height", "d", "points", "transform", "viewBox", "cx", "cy", "r")


def with_data(kind: str, **options: Any) -> str:
    model, X, y = fitted(kind)
    return to_svg(model, data=(X, y), row=X.iloc[[3]], **options)


PICTURES: dict[str, Callable[[], str]] = {
    "iris": lambda: to_svg(fitted("iris")[0], title="Which iris is it?"),
    "penguins-charts": lambda: with_data("penguins", charts=True),
    "numbers-charts-dark": lambda: with_data("numbers", charts=True, theme="dark", max_nodes=9),
    "multiway-right": lambda: to_svg(
        fitted("multiway")[0], direction="right", amounts="counts", max_nodes=20
    ),
    "sums": lambda: to_svg(fitted("sums")[0]),
    "at-least-m": lambda: to_svg(fitted("at least m")[0], max_depth=2),
}


def shape_of(text: str) -> tuple[list[tuple[Any, ...]], list[float]]:
    """What a picture is made of without its numbers of places, and those numbers."""
    elements: list[tuple[Any, ...]] = []
    numbers: list[float] = []
    for element in ElementTree.fromstring(text).iter():
        attributes = []
        for name, value in element.attrib.items():
            placed = name in (
                "x",
                "y",
                "width",
                "height",
                "d",
                "points",
                "transform",
                "viewBox",
                "cx",
                "cy",
                "r",
            )
            attributes.append((name, NUMBER.sub("#", value) if placed else value))
            numbers += [float(found) for found in NUMBER.findall(value)] if placed else []
        elements.append((element.tag, tuple(attributes), (element.text or "").strip()))
    return elements, numbers


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_still_the_one_that_was_looked_at(name: str) -> None:
    stored = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    (elements, numbers), (expected, places) = shape_of(PICTURES[name]()), shape_of(stored)
    assert elements == expected
    assert numbers == pytest.approx(places, abs=TOLERANCE)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for stored_name, draw in PICTURES.items():
        (IMAGES / f"{stored_name}.svg").write_text(draw(), encoding="utf-8")
