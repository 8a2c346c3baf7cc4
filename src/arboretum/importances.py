"""Importance: how much each column has lowered the impurity.

Words: *improvement* is the gain of a question times the share of the rows that it was asked; the *terms* of a
question about several columns have equal shares in it, and a *surrogate* has one as far as it would have done
as well.
Does not shuffle columns or predict: only the tree is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arboretum.errors import ParameterError
from arboretum.fitted import tree_of
from arboretum.questions import COMPOSITE
from arboretum.strategies import resolve_surrogates
from arboretum.tree import Tree
from arboretum.tree_arrays import SURROGATE

__all__ = ["has_surrogates", "importance"]


def importance(model: Any, *, surrogates: bool = False) -> dict[str, float]:
    """Return the sum of the improvements of each column's questions, by the column's name.

    What a question about several columns improves is shared equally among its terms.

    With `surrogates=True` every surrogate adds the improvement of the question it stands in for, times its
    adjusted agreement, as rpart does: a column that would nearly have done the same is important too. (rpart
    multiplies by the weight of the whole table as well.)

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(max_depth=2, missing="surrogate").fit(X, y)
    >>> {name: round(value, 3) for name, value in importance(model).items()}
    {'sepal_length': 0.0, 'sepal_width': 0.0, 'petal_length': 0.333, 'petal_width': 0.26}
    >>> {name: round(value, 3) for name, value in importance(model, surrogates=True).items()}
    {'sepal_length': 0.361, 'sepal_width': 0.24, 'petal_length': 0.542, 'petal_width': 0.593}

    Parameters
    ----------
    model : a fitted estimator, or a Tree
    surrogates : whether surrogates count; the tree must have been grown with missing="surrogate"
    """
    tree = tree_of(model, "importance()")
    if surrogates:
        _require_surrogates(model, tree)
    sums = np.zeros(len(tree.columns))
    inner = tree.array("n_children") > 0
    alone = inner & ~np.isin(tree.array("kind"), COMPOSITE)
    np.add.at(sums, tree.array("column")[alone], tree.array("improvement")[alone])
    if tree.terms:
        sizes = np.diff(tree.terms["begin"])
        shares = np.repeat(tree.array("improvement") / np.maximum(sizes, 1), sizes)
        np.add.at(sums, tree.terms["column"], shares)
    if surrogates and tree.others:
        owner = np.repeat(np.arange(len(tree)), np.diff(tree.others["begin"]))
        stands_in = tree.others["role"] == SURROGATE
        worth = tree.array("improvement")[owner] * tree.others["adjusted_agreement"]
        np.add.at(sums, tree.others["column"][stands_in], worth[stands_in])
    return {column.name: float(value) for column, value in zip(tree.columns, sums, strict=True)}


def has_surrogates(tree: Tree) -> bool:
    """Return whether any question of a tree has a surrogate."""
    return bool(tree.others) and bool((tree.others["role"] == SURROGATE).any())


def _require_surrogates(model: Any, tree: Tree) -> None:
    """Refuse a tree that was grown without surrogates, which would get the numbers of one without."""
    # Surrogates that were looked for and not found are no fault, nor is a tree that asks nothing.
    looked_for = (
        not isinstance(model, Tree) and resolve_surrogates(getattr(model, "missing", None)) is not None
    )
    if not (looked_for or len(tree) == 1 or has_surrogates(tree)):
        raise ParameterError(
            "surrogates=True counts surrogates, but this tree was grown without them; fit it anew with "
            "missing='surrogate', or leave surrogates=True out."
        )
