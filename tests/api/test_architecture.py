"""The map of the code, docs/architecture.md: every path it names exists, and every layer is on it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api.test_layers import FRONTS, LAYERS

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:cpp|src|tests|docs)/[\w./]+)`", MAP + GUIDE)))
LINKS = sorted(set(re.findall(r"\]\(([^)#]+)", MAP)))
# A row of a table: `functions` in one cell, their file in the last one.
STEPS = re.findall(r"^\|[^|]*\| `([A-Za-z_.:]+)`[^|]*\| `([^`]+)` \|$", MAP, re.MULTILINE)


@pytest.mark.parametrize("path", PATHS)
def test_paths_exist(path: str) -> None:
    """A file that was moved has moved on the map."""
    assert (ROOT / path).exists()


@pytest.mark.parametrize("link", LINKS)
def test_links_lead_somewhere(link: str) -> None:
    """The page links to files that are there."""
    assert (ROOT / "docs" / link).exists()


@pytest.mark.parametrize(("function", "path"), STEPS)
def test_functions_are_where_the_walks_say(function: str, path: str) -> None:
    """Each function of the two walks is defined in the file beside it."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for name in re.split(r"\.|::", function):
        assert re.search(rf"(?:def|class) {name}\b|\b{name}\(", text), name


def test_every_layer_is_on_the_map() -> None:
    """The packages that the test of layers lists are those of the map, in the same order."""
    layers = MAP.partition("## Layers")[2].partition("\n## ")[0]
    listed = re.findall(r"`src/arboretum/(\w+)(?:\.py)?`", layers)
    assert listed == [layer for layer in LAYERS if layer in listed]
    assert set(LAYERS) - set(listed) <= FRONTS
    assert len(STEPS) > 15
