"""What the estimators of classes and of numbers share: reading tables, walking down the tree, looking at it.

Words: those of scikit-learn. *Fitted* means that there is a `tree_`; it is set last, so that a fit which
fails leaves the estimator as it was. How a tree is grown is in estimators.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum.dataset import ColumnData
from arboretum.errors import ParameterError, choices
from arboretum.importances import importance
from arboretum.training_rows import TrainingRows, refuse_missing
from arboretum.tree import Tree

__all__ = ["BaseTree"]


class BaseTree(BaseEstimator):
    """What classifiers and regressors share."""

    missing: Any
    tree_: Tree
    n_features_in_: int
    n_rows_dropped_: int
    feature_names_in_: npt.NDArray[Any]

    def _refuse_unknown_pruning(self) -> None:
        if self.prune is not None:
            raise ParameterError(choices("prune", self.prune, [None]))

    def _keep(self, tree: Tree, rows: TrainingRows) -> None:
        """Remember a new tree and the columns it was grown from."""
        self.n_features_in_ = len(tree.columns)
        self.n_rows_dropped_ = rows.n_dropped
        self._named = rows.data.named
        if rows.data.named:
            self.feature_names_in_ = np.array(rows.data.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.tree_ = tree

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the number of the leaf in which each row comes to rest.

        With `missing="fractional"` a row may be in several leaves: it is counted where most of it is.
        """
        return self._fitted_tree._route(X, **self._how)

    @property
    def _fitted_tree(self) -> Tree:
        self._require_fitted()
        return self.tree_

    @property
    def _how(self) -> dict[str, Any]:
        """How the tree finds the columns of a table, and what it must refuse."""
        return {"named": self._named, "owner": type(self).__name__, "check": self._check}

    @property
    def _check(self) -> Callable[[ColumnData, str], None] | None:
        return refuse_missing if isinstance(self.missing, str) and self.missing == "error" else None

    def _require_fitted(self) -> None:
        """Refuse an estimator without a tree, in scikit-learn's words; those take time even to find one."""
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Return a sparse matrix of rows by nodes, 1 where a row passes a node on its way to `apply`."""
        node = self.apply(X)
        depth, parent = self.tree_.array("depth"), self.tree_.array("parent")
        row = np.arange(len(node))
        begin = np.concatenate([[0], np.cumsum(depth[node] + 1, dtype=np.int64)])
        nodes = np.empty(begin[-1], dtype=np.int64)
        shape = (len(node), len(self.tree_))
        while len(row):  # all rows climb one step at a time, from the leaf to the root
            nodes[begin[row] + depth[node]] = node
            below = node > 0
            row, node = row[below], parent[node[below]]
        return sparse.csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, begin), shape=shape)

    def get_depth(self) -> int:
        """Return the largest number of questions on the way to a leaf."""
        self._require_fitted()
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        self._require_fitted()
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """How much each column lowers the impurity, in shares of the whole; zeros if nothing is asked."""
        self._require_fitted()
        sums = np.array(list(importance(self).values()))
        total = sums.sum()
        return sums / total if total > 0 else sums

    def to_sklearn(self) -> Any:
        """Return the scikit-learn estimator that asks the same questions; numeric thresholds only.

        scikit-learn compares values as float32: rows that differ only beyond it may part.
        """
        from arboretum.to_sklearn import to_sklearn

        self._require_fitted()
        return to_sklearn(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "tree_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._check is None
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
