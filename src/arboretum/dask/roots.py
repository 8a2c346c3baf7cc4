"""Roots: the rows that trees grow from, all of the table or those that a fold does not hold out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arboretum._types import Array, RowNumbers
from arboretum.dask.part import OpenRows, Part


@dataclass(frozen=True)
class Fold:
    """Rows that are held out together: a fold of a round in which all rows were dealt out."""

    round: int
    number: int

    def held_out(self, folds: Array) -> RowNumbers:
        """Return the rows of a part that are held out; `folds` has a line for each round."""
        return np.flatnonzero(folds[self.round] == self.number).astype(np.uint32)

    def kept(self, folds: Array) -> RowNumbers:
        """Return the rows of a part that the tree grows from."""
        return np.flatnonzero(folds[self.round] != self.number).astype(np.uint32)


@dataclass(frozen=True)
class Root:
    """The rows that a tree grows from, and what it grows for."""

    n_rows: int  # of all parts together
    fold: Fold | None = None  # held out; None: nothing is
    bare: bool = False  # only to be judged
    strength: float | None = None  # of shrinkage, if it is not the usual one


def root_rows(part: Part, folds: Array | None, roots: Sequence[Root]) -> OpenRows:
    """Return the rows of each root."""
    rows = [_rows_of(root, part.data.n_rows, folds) for root in roots]
    begins = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return OpenRows(np.concatenate(rows), begins)


def _rows_of(root: Root, n_rows: int, folds: Array | None) -> RowNumbers:
    if root.fold is None:
        return np.arange(n_rows, dtype=np.uint32)
    assert folds is not None
    return root.fold.kept(folds)


Terms = tuple[float, ...]  # add up to a number without rounding


def weight_terms(part: Part, rows: OpenRows) -> tuple[Terms, ...]:
    """Return the weight of the rows of each root."""
    weights = part.targets.weights
    assert weights is not None
    return tuple(exact_terms(weights[rows.of(root)].tolist()) for root in range(len(rows.begins) - 1))


def add_terms(several: Sequence[tuple[Terms, ...]]) -> tuple[Terms, ...]:
    """Return the sums of several answers."""
    return tuple(exact_terms([term for terms in own for term in terms]) for own in zip(*several, strict=True))


def exact_terms(numbers: Sequence[float]) -> Terms:
    """Return a few numbers with the same sum, which is not rounded."""
    left, terms = list(numbers), []
    while (term := math.fsum(left)) != 0.0:
        terms.append(term)
        left.append(-term)
    return tuple(terms)
