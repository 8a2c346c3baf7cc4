"""Judging: what held-out rows in parts cost along the sequence of each tree. Sums of parts add up exactly."""

from __future__ import annotations

from collections.abc import Sequence as StdSequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from typing import Any, Protocol

import numpy as np

from arboretum import _core
from arboretum._data import Dataset
from arboretum._grow.targets import Targets
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.held_out import (
    Trial,
    differences_along,
    losses_along,
    losses_of_sums,
    with_totals,
)
from arboretum._prune.pruning import Tuning, sums_at_nodes, values_at_nodes
from arboretum._prune.sequence import Sequence
from arboretum._tree.tree import Tree, core_dataset
from arboretum._types import Array, Numbers
from arboretum.dask.roots import Fold
from arboretum.dask.runner import Handle, Runner


class Rows(Protocol):
    """Rows of a part with their targets."""

    @property
    def data(self) -> Dataset:
        """The columns."""

    @property
    def targets(self) -> Targets:
        """The targets."""


def tuning_rows(part: Rows, folds: Array | None, fold: Fold | None) -> Tuning:
    """Return the rows of a part that a fold holds out; without folds, all of them."""
    if fold is None or folds is None:
        return Tuning(core_dataset(part.data), part.targets, part.data)
    rows = fold.held_out(folds)
    data = part.data.take(rows)
    return Tuning(core_dataset(data), part.targets.take(rows), data)


@dataclass(frozen=True, eq=False)
class JudgedTree:
    """A tree, the prices at which it is cut, and the fold that judges it; without a fold, all rows do."""

    tree: Tree
    pruner: CostComplexity
    prices: Numbers
    unit: float
    fold: Fold | None

    @cached_property
    def sequence(self) -> Sequence:
        """The sequence of the tree."""
        return self.pruner._sequence(self.tree)

    def trial(self, part: Rows, folds: Array | None) -> Trial:
        """Return what the rows of one part have to say."""
        return Trial(self.sequence, self.prices, tuning_rows(part, folds, self.fold), self.unit)

    def __reduce__(self) -> tuple[Any, ...]:
        return JudgedTree, (self.tree, self.pruner, self.prices, self.unit, self.fold)


Judged = StdSequence[JudgedTree]


def sum_errors(part: Rows, folds: Array | None, judged: Judged) -> list[Array]:
    """Return for each tree the weight of the rows, and what they cost at its nodes."""
    trials = [each.trial(part, folds) for each in judged]
    return [np.concatenate([trial.weight_sum(), trial.error_sums()]) for trial in trials]


def sum_changes(part: Rows, folds: Array | None, judged: Judged, best: int) -> list[Array]:
    """Return for each tree by how much squared differences from a step change."""
    return [each.trial(part, folds).change_sums(best) for each in judged]


def sum_losses(
    part: Rows, folds: Array | None, judged: Judged, step: int, strengths: tuple[float, ...]
) -> list[Array]:
    """Return for each tree what it costs at a step, with each of the strengths of shrinkage."""
    return [each.trial(part, folds).loss_sums(step, strengths) for each in judged]


def add_sums(several: StdSequence[list[Array]]) -> list[Array]:
    """Return the sums of several parts."""
    return [reduce(_core.add_twofold, own) for own in zip(*several, strict=True)]


def sum_at_nodes(part: Rows, folds: Array | None, tree: Tree, measure: str, fold: Fold | None) -> Array:
    """Return what the rows of a fold cost at the nodes of a tree."""
    return sums_at_nodes(tree, tuning_rows(part, folds, fold), measure)


def add_nodes(several: StdSequence[Array]) -> Array:
    """Return the sums of several parts."""
    return reduce(_core.add_twofold, several)


class Jury:
    """The held-out rows of all parts, and the trees that they judge: asked about all trees at once."""

    def __init__(
        self, runner: Runner, parts: StdSequence[Handle], folds: StdSequence[Handle] | None, judged: Judged
    ) -> None:
        self._runner, self._parts, self._judged = runner, parts, judged
        self._folds = [None] * len(parts) if folds is None else folds
        self._ask = lru_cache(maxsize=4)(self._asked)  # each tree asks for the same

    def _asked(self, step: Any, *common: Any) -> list[Array]:
        found = self._runner.each(step, self._parts, self._folds, common=(self._judged, *common))
        sums: list[Array] = self._runner.merged(add_sums, found)
        return sums

    def errors(self, number: int) -> tuple[Array, Array]:
        """Return the weight of the rows of one of the trees, and what they cost at its nodes."""
        found = self._ask(sum_errors)[number]
        size = len(_core.bin_sums(np.zeros(0, dtype=np.int32), np.zeros(0), 1))
        return found[:size], found[size:]

    def changes(self, number: int, best: int) -> Array:
        """Return by how much squared differences from a step change."""
        return self._ask(sum_changes, best)[number]

    def losses(self, number: int, step: int, strengths: tuple[float, ...]) -> Array:
        """Return what one of the trees costs at a step, with each of the strengths."""
        return self._ask(sum_losses, step, strengths)[number]


@dataclass(frozen=True, eq=False)
class PartedTrial:
    """What a jury says of one of its trees; the same as a trial whose rows lie in one place."""

    judged: JudgedTree
    jury: Jury
    number: int
    n_rows: int

    @cached_property
    def sums(self) -> Numbers:
        """The number of rows, and Σ w, Σ w · loss, Σ w · (loss / unit)² of them, at each price."""
        weight, errors = self.jury.errors(self.number)
        at_nodes = values_at_nodes(errors, len(self.judged.tree))
        found = losses_along(self.judged.sequence, self.judged.prices, at_nodes)
        return with_totals(self.n_rows, weight, found)

    def squared_differences(self, best: int) -> Numbers:
        """Return Σ w · ((loss - loss at `best`) / unit)² at each step after `best`; zero before."""
        return differences_along(self.jury.changes(self.number, best))

    def losses_at(self, step: int, strengths: tuple[float, ...]) -> Numbers:
        """Return Σ w · loss of the tree at a step, for each strength of drawing along the path."""
        return losses_of_sums(self.jury.losses(self.number, step, strengths))


def trials_of(
    runner: Runner,
    parts: StdSequence[Handle],
    folds: StdSequence[Handle] | None,
    judged: Judged,
    sizes: StdSequence[int],
) -> list[PartedTrial]:
    """Return a trial for each tree, which so many rows judge."""
    jury = Jury(runner, parts, folds, judged)
    return [
        PartedTrial(tree, jury, number, n_rows)
        for number, (tree, n_rows) in enumerate(zip(judged, sizes, strict=True))
    ]
