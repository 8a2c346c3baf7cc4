"""What the rows of a node say by themselves, beside a prediction that is drawn towards the nodes above."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arboretum._show.words import number, percent, rows_text
from arboretum._tree.node import Node
from arboretum._tree.tree import Tree
from arboretum.inspection.rules.rule import Rule


def own_texts(tree: Tree, numbers: Sequence[int]) -> list[str] | None:
    """Return the share of the label among the rows of each node, or their mean, as text.

    None if the tree predicts just that.
    """
    if not tree.shrinkage:
        return None
    if tree.rule is None:
        centre = "median" if tree.criterion == "absolute_error" else "mean"
        return [f"{centre} {number(own)}" for own in tree.array("own_value")[list(numbers)].tolist()]
    counts, labels = tree.array("counts")[list(numbers)], tree.array("label")[list(numbers)]
    if tree.rule.class_weight is not None:  # rows are meant, not what classes count for
        counts = np.divide(counts, tree.rule.class_weight, out=np.zeros_like(counts), where=counts > 0)
    own, total = counts[np.arange(len(labels)), labels], counts.sum(axis=1)
    shares = np.divide(own, total, out=np.zeros_like(own), where=total > 0)
    return [percent(share) for share in shares.tolist()]


def own_text(node: Node) -> str | None:
    """Return what the rows of one node say; None if the node predicts just that."""
    texts = own_texts(node.tree, [node.number])
    return None if texts is None else texts[0]


def support_text(of: Node | Rule) -> str:
    """Return what a prediction rests on: its probability, the rows, and what they say by themselves.

    "96%, 152 rows" or, drawn towards the nodes above, "94%; 96% of 152 rows"; of numbers, "152 rows" or
    "mean 5.8 of 152 rows".
    """
    own = own_text(Node(of.tree, of.node) if isinstance(of, Rule) else of)
    rows = rows_text(of.n_rows)
    based = rows if own is None else f"{own} of {rows}"
    if of.confidence is None:
        return based
    return f"{percent(of.confidence)}{',' if own is None else ';'} {based}"
