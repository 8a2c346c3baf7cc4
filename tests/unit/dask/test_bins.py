"""The buckets of `max_bins` over parts: those that memory makes of the whole column, whatever is counted."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arboretum._data import Column, ColumnData, Dataset
from arboretum._grow.targets import Targets
from arboretum._types import Array
from arboretum.dask import bins
from arboretum.dask.runner import Here


def plain_buckets(values: list[float], most: int) -> list[tuple[float, float]]:
    """The lowest and the highest value of each bucket, as cpp/core/codes.cpp makes them."""
    known, counts = np.unique(values, return_counts=True)
    begins = [0, *np.cumsum(counts).tolist()]
    found: list[tuple[float, float]] = []
    value = 0
    while value < len(known):
        left = most - len(found)
        share = -(-(len(values) - begins[value]) // left)
        end = value + 1
        while end < len(known) and (
            left == 1 or begins[end + 1] + begins[end] <= 2 * (begins[value] + share)
        ):
            end += 1
        found.append((float(known[value]), float(known[end - 1])))
        value = end
    return found


def parts_of(values: Array, cuts: list[int]) -> list[tuple[Dataset, Targets]]:
    return [
        (Dataset((ColumnData(Column("x", "number"), values[a:b]),), b - a, named=True), Targets(b - a))
        for a, b in pairwise([0, *sorted(cuts), len(values)])
    ]


def check(values: list[float], cuts: list[int], most: int) -> None:
    rows = parts_of(np.array(values), cuts)
    (found,) = bins.find_bins(Here(), rows, rows[0][0], most)
    if len(set(values)) <= most:
        assert found is None
        return
    expected = plain_buckets(values, most)
    assert found is not None
    numbers = np.concatenate([bins.put_in_bins(part, [found])[0].columns[0].values for part in rows])
    own = np.array(values)
    assert [(own[numbers == i].min(), own[numbers == i].max()) for i in range(len(found))] == expected


@pytest.fixture(scope="module")
def _few_cells() -> Iterator[None]:
    """So that a bucket is looked for in many rounds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bins, "_CELLS", 4)
        patch.setattr(bins, "_FEWEST", 2)
        yield


@pytest.mark.usefixtures("_few_cells")
@given(seed=st.integers(0, 2**32 - 1))
def test_buckets_are_those_of_the_whole_column(seed: int) -> None:
    """Also where a value would bring a bucket no nearer to its share, nor farther from it."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n_rows, spread = int(rng.integers(1, 80)), int(rng.choice([3, 12, 40, 256]))
        values = np.sinh(rng.integers(0, spread, n_rows) - 5.0).tolist()
        check(values, rng.integers(0, n_rows + 1, 3).tolist(), int(rng.integers(2, 10)))


@pytest.mark.parametrize("most", [2, 37, 255])
def test_many_values(most: int) -> None:
    """Far apart and close together, many of them once and some often."""
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(size=9_000), np.exp(rng.normal(size=5_000) * 9), np.full(900, 0.25)])
    rng.shuffle(values)
    check(values.tolist(), [10, 10, 6_000], most)
