"""Cost-complexity pruning of one tree for several outputs.

What a node costs is the mean over the outputs of its loss divided by the loss of the root, weighted as in
growth. All else is as for a single output: each output is judged by a Trial of its own, along a sequence that
all of them share.
"""

from __future__ import annotations

from collections.abc import Sequence as StdSequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arboretum._grow.several import SeveralGrowth
from arboretum._prune.cost_complexity import HALF, CostComplexity, best_strength, between
from arboretum._prune.folds import Fold, FoldMaker
from arboretum._prune.held_out import Trial
from arboretum._prune.pruning import Pruned, Tuning
from arboretum._prune.risks import node_risks
from arboretum._prune.sequence import Sequence
from arboretum._tree.surgery import with_shrinkage
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Integers, Numbers


@dataclass(frozen=True)
class Yardstick:
    """What the losses of each output are multiplied by: its share over its loss at the root."""

    measures: tuple[str, ...]
    factors: tuple[float, ...]  # of mean losses
    weights: tuple[float, ...]  # of all rows, by the weights of each output

    @staticmethod
    def of(measures: StdSequence[str], trees: StdSequence[Tree], shares: StdSequence[float]) -> Yardstick:
        """Return the yardstick of these trees, grown from all rows, whose predictions cost by these."""
        weights = tuple(float(tree.root.weight) for tree in trees)
        each = zip(trees, measures, weights, strict=True)
        roots = [float(node_risks(tree, measure)[0]) / weight for tree, measure, weight in each]
        factors = tuple(share / root if root > 0 else 0.0 for share, root in zip(shares, roots, strict=True))
        return Yardstick(tuple(measures), factors, weights)

    def sequence(self, trees: StdSequence[Tree], complexity: str) -> Sequence:
        """Return the sequence that all outputs share."""
        first = trees[0]
        each = zip(trees, self.measures, self.factors, strict=True)
        terms = [
            node_risks(tree, measure) * (factor / float(tree.root.weight)) for tree, measure, factor in each
        ]
        # In the order of their size, so that the order of the outputs does not show.
        risks: Numbers = np.sort(np.array(terms), axis=0).sum(axis=0)
        return Sequence(first, self.measures[0], complexity, risks * float(first.root.weight))


@dataclass(frozen=True, eq=False)
class SharedTrial:
    """A sequence of trees of several outputs, and the rows that they are judged by."""

    trials: tuple[Trial, ...]  # one for each output
    factors: tuple[float, ...]  # of losses, each times the weight that its output gives the row
    weights: Numbers  # of the rows

    @cached_property
    def sums(self) -> Numbers:
        """The number of rows, and Σ w, Σ w · loss, Σ w · loss² of them, at each price."""
        each = [factor * trial.sums[2] for trial, factor in self._counting]
        losses = np.sort(np.array(each), axis=0).sum(axis=0)
        n_steps = len(losses)
        return np.array(
            [
                np.full(n_steps, float(len(self.weights))),
                np.full(n_steps, self.weights.sum()),
                losses,
                self._squares(0, np.zeros(len(self.weights))),
            ]
        )

    def squared_differences(self, best: int) -> Numbers:
        """Return Σ w · (loss - loss at `best`)² at each step after `best`; zero before."""
        least = self._losses(self._first._resting_at(best), np.arange(len(self.weights)))
        return self._squares(best, least)

    def losses_at(self, step: int, strengths: tuple[float, ...]) -> Numbers:
        """Return Σ w · loss of the tree at a step, for each strength of drawing along the path."""
        each = [factor * trial.losses_at(step, strengths) for trial, factor in self._counting]
        return np.asarray(np.sum(each, axis=0))

    @property
    def _counting(self) -> list[tuple[Trial, float]]:
        """The outputs that were not constant, and their factors."""
        return [each for each in zip(self.trials, self.factors, strict=True) if each[1] > 0]

    @property
    def _first(self) -> Trial:
        return self.trials[0]

    def _squares(self, begin: int, less: Numbers) -> Numbers:
        """Return Σ w · (loss - less)² at each step from `begin` on; rows climb as the tree gets smaller."""
        first, parent = self._first, self._first.sequence.tree.array("parent")
        rows, nodes = np.arange(len(self.weights)), first._resting_at(begin)
        before = self.weights * (self._losses(nodes, rows) - less) ** 2
        found = np.zeros(len(first.prices) + 1)
        found[begin] = before.sum()
        while len(rows):  # all climb one node at a time; what that changes counts from its step on
            above = parent[nodes]
            kept = above >= 0
            rows, nodes, before = rows[kept], above[kept], before[kept]
            after = self.weights[rows] * (self._losses(nodes, rows) - less[rows]) ** 2
            found += np.bincount(first._nested_steps[nodes], after - before, len(found))
            before = after
        sums = np.cumsum(found)[:-1]
        return np.where(np.arange(len(sums)) < begin, 0.0, np.maximum(sums, 0.0))

    def _losses(self, nodes: Codes, rows: Integers) -> Array:
        """Return what rows cost that rest at these nodes, per unit of their weight."""
        each = [
            factor * trial.weights[rows] * trial._losses(nodes, rows, trial._predicted)
            for trial, factor in self._counting
        ]
        return np.asarray(np.sum(each, axis=0) / self.weights[rows])


def prune_several(
    pruner: CostComplexity | None, growth: SeveralGrowth, folds: FoldMaker, *, shown: bool
) -> list[Pruned]:
    """Grow the trees of all outputs, and cut all of them back at the same nodes."""
    grown = growth.trees()
    if pruner is None:
        return [Pruned(tree, tree) for tree in grown]
    yardstick = Yardstick.of([pruner._measure_of(tree) for tree in grown], grown, growth.shares)
    sequence = yardstick.sequence(grown, pruner.complexity)
    chosen = [growth.settings.shrinkage] * len(grown)
    of_classes = [tree.rule is not None for tree in grown]
    judging = [
        shrink._judging(of_classes=kind, of_numbers=not kind)
        for shrink, kind in zip(chosen, of_classes, strict=True)
    ]
    trials: list[SharedTrial] = []
    if isinstance(pruner.alpha, str):
        prices = between(sequence.alphas)

        def trial(fold: Fold) -> SharedTrial:
            trees = growth.trees(fold[0], bare=True, strengths=judging)
            return shared_trial(growth, yardstick, trees, prices, fold, pruner.complexity)

        rounds = pruner._rounds(folds, growth.n_rows, grown[0])
        trials = pruner._tried(rounds, sequence, trial, lambda: None, shown=shown)
    if trials:
        less = sum(share for share, kind in zip(growth.shares, of_classes, strict=True) if not kind) * HALF
        rows = np.unique(np.concatenate([each.trials[0].rows for each in trials]))
        path = pruner._path_of(sequence, trials, len(rows), less)
    else:
        step = 0 if isinstance(pruner.alpha, str) else sequence.step_of(float(pruner.alpha))
        path = sequence.path(chosen=step)
    step = path.chosen or 0
    alpha = float(path.alpha[step]) if isinstance(pruner.alpha, str) else float(pruner.alpha)
    pruned = []
    for place, tree in enumerate(grown):
        strengths = chosen[place]._strengths(of_classes=of_classes[place])
        strength = growth.strengths[place]
        if trials:
            strength = best_strength([each.trials[place] for each in trials], step, strengths)
        own = sequence.beside(tree, yardstick.measures[place])
        cut = with_shrinkage(own.cut(alpha), strength)
        pruned.append(Pruned(cut, with_shrinkage(tree, strength), path=path, alpha=alpha))
    return pruned


def shared_trial(
    growth: SeveralGrowth,
    yardstick: Yardstick,
    trees: StdSequence[Tree],
    prices: Numbers,
    fold: Fold,
    complexity: str,
) -> SharedTrial:
    """Return the trial of trees that were grown from the first part of a fold, judged by the second."""
    data, targets = growth.held_out(fold[1])
    sequence = yardstick.sequence(trees, complexity)
    trials = []
    for tree, measure, own in zip(trees, yardstick.measures, targets, strict=True):
        tuning = Tuning(data, own, growth.outputs[0].table, fold[1])
        trials.append(Trial(sequence.beside(tree, measure), prices, tuning))
    rows = growth.rows.take(fold[1])
    weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
    whole = growth.rows.total_weight
    factors = [
        factor * whole / weight for factor, weight in zip(yardstick.factors, yardstick.weights, strict=True)
    ]
    return SharedTrial(tuple(trials), tuple(factors), weights)
