"""Laws of splits: each row in one part, shares exact to a row, groups whole, times in order, no chance.

A cell holds the rows of one stratum in one part; it is exact to a row if its size is less than one row
from share × rows. What an
experiment does with its parts is in unit/experiment/test_splits.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from arboretum import DataError
from arboretum.experiment.curves import growing_order
from arboretum.experiment.fitting import make_folds
from arboretum.experiment.splits import divide, part_sizes, split_rows, stratum_cells

SHARES = [(0.7, 0.1, 0.2), (0.8, 0.2), (0.9, 0.1), (0.5, 0.25, 0.25), (0.34, 0.33, 0.33), (0.98, 0.01, 0.01)]
shares_of = st.one_of(
    st.sampled_from(SHARES),
    st.tuples(st.integers(1, 99), st.integers(1, 99), st.integers(1, 99)).map(
        lambda parts: tuple(part / sum(parts) for part in parts)
    ),
)
seeds = st.integers(0, 2**32 - 1)


def codes(draw: st.DrawFn, n_rows: int, most: int) -> np.ndarray:
    """Draw a number for each row, and number the different ones from 0 without gaps."""
    drawn = draw(st.lists(st.integers(0, most - 1), min_size=n_rows, max_size=n_rows))
    return np.unique(np.array(drawn, dtype=np.intp), return_inverse=True)[1].ravel()


@st.composite
def labelled(draw: st.DrawFn, *, most: int, min_rows: int = 3, max_rows: int = 60) -> np.ndarray:
    """Draw the numbers of the strata, groups or moments of some rows."""
    return codes(draw, draw(st.integers(min_rows, max_rows)), most)


@st.composite
def labelled_twice(draw: st.DrawFn, *, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw two such numbers for the same rows."""
    n_rows = draw(st.integers(3, 60))
    return codes(draw, n_rows, most), codes(draw, n_rows, 4)


def sizes_of(part: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    return np.bincount(part, minlength=len(shares))


def leaves_none_empty(n_rows: int, shares: Sequence[float]) -> bool:
    return bool((part_sizes(n_rows, shares) > 0).all())


# --- rows and strata


@given(n_rows=st.integers(2, 10**7), shares=shares_of)
def test_sizes_are_exact_to_a_row(n_rows: int, shares: Sequence[float]) -> None:
    """The sizes add up, and each is less than one row from its share."""
    sizes = part_sizes(n_rows, shares)
    assert sizes.sum() == n_rows
    assert (np.abs(sizes - n_rows * np.array(shares)) < 1).all()


@given(strata=labelled(most=8), shares=shares_of, seed=seeds)
def test_strata_get_their_shares(strata: np.ndarray, shares: Sequence[float], seed: int) -> None:
    """No part is empty; where none had to be filled up, parts and cells are exact to a row."""
    part = divide(len(strata), shares, seed, strata=strata)
    assert set(part) == set(range(len(shares)))
    if leaves_none_empty(len(strata), shares):
        assert (sizes_of(part, shares) == part_sizes(len(strata), shares)).all()
        for stratum in range(strata.max() + 1):
            wanted = (strata == stratum).sum() * np.array(shares)
            assert (np.abs(sizes_of(part[strata == stratum], shares) - wanted) <= 1 + 1e-9).all()


@given(
    sizes=st.lists(st.integers(1, 10**5), min_size=1, max_size=60).map(np.array),
    shares=st.one_of(shares_of, st.integers(2, 20).map(lambda k: (1 / k,) * k)),
)
def test_cells_have_both_margins(sizes: np.ndarray, shares: Sequence[float]) -> None:
    """However many strata: each keeps its rows, each part has its size, and no cell is off by more than one.

    For two or three parts of any shares, and for any number of equal folds.
    """
    assume(leaves_none_empty(int(sizes.sum()), shares))
    cells = stratum_cells(sizes, shares)
    assert (cells.sum(axis=1) == sizes).all()
    assert (cells.sum(axis=0) == part_sizes(int(sizes.sum()), shares)).all()
    assert (np.abs(cells - np.outer(sizes, shares)) <= 1 + 1e-9).all()


@given(
    hundreds=st.lists(st.integers(1, 50), min_size=1, max_size=30),
    percent=st.tuples(st.integers(1, 49), st.integers(1, 49)),
)
@example(hundreds=[29, 41, 17, 34, 10, 41], percent=(48, 29))
def test_whole_shares_are_met_exactly(hundreds: list[int], percent: tuple[int, int]) -> None:
    """Where every stratum has a whole number of rows for every part, these it is: 0.29 of 100 rows are 29.

    In floating point 0.29 · 100 is less than 29.
    """
    shares = (1 - sum(percent) / 100, percent[0] / 100, percent[1] / 100)
    cells = stratum_cells(np.array(hundreds) * 100, shares)
    assert cells.tolist() == [[n * (100 - sum(percent)), n * percent[0], n * percent[1]] for n in hundreds]


def test_every_row_has_the_same_chance() -> None:
    """Over 2,000 seeds each of 20 rows is in the test data about 400 times; a row that is favoured shows."""
    strata = np.arange(20) % 3
    times = sum(divide(20, (0.7, 0.1, 0.2), seed, strata=strata) == 2 for seed in range(2000))
    # Standard deviation sqrt(2000 · 0.2 · 0.8) = 18. Strata of 6 and 7 rows give 1.2 and 1.4 rows on average,
    # rounded to whole numbers that do not depend on the seed.
    assert times.sum() == 2000 * 4
    for stratum in range(3):
        expected = times[strata == stratum].mean()
        assert (np.abs(times[strata == stratum] - expected) < 5 * 18).all()


# --- groups


@given(rows=labelled_twice(most=15), stratified=st.booleans(), shares=shares_of, seed=seeds)
def test_groups_stay_whole(
    rows: tuple[np.ndarray, np.ndarray], stratified: bool, shares: Sequence[float], seed: int
) -> None:
    """No group is in two parts, and no part is without a group."""
    groups, strata = rows
    assume(groups.max() + 1 >= len(shares))
    part = divide(len(groups), shares, seed, groups=groups, strata=strata if stratified else None)
    assert set(part) == set(range(len(shares)))
    for group in range(groups.max() + 1):
        assert len(set(part[groups == group])) == 1


@given(groups=labelled(most=30, min_rows=10), seed=seeds)
def test_shares_of_groups_are_off_by_two_groups_at_most(groups: np.ndarray, seed: int) -> None:
    """A part has too much by no more than the largest group, and so too little by no more than two."""
    shares = (0.7, 0.1, 0.2)
    assume(groups.max() + 1 >= 3)
    part = divide(len(groups), shares, seed, groups=groups)
    off = sizes_of(part, shares) - len(groups) * np.array(shares)
    largest = np.bincount(groups).max()
    assert off.max() <= largest + 1e-9
    assert off.min() >= -2 * largest - 1e-9


@given(n_rows=st.integers(3, 60), shares=shares_of, seed=seeds)
def test_groups_of_one_row_are_rows(n_rows: int, shares: Sequence[float], seed: int) -> None:
    """Where every row is a group of its own nothing forbids exact shares."""
    assume(leaves_none_empty(n_rows, shares))
    part = divide(n_rows, shares, seed, groups=np.arange(n_rows))
    assert (np.abs(sizes_of(part, shares) - n_rows * np.array(shares)) < 1 + 1e-9).all()


def test_equal_groups_are_divided_exactly() -> None:
    """Ten groups of ten rows are divided 7 to 1 to 2, for each of 100 seeds."""
    groups = np.repeat(np.arange(10), 10)
    for seed in range(100):
        part = divide(100, (0.7, 0.1, 0.2), seed, groups=groups)
        assert sizes_of(part, (0.7, 0.1, 0.2)).tolist() == [70, 10, 20]


def test_shares_of_groups_are_near() -> None:
    """Six to forty groups of very different sizes: over 150 tables the shares are off by less than 10 %.

    Handed out in random order alone they would be off by 14 %.
    """
    off = []
    for seed in range(150):
        random = np.random.RandomState(seed)
        sizes = np.maximum(1, random.lognormal(1.5, 1.2, size=random.randint(6, 40))).astype(int)
        groups = np.repeat(np.arange(len(sizes)), sizes)
        part = divide(len(groups), (0.7, 0.1, 0.2), seed, groups=groups)
        off.append(np.abs(sizes_of(part, (0.7, 0.1, 0.2)) / len(groups) - (0.7, 0.1, 0.2)).sum())
    assert np.mean(off) < 0.1


def test_groups_keep_the_shares_of_classes() -> None:
    """200 groups of one class each, three quarters of class 0: every part has about three quarters of it."""
    groups = np.repeat(np.arange(200), 5)
    strata = (groups % 4 == 0).astype(np.intp)
    for seed in range(20):
        part = divide(1000, (0.7, 0.1, 0.2), seed, groups=groups, strata=strata)
        shares = [strata[part == number].mean() for number in range(3)]
        np.testing.assert_allclose(shares, 0.25, atol=0.03)


# --- times


@given(moments=labelled(most=40, min_rows=4), shares=shares_of)
def test_times_are_in_order(moments: np.ndarray, shares: Sequence[float]) -> None:
    """Each part is later than the one before, so that rows of one moment are together; none is empty."""
    assume(moments.max() + 1 >= len(shares))
    part = divide(len(moments), shares, 0, moments=moments)
    assert set(part) == set(range(len(shares)))
    for earlier in range(len(shares) - 1):
        assert moments[part == earlier].max() < moments[part == earlier + 1].min()


@given(n_rows=st.integers(3, 60), shares=shares_of, seed=seeds)
def test_different_times_are_cut_exactly(n_rows: int, shares: Sequence[float], seed: int) -> None:
    """Where no two rows share a moment, the sizes are exact to a row."""
    assume(leaves_none_empty(n_rows, shares))
    moments = np.random.RandomState(seed).permutation(n_rows)
    part = divide(n_rows, shares, seed, moments=moments)
    assert (sizes_of(part, shares) == part_sizes(n_rows, shares)).all()


@given(rows=labelled_twice(most=30), shares=shares_of)
def test_times_and_groups(rows: tuple[np.ndarray, np.ndarray], shares: Sequence[float]) -> None:
    """Both hold, or the split is refused; and it is refused only where no cut between groups is left."""
    moments, groups = rows
    cuts = [
        moment
        for moment in range(moments.max())
        if not set(groups[moments <= moment]) & set(groups[moments > moment])
    ]
    if len(cuts) < len(shares) - 1:
        with pytest.raises(DataError, match=r"places? without dividing a group, but"):
            divide(len(moments), shares, 0, moments=moments, groups=groups)
        return
    part = divide(len(moments), shares, 0, moments=moments, groups=groups)
    for earlier in range(len(shares) - 1):
        assert moments[part == earlier].max() < moments[part == earlier + 1].min()
    for group in range(groups.max() + 1):
        assert len(set(part[groups == group])) == 1


# --- folds


@given(rows=labelled_twice(most=12), n_folds=st.integers(2, 10), kind=st.sampled_from(["", "groups", "time"]))
def test_folds_measure_what_they_have_not_learnt(
    rows: tuple[np.ndarray, np.ndarray], n_folds: int, kind: str
) -> None:
    """Plain folds measure every row once; groups are on one side; times are measured by earlier ones."""
    labels, strata = rows
    assume(labels.max() >= 2)
    groups, moments = (labels if kind == "groups" else None), (labels if kind == "time" else None)
    folds = make_folds(n_folds, len(labels), 0, None if kind == "time" else strata, groups, moments)
    measured = np.concatenate([held_out for _, held_out in folds])
    assert len(set(measured)) == len(measured)
    for learnt, held_out in folds:
        assert len(learnt)
        assert len(held_out)
        assert not set(learnt) & set(held_out)
        if kind == "groups":
            assert not set(labels[learnt]) & set(labels[held_out])
        if kind == "time":
            assert labels[learnt].max() < labels[held_out].min()
    if kind != "time":
        assert sorted(measured) == list(range(len(labels)))


# --- seeds


@given(rows=labelled_twice(most=15), seed=seeds, grouped=st.booleans())
def test_same_seed_same_split(rows: tuple[np.ndarray, np.ndarray], seed: int, grouped: bool) -> None:
    """Nothing but the seed decides."""
    groups, strata = rows
    assume(groups.max() >= 2)
    one, other = (
        split_rows(len(groups), (0.7, 0.1, 0.2), seed, strata=strata, groups=groups if grouped else None)
        for _ in range(2)
    )
    for part in ("training", "development", "test"):
        np.testing.assert_array_equal(getattr(one, part), getattr(other, part))


def test_other_seed_other_split() -> None:
    """100 seeds divide 50 rows in 100 ways."""
    splits = {tuple(split_rows(50, (0.7, 0.1, 0.2), seed).test.tolist()) for seed in range(100)}
    assert len(splits) == 100


# --- growing beginnings


@given(strata=labelled(most=5, min_rows=1, max_rows=80), seed=seeds)
def test_every_beginning_has_its_shares(strata: np.ndarray, seed: int) -> None:
    """The order has every row once, and each beginning about the share of each stratum.

    Places up to t hold n_c · t rows of a stratum, off by less than one; so m rows in all are n · t, off by
    less than the number K of strata; together less than 1 + K · n_c / n.
    """
    order = growing_order(len(strata), strata, np.random.RandomState(seed))
    assert sorted(order) == list(range(len(strata)))
    n_strata = strata.max() + 1
    counts = np.cumsum(strata[order][:, None] == np.arange(n_strata), axis=0)
    shares = np.bincount(strata) / len(strata)
    wanted = np.arange(1, len(strata) + 1)[:, None] * shares
    assert (np.abs(counts - wanted) <= 1 + n_strata * shares + 1e-9).all()
