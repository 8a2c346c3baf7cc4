"""The ensembles: their parameters and predictions. base_bagging.py holds everything they share."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from arboretum._data import Unknown
from arboretum._tree.leaves import cheapest
from arboretum._types import Array, Numbers
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.parameters import MaxFeatures
from arboretum.estimators.bagging.samples import Bootstrap
from arboretum.estimators.fitted_state import Kept
from arboretum.estimators.parameters import Seed
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor
from arboretum.estimators.truth import comparing


class BaggedClassifier(ClassifierMixin, BaseBagging):
    """Many classification trees, each grown from a sample of the rows; their probabilities are averaged.

    With `max_features="sqrt"` it is a random forest.

    >>> from arboretum import datasets
    >>> X, y = datasets.load_iris()
    >>> model = BaggedClassifier(n_trees=50, oob=True).fit(X, y)
    >>> round(model.oob_score_, 2)
    0.94

    Parameters
    ----------
    tree : TreeClassifier, optional
        The parameters of every tree. By default trees are grown fully, are not pruned, and give the shares of
        the rows in a leaf as they are: `TreeClassifier(prune=None, leaf="frequency")`. A tree that is given
        is taken as it is, pruning included. Its `n_jobs`, `verbose` and `random_state` are not used.
    n_trees : int
        The number of trees.
    max_features : {"sqrt", "log2"}, int, float or None
        How many columns a node may ask about, drawn anew for each node: their square root or logarithm, a
        number, a share, or None for all. If none of them has a question, the others follow one by one.
    bootstrap : {True, False, "balanced"}
        True draws rows with replacement: a row that is drawn twice counts as two rows. False draws without
        replacement. "balanced" draws every class equally often, so that a rare class is heard; probabilities
        then speak of a table with even classes.
    max_samples : int, float or None
        How many rows are drawn for each tree, or their share; None: as many as there are.
    oob : bool
        Whether each row is judged by the trees that were not grown from it: `oob_score_`, `oob_curve_` and
        `oob_prediction_`.
    patience : int, optional
        Stop before `n_trees` when the out-of-bag error is flat: its mean over the last `patience` trees is
        not at least half a percent below its mean over the `patience` trees before. Needs `oob=True`.
    warm_start : bool
        Whether another `fit` of the same table keeps the trees and grows only those that lack.
    random_state : int, RandomState or None
        What rows and columns are drawn; None always draws the same ones.
    n_jobs : int or None
        Number of threads, each with a tree of its own, -1 for all cores; the trees do not depend on it.
    verbose : int
        1 shows a progress bar over the trees (needs the package tqdm).

    Attributes
    ----------
    trees_ : sequence of Tree
        The trees, each made when it is asked for.
    oob_score_, oob_curve_, oob_prediction_
        With `oob=True`: the accuracy, the share of wrong classes after each tree, and the probabilities of
        each row by the trees that left it out (NaN where no tree did).
    feature_importances_, importances_std_
        How much each column lowers the impurity, on average, and how much the trees differ about it.
    """

    classes_: Kept[Array] = Kept("classes", "The classes, in the order of the probabilities.")
    _tree_type = TreeClassifier

    def __init__(
        self,
        tree: TreeClassifier | None = None,
        *,
        n_trees: int = 100,
        max_features: MaxFeatures = None,
        bootstrap: Bootstrap = True,
        max_samples: float | None = None,
        oob: bool = False,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return the class of each row: the one with the largest mean probability, or of least expected loss.

        `unknown` says what happens to levels that did not occur in training, as in `TreeClassifier.predict`.
        """
        return self._chosen(self._mean(X, unknown))

    def _chosen(self, probabilities: Numbers) -> Array:
        """Return the class of each row by its probabilities."""
        fitted = self._fitted
        rule = fitted.kind.rule
        assert fitted.classes is not None
        labels = cheapest(probabilities, None if rule is None else rule.loss)
        found: Array = fitted.classes.take(labels)
        return found

    def predict_proba(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the mean of the trees' probabilities for each row, in the order of `classes_`."""
        return self._mean(X, unknown)

    def predict_log_proba(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the logarithm of `predict_proba`; minus infinity where that is zero."""
        with np.errstate(divide="ignore"):
            logs: Numbers = np.log(self.predict_proba(X, unknown=unknown))
        return logs

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that are predicted rightly."""
        with comparing():
            return float(super().score(X, y, sample_weight))

    @property
    def oob_prediction_(self) -> Numbers:
        """The probabilities of each row by the trees that left it out; NaN where none did."""
        return self._oob_means()


class BaggedRegressor(RegressorMixin, BaseBagging):
    """Many regression trees, each grown from a sample of the rows; their predictions are averaged.

    >>> import numpy as np
    >>> X = np.arange(60.0).reshape(60, 1)
    >>> model = BaggedRegressor(n_trees=20).fit(X, X[:, 0] ** 2)
    >>> bool(abs(model.predict([[30.0]])[0] - 900) < 60)
    True

    Parameters
    ----------
    tree : TreeRegressor, optional
        The parameters of every tree, by default `TreeRegressor(prune=None, leaf="mean")`; see
        `BaggedClassifier`.
    bootstrap : {True, False}
        Whether rows are drawn with replacement.
    oob : bool
        As in `BaggedClassifier`; `oob_score_` is R², `oob_curve_` the mean squared error.
    n_trees, max_features, max_samples, patience, warm_start, random_state, n_jobs, verbose
        As in `BaggedClassifier`.
    """

    _tree_type = TreeRegressor

    def __init__(
        self,
        tree: TreeRegressor | None = None,
        *,
        n_trees: int = 100,
        max_features: MaxFeatures = None,
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob: bool = False,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the mean of the trees' predictions for each row.

        `unknown` says what happens to levels that did not occur in training, as in `TreeRegressor.predict`.
        """
        return np.ascontiguousarray(self._mean(X, unknown)[:, 0])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R², the share of the variance that is explained."""
        with comparing():
            return float(super().score(X, y, sample_weight))

    def predict_quantile(self, X: Any, q: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return quantiles of the training targets near each row: a quantile regression forest.

        In each tree, the targets in the row's leaf share the weight 1; their weights are averaged over the
        trees. `q` is a share from 0 to 1, or several, which give a column each. The trees must keep their
        targets: `tree=TreeRegressor(prune=None, leaf="quantiles")`.

        >>> import numpy as np
        >>> X = np.arange(60.0).reshape(60, 1)
        >>> model = BaggedRegressor(TreeRegressor(prune=None, leaf="quantiles"), n_trees=20)
        >>> model.fit(X, X[:, 0] % 10).predict_quantile([[20.0]], [0.0, 1.0]).shape
        (1, 2)
        """
        from arboretum.inspection.forest_answers import forest_quantiles

        return forest_quantiles(self._fitted.trees, self.apply(X, unknown=unknown), q)

    def predict_interval(self, X: Any, level: float = 0.9, *, unknown: Unknown = "missing") -> Numbers:
        """Return between which two numbers the target of a new row like each of these should lie: rows × 2.

        These are the quantiles (1 − level) / 2 and (1 + level) / 2 of `predict_quantile`. (The interval of a
        single tree is another one: it is about the mean of its leaf.) They are honest only if leaves have
        several rows: `min_samples_leaf=5` or more.
        """
        from arboretum.inspection.forest_answers import forest_interval

        return forest_interval(self._fitted.trees, self.apply(X, unknown=unknown), level)

    @property
    def oob_prediction_(self) -> Numbers:
        """The prediction for each row by the trees that left it out; NaN where none did."""
        return np.ascontiguousarray(self._oob_means()[:, 0])
