"""Exports to look at: a still picture, the interactive page, and graphs for Graphviz and Mermaid."""

from __future__ import annotations

import gc
import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arboretum._options.rules import OneOf, Whole
from arboretum._show.output_words import outputs_said
from arboretum._show.own_rows import own_text
from arboretum._show.page.html import to_html
from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.palette import LIGHT, class_colours, mixed, shade
from arboretum._show.picture.svg import picture_to_svg
from arboretum._show.scene import View
from arboretum._show.words import answers, asked_text, level_names_once, number, rows_text, said
from arboretum._tree.fitted import tree_of
from arboretum._tree.multi_tree import several_of
from arboretum._tree.tree import Node, Tree
from arboretum._wording import percent
from arboretum.errors import ParameterError
from arboretum.export._program.shared import saved

__all__ = ["to_html", "to_svg"]

_MAX_NODES: Final = 100
_OTHER_FILES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".pdf", ".html", ".htm"})


def to_svg(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
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
) -> str:
    """Return the picture of a fitted estimator or a tree as the text of an SVG file.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> picture = to_svg(TreeClassifier().fit(X, y))
    >>> picture.startswith("<svg") and "petal_length &lt;= 2.45" in picture
    True

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write the result to, or None
    data : (X, y) or (X, y, sample_weight)
        Rows whose numbers are shown instead of those of the training rows.
    row : one row, whose path is marked and explained: X.iloc[[3]], a mapping, or a list of values
    charts : whether each card shows how the values it asks about are distributed over the rows of `data`
    max_depth : the largest number of questions above a node that is shown; hidden nodes are counted
    max_nodes : the largest number of nodes that are shown, the heaviest first; None for all
    figures : the numbers on a card, from "number", "rows", "weight", "mix", "impurity", "gain", "p_value",
        "label", "confidence", "loss" (on `data`)
    amounts : {"shares", "counts"}, how classes are counted
    direction : {"down", "right", None}
        None: small trees grow down, large ones to the right, where long names have room.
    theme : {"light", "dark"}
    title : text above the tree
    """
    if path is not None and Path(path).suffix.lower() in _OTHER_FILES:
        raise ParameterError(
            f"to_svg() writes SVG, but path ends in {Path(path).suffix!r}.\n"
            "Hint: name it .svg; plot.tree(model).figure.savefig(path) writes PNG and PDF, to_html() a page."
        )
    view = View(max_depth, max_nodes, figures, amounts, row, data)
    looks: dict[str, Any] = {"theme": theme, "direction": direction, "charts": charts, "title": title}
    enabled = gc.isenabled()
    gc.disable()  # pictures have no cycles, and every search for them would visit all marks
    try:
        text = picture_to_svg(draw_tree(model, view, **looks, asker="to_svg()"))
    finally:
        if enabled:
            gc.enable()
    return saved(text, path)


_TINT: Final = 0.3  # of the class's colour in a leaf: dark text must be readable on it
_TINT_OF_NUMBERS: Final = 0.6
_LONGEST: Final = 300
# Controls, direction marks, surrogate halves, unassigned characters, line and paragraph separators.
_UNSHOWN: Final = ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
_DIRECTIONS: Final = {"down": "TD", "right": "LR"}
_PLAIN: Final = frozenset(" .,:()/+-=_'!@%$^*?;")  # what Mermaid never takes for markup
_FONT: Final = 'fontname="Helvetica,Arial,sans-serif"'


@dataclass(frozen=True)
class _Box:
    """One node: its lines of text, its colour as a leaf, its children and the answers that lead there."""

    number: int
    lines: tuple[str, ...]
    colour: str | None = None
    arrows: tuple[tuple[int, str], ...] = ()


def to_dot(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "tree",
    max_depth: int | None = None,
) -> str:
    """Return the tree in the language of Graphviz; `dot -Tsvg` turns it into a picture.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_dot(TreeClassifier(max_depth=1).fit(X, y)))
    digraph "tree" {
      graph [rankdir=TB]
      node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#aab4be", fontcolor="#1b2733", ...]
      edge [color="#aab4be", fontcolor="#1b2733", fontname="Helvetica,Arial,sans-serif", fontsize=10]
      n0 [label="petal_length <= 2.45\\n150 rows"]
      n1 [label="setosa 99%\\n100% of 50 rows", fillcolor="#b2d5e8"]
      n2 [label="versicolor 50%\\n50% of 100 rows", fillcolor="#f8e2b2"]
      n0 -> n1 [label=" <= 2.45 "]
      n0 -> n2 [label=" > 2.45 "]
    }

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write the result to, or None
    name : the name of the graph
    max_depth : the largest number of questions above a node that is shown; None for no limit
    """
    boxes = _boxes(model, "to_dot()", max_depth)
    lines = [
        f'digraph "{_for_dot(_shown(name))}" {{',
        "  graph [rankdir=TB]",
        f'  node [shape=box, style="rounded,filled", fillcolor="{LIGHT.page}", color="{LIGHT.line}", '
        f'fontcolor="{LIGHT.ink}", {_FONT}, fontsize=11]',
        f'  edge [color="{LIGHT.line}", fontcolor="{LIGHT.ink}", {_FONT}, fontsize=10]',
    ]
    for box in boxes:
        colour = "" if box.colour is None else f', fillcolor="{box.colour}"'
        label = "\\n".join(map(_for_dot, box.lines))
        lines.append(f'  n{box.number} [label="{label}"{colour}]')
    # The spaces keep labels off the lines.
    lines += [
        f'  n{box.number} -> n{child} [label=" {_for_dot(answer)} "]'
        for box in boxes
        for child, answer in box.arrows
    ]
    return saved("\n".join([*lines, "}"]), path, end="\n")


def _for_dot(text: str) -> str:
    """Return a text for a quoted string of Graphviz, which reads entities such as &amp; in every label."""
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def to_mermaid(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    direction: str = "down",
    max_depth: int | None = None,
) -> str:
    """Return the tree as a flowchart of Mermaid, which documentation sites and notebooks draw.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_mermaid(TreeClassifier(max_depth=1).fit(X, y)))
    flowchart TD
      n0["petal_length #60;= 2.45<br>150 rows"]
      n1(["setosa 99%<br>100% of 50 rows"])
      n2(["versicolor 50%<br>50% of 100 rows"])
      n0 -->|"#60;= 2.45"| n1
      n0 -->|"#62; 2.45"| n2
      style n1 fill:#b2d5e8,stroke:#aab4be,color:#1b2733
      style n2 fill:#f8e2b2,stroke:#aab4be,color:#1b2733

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : a file to write the result to, or None
    direction : {"down", "right"}, the direction in which the tree grows
    max_depth : the largest number of questions above a node that is shown; None for no limit
    """
    OneOf(tuple(_DIRECTIONS)).read(direction, "direction")
    boxes = _boxes(model, "to_mermaid()", max_depth)
    lines = [f"flowchart {_DIRECTIONS[direction]}"]
    for box in boxes:
        begin, end = ("[", "]") if box.colour is None else ("([", "])")
        label = "<br>".join(map(_for_mermaid, box.lines))
        lines.append(f'  n{box.number}{begin}"{label}"{end}')
    lines += [
        f'  n{box.number} -->|"{_for_mermaid(answer)}"| n{child}'
        for box in boxes
        for child, answer in box.arrows
    ]
    lines += [
        f"  style n{box.number} fill:{box.colour},stroke:{LIGHT.line},color:{LIGHT.ink}"
        for box in boxes
        if box.colour is not None
    ]
    return saved("\n".join(lines), path, end="\n")


def _for_mermaid(text: str) -> str:
    """Return a text in which every character that could be markup is an entity code."""
    plain = (sign if sign in _PLAIN or sign.isalnum() else f"#{ord(sign)};" for sign in text)
    return "".join(plain) or " "


def _boxes(model: Any, asker: str, max_depth: Any) -> list[_Box]:
    """Return the nodes of a fitted estimator or a tree, parents before their children."""
    several = several_of(model)
    tree = tree_of(model, asker, models=True) if several is None else several.outputs[0]
    deepest = Whole(0, or_none=True).read(max_depth, "max_depth")
    last = len(tree) if deepest is None else deepest
    tints = _tints(tree)
    names: dict[str, list[str]] = {}  # of levels, by column
    boxes: list[_Box] = []
    for node in tree.walk():
        if node.depth > last:
            continue
        question = node.question if node.depth < last else None
        if question is None and several is not None:
            said_here = outputs_said(several, node.number, is_leaf=True)
            lines = (
                *map(_shown, said_here),
                rows_text(node.n_rows),
                *(() if node.is_leaf else ("more below",)),
            )
            boxes.append(_Box(node.number, lines, shade(LIGHT, 0.0)))
            continue
        if question is None:
            boxes.append(_Box(node.number, _leaf_lines(node), tints[node.number]))
            continue
        answered = answers(question, level_names_once(question, names))
        lines = (_shown(asked_text(question, answered)), rows_text(node.n_rows))
        arrows = [
            (child.number, _shown(said(answer, child.takes_missing)))
            for child, answer in zip(node.children, answered, strict=True)
        ]
        boxes.append(_Box(node.number, lines, arrows=tuple(arrows)))
    return boxes


def _tints(tree: Tree) -> list[str]:
    """Return the colour of each node as a leaf: that of its class, or of its number."""
    if tree.target.classes is not None:
        tinted = [mixed("#ffffff", colour, _TINT) for colour in class_colours(tree, LIGHT)]
        return [tinted[label] for label in tree.array("label").tolist()]
    values = tree.array("value")
    low, high = float(values.min()), float(values.max())
    shares = [(value - low) / (high - low) if high > low else 0.0 for value in values.tolist()]
    return [shade(LIGHT, _TINT_OF_NUMBERS * share) for share in shares]


def _leaf_lines(node: Node) -> tuple[str, ...]:
    """Return the text of a leaf, or of a node below which nothing is shown."""
    size, own = rows_text(node.n_rows), own_text(node)
    more = () if node.is_leaf else ("more below",)
    if node.confidence is None:
        said = _shown(node.formula or number(node.label))
        return (said, size if own is None else f"{own} of {size}", *more)
    sure = percent(node.confidence)
    if own is None:
        return (_shown(str(node.label)), f"{sure} of {size}", *more)
    return (f"{_shown(str(node.label))} {sure}", f"{own} of {size}", *more)


def _shown(text: str) -> str:
    """Return a text that fits into a box: not too long, without characters that break or reverse lines."""
    cut = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in _UNSHOWN else sign for sign in cut
    )
