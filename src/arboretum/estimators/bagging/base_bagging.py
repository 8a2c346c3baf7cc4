"""What ensembles share: `fit`, out-of-bag numbers, importances. The estimators add what they predict.

A fit leaves one value behind (bagged_state.py), set at the very end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum import _core
from arboretum._data import ColumnData, Unknown
from arboretum._data.fingerprint import TrainingData, describe_training_data
from arboretum._data.queries import Queries
from arboretum._data.targets import read_weights
from arboretum._grow.growth import Growth
from arboretum._grow.leaves.linear import LinearModel
from arboretum._grow.training_rows import TrainingRows
from arboretum._grow.training_table import read_training_table
from arboretum._options.parameter_names import refuse_unknown
from arboretum._options.running import Threads, progress, random_source
from arboretum._options.settings import Settings
from arboretum._tree.packing import PackedTree, pack
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Numbers
from arboretum.errors import DataError, DataTypeError, ParameterError
from arboretum.estimators.bagging.bagged_state import BaggedState, Trees, add_tree, empty_forest
from arboretum.estimators.bagging.growing import Grower, Grown
from arboretum.estimators.bagging.out_of_bag import OutOfBag, is_flat
from arboretum.estimators.bagging.parameters import BagSettings, read_bag_settings
from arboretum.estimators.bagging.proximities import shared_leaves
from arboretum.estimators.bagging.samples import Samples
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.fit_warnings import find_suspicions, warn_of_data
from arboretum.estimators.fitted_state import Kept


class BaseBagging(BaseEstimator):
    """Trees grown from samples of the rows, whose predictions are averaged."""

    tree: Any
    n_jobs: Any
    _tree_type: type[BaseTree]
    _state: BaggedState
    trees_: Kept[Trees] = Kept("trees", "The trees, each a `Tree`.")
    n_features_in_: Kept[int] = Kept("n_features", "The number of columns.")
    n_rows_dropped_: Kept[int] = Kept("n_rows_dropped", 'How many rows `missing="drop"` left out.')
    training_data_: Kept[TrainingData] = Kept(
        "training_data", "What model files say of the rows: how many, of how many columns, their fingerprint."
    )
    feature_names_in_: Kept[Array] = Kept(
        "feature_names", "The names of the columns, if they came with names."
    )

    def __new__(cls, *args: Any, **params: Any) -> Self:
        """Refuse an unknown parameter with a hint; `__init__` would refuse it without one."""
        if params:
            refuse_unknown(cls, params)
        made: Self = super().__new__(cls)
        return made

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Say where to find what a single tree has."""
            of_tree = name in ("tree_", "summary") or (not name.startswith("_") and hasattr(Tree, name))
            if hasattr(type(self), name) or not of_tree:
                return super().__getattribute__(name)  # raises what it raised before
            path = "" if name == "tree_" else f".{name}"
            raise AttributeError(
                f"{name} is for one tree, but {type(self).__name__} grows many of them.\n"
                f"Hint: model.trees_[0]{path} is that of the first."
            )

    def _keep_parameters(self, given: Mapping[str, Any]) -> None:
        """Keep what `__init__` was given, each under its own name and unchanged, as scikit-learn asks."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, including those of the trees: `set_params(tree__max_depth=5)`."""
        refuse_unknown(type(self), [name.partition("__")[0] for name in params])
        below = any(name.startswith("tree__") for name in params)
        if below and self.tree is None and params.get("tree") is None:
            params["tree"] = self._default_tree()
        super().set_params(**params)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees from a table (data frame, 2-D array, list of rows) and one target per row.

        With `warm_start=True`, the trees of the last fit are kept and only those that lack are grown. That
        gives the same as growing all at once. The table and the other parameters must be the same.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> Self:
        settings, owner = self._tree_settings(), type(self).__name__
        bag = read_bag_settings(self.get_params(deep=False), settings)
        table = read_training_table(settings, X, y, owner, groups)
        weights = read_weights(sample_weight, table.n_rows)
        rows, growth = table.growth(settings, weights)
        suspicions = find_suspicions(rows.data, settings)
        described = describe_training_data(rows.data, rows.targets, rows.weights, suspicions)
        before = self._kept_trees(bag, described, growth)
        if before is None:
            warn_of_data(suspicions, weights)
            samples = self._samples(bag, growth)
            out_of_bag = _out_of_bag(growth, rows) if bag.oob else None
        else:
            samples, out_of_bag = before.samples, deepcopy(before.out_of_bag)
        grower = Grower(growth, samples, bag.oob, samples.seed % 2**32)
        found = _grow(grower, bag, before, out_of_bag)
        state = BaggedState(
            packed=found.packed,
            importances=np.array(found.importances),
            asked=np.array(sorted(found.asked), dtype=np.intp),
            samples=samples,
            origin=rows.origin,
            n_given=table.n_rows,
            n_rows_dropped=rows.n_dropped,
            training_data=described,
            named=rows.data.named,
            classes=table.classes,
            out_of_bag=out_of_bag,
            stopped=found.stopped,
        )
        if found.forest is not None:
            state.__dict__["forest"] = found.forest
        self._state = state
        return self

    def _described(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> TrainingData:
        """Return what a fit would keep of this table."""
        settings = self._tree_settings()
        table = read_training_table(settings, X, y, type(self).__name__, groups)
        rows, _ = table.growth(settings, read_weights(sample_weight, table.n_rows))
        return describe_training_data(rows.data, rows.targets, rows.weights)

    def _default_tree(self) -> BaseTree:
        """Return the tree of an ensemble that was given none: fully grown, leaves as they are."""
        leaf = "frequency" if self._of_classes else "mean"
        tree: BaseTree = self._tree_type(prune=None, leaf=leaf)
        return tree

    @property
    def _of_classes(self) -> bool:
        return hasattr(self._tree_type, "predict_proba")

    def _template(self) -> BaseTree:
        """Return the tree whose parameters all trees have."""
        if self.tree is None:
            return self._default_tree()
        if not isinstance(self.tree, self._tree_type):
            found = self.tree.__name__ if isinstance(self.tree, type) else type(self.tree).__name__
            wanted = self._tree_type.__name__
            raise DataTypeError(
                f"{type(self).__name__}(tree=…) takes a {wanted}, not {found}.\n"
                f"Hint: tree={wanted}(prune=None) keeps trees as they are grown."
            )
        return self.tree

    def _tree_settings(self) -> Settings:
        """Return the settings of each tree; threads and progress are those of the ensemble."""
        settings = self._template()._settings()
        if any(isinstance(layer, LinearModel) for layer in settings.leaf_layers):
            raise ParameterError(
                f"{type(self).__name__}(tree=…) does not go with leaf=LinearModel(…): only single trees have "
                "such leaves.\nHint: choose another leaf."
            )
        return replace(settings, n_jobs=1, verbose=False)

    def _samples(self, bag: BagSettings, growth: Growth) -> Samples:
        """Return how rows and columns are drawn."""
        seed = bag.random_state
        if seed is None:
            seed = 0
        elif not isinstance(seed, int | np.integer):
            seed = random_source(seed).randint(2**31)
        balanced = growth.targets.classes if bag.bootstrap == "balanced" else None
        n_rows, queries = growth.n_rows, _queries_of(growth)
        n_drawn = bag.n_drawn(n_rows, "row") if queries is None else bag.n_drawn(len(queries), "query")
        n_columns = bag.n_columns(len(growth.columns))
        return Samples(int(seed), n_rows, n_drawn, bag.bootstrap, n_columns, balanced, queries)

    def _kept_trees(self, bag: BagSettings, described: TrainingData, growth: Growth) -> BaggedState | None:
        """Return the last fit, if its trees are kept."""
        before = vars(self).get("_state")
        if not bag.warm_start or not isinstance(before, BaggedState):
            return None
        if before.training_data.fingerprint != described.fingerprint:
            raise DataError(
                "warm_start=True adds trees to those of the last fit, but X, y or sample_weight have "
                "changed.\nHint: set warm_start=False to grow all trees anew."
            )
        queries, known = _queries_of(growth), before.samples.queries
        if queries is not None and known is not None and (queries.numbers != known.numbers).any():
            raise DataError(
                "warm_start=True adds trees to those of the last fit, but groups have changed.\n"
                "Hint: set warm_start=False to grow all trees anew."
            )
        n_kept = len(before.packed)
        if bag.n_trees < n_kept:
            raise ParameterError(
                f"n_trees={bag.n_trees} is less than the {n_kept} trees of the last fit, which "
                "warm_start=True keeps.\nHint: set warm_start=False to grow all trees anew."
            )
        if bag.oob != (before.out_of_bag is not None):
            raise ParameterError(
                f"oob={bag.oob} differs from the last fit, whose trees warm_start=True keeps.\n"
                "Hint: set warm_start=False to grow all trees anew."
            )
        return before

    # --- predictions

    def _mean(self, X: Any, unknown: Unknown) -> Numbers:
        return self._fitted.mean(X, Threads().read(self.n_jobs, "n_jobs"), **self._matching(unknown))

    def apply(self, X: Any, *, unknown: Unknown = "missing") -> Codes:
        """Return the number of the leaf that each row reaches in each tree: rows × trees.

        `unknown` says how to treat levels that the trees do not know, as in `predict`.
        """
        return self._fitted.leaves(X, Threads().read(self.n_jobs, "n_jobs"), **self._matching(unknown))

    def proximities(self, X: Any, others: Any = None, *, unknown: Unknown = "missing") -> Numbers:
        """Return in what share of the trees two rows share a leaf: rows × rows, or rows × rows of `others`.

        Rows that the trees treat alike are near each other, whatever the scales and kinds of their columns.
        """
        mine = self.apply(X, unknown=unknown)
        return shared_leaves(mine, mine if others is None else self.apply(others, unknown=unknown))

    def _matching(self, unknown: Unknown) -> dict[str, Any]:
        """Return how to match a table with the columns of the trees, and what to refuse."""
        return {"owner": type(self).__name__, "check": self._check, "unknown": unknown}

    @property
    def _check(self) -> Callable[[ColumnData, str], None] | None:
        return None if self.tree is None else self._template()._check

    # --- what the fit found

    @property
    def _fitted(self) -> BaggedState:
        """What the last fit left behind; a method reads it once."""
        state = vars(self).get("_state")
        if state is None:
            check_is_fitted(self)  # says so in scikit-learn's words
        assert isinstance(state, BaggedState)
        return state

    @property
    def _judged(self) -> OutOfBag:
        """The out-of-bag numbers of the last fit."""
        found = self._fitted.out_of_bag
        if found is None:
            raise AttributeError(
                "Out-of-bag numbers are there only after a fit with oob=True.\n"
                "Hint: set oob=True and fit again."
            )
        return found

    @property
    def oob_score_(self) -> float:
        """The accuracy (of numbers: R², of an order: NDCG@10) of the out-of-bag predictions."""
        return self._judged.score

    @property
    def oob_curve_(self) -> Numbers:
        """The out-of-bag error after each tree: the share of wrong classes, the mean squared error or, of an
        order, 1 − NDCG@10.
        """
        return np.array(self._judged.curve)

    def _oob_means(self) -> Numbers:
        """Return the out-of-bag mean for each row of the table as it was given; NaN where there is none."""
        fitted, means = self._fitted, self._judged.prediction
        if fitted.origin is None:
            return means
        whole = np.full((fitted.n_given, means.shape[1]), np.nan)
        whole[fitted.origin] = means
        return whole

    @property
    def feature_importances_(self) -> Numbers:
        """How much each column lowers the impurity, on average over the trees, scaled to add up to 1."""
        mean = _scaled(self._fitted.importances).mean(axis=0)
        total = mean.sum()
        scaled: Numbers = mean / total if total > 0 else mean
        return scaled

    @property
    def importances_std_(self) -> Numbers:
        """The standard deviation of each column's importance among the trees."""
        spread: Numbers = _scaled(self._fitted.importances).std(axis=0)
        return spread

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tree = self.tree if isinstance(self.tree, self._tree_type) else self._default_tree()
        its = tree.__sklearn_tags__()
        tags.input_tags = its.input_tags
        tags.target_tags.positive_only = its.target_tags.positive_only
        return tags


class _Found:
    """The trees so far, in packed form, and the forest of the core."""

    def __init__(self, before: BaggedState | None) -> None:
        self.packed: tuple[PackedTree, ...] = () if before is None else before.packed
        self.importances: list[Numbers] = [] if before is None else list(before.importances)
        self.asked: set[int] = set() if before is None else set(before.asked.tolist())
        self.stopped = False if before is None else before.stopped
        self.forest: _core.Forest | None = None  # of trees that are kept, it is made anew when needed
        self._is_new = before is None

    def add(self, grown: Grown) -> None:
        """Take in one more tree."""
        kind = self.packed[0].kind if self.packed else None
        self.packed += (pack(grown.tree, kind),)
        self.importances.append(grown.importance)
        self.asked |= grown.tree._asked
        if self._is_new:
            self.forest = self.forest or empty_forest(grown.tree.target)
            add_tree(self.forest, grown.tree)


def _grow(
    grower: Grower, bag: BagSettings, before: BaggedState | None, out_of_bag: OutOfBag | None
) -> _Found:
    """Grow the trees that lack, until there are enough or the error is flat."""
    found = _Found(before)
    numbers = range(len(found.packed), bag.n_trees)
    if found.stopped or not numbers:
        return found
    grower.growth.share_codes()
    trees = grower.trees(numbers, bag.n_jobs)
    for grown in progress(trees, len(numbers), "trees", shown=bag.verbose):
        found.add(grown)
        if out_of_bag is None:
            continue
        if grown.left_out is not None and grown.predicted is not None:
            out_of_bag.add(grown.left_out, grown.predicted)
        if bag.patience is not None and is_flat(out_of_bag.curve, bag.patience):
            found.stopped = True
            break
    return found


def _out_of_bag(growth: Growth, rows: TrainingRows) -> OutOfBag:
    rule = growth.rule
    width = 1 if rule is None else growth.targets.n_classes
    loss = None if rule is None else rule.loss
    return OutOfBag(rows.targets, rows.weights, width, loss, _queries_of(growth))


def _queries_of(growth: Growth) -> Queries | None:
    return None if growth.targets.order is None else growth.targets.order.queries


def _scaled(importances: Numbers) -> Numbers:
    """Return the importances of each tree scaled to add up to 1; zeros for a tree that asks nothing."""
    totals = importances.sum(axis=1, keepdims=True)
    scaled: Numbers = np.divide(importances, totals, out=np.zeros_like(importances), where=totals > 0)
    return scaled
