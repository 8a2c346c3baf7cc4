"""Regrowing: a subtree grown anew from the rows at a node, with the parameters of an estimator as options.

Words: an *option* is a parameter of growth; those that belong to the whole tree (its columns, classes,
leaves, constraints) are refused here. Options are *written down* in JSON's own types, to be kept with the
edit. Where rows come from is told in editing_data.py; the core grows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from arboretum.combinations import refuse_excluded
from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, resolve_criterion
from arboretum.editing_data import RowsAtNode, share_of_weight
from arboretum.errors import ParameterError, choices
from arboretum.grafting import Scion, with_predictions
from arboretum.growth import Growth
from arboretum.progress import resolve_verbose
from arboretum.pruning.cost_complexity import CostComplexity
from arboretum.pruning.folds import FoldMaker, resolve_random
from arboretum.pruning.pessimistic import Pessimistic
from arboretum.pruning.pruning import Task
from arboretum.pruning.reduced_error import ReducedError
from arboretum.pruning.strategies import resolve_pruner
from arboretum.questions import COMPOSITE, MISSING
from arboretum.scalars import is_integer, is_real
from arboretum.searching import Lookahead, MofN, Oblique
from arboretum.significance.chi_square import ChiSquare
from arboretum.significance.conditional import Conditional
from arboretum.significance.f_test import FTest
from arboretum.significance.permutation import Permutation
from arboretum.strategies import GainRatio, Surrogate, resolve_surrogates
from arboretum.training_rows import resolve_missing
from arboretum.tree import Tree, core_dataset
from arboretum.tree_arrays import SURROGATE, array_types

__all__ = ["grow_below", "read_options", "resolve_growth", "write_options"]

_OF_THE_TREE: Final[Mapping[str, str]] = {
    "leaf": "its leaves all estimate probabilities in the same way",
    "priors": "its leaves all estimate probabilities in the same way",
    "loss": "a mistake costs the same in all its leaves",
    "monotonic_cst": "what a node may predict depends on the nodes around it",
    "categorical_features": "its columns are what they were when it was fitted",
    "ordered_features": "its columns are what they were when it was fitted",
}
_STRATEGIES: Final = (
    *(GainRatio, Surrogate, MofN, Oblique, Lookahead),
    *(CostComplexity, ReducedError, Pessimistic),
    *(ChiSquare, FTest, Permutation, Conditional),
)
_UNSEEN: Final = ("n_jobs", "verbose")  # these do not change the tree
# How an estimator deals with missing values so that its trees follow the rule.
_POLICY: Final = {"fractions": "fractional", "surrogates": "surrogate", "child": "category"}


def resolve_growth(tree: Tree, stock: Tree, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all parameters of growth below a leaf of `stock`, which is the tree without what was there.

    What is not among the options is as the estimators have it, but for criterion and missing values, which
    are the tree's.
    """
    params = _defaults(tree)
    for name, value in options.items():
        if name in _OF_THE_TREE:
            raise ParameterError(
                f"{name}={value!r} is not allowed: it belongs to the whole tree, and {_OF_THE_TREE[name]}.\n"
                "Hint: fit the estimator anew."
            )
        if name not in params:
            allowed = sorted(params.keys() - _OF_THE_TREE.keys())
            raise ParameterError("regrow: " + choices("option", name, allowed))
    params |= options
    _refuse_criterion(tree, params["criterion"])
    _refuse_missing(tree, stock, params["missing"])
    refuse_excluded(params, constrained=False, n_classes=len(tree.target.classes or ()))
    return params


def _defaults(tree: Tree) -> dict[str, Any]:
    from arboretum.estimators import TreeClassifier, TreeRegressor  # which make trees

    estimator = TreeRegressor() if tree.target.classes is None else TreeClassifier()
    params: dict[str, Any] = estimator.get_params(deep=False)
    return params | {"criterion": tree.criterion, "missing": _POLICY[tree.missing], "prune": None}


def _refuse_criterion(tree: Tree, criterion: Any) -> None:
    allowed = NUMBER_CRITERIA if tree.target.classes is None else CLASS_CRITERIA
    if resolve_criterion(criterion, allowed) != tree.criterion:
        raise ParameterError(
            f"criterion={criterion!r} is not allowed: the tree measures impurity by {tree.criterion!r}, and "
            "all its nodes do so.\nHint: leave it out, or fit the estimator anew."
        )


def _refuse_missing(tree: Tree, stock: Tree, missing: Any) -> None:
    """Refuse to treat missing values in another way than the rest of the tree does."""
    policy = resolve_missing(missing)
    surrogate = resolve_surrogates(missing)
    if surrogate is not None and surrogate.send == "never":
        policy = "never sent"
    fitting = {
        "fractions": ("fractional",),
        "surrogates": ("surrogate",),
        "child": ("category", "drop", "error", "never sent"),
    }
    if len(stock) == 1 or policy in fitting[tree.missing]:
        return
    if policy == "surrogate" and tree.missing == "child" and _may_have_surrogates(stock):
        return
    does = {
        "fractions": "divides rows with missing values",
        "surrogates": "sends rows with missing values by surrogates",
        "child": "sends rows with missing values to one child",
    }
    raise ParameterError(
        f"missing={missing!r} is not allowed: the tree {does[tree.missing]}, and all its nodes do so.\n"
        f"Hint: leave it out, or choose {' or '.join(map(repr, fitting[tree.missing][:3]))}."
    )


def _may_have_surrogates(stock: Tree) -> bool:
    """Tell whether rows go the same ways if the tree is said to follow surrogates, of which it has none.

    Then rows of an unknown level go where missing values do, rather than to the heavier child.
    """
    if stock.others and (stock.others["role"] == SURROGATE).any():
        return False
    return all(
        node._get("kind") in (MISSING, *COMPOSITE)  # which always have an answer
        or node._get("missing_child") < 0
        or int(np.argmax([child.weight for child in node.children])) == node._get("missing_child")
        for node in stock.walk()
        if not node.is_leaf
    )


def grow_below(tree: Tree, node: int, rows: RowsAtNode, params: Mapping[str, Any]) -> Scion:
    """Return the subtree that is grown from the rows at a node, as if they were the whole table."""
    of_classes = tree.target.classes is not None
    growth = Growth(
        params,
        tree.columns,
        tree.target,
        tree.criterion,
        rows.targets,
        [],
        tree.rule if of_classes else None,
        core_dataset(rows.data),
        is_even=True,
        also_seen=(core_dataset(rows.table),),
        table=rows.data,
    )
    grown = _pruned(growth, rows, params)
    names = array_types(tree.criterion, of_classes=of_classes, tested="p_value" in grown._arrays)
    arrays = with_predictions(tree, node, {name: grown.array(name) for name in names})
    arrays["improvement"] = arrays["improvement"] * share_of_weight(tree, node)
    return Scion(arrays, grown.others, grown.missing, grown.terms)


def _pruned(growth: Growth, rows: RowsAtNode, params: Mapping[str, Any]) -> Tree:
    """Return the subtree as it is grown, or cut back by a pruner, which holds out some of the rows."""
    pruner, random_state = resolve_pruner(params["prune"]), params["random_state"]
    verbose = resolve_verbose(params["verbose"])
    resolve_random(random_state)
    if pruner is None:
        return growth.tree()
    n_rows, classes = growth.n_rows, growth.targets.classes
    folds = FoldMaker(n_rows, classes, None, random_state, rows.values, None, None)
    return pruner._prune(Task(growth, folds, None, verbose)).tree


# Options in JSON's own types


def write_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options as they are kept with an edit; those that do not change the tree are left out.

    >>> write_options({"max_depth": np.int64(3), "criterion": GainRatio(guard=None), "n_jobs": 2})
    {'max_depth': 3, 'criterion': {'GainRatio': {'guard': None, 'numeric_penalty': False}}}
    """
    return {name: _written(name, value) for name, value in options.items() if name not in _UNSEEN}


def _written(name: str, value: Any) -> Any:
    if isinstance(value, _STRATEGIES):
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
        f"{name}={value!r} is not allowed: it cannot be written down, so that the edit could not be replayed."
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
            return {known.__name__: known for known in _STRATEGIES}[strategy](**params)
    except (TypeError, ValueError, KeyError) as error:
        raise ParameterError(f"The option {name}={value!r} of the edit cannot be read.") from error
    return value
