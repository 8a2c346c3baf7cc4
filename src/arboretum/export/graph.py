"""A tree as boxes and arrows with words, for languages of graphs: dot and mermaid.

Words: a *box* is a node with its lines of text, an *arrow* leads to a child and bears the answer. How texts
are escaped is known by each language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from arboretum.errors import ParameterError
from arboretum.fitted import tree_of
from arboretum.show.palette import LIGHT, class_colours, mixed, shade
from arboretum.show.words import answers, asked_text, level_names, number, percent, rows_text
from arboretum.tree import Node, Tree

__all__ = ["Arrow", "Box", "Graph", "graph_of", "shown"]

_TINT: Final = 0.3  # of the class's colour in a leaf: dark text must be readable on it
_TINT_OF_NUMBERS: Final = 0.6
_LONGEST: Final = 300
# Controls, marks of direction, halves of characters, unassigned ones, separators of lines and paragraphs.
_UNSHOWN: Final = ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")


@dataclass(frozen=True)
class Box:
    """One node: what it says, and the colour of its ground; inner nodes have none."""

    number: int
    lines: tuple[str, ...]
    colour: str | None


@dataclass(frozen=True)
class Arrow:
    """The way from a node to a child, and the answer that leads there."""

    begin: int
    end: int
    answer: str


@dataclass(frozen=True)
class Graph:
    """The boxes and arrows of a tree, parents before their children."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def graph_of(model: Any, asker: str, max_depth: Any) -> Graph:
    """Return the graph of a fitted estimator or a tree, down to so many questions."""
    tree = tree_of(model, asker)
    if max_depth is not None and (
        isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 0
    ):
        raise ParameterError(
            f"max_depth={max_depth!r} is not allowed; give a whole number, 0 or more, or None."
        )
    nodes = [node for node in tree.walk() if max_depth is None or node.depth <= max_depth]
    last = len(tree) if max_depth is None else max_depth
    colours = class_colours(tree, LIGHT)
    arrows = [arrow for node in nodes if node.depth < last for arrow in _arrows(node)]
    return Graph(
        tuple(_box(tree, node, colours, is_last=node.depth == last) for node in nodes), tuple(arrows)
    )


def _box(tree: Tree, node: Node, colours: list[str], *, is_last: bool) -> Box:
    size = rows_text(node.n_rows)
    if node.question is not None and not is_last:
        names = level_names(node.question.about) if node.question.about.levels else []
        return Box(node.number, (shown(asked_text(node.question, answers(node.question, names))), size), None)
    more = ("more below",) if node.question is not None else ()
    if node.confidence is None:
        values = tree.array("value")
        low, high = float(values.min()), float(values.max())
        share = (float(node.label) - low) / (high - low) if high > low else 0.0
        return Box(node.number, (number(node.label), size, *more), shade(LIGHT, _TINT_OF_NUMBERS * share))
    colour = colours[int(tree.array("label")[node.number])]
    line = f"{percent(node.confidence)} of {size}"
    return Box(node.number, (shown(str(node.label)), line, *more), mixed("#ffffff", colour, _TINT))


def _arrows(node: Node) -> Iterator[Arrow]:
    if node.question is None:
        return
    for child, answer in zip(node.children, answers(node.question), strict=True):
        said = f"{answer} or missing" if child.takes_missing else answer
        yield Arrow(node.number, child.number, shown(said))


def shown(text: str) -> str:
    """Return a text that fits into a box: not too long, without signs that break lines or turn them."""
    cut = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in _UNSHOWN else sign for sign in cut
    )
