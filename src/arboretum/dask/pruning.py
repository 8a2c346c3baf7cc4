"""Pruning over parts: the tree of all rows and those of the folds grow side by side, a round at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from arboretum._prune.cost_complexity import CostComplexity, between, less_for, strengths_for
from arboretum._prune.pruning import Pruned, values_at_nodes
from arboretum._prune.reduced_error import ReducedError
from arboretum._prune.sequence import Sequence
from arboretum._tree.surgery import with_shrinkage
from arboretum._tree.tree import Tree
from arboretum.dask.folds import DealtRows, deal_rounds, deal_share
from arboretum.dask.judging import JudgedTree, PartedTrial, add_nodes, sum_at_nodes, trials_of
from arboretum.dask.roots import Fold, Root
from arboretum.dask.tree import PartedGrowth
from arboretum.dask.tuning import PartedTuning

_SHARE: Final = Fold(0, 0)  # the rows that are set apart


def grow_and_prune(growth: PartedGrowth, tuning: PartedTuning | None = None) -> Pruned:
    """Grow the tree that the pruner asks for, and prune it; without a pruner, return it as grown.

    Where tuning data are given, they decide; else rows are held out if the pruner needs some.
    """
    pruner = growth.settings.prune
    if isinstance(pruner, ReducedError):
        return _reduced(growth, pruner, tuning)
    if isinstance(pruner, CostComplexity) and isinstance(pruner.alpha, str) and tuning is None:
        return _Chosen(growth, pruner).pruned()
    (grown,) = growth.trees([growth.root])
    if pruner is None:
        return Pruned(grown, grown)
    assert isinstance(pruner, CostComplexity)
    judging, strengths = strengths_for(growth.settings, growth.monotone)
    sequence = pruner._sequence(grown)
    if tuning is None:
        return pruner._cut(sequence, None, (), strengths)
    judged = JudgedTree(with_shrinkage(grown, judging), pruner, sequence.alphas, sequence.unit, None)
    trials = trials_of(growth.runner, tuning.parts, None, [judged], [tuning.n_rows])
    path = pruner._path_of(sequence, trials, tuning.n_rows, less_for(grown))
    return pruner._cut(sequence, path, trials, strengths)


class _Chosen:
    """Cost-complexity pruning with the alpha that held-out rows choose."""

    def __init__(self, growth: PartedGrowth, pruner: CostComplexity) -> None:
        self._growth, self._pruner = growth, pruner
        self._judging, self._strengths = strengths_for(growth.settings, growth.monotone)
        n_rows = growth.root.n_rows
        self._all_folds = pruner._cross_validates(n_rows, divides=False)
        self._least, self._most = pruner._rounds_of(n_rows, divides=False)
        how = (int(pruner.folds), self._most)
        self._dealt = DealtRows(growth.runner, growth.parts, growth.settings.random_state, deal_rounds, *how)

    def pruned(self) -> Pruned:
        """Return the pruned tree."""
        roots = self._roots(0) if self._dealt.sizes else []
        grown, *trees = self._growth.trees([self._growth.root, *roots], self._dealt.folds)
        sequence, pruner = self._pruner._sequence(grown), self._pruner
        rounds = (self._least, self._most, self._rounds(sequence, trees))
        trials = pruner._tried(rounds, sequence, _as_is, _nothing, shown=self._growth.settings.verbose)
        path = None
        if trials:
            # A row that is held out again is no new row.
            n_units = self._growth.root.n_rows if self._all_folds else trials[0].n_rows
            path = pruner._path_of(sequence, trials, n_units, less_for(grown))
        return pruner._cut(sequence, path, trials, self._strengths)

    def _roots(self, number: int) -> list[Root]:
        """Return what the folds of a round leave; where one fold says enough, it is the first."""
        folds = range(len(self._dealt.sizes[number]) if self._all_folds else 1)
        return [self._dealt.root(Fold(number, fold), bare=True, strength=self._judging) for fold in folds]

    def _rounds(self, sequence: Sequence, first: list[Tree]) -> Iterator[list[PartedTrial]]:
        """Yield the trials of each round; the trees of the first are there already."""
        growth, dealt, prices = self._growth, self._dealt, between(sequence.alphas)
        for number, sizes in enumerate(dealt.sizes):
            trees = growth.trees(self._roots(number), dealt.folds) if number else first
            judged = [
                JudgedTree(tree, self._pruner, prices, sequence.unit, Fold(number, fold))
                for fold, tree in enumerate(trees)
            ]
            yield trials_of(growth.runner, growth.parts, dealt.folds, judged, sizes[: len(trees)])


def _as_is(trial: PartedTrial) -> PartedTrial:
    return trial


def _nothing() -> None:
    """Prepare nothing: parts are coded already."""


def _reduced(growth: PartedGrowth, pruner: ReducedError, tuning: PartedTuning | None) -> Pruned:
    runner, measure = growth.runner, pruner._measure_of(growth.settings)
    if tuning is None:
        random_state, fraction = growth.settings.random_state, float(pruner.fraction)
        dealt = DealtRows(runner, growth.parts, random_state, deal_share, fraction)
        (grown,) = growth.trees([dealt.root(_SHARE)], dealt.folds)
        judges = growth.parts, list(dealt.folds)
    else:
        (grown,) = growth.trees([growth.root])
        judges = list(tuning.parts), [None] * len(tuning.parts)
    sums = runner.merged(add_nodes, runner.each(sum_at_nodes, *judges, common=(grown, measure, _SHARE)))
    return pruner._reduced(grown, values_at_nodes(sums, len(grown)))
