"""Cost-complexity pruning: choose the price of a leaf on rows that the tree has not seen.

The trees of the folds are cut at the geometric mean of two neighbouring alphas, which stands for both.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, get_args

import numpy as np

from arboretum._options.choices import ChoiceRule, ChosenAlpha, ClassMeasure, Complexity, NumberCriterion
from arboretum._options.rules import NameOr, OneOf, Real
from arboretum._options.running import progress
from arboretum._options.settings import Settings
from arboretum._prune.folds import check_folds
from arboretum._prune.held_out import mean_losses, sums_at
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned, Pruner, Task
from arboretum._prune.risks import resolve_measure
from arboretum._prune.sequence import SAME, Sequence
from arboretum._tree.tree import Tree
from arboretum._types import Numbers
from arboretum.errors import DataError

# Up to this many rows prune="cost_complexity" cross-validates; beyond, holding out one fold is enough. Where
# rows are divided, every step of the sequence needs predictions of its own, which takes longer.
MOST_CROSS_VALIDATED: Final = 100_000
MOST_DIVIDED: Final = 5_000


class CostComplexity(Pruner):
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

    alpha: ChosenAlpha | float = "cv"
    folds: Any = 10
    rule: ChoiceRule = "1se"
    measure: ClassMeasure | NumberCriterion | None = None
    complexity: Complexity = "leaves"

    _names: ClassVar = {"cost_complexity": {"alpha": "auto"}}
    _rules: ClassVar = {
        "alpha": NameOr(
            OneOf(get_args(ChosenAlpha), " Or give a number."),
            Real("a number of 0 or more, 'cv' or 'holdout'", finite=True),
        ),
        "rule": OneOf(get_args(ChoiceRule)),
        "complexity": OneOf(get_args(Complexity)),
    }

    def _sequence(self, tree: Any) -> Sequence:
        """Return the weakest-link sequence of a tree with these options."""
        measure = resolve_measure(self.measure, tree.criterion, of_classes=tree.rule is not None)
        return Sequence(tree, measure, self.complexity)

    @property
    def _wants_tuning(self) -> bool:
        return isinstance(self.alpha, str)

    def _check_beside(self, settings: Settings) -> None:
        resolve_measure(self.measure, settings.criterion, of_classes=settings.of_classes)
        if isinstance(self.alpha, str) and self.alpha != "holdout":
            check_folds(self.folds)

    def _prune(self, grown: Tree, task: Task) -> Pruned:
        """Return the pruned tree."""
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
        """Return the path with the losses of held-out rows, and the step that they choose."""
        risk, error = mean_losses(sums, sequence.unit)
        return sequence.path(risk, error, choose_step(risk, error, self.rule))

    def _held_out_sums(self, task: Task, sequence: Sequence) -> Numbers | None:
        """Return the sums of `sums_at` over all held-out rows; None if no rows were held out."""
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
        # A splitter may hold out a row several times; it counts once.
        sums[0] = len(np.unique(np.concatenate([held_out for _, held_out in folds])))
        return sums


def choose_step(risk: Numbers, error: Numbers, rule: str) -> int:
    """Return the step to keep: the smallest tree that is good enough by the rule ("min" or "1se")."""
    slack = SAME * abs(risk[-1]) if np.isfinite(risk[-1]) else 0.0
    best = int(np.flatnonzero(risk <= risk.min() + slack)[-1])
    if rule == "min" or not np.isfinite(error[best]):
        return best
    return int(np.flatnonzero(risk <= risk[best] + error[best] + slack)[-1])
