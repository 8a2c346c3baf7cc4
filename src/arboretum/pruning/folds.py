"""Folds: which rows are held out, and when.

Words: a *fold* is a pair of row numbers: those to grow from, and those held out. *Groups* stay together.
Rows are shuffled by `random_state`; None means always in the same way, never by chance.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.utils import check_random_state

from arboretum.errors import DataError, ParameterError
from arboretum.plurals import many
from arboretum.scalars import is_integer

__all__ = ["FoldMaker", "read_groups", "resolve_random"]

Array = npt.NDArray[Any]
Fold = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]

# Small classes lower the number of folds, but not below this.
_FEWEST: Final = 5


def resolve_random(random_state: Any) -> np.random.RandomState:
    """Return the source of random numbers that the option names; None is a fixed one."""
    try:
        state: np.random.RandomState = check_random_state(0 if random_state is None else random_state)
    except ValueError as error:
        raise ParameterError(
            f"random_state={random_state!r} is not allowed; give an integer of 0 or more, a RandomState, or "
            "None, which always gives the same folds."
        ) from error
    return state


def read_groups(groups: Any, n_rows: int) -> Array | None:
    """Return the number of each row's group; None if there are none."""
    if groups is None:
        return None
    try:
        given = np.asarray(groups)
    except ValueError as error:
        raise DataError("groups is a list of lists of different lengths; give one group per row.") from error
    if given.ndim != 1 or len(given) != n_rows:
        raise DataError(
            f"groups has the shape {given.shape}, but X has {many(n_rows, 'row')}; give one per row."
        )
    if any(group is None or group != group for group in given.tolist()):
        raise DataError("groups misses a value.\nHint: give such rows a group of their own.")
    number_of: dict[Any, int] = {}
    return np.array([number_of.setdefault(group, len(number_of)) for group in given.tolist()], dtype=np.int64)


def check_folds(folds: Any) -> None:
    """Refuse what is neither a number of folds nor a splitter of scikit-learn."""
    if not _is_splitter(folds) and (not is_integer(folds) or folds < 2):
        raise ParameterError(
            f"prune=CostComplexity(folds={folds!r}) is not allowed; give an integer of 2 or more, or a "
            "splitter of scikit-learn."
        )


def _is_splitter(folds: Any) -> bool:
    return hasattr(folds, "split") and not isinstance(folds, str | type)


@dataclass(frozen=True)
class FoldMaker:
    """What is known about the training rows when folds are made."""

    n_rows: int
    classes: npt.NDArray[np.int32] | None  # of the rows; None for numbers
    groups: Array | None
    random_state: Any
    given: Array  # the targets of the table as it was given, for splitters
    origin: npt.NDArray[np.intp] | None  # the places of the rows in that table; None: all of it
    all_groups: Array | None

    def folds(self, folds: Any) -> list[Fold]:
        """Return the folds that an integer or a splitter of scikit-learn makes; fewer where rows are few."""
        if _is_splitter(folds):
            return list(self._given_folds(folds))
        check_folds(folds)
        dealt = self._dealt(self._possible(int(folds)))
        return [_fold(dealt == k) for k in range(int(dealt.max()) + 1)] if len(dealt) else []

    def holdout(self, fraction: float) -> Fold:
        """Return one fold that holds out this fraction of the rows, of each class alike."""
        mask = np.zeros(self.n_rows, dtype=np.bool_)
        if self.groups is not None:
            return _fold(np.isin(self.groups, self._some_groups(fraction)))
        turn = np.floor(np.arange(1, self.n_rows + 1) * fraction + 1e-9)
        turn[-1] = max(turn[-1], 1.0)  # one row at least
        mask[self._shuffled()] = np.diff(turn, prepend=0.0) > 0
        return _fold(mask)

    def _some_groups(self, fraction: float) -> Array:
        """Return groups, in random order, that together come nearest to this fraction of the rows."""
        assert self.groups is not None
        sizes = np.bincount(self.groups)
        order = resolve_random(self.random_state).permutation(np.flatnonzero(sizes))
        distance = np.abs(np.cumsum(sizes[order]) - fraction * self.n_rows)[: max(1, len(order) - 1)]
        return np.asarray(order[: int(np.argmin(distance)) + 1])

    def _possible(self, folds: int) -> int:
        """Return how many folds there can be."""
        folds = min(folds, self.n_rows if self.groups is None else len(np.unique(self.groups)))
        if self.classes is None:
            return folds
        counts = np.bincount(self.classes)
        return min(folds, max(int(counts[counts > 0].min()), _FEWEST))

    def _dealt(self, n_folds: int) -> npt.NDArray[np.int64]:
        """Return the fold that each row is held out by; empty if there is only one."""
        fold = np.zeros(self.n_rows, dtype=np.int64)
        if n_folds < 2:
            return fold[:0]
        if self.groups is not None:
            for k, (_, held_out) in enumerate(self._grouped(n_folds)):
                fold[held_out] = k
            return fold
        fold[self._shuffled()] = np.arange(self.n_rows) % n_folds
        return fold

    def _shuffled(self) -> npt.NDArray[np.intp]:
        """Return the rows in random order, class by class: dealing them out spreads every class evenly."""
        order = resolve_random(self.random_state).permutation(self.n_rows)
        if self.classes is None:
            return np.asarray(order, dtype=np.intp)
        return np.asarray(order[np.argsort(self.classes[order], kind="stable")], dtype=np.intp)

    def _grouped(self, n_folds: int) -> Iterator[tuple[Array, Array]]:
        assert self.groups is not None
        nothing = np.zeros((self.n_rows, 1))
        random = resolve_random(self.random_state)
        # Ties between groups are broken by their numbers: new ones make that a matter of chance.
        numbers = random.permutation(int(self.groups.max()) + 1)[self.groups]
        few = self.classes is None or np.bincount(self.classes).max() < n_folds
        if few:  # too few rows of every class to spread them
            splits: Any = GroupKFold(n_folds).split(nothing, groups=numbers)
        else:
            splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=random)
            splits = splitter.split(nothing, self.classes, numbers)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that some class has fewer rows than folds
            return iter(list(splits))

    def _given_folds(self, splitter: Any) -> Iterator[Fold]:
        """Yield the folds of a splitter, which sees the table as it was given, in numbers of our rows."""
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
            if len(train) and len(held_out):
                yield train, held_out


def _places(place: npt.NDArray[np.int64], rows: Any) -> npt.NDArray[np.uint32]:
    """Return rows of the table as it was given in numbers of ours; those that are left out drop out."""
    given = np.asarray(rows)
    if given.dtype == np.bool_:
        given = np.flatnonzero(given)
    if given.size and (given.min() < 0 or given.max() >= len(place)):
        raise DataError(f"A splitter names row {given.max()}, but X has rows 0 to {len(place) - 1}.")
    ours = place[given.astype(np.intp)]
    return ours[ours >= 0].astype(np.uint32)


def _fold(held_out: npt.NDArray[np.bool_]) -> Fold:
    if held_out.all() or not held_out.any():
        raise DataError(
            f"With n_samples={len(held_out)}, {int(held_out.sum())} would be held out for pruning, which "
            "leaves none to grow from or none to judge by.\n"
            "Hint: give more rows or groups, X_val and y_val, or prune=None."
        )
    return np.flatnonzero(~held_out).astype(np.uint32), np.flatnonzero(held_out).astype(np.uint32)
