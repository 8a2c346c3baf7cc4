"""A tree of a table in parts is that of the whole table, to the last bit.

The parts lie here, one after the other; a sample is grown on the workers of a cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.clusters import LOCAL
from support.marks import allow_one_leaf
from support.parts import growth_of, in_parts, tree_of
from support.tables import CRITERIA, tables
from support.trees import estimator

from arboretum import Tree
from arboretum._grow.growth import Growth
from arboretum._grow.training_table import read_training_table
from arboretum._types import Array
from arboretum.dask.cluster import OnWorkers
from arboretum.dask.roots import Fold, Root
from arboretum.dask.runner import Here

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

OFFERED = [
    name for name in CRITERIA if name in ("gini", "entropy", "misclassification", "squared_error", "poisson")
]


def assert_same(ours: Tree, its: Tree) -> None:
    assert ours._arrays.keys() == its._arrays.keys()
    for name, own in ours._arrays.items():
        assert np.array_equal(own, its.array(name), equal_nan=own.dtype.kind == "f"), name
    assert ours.to_json() == its.to_json()


@pytest.mark.parametrize("criterion", OFFERED)
@given(data=st.data())
def test_parts_do_not_show(criterion: str, data: st.DataObject) -> None:
    """However the rows are cut into parts, and whatever is finished in memory."""
    table = data.draw(tables(criterion), label="table")
    cuts = data.draw(st.lists(st.integers(0, table.n_rows), max_size=4), label="cuts")
    small_rows = data.draw(st.sampled_from([0, 3, 100]), label="small_rows")
    params = {
        "nominal": data.draw(st.sampled_from(["subset", "one_vs_rest"]), label="nominal"),
        "thresholds": data.draw(st.sampled_from(["midpoint", "observed", "round"]), label="thresholds"),
        "min_samples_leaf": data.draw(st.sampled_from([1, 2, 3]), label="min_samples_leaf"),
        "max_depth": data.draw(st.sampled_from([None, 1, 3]), label="max_depth"),
        "min_impurity_decrease": data.draw(st.sampled_from([0.0, 0.05]), label="min_impurity_decrease"),
        "max_leaf_nodes": data.draw(st.sampled_from([None, 2, 3, 5]), label="max_leaf_nodes"),
        "max_bins": data.draw(st.sampled_from([None, None, 2, 3]), label="max_bins"),
        "min_weight_fraction_leaf": data.draw(st.sampled_from([0.0, 0.1, 0.3]), label="least share"),
        "column_costs": data.draw(
            st.dictionaries(st.sampled_from(list(table.frame().columns)), st.sampled_from([0.5, 3.0]))
            | st.none(),
            label="column_costs",
        ),
        "levels": data.draw(st.sampled_from(["corrected", "raw"]), label="levels"),
    }
    growth, classes = growth_of(table, criterion, **params)
    parted = in_parts(Here(), growth, classes, cuts, small_rows)
    assert_same(tree_of(parted), growth.tree())


@pytest.mark.parametrize("criterion", OFFERED)
@given(data=st.data())
def test_trees_of_folds_grow_side_by_side(criterion: str, data: st.DataObject) -> None:
    """The whole table and what folds leave of it, in the same passes: each tree is as if grown alone."""
    table = data.draw(tables(criterion), label="table")
    cuts = data.draw(st.lists(st.integers(0, table.n_rows), max_size=3), label="cuts")
    params = {
        "thresholds": data.draw(st.sampled_from(["midpoint", "round"]), label="thresholds"),
        "min_samples_leaf": data.draw(st.sampled_from([1, 0.2]), label="min_samples_leaf"),
        "max_leaf_nodes": data.draw(st.sampled_from([None, 2, 3, 5]), label="max_leaf_nodes"),
        "min_weight_fraction_leaf": data.draw(st.sampled_from([0.0, 0.1, 0.3]), label="least share"),
        "levels": data.draw(st.sampled_from(["corrected", "raw"]), label="levels"),
    }
    growth, classes = growth_of(table, criterion, **params)
    n_rows = growth.n_rows
    shuffled = np.random.default_rng(data.draw(st.integers(0, 99), label="seed")).permutation(n_rows)
    numbers = (shuffled % min(3, n_rows)).astype(np.uint8)
    kept = [np.flatnonzero(numbers != k).astype(np.uint32) for k in range(min(3, n_rows))]
    parted = in_parts(Here(), growth, classes, cuts, data.draw(st.sampled_from([0, 3]), label="small_rows"))
    folds = np.split(numbers[None, :], sorted(min(cut, n_rows) for cut in cuts), axis=1)
    roots = [Root(len(rows), Fold(0, k), True, 3.0) for k, rows in enumerate(kept) if len(rows)]
    whole, *others = parted.trees([Root(n_rows), *roots], folds)
    assert_same(whole, growth.tree())
    for root, tree in zip(roots, others, strict=True):
        assert root.fold is not None
        assert_same(tree, growth.tree(kept[root.fold.number], bare=True, strength=3.0, in_place=True))


def noisy_growth(n_rows: int, *, of_numbers: bool, **params: Any) -> tuple[Growth, Array | None]:
    """Rows that need many questions, in columns whose buckets hold many values."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(n_rows, 3))
    x[:, 1] = np.round(x[:, 1], 2)
    y = x[:, 0] + x[:, 1] + rng.normal(size=n_rows)
    # Far targets leave early: the scale of the others becomes finer.
    targets: Array = np.where(rng.random(n_rows) < 0.01, 1e9 * y, y) if of_numbers else (y > 0)
    criterion = params.pop("criterion", "squared_error" if of_numbers else "gini")
    targets = np.abs(targets) if criterion == "poisson" else targets
    model = estimator(criterion, prune=None, min_samples_leaf=5, **params)
    table = read_training_table(model._settings(), x, targets, "this tree")
    return table.growth(model._settings(), None)[1], table.classes


@pytest.mark.parametrize("of_numbers", [False, True])
def test_buckets_of_many_values_are_looked_into(of_numbers: bool) -> None:
    growth, classes = noisy_growth(20_000, of_numbers=of_numbers)
    parted = in_parts(Here(), growth, classes, [1, 5_000, 5_000, 17_000], 500)
    assert_same(tree_of(parted), growth.tree())
    assert any(level.n_rounds > 0 for level in parted.levels)


@pytest.mark.parametrize(
    "params", [{"max_leaf_nodes": 30}, {"max_bins": 40, "max_depth": 9}, {"criterion": "poisson"}], ids=str
)
def test_options_of_large_trees(params: dict[str, Any]) -> None:
    growth, classes = noisy_growth(20_000, of_numbers=True, **params)
    parted = in_parts(Here(), growth, classes, [5_000, 17_000], 2_000)
    assert_same(tree_of(parted), growth.tree())
    assert len(parted.levels) > 2


@pytest.mark.parametrize("of_numbers", [False, True])
def test_workers_grow_the_same_tree(of_numbers: bool) -> None:
    distributed = pytest.importorskip("distributed")
    growth, classes = noisy_growth(5_000, of_numbers=of_numbers)
    with (
        distributed.LocalCluster(n_workers=2, processes=False, **LOCAL) as cluster,
        distributed.Client(cluster) as client,
    ):
        parted = in_parts(OnWorkers(client), growth, classes, [1_000, 1_000, 3_000], 1_000)
        assert_same(tree_of(parted), growth.tree())
