"""The estimators: scikit-learn shaped fronts, thin. They resolve options, read data, grow, prune, predict.

Words: those of scikit-learn, so that pipelines, searches and clones work unchanged.
What the options mean is decided in growing.py, class_weights.py and leaves.py; the work is done by the core.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, RegressorMixin

from arboretum.base_tree import BaseTree
from arboretum.class_weights import class_totals, resolve_factors, scale
from arboretum.combinations import refuse_excluded
from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, resolve_criterion
from arboretum.dataset import Unknown, read_dataset
from arboretum.fitted_state import Kept
from arboretum.growing import Targets, class_targets, number_targets, refuse_targets, resolve_monotone
from arboretum.growth import Growth
from arboretum.leaves import resolve_leaf
from arboretum.option_checks import check_options
from arboretum.presets import ClassifierPresets, RegressorPresets
from arboretum.pruning.strategies import resolve_pruner
from arboretum.targets import match_classes, read_classes, read_numbers, read_weights
from arboretum.training_rows import choose_rows, resolve_missing
from arboretum.tree import Target, core_dataset

__all__ = ["TreeClassifier", "TreeRegressor"]

Array = npt.NDArray[Any]


class TreeClassifier(ClassifierPresets, ClassifierMixin, BaseTree):
    """A decision tree for classes: grown as far as it goes, then pruned back by cross-validation.

    >>> from arboretum import datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier().fit(X, y)
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
        best subset is found exactly when the node has up to 10 levels of the column, or two classes and
        leaves may hold a single row. Beyond that it is the best of these: the cuts of the levels in the order
        of their share of each class, and each level against the rest. With "multiway" at least two branches
        must be large enough to be leaves; a level without rows becomes a leaf that predicts what its parent
        would.
    thresholds : {"midpoint", "observed", "table"}
        Where `x <= t` cuts: half-way between two neighbouring values of the node, at the lower of them, or at
        the largest value in the whole table that is not above the middle.
    questions : "axis", MofN(…) or Oblique(…)
        What a question may be about: one column; "at least 2 of: a <= 3, b = red, c > 1"; or a sum, as in
        "0.8·a − 1.2·b <= 3.1".
    search : "greedy" or Lookahead(…)
        Whether a question is judged by what it gains itself, or by the best that could be asked below it.
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
    significance : float, ChiSquare(…), Permutation(…), Conditional(…) or None
        From the root downwards every question is tested, and a node whose adjusted p-value is above this
        level becomes a leaf; `node.p_value` tells it. A number stands for `ChiSquare(level)`. The default
        pruning goes on from there: with `prune=None` the tests alone decide. Not with `max_leaf_nodes`.
    competitors : int
        How many runners-up each node remembers: the best question of each other column, best first.
    max_bins : int or None
        None searches every distinct value. An integer merges neighbouring values of each column into at most
        that many buckets before growth.
    prune : {"cost_complexity", "reduced_error", "pessimistic"}, None or an object of these
        How the grown tree is cut back. By default the price of a leaf is chosen by cross-validation, or on
        one fold of the rows where there are more than 100,000, with the rule of one standard error; `None`
        keeps the tree as it was grown. See `CostComplexity`, `ReducedError` and `Pessimistic`.
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
    column_costs : array or {column: cost}, optional
        What it takes to know a column: where questions compete, the gain (or gain ratio) of each is divided
        by the cost of its column, as in rpart. Columns that are not named cost 1. `node.gain`, limits,
        pruning and importances are those of the undivided gain.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the probability of the second of two classes may only rise (1) or fall (-1) with a column.
    categorical_features : "from_dtype", mask, positions, names or {column: levels}
        Columns that are nominal whatever their type says.
    ordered_features : mask, positions, names or {column: levels}, optional
        Columns whose levels are in order, which text and enums cannot say: `{"size": ["S", "M", "L"]}`, the
        lowest first. Names alone are enough for enums and pandas' categoricals, which list their levels.
    random_state : int, RandomState or None
        How rows are shuffled before some are held out for pruning; None is always the same way. Rows are
        shuffled by their places: the same rows in another order make other folds, and the same grown tree.
    n_jobs : int or None
        Threads, -1 for all cores; the tree does not depend on their number.
    verbose : int
        1 shows a progress bar over the folds (this needs the package tqdm).
    """

    classes_ = Kept[Array]("classes")

    def __init__(
        self,
        *,
        criterion: Any = "gini",
        nominal: str = "subset",
        thresholds: str = "midpoint",
        questions: Any = "axis",
        search: Any = "greedy",
        missing: Any = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: Any = None,
        competitors: int = 0,
        max_bins: int | None = None,
        prune: Any = "cost_complexity",
        leaf: Any = "frequency",
        class_weight: Any = None,
        priors: Any = None,
        loss: Any = None,
        column_costs: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        ordered_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.thresholds = thresholds
        self.questions = questions
        self.search = search
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.significance = significance
        self.competitors = competitors
        self.max_bins = max_bins
        self.prune = prune
        self.leaf = leaf
        self.class_weight = class_weight
        self.priors = priors
        self.loss = loss
        self.column_costs = column_costs
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.ordered_features = ordered_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Grow the tree from a table (data frame, 2-D array or list of rows) and one class per row; prune it.

        `groups`, one per row, are kept together when rows are held out. `X_val`, `y_val` and their weights
        are tuning data: rows that the tree is not grown from, by which a pruner decides.
        """
        params = self.get_params(deep=False)
        check_options(params, of_classes=True)
        pruner = resolve_pruner(self.prune)
        criterion = resolve_criterion(self.criterion, CLASS_CRITERIA)
        policy = resolve_missing(self.missing)
        data = read_dataset(X, self.categorical_features, self.ordered_features)
        classes, numbers = read_classes(y, data.n_rows, type(self).__name__)
        rows = choose_rows(data, numbers, read_weights(sample_weight, data.n_rows), policy)
        totals = class_totals(rows.targets, rows.weights, len(classes))
        monotone = resolve_monotone(self.monotonic_cst, data.schema)
        refuse_excluded(params, constrained=bool(monotone), n_classes=len(classes))
        factors = resolve_factors(params, classes, totals)
        rows = rows.only(factors.case[rows.targets] > 0)
        growth = Growth(
            params,
            data.schema,
            Target(tuple(classes.tolist())),
            criterion,
            class_targets(rows, len(classes), factors),
            monotone if len(classes) == 2 else [],
            resolve_leaf(self.leaf, factors),
            core_dataset(rows.data),
            table=rows.data,
        )

        def read_tuning(n_rows: int) -> Targets:
            known = match_classes(y_val, n_rows, classes, type(self).__name__)
            weights = scale(read_weights(sample_weight_val, n_rows), factors.case, known)
            return Targets(n_rows, classes=known, n_classes=len(classes), weights=weights)

        tuning = self._tuning(pruner, data, X_val, y_val, sample_weight_val, read_tuning)
        self._keep(self._prune(pruner, growth, rows, numbers, groups, tuning), rows, classes)
        return self

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return the class of each row.

        A level that was not there when fitting is treated as missing. `unknown="error"` refuses it, in any
        column that the tree asks about. A function in its place is called with the name of each such column
        and a dict of its unknown levels, with the number of rows that hold each.
        """
        fitted = self._fitted
        assert fitted.classes is not None
        labels: Array = fitted.classes.take(fitted.tree._labels(X, unknown=unknown, **self._how(fitted)))
        return labels

    def predict_proba(self, X: Any, *, unknown: Unknown = "missing") -> npt.NDArray[np.float64]:
        """Return the probability of each class for each row, in the order of `classes_`.

        `unknown` says what becomes of levels that the tree does not know, as in `predict`.
        """
        fitted = self._fitted
        return fitted.tree._at_rest("probability", X, unknown=unknown, **self._how(fitted))

    def predict_log_proba(self, X: Any, *, unknown: Unknown = "missing") -> npt.NDArray[np.float64]:
        """Return the logarithm of `predict_proba`; minus infinity where that is zero."""
        with np.errstate(divide="ignore"):
            logs: npt.NDArray[np.float64] = np.log(self.predict_proba(X, unknown=unknown))
        return logs


class TreeRegressor(RegressorPresets, RegressorMixin, BaseTree):
    """A decision tree for numbers. Leaves predict the mean, or the median with `criterion="absolute_error"`.

    >>> import numpy as np
    >>> X = np.arange(1.0, 13.0).reshape(12, 1)
    >>> model = TreeRegressor().fit(X, [5.0, 4.9, 5.1, 5.0, 5.2, 4.8, 9.0, 9.1, 8.9, 9.0, 9.2, 8.8])
    >>> print(model.tree_)
    [12 rows]  squared_error 4.02, value 7
    ├── x0 <= 6.5  [6 rows]  → 5
    └── x0 > 6.5  [6 rows]  → 9
    >>> model.unpruned().get_n_leaves()
    12

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}
        The impurity whose decrease makes a question good. "poisson" is for counts and rates: targets are not
        negative, and no child may have only zeros.
    nominal : {"subset", "one_vs_rest", "multiway"}
        As in `TreeClassifier`. The best subset of more than 10 levels is found exactly with "squared_error",
        and with "poisson" if every level has a positive target, while leaves may hold a single row. Otherwise
        it is the best of these: the cuts of the levels in the order of their mean ("absolute_error": median),
        and each level against the rest.
    significance : float, FTest(…), Permutation(…), Conditional(…) or None
        As in `TreeClassifier`, but that a number stands for `FTest(level)`.
    monotonic_cst : array or dict of -1, 0, 1, optional
        Whether the prediction may only rise (1) or fall (-1) with a column.
    thresholds, questions, search, missing, max_depth, min_samples_split, min_samples_leaf
        As in `TreeClassifier`.
    min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease, competitors, max_bins, prune
        As in `TreeClassifier`.
    column_costs, categorical_features, ordered_features, random_state, n_jobs, verbose
        As in `TreeClassifier`.
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        nominal: str = "subset",
        thresholds: str = "midpoint",
        questions: Any = "axis",
        search: Any = "greedy",
        missing: Any = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        significance: Any = None,
        competitors: int = 0,
        max_bins: int | None = None,
        prune: Any = "cost_complexity",
        column_costs: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        ordered_features: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.criterion = criterion
        self.nominal = nominal
        self.thresholds = thresholds
        self.questions = questions
        self.search = search
        self.missing = missing
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.significance = significance
        self.competitors = competitors
        self.max_bins = max_bins
        self.prune = prune
        self.column_costs = column_costs
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.ordered_features = ordered_features
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Grow the tree from a table (data frame, 2-D array, list of rows) and one number per row; prune it.

        `groups`, `X_val`, `y_val` and `sample_weight_val` are as in `TreeClassifier.fit`.
        """
        params = self.get_params(deep=False)
        check_options(params, of_classes=False)
        pruner = resolve_pruner(self.prune)
        criterion = resolve_criterion(self.criterion, NUMBER_CRITERIA)
        policy = resolve_missing(self.missing)
        data = read_dataset(X, self.categorical_features, self.ordered_features)
        monotone = resolve_monotone(self.monotonic_cst, data.schema)
        refuse_excluded(params, constrained=bool(monotone))
        numbers = read_numbers(y, data.n_rows, type(self).__name__)
        rows = choose_rows(data, numbers, read_weights(sample_weight, data.n_rows), policy)
        growth = Growth(
            params,
            data.schema,
            Target(),
            criterion,
            number_targets(rows, criterion),
            monotone,
            None,
            core_dataset(rows.data),
            table=rows.data,
        )

        def read_tuning(n_rows: int) -> Targets:
            known = read_numbers(y_val, n_rows, type(self).__name__)
            refuse_targets(known, criterion)
            return Targets(n_rows, numbers=known, weights=read_weights(sample_weight_val, n_rows))

        tuning = self._tuning(pruner, data, X_val, y_val, sample_weight_val, read_tuning)
        self._keep(self._prune(pruner, growth, rows, numbers, groups, tuning), rows)
        return self

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> npt.NDArray[np.float64]:
        """Return the predicted number of each row.

        A level that was not there when fitting is treated as missing. `unknown="error"` refuses it, in any
        column that the tree asks about. A function in its place is called with the name of each such column
        and a dict of its unknown levels, with the number of rows that hold each.
        """
        fitted = self._fitted
        return fitted.tree._at_rest("value", X, unknown=unknown, **self._how(fitted))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
