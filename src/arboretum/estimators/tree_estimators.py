"""The estimators: their parameters and predictions. base_tree.py holds `fit` and everything else they share.

Names follow scikit-learn, so pipelines, searches and clones work unchanged.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from arboretum._data import Unknown
from arboretum._data.class_weights import read_loss
from arboretum._options.choices import Levels, Nominal, NumberCriterion, Thresholds
from arboretum._tree.surgery import with_loss
from arboretum._types import Array, Numbers
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.fitted_state import Kept
from arboretum.estimators.parameters import (
    ClassLeaf,
    ClassTest,
    ClassWeight,
    MissingPolicy,
    NumberTest,
    OfClasses,
    Pruning,
    Questions,
    Search,
    Seed,
    ValueLeaf,
)
from arboretum.estimators.presets import ClassifierPresets, RegressorPresets
from arboretum.estimators.several_outputs import SeveralState
from arboretum.estimators.truth import comparing


class TreeClassifier(ClassifierPresets, ClassifierMixin, BaseTree):
    """A decision tree for classes, grown fully and then pruned back by cross-validation.

    >>> from arboretum import datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier().fit(X, y)
    >>> print(model.tree_)
    [150 rows]  gini 0.667: setosa 33%, versicolor 33%, virginica 33%
    ├── petal_length <= 2.45  [50 rows]  → setosa (98%; 100% of rows)
    └── petal_length > 2.45  [100 rows]  gini 0.5: versicolor 50%, virginica 50%
        ├── petal_width <= 1.75  [54 rows]  gini 0.168: versicolor 91%, virginica 9%
        │   ├── petal_length <= 4.95  [48 rows]  gini 0.0408: versicolor 98%, virginica 2%
        │   │   ├── petal_width <= 1.65  [47 rows]  → versicolor (97%; 100% of rows)
        │   │   └── petal_width > 1.65  [1 row]  → virginica (93%; 100% of rows)
        │   └── petal_length > 4.95  [6 rows]  → virginica (63%; 67% of rows)
        └── petal_width > 1.75  [46 rows]  gini 0.0425: virginica 98%, versicolor 2%
            ├── petal_length <= 4.85  [3 rows]  → virginica (67%; 67% of rows)
            └── petal_length > 4.85  [43 rows]  → virginica (97%; 100% of rows)

    47 rows of one class do not make the 48th certain: probabilities are drawn towards those of the nodes
    above (`leaf`), and the shares of the leaf's own rows stand beside them.

    Parameters
    ----------
    criterion : {"gini", "entropy", "misclassification", "gain_ratio"} or GainRatio(…)
        The impurity that a good question lowers. "gain_ratio" divides the decrease of entropy by the
        information of the answer.
    nominal : {"subset", "one_vs_rest", "multiway"}
        Questions about nominal columns: "x in {…}?", "x = v?", or one branch for each declared level. The
        best subset is exact if the node has up to 10 levels of the column, or if there are two classes and
        a leaf may hold a single row. Otherwise it is the best of two searches: cuts of the levels ordered by
        their share of each class, and each level against the rest. With "multiway", at least two branches
        must be large enough to be leaves; a level without rows becomes a leaf that predicts what its parent
        would.
    levels : {"corrected", "raw"}
        Whether questions about nominal columns with more than two levels compete by their gain less what so
        many levels gain by chance. The more levels there are to choose from, the more the best choice gains
        even if they say nothing; without the correction, a column of identifiers wins every time.
        `node.gain`, limits, pruning and importances use the gain itself.
    thresholds : {"midpoint", "observed", "table", "round"}
        Where `x <= t` cuts: halfway between two neighbouring values of the node, at the lower of them, at the
        largest value in the whole table that is not above the midpoint, or at the number between the two
        that has the fewest digits (of a date: the first of a year, of a month, midnight, a full hour, …).
    questions : "axis", MofN(…) or Oblique(…)
        Whether a question is about one column, "at least 2 of: a <= 3, b = red, c > 1", or a sum such as
        "0.8·a − 1.2·b <= 3.1".
    search : "greedy", Lookahead(…) or Optimal(…)
        Whether a question is judged by its own gain, or by the best that could be asked below it; or the best
        tree of all, with a proof.
    missing : {"category", "surrogate", "fractional", "drop", "error"} or Surrogate(…)
        "category": missing values go to the side where they gain more (of a multiway question, to their own
        branch), and "is x missing?" is a question of its own. "surrogate": only rows with a known value
        judge a question, and other questions stand in for a missing value. "fractional": judged in the same
        way, and a row without the value goes to every child, in fractions proportional to the weight of the
        other rows there; limits then count weight, with a row of average weight as one. "drop": incomplete
        rows are left out (`n_rows_dropped_` counts them). "error": they are refused. When predicting with
        "category", "drop" or "error", a missing or unknown value follows the heavier child if none was
        missing there in training.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        Limits of growth, as in scikit-learn: rows are counted whatever their weight, and a float is a share
        of all rows. With `max_leaf_nodes`, the node with the largest decrease is divided first.
        `max_depth=0` and `max_leaf_nodes=1` give the empty tree, a single leaf.
    min_impurity_decrease : float
        A node is split only if the decrease times the node's share of the weight is at least this.
    significance : float, ChiSquare(…), Permutation(…), Conditional(…) or None
        Every question is tested, from the root downwards; a node whose adjusted p-value is above this level
        becomes a leaf. `node.p_value` holds the value. A number stands for `ChiSquare(level)`.
        `Conditional(…)` also chooses the column, by the p-value rather than the gain. Pruning still follows;
        with `prune=None` the tests alone decide. Not with `max_leaf_nodes`.
    competitors : int
        How many runners-up each node remembers: the best question about each other column, best first.
    max_bins : int or None
        None searches every distinct value. An integer merges neighbouring values of each column into at most
        that many buckets before growth.
    prune : {"cost_complexity", "reduced_error", "pessimistic"}, None or an object of these
        How the grown tree is cut back. By default, repeated cross-validation (or one held-out fold for more
        than 100,000 rows) chooses the size whose probabilities have the least log-loss, on average over the
        folds. `None` keeps the tree as grown. See `CostComplexity`, `ReducedError` and `Pessimistic`.
    leaf : {"shrinkage", "frequency", "laplace", "honest"}, Shrinkage(…), MEstimate(m) or Honest(…)
        How class weights become probabilities. "shrinkage" draws them towards those of the nodes above, the
        more so the fewer rows there are; "frequency" takes the shares of the leaf's own rows. "honest" gives
        leaves the values of rows that had no say in the questions.
    class_weight : {"balanced"}, dict or None
        Multiplies the weights of the rows of a class; "balanced" gives all classes the same weight.
    priors : array or dict, optional
        Probabilities of the classes in the population, if they differ from the shares in the table. Not with
        `class_weight`.
    loss : array, optional
        `loss[true, predicted]`, zero on the diagonal: the cost of a mistake. Splits use altered priors, as in
        rpart; the label is the class of least expected loss.
    column_costs : array or {column: cost}, optional
        The cost of knowing a column: when questions compete, each gain (or gain ratio) is divided by the cost
        of its column, as in rpart. Columns that are not named cost 1. `node.gain`, limits, pruning and
        importances use the undivided gain.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the probability of the second of two classes may only rise (1) or fall (-1) with a column.
    categorical_features : "from_dtype", mask, positions, names or {column: levels}
        Columns that are nominal whatever their type.
    ordered_features : mask, positions, names or {column: levels}, optional
        Columns whose levels are in order, for text and enums, which cannot say so: `{"size": ["S", "M",
        "L"]}`, lowest first. For enums and pandas categoricals, which list their levels, names are enough.
    random_state : int, RandomState or None
        How rows are shuffled before pruning holds some of them out; None always shuffles in the same way.
        Rows are shuffled by position: the same rows in another order give other folds, but the same grown
        tree.
    n_jobs : int or None
        Number of threads, -1 for all cores; the tree does not depend on it.
    verbose : int
        1 shows a progress bar over the folds (needs the package tqdm).
    """

    classes_: Kept[Array] = Kept(
        "labels", "The classes, in the order of the probabilities; a list of such arrays for several outputs."
    )

    def __init__(
        self,
        *,
        criterion: OfClasses = "gini",
        nominal: Nominal = "subset",
        levels: Levels = "corrected",
        thresholds: Thresholds = "midpoint",
        questions: Questions = "axis",
        search: Search = "greedy",
        missing: MissingPolicy = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: ClassTest = None,
        competitors: int = 0,
        max_bins: int | None = None,
        prune: Pruning = "cost_complexity",
        leaf: ClassLeaf = "shrinkage",
        class_weight: ClassWeight = None,
        priors: Any = None,
        loss: Any = None,
        column_costs: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        ordered_features: Any = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return the class of each row.

        A level that did not occur in training counts as missing. `unknown="error"` refuses it, in any column
        that the tree asks about. A function in its place is called with the name of each such column and a
        dict of its unknown levels, with the number of rows for each.
        """
        fitted = self._fitted
        if isinstance(fitted, SeveralState):
            return fitted.predict(self.apply(X, unknown=unknown))
        assert fitted.classes is not None
        labels: Array = fitted.classes.take(fitted.tree._labels(X, unknown=unknown, **self._matching(fitted)))
        return labels

    def predict_proba(self, X: Any, *, unknown: Unknown = "missing") -> Any:
        """Return the probability of each class for each row, in the order of `classes_`.

        Of several outputs it is a list, with an array for each. `unknown` says how to treat levels that the
        tree does not know, as in `predict`.
        """
        fitted = self._fitted
        if isinstance(fitted, SeveralState):
            return fitted.probabilities(self.apply(X, unknown=unknown))
        return fitted.tree._at_leaves("probability", X, unknown=unknown, **self._matching(fitted))

    def predict_log_proba(self, X: Any, *, unknown: Unknown = "missing") -> Any:
        """Return the logarithm of `predict_proba`; minus infinity where that is zero."""
        found = self.predict_proba(X, unknown=unknown)
        with np.errstate(divide="ignore"):
            return [np.log(each) for each in found] if isinstance(found, list) else np.log(found)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows that are predicted rightly; of several outputs, in all of them."""
        if isinstance(fitted := self._fitted, SeveralState):
            with comparing():
                return fitted.accuracy(self.predict(X), y, sample_weight)
        with comparing():
            return float(super().score(X, y, sample_weight))

    def predict_interval(self, X: Any, level: float = 0.9, *, unknown: Unknown = "missing") -> Numbers:
        """Return an interval for the probability of each class in each row's leaf: rows × classes × 2.

        It is Wilson's score interval of the share of the class among the n rows of the leaf: with the share p
        and z, the normal quantile of (1 + level) / 2, (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n). It
        is about the leaf's own rows; a probability that is drawn towards the nodes above may lie outside.
        The tree chose its questions by these very rows, which makes intervals too narrow, unless its leaves
        are `Honest`. NaN for a leaf without rows. Where rows or classes have weights it is refused.

        >>> X, y = [[1]] * 10 + [[2]] * 10, [0] * 8 + [1] * 2 + [1] * 10
        >>> TreeClassifier(prune=None).fit(X, y).predict_interval([[1]], level=0.95).round(2)
        array([[[0.49, 0.94],
                [0.06, 0.51]]])
        """
        from arboretum.inspection.leaf_answers import interval_at

        return interval_at(self._alone("predict_interval()").tree, self.apply(X, unknown=unknown), level)

    def with_loss(self, loss: Any) -> Self:
        """Return the same classifier with labels of least expected loss by another matrix, without fitting.

        Questions and probabilities stay; only what leaves are called changes, in pictures, files and exports
        too. `loss[true, predicted]` is in the order of `classes_`, zero on its diagonal; None makes the most
        probable class the label. Of two classes, a threshold t on the probability of the second is
        [[0, t], [1 - t, 0]]. A new pruning path starts from the tree.

        >>> model = TreeClassifier(prune=None).fit([[1], [1], [1], [2]], ["no", "no", "yes", "yes"])
        >>> model.predict([[1]]).tolist(), model.with_loss([[0, 0.3], [0.7, 0]]).predict([[1]]).tolist()
        (['no'], ['yes'])
        """
        fitted = self._alone("with_loss()")
        assert fitted.classes is not None
        return self.with_tree(with_loss(fitted.tree, read_loss(loss, fitted.classes)))


class TreeRegressor(RegressorPresets, RegressorMixin, BaseTree):
    """A decision tree for numbers. Leaves predict the mean, or the median with `criterion="absolute_error"`,
    drawn towards those of the nodes above.

    >>> import numpy as np
    >>> X = np.arange(1.0, 13.0).reshape(12, 1)
    >>> model = TreeRegressor().fit(X, [5.0, 4.9, 5.1, 5.0, 5.2, 4.8, 9.0, 9.1, 8.9, 9.0, 9.2, 8.8])
    >>> print(model.tree_)
    [12 rows]  squared_error 4.02, mean 7
    ├── x0 <= 6.5  [6 rows]  → 5.28571 (mean 5)
    └── x0 > 6.5  [6 rows]  → 8.71429 (mean 9)
    >>> model.unpruned().get_n_leaves()
    12

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        The impurity that a good question lowers. "poisson" is for counts and rates: targets must not be
        negative, and no child may have only zeros.
    nominal : {"subset", "one_vs_rest", "multiway"}
        As in `TreeClassifier`. The best subset of more than 10 levels is exact with "squared_error", and with
        "poisson" if every level has a positive target, as long as a leaf may hold a single row. Otherwise it
        is the best of two searches: cuts of the levels ordered by their mean ("absolute_error": median), and
        each level against the rest.
    significance : float, FTest(…), Permutation(…), Conditional(…) or None
        As in `TreeClassifier`, except that a number stands for `FTest(level)`.
    leaf : {"shrinkage", "mean", "median", "linear", "quantiles", "honest"} or LinearModel(…), Honest(…), …
        What a leaf predicts: the mean of its rows (the median with "absolute_error"), drawn towards those of
        the nodes above, or as it is; or the median. "quantiles" keeps the targets for `predict_quantile`,
        "linear" puts a linear model into each leaf.
        "honest" gives leaves the values of rows that had no say in the questions.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the prediction may only rise (1) or fall (-1) with a column.
    levels, thresholds, questions, search, missing, max_depth, min_samples_split, min_samples_leaf
        As in `TreeClassifier`.
    min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease, competitors, max_bins, prune
        As in `TreeClassifier`.
    column_costs, categorical_features, ordered_features, random_state, n_jobs, verbose
        As in `TreeClassifier`.
    """

    def __init__(
        self,
        *,
        criterion: NumberCriterion = "squared_error",
        nominal: Nominal = "subset",
        levels: Levels = "corrected",
        thresholds: Thresholds = "midpoint",
        questions: Questions = "axis",
        search: Search = "greedy",
        missing: MissingPolicy = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: NumberTest = None,
        competitors: int = 0,
        max_bins: int | None = None,
        prune: Pruning = "cost_complexity",
        leaf: ValueLeaf = "shrinkage",
        column_costs: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        ordered_features: Any = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the predicted number of each row.

        A level that did not occur in training counts as missing. `unknown="error"` refuses it, in any column
        that the tree asks about. A function in its place is called with the name of each such column and a
        dict of its unknown levels, with the number of rows for each.
        """
        fitted = self._fitted
        if isinstance(fitted, SeveralState):
            return fitted.predict(self.apply(X, unknown=unknown))
        return fitted.tree._values(X, unknown=unknown, **self._matching(fitted))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R², the share of the variance that is explained; of several outputs, its mean."""
        with comparing():
            return float(super().score(X, y, sample_weight))

    def predict_interval(self, X: Any, level: float = 0.9, *, unknown: Unknown = "missing") -> Numbers:
        """Return an interval for the mean of each row's leaf: rows × 2.

        It is Student's: mean ± t · standard error, with t of n − 1 degrees of freedom for the n rows of the
        leaf. It says where the mean of many more rows like these would lie, not where the next one will:
        single targets spread much wider, and `predict_quantile` is the answer to that. A prediction that is
        drawn towards the nodes above may lie outside. The tree chose its questions by these very rows, which
        makes intervals too narrow, unless its leaves are `Honest`. NaN for a leaf of one row. Rows with
        weights need `leaf="quantiles"`: with weights w, n is (Σ w)² / Σ w².

        >>> X, y = [[1]] * 4 + [[2]] * 4, [1.0, 2.0, 3.0, 4.0, 11.0, 12.0, 13.0, 14.0]
        >>> TreeRegressor(prune=None).fit(X, y).predict_interval([[1], [2]]).round(1)
        array([[ 1.,  4.],
               [11., 14.]])
        """
        from arboretum.inspection.leaf_answers import interval_at

        return interval_at(self._alone("predict_interval()").tree, self.apply(X, unknown=unknown), level)

    def predict_standard_error(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the standard error of the mean of each row's leaf: √(variance / (n − 1)) of its n targets.

        NaN for a leaf of one row. What `predict_interval` says of weights and of the rows holds here too.
        """
        from arboretum.inspection.leaf_answers import standard_error_at

        return standard_error_at(self._alone("predict_standard_error()").tree, self.apply(X, unknown=unknown))

    def predict_quantile(self, X: Any, q: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return quantiles of the training targets in each row's leaf; the tree must be fitted to keep them.

        `q` is a share from 0 to 1, or several, which give a column each. The quantile is the least target at
        or below which at least the share q of the leaf's weight lies; where it is exactly that share, the
        mean of this target and the next. With q = 0.5 it is the median. Needs `leaf="quantiles"`.

        >>> X, y = [[1], [1], [1], [2]], [1.0, 2.0, 30.0, 50.0]
        >>> TreeRegressor(leaf="quantiles", prune=None).fit(X, y).predict_quantile([[1], [2]], 0.5)
        array([ 2., 50.])
        """
        from arboretum.inspection.leaf_answers import quantiles_at

        return quantiles_at(self._alone("predict_quantile()").tree, self.apply(X, unknown=unknown), q)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
