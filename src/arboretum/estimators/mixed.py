"""TreeMixed: one tree for outputs of both kinds. Growth and pruning are those of several outputs."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.metrics import r2_score

from arboretum._data import Unknown
from arboretum._data.several_targets import split_outputs
from arboretum._data.targets import read_weights
from arboretum._options.choices import ClassCriterion, Levels, Nominal, NumberCriterion, Thresholds
from arboretum._options.settings import Settings, read_settings
from arboretum._options.strategies import Shrinkage
from arboretum._types import Array, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.fitted_state import Kept
from arboretum.estimators.parameters import Pruning, Seed
from arboretum.estimators.several_outputs import SeveralState, learn_outputs, refuse_tuning
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor
from arboretum.estimators.truth import comparing


class TreeMixed(BaseTree):
    """A decision tree for several outputs, some of which are classes and some numbers.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 25, 30, 50, 55, 60]})
    >>> Y = pd.DataFrame({"buys": ["no", "no", "no", "yes", "yes", "yes"], "amount": [0, 1, 2, 30, 31, 29]})
    >>> model = TreeMixed(prune=None, max_depth=1, leaf="frequency").fit(X, Y)
    >>> print(model.tree_)
    [6 rows]  buys: no 50%, yes 50%; amount: mean 15.5
    ├── age <= 40  [3 rows]  → buys: no (100%); amount: 1
    └── age > 40  [3 rows]  → buys: yes (100%); amount: 30
    >>> model.predict(pd.DataFrame({"age": [45]})).tolist()
    [['yes', 30.0]]
    >>> print(model.outputs_["amount"].tree_)
    [6 rows]  squared_error 211, value 15.5
    ├── age <= 40  [3 rows]  → 1
    └── age > 40  [3 rows]  → 30

    All outputs share the questions. A question is good if it lowers the mean of the outputs' impurities, each
    in units of its impurity at the root; `fit(…, output_weights={"amount": 2})` makes one count for more.
    `outputs_` holds an ordinary `TreeClassifier` or `TreeRegressor` for each output, by name or by place.

    Parameters
    ----------
    criterion : {"gini", "entropy", "misclassification"}
        The impurity of outputs that are classes.
    number_criterion : {"squared_error", "poisson"}
        The impurity of outputs that are numbers.
    class_outputs : "from_dtype", names or places
        Which outputs are classes. "from_dtype": text, categories and booleans.
    leaf : {"shrinkage", "frequency"} or Shrinkage(strength)
        Whether predictions are drawn towards those of the nodes above; "frequency" takes the shares, and the
        mean, of the leaf's own rows.
    class_weight : {"balanced"}, {output: class_weight} or None
        As in `TreeClassifier`, for each output that is classes.
    missing : {"category", "drop", "error"}
        As in `TreeClassifier`.
    nominal, levels, thresholds, max_depth, min_samples_split, min_samples_leaf
        As in `TreeClassifier`.
    min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease, max_bins, prune
        As in `TreeClassifier`.
    column_costs, categorical_features, ordered_features, random_state, n_jobs, verbose
        As in `TreeClassifier`.
    """

    tree_: Kept[Any] = Kept("shown", "The tree, which has all outputs: a `MultiTree`.")

    def __init__(
        self,
        *,
        criterion: ClassCriterion = "gini",
        number_criterion: NumberCriterion = "squared_error",
        class_outputs: Any = "from_dtype",
        nominal: Nominal = "subset",
        levels: Levels = "corrected",
        thresholds: Thresholds = "midpoint",
        missing: Any = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        max_bins: int | None = None,
        prune: Pruning = "cost_complexity",
        leaf: Any = "shrinkage",
        class_weight: Any = None,
        column_costs: Any = None,
        categorical_features: Any = "from_dtype",
        ordered_features: Any = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

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
        """Grow the tree from a table and a table of targets, a column for each output; prune it.

        `output_weights`, a list or {output: weight}, says what each output counts. Tuning data are refused.
        """
        outputs = split_outputs(y)
        if outputs is None:
            raise DataError(
                "TreeMixed learns several outputs, but y is a single target.\n"
                "Hint: give a table with a column for each output, or take TreeClassifier or TreeRegressor."
            )
        refuse_tuning(X_val, y_val, sample_weight_val)
        chosen = outputs.classes(self.class_outputs)
        kinds: list[type[BaseTree]] = [
            TreeClassifier if place in chosen else TreeRegressor for place in range(len(outputs.names))
        ]
        settings = [self._settings_of(kind) for kind in kinds]
        self._state = learn_outputs(
            self, settings, kinds, X, outputs, sample_weight, output_weights, groups, self.class_weight
        )
        return self

    def _settings(self) -> Settings:
        return self._settings_of(TreeClassifier)

    def _settings_of(self, kind: type[BaseTree]) -> Settings:
        """Return the settings of an output of this kind, in the words of its own estimator."""
        of_classes = kind is TreeClassifier
        own = self.get_params(deep=False)
        given = {name: own.get(name, default) for name, default in kind().get_params(deep=False).items()}
        if of_classes:
            given["class_weight"] = None  # each output's own follows
        else:
            given["criterion"] = self.number_criterion
            if isinstance(self.leaf, str) and self.leaf == "frequency":
                given["leaf"] = "mean"
        if not isinstance(self.leaf, Shrinkage) and self.leaf not in ("shrinkage", "frequency"):
            allowed = "choose 'shrinkage', 'frequency' or Shrinkage(…)"
            raise ParameterError(f"leaf={shown(self.leaf)} is not allowed; {allowed}.")
        return read_settings(given, of_classes=of_classes)

    @property
    def _several(self) -> SeveralState:
        fitted = self._fitted
        assert isinstance(fitted, SeveralState)
        return fitted

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return what is predicted for each row: rows × outputs, of objects if not all are numbers.

        `unknown` says how to treat levels that the tree does not know, as in `TreeClassifier.predict`.
        """
        return self._several.predict(self.apply(X, unknown=unknown))

    def predict_proba(self, X: Any, *, unknown: Unknown = "missing") -> dict[str, Numbers]:
        """Return the probabilities of the classes of each output that is classes, by its name."""
        fitted = self._several
        each = zip(fitted.outputs.names, fitted.labels, strict=True)
        names = [name for name, labels in each if labels is not None]
        return dict(zip(names, fitted.probabilities(self.apply(X, unknown=unknown)), strict=True))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean over the outputs of the share of right classes, and of R² of numbers."""
        fitted, predicted, truth = self._several, self.predict(X), split_outputs(y)
        if truth is None or len(truth.columns) != predicted.shape[1]:
            raise DataError(f"y should have a column for each of {many(predicted.shape[1], 'output')}.")
        weights = read_weights(sample_weight, len(predicted))
        scores = []
        for place, (model, column) in enumerate(zip(fitted.outputs, truth.columns, strict=True)):
            known, found = np.asarray(column), predicted[:, place]
            if len(known) != len(found):
                raise DataError(f"X has {many(len(found), 'row')}, but y has {len(known)}.")
            with comparing():
                if model._fitted.classes is None:
                    scores.append(float(r2_score(known, found.astype(float), sample_weight=weights)))
                else:
                    scores.append(float(np.average(found == known, weights=weights)))
        return float(np.mean(scores))
