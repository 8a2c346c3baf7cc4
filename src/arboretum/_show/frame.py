"""A tree as a table: one row per node, in the order of the node numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arboretum._tree.node import Node, answers_of
from arboretum._tree.tree import Tree
from arboretum.errors import import_pandas

if TYPE_CHECKING:
    import pandas as pd


def to_frame(tree: Tree) -> pd.DataFrame:
    """Return a pandas data frame with one row per node."""
    frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(
        [_row(tree.node(i), *answer) for i, answer in enumerate(answers_of(tree))]
    )
    frame["parent"] = frame["parent"].astype("Int64")  # integers, and none for the root
    if "p_value" in frame:
        frame["p_value"] = frame["p_value"].astype("float64")  # also where nothing was tested
    return frame.set_index("node")


def _row(node: Node, answer: str | None, takes_missing: bool) -> dict[str, Any]:
    parent = node.parent
    row: dict[str, Any] = {
        "node": node.number,
        "parent": None if parent is None else parent.number,
        "depth": node.depth,
        "outcome": answer,
        "takes_missing": takes_missing,
        "question": None if node.question is None else str(node.question),
        "is_leaf": node.is_leaf,
        "n_rows": node.n_rows,
        "weight": node.weight,
        "impurity": node.impurity,
        "gain": node.gain,
        **({} if node.gain_ratio is None else {"gain_ratio": node.gain_ratio}),
        **({"p_value": node.p_value} if "p_value" in node.tree._arrays else {}),
        "improvement": node.improvement,
        "label": node.label,
    }
    if node.counts is not None and node.tree.target.classes is not None:
        row["confidence"] = node.confidence
        row |= {
            f"weight of {name}": float(count)
            for name, count in zip(node.tree.target.classes, node.counts, strict=True)
        }
    return row
