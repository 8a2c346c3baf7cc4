"""What the classifier and the regressor share: `fit`, routing rows, other sizes of the tree.

`fit` reads: settings, data, grow, prune, keep.

A fit leaves one value behind (fitted_state.py), set at the very end: a fit that fails leaves the estimator as
it was, and a method that reads the value once never mixes two fits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from arboretum._data import ColumnData, Unknown, match_dataset
from arboretum._data.fingerprint import TrainingData, describe_training_data
from arboretum._data.queries import read_queries
from arboretum._data.several_targets import refuse_output_weights, split_outputs
from arboretum._data.suspicions import Suspicion
from arboretum._data.targets import match_classes, read_numbers, read_weights
from arboretum._grow.growth import Growth
from arboretum._grow.optimality import Optimality
from arboretum._grow.training_rows import TrainingRows, refuse_missing
from arboretum._grow.training_table import TrainingTable, read_training_table
from arboretum._options.exclusions import refuse_excluded
from arboretum._options.parameter_names import refuse_unknown, set_below
from arboretum._options.rules import Real, Whole
from arboretum._options.settings import Settings, read_settings
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.folds import FoldMaker, read_groups
from arboretum._prune.leaf_filling import grow_prune_and_fill
from arboretum._prune.log import PruningLog
from arboretum._prune.optimal_tree import at_size
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned, Task, Tuning
from arboretum._prune.sequence import Sequence
from arboretum._tree.fitted import refuse_model
from arboretum._tree.linear_models import models_of
from arboretum._tree.tree import Tree, core_dataset
from arboretum._types import Array, Codes, Numbers, RowNumbers
from arboretum._wording import shown
from arboretum.errors import DataError, DataTypeError, ParameterError, listing
from arboretum.estimators.fit_warnings import find_suspicions, warn_of_data, warn_of_tree
from arboretum.estimators.fitted_state import FittedState, Kept, OutputModels
from arboretum.estimators.several_outputs import SeveralState, fit_several, may_learn_several, refuse_tuning
from arboretum.estimators.to_sklearn import to_sklearn

if TYPE_CHECKING:
    from arboretum.inspection.summary.summary import Summary


class BaseTree(BaseEstimator):
    """What classifiers and regressors share."""

    missing: Any
    prune: Any
    random_state: Any
    verbose: Any
    _of_order: ClassVar[bool] = False  # whether the order of rows within queries is learnt
    _state: FittedState
    tree_: Kept[Tree] = Kept(
        "shown", "The tree, pruned: a `Tree`; if several outputs were learnt, a `MultiTree`."
    )
    outputs_: Kept[OutputModels] = Kept(
        "models", "If several outputs were learnt: a fitted estimator for each, by its name or number."
    )
    output_names_: Kept[list[str]] = Kept("output_names", "The names of several outputs.")
    alpha_: Kept[float] = Kept(
        "alpha", "With cost-complexity pruning: the price of a leaf that was given, or that data chose."
    )
    pruning_log_: Kept[PruningLog] = Kept(
        "log", "What a pruner that looks at one node after the other did at each of them, and why."
    )
    optimality_: Kept[Optimality] = Kept(
        "optimality",
        "With `search=Optimal(…)`: the certificate, an `Optimality`. Its objective and bound are at "
        "the price of a leaf that was given, or at `alpha_` if data chose it.",
    )
    n_features_in_: Kept[int] = Kept("n_features", "The number of columns.")
    n_rows_dropped_: Kept[int] = Kept("n_rows_dropped", 'How many rows `missing="drop"` left out.')
    training_data_: Kept[TrainingData] = Kept(
        "training_data", "What model files say of the rows: how many, of how many columns, their fingerprint."
    )
    feature_names_in_: Kept[Array] = Kept(
        "feature_names", "The names of the columns, if they came with names."
    )
    _grown: Kept[Tree] = Kept("grown")
    _named: Kept[bool] = Kept("named")

    def __new__(cls, *args: Any, **params: Any) -> Self:
        """Refuse an unknown parameter with a hint; `__init__` would refuse it without one."""
        if params:
            refuse_unknown(cls, params)
        made: Self = super().__new__(cls)
        return made

    def set_params(self, **params: Any) -> Self:
        """Set parameters, including those of strategies: `set_params(prune__rule="min")`.

        A name is replaced by its strategy: `prune="cost_complexity"` becomes `CostComplexity(…)`.
        """
        below: dict[str, dict[str, Any]] = {}
        for name in params:
            outer, _, inner = name.partition("__")
            if inner:
                below.setdefault(outer, {})[inner] = params[name]
        own = {name: value for name, value in params.items() if "__" not in name}
        refuse_unknown(type(self), [*own, *below])
        for outer, inner_params in below.items():
            value = own.get(outer, getattr(self, outer))
            own[outer] = set_below(outer, value, inner_params, of_classes=is_classifier(self))
        super().set_params(**own)
        return self

    def _keep_parameters(self, given: Mapping[str, Any]) -> None:
        """Keep what `__init__` was given, each under its own name and unchanged, as scikit-learn asks."""
        for name, value in given.items():
            if name != "self":
                setattr(self, name, value)

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
        output_weights: Any = None,
    ) -> Self:
        """Grow the tree from a table (data frame, 2-D array, list of rows) and one target per row; prune it.

        `groups`, one per row, stay together when rows are held out. `X_val`, `y_val` and their weights are
        tuning data: rows that a pruner decides with and that the tree is not grown from. A table of two or
        more columns as `y` holds several outputs (docs/several_outputs.md); `output_weights`, a list or
        {output: weight}, says what each of them counts.
        """
        if (outputs := split_outputs(y)) is not None:
            refuse_tuning(X_val, y_val, sample_weight_val)
            given = (sample_weight, output_weights, groups)
            self._state = fit_several(self, self._settings(), X, outputs, *given)
            return self
        refuse_output_weights(output_weights)
        return self._fit(X, y, sample_weight, groups, (X_val, y_val, sample_weight_val, None))

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, held_out: tuple[Any, ...]) -> Self:
        """Grow and prune; `held_out` is tuning data with its targets, weights and groups."""
        self._fit_in_view(X, y, sample_weight, groups, held_out)
        return self

    def _fit_in_view(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, held_out: tuple[Any, ...]
    ) -> tuple[Pruned, Growth, RowNumbers | None]:
        """Fit; return the pruned tree and what it was grown from: a growth, and which of its rows."""
        settings, owner = self._settings(), type(self).__name__
        table = read_training_table(settings, X, y, owner, groups)
        weights = read_weights(sample_weight, table.n_rows)
        rows, growth = table.growth(settings, weights)
        tuning = self._tuning(growth, table, *held_out)
        task = self._task(growth, rows, table.targets, groups, tuning)
        suspicions = find_suspicions(rows.data, settings)
        warn_of_data(suspicions, weights)
        pruned, task = grow_prune_and_fill(settings.prune, task)
        warn_of_tree(pruned, task, suspicions)
        self._keep(pruned, settings, rows, table.classes, suspicions)
        return pruned, growth, task.rows

    def _tuning(
        self,
        growth: Growth,
        table: TrainingTable,
        X_val: Any,
        y_val: Any,
        sample_weight_val: Any,
        groups_val: Any,
    ) -> Tuning | None:
        """Return the rows that a pruner judges by, in the columns and classes of the training table."""
        self._check_tuning(growth.settings.prune, X_val, y_val, sample_weight_val, groups_val)
        if X_val is None:
            return None
        owner = type(self).__name__
        data, classes = table.data, table.classes
        try:
            held_out = match_dataset(X_val, data.schema, named=data.named, owner=owner, check=self._check)
            n_rows = held_out.n_rows
            if n_rows == 0:
                raise DataError("X has no rows, so that nothing can be decided by them.")
            if classes is None:
                known: Array = read_numbers(y_val, n_rows, owner)
            else:
                known = match_classes(y_val, n_rows, classes, owner)
            queries = None if table.queries is None else read_queries(groups_val, n_rows, owner, "groups_val")
            targets = growth.held_out_targets(known, read_weights(sample_weight_val, n_rows), queries)
            weights = targets.weights
            if weights is None or weights.all():
                return Tuning(core_dataset(held_out), targets, held_out)
            if not weights.any():
                raise DataError("All rows have the weight zero, so that nothing can be decided by them.")
            counting = np.flatnonzero(weights)
            counted = held_out.take(counting)
            return Tuning(core_dataset(counted), targets.take(counting), counted)
        except (DataError, DataTypeError) as error:
            # The readers speak of X, y and sample_weight, whichever table they read.
            raise type(error)(f"The tuning data (X_val, y_val, sample_weight_val): {error}") from error

    def _check_tuning(
        self, pruner: Any, X_val: Any, y_val: Any, sample_weight_val: Any, groups_val: Any = None
    ) -> None:
        """Refuse tuning data that are incomplete, and those that the pruner does not look at."""
        if (X_val is None) != (y_val is None):
            raise DataError("X_val and y_val belong together: give both, or neither.")
        for name, given in (("weights", sample_weight_val), ("queries", groups_val)):
            if X_val is None and given is not None:
                option = {"weights": "sample_weight_val", "queries": "groups_val"}[name]
                raise DataError(
                    f"{option} holds the {name} of tuning data, but X_val and y_val are not given."
                )
        if X_val is not None and (pruner is None or not pruner._wants_tuning):
            raise ParameterError(
                f"X_val and y_val are tuning data for pruning, but prune={shown(self.prune)} looks at none.\n"
                "Hint: choose prune='reduced_error' or prune='cost_complexity', or leave X_val out."
            )

    def _settings(self) -> Settings:
        """Return the parameters as one checked value."""
        params, of_classes = self.get_params(deep=False), is_classifier(self)
        settings = read_settings(params, of_classes=of_classes, of_order=self._of_order)
        refuse_excluded(settings)
        return settings

    def _task(
        self,
        growth: Growth,
        rows: TrainingRows,
        given: Array,
        groups: Any,
        tuning: Tuning | None,
    ) -> Task:
        """Return what a pruner works with; `given` holds the targets of all rows of the table."""
        all_groups = read_groups(groups, len(given))
        kept = all_groups if all_groups is None or rows.origin is None else all_groups[rows.origin]
        folds = FoldMaker(
            *(growth.n_rows, growth.targets.classes, kept, self.random_state, given, rows.origin, all_groups),
            undivided=self._of_order,
        )
        return Task(growth, folds, tuning, growth.settings.verbose)

    def _keep(
        self,
        pruned: Pruned,
        settings: Settings,
        rows: TrainingRows,
        classes: Array | None = None,
        suspicions: tuple[Suspicion, ...] = (),
    ) -> None:
        """Keep the new tree and the columns it was grown from."""
        pruner = settings.prune
        self._state = FittedState(
            pruned,
            named=rows.data.named,
            n_rows_dropped=rows.n_dropped,
            training_data=describe_training_data(rows.data, rows.targets, rows.weights, suspicions),
            sequencer=clone(pruner) if isinstance(pruner, CostComplexity) else CostComplexity(alpha=0.0),
            classes=classes,
        )

    # --- other sizes of the same tree

    @property
    def pruning_path_(self) -> PruningPath:
        """The risk of each tree in the weakest-link sequence, and which tree was chosen."""
        return self._fitted.path

    def _sequence(self) -> Sequence:
        """Return the weakest-link sequence of the tree as it was grown."""
        return self._fitted.sequence()

    def pruned(self, *, alpha: float | None = None, leaves: int | None = None) -> Self:
        """Return the same estimator with another tree of its pruning path, without fitting again.

        `alpha` is the price of a leaf; `leaves` asks for the largest tree with at most that many leaves.
        """
        fitted = self._fitted
        if (alpha is None) == (leaves is None):
            raise ParameterError("pruned() takes either alpha, the price of a leaf, or leaves, their number.")
        if leaves is not None:
            Whole(1).read(leaves, "leaves")
        if fitted.pruned.optimal_path:
            return self._with(fitted, at_size(fitted.pruned, leaves=leaves, alpha=alpha))
        sequence = fitted.sequence()
        if leaves is not None:
            alpha = sequence.alphas[np.argmax(sequence.leaves <= leaves)]
        price = Real("a number of 0 or more", finite=True).read(alpha, "alpha")
        assert price is not None
        if isinstance(fitted, SeveralState):
            return self._with_state(fitted.cut(price, sequence))
        path = replace(fitted.path, chosen=sequence.step_of(price))
        return self._with(fitted, Pruned(sequence.cut(price), fitted.grown, path=path, alpha=price))

    def unpruned(self) -> Self:
        """Return the same estimator with the tree as grown."""
        fitted = self._fitted
        if isinstance(fitted, SeveralState):
            return self._with_state(fitted.whole())
        path = replace(fitted.path, chosen=None)
        return self._with(fitted, Pruned(fitted.grown, fitted.grown, path=path))

    def with_tree(self, tree: Tree) -> Self:
        """Return the same estimator with another tree, such as an edited one or one read from a file.

        The tree must have the same columns and classes. The new pruning path starts from it.
        """
        fitted = self._alone("with_tree()")
        if not isinstance(tree, Tree):
            raise DataTypeError(f"with_tree() takes a Tree, not {type(tree).__name__}.")
        if tree.target != fitted.tree.target:
            raise DataError(
                f"The tree predicts {_target_text(tree)}, but this {type(self).__name__} predicts "
                f"{_target_text(fitted.tree)}."
            )
        if tree.columns != fitted.tree.columns:
            mine, its = (
                listing([c.name for c in columns], 10) for columns in (fitted.tree.columns, tree.columns)
            )
            raise DataError(
                f"The tree asks about the columns {its}, but this {type(self).__name__} was fitted with "
                f"{mine}; names, kinds and levels must be the same."
            )
        return self._with(fitted, Pruned(tree, tree))

    def _with(self, fitted: FittedState, pruned: Pruned) -> Self:
        """Return a copy with another tree."""
        return self._with_state(replace(fitted, pruned=pruned))

    def _with_state(self, state: FittedState) -> Self:
        """Return a copy with another state and parameters of its own, since strategies are objects."""
        other = copy(self)
        for name, value in self.get_params(deep=False).items():
            setattr(other, name, clone(value, safe=False))
        other._state = state
        return other

    def apply(self, X: Any, *, unknown: Unknown = "missing") -> Codes:
        """Return the number of the leaf that each row reaches.

        With `missing="fractional"` a row may reach several leaves; the one with its largest fraction counts.
        `unknown` says how to treat levels that the tree does not know, as in `predict`.
        """
        fitted = self._fitted
        return fitted.tree._route(X, unknown=unknown, **self._matching(fitted))

    @property
    def _fitted(self) -> FittedState:
        """What the last fit left behind; a method reads it once."""
        state = vars(self).get("_state")
        if state is None:
            check_is_fitted(self)  # says so in scikit-learn's words
        assert isinstance(state, FittedState)
        return state

    def _alone(self, method: str) -> FittedState:
        """Return what the last fit left behind; refuse several outputs."""
        fitted = self._fitted
        if isinstance(fitted, SeveralState):
            refuse_model(self, method, "one output")
        return fitted

    def _matching(self, fitted: FittedState) -> dict[str, Any]:
        """Return how to match a table with the columns of the tree, and what to refuse."""
        return {"named": fitted.named, "owner": type(self).__name__, "check": self._check}

    @property
    def _check(self) -> Callable[[ColumnData, str], None] | None:
        return refuse_missing if isinstance(self.missing, str) and self.missing == "error" else None

    def decision_path(self, X: Any, *, unknown: Unknown = "missing") -> sparse.csr_matrix:
        """Return a sparse matrix of rows by nodes, 1 if the row passes the node on its way to its leaf."""
        fitted = self._fitted
        tree = fitted.tree
        node = tree._route(X, unknown=unknown, **self._matching(fitted))
        depth, parent = tree.array("depth"), tree.array("parent")
        row = np.arange(len(node))
        begin = np.concatenate([[0], np.cumsum(depth[node] + 1, dtype=np.int64)])
        nodes = np.empty(begin[-1], dtype=np.int64)
        shape = (len(node), len(tree))
        while len(row):  # all rows climb one step at a time, from the leaf to the root
            nodes[begin[row] + depth[node]] = node
            below = node > 0
            row, node = row[below], parent[node[below]]
        return sparse.csr_matrix((np.ones(len(nodes), dtype=np.int64), nodes, begin), shape=shape)

    def get_depth(self) -> int:
        """Return the largest number of questions between the root and a leaf."""
        return self._fitted.tree.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return self._fitted.tree.n_leaves

    @property
    def feature_importances_(self) -> Numbers:
        """How much each column lowers the impurity, scaled to add up to 1; zeros if the tree asks nothing."""
        fitted = self._fitted
        sums = fitted.importances()
        total = sums.sum()
        return sums / total if total > 0 else sums

    def summary(self) -> Summary:
        """Return what was learnt from which data, how, how well, and what to try next: print it."""
        from arboretum.inspection.summary.summary import summary_of

        self._alone("summary()")
        return summary_of(self)

    def _repr_html_inner(self) -> str:
        """Return what a notebook shows: the tree and its summary; before the fit, scikit-learn's diagram."""
        if not self.__sklearn_is_fitted__():
            diagram: str = super()._repr_html_inner()
            return diagram
        fitted = self._fitted
        if models_of(fitted.tree) is not None:  # which has no summary
            return fitted.tree._repr_html_()
        from arboretum._show.summary_html import model_html

        return model_html(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return the same for notebooks of today, and the text for terminals."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        # Absent where scikit-learn is told to show text.
        return bundle | {"text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def to_sklearn(self) -> Any:
        """Return a scikit-learn estimator that asks the same questions; for numeric thresholds only.

        scikit-learn compares values as float32, so values that differ by less may go different ways.
        """
        return to_sklearn(self._alone("to_sklearn()"))

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._check is None
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.multi_output = may_learn_several(self)
        return tags


def _target_text(tree: Tree) -> str:
    return "numbers" if tree.target.classes is None else f"the classes {listing(tree.target.classes, 10)}"
