"""How much each column lowers the impurity of a tree."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arboretum._tree.kinds import COMPOSITE
from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Tree


def column_importance(tree: Tree, *, surrogates: bool = False) -> npt.NDArray[np.float64]:
    """Return the sum of the improvements of each column's questions.

    A question about several columns is shared equally by its terms. If surrogates count, each adds the
    improvement of the question that it stands in for, times its adjusted agreement.
    """
    sums = np.zeros(len(tree.columns))
    inner = tree.array("n_children") > 0
    alone = inner & ~np.isin(tree.array("kind"), COMPOSITE)
    np.add.at(sums, tree.array("column")[alone], tree.array("improvement")[alone])
    if tree.terms:
        sizes = np.diff(tree.terms["begin"])
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
