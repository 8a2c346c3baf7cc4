"""Folds: which rows are held out, and when.

A fold is a pair of row numbers: those to grow from and those held out. Groups stay together. `random_state`
shuffles the rows; None always shuffles them in the same way.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from arboretum._data.rows import read_labels
from arboretum._data.scalars import can_be_hashed, is_integer
from arboretum._options.rules import refuse
from arboretum._options.running import random_source
from arboretum._types import Array, Codes, Indices, Integers, Mask, RowNumbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError

Fold = tuple[RowNumbers, RowNumbers]

# Small classes lower the number of folds, but not below this.
_FEWEST: Final = 5
# In smaller tables every class is small, and nobody is surprised.
_FEWEST_JUDGED: Final = 50


def read_groups(groups: Any, n_rows: int) -> Array | None:
    """Return the number of each row's group; None if no groups are given."""
    if groups is None:
        return None
    number_of: dict[Any, int] = {}
    cells = read_labels(groups, "groups", n_rows).tolist()
    try:
        return np.array([number_of.setdefault(group, len(number_of)) for group in cells], dtype=np.int64)
    except TypeError as error:
        row = next(row for row, cell in enumerate(cells) if not can_be_hashed(cell))
        raise DataTypeError(
            f"groups of row {row} is {shown(cells[row])}, of type {type(cells[row]).__name__}, which cannot "
            "name a group.\nHint: give text, whole numbers, or anything else that can be hashed."
        ) from error


def check_folds(folds: Any) -> None:
    """Refuse anything but a number of folds or a splitter of scikit-learn."""
    if not _is_splitter(folds) and (not is_integer(folds) or folds < 2):
        words = "an integer of 2 or more, or a splitter of scikit-learn"
        raise refuse(folds, "folds", "prune=CostComplexity", words)


def _is_splitter(folds: Any) -> bool:
    return hasattr(folds, "split") and not isinstance(folds, str | type)


def deal_rows(
    n_folds: int, n_rows: int, classes: Array | None, groups: Array | None, random_state: Any
) -> Integers:
    """Return the fold that holds out each row; classes are spread evenly, and groups stay whole."""
    random, fold = random_source(random_state), np.zeros(n_rows, dtype=np.min_scalar_type(n_folds))
    if groups is None:
        fold[_by_class(n_rows, classes, random)] = np.resize(np.arange(n_folds, dtype=fold.dtype), n_rows)
        return fold
    # Ties between groups are broken by their numbers: new ones make that a matter of chance.
    numbers = random.permutation(int(groups.max()) + 1)[groups]
    splitter: Any = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random)
    if classes is None or np.bincount(classes).max() < n_folds:  # too few rows of every class to spread them
        splitter = GroupKFold(n_folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that some class has fewer rows than folds
        for k, (_, held_out) in enumerate(splitter.split(np.zeros((n_rows, 1)), classes, numbers)):
            fold[held_out] = k
    return fold


def _by_class(n_rows: int, classes: Array | None, random: np.random.RandomState) -> RowNumbers:
    """Return the rows in random order, class by class, so that dealing them out spreads each class evenly."""
    order = np.arange(n_rows, dtype=np.uint32)  # there may be very many rows
    random.shuffle(order)
    return order if classes is None else order[np.argsort(classes[order], kind="stable")]


@dataclass(frozen=True)
class RareClasses:
    """Classes with fewer rows than there are folds: their numbers, each with its rows."""

    n_folds: int
    n_rows: dict[int, int]


@dataclass(frozen=True)
class FoldMaker:
    """The training rows, as far as making folds needs them."""

    n_rows: int
    classes: Codes | None  # of the rows; None for numbers
    groups: Array | None
    random_state: Any
    given: Array  # the targets of the table as it was given, for splitters
    origin: Indices | None  # the places of the rows in that table; None: all of it
    all_groups: Array | None
    undivided: bool = False  # whether a splitter, too, must keep groups together

    def rounds(self, folds: Any, most: int) -> Iterator[list[Fold]]:
        """Yield the folds that an integer makes, round after round; there are fewer where rows are few.

        All rows are dealt out in every round. The folds of a splitter are one round.
        """
        if _is_splitter(folds):
            yield list(self._given_folds(folds))
            return
        for fold in self.dealt(folds, most):
            yield [_fold(fold == k) for k in range(int(fold.max()) + 1)]

    def dealt(self, folds: Any, most: int) -> list[Integers]:
        """Return the fold that holds out each row, for each round; no round where rows are too few."""
        check_folds(folds)
        n_folds = self._possible(int(folds))
        if n_folds < 2:
            return []
        random = random_source(self.random_state)
        # All at once: how many rounds are asked for then does not change what is drawn after them.
        return [deal_rows(n_folds, self.n_rows, self.classes, self.groups, random) for _ in range(most)]

    def rare_classes(self, folds: Any) -> RareClasses | None:
        """Return the classes that cannot be in all of the folds; None if there are none, or rows are few.

        What the folds of a splitter lack, the splitter says.
        """
        if self.classes is None or self.n_rows < _FEWEST_JUDGED or _is_splitter(folds):
            return None
        n_folds, counts = self._possible(int(folds)), np.bincount(self.classes)
        rare = np.flatnonzero((counts > 0) & (counts < n_folds))
        return RareClasses(n_folds, {int(k): int(counts[k]) for k in rare}) if len(rare) else None

    def part(self, rows: RowNumbers) -> FoldMaker:
        """Return the same for these rows alone."""
        return replace(
            self,
            n_rows=len(rows),
            classes=None if self.classes is None else self.classes[rows],
            groups=None if self.groups is None else self.groups[rows],
            origin=np.asarray(rows if self.origin is None else self.origin[rows], dtype=np.intp),
        )

    def holdout(self, fraction: float) -> Fold:
        """Return one fold that holds out this fraction of the rows of each class."""
        mask = np.zeros(self.n_rows, dtype=np.bool_)
        if self.groups is not None:
            return _fold(np.isin(self.groups, self._some_groups(fraction)))
        turn = np.floor(np.arange(1, self.n_rows + 1) * fraction + 1e-9)
        turn[-1] = max(turn[-1], 1.0)  # one row at least
        order = _by_class(self.n_rows, self.classes, random_source(self.random_state))
        mask[order] = np.diff(turn, prepend=0.0) > 0
        return _fold(mask)

    def _some_groups(self, fraction: float) -> Array:
        """Return random groups that together come closest to this fraction of the rows."""
        assert self.groups is not None
        sizes = np.bincount(self.groups)
        order = random_source(self.random_state).permutation(np.flatnonzero(sizes))
        distance = np.abs(np.cumsum(sizes[order]) - fraction * self.n_rows)[: max(1, len(order) - 1)]
        return np.asarray(order[: int(np.argmin(distance)) + 1])

    def _possible(self, folds: int) -> int:
        """Return how many folds are possible."""
        folds = min(folds, self.n_rows if self.groups is None else len(np.unique(self.groups)))
        if self.classes is None:
            return folds
        counts = np.bincount(self.classes)
        return min(folds, max(int(counts[counts > 0].min()), _FEWEST))

    def _given_folds(self, splitter: Any) -> Iterator[Fold]:
        """Yield the folds of a splitter, which sees the given table, as training rows."""
        n_given = len(self.given)
        known = getattr(splitter, "test_fold", None)  # of a PredefinedSplit, which does not look at the table
        if known is not None and len(known) != n_given:
            raise DataError(f"The folds are given for {many(len(known), 'row')}, but X has {n_given}.")
        place = np.full(n_given, -1, dtype=np.int64)
        place[slice(None) if self.origin is None else self.origin] = np.arange(self.n_rows)
        try:
            parts = list(splitter.split(np.zeros((n_given, 1)), self.given, self.all_groups))
        except (TypeError, ValueError) as error:
            raise DataError(
                f"The splitter {type(splitter).__name__} cannot make folds of these rows: {error}"
            ) from error
        for part in parts:
            train, held_out = (_places(place, rows) for rows in part)
            if np.intersect1d(train, held_out).size:
                raise DataError(
                    f"The splitter {type(splitter).__name__} holds out rows that it grows from, so that they "
                    "cannot tell how good the tree is.\nHint: give one whose two parts have no row in common."
                )
            if self.undivided and np.isin(self._groups_of(train), self._groups_of(held_out)).any():
                raise DataError(
                    f"The splitter {type(splitter).__name__} holds out some rows of a query and grows from "
                    "others, so that the order of its rows is known in part.\n"
                    "Hint: give GroupKFold(…) or a number of folds, which keep queries together."
                )
            if len(train) and len(held_out):
                yield train, held_out

    def _groups_of(self, rows: RowNumbers) -> Array:
        return np.array([]) if self.groups is None else self.groups[rows]


def _places(place: Integers, rows: Any) -> RowNumbers:
    """Translate rows of the given table into training rows; rows that were left out disappear."""
    given = np.asarray(rows)
    if given.dtype == np.bool_:
        given = np.flatnonzero(given)
    if given.size and (given.min() < 0 or given.max() >= len(place)):
        raise DataError(f"A splitter names row {given.max()}, but X has rows 0 to {len(place) - 1}.")
    ours = place[given.astype(np.intp)]
    return ours[ours >= 0].astype(np.uint32)


def _fold(held_out: Mask) -> Fold:
    if held_out.all() or not held_out.any():
        raise DataError(
            f"With n_samples={len(held_out)}, {int(held_out.sum())} would be held out for pruning, which "
            "leaves none to grow from or none to judge by.\n"
            "Hint: give more rows or groups, X_val and y_val, or prune=None."
        )
    return np.flatnonzero(~held_out).astype(np.uint32), np.flatnonzero(held_out).astype(np.uint32)
