"""Laws of limits: what growth must keep to, and what it must not change on the way.

A tree is nested in another if that one goes on where it stops. Which tree
is right is the business of `tests/oracle`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import CRITERIA, Table, tables
from support.trees import column_of, estimator, fit, same_top, threshold_of

from arboretum import Tree, TreeClassifier, TreeRegressor
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum._tree.questions import Threshold

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

every_criterion = pytest.mark.parametrize("criterion", CRITERIA)
# Each law is tried for every criterion, so that a part of the usual number of tables is enough.
fewer = settings(max_examples=few(0.2))


def weights_of(table: Table) -> tuple[float, ...]:
    return table.weights or (1.0,) * table.n_rows


def same_arrays(ours: Tree, its: Tree, *, but: tuple[str, ...] = ()) -> bool:
    """Whether two trees agree to the last bit in all arrays but some."""
    return all(np.array_equal(ours.array(name), its.array(name)) for name in ours._arrays if name not in but)


# --- limits of growth -------------------------------------------------------------------------------------


@every_criterion
@fewer
@given(data=st.data())
def test_limits_that_do_not_bind_change_nothing(criterion: str, data: st.DataObject) -> None:
    """As many leaves, levels of depth and buckets as there are rows: the unlimited tree, to the last bit."""
    table = data.draw(tables(criterion), label="table")
    unlimited = fit(table, criterion).tree_
    most = max(2, table.n_rows)
    assert fit(table, criterion, max_leaf_nodes=most).tree_ == unlimited
    assert fit(table, criterion, max_depth=most).tree_ == unlimited
    assert fit(table, criterion, max_bins=most).tree_ == unlimited
    assert fit(table, criterion, max_bins=most, max_leaf_nodes=most, max_depth=most).tree_ == unlimited


@every_criterion
@fewer
@given(data=st.data())
def test_smaller_trees_are_nested_in_larger_ones(criterion: str, data: st.DataObject) -> None:
    """Limits of depth, of leaves and of decrease stop growth early; what is grown is the same."""
    table = data.draw(tables(criterion, min_rows=5), label="table")
    full = fit(table, criterion).tree_
    for depth in (1, 2, 3):
        small = fit(table, criterion, max_depth=depth).tree_
        assert small.depth == min(depth, full.depth)
        assert same_top(small, full)
    small = fit(table, criterion, min_impurity_decrease=full.root.impurity / 10).tree_
    assert same_top(small, full)
    previous = None
    for leaves in (2, 3, 4, 6, full.n_leaves + 1):
        grown = fit(table, criterion, max_leaf_nodes=leaves).tree_
        assert grown.n_leaves == min(leaves, full.n_leaves)
        assert same_top(grown, full)
        assert previous is None or same_top(previous, grown)
        previous = grown


@every_criterion
@fewer
@given(data=st.data())
def test_the_largest_decrease_is_divided_first(criterion: str, data: st.DataObject) -> None:
    """The open node of the largest decrease is divided next; of equals the one that was opened first."""
    table = data.draw(tables(criterion, min_rows=5), label="table")
    full = fit(table, criterion).tree_
    leaves = data.draw(st.integers(2, max(2, full.n_leaves)), label="leaves")
    grown = fit(table, criterion, max_leaf_nodes=leaves).tree_
    improvement = full.array("improvement")
    opened, divided = [full.root], set[int]()
    while len(divided) + 1 < min(leaves, full.n_leaves):
        waiting = [node for node in opened if node.number not in divided and not node.is_leaf]
        chosen = max(waiting, key=lambda node: improvement[node.number])
        divided.add(chosen.number)
        opened.extend(chosen.children)
    pairs, found = [(grown.root, full.root)], set[int]()
    while pairs:
        small, large = pairs.pop()
        if not small.is_leaf:
            found.add(large.number)
            pairs.extend(zip(small.children, large.children, strict=True))
    assert found == divided


@every_criterion
@fewer
@given(data=st.data())
def test_every_node_keeps_the_limits(criterion: str, data: st.DataObject) -> None:
    """Leaves are large and heavy enough, divided nodes too, and each division is worth it."""
    table = data.draw(tables(criterion), label="table")
    limits: dict[str, Any] = {
        "min_samples_leaf": data.draw(st.integers(1, 5), label="min_samples_leaf"),
        "min_samples_split": data.draw(st.integers(2, 9), label="min_samples_split"),
        "min_weight_fraction_leaf": data.draw(
            st.sampled_from([0.0, 0.1, 0.25]), label="min_weight_fraction_leaf"
        ),
        "min_impurity_decrease": data.draw(st.sampled_from([0.0, 0.01]), label="min_impurity_decrease"),
        "max_depth": data.draw(st.integers(1, 4), label="max_depth"),
        "nominal": data.draw(st.sampled_from(["subset", "one_vs_rest"]), label="nominal"),
    }
    tree = fit(table, criterion, **limits).tree_
    lightest = limits["min_weight_fraction_leaf"] * tree.root.weight * (1 - 1e-9)
    for node in tree.walk():
        assert node.depth <= limits["max_depth"]
        if node.parent is not None:
            assert node.n_rows >= limits["min_samples_leaf"]
            assert node.weight >= lightest
        if not node.is_leaf:
            assert node.n_rows >= limits["min_samples_split"]
            decrease = node.gain * node.weight / tree.root.weight
            assert decrease >= limits["min_impurity_decrease"] * (1 - 1e-9)
        if criterion == "poisson":
            assert node.value is not None
            assert node.value > 0 or node is tree.root


@every_criterion
@fewer
@given(data=st.data())
def test_limits_in_shares_of_the_rows(criterion: str, data: st.DataObject) -> None:
    """A share of the rows means that many rows, rounded up."""
    table = data.draw(tables(criterion), label="table")
    share = data.draw(st.sampled_from([0.05, 0.2, 0.5]), label="share")
    rows = max(1, math.ceil(share * len(table.counted)))
    assert (
        fit(table, criterion, min_samples_leaf=share).tree_
        == fit(table, criterion, min_samples_leaf=rows).tree_
    )


@every_criterion
@fewer
@given(data=st.data(), max_bins=st.integers(2, 5))
def test_buckets_limit_the_number_of_thresholds(criterion: str, max_bins: int, data: st.DataObject) -> None:
    """max_bins=k: the values of a column are cut in at most k - 1 different places, wherever it is asked."""
    table = data.draw(tables(criterion, kinds=["float", "integer"]), label="table")
    tree = fit(table, criterion, max_bins=max_bins).tree_
    # Thresholds in one gap between values cut in one place: a gap is known by the number of values below.
    places: dict[int, set[int]] = {}
    for node in tree.walk():
        if isinstance(node.question, Threshold):
            values = {table.columns[column_of(node)][row] for row in table.counted} - {None}
            below = sum(value <= threshold_of(node.question) for value in values)
            places.setdefault(column_of(node), set()).add(below)
    assert all(len(below) < max_bins for below in places.values())


def test_buckets_hold_about_equal_numbers_of_rows() -> None:
    """1,000 different values in 4 buckets: the thresholds are close to the quartiles."""
    X = np.random.default_rng(8).permutation(1000).reshape(-1, 1).astype(float)
    tree = estimator("squared_error", max_bins=4).fit(X, X.ravel()).tree_
    thresholds = sorted(n.question.threshold for n in tree.walk() if n.question is not None)
    assert thresholds == pytest.approx([249.5, 499.5, 749.5], abs=2)


# --- monotone constraints ---------------------------------------------------------------------------------


@pytest.mark.parametrize("direction", [1, -1])
@every_criterion
@fewer
@given(data=st.data())
def test_predictions_follow_the_direction_of_a_column(
    criterion: str, direction: int, data: st.DataObject
) -> None:
    """Whatever the other columns say, the prediction never goes against the constraint along a grid."""
    table = data.draw(
        tables(criterion, kinds=["ordered", "integer", "float", "nominal"], min_rows=8), label="table"
    )
    table = replace(
        table, kinds=("integer", *table.kinds), columns=(_small(table.n_rows, data), *table.columns)
    )
    options: dict[str, Any] = {}
    if criterion in CLASS_CRITERIA:
        table = replace(table, targets=tuple("a" if name == "a" else "b" for name in table.targets))
        assume(len(set(table.targets)) == 2)
        options["leaf"] = data.draw(st.sampled_from(["frequency", "laplace"]), label="leaf")
    options["max_leaf_nodes"] = data.draw(st.sampled_from([None, 4]), label="max_leaf_nodes")
    model = fit(table, criterion, monotonic_cst={"c0": direction}, **options)
    rows = table.frame()
    predicted = []
    for value in range(-1, 7):
        grid = rows.assign(c0=pd.array([value] * table.n_rows, dtype="Int64"))
        predicted.append(
            model.predict_proba(grid)[:, 1] if criterion in CLASS_CRITERIA else model.predict(grid)
        )
    steps = direction * np.diff(np.array(predicted), axis=0)
    assert (steps >= 0).all()


def _small(n_rows: int, data: st.DataObject) -> tuple[int, ...]:
    return tuple(byte % 6 for byte in data.draw(st.binary(min_size=n_rows, max_size=n_rows), label="c0"))


@every_criterion
@fewer
@given(data=st.data())
def test_free_columns_are_no_constraint(criterion: str, data: st.DataObject) -> None:
    """Zeros for every column: the tree without constraints."""
    table = data.draw(tables(criterion), label="table")
    free = [0] * len(table.kinds)
    assert fit(table, criterion, monotonic_cst=free).tree_ == fit(table, criterion).tree_


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
def test_a_question_against_the_direction_is_not_asked(criterion: str) -> None:
    """Targets that rise with the column: nothing to ask if they must fall, the free question otherwise."""
    x = np.arange(40.0).reshape(-1, 1)
    y = np.floor(x.ravel() / 3) + 1
    free, rising, falling = (
        estimator(criterion, max_depth=1, monotonic_cst=[d]).fit(x, y).tree_ for d in (0, 1, -1)
    )
    assert free == rising
    assert falling.root.is_leaf


@allow_one_leaf
@pytest.mark.parametrize("of_classes", [True, False], ids=["classes", "numbers"])
def test_default_trees_follow_the_direction_of_a_column(of_classes: bool) -> None:
    """Pruned or not: leaves that are drawn along the path stay within the bounds that growth gave them."""
    model_of: Any = TreeClassifier if of_classes else TreeRegressor
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(200, 2))
        y = X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=200)
        model = model_of(monotonic_cst=[1, 0]).fit(X, y > 0.5 if of_classes else y)
        steps = np.linspace(-3, 3, 60)
        for tree in (model, model.unpruned()):
            predict = (lambda rows: tree.predict_proba(rows)[:, 1]) if of_classes else tree.predict  # noqa: B023
            for other in np.linspace(-2, 2, 9):
                assert (np.diff(predict(np.column_stack([steps, np.full(60, other)]))) >= 0).all()
