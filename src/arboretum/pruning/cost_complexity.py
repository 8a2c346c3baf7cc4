"""Cost-complexity pruning: the price of a leaf is chosen on rows that the tree has not seen.

Words: those of CART: *alpha* (the price of a leaf), *folds*, the *one-standard-error rule*. A *price* between
two alphas stands for both: their geometric mean, at which the trees of the folds are cut.
The sequence of trees is made in sequence.py.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from arboretum.errors import DataError, ParameterError, choices
from arboretum.leaves import cheapest
from arboretum.progress import progress
from arboretum.pruning.collapse import levels_below_root
from arboretum.pruning.path import PruningPath
from arboretum.pruning.pruning import Pruned, Task, Tuning, errors_at_nodes
from arboretum.pruning.risks import class_losses, predictions_of, resolve_measure
from arboretum.pruning.sequence import Sequence
from arboretum.scalars import is_real

__all__ = ["MOST_CROSS_VALIDATED", "CostComplexity"]

Numbers = npt.NDArray[np.float64]

# Up to so many rows prune="cost_complexity" cross-validates; beyond, one fold held out says enough. Where
# rows are divided, every step of the sequence must be predicted by itself, which takes longer.
MOST_CROSS_VALIDATED: Final = 100_000
MOST_DIVIDED: Final = 5_000
_ALPHAS: Final = ("auto", "cv", "holdout")
_RULES: Final = ("1se", "min")
_COMPLEXITIES: Final = ("leaves", "depth")
_SAME: Final = 1e-12
_MOST_BLENDED: Final = 4_000_000  # numbers held at a time


class CostComplexity(BaseEstimator):
    """Grow a large tree, then keep the subtree that minimises risk + alpha · leaves.

    The price of a leaf, alpha, is in units of the average loss of a row, so that it means the same for ten
    rows and ten million: with alpha = 0.01, a leaf must get one row in a hundred more right. R's `cp` is
    alpha over the risk of the root; the alpha of textbooks, where losses are summed, is ours times the weight
    of all rows. With alpha = 0 the result is the smallest tree of least training error, which may be smaller
    than the tree as it was grown.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(prune=CostComplexity(alpha=0.01)).fit(X, y)
    >>> print(model.tree_)
    [150 rows]  gini 0.667: setosa 33%, versicolor 33%, virginica 33%
    ├── petal_length <= 2.45  [50 rows]  → setosa (100%)
    └── petal_length > 2.45  [100 rows]  gini 0.5: versicolor 50%, virginica 50%
        ├── petal_width <= 1.75  [54 rows]  gini 0.168: versicolor 91%, virginica 9%
        │   ├── petal_length <= 4.95  [48 rows]  → versicolor (98%)
        │   └── petal_length > 4.95  [6 rows]  → virginica (67%)
        └── petal_width > 1.75  [46 rows]  → virginica (98%)

    Parameters
    ----------
    alpha : {"cv", "holdout", "auto"} or float
        A price of 0 or more, or how to choose it. "cv": by cross-validation; every fold grows one tree, which
        is judged along its whole sequence. "holdout": by the first of the folds alone. "auto", which
        `prune="cost_complexity"` stands for: "cv" up to 100,000 rows (5,000 with `missing="fractional"`),
        "holdout" beyond. Where tuning data are given to `fit`, they decide. The tree itself is always grown
        from all rows.
    folds : int or a splitter of scikit-learn
        Classes are spread evenly over an integer number of folds, groups are kept together. There are fewer
        folds where a class has fewer rows (but five at least) or the table has.
    rule : {"1se", "min"}
        The smallest tree whose cross-validated risk is within one standard error of the least, or the
        smallest tree of least risk.
    measure : {"misclassification", "gini", "entropy"} or None
        What a prediction costs, in the sequence and when it is judged. None is misclassification, or the loss
        matrix, for classes; for numbers it is the criterion of the tree. "gini" judges by the squared
        distance of the probabilities from the truth, "entropy" by -log2 of the probability of the true class,
        as if one more row had been seen that is of each class by its share of the table.
    complexity : {"leaves", "depth"}
        What alpha is the price of: a leaf, or a level of depth.
    """

    def __init__(
        self,
        alpha: Any = "cv",
        folds: Any = 10,
        rule: str = "1se",
        measure: str | None = None,
        complexity: str = "leaves",
    ) -> None:
        self.alpha = alpha
        self.folds = folds
        self.rule = rule
        self.measure = measure
        self.complexity = complexity

    def _check(self) -> None:
        """Refuse options that are not allowed."""
        alpha: Any = self.alpha
        if isinstance(alpha, str):
            if alpha not in _ALPHAS:
                raise ParameterError(
                    choices("prune=CostComplexity(…): alpha", alpha, _ALPHAS) + " Or give a number."
                )
        elif not is_real(alpha) or not 0 <= alpha < math.inf:
            raise ParameterError(
                f"prune=CostComplexity(alpha={alpha!r}) is not allowed; give a number of 0 or more, 'cv' or "
                "'holdout'."
            )
        for name, allowed in (("rule", _RULES), ("complexity", _COMPLEXITIES)):
            found = getattr(self, name)
            if not isinstance(found, str) or found not in allowed:
                raise ParameterError(choices(f"prune=CostComplexity(…): {name}", found, allowed))

    def _sequence(self, tree: Any) -> Sequence:
        """Return the sequence of a tree by these options."""
        measure = resolve_measure(self.measure, tree.criterion, of_classes=tree.rule is not None)
        return Sequence(tree, measure, self.complexity)

    def _prune(self, task: Task) -> Pruned:
        """Grow and prune."""
        self._check()
        resolve_measure(self.measure, task.growth.criterion, of_classes=task.growth.rule is not None)
        grown = task.growth.tree()
        sequence = self._sequence(grown)
        if isinstance(self.alpha, str):
            sums = self._held_out_sums(task, sequence)
            path = _path(sequence, sums, self.rule)
            alpha = float(path.alpha[path.chosen or 0])
        else:
            alpha = float(self.alpha)
            path = _path(sequence, None, self.rule, sequence.step_of(alpha))
        return Pruned(sequence.cut(alpha), grown, path=path, alpha=alpha)

    def _held_out_sums(self, task: Task, sequence: Sequence) -> Numbers | None:
        """Return what `_sums` tells of all rows held out; None if there are none."""
        if task.tuning is not None:
            return _sums(sequence, sequence.alphas, task.tuning, sequence.unit)
        folds = task.folds.folds(self.folds)
        divided = sequence.tree.missing == "fractions"
        few = task.growth.n_rows <= (MOST_DIVIDED if divided else MOST_CROSS_VALIDATED)
        if self.alpha == "holdout" or (self.alpha == "auto" and not few):
            folds = folds[:1]
        if len(sequence) < 2:  # the root alone: there is nothing to choose
            return None
        if not folds:
            raise DataError(
                "All rows are of one group, or no fold holds out some rows and keeps others, so that alpha "
                "cannot be chosen.\nHint: give a number as alpha, X_val and y_val, or prune=None."
            )
        task.growth.share_codes()
        prices = np.append(np.sqrt(sequence.alphas[:-1]) * np.sqrt(sequence.alphas[1:]), np.inf)
        sums = np.zeros((4, len(sequence)))
        for train, held_out in progress(folds, len(folds), "folds", shown=task.verbose):
            fold = self._sequence(task.growth.tree(train, bare=True))
            sums += _sums(fold, prices, task.held_out(held_out), sequence.unit)
        # Where a splitter repeats itself, a row that is held out again is no new row.
        sums[0] = len(np.unique(np.concatenate([held_out for _, held_out in folds])))
        return sums


def _path(sequence: Sequence, sums: Numbers | None, rule: str, chosen: int | None = None) -> PruningPath:
    """Return the path; what was not held out is not known."""
    nothing = np.full(len(sequence), np.nan)
    risk, error = (nothing, nothing) if sums is None else _means(sums, sequence.unit)
    if chosen is None:
        chosen = 0 if sums is None else _choose(risk, error, rule)
    return PruningPath(sequence.alphas, sequence.leaves, sequence.risks, risk, error, chosen)


def _means(sums: Numbers, unit: float) -> tuple[Numbers, Numbers]:
    """Return the average loss of a unit of weight, and its standard error; squares are of losses / unit.

    Rows are counted for the error, not their weight: a common factor in the weights changes nothing.
    """
    n_rows, weight, losses, squares = sums
    with np.errstate(invalid="ignore"):  # infinite losses have no spread
        spread = np.sqrt(np.maximum(squares / weight - (losses / weight / unit) ** 2, 0.0))
        return losses / weight, unit * spread / np.sqrt(n_rows)


def _choose(risk: Numbers, error: Numbers, rule: str) -> int:
    """Return the step to keep: the last, which is the smallest tree, among those that are good enough."""
    slack = _SAME * abs(risk[-1]) if np.isfinite(risk[-1]) else 0.0
    best = int(np.flatnonzero(risk <= risk.min() + slack)[-1])
    if rule == "min" or not np.isfinite(error[best]):
        return best
    return int(np.flatnonzero(risk <= risk[best] + error[best] + slack)[-1])


def _sums(sequence: Sequence, prices: Numbers, tuning: Tuning, unit: float) -> Numbers:
    """Return the number of tuning rows, and Σ w, Σ w · loss, Σ w · (loss / unit)² of them, at each price."""
    weights = tuning.targets.reported_weights
    weight = float(tuning.targets.n_rows if weights is None else weights.sum())
    steps = sequence.steps_at(prices)
    if sequence.tree.missing == "fractions":
        losses, squares = _blended_sums(sequence, steps, len(prices), tuning, unit)
    else:
        at_nodes = errors_at_nodes(sequence.tree, tuning, sequence.measure, unit)
        losses, squares, never = (sequence.along_steps(steps, len(prices), errors) for errors in at_nodes)
        losses = np.where(never > 0, np.inf, losses)
    n_rows = np.full(len(prices), float(tuning.targets.n_rows))
    return np.array([n_rows, np.full(len(prices), weight), losses, squares])


def _blended_sums(
    sequence: Sequence, steps: npt.NDArray[np.int32], n_steps: int, tuning: Tuning, unit: float
) -> tuple[Numbers, Numbers]:
    """Return the sums where rows are divided: a row's prediction is a mean over leaves, and so not a sum.

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


def _leaves_at(
    sequence: Sequence, steps: npt.NDArray[np.int32], chosen: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return for each chosen step and node the highest node on its path that is a leaf by then, or itself."""
    tree = sequence.tree
    leaf = np.tile(np.arange(len(tree)), (len(chosen), 1))
    is_leaf = steps[None, :] <= chosen[:, None]
    for nodes in levels_below_root(tree):  # parents come first
        above = leaf[:, tree.array("parent")[nodes]]
        collapsed = np.take_along_axis(is_leaf, above, axis=1)
        leaf[:, nodes] = np.where(collapsed, above, nodes)
    return leaf


def _row_losses(sequence: Sequence, predicted: Numbers, tuning: Tuning) -> tuple[Numbers, Numbers]:
    """Return the loss and the weight of each tuning row, by blended predictions."""
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
        case _:
            with np.errstate(divide="ignore", invalid="ignore"):
                deviance = np.where(numbers > 0, numbers * np.log(numbers / value), 0.0)
            return np.asarray(deviance - numbers + value)
