"""Importance: how much each column has lowered the impurity. Only the tree is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arboretum._options.strategies import Surrogate
from arboretum._tree.importance import column_importance, has_surrogates
from arboretum._tree.tree import Tree
from arboretum.errors import ParameterError
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.members import trees_of


def importance(model: Any, *, surrogates: bool = False) -> dict[str, float]:
    """Return the sum of the improvements of each column's questions, by the column's name.

    The improvement of a question is its gain times the node's share of the weight. The terms of a question
    about several columns share it equally. With `surrogates=True` every surrogate adds the improvement of the
    question it stands in for, times its adjusted agreement, as rpart does: a column that would have done
    nearly the same is important too. (rpart multiplies by the weight of the whole table as well.)

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(max_depth=2, missing="surrogate").fit(X, y)
    >>> {name: round(value, 3) for name, value in importance(model).items()}
    {'sepal_length': 0.0, 'sepal_width': 0.0, 'petal_length': 0.333, 'petal_width': 0.26}
    >>> {name: round(value, 3) for name, value in importance(model, surrogates=True).items()}
    {'sepal_length': 0.361, 'sepal_width': 0.24, 'petal_length': 0.542, 'petal_width': 0.593}

    Parameters
    ----------
    model : a fitted estimator, or a Tree; of an ensemble, the mean of its trees is returned
    surrogates : whether surrogates count; the tree must have been grown with missing="surrogate"
    """
    trees = trees_of(model, "importance()")
    if surrogates:
        _require_surrogates(model, trees)
    sums = np.mean([column_importance(tree, surrogates=surrogates) for tree in trees], axis=0)
    return {column.name: float(value) for column, value in zip(trees[0].columns, sums, strict=True)}


def _require_surrogates(model: Any, trees: Sequence[Tree]) -> None:
    """Refuse trees that were grown without surrogates; having found none is fine, and so is a single leaf."""
    missing = getattr(model.tree if isinstance(model, BaseBagging) else model, "missing", None)
    looked_for = not isinstance(model, Tree) and (missing == "surrogate" or isinstance(missing, Surrogate))
    if not (looked_for or any(len(tree) == 1 or has_surrogates(tree) for tree in trees)):
        raise ParameterError(
            "surrogates=True counts surrogates, but this tree was grown without them; fit it anew with "
            "missing='surrogate', or leave surrogates=True out."
        )
