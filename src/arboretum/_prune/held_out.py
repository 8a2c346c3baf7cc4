"""What held-out rows cost along a sequence of trees.

Sums over the held-out rows add up over folds. Where a tree divides rows, a prediction is a mean over leaves.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from arboretum._prune.pruning import Tuning, errors_at_nodes
from arboretum._prune.risks import class_losses, predictions_of
from arboretum._prune.sequence import Sequence
from arboretum._tree.leaves import cheapest
from arboretum._tree.surgery import levels_below_root
from arboretum._types import Codes, Integers, Numbers

_MOST_BLENDED: Final = 4_000_000  # numbers held at a time


def mean_losses(sums: Numbers, unit: float) -> tuple[Numbers, Numbers]:
    """Return the mean loss per unit of weight and its standard error; squares are of losses / unit.

    Rows are counted for the error, not their weight: a common factor in the weights changes nothing.
    """
    n_rows, weight, losses, squares = sums
    with np.errstate(invalid="ignore"):  # infinite losses have no spread
        spread = np.sqrt(np.maximum(squares / weight - (losses / weight / unit) ** 2, 0.0))
        return losses / weight, unit * spread / np.sqrt(n_rows)


def sums_at(sequence: Sequence, prices: Numbers, tuning: Tuning, unit: float) -> Numbers:
    """Return the number of tuning rows, and Σ w, Σ w · loss, Σ w · (loss / unit)² of them, at each price."""
    weights = tuning.targets.reported_weights
    weight = float(tuning.targets.n_rows if weights is None else weights.sum())
    steps = sequence.steps_at(prices)
    if sequence.tree.missing == "fractions":
        losses, squares = _blended_sums(sequence, steps, len(prices), tuning, unit)
    else:
        at_nodes = errors_at_nodes(sequence.tree, tuning, sequence.measure, unit)
        losses, squares, never = (sequence.sums_at_steps(steps, len(prices), errors) for errors in at_nodes)
        losses = np.where(never > 0, np.inf, losses)
    n_rows = np.full(len(prices), float(tuning.targets.n_rows))
    return np.array([n_rows, np.full(len(prices), weight), losses, squares])


def _blended_sums(
    sequence: Sequence, steps: Codes, n_steps: int, tuning: Tuning, unit: float
) -> tuple[Numbers, Numbers]:
    """Return the sums where rows are divided: a prediction is a mean over leaves, not a sum over them.

    All nodes take part in a mean with the prediction of the node above them that is a leaf at that step, so
    that the tree is walked once for many steps.
    """
    tree = sequence.tree
    own = predictions_of(tree, sequence.measure).reshape(len(tree), -1)
    width = own.shape[1]
    at_once = max(1, _MOST_BLENDED // (width * (len(tree) + tuning.targets.n_rows)))
    losses, squares = np.empty(n_steps), np.empty(n_steps)
    for begin in range(0, n_steps, at_once):
        chosen = np.arange(begin, min(n_steps, begin + at_once))
        at_leaf = own[_leaves_at(sequence, steps, chosen)].transpose(1, 0, 2)  # nodes, steps, width
        blended = tree._router.blend(tuning.data, np.ascontiguousarray(at_leaf).reshape(len(tree), -1))
        blended = blended.reshape(-1, len(chosen), width)
        for i, step in enumerate(chosen.tolist()):
            loss, weight = _row_losses(sequence, blended[:, i], tuning)
            losses[step], squares[step] = (weight * loss).sum(), (weight * (loss / unit) ** 2).sum()
    return losses, squares


def _leaves_at(sequence: Sequence, steps: Codes, chosen: Integers) -> Integers:
    """Return for each chosen step and node the topmost node on its path that is a leaf at that step."""
    tree = sequence.tree
    leaf = np.tile(np.arange(len(tree)), (len(chosen), 1))
    is_leaf = steps[None, :] <= chosen[:, None]
    for nodes in levels_below_root(tree):  # parents come first
        above = leaf[:, tree.array("parent")[nodes]]
        collapsed = np.take_along_axis(is_leaf, above, axis=1)
        leaf[:, nodes] = np.where(collapsed, above, nodes)
    return leaf


def _row_losses(sequence: Sequence, predicted: Numbers, tuning: Tuning) -> tuple[Numbers, Numbers]:
    """Return the loss and the weight of each tuning row, by its mean prediction."""
    targets, rule = tuning.targets, sequence.tree.rule
    given = targets.reported_weights
    weights = np.ones(targets.n_rows) if given is None else given
    if rule is None or targets.classes is None:
        numbers, value = np.asarray(targets.numbers), predicted[:, 0]
        return _number_losses(numbers, value, sequence.measure), weights
    label = cheapest(predicted, rule.loss)
    costs = class_losses(predicted, label, rule, sequence.measure)
    return costs[np.arange(len(costs)), targets.classes], weights


def _number_losses(numbers: Numbers, value: Numbers, measure: str) -> Numbers:
    match measure:
        case "squared_error":
            return (numbers - value) ** 2
        case "absolute_error":
            return np.abs(numbers - value)
        case "poisson":
            with np.errstate(divide="ignore", invalid="ignore"):
                deviance = np.where(numbers > 0, numbers * np.log(numbers / value), 0.0)
            return np.asarray(deviance - numbers + value)
    raise ValueError(f"no loss of numbers is called {measure!r}")
