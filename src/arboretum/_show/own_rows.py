"""What the rows of a node say by themselves, beside a prediction that is drawn towards the nodes above."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arboretum._show.words import rows_text
from arboretum._tree.digits import DIGITS, figure
from arboretum._tree.node import Node
from arboretum._tree.tree import Tree
from arboretum._wording import percent
from arboretum.inspection.rules.figures import counts_rows, own_shares
from arboretum.inspection.rules.rule import Rule


def own_texts(tree: Tree, numbers: Sequence[int], digits: int | None = DIGITS) -> list[str] | None:
    """Return the share of the label among the rows of each node, or their mean, as text.

    None if the tree predicts just that.
    """
    if not _differ(tree):
        return None
    if tree.rule is None:
        return [
            f"{tree.centre} {figure(own, digits)}" for own in tree.array("own_value")[list(numbers)].tolist()
        ]
    labels = tree.array("label")[list(numbers)]
    shares = np.nan_to_num(own_shares(tree, list(numbers))[np.arange(len(labels)), labels])
    return [percent(share) for share in shares.tolist()]


def _differ(tree: Tree) -> bool:
    """Return whether a tree may predict something else than the rows of its nodes say by themselves."""
    if tree.rule is None:
        return tree.shrinkage > 0
    bounded = "lower" in tree._arrays
    return tree.shrinkage > 0 or bounded or tree.rule.m > 0 or bool(tree.rule.changes_shares)


def counted_text(tree: Tree, n_rows: int) -> str:
    """Return what a share is a share of: "152 rows", or where rows have weights, "the weight of 152 rows"."""
    rows = rows_text(n_rows)
    return rows if tree.rule is None or counts_rows(tree) else f"the weight of {rows}"


def own_text(node: Node, digits: int | None = DIGITS) -> str | None:
    """Return what the rows of one node say; None if the node predicts just that."""
    texts = own_texts(node.tree, [node.number], digits)
    return None if texts is None else texts[0]


def support_text(of: Node | Rule) -> str:
    """Return what a prediction rests on: its probability, the rows, and what they say by themselves.

    "96%, 152 rows" or, drawn towards the nodes above, "94%; 96% of 152 rows"; of numbers, "152 rows" or
    "mean 5.8 of 152 rows".
    """
    own = own_text(Node(of.tree, of.node) if isinstance(of, Rule) else of)
    rows = rows_text(of.n_rows)
    based = rows if own is None else f"{own} of {counted_text(of.tree, of.n_rows)}"
    if of.confidence is None:
        return based
    return f"{percent(of.confidence)}{',' if own is None else ';'} {based}"
