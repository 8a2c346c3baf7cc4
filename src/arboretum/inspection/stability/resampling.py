"""Resamples of the rows, as weights, and the trees that are grown from them.

A row that is drawn twice weighs twice as much, rather than being there twice: cross-validation cannot hold
out one copy of it and learn from the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
from sklearn.base import clone

from arboretum._grow.training_table import TrainingTable
from arboretum._options.running import in_order
from arboretum._options.settings import Settings
from arboretum._prune.growing import grow_and_prune
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._warning import unheard
from arboretum.errors import DataError
from arboretum.estimators.base_tree import BaseTree

Method: TypeAlias = Literal["bootstrap", "subsample"]
FRACTIONS: Final[dict[Method, float]] = {"bootstrap": 1.0, "subsample": 0.5}


@dataclass(frozen=True)
class Resampling:
    """How rows are drawn: with replacement or without, how many, and whole groups where there are groups."""

    method: Method
    fraction: float
    seed: int
    groups: Array | None  # the number of each row's group
    weights: Numbers | None  # of the rows; those without weight are never drawn
    n_rows: int

    def weights_of(self, number: int) -> Numbers:
        """Return the weight of each row in one resample: how often it was drawn, times its own weight.

        It depends on the seed and the number of the resample alone, not on what was drawn before.
        """
        random = np.random.default_rng([self.seed, number])
        units = self._units
        n_units = int(units.max()) + 1
        n_drawn = max(1, round(self.fraction * n_units))
        if self.method == "bootstrap":
            times = np.bincount(random.integers(n_units, size=n_drawn), minlength=n_units)
        else:
            times = np.zeros(n_units, dtype=np.int64)
            times[random.permutation(n_units)[:n_drawn]] = 1
        drawn = np.where(units >= 0, times[units], 0).astype(np.float64)
        return drawn if self.weights is None else drawn * self.weights

    @property
    def _units(self) -> Array:
        """The number of the row or group that is drawn as a whole; -1 for rows that do not count."""
        counting = np.ones(self.n_rows, dtype=np.bool_) if self.weights is None else self.weights > 0
        units = np.full(self.n_rows, -1, dtype=np.int64)
        if self.groups is None:
            units[counting] = np.arange(int(counting.sum()))
        else:
            units[counting] = np.unique(self.groups[counting], return_inverse=True)[1]
        return units


def grow_members(
    estimator: BaseTree,
    settings: Settings,
    table: TrainingTable,
    resampling: Resampling,
    count: int,
    n_threads: int,
) -> Iterator[Tree]:
    """Yield the trees of the resamples, one after the other, whatever the number of threads."""
    quiet = replace(settings, verbose=False)
    if n_threads > 1:
        quiet = replace(quiet, n_jobs=1)

    def grow(number: int) -> Tree:
        own = clone(estimator)  # its source of random numbers is its own
        try:
            with unheard():
                rows, growth = table.growth(quiet, resampling.weights_of(number))
                task = own._task(growth, rows, table.targets, resampling.groups, None)
                return grow_and_prune(quiet.prune, task).tree
        except DataError as error:
            raise DataError(
                f"Resample {number + 1} of {count} cannot be learnt from: {error}\n"
                "Hint: a larger fraction, or another random_state, may leave more of what is needed."
            ) from error

    return in_order(grow, range(count), n_threads)
