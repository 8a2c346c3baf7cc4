"""Bundles of small nodes, and sums of what lies in cells."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.trees import estimator

from arboretum._grow.training_table import read_training_table
from arboretum.dask.bundles import bundled, take_rows
from arboretum.dask.part import Cells, OpenRows


@given(sizes=st.lists(st.integers(1, 50), min_size=1), most=st.integers(50, 200), n=st.integers(1, 9))
def test_bundles_hold_all_nodes_and_not_too_many_rows(sizes: list[int], most: int, n: int) -> None:
    nodes: Any = [SimpleNamespace(node=SimpleNamespace(n_rows=size)) for size in sizes]
    bundles = list(bundled(nodes, most, n))
    assert [small for bundle in bundles for small in bundle] == nodes
    totals = [sum(small.node.n_rows for small in bundle) for bundle in bundles]
    assert max(totals) <= most
    # Two that follow each other would be too large for one, so that there are few.
    assert len(bundles) <= 2 * max(n, -(-sum(sizes) // most)) + 1
    assert len(bundles) >= min(n, len(nodes)) // 2


def test_rows_of_nodes_are_taken_in_their_order() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    x[rng.random((30, 2)) < 0.2] = np.nan
    settings = estimator("gini", prune=None)._settings()
    growth = read_training_table(settings, x, y, "this tree").growth(settings, None)[1]
    part: Any = SimpleNamespace(data=growth.table, targets=growth.targets)
    order = rng.permutation(30).astype(np.uint32)
    taken = take_rows(part, OpenRows(order, np.array([0, 10, 12, 12, 30])), None, [3, 2, 0])
    for node, rows in enumerate([order[12:], order[:0], order[:10]]):
        data, targets = taken.of(node)
        assert data.n_rows == targets.n_rows == len(rows)
        assert targets.classes is not None
        assert np.array_equal(targets.classes, y[rows])
        for number, column in enumerate(data.columns):
            assert np.array_equal(column.values, x[rows, number], equal_nan=True)


CELLS = st.dictionaries(
    st.tuples(st.integers(0, 2), st.integers(0, 3)), st.tuples(*(st.integers(0, 100),) * 3), min_size=1
)


def cells(known: dict[tuple[int, int], tuple[int, int, int]]) -> Cells:
    keys = sorted(known)
    low, high = (np.array([known[key][i] for key in keys], dtype=np.uint64) for i in (0, 1))
    summaries = np.array([[known[key][2]] * 2 for key in keys], dtype=np.int64).reshape(-1, 2)
    interval, cell = (np.array([key[i] for key in keys], dtype=kind) for i, kind in enumerate(("u4", "u8")))
    return Cells(interval, cell, low, high, summaries)


@given(some=st.lists(CELLS | st.just({}), min_size=2, max_size=4), step=st.sampled_from([1, 2**60, 2**62]))
def test_cells_add_up_like_entries_of_a_dict(
    some: list[dict[tuple[int, int], tuple[int, int, int]]], step: int
) -> None:
    some = [{(interval, step * cell): found for (interval, cell), found in own.items()} for own in some]
    expected: dict[tuple[int, int], tuple[int, int, int]] = {}
    for own in some:
        for key, (low, high, n) in own.items():
            below, above, count = expected.get(key, (low, high, 0))
            expected[key] = min(below, low), max(above, high), count + n
    found, its = Cells.add([cells(own) for own in some]), cells(expected)
    for name in ("interval", "cell", "low", "high", "summaries"):
        assert np.array_equal(getattr(found, name), getattr(its, name)), name
        assert getattr(found, name).dtype == getattr(its, name).dtype, name
