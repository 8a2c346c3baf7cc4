"""Export to dot, the language of Graphviz.

Words: those of graph.py. The text is a picture to be laid out: `dot -Tsvg tree.dot`. It predicts nothing.
"""

from __future__ import annotations

import os
from typing import Any, Final

from arboretum.export.graph import Arrow, Box, graph_of, shown
from arboretum.show.palette import LIGHT
from arboretum.writing import write_text

__all__ = ["to_dot"]

_ASKER: Final = "to_dot()"


def to_dot(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    name: str = "tree",
    max_depth: int | None = None,
) -> str:
    """Return the tree in the language of Graphviz; `dot -Tsvg` makes a picture of it.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_dot(TreeClassifier(max_depth=1).fit(X, y)))
    digraph "tree" {
      graph [rankdir=TB]
      node [shape=box, style="rounded,filled", fillcolor="#ffffff", color="#aab4be", fontcolor="#1b2733", ...]
      edge [color="#aab4be", fontcolor="#1b2733", fontname="Helvetica,Arial,sans-serif", fontsize=10]
      n0 [label="petal_length <= 2.45\\n150 rows"]
      n1 [label="setosa\\n100% of 50 rows", fillcolor="#b2d5e8"]
      n2 [label="versicolor\\n50% of 100 rows", fillcolor="#f8e2b2"]
      n0 -> n1 [label=" <= 2.45 "]
      n0 -> n2 [label=" > 2.45 "]
    }

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the text, if it is to be written
    name : the name of the graph
    max_depth : the most questions on a way; None for all
    """
    graph = graph_of(model, _ASKER, max_depth)
    font = 'fontname="Helvetica,Arial,sans-serif"'
    lines = [
        f"digraph {_quoted(shown(name))} {{",
        "  graph [rankdir=TB]",
        f'  node [shape=box, style="rounded,filled", fillcolor="{LIGHT.page}", color="{LIGHT.line}", '
        f'fontcolor="{LIGHT.ink}", {font}, fontsize=11]',
        f'  edge [color="{LIGHT.line}", fontcolor="{LIGHT.ink}", {font}, fontsize=10]',
        *map(_node, graph.boxes),
        *map(_edge, graph.arrows),
        "}",
    ]
    text = "\n".join(lines)
    if path is not None:
        write_text(path, text + "\n")
    return text


def _node(box: Box) -> str:
    colour = "" if box.colour is None else f', fillcolor="{box.colour}"'
    label = "\\n".join(map(_escaped, box.lines))
    return f'  n{box.number} [label="{label}"{colour}]'


def _edge(arrow: Arrow) -> str:
    label = _quoted(f" {arrow.answer} ")  # the spaces keep it off the line
    return f"  n{arrow.begin} -> n{arrow.end} [label={label}]"


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Return a text for a quoted string: backslashes and quotes are themselves, and no line ends inside.

    Graphviz reads entities such as &amp; in every label, so that the sign itself is written as one.
    """
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
