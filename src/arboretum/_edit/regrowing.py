"""Regrowing: a subtree grown anew from the rows at a node, with the parameters of an estimator as options.

Parameters that belong to the whole tree (its columns, classes, leaves, constraints) are refused. The options
are kept with the edit, in JSON's own types.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from arboretum._data.scalars import is_integer, is_real
from arboretum._grow.given_rows import RowsAtNode
from arboretum._grow.growth import Growth
from arboretum._options.criteria import ORDER_CRITERIA
from arboretum._options.exclusions import refuse_excluded
from arboretum._options.missing import POLICIES
from arboretum._options.settings import Settings, read_settings
from arboretum._options.strategy import STRATEGIES, Strategy
from arboretum._prune.folds import FoldMaker
from arboretum._prune.growing import grow_and_prune
from arboretum._prune.pruning import Task
from arboretum._tree.checks import MISSING_RULES
from arboretum._tree.surgery import Subtree
from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Tree, core_dataset
from arboretum._wording import shown
from arboretum.errors import DataError, ParameterError, choices
from arboretum.estimators import TreeClassifier, TreeRegressor

_OF_THE_TREE: Final[Mapping[str, str]] = {
    "leaf": "its leaves all estimate probabilities in the same way",
    "priors": "its leaves all estimate probabilities in the same way",
    "loss": "a mistake costs the same in all its leaves",
    "monotonic_cst": "what a node may predict depends on the nodes around it",
    "categorical_features": "its columns are what they were when it was fitted",
    "ordered_features": "its columns are what they were when it was fitted",
}
_UNSEEN: Final = ("n_jobs", "verbose")  # these do not change the tree


def settings_as_grown(tree: Tree) -> Settings:
    """Return the settings by which rows are read where a question is only counted: all rows count."""
    return _settings(tree, {"missing": "category"})


def settings_for(tree: Tree, trimmed: Tree, options: Mapping[str, Any]) -> Settings:
    """Return the settings of growth below a leaf of `trimmed`, which is the tree without what was there.

    What is not among the options is as the estimators have it, but for criterion and missing values, which
    are the tree's.
    """
    params = _defaults(tree)
    for name, value in options.items():
        if name in _OF_THE_TREE:
            raise ParameterError(
                f"{name}={shown(value)} is not allowed: it belongs to the whole tree, and "
                f"{_OF_THE_TREE[name]}.\n"
                "Hint: fit the estimator anew."
            )
        if name not in params:
            allowed = sorted(params.keys() - _OF_THE_TREE.keys())
            raise ParameterError("regrow: " + choices("option", name, allowed))
    settings = _settings(tree, options)
    _refuse_criterion(tree, settings.criterion, options.get("criterion"))
    _refuse_missing(tree, trimmed, settings, options.get("missing"))
    refuse_excluded(settings)
    return settings


def _settings(tree: Tree, options: Mapping[str, Any]) -> Settings:
    if tree.criterion in ORDER_CRITERIA:
        raise DataError(
            f"The tree orders rows within queries (criterion={tree.criterion!r}), which data=(X, y) does not "
            "name, so that no question can be counted or grown.\n"
            "Hint: prune_at() needs no data; or fit a TreeRanker anew."
        )
    return read_settings({**_defaults(tree), **options}, of_classes=tree.target.classes is not None)


def _defaults(tree: Tree) -> dict[str, Any]:
    """Return the parameters of growth where nothing else is said."""
    estimator = TreeRegressor() if tree.target.classes is None else TreeClassifier()
    params: dict[str, Any] = estimator.get_params(deep=False)
    return params | {"criterion": tree.criterion, "missing": _policies(tree)[0], "prune": None}


def _policies(tree: Tree) -> list[str]:
    """Return the policies for missing values whose trees follow the same rule as this one."""
    return [name for name, policy in POLICIES.items() if policy.rule == tree.missing]


def _refuse_criterion(tree: Tree, criterion: str, given: Any) -> None:
    if criterion != tree.criterion:
        raise ParameterError(
            f"criterion={shown(given)} is not allowed: the tree measures impurity by {tree.criterion!r}, and "
            "all its nodes do so.\nHint: leave it out, or fit the estimator anew."
        )


def _refuse_missing(tree: Tree, trimmed: Tree, settings: Settings, given: Any) -> None:
    """Refuse to treat missing values in another way than the rest of the tree does."""
    surrogate = settings.surrogate
    stays = surrogate is not None and surrogate.send == "never"
    rule = "child" if stays else POLICIES[settings.missing].rule
    if len(trimmed) == 1 or rule == tree.missing:
        return
    if rule == "surrogates" and tree.missing == "child" and _may_have_surrogates(trimmed):
        return
    raise ParameterError(
        f"missing={shown(given)} is not allowed: the tree {MISSING_RULES[tree.missing]}, and all "
        "its nodes do "
        f"so.\nHint: leave it out, or choose {' or '.join(map(repr, _policies(tree)))}."
    )


def _may_have_surrogates(trimmed: Tree) -> bool:
    """Return whether rows would take the same paths if the tree followed surrogates, though it has none.

    Rows of an unknown level would then go where missing values go, rather than to the heavier child.
    """
    if trimmed.remembered and (trimmed.remembered["role"] == SURROGATE).any():
        return False
    return all(
        question.always_answers
        or question.missing_child < 0
        or int(np.argmax([child.weight for child in node.children])) == question.missing_child
        for node in trimmed.walk()
        if (question := node.question) is not None
    )


def grow_below(tree: Tree, rows: RowsAtNode, settings: Settings) -> Subtree:
    """Return the subtree that is grown from the rows at a node.

    What a column is like in the whole table counts here too: one of several levels is corrected for them,
    even if only two of them reach the node.
    """
    table = core_dataset(rows.table)
    growth = Growth(
        settings,
        tree.columns,
        tree.target,
        rows.targets,
        [],
        tree.rule,
        rows.data,
        table.take(rows.numbers),
        is_even=True,
        also_seen=(table,),
    )
    grown = _pruned(growth, rows)
    return Subtree(grown._arrays, grown._questions, grown.missing)


def _pruned(growth: Growth, rows: RowsAtNode) -> Tree:
    """Return the subtree as it is grown, or cut back by a pruner, which holds out some of the rows."""
    settings, classes = growth.settings, growth.targets.classes
    folds = FoldMaker(growth.n_rows, classes, None, settings.random_state, rows.values, None, None)
    return grow_and_prune(settings.prune, Task(growth, folds, None, settings.verbose)).tree


# Options in JSON's own types


def write_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as they are kept with an edit; those that do not change the tree are left out.

    >>> from arboretum import GainRatio
    >>> write_options({"max_depth": np.int64(3), "criterion": GainRatio(guard=None), "n_jobs": 2})
    {'max_depth': 3, 'criterion': {'GainRatio': {'guard': None, 'numeric_penalty': False}}}
    """
    return {name: _written(name, value) for name, value in options.items() if name not in _UNSEEN}


def _written(name: str, value: Any) -> Any:
    if isinstance(value, Strategy):
        params = value.get_params(deep=False).items()
        return {type(value).__name__: {param: _written(f"{name}__{param}", given) for param, given in params}}
    if isinstance(value, Mapping):  # class_weight: classes need not be text, as the names of members in JSON
        return [[_written(name, label), _written(name, weight)] for label, weight in value.items()]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if is_integer(value):
        return int(value)
    if is_real(value):
        return min(float(value), sys.float_info.max)  # JSON has no infinity
    if value is None or isinstance(value, str):
        return value
    raise ParameterError(
        f"{name}={shown(value)} is not allowed: it cannot be written down, so that the edit could "
        "not be replayed."
        "\nHint: give a number, text, or {name: number}."
    )


def read_options(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that `write_options` wrote.

    >>> read_options({"max_depth": 3, "class_weight": [[True, 2.0]]})
    {'max_depth': 3, 'class_weight': {True: 2.0}}
    """
    return {name: _read(name, value) for name, value in written.items()}


def _read(name: str, value: Any) -> Any:
    try:
        if isinstance(value, list):
            return {label: weight for label, weight in value}
        if isinstance(value, Mapping):
            ((strategy, params),) = value.items()
            return STRATEGIES[strategy](**params)
    except (TypeError, ValueError, KeyError) as error:
        raise ParameterError(f"The option {name}={shown(value)} of the edit cannot be read.") from error
    return value
