"""What a grown tree predicts for one row, whatever the row lacks.
Words: rest (the nodes where a row ends, each with the share of the row that ends there).
Does not look at the table that the tree was grown from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from arboretum.reference.missing import heaviest
from arboretum.reference.nodes import Branch, Leaf

__all__ = ["predict_row", "rest"]


def predict_row(tree: Leaf | Branch, row: Sequence[Any]) -> dict[Any, float] | float:
    """The probability of each class, or a number. None stands for a missing value and for an unknown level.

    >>> from arboretum.reference.plain_tree import grow
    >>> tree = grow([[1, 2, 3, 4]], ["numeric"], list("abbb"), missing="fractional")
    >>> predict_row(tree, [1]), predict_row(tree, [None])
    ({'a': 1.0, 'b': 0.0}, {'a': 0.25, 'b': 0.75})
    """
    ends = rest(tree, row)
    if tree.probabilities is None:
        return math.fsum(share * node.label for node, share in ends)
    return {
        name: math.fsum(share * (node.probabilities or {})[name] for node, share in ends)
        for name in tree.probabilities
    }


def rest(tree: Leaf | Branch, row: Sequence[Any]) -> list[tuple[Leaf | Branch, float]]:
    """Where the row comes to rest: in one node, or in several leaves if it is divided on its way."""
    if isinstance(tree, Leaf):
        return [(tree, 1.0)]
    weights = [child.weight for child in tree.children]
    value = row[tree.question.column]
    if tree.question.knows(value):
        return rest(tree.children[tree.question.child(value)], row)
    if tree.missing == "fractions":
        shares = [weight / math.fsum(weights) for weight in weights]
        return [
            (node, share * of_child)
            for child, share in zip(tree.children, shares, strict=True)
            if share > 0
            for node, of_child in rest(child, row)
        ]
    child = child_without_answer(tree, row, heaviest(weights))
    return [(tree, 1.0)] if child < 0 else rest(tree.children[child], row)


def child_without_answer(branch: Branch, row: Sequence[Any], heavier: int) -> int:
    """The child to which a row goes that the question cannot send; -1 if it stays.

    A level without rows in this node is not missing: without surrogates, it follows the heavier child.
    """
    if branch.missing == "surrogates":
        for surrogate in branch.surrogates:
            value = row[surrogate.question.column]
            if surrogate.question.knows(value):
                return surrogate.question.child(value)
        return branch.missing_child
    if row[branch.question.column] is not None and branch.missing_child >= 0:
        return heavier
    return branch.missing_child
