"""A tree as boxes and arrows with words, for languages of graphs: dot and mermaid.

Words: a *box* is a node with its lines of text, an *arrow* leads to a child and bears the answer. How texts
are escaped is known by each language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from arboretum.errors import ParameterError
from arboretum.fitted import tree_of
from arboretum.show.palette import LIGHT, class_colours, mixed, shade
from arboretum.show.words import answers, asked_text, level_names_once, number, percent, rows_text, said
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
    tints = _tints(tree)
    names: dict[str, list[str]] = {}  # of levels, by column
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    for node in nodes:
        question = node.question if node.depth < last else None
        if question is None:
            boxes.append(_end(node, tints[node.number]))
            continue
        answered = answers(question, level_names_once(question, names))
        boxes.append(Box(node.number, (shown(asked_text(question, answered)), rows_text(node.n_rows)), None))
        arrows += _arrows(node, answered)
    return Graph(tuple(boxes), tuple(arrows))


def _tints(tree: Tree) -> list[str]:
    """Return the colour of each node that is an end: that of its class, or of its number."""
    if tree.target.classes is not None:
        tinted = [mixed("#ffffff", colour, _TINT) for colour in class_colours(tree, LIGHT)]
        return [tinted[label] for label in tree.array("label").tolist()]
    values = tree.array("value")
    low, high = float(values.min()), float(values.max())
    shares = [(value - low) / (high - low) if high > low else 0.0 for value in values.tolist()]
    return [shade(LIGHT, _TINT_OF_NUMBERS * share) for share in shares]


def _end(node: Node, colour: str) -> Box:
    """Return a leaf, or a node below which nothing is shown."""
    size = rows_text(node.n_rows)
    more = () if node.is_leaf else ("more below",)
    if node.confidence is None:
        return Box(node.number, (number(node.label), size, *more), colour)
    line = f"{percent(node.confidence)} of {size}"
    return Box(node.number, (shown(str(node.label)), line, *more), colour)


def _arrows(node: Node, answered: Sequence[str]) -> Iterator[Arrow]:
    for child, answer in zip(node.children, answered, strict=True):
        yield Arrow(node.number, child.number, shown(said(answer, child.takes_missing)))


def shown(text: str) -> str:
    """Return a text that fits into a box: not too long, without signs that break lines or turn them."""
    cut = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in _UNSHOWN else sign for sign in cut
    )
