"""Splits: which rows are for training, which for development, which for the test.

Words: a *part* is one of the three; *groups* stay whole in one part; with *moments* (times in order) the
parts follow one another, training first. Random numbers come from the seed alone, never from the system.
What the caller calls a group or a time is read in labels.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum.errors import DataError, ParameterError
from arboretum.experiment.apportionment import part_sizes, stratum_cells
from arboretum.plurals import many
from arboretum.scalars import is_integer, is_real

__all__ = ["Split", "divide", "resolve_seed", "resolve_shares", "split_rows"]

Codes = npt.NDArray[np.intp]
Rows = npt.NDArray[np.intp]
PARTS = {2: ("training", "test"), 3: ("training", "development", "test")}
_SHARES_DIFFER = 1e-9


@dataclass(frozen=True, eq=False)
class Split:
    """Row numbers in ascending order; `development` is None where there are only training and test data."""

    training: Rows
    development: Rows | None
    test: Rows

    def __repr__(self) -> str:
        parts = [("training", self.training), ("development", self.development), ("test", self.test)]
        return f"Split({', '.join(f'{name} {len(rows)}' for name, rows in parts if rows is not None)})"


def resolve_shares(split: Any) -> tuple[float, ...]:
    """Return the shares of two or three parts, or refuse them."""
    try:
        shares = tuple(split)
    except TypeError:
        shares = ()
    good = len(shares) in PARTS and all(is_real(share) and 0 < share < 1 for share in shares)
    if not good or abs(sum(shares) - 1) > _SHARES_DIFFER:
        raise ParameterError(
            f"split={split!r} is not allowed; give the shares of training, development and test data, such "
            "as (0.7, 0.1, 0.2), or of training and test data, such as (0.8, 0.2): above 0, 1 together."
        )
    return tuple(float(share) for share in shares)


def resolve_seed(random_state: Any) -> int:
    """Return a seed: None is a fixed one; a generator of random numbers is asked for one."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if not is_integer(random_state) or not 0 <= random_state < 2**32:
        raise ParameterError(
            f"random_state={random_state!r} is not allowed; give None (always the same), or a whole number "
            "from 0 to 2**32 - 1."
        )
    return int(random_state)


def split_rows(
    n_rows: int,
    shares: Sequence[float],
    seed: int,
    *,
    strata: Codes | None = None,
    groups: Codes | None = None,
    moments: Codes | None = None,
) -> Split:
    """Return the parts of so many rows."""
    part = divide(n_rows, shares, seed, strata=strata, groups=groups, moments=moments)
    rows = [np.flatnonzero(part == number) for number in range(len(shares))]
    for each in rows:
        each.setflags(write=False)
    return Split(rows[0], rows[1] if len(rows) == 3 else None, rows[-1])


def divide(
    n_rows: int,
    shares: Sequence[float],
    seed: int,
    *,
    strata: Codes | None = None,
    groups: Codes | None = None,
    moments: Codes | None = None,
) -> Codes:
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


def _divide_strata(strata: Codes, shares: Sequence[float], random: np.random.RandomState) -> Codes:
    """Shuffle the rows, sort them by stratum, and deal each stratum's rows out: so many to each part."""
    cells = stratum_cells(np.bincount(strata), shares)
    shuffled = random.permutation(len(strata))
    order = shuffled[np.argsort(strata[shuffled], kind="stable")]
    part = np.empty(len(strata), dtype=np.intp)
    part[order] = np.repeat(np.tile(np.arange(len(shares)), len(cells)), cells.ravel())
    return part


# Groups


class _Needs:
    """What each part still lacks of each stratum, while whole groups are handed out.

    Strata count the same, however large: what is lacking is measured in shares of the stratum.
    """

    def __init__(self, groups: Codes, strata: Codes, shares: Sequence[float]) -> None:
        n_strata = int(strata.max()) + 1
        sizes = np.bincount(strata, minlength=n_strata)
        # Which strata a group has, and how many rows of each: the pairs that occur, sorted by group.
        pairs, self._counts = np.unique(groups * n_strata + strata, return_counts=True)
        self._strata = pairs % n_strata
        self._begin = np.searchsorted(pairs // n_strata, np.arange(int(groups.max()) + 2))
        self._unit = 1.0 / np.maximum(sizes, 1)
        self.lacking = np.outer(shares, sizes)

    def of(self, group: int) -> tuple[Codes, npt.NDArray[np.intp]]:
        """Return the strata of a group and its rows of each."""
        one = slice(self._begin[group], self._begin[group + 1])
        return self._strata[one], self._counts[one]

    def neediest(self, group: int) -> int:
        """Return the part that lacks most of what the group has; this lowers the squared lack the most."""
        strata, counts = self.of(group)
        return int(np.argmax(self.lacking[:, strata] @ (counts * self._unit[strata])))

    def better(self, group: int, home: int) -> int:
        """Return the part where the group would leave the least squared lack; its home unless it is less."""
        strata, counts = self.of(group)
        lacking = self.lacking[:, strata].copy()
        lacking[home] += counts  # as if it were nowhere
        cost = -2 * lacking @ (counts * self._unit[strata])  # what (lacking - counts)² adds to lacking²
        best = int(np.argmin(cost))
        return best if cost[best] < cost[home] - 1e-9 else home

    def give(self, group: int, part: int, sign: int = 1) -> None:
        """Hand the group to the part, or take it back (sign -1)."""
        strata, counts = self.of(group)
        self.lacking[part, strata] -= sign * counts


def _divide_groups(
    groups: Codes, strata: Codes, shares: Sequence[float], random: np.random.RandomState
) -> Codes:
    """Hand out whole groups, in random order, each to the part that lacks most; then move what fits better.

    In order of size the shares would come out nearer, but all large groups would be training data.
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


def _smallest_to_spare(home: Codes, sizes: npt.NDArray[np.intp]) -> int:
    """Return the smallest group of the part that has the most groups."""
    members = np.flatnonzero(home == np.argmax(np.bincount(home)))
    return int(members[np.argmin(sizes[members])])


def _improve(needs: _Needs, home: Codes, order: list[int]) -> None:
    """Move each group to where it fits better, once: that halves what shares are off by."""
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


def _divide_moments(moments: Codes, groups: Codes | None, shares: Sequence[float]) -> Codes:
    """Cut time where the numbers of rows come nearest to the shares; a moment is never divided."""
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


def _possible_cuts(moments: Codes, groups: Codes | None, n_moments: int) -> Codes:
    """Return the moments after which time can be cut: not the last one, and not through a group."""
    through = np.zeros(n_moments + 1, dtype=np.intp)
    if groups is not None:
        n_groups = int(groups.max()) + 1
        first, last = np.full(n_groups, n_moments), np.zeros(n_groups, dtype=np.intp)
        np.minimum.at(first, groups, moments)
        np.maximum.at(last, groups, moments)
        np.add.at(through, first, 1)  # open from its first moment
        np.add.at(through, last, -1)  # until just before the last
    return np.flatnonzero(np.cumsum(through)[: n_moments - 1] == 0)
