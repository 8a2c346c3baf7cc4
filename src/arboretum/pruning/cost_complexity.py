"""Cost-complexity pruning: the price of a leaf is chosen on rows that the tree has not seen.

Words: those of CART: *alpha* (the price of a leaf), *folds*, the *one-standard-error rule*. A *price* between
two alphas stands for both: their geometric mean, at which the trees of the folds are cut.
The sequence of trees is made in sequence.py; what rows held out cost along it is told in held_out.py.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator

from arboretum.errors import DataError, ParameterError, choices
from arboretum.progress import progress
from arboretum.pruning.held_out import mean_losses, sums_at
from arboretum.pruning.path import PruningPath
from arboretum.pruning.pruning import Pruned, Task
from arboretum.pruning.risks import resolve_measure
from arboretum.pruning.sequence import SAME, Sequence
from arboretum.scalars import is_real

__all__ = ["MOST_CROSS_VALIDATED", "CostComplexity", "choose_step"]

Numbers = npt.NDArray[np.float64]

# Up to so many rows prune="cost_complexity" cross-validates; beyond, one fold held out says enough. Where
# rows are divided, every step of the sequence must be predicted by itself, which takes longer.
MOST_CROSS_VALIDATED: Final = 100_000
MOST_DIVIDED: Final = 5_000
_ALPHAS: Final = ("auto", "cv", "holdout")
_RULES: Final = ("1se", "min")
_COMPLEXITIES: Final = ("leaves", "depth")


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
            path = sequence.path(chosen=0) if sums is None else self._judged(sequence, sums)
            alpha = float(path.alpha[path.chosen or 0])
        else:
            alpha = float(self.alpha)
            path = sequence.path(chosen=sequence.step_of(alpha))
        return Pruned(sequence.cut(alpha), grown, path=path, alpha=alpha)

    def _judged(self, sequence: Sequence, sums: Numbers) -> PruningPath:
        """Return the path with what rows held out say, and the choice that follows from it."""
        risk, error = mean_losses(sums, sequence.unit)
        return sequence.path(risk, error, choose_step(risk, error, self.rule))

    def _held_out_sums(self, task: Task, sequence: Sequence) -> Numbers | None:
        """Return what `sums_at` tells of all rows held out; None if there are none."""
        if task.tuning is not None:
            return sums_at(sequence, sequence.alphas, task.tuning, sequence.unit)
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
            sums += sums_at(fold, prices, task.held_out(held_out), sequence.unit)
        # Where a splitter repeats itself, a row that is held out again is no new row.
        sums[0] = len(np.unique(np.concatenate([held_out for _, held_out in folds])))
        return sums


def choose_step(risk: Numbers, error: Numbers, rule: str) -> int:
    """Return the step to keep: the last, which is the smallest tree, among those that are good enough."""
    slack = SAME * abs(risk[-1]) if np.isfinite(risk[-1]) else 0.0
    best = int(np.flatnonzero(risk <= risk.min() + slack)[-1])
    if rule == "min" or not np.isfinite(error[best]):
        return best
    return int(np.flatnonzero(risk <= risk[best] + error[best] + slack)[-1])
