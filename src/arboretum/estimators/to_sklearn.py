"""Trees as fitted scikit-learn estimators, for tools that understand nothing else.

scikit-learn compares values as float32, so rows that differ only beyond float32 may go different ways.
Questions about levels, dates, missing values or several columns are refused, as are labels chosen by a loss
matrix: its trees cannot express them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arboretum._tree.fitted import refuse_linear
from arboretum._tree.questions import Threshold
from arboretum._tree.tree import Tree
from arboretum.errors import DataError
from arboretum.estimators.fitted_state import FittedState

# scikit-learn has no such names; they only matter when fitting.
_CRITERIA = {"misclassification": "gini", "gain_ratio": "entropy"}


def to_sklearn(fitted: FittedState) -> Any:
    """Return a fitted DecisionTreeClassifier or DecisionTreeRegressor that asks the same questions."""
    # Loading scikit-learn's trees takes a while, and most users never ask for them.
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree._tree import Tree as SklearnTree

    tree = fitted.tree
    refuse_linear(tree, "to_sklearn()")
    _refuse_questions(tree)
    _refuse_labels(tree)
    classes = tree.target.classes
    criterion = _CRITERIA.get(tree.criterion, tree.criterion)
    twin = (DecisionTreeRegressor if classes is None else DecisionTreeClassifier)(criterion=criterion)
    n_columns = fitted.n_features
    twin.n_features_in_ = twin.max_features_ = n_columns
    if fitted.named:
        twin.feature_names_in_ = fitted.feature_names
    twin.n_outputs_ = 1
    n_classes = 1
    if classes is not None:
        twin.classes_ = fitted.classes
        twin.n_classes_ = n_classes = len(classes)
    twin.tree_ = SklearnTree(n_columns, np.array([n_classes], dtype=np.intp), 1)
    twin.tree_.__setstate__(_state(tree))
    return twin


def _refuse_questions(tree: Tree) -> None:
    if tree.missing != "child" or (tree.array("missing_child")[tree.array("n_children") > 0] < 0).any():
        raise DataError(
            "The tree sends rows with missing values by surrogates, in fractions or not at all, which "
            "scikit-learn's trees cannot: to_sklearn needs missing='category', 'drop' or 'error'."
        )
    for number in np.flatnonzero(tree.array("n_children") > 0).tolist():
        column = tree.columns[int(tree.array("column")[number])]
        if tree.array("kind")[number] != Threshold.kind or column.kind not in ("number", "integer"):
            raise DataError(
                f"Node {number} asks {str(tree.node(number).question)!r}, which scikit-learn's trees cannot: "
                "to_sklearn needs numeric thresholds only."
            )


def _refuse_labels(tree: Tree) -> None:
    """Refuse labels that are not the most probable class, since scikit-learn predicts no other."""
    if tree.target.classes is None:
        return
    other = tree.array("label") != np.argmax(tree.array("probability"), axis=1)
    if other.any():
        number = int(np.argmax(other))
        raise DataError(
            f"Node {number} predicts {tree.node(number).label!r} because of the loss matrix, although "
            "another class is more probable; scikit-learn's trees predict the most probable class."
        )


def _state(tree: Tree) -> dict[str, Any]:
    from sklearn.tree._tree import NODE_DTYPE

    inner = tree.array("n_children") > 0
    column = np.where(inner, tree.array("column"), 0)
    offset = np.array([float(column.offset) for column in tree.columns])  # of unsigned integers beyond 2**63
    nodes = np.zeros(len(tree), dtype=NODE_DTYPE)
    nodes["left_child"] = np.where(inner, tree.array("first_child"), -1)
    nodes["right_child"] = np.where(inner, tree.array("first_child") + 1, -1)
    nodes["feature"] = np.where(inner, column, -2)
    # As float32, like the values it is compared with: a value at the threshold stays on its side.
    with np.errstate(over="ignore"):
        rounded = (tree.array("threshold") + offset[column]).astype(np.float32)
    nodes["threshold"] = np.where(inner, rounded, -2.0)
    nodes["impurity"] = tree.array("impurity")
    nodes["n_node_samples"] = tree.array("n_rows")
    nodes["weighted_n_node_samples"] = tree.array("weight")
    nodes["missing_go_to_left"] = inner & (tree.array("missing_child") == 0)
    value = tree.array("value")[:, None] if tree.target.classes is None else tree.array("probability")
    values = np.ascontiguousarray(value[:, None, :], dtype=np.float64)
    return {"max_depth": tree.depth, "node_count": len(tree), "nodes": nodes, "values": values}
