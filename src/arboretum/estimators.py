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
from arboretum.class_weights import class_totals, resolve_factors
from arboretum.combinations import refuse_excluded
from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, resolve_criterion
from arboretum.dataset import read_dataset
from arboretum.growing import (
    class_targets,
    counts_weight,
    evenly,
    grow,
    number_targets,
    resolve_monotone,
    resolve_options,
)
from arboretum.leaves import class_leaves, number_leaves, resolve_leaf
from arboretum.presets import ClassifierPresets, RegressorPresets
from arboretum.targets import read_classes, read_numbers, read_weights
from arboretum.training_rows import choose_rows, resolve_missing
from arboretum.tree import Target, Tree

__all__ = ["TreeClassifier", "TreeRegressor"]

Array = npt.NDArray[Any]


class TreeClassifier(ClassifierPresets, ClassifierMixin, BaseTree):
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
    criterion : {"gini", "entropy", "misclassification", "gain_ratio"} or GainRatio(…)
        The impurity whose decrease makes a question good; "gain_ratio" divides the decrease of entropy by the
        information of the answer.
    nominal : {"subset", "one_vs_rest", "multiway"}
        Questions about nominal columns: "x in {…}?", "x = v?", or one branch for each declared level. The
        best subset is found exactly when the node has two classes (unless leaves must hold more than one row)
        or up to 10 levels of the column; beyond that the levels are ordered by the share of each class in
        turn and the best cut of these orders is taken. With "multiway" at least two branches must be large
        enough to be leaves; a level without rows becomes a leaf that predicts what its parent would.
    thresholds : {"midpoint", "observed", "table"}
        Where `x <= t` cuts: half-way between two neighbouring values of the node, at the lower of them, or at
        the largest value in the whole table that is not above the middle.
    missing : {"category", "surrogate", "fractional", "drop", "error"} or Surrogate(…)
        "category": missing values go to the side where they gain more (of a multiway question, to a branch of
        their own), and "is x missing?" is a question of its own. "surrogate": questions are judged by the
        rows whose value is known, and other questions stand in for the missing value. "fractional": judged in
        the same way, and a row that misses the value goes to every child, in shares as large as those of the
        other rows; limits then count weight, a row of average weight as one. "drop": incomplete rows are left
        out (`n_rows_dropped_` counts them). "error": they are refused. When predicting with "category",
        "drop" or "error", a value that is missing or unknown where none was missing in training follows the
        heavier child.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        Limits of growth, as in scikit-learn: rows are counted, whatever they weigh, and a float is a share of
        all rows. With `max_leaf_nodes` the node of largest decrease is divided first.
    min_impurity_decrease : float
        A node is split only if the decrease times the node's share of the weight is at least this.
    competitors : int
        How many runners-up each node remembers: the best question of each other column, best first.
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
        criterion: Any = "gini",
        nominal: str = "subset",
        thresholds: str = "midpoint",
        missing: Any = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        competitors: int = 0,
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
        self.competitors = competitors
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
        params = self.get_params(deep=False)
        criterion = resolve_criterion(self.criterion, CLASS_CRITERIA)
        policy = resolve_missing(self.missing)
        data = read_dataset(X, self.categorical_features)
        classes, numbers = read_classes(y, data.n_rows, type(self).__name__)
        rows = choose_rows(data, numbers, read_weights(sample_weight, data.n_rows), policy)
        totals = class_totals(rows.targets, rows.weights, len(classes))
        monotone = resolve_monotone(self.monotonic_cst, data.schema)
        refuse_excluded(params, constrained=bool(monotone), n_classes=len(classes))
        factors = resolve_factors(params, classes, totals)
        rows = rows.only(factors.case[rows.targets] > 0)
        targets = class_targets(rows, len(classes), factors)
        targets = evenly(targets) if counts_weight(params) else targets
        smoothing = resolve_leaf(self.leaf, factors.shares)
        options = resolve_options(params, targets)
        options.monotone = monotone if len(classes) == 2 else []
        options.smoothing_m, options.smoothing_prior = smoothing.m, float(smoothing.prior[-1])
        grown = grow(rows.data, targets, criterion, options)
        arrays = grown.arrays | class_leaves(grown.arrays, smoothing, factors)
        target = Target(tuple(classes.tolist()))
        tree = Tree(
            data.schema,
            target,
            criterion,
            arrays,
            missing=grown.missing,
            others=grown.others,
            # Where every row rests in one node, the labels of the nodes say it all.
            loss=factors.loss if grown.missing == "fractions" else None,
        )
        self.classes_ = classes
        self._keep(tree, rows)
        return self

    def predict(self, X: Any) -> Array:
        """Return the class of each row."""
        numbers = self._fitted_tree._labels(X, **self._how)
        labels: Array = self.classes_.take(numbers)
        return labels

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class for each row, in the order of `classes_`."""
        return self._fitted_tree._at_rest("probability", X, **self._how)

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of `predict_proba`; minus infinity where that is zero."""
        with np.errstate(divide="ignore"):
            logs: npt.NDArray[np.float64] = np.log(self.predict_proba(X))
        return logs


class TreeRegressor(RegressorPresets, RegressorMixin, BaseTree):
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
    nominal : {"subset", "one_vs_rest", "multiway"}
        As in `TreeClassifier`. The best subset is found exactly, except with "absolute_error" and more than
        10 levels: then the levels are ordered by their median.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the prediction may only rise (1) or fall (-1) with a column.
    thresholds, missing, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `TreeClassifier`.
    max_leaf_nodes, min_impurity_decrease, competitors, max_bins, prune, categorical_features, n_jobs
        As in `TreeClassifier`.
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        nominal: str = "subset",
        thresholds: str = "midpoint",
        missing: Any = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        competitors: int = 0,
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
        self.competitors = competitors
        self.max_bins = max_bins
        self.prune = prune
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree from a table (data frame, 2-D array or list of rows) and one number per row."""
        self._refuse_unknown_pruning()
        params = self.get_params(deep=False)
        criterion = resolve_criterion(self.criterion, NUMBER_CRITERIA)
        policy = resolve_missing(self.missing)
        data = read_dataset(X, self.categorical_features)
        monotone = resolve_monotone(self.monotonic_cst, data.schema)
        refuse_excluded(params, constrained=bool(monotone))
        numbers = read_numbers(y, data.n_rows, type(self).__name__)
        rows = choose_rows(data, numbers, read_weights(sample_weight, data.n_rows), policy)
        targets = number_targets(rows, criterion)
        targets = evenly(targets) if counts_weight(params) else targets
        options = resolve_options(params, targets)
        options.monotone = monotone
        grown = grow(rows.data, targets, criterion, options)
        arrays = grown.arrays | number_leaves(grown.arrays)
        tree = Tree(data.schema, Target(), criterion, arrays, missing=grown.missing, others=grown.others)
        self._keep(tree, rows)
        return self

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the predicted number of each row."""
        return self._fitted_tree._at_rest("value", X, **self._how)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
