"""Export to mermaid: a flowchart that documentation sites and notebooks draw from text.

Words: those of graph.py. Names are written with mermaid's own entity codes, so that none can end its box or
be taken for markup. It predicts nothing.
"""

from __future__ import annotations

import os
from typing import Any, Final

from arboretum.errors import ParameterError, choices
from arboretum.export.graph import Arrow, Box, graph_of
from arboretum.show.palette import LIGHT
from arboretum.writing import write_text

__all__ = ["to_mermaid"]

_ASKER: Final = "to_mermaid()"
_DIRECTIONS: Final = {"down": "TD", "right": "LR"}
_PLAIN: Final = frozenset(" .,:()/+-=_'!@%$^*?;")


def to_mermaid(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    direction: str = "down",
    max_depth: int | None = None,
) -> str:
    """Return the tree as a flowchart of mermaid.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> print(to_mermaid(TreeClassifier(max_depth=1).fit(X, y)))
    flowchart TD
      n0["petal_length #60;= 2.45<br>150 rows"]
      n1(["setosa<br>100% of 50 rows"])
      n2(["versicolor<br>50% of 100 rows"])
      n0 -->|"#60;= 2.45"| n1
      n0 -->|"#62; 2.45"| n2
      style n1 fill:#b2d5e8,stroke:#aab4be,color:#1b2733
      style n2 fill:#f8e2b2,stroke:#aab4be,color:#1b2733

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the text, if it is to be written
    direction : {"down", "right"}, where the tree grows
    max_depth : the most questions on a way; None for all
    """
    if direction not in tuple(_DIRECTIONS):
        raise ParameterError(choices("direction", direction, _DIRECTIONS))
    graph = graph_of(model, _ASKER, max_depth)
    lines = [
        f"flowchart {_DIRECTIONS[direction]}",
        *map(_node, graph.boxes),
        *map(_edge, graph.arrows),
        *(
            f"  style n{box.number} fill:{box.colour},stroke:{LIGHT.line},color:{LIGHT.ink}"
            for box in graph.boxes
            if box.colour is not None
        ),
    ]
    text = "\n".join(lines)
    if path is not None:
        write_text(path, text + "\n")
    return text


def _node(box: Box) -> str:
    label = "<br>".join(map(_escaped, box.lines))
    left, right = ("[", "]") if box.colour is None else ("([", "])")
    return f'  n{box.number}{left}"{label}"{right}'


def _edge(arrow: Arrow) -> str:
    return f'  n{arrow.begin} -->|"{_escaped(arrow.answer)}"| n{arrow.end}'


def _escaped(text: str) -> str:
    """Return a text in which every sign that could be markup is an entity code."""
    return "".join(map(_sign, text)) or " "


def _sign(sign: str) -> str:
    return sign if sign in _PLAIN or sign.isalnum() else f"#{ord(sign)};"
