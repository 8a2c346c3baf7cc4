"""Fitting several outputs: the tree of each becomes an ordinary estimator, and one state holds them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from arboretum._data import Dataset, read_dataset
from arboretum._data.fingerprint import describe_training_data
from arboretum._data.several_targets import Outputs, output_weights, split_outputs
from arboretum._data.suspicions import Suspicion
from arboretum._data.targets import read_classes, read_numbers, read_weights
from arboretum._grow.several import OutputTargets, SeveralGrowth, prepare_several, weights_by_output
from arboretum._grow.training_rows import TrainingRows, choose_rows
from arboretum._options.exclusions import refuse_excluded
from arboretum._options.settings import Settings, read_settings
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.folds import FoldMaker, read_groups
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned
from arboretum._prune.sequence import Sequence
from arboretum._prune.several import Yardstick, prune_several
from arboretum._tree.multi_tree import MultiTree, importance_of, side_by_side
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._wording import many
from arboretum.errors import ArboretumError, DataError, ParameterError
from arboretum.estimators.fit_warnings import find_suspicions, warn_of_data
from arboretum.estimators.fitted_state import FittedState, OutputModels

if TYPE_CHECKING:
    from arboretum.estimators.base_tree import BaseTree


@dataclass(frozen=True, eq=False)
class SeveralState(FittedState):
    """What the fit of several outputs leaves behind; its tree is that of the first, for its questions."""

    shares: tuple[float, ...] = ()

    @property
    def outputs(self) -> OutputModels:
        """The model of each output."""
        assert self.models is not None
        return self.models

    @property
    def shown(self) -> MultiTree:
        """The tree of all outputs."""
        return MultiTree(self.outputs.names, tuple(model.tree_ for model in self.outputs))

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        return list(self.outputs.names)

    @property
    def labels(self) -> list[Array | None]:
        """The classes of each output; None for numbers."""
        return [model._fitted.classes for model in self.outputs]

    def sequence(self) -> Sequence:
        """Return the weakest-link sequence that all outputs share."""
        grown = [model._grown for model in self.outputs]
        measures = [model._fitted.sequencer._measure_of(model._grown) for model in self.outputs]
        yardstick = Yardstick.of(measures, grown, self.shares)
        return yardstick.sequence(grown, self.sequencer.complexity)

    def predict(self, leaves: Array) -> Array:
        """Return what is predicted at these leaves: leaves × outputs."""
        return side_by_side([_predicted(model, leaves) for model in self.outputs])

    def probabilities(self, leaves: Array) -> list[Numbers]:
        """Return the probabilities of each output of classes at these leaves."""
        trees = [model.tree_ for model in self.outputs if model._fitted.classes is not None]
        return [tree.array("probability")[leaves] for tree in trees]

    def accuracy(self, predicted: Array, y: Any, sample_weight: Any) -> float:
        """Return the share of rows of which all outputs are predicted rightly."""
        truth = split_outputs(y)
        if truth is None or len(truth.columns) != predicted.shape[1]:
            raise DataError(f"y should have a column for each of {many(predicted.shape[1], 'output')}.")
        right = np.ones(len(predicted), dtype=np.bool_)
        for place, column in enumerate(truth.columns):
            known = np.asarray(column)
            if len(known) != len(predicted):
                raise DataError(f"X has {many(len(predicted), 'row')}, but y has {len(known)}.")
            right &= np.asarray(predicted[:, place] == known, dtype=np.bool_)
        weights = read_weights(sample_weight, len(right))
        return float(np.average(right, weights=weights))

    def importances(self) -> Numbers:
        """Return how much each column lowers the combined impurity."""
        return importance_of(tuple(model.tree_ for model in self.outputs), self.shares)

    def cut(self, price: float, sequence: Sequence) -> SeveralState:
        """Return the state in which all outputs are cut at this price of a leaf."""
        path = replace(self.path, chosen=sequence.step_of(price))

        def cut(grown: Tree) -> Tree:
            return sequence.beside(grown, sequence.measure).cut(price)

        return self._with(cut, path, price)

    def whole(self) -> SeveralState:
        """Return the state of the trees as grown."""
        return self._with(lambda grown: grown, replace(self.path, chosen=None), None)

    def _with(self, cut: Callable[[Tree], Tree], path: PruningPath, alpha: float | None) -> SeveralState:
        models = []
        for model in self.outputs:
            state = model._fitted
            models.append(model._with(state, Pruned(cut(state.grown), state.grown)))
        return several_state(OutputModels(models, self.outputs.names), self.shares, path, alpha)


def _predicted(model: BaseTree, leaves: Array) -> Array:
    fitted = model._fitted
    if fitted.classes is None:
        values: Array = fitted.tree.array("value")[leaves]
        return values
    labels: Array = fitted.classes.take(fitted.tree.array("label")[leaves])
    return labels


def fit_several(
    model: BaseTree,
    settings: Settings,
    X: Any,
    outputs: Outputs,
    sample_weight: Any,
    weights: Any,
    groups: Any,
) -> SeveralState:
    """Return what the fit of a classifier or a regressor to several targets leaves behind."""
    n_outputs = len(outputs.names)
    kinds, each = [type(model)] * n_outputs, [settings] * n_outputs
    given = settings.class_weight
    return learn_outputs(model, each, kinds, X, outputs, sample_weight, weights, groups, given)


def learn_outputs(
    model: BaseTree,
    settings: list[Settings],
    kinds: list[type[BaseTree]],
    X: Any,
    outputs: Outputs,
    sample_weight: Any,
    weights: Any,
    groups: Any,
    class_weight: Any,
) -> SeveralState:
    """Return what a fit leaves behind, where each output has settings and a kind of its own."""
    for own in settings:
        refuse_excluded(own, several_outputs=True)
    by_output = weights_by_output(class_weight, outputs.names)
    settings = [replace(own, class_weight=each) for own, each in zip(settings, by_output, strict=True)]
    shared, owner = settings[0], type(model).__name__
    for name, own in zip(outputs.names, settings, strict=True):
        if isinstance(class_weight, Mapping) and own.class_weight is not None and not own.of_classes:
            raise ParameterError(f"class_weight names {name!r}, an output of numbers, which has no classes.")
    pruner = shared.prune
    _refuse_pruner(pruner)
    data = read_dataset(X, shared.categorical_features, shared.ordered_features)
    targets = [
        _read(*each, data.n_rows, owner)
        for each in zip(outputs.names, settings, outputs.columns, strict=True)
    ]
    row_weights = read_weights(sample_weight, data.n_rows)
    rows = choose_rows(data, np.zeros(data.n_rows), row_weights, shared.missing)
    growth = prepare_several(targets, rows, output_weights(weights, outputs.names))
    suspicions = find_suspicions(rows.data, shared)
    warn_of_data(suspicions, row_weights)
    folds = _folds(model, growth, rows, data, targets, groups)
    pruned = prune_several(pruner, growth, folds, shown=shared.verbose)
    states = [
        _state(each, target, rows, pruner, suspicions) for each, target in zip(pruned, targets, strict=True)
    ]
    names = zip(kinds, settings, states, strict=True)
    models = OutputModels((_model_of(model, *each) for each in names), outputs.names)
    return several_state(models, growth.shares, pruned[0].path, pruned[0].alpha)


def several_state(
    models: OutputModels, shares: tuple[float, ...], path: PruningPath | None, alpha: float | None
) -> SeveralState:
    """Return the state that holds these models; the pruning path is one that they share."""
    first = models[0]._fitted
    shared = replace(first.pruned, path=path, alpha=alpha)
    kept = {field.name: getattr(first, field.name) for field in fields(first)}
    return SeveralState(**kept | {"pruned": shared, "models": models}, shares=shares)


def _read(name: str, settings: Settings, column: Any, n_rows: int, owner: str) -> OutputTargets:
    try:
        if settings.of_classes:
            classes, numbers = read_classes(column, n_rows, owner)
            return OutputTargets(name, settings, numbers, classes)
        return OutputTargets(name, settings, read_numbers(column, n_rows, owner), None)
    except ArboretumError as error:  # the readers speak of the target, whichever they read
        raise type(error)(f"Output {name!r}: {error}") from error


def may_learn_several(model: BaseTree) -> bool:
    """Return whether the parameters allow several outputs."""
    params = model.get_params(deep=False)
    if "number_criterion" in params or model._of_order:
        return not model._of_order
    try:  # not by the tags of the model, which ask here
        settings = read_settings(params, of_classes="class_weight" in params)
        refuse_excluded(settings, several_outputs=True)
        _refuse_pruner(settings.prune)
    except ArboretumError:
        return False
    return settings.criterion != "poisson"  # whose targets are positive: scikit-learn's check has others


def _refuse_pruner(pruner: Any) -> None:
    if pruner is None:
        return
    if not isinstance(pruner, CostComplexity):
        raise ParameterError(
            f"several outputs do not go with prune={type(pruner).__name__}: it counts the errors of one "
            "target.\nHint: choose prune='cost_complexity' or prune=None."
        )
    if pruner.measure is not None:
        raise ParameterError(
            "several outputs do not go with prune=CostComplexity(measure=…): each output has its own.\n"
            "Hint: leave measure at None: log loss of classes, the criterion of numbers."
        )


def refuse_tuning(*given: Any) -> None:
    """Refuse tuning data, which are judged by one target."""
    if any(each is not None for each in given):
        raise DataError(
            "X_val and y_val are for a single target, but y holds several outputs.\n"
            "Hint: leave them out; prune='cost_complexity' holds out rows of X itself."
        )


def _folds(
    model: BaseTree,
    growth: SeveralGrowth,
    rows: TrainingRows,
    data: Dataset,
    targets: list[OutputTargets],
    groups: Any,
) -> FoldMaker:
    all_groups = read_groups(groups, data.n_rows)
    kept = all_groups if all_groups is None or rows.origin is None else all_groups[rows.origin]
    given = side_by_side([target.targets for target in targets])
    return FoldMaker(
        growth.n_rows, growth.joint_classes, kept, model.random_state, given, rows.origin, all_groups
    )


def _state(
    pruned: Pruned,
    target: OutputTargets,
    rows: TrainingRows,
    pruner: CostComplexity | None,
    suspicions: tuple[Suspicion, ...],
) -> FittedState:
    known = target.targets if rows.origin is None else target.targets[rows.origin]
    return FittedState(
        Pruned(pruned.tree, pruned.grown),  # its own path is another than that of all outputs
        named=rows.data.named,
        n_rows_dropped=rows.n_dropped,
        training_data=describe_training_data(rows.data, known, rows.weights, suspicions),
        sequencer=CostComplexity(alpha=0.0) if pruner is None else clone(pruner),
        classes=target.classes,
    )


def _copied(value: Any) -> Any:
    try:
        return clone(value, safe=False)
    except TypeError:  # a view of memory cannot be copied
        return value


def _model_of(model: BaseTree, kind: type[BaseTree], settings: Settings, state: FittedState) -> BaseTree:
    """Return an ordinary estimator for one output, with the parameters that hold for it."""
    given = model.get_params(deep=False)
    own = {name: _copied(given[name]) for name in kind._get_param_names() if name in given}
    own["criterion"] = settings.criterion
    if settings.leaf == "mean":  # of numbers; the same of classes is called "frequency"
        own["leaf"] = "mean"
    if "class_weight" in own:
        own["class_weight"] = settings.class_weight
    made = kind(**own)
    made._state = state
    return made
