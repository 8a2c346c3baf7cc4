"""How much each column lowers the impurity of a tree."""

from __future__ import annotations

import numpy as np

from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Tree
from arboretum._types import Numbers


def column_importance(tree: Tree, *, surrogates: bool = False) -> Numbers:
    """Return the sum of the improvements of each column's questions.

    A question about several columns is shared equally by its terms. If surrogates count, each adds the
    improvement of the question that it stands in for, times its adjusted agreement.
    """
    sums = np.zeros(len(tree.columns))
    sizes = np.diff(tree.terms["begin"]) if tree.terms else np.zeros(len(tree), dtype=np.int64)
    alone = (tree.array("n_children") > 0) & (sizes == 0)
    np.add.at(sums, tree.array("column")[alone], tree.array("improvement")[alone])
    if tree.terms:
        shares = np.repeat(tree.array("improvement") / np.maximum(sizes, 1), sizes)
        np.add.at(sums, tree.terms["column"], shares)
    if surrogates and tree.remembered:
        owner = np.repeat(np.arange(len(tree)), np.diff(tree.remembered["begin"]))
        stands_in = tree.remembered["role"] == SURROGATE
        worth = tree.array("improvement")[owner] * tree.remembered["adjusted_agreement"]
        np.add.at(sums, tree.remembered["column"][stands_in], worth[stands_in])
    return sums


def has_surrogates(tree: Tree) -> bool:
    """Return whether any question of a tree has a surrogate."""
    return bool(tree.remembered) and bool((tree.remembered["role"] == SURROGATE).any())
