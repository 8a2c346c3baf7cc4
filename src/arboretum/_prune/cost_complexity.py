"""Cost-complexity pruning: choose the price of a leaf on rows that the tree has not seen.

The trees of the folds are cut at the geometric mean of two neighbouring alphas, which stands for both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from collections.abc import Sequence as StdSequence
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, Final, TypeVar, get_args

import numpy as np

from arboretum._options.choices import (
    Automatic,
    ChoiceRule,
    ChosenAlpha,
    ClassMeasure,
    Complexity,
    NumberCriterion,
)
from arboretum._options.criteria import ORDER_CRITERIA
from arboretum._options.rules import NameOr, OneOf, Real, Whole
from arboretum._options.running import progress
from arboretum._options.settings import Settings
from arboretum._prune.folds import Fold, FoldMaker, RareClasses, check_folds
from arboretum._prune.held_out import AnyTrial, Judged, Trial, mean_losses
from arboretum._prune.judges import judged_by, n_units
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned, Pruner, Task
from arboretum._prune.risks import resolve_measure
from arboretum._prune.sequence import SAME, Sequence
from arboretum._tree.surgery import with_shrinkage
from arboretum._tree.tree import Tree
from arboretum._types import Integers, Numbers
from arboretum.errors import DataError

# Up to this many rows prune="cost_complexity" cross-validates; beyond, holding out one fold is enough. Where
# rows are divided, every step of the sequence needs predictions of its own, which takes longer.
MOST_CROSS_VALIDATED: Final = 100_000
MOST_DIVIDED: Final = 5_000
# With repeats="auto", rows are dealt out to folds this often, at least and at most, up to so many rows; once
# beyond.
ROUNDS: Final = ((10_000, (3, 5)), (20_000, (2, 2)))
_SETTLED: Final = 0.12  # a standard error of ln(leaves) that needs no further round
_DRAWS: Final = 200  # of folds, for the average size
# Of numbers, so many standard deviations less than the average size predict as well, once leaves are drawn
# along the path, and are easier to read.
HALF: Final = 0.5


F = TypeVar("F")  # what a trial is made of


class CostComplexity(Pruner):
    """Grow a large tree, then keep the subtree that minimises risk + alpha · leaves.

    The price of a leaf, alpha, is in units of the average loss of a row, so that it means the same for ten
    rows and ten million: with alpha = 0.01, a leaf must get one row in a hundred more right. (That is so with
    misclassification; where alpha is chosen, it is in units of log loss.) R's `cp` is alpha over the risk of
    the root; the alpha of textbooks, where losses are summed, is ours times the weight of all rows. With
    alpha = 0 the result is the smallest tree of least training error, which may be smaller than the tree as
    it was grown.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(leaf="frequency", prune=CostComplexity(alpha=0.01)).fit(X, y)
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
    repeats : int or "auto"
        How often all rows are dealt out to folds anew; the losses of a row are averaged. More rounds make the
        size depend less on chance. "auto": up to 10,000 rows, 3 to 5 rounds, until the sizes that they find
        agree (the standard error of the mean of ln(leaves) is 0.12 or less); 2 up to 20,000 rows, 1 beyond. A
        splitter says itself how often it repeats.
    rule : {"average", "min", "1se", "1se_unpaired"}
        "min": the smallest tree of least cross-validated risk. "average": the size that such trees have on
        average if folds are drawn again and again, which depends less on chance. "1se": the smallest tree
        that is worse than the best by no more than one standard error of the difference, row by row.
        "1se_unpaired": the smallest tree whose risk is within one standard error of the least, as in rpart.
    measure : name of a measure, function or None
        What a prediction costs. "log_loss" judges by -ln of the probability of the true class, as if one more
        row had been seen that is of each class by its share of the table; "brier" by the squared distance of
        the probabilities from the truth. "entropy" is the log loss in bits and "gini" the same as "brier":
        alpha is then that of scikit-learn. "balanced_accuracy", "auc", "average_precision" and a function
        f(truth, prediction) or f(truth, prediction, weights) compare the trees of the sequence that log loss
        (for numbers, the criterion) makes; see docs/pruning.md. None: for numbers the criterion of the tree;
        for classes "log_loss" where alpha is chosen. Where alpha is a number or there is a loss matrix, it is
        "misclassification", which counts the losses.
    complexity : {"leaves", "depth"}
        What alpha is the price of: a leaf, or a level of depth.
    """

    alpha: ChosenAlpha | float = "cv"
    folds: Any = 10
    repeats: int | Automatic = "auto"
    rule: ChoiceRule = "average"
    measure: ClassMeasure | NumberCriterion | Callable[..., Any] | None = None
    complexity: Complexity = "leaves"

    _names: ClassVar = {"cost_complexity": {"alpha": "auto"}}
    _rules: ClassVar = {
        "alpha": NameOr(
            OneOf(get_args(ChosenAlpha), " Or give a number."),
            Real("a number of 0 or more, 'cv' or 'holdout'", finite=True),
        ),
        "repeats": NameOr(OneOf(get_args(Automatic), " Or give a number."), Whole(1)),
        "rule": OneOf(get_args(ChoiceRule)),
        "complexity": OneOf(get_args(Complexity)),
    }

    def _sequence(self, tree: Tree) -> Sequence:
        """Return the weakest-link sequence of a tree with these options."""
        return Sequence(tree, self._measure_of(tree), self.complexity)

    def _measure_of(self, tree: Tree) -> str:
        """Return what a prediction of the tree costs."""
        judges_probabilities = (
            tree.rule is not None and tree.rule.loss is None and isinstance(self.alpha, str)
        )
        chosen = "log_loss" if self.measure is None and judges_probabilities else self.measure
        return resolve_measure(chosen, tree.criterion, of_classes=tree.rule is not None)

    @property
    def _wants_tuning(self) -> bool:
        return isinstance(self.alpha, str)

    def _check_beside(self, settings: Settings) -> None:
        resolve_measure(self.measure, settings.criterion, of_classes=settings.of_classes)
        if isinstance(self.alpha, str) and self.alpha != "holdout":
            check_folds(self.folds)

    def _prune(self, grown: Tree, task: Task) -> Pruned:
        """Return the pruned tree."""
        sequence, growth = self._sequence(grown), task.growth
        judging, strengths = strengths_for(growth.settings, growth.monotone)
        trials = self._trials(task, sequence, judging)
        return self._cut(sequence, self._judged(sequence, trials) if trials else None, trials, strengths)

    def _cut(
        self,
        sequence: Sequence,
        path: PruningPath | None,
        trials: StdSequence[Judged],
        strengths: tuple[float, ...],
    ) -> Pruned:
        """Return the tree of the chosen step of the path, or that of alpha if nothing judged the sequence."""
        strength = strengths[0]
        if path is not None:
            strength = best_strength(trials, path.chosen or 0, strengths)
        else:
            chosen = 0 if isinstance(self.alpha, str) else sequence.step_of(float(self.alpha))
            path = sequence.path(chosen=chosen)
        alpha = float(path.alpha[path.chosen or 0]) if isinstance(self.alpha, str) else float(self.alpha)
        pruned = with_shrinkage(sequence.cut(alpha), strength)
        return Pruned(pruned, with_shrinkage(sequence.tree, strength), path=path, alpha=alpha)

    def _judged(self, sequence: Sequence, trials: list[Trial]) -> PruningPath:
        """Return the path with the losses of held-out rows, and the step that they choose."""
        trials = judged_by(self.measure, sequence.tree, trials)
        return self._path_of(sequence, trials, n_units(trials), less_for(sequence.tree))

    def _path_of(
        self, sequence: Sequence, trials: StdSequence[AnyTrial], n_rows: float, less: float
    ) -> PruningPath:
        """Return the path of trees that were judged by so many independent rows; see `average_step`."""
        each = np.array([trial.sums for trial in trials])
        sums = each.sum(axis=0)
        sums[0] = n_rows
        risk, error = mean_losses(sums, sequence.unit)
        if not np.isfinite(risk).any():
            raise DataError(
                "The loss of held-out rows is infinite for every tree of the sequence, so that none can be "
                "chosen.\nHint: choose another measure, or prune=None."
            )
        if self.rule == "average":
            return sequence.path(risk, error, average_step(each[:, 2], sequence.leaves, less))
        if self.rule != "1se":
            return sequence.path(risk, error, choose_step(risk, error, self.rule))
        best = choose_step(risk, error, "min")
        squares = np.sum([trial.squared_differences(best) for trial in trials], axis=0)
        apart = np.array([sums[0], sums[1], (risk - risk[best]) * sums[1], squares])
        return sequence.path(risk, error, choose_step(risk, mean_losses(apart, sequence.unit)[1], "1se"))

    def _trials(self, task: Task, sequence: Sequence, strength: float) -> list[Trial]:
        """Return what trees are judged by: tuning data, or held-out rows; nothing if alpha is given."""
        if not isinstance(self.alpha, str):
            return []
        if task.tuning is not None:
            judged = self._sequence(with_shrinkage(sequence.tree, strength))
            return [Trial(judged, sequence.alphas, task.tuning, sequence.unit)]
        prices = between(sequence.alphas)

        def trial(fold: Fold) -> Trial:
            judged = self._sequence(task.growth.tree(fold[0], bare=True, strength=strength, in_place=True))
            return Trial(judged, prices, task.held_out(fold[1]), sequence.unit)

        rounds = self._rounds(task.folds, task.growth.n_rows, sequence.tree)
        return self._tried(rounds, sequence, trial, task.growth.share_codes, shown=task.verbose)

    def _tried(
        self,
        given: tuple[int, int, Iterator[list[F]]],
        sequence: Sequence,
        trial: Callable[[F], AnyTrial],
        prepare: Callable[[], None],
        *,
        shown: bool,
    ) -> list[AnyTrial]:
        """Return the trials of as many rounds of folds as are needed; what they need is prepared before."""
        least, most, rounds = given
        first = next(rounds, [])
        if len(sequence) < 2:  # the root alone: there is nothing to choose
            return []
        if not first:
            raise DataError(
                "All rows are of one group, or no fold holds out some rows and keeps others, so that alpha "
                "cannot be chosen.\nHint: give a number as alpha, X_val and y_val, or prune=None."
            )
        prepare()
        trials: list[AnyTrial] = []
        sizes: list[float] = []
        for folds in chain([first], rounds):
            ours = [trial(fold) for fold in progress(folds, len(folds), "folds", shown=shown)]
            trials += ours
            if least == most:
                continue
            # By the loss that makes the sequence, whatever judges the trees: it is at hand for every round.
            losses = np.array([each.sums[2] for each in ours])
            sizes.append(float(drawn_sizes(losses, sequence.leaves).mean()))
            if len(sizes) >= least and have_settled(sizes):
                break
        return trials

    def _rounds(self, folds: FoldMaker, n_rows: int, grown: Tree) -> tuple[int, int, Iterator[list[Fold]]]:
        """Return how many rounds there are at least and at most, and the folds of each.

        Where one fold says enough, the first is the only one.
        """
        least, most = self._rounds_of(n_rows, divides=_divides(grown))
        if not self._cross_validates(n_rows, divides=_divides(grown)):
            return least, most, (some[:1] for some in folds.rounds(self.folds, most))
        return least, most, folds.rounds(self.folds, most)

    def _rounds_of(self, n_rows: int, *, divides: bool) -> tuple[int, int]:
        """Return how many rounds of folds there are, at least and at most."""
        if not self._cross_validates(n_rows, divides=divides):
            return 1, 1
        return rounds_for(self.repeats, n_rows)

    def _cross_validates(self, n_rows: int, *, divides: bool) -> bool:
        """Return whether every row is held out in turn, where rows are held out at all."""
        most = MOST_DIVIDED if divides else MOST_CROSS_VALIDATED
        return self.alpha == "cv" or (self.alpha == "auto" and n_rows <= most)

    def _rare_classes(self, grown: Tree, task: Task) -> RareClasses | None:
        if len(grown) == 1 or task.tuning is not None:
            return None
        if not self._cross_validates(task.growth.n_rows, divides=_divides(grown)):
            return None
        return task.folds.rare_classes(self.folds)


def between(alphas: Numbers) -> Numbers:
    """Return the prices at which the trees of folds are cut, which stand for two neighbouring alphas each."""
    return np.append(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:]), np.inf)


def _divides(grown: Tree) -> bool:
    return grown.missing == "fractions"


def strengths_for(settings: Settings, monotone: StdSequence[int]) -> tuple[float, tuple[float, ...]]:
    """Return the strength of shrinkage by which sizes are compared, and those that are chosen from."""
    shrinkage, of_classes = settings.shrinkage, settings.of_classes
    strength = shrinkage._fixed(of_classes=of_classes)
    if any(monotone):  # only predictions as they were grown keep to their bounds
        return strength, (strength,)
    of_numbers = not of_classes and not settings.of_order
    judging = shrinkage._judging(of_numbers=of_numbers, of_classes=of_classes)
    return judging, shrinkage._strengths(of_classes=of_classes)


def less_for(tree: Tree) -> float:
    """Return how many standard deviations less than the average size are taken."""
    judges_numbers = tree.rule is None and tree.criterion not in ORDER_CRITERIA
    return HALF if judges_numbers else 0.0


def rounds_for(repeats: int | str, n_rows: int) -> tuple[int, int]:
    """Return how often all rows are dealt out to folds anew, at least and at most."""
    if not isinstance(repeats, str):
        return repeats, repeats
    return next((rounds for most, rounds in ROUNDS if n_rows <= most), (1, 1))


def have_settled(sizes: list[float]) -> bool:
    """Return whether rounds agree about the size: these are the logarithms of what each of them found."""
    return len(sizes) < 2 or float(np.std(sizes, ddof=1)) <= _SETTLED * np.sqrt(len(sizes))


def choose_step(risk: Numbers, error: Numbers, rule: str) -> int:
    """Return the step to keep: the smallest tree that is good enough by the rule.

    `error` is the standard error of each risk, or with "1se" that of its difference to the least.
    """
    slack = _slack(risk)
    (best,) = least_steps(risk[None, :])
    if rule == "min" or not np.isfinite(error[best]):
        return int(best)
    margin = error[best] if rule == "1se_unpaired" else np.where(np.arange(len(risk)) > best, error, 0.0)
    return int(np.flatnonzero(risk <= risk[best] + margin + slack)[-1])


def least_steps(risks: Numbers) -> Integers:
    """Return for each row of risks the last step whose risk is the least but for rounding."""
    least = risks <= risks.min(axis=1, keepdims=True) + _slack(risks)
    return np.asarray(risks.shape[1] - 1 - np.argmax(least[:, ::-1], axis=1))


def _slack(risks: Numbers) -> Numbers:
    """Return by how much risks may differ by rounding alone: a share of the root's."""
    root = risks[..., -1:]
    return np.where(np.isfinite(root), SAME * np.abs(root), 0.0)


def average_step(losses: Numbers, leaves: Integers, less: float) -> int:
    """Return the step whose size is best on average if folds are drawn again and again.

    That many standard deviations `less` are taken; `losses` are those of each fold (folds by steps).
    """
    sizes, found = np.log(leaves), drawn_sizes(losses, leaves)
    distance = np.abs(sizes - (found.mean() - less * found.std()))
    return int(np.flatnonzero(distance <= distance.min() * (1 + SAME))[-1])


def drawn_sizes(losses: Numbers, leaves: Integers) -> Numbers:
    """Return the logarithms of the sizes of least loss for folds that are drawn with replacement.

    The size of least loss jumps about with the folds, as losses hardly differ over a wide range of sizes. The
    mean of these logarithms does not.
    """
    drawn = _drawn_folds(len(losses))
    finite = np.nan_to_num(losses, posinf=sys.float_info.max / (2 * len(losses)))
    # Not by a matrix product, whose threads take longer to start than this does, and round as they please.
    steps = least_steps(np.einsum("df,fs->ds", drawn, finite))
    return np.asarray(np.log(leaves)[steps])


@lru_cache(maxsize=16)  # each round asks for the same ones
def _drawn_folds(n_folds: int) -> Numbers:
    """Return how often each fold is drawn in each of the draws: draws by folds."""
    random = np.random.default_rng(0)
    drawn = random.multinomial(n_folds, np.full(n_folds, 1.0 / n_folds), size=_DRAWS).astype(np.float64)
    drawn.setflags(write=False)
    return drawn


def best_strength(trials: StdSequence[Judged], step: int, strengths: tuple[float, ...]) -> float:
    """Return the strength of shrinkage that predicts held-out rows best; the first, if none is better."""
    if len(strengths) == 1:
        return strengths[0]
    losses = np.sum([trial.losses_at(step, strengths) for trial in trials], axis=0)
    best = int(np.argmin(losses))
    return strengths[best if losses[best] < losses[0] * (1 - SAME) else 0]
