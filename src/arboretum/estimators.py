"""The estimators: scikit-learn shaped fronts, thin. They resolve options, read data, grow, and predict.

Words: those of scikit-learn, so that pipelines, searches and clones work unchanged.
What the options mean is decided in growing.py, class_weights.py and leaves.py; the work is done by the core.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin

from arboretum.base_tree import BaseTree
from arboretum.class_weights import resolve_factors
from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, resolve_criterion
from arboretum.dataset import Column, read_dataset
from arboretum.errors import ParameterError
from arboretum.growing import class_targets, grow, number_targets, resolve_monotone, resolve_options
from arboretum.leaves import class_leaves, number_leaves, resolve_leaf
from arboretum.targets import read_classes, read_numbers, read_weights
from arboretum.training_rows import choose_rows, resolve_missing
from arboretum.tree import Target, Tree

__all__ = ["TreeClassifier", "TreeRegressor"]

Array = npt.NDArray[Any]


class TreeClassifier(ClassifierMixin, BaseTree):
    """A decision tree for classes.

    >>> from arboretum import datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(max_depth=2).fit(X, y)
    >>> print(model.tree_)
    [150 rows]  gini 0.667: setosa 33%, versicolor 33%, virginica 33%
    ├── petal_length <= 2.45  [50 rows]  → setosa (100%)
    └── petal_length > 2.45  [100 rows]  gini 0.5: versicolor 50%, virginica 50%
        ├── petal_width <= 1.75  [54 rows]  → versicolor (91%)
        └── petal_width > 1.75  [46 rows]  → virginica (98%)

    Parameters
    ----------
    criterion : {"gini", "entropy", "misclassification"}
        The impurity whose decrease makes a question good.
    nominal : {"subset", "one_vs_rest"}
        Questions about nominal columns: "x in {…}?" or "x = v?". The best subset is found exactly when the
        node has two classes or up to 10 levels of the column; beyond that the levels are ordered by the share
        of each class in turn and the best cut of these orders is taken.
    thresholds : {"midpoint", "observed"}
        Where `x <= t` cuts: half-way between two neighbouring values, or at the lower of them.
    missing : {"category", "drop", "error"}
        "category": missing values go to the side where they gain more, and "is x missing?" is a question of
        its own. "drop": incomplete rows are left out (`n_rows_dropped_` counts them). "error": they are
        refused. When predicting, a value that is missing or unknown where none was missing in training
        follows the heavier child.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        Limits of growth, as in scikit-learn: rows are counted, whatever they weigh, and a float is a share of
        all rows. With `max_leaf_nodes` the node of largest decrease is divided first.
    min_impurity_decrease : float
        A node is split only if the decrease times the node's share of the weight is at least this.
    max_bins : int or None
        None searches every distinct value. An integer merges neighbouring values of each column into at most
        that many buckets before growth.
    prune : None
        The tree is kept as it was grown.
    leaf : {"frequency", "laplace"} or MEstimate(m)
        How class weights become probabilities.
    class_weight : {"balanced"}, dict or None
        Multiplies the weights of the rows of a class; "balanced" makes the classes weigh the same.
    priors : array or dict, optional
        Probabilities of the classes in the population, where the table has other shares. Not with
        `class_weight`.
    loss : array, optional
        `loss[true, predicted]`, zero on the diagonal: what a mistake costs. Splits use altered priors as
        rpart does; the label is the class of least expected loss.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the probability of the second of two classes may only rise (1) or fall (-1) with a column.
    categorical_features : "from_dtype", mask, positions, names or {column: levels}
        Columns that are nominal whatever their type says.
    n_jobs : int or None
        Threads, -1 for all cores; the tree does not depend on their number.
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        nominal: str = "subset",
        thresholds: str = "midpoint",
        missing: str = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_bins: int | None = None,
        prune: None = None,
        leaf: Any = "frequency",
        class_weight: Any = None,
        priors: Any = None,
        loss: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.thresholds = thresholds
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.prune = prune
        self.leaf = leaf
        self.class_weight = class_weight
        self.priors = priors
        self.loss = loss
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree from a table (data frame, 2-D array or list of rows) and one class per row."""
        self._refuse_unknown_pruning()
        criterion = resolve_criterion(self.criterion, CLASS_CRITERIA)
        policy = resolve_missing(self.missing)
        data = read_dataset(X, self.categorical_features)
        classes, numbers = read_classes(y, data.n_rows, type(self).__name__)
        rows = choose_rows(data, numbers, read_weights(sample_weight, data.n_rows), policy)
        totals = np.bincount(rows.targets, weights=rows.weights, minlength=len(classes)).astype(np.float64)
        factors = resolve_factors(self.get_params(deep=False), classes, totals)
        rows = rows.only(factors.case[rows.targets] > 0)
        targets = class_targets(rows, len(classes), factors)
        smoothing = resolve_leaf(self.leaf, factors.shares)
        options = resolve_options(self.get_params(deep=False), targets)
        options.monotone = self._monotone(data.schema, len(classes))
        options.smoothing_m, options.smoothing_prior = smoothing.m, float(smoothing.prior[-1])
        arrays = grow(rows.data, targets, criterion, options)
        arrays |= class_leaves(arrays, smoothing, factors)
        tree = Tree(data.schema, Target(tuple(classes.tolist())), criterion, arrays)
        self.classes_ = classes
        self._keep(tree, rows)
        return self

    def _monotone(self, columns: tuple[Column, ...], n_classes: int) -> list[int]:
        monotone = resolve_monotone(self.monotonic_cst, columns)
        if monotone and n_classes > 2:
            raise ParameterError(f"monotonic_cst needs two classes, but the target has {n_classes}.")
        if monotone and (self.priors is not None or self.loss is not None):
            raise ParameterError(
                "monotonic_cst cannot be combined with priors or loss.\nHint: use class_weight."
            )
        return monotone if n_classes == 2 else []

    def predict(self, X: Any) -> Array:
        """Return the class of each row."""
        leaves = self.apply(X)
        labels: Array = self.classes_.take(self.tree_.array("label").take(leaves))
        return labels

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class for each row, in the order of `classes_`."""
        leaves = self.apply(X)
        probability: npt.NDArray[np.float64] = self.tree_.array("probability").take(leaves, axis=0)
        return probability

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of `predict_proba`; minus infinity where that is zero."""
        with np.errstate(divide="ignore"):
            logs: npt.NDArray[np.float64] = np.log(self.predict_proba(X))
        return logs


class TreeRegressor(RegressorMixin, BaseTree):
    """A decision tree for numbers. Leaves predict the mean, or the median with `criterion="absolute_error"`.

    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> model = TreeRegressor().fit(X, [5.0, 5.0, 9.0, 9.0])
    >>> print(model.tree_)
    [4 rows]  squared_error 4, value 7
    ├── x0 <= 2.5  [2 rows]  → 5
    └── x0 > 2.5  [2 rows]  → 9

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        The impurity whose decrease makes a question good. "poisson" is for counts and rates: targets are not
        negative, and no child may have only zeros.
    nominal : {"subset", "one_vs_rest"}
        As in `TreeClassifier`. The best subset is found exactly, except with "absolute_error" and more than
        10 levels: then the levels are ordered by their median.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the prediction may only rise (1) or fall (-1) with a column.
    thresholds, missing, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `TreeClassifier`.
    max_leaf_nodes, min_impurity_decrease, max_bins, prune, categorical_features, n_jobs
        As in `TreeClassifier`.
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        nominal: str = "subset",
        thresholds: str = "midpoint",
        missing: str = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_bins: int | None = None,
        prune: None = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.thresholds = thresholds
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_bins = max_bins
        self.prune = prune
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree from a table (data frame, 2-D array or list of rows) and one number per row."""
        self._refuse_unknown_pruning()
        criterion = resolve_criterion(self.criterion, NUMBER_CRITERIA)
        policy = resolve_missing(self.missing)
        data = read_dataset(X, self.categorical_features)
        numbers = read_numbers(y, data.n_rows, type(self).__name__)
        rows = choose_rows(data, numbers, read_weights(sample_weight, data.n_rows), policy)
        targets = number_targets(rows, criterion)
        options = resolve_options(self.get_params(deep=False), targets)
        options.monotone = resolve_monotone(self.monotonic_cst, data.schema)
        arrays = grow(rows.data, targets, criterion, options)
        arrays |= number_leaves(arrays)
        self._keep(Tree(data.schema, Target(), criterion, arrays), rows)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predicted number of each row."""
        leaves = self.apply(X)
        values: npt.NDArray[np.float64] = self.tree_.array("value").take(leaves)
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
