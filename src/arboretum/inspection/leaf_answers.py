"""What leaves say beside a prediction: intervals, standard errors and quantiles, as estimators return them.

The formulas are those of rules (rules/figures.py); quantiles are read from the targets that a tree keeps.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from arboretum._options.rules import Real
from arboretum._tree.fitted import refuse_linear
from arboretum._tree.quantiles import sorted_quantiles, weighted_quantiles
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Numbers
from arboretum.errors import DataError, ParameterError
from arboretum.inspection.rules.figures import Figures, standard_errors

_LEVEL: Final = Real("a number between 0 and 1", above=True, most=1.0, below=True)


def interval_at(tree: Tree, leaves: Codes, level: Any) -> Numbers:
    """Return the interval of what the rows of these leaves say: of the mean, or of the share of each class.

    The last axis has its two ends.
    """
    read = read_interval_level(level)
    if tree.rule is None:
        _refuse_medians(tree, "predict_interval")
        refuse_linear(tree, "predict_interval")
        figures = [Figures.of(tree, read)]
    else:
        figures = [Figures.of(tree, read, label) for label in range(len(tree.rule.prior))]
    ends = np.array([[each.low, each.high] for each in figures])  # classes, ends, nodes
    _refuse_unknown(tree, ends[..., 0], "predict_interval")
    found: Numbers = np.moveaxis(ends[:, :, leaves], 2, 0)
    return found[:, 0] if tree.rule is None else found


def standard_error_at(tree: Tree, leaves: Codes) -> Numbers:
    """Return the standard error of the mean of these leaves."""
    _refuse_medians(tree, "predict_standard_error")
    refuse_linear(tree, "predict_standard_error")
    errors, freedom = standard_errors(tree)
    _refuse_unknown(tree, errors[0], "predict_standard_error")
    found: Numbers = np.where(np.isnan(freedom), np.nan, errors)[leaves]
    return found


def quantiles_at(tree: Tree, leaves: Codes, q: Any) -> Numbers:
    """Return quantiles of the targets in these leaves: a column for each of several shares `q`."""
    shares = read_shares(q)
    require_targets(tree)
    reached, place = np.unique(leaves, return_inverse=True)
    found = np.array([_node_quantiles(tree, node, shares.ravel()) for node in reached.tolist()])
    each: Numbers = found.reshape(len(reached), shares.size)[place]
    return each[:, 0] if shares.ndim == 0 else each


def require_targets(tree: Tree) -> None:
    """Refuse a tree that does not keep the targets of its rows."""
    if "targets" not in tree.beside:
        raise DataError(
            "predict_quantile needs the targets of the training rows, which this tree does not keep.\n"
            'Hint: fit with leaf="quantiles", or leaf=Quantiles(leaf=…) around another leaf option.'
        )


def read_interval_level(level: Any) -> float:
    """Return the level of an interval."""
    read = _LEVEL.read(level, "level", "predict_interval")
    assert read is not None
    return read


def read_shares(q: Any) -> Numbers:
    """Return the shares whose quantiles are asked for."""
    try:
        shares = np.asarray(q, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.array(np.nan)
    if shares.ndim > 1 or not ((shares >= 0) & (shares <= 1)).all():
        raise ParameterError(f"predict_quantile(q={q!r}) is not allowed; give shares from 0 to 1.")
    return shares


def _node_quantiles(tree: Tree, node: int, shares: Numbers) -> Numbers:
    """Return the quantiles of one node; without rows, those of the nearest node above that has some."""
    begin, end, value, weight = (
        tree.beside["targets"].arrays[name] for name in ("begin", "end", "value", "weight")
    )
    while begin[node] == end[node]:
        node = int(tree.array("parent")[node])
    here = slice(int(begin[node]), int(end[node]))
    numbers: Array = value[here]
    if (numbers[1:] >= numbers[:-1]).all():  # as in leaves of the grown tree
        return sorted_quantiles(numbers, np.cumsum(weight[here]), shares)
    return weighted_quantiles(numbers, weight[here], shares)


def _refuse_medians(tree: Tree, asker: str) -> None:
    if tree.centre == "median":
        raise DataError(
            f"{asker} is about the means of leaves, but this tree predicts medians.\n"
            "Hint: predict_quantile(X, [0.05, 0.95]) says how targets spread in a leaf."
        )


def _refuse_unknown(tree: Tree, known: Numbers, asker: str) -> None:
    """Refuse to answer where the root, which has the most rows, does not know; one row alone never does."""
    if not np.isnan(known).all() or (tree.rule is None and tree.root.n_rows < 2):
        return
    keep = ' or, for numbers, leaf="quantiles", which keeps the weights' if tree.rule is None else ""
    raise DataError(
        f"{asker} needs to know how many rows say the same, but in this tree rows or classes have weights or "
        f"are divided, or its criterion is {tree.criterion!r}.\n"
        f"Hint: fit without weights{keep}."
    )
