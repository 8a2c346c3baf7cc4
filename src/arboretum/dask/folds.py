"""Folds of a table in parts: dealt out in one place, from the classes of the rows alone, as in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._prune.folds import FoldMaker
from arboretum._types import Array
from arboretum.dask.part import Part
from arboretum.dask.roots import Fold, Root
from arboretum.dask.runner import Handle, Runner


@dataclass(frozen=True, eq=False)
class Deal:
    """The folds of the rows of each part, rounds × rows, and how many rows each fold of a round has."""

    folds: tuple[Array, ...]
    sizes: tuple[tuple[int, ...], ...]
    drawn: Any  # the state of the random numbers afterwards


@dataclass(frozen=True, eq=False)
class Labels:
    """What folds are made of: the number of rows of a part, and their classes."""

    n_rows: int
    classes: Array | None


def labels_of(part: Part) -> Labels:
    """Return what making folds needs to know of a part."""
    classes = part.targets.classes
    return Labels(part.data.n_rows, None if classes is None else classes.astype(np.uint8))


def deal_rounds(several: Sequence[Labels], random_state: Any, folds: int, most: int) -> Deal:
    """Return so many rounds, each of which deals all rows out to folds."""
    return _deal(several, random_state, lambda maker: maker.dealt(folds, most))


def deal_share(several: Sequence[Labels], random_state: Any, fraction: float) -> Deal:
    """Return one round, whose first fold has this fraction of the rows of each class."""

    def held_out(maker: FoldMaker) -> list[Array]:
        fold = np.ones(maker.n_rows, dtype=np.uint8)
        fold[maker.holdout(fraction)[1]] = 0
        return [fold]

    return _deal(several, random_state, held_out)


def _deal(several: Sequence[Labels], random_state: Any, deal: Callable[[FoldMaker], list[Array]]) -> Deal:
    sizes = [labels.n_rows for labels in several]
    classes: Array | None = None
    if several[0].classes is not None:
        classes = np.concatenate([labels.classes for labels in several if labels.classes is not None])
    random_state = deepcopy(random_state)  # so that a lost answer is worked out again from the same numbers
    maker = FoldMaker(sum(sizes), classes, None, random_state, np.zeros(0), None, None)
    rounds = np.array(deal(maker)).reshape(-1, sum(sizes))
    return Deal(
        tuple(np.split(rounds, np.cumsum(sizes)[:-1], axis=1)),
        tuple(tuple(np.bincount(fold).tolist()) for fold in rounds),
        random_state.get_state() if isinstance(random_state, np.random.RandomState) else None,
    )


def own_folds(deal: Deal, number: int) -> Array:
    """Return the folds of the rows of one part."""
    return deal.folds[number]


def sizes_of(deal: Deal) -> tuple[tuple[tuple[int, ...], ...], Any]:
    """Return how large the folds are, and the state of the random numbers."""
    return deal.sizes, deal.drawn


class DealtRows:
    """The folds of the rows of all parts, which lie where the parts are."""

    def __init__(
        self, runner: Runner, parts: Sequence[Handle], random_state: Any, deal: Callable[..., Deal], *how: Any
    ) -> None:
        dealt = runner.together(deal, runner.each(labels_of, parts), random_state, *how)
        self.folds: Sequence[Handle] = runner.each(own_folds, [dealt] * len(parts), range(len(parts)))
        ((sizes, drawn),) = runner.values(runner.each(sizes_of, [dealt]))
        self.sizes: tuple[tuple[int, ...], ...] = sizes
        if drawn is not None:  # as if the numbers had been drawn from it here
            random_state.set_state(drawn)

    def root(self, fold: Fold, *, bare: bool = False, strength: float | None = None) -> Root:
        """Return the rows that a fold leaves for a tree to grow from."""
        sizes = self.sizes[fold.round]
        return Root(sum(sizes) - sizes[fold.number], fold, bare, strength)
