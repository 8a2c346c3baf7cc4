"""The tree of whatever is given: a fitted estimator, or a tree itself.

Every function that takes a `model` asks here, so that all of them refuse the same things in the same words.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum.errors import DataTypeError
from arboretum.tree import Tree

__all__ = ["tree_of"]


def tree_of(model: Any, asker: str) -> Tree:
    """Return the tree of a fitted estimator, or the tree itself; `asker` is who needs it, in messages."""
    if isinstance(model, Tree):
        return model
    tree = getattr(model, "tree_", None)
    if isinstance(tree, Tree):
        return tree
    if isinstance(model, BaseEstimator) and not hasattr(model, "steps"):
        check_is_fitted(model)
    raise DataTypeError(
        f"{asker} needs a fitted tree estimator or a Tree, not {type(model).__name__}.\n"
        "Hint: of a pipeline, give its last step."
    )
