"""Splits: which rows are for training, which for development, and which for the test.

Each part gets its share of every stratum, such as a class, exact to a row. Groups stay whole in one part.
With times, the parts follow one another, training first. The seed alone decides what is random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._data.rows import Target, read_labels
from arboretum._data.scalars import is_integer, is_real
from arboretum._types import Array, Indices, Integers, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError, choices

_BINS = 10  # strata of a numeric target
_SIMPLE = "iufMmbU"  # kinds of arrays that NumPy sorts by itself


def read_groups(groups: Any, n_rows: int) -> Indices | None:
    """Return the number of each row's group."""
    return None if groups is None else _codes(read_labels(groups, "groups", n_rows))


def read_moments(time: Any, n_rows: int) -> Indices | None:
    """Return the number of each row's moment, in the order of time."""
    if time is None:
        return None
    values = read_labels(time, "time", n_rows)
    if values.dtype.kind in "US" or any(isinstance(v, str | bytes) for v in values.tolist()):
        raise DataError(
            "time holds text, and text is not in the order of time ('10' comes before '9').\n"
            "Hint: convert it first, for instance with pandas.to_datetime(time)."
        )
    try:
        return _codes(values, sort=True)
    except TypeError as error:
        raise DataError(
            f"time holds values that cannot be put in order ({error}).\n"
            "Hint: give numbers, dates or datetimes, all of one kind."
        ) from error


def read_strata(stratify: Any, target: Target, moments: Indices | None) -> Indices | None:
    """Return the number of each row's stratum; None if rows are not stratified."""
    if isinstance(stratify, str | None) and stratify != "auto":
        raise ParameterError(choices("stratify", stratify, ["auto", True, False]) + " Or one value per row.")
    automatic, flag = isinstance(stratify, str), isinstance(stratify, bool | np.bool_)
    if (flag and not stratify) or (automatic and moments is not None):
        return None
    if moments is not None:
        raise ParameterError(
            "stratify does not go with time: the order of time alone says which row is in which part.\n"
            "Hint: leave stratify='auto'."
        )
    if automatic or (flag and target.codes is not None):
        return target.codes
    if flag:
        return _bins(target)
    return _codes(read_labels(stratify, "stratify", target.n_rows))


def _bins(target: Target) -> Indices:
    """Return tenths of the rows by the size of their target; fewer parts where rows are few."""
    assert target.numbers is not None
    rank = np.empty(target.n_rows, dtype=np.intp)
    rank[np.argsort(target.numbers, kind="stable")] = np.arange(target.n_rows)
    n_bins = max(1, min(_BINS, target.n_rows // _BINS))
    return rank * n_bins // target.n_rows


def _codes(values: Array, *, sort: bool = False) -> Indices:
    """Return the number of each value among the different ones: sorted, or in order of appearance."""
    if values.dtype.kind in _SIMPLE:
        return renumbered(values)
    cells = values.tolist()
    different = sorted(set(cells)) if sort else list(dict.fromkeys(cells))
    number_of = {value: number for number, value in enumerate(different)}
    return np.array([number_of[value] for value in cells], dtype=np.intp)


def renumbered(values: Array) -> Indices:
    """Return the number of each value among the different ones, in ascending order."""
    return np.unique(values, return_inverse=True)[1].ravel()


def part_sizes(n_rows: int, shares: Sequence[float]) -> Integers:
    """Return the number of rows of each part: all within one row of the share, largest remainders first.

    >>> part_sizes(150, (0.7, 0.1, 0.2)).tolist()
    [105, 15, 30]
    >>> part_sizes(14, (0.7, 0.1, 0.2)).tolist()
    [10, 1, 3]
    """
    exact = _exact(np.array([n_rows]), shares)[0]
    sizes: Integers = np.floor(exact).astype(np.int64)
    largest_remainders = np.argsort(sizes - exact, kind="stable")
    sizes[largest_remainders[: n_rows - sizes.sum()]] += 1
    return sizes


def stratum_cells(stratum_sizes: Integers, shares: Sequence[float]) -> Integers:
    """Return how many rows each stratum gives to each part: sums are exact, cells within one row.

    Every cell gets its share rounded down. The rows left over go stratum by stratum to the parts that still
    lack most, none twice: a table with such margins exists, and this order finds it (Gale, Ryser).

    >>> stratum_cells(np.array([50, 50, 1]), (0.7, 0.1, 0.2)).tolist()
    [[35, 5, 10], [35, 5, 10], [1, 0, 0]]
    """
    exact = _exact(stratum_sizes, shares)
    cells = np.floor(exact).astype(np.int64)
    lacking = part_sizes(int(stratum_sizes.sum()), shares) - cells.sum(axis=0)
    left_over = stratum_sizes - cells.sum(axis=1)
    for stratum in np.flatnonzero(left_over).tolist():
        remainder = exact[stratum] - cells[stratum]
        parts = np.lexsort((-remainder, -lacking))[: left_over[stratum]]
        cells[stratum, parts] += 1
        lacking[parts] -= 1
    return _none_empty(cells)


def _exact(sizes: Integers, shares: Sequence[float]) -> Numbers:
    """Return sizes × shares, rounded so that 0.7 of 30 rows is 21 and not 20.999…"""
    exact: Numbers = np.round(np.outer(sizes, shares), 9)
    return exact


def _none_empty(cells: Integers) -> Integers:
    """Give a part without rows one from the largest cell of the largest part."""
    while (cells.sum(axis=0) == 0).any():
        poor, rich = int(np.argmin(cells.sum(axis=0))), int(np.argmax(cells.sum(axis=0)))
        stratum = int(np.argmax(cells[:, rich]))
        cells[stratum, rich] -= 1
        cells[stratum, poor] += 1
    return cells


_SHARES_DIFFER = 1e-9


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers in ascending order; `development` is None if there are only training and test data."""

    training: Indices
    development: Indices | None
    test: Indices

    def __repr__(self) -> str:
        parts = [("training", self.training), ("development", self.development), ("test", self.test)]
        return f"Split({', '.join(f'{name} {len(rows)}' for name, rows in parts if rows is not None)})"


def resolve_shares(split: Any) -> tuple[float, ...]:
    """Return the shares of two or three parts, or refuse them."""
    try:
        shares = tuple(split)
    except TypeError:
        shares = ()
    good = len(shares) in (2, 3) and all(is_real(share) and 0 < share < 1 for share in shares)
    if not good or abs(sum(shares) - 1) > _SHARES_DIFFER:
        raise ParameterError(
            f"split={shown(split)} is not allowed; give the shares of training, development and "
            "test data, such "
            "as (0.7, 0.1, 0.2), or of training and test data, such as (0.8, 0.2): above 0, 1 together."
        )
    return tuple(float(share) for share in shares)


def resolve_seed(random_state: Any) -> int:
    """Return a seed: a fixed one for None, one drawn from a random generator."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if not is_integer(random_state) or not 0 <= random_state < 2**32:
        raise ParameterError(
            f"random_state={shown(random_state)} is not allowed; give None (always the same), or a "
            "whole number "
            "from 0 to 2**32 - 1."
        )
    return int(random_state)


def split_rows(n_rows: int, shares: Sequence[float], seed: int, **by: Indices | None) -> Split:
    """Split rows into parts, by the same options as `divide`."""
    part = divide(n_rows, shares, seed, **by)
    rows = [np.flatnonzero(part == number) for number in range(len(shares))]
    for each in rows:
        each.setflags(write=False)
    return Split(rows[0], rows[1] if len(rows) == 3 else None, rows[-1])


def divide(
    n_rows: int,
    shares: Sequence[float],
    seed: int,
    *,
    strata: Indices | None = None,
    groups: Indices | None = None,
    moments: Indices | None = None,
) -> Indices:
    """Return the number of each row's part."""
    if n_rows < len(shares):
        raise DataError(
            f"{many(n_rows, 'row')} cannot be divided into {len(shares)} parts; each needs one at least."
        )
    # The numbers of a RandomState are promised to stay the same; those of a Generator may change.
    random = np.random.RandomState(seed)
    if moments is not None:
        return _divide_moments(moments, groups, shares)
    if strata is None:
        strata = np.zeros(n_rows, dtype=np.intp)
    if groups is not None:
        return _divide_groups(groups, strata, shares, random)
    return _divide_strata(strata, shares, random)


def _divide_strata(strata: Indices, shares: Sequence[float], random: np.random.RandomState) -> Indices:
    """Shuffle the rows, sort them by stratum, and deal each stratum's rows to the parts."""
    cells = stratum_cells(np.bincount(strata), shares)
    shuffled = random.permutation(len(strata))
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    part = np.empty(len(strata), dtype=np.intp)
    part[order] = np.repeat(np.tile(np.arange(len(shares)), len(cells)), cells.ravel())
    return part


# Groups


class _Needs:
    """What each part still lacks of each stratum, while whole groups are handed out.

    It is measured in shares of the stratum, so that all strata count the same.
    """

    def __init__(self, groups: Indices, strata: Indices, shares: Sequence[float]) -> None:
        n_strata = int(strata.max()) + 1
        sizes = np.bincount(strata, minlength=n_strata)
        # Which strata a group has, and how many rows of each: the pairs that occur, sorted by group.
        pairs, self._counts = np.unique(groups * n_strata + strata, return_counts=True)
        self._strata = pairs % n_strata
        self._begin = np.searchsorted(pairs // n_strata, np.arange(int(groups.max()) + 2))
        self._unit = 1.0 / np.maximum(sizes, 1)
        self.lacking = np.outer(shares, sizes)

    def of(self, group: int) -> tuple[Indices, Indices]:
        """Return the strata of a group and its rows of each."""
        one = slice(self._begin[group], self._begin[group + 1])
        return self._strata[one], self._counts[one]

    def neediest(self, group: int) -> int:
        """Return the part that lacks most of what the group has; this lowers the squared lack the most."""
        strata, counts = self.of(group)
        return int(np.argmax(self.lacking[:, strata] @ (counts * self._unit[strata])))

    def better(self, group: int, home: int) -> int:
        """Return the part where the group would leave the least squared lack; its home if none is better."""
        strata, counts = self.of(group)
        lacking = self.lacking[:, strata].copy()
        lacking[home] += counts  # as if it were nowhere
        cost = -2 * lacking @ (counts * self._unit[strata])  # what (lacking - counts)² adds to lacking²
        best = int(np.argmin(cost))
        return best if cost[best] < cost[home] - 1e-9 else home

    def give(self, group: int, part: int, sign: int = 1) -> None:
        """Give the group to the part, or take it back (sign -1)."""
        strata, counts = self.of(group)
        self.lacking[part, strata] -= sign * counts


def _divide_groups(
    groups: Indices, strata: Indices, shares: Sequence[float], random: np.random.RandomState
) -> Indices:
    """Give whole groups, in random order, to the part that lacks most; then move those that fit better.

    In order of size, shares would be more exact, but all large groups would become training data.
    """
    n_groups = int(groups.max()) + 1
    if n_groups < len(shares):
        raise DataError(
            f"groups has {many(n_groups, 'different value')}, but {len(shares)} parts need one group each "
            "at least."
        )
    needs, home = _Needs(groups, strata, shares), np.empty(n_groups, dtype=np.intp)
    order = random.permutation(n_groups).tolist()
    for group in order:
        home[group] = needs.neediest(group)
        needs.give(group, home[group])
    for part in np.flatnonzero(np.bincount(home, minlength=len(shares)) == 0).tolist():
        group = _smallest_to_spare(home, np.bincount(groups))
        needs.give(group, home[group], -1)
        needs.give(group, part)
        home[group] = part
    _improve(needs, home, order)
    return home[groups]


def _smallest_to_spare(home: Indices, sizes: Indices) -> int:
    """Return the smallest group of the part that has the most groups."""
    members = np.flatnonzero(home == np.argmax(np.bincount(home)))
    return int(members[np.argmin(sizes[members])])


def _improve(needs: _Needs, home: Indices, order: list[int]) -> None:
    """Move each group to where it fits better, once: that halves the error of the shares."""
    n_groups_of = np.bincount(home, minlength=len(needs.lacking))
    for group in order:
        old = int(home[group])
        new = needs.better(group, old)
        if new != old and n_groups_of[old] > 1:
            needs.give(group, old, -1)
            needs.give(group, new)
            home[group] = new
            n_groups_of[old] -= 1
            n_groups_of[new] += 1


# Time


def _divide_moments(moments: Indices, groups: Indices | None, shares: Sequence[float]) -> Indices:
    """Cut time where the numbers of rows come nearest to the shares; never within a moment."""
    ends = np.cumsum(np.bincount(moments))  # rows up to and including each moment
    cuts = _possible_cuts(moments, groups, len(ends))
    if len(cuts) < len(shares) - 1:
        whole = "" if groups is None else " without dividing a group"
        raise DataError(
            f"time can be cut in {many(len(cuts), 'place')}{whole}, but {len(shares)} parts in temporal "
            f"order need {len(shares) - 1}."
        )
    wanted = np.cumsum(part_sizes(len(moments), shares))[:-1]
    chosen: list[int] = []
    for number, rows in enumerate(wanted.tolist()):
        first = chosen[-1] + 1 if chosen else 0
        last = len(cuts) - (len(wanted) - number)  # leave a cut for each of the later parts
        nearest = np.abs(ends[cuts[first : last + 1]] - rows)
        chosen.append(first + int(np.argmin(nearest)))
    return np.searchsorted(cuts[chosen], moments, side="left").astype(np.intp)


def _possible_cuts(moments: Indices, groups: Indices | None, n_moments: int) -> Indices:
    """Return the moments after which time can be cut: not the last one, and never through a group."""
    through = np.zeros(n_moments + 1, dtype=np.intp)
    if groups is not None:
        n_groups = int(groups.max()) + 1
        first, last = np.full(n_groups, n_moments), np.zeros(n_groups, dtype=np.intp)
        np.minimum.at(first, groups, moments)
        np.maximum.at(last, groups, moments)
        np.add.at(through, first, 1)  # open from its first moment
        np.add.at(through, last, -1)  # until just before the last
    return np.flatnonzero(np.cumsum(through)[: n_moments - 1] == 0)
