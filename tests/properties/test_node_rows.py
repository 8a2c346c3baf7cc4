"""Rows in nodes and what they are asked: the counts add up, and bins and bars agree with the core's routing.

The other table has the same columns and other rows, so that nodes may be empty and levels unexpected. What a
distribution of a given table looks like is shown in `tests/unit`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.composites import COLUMNS, TREE, frame, plain_leaf
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import CRITERIA, Table, tables
from support.trees import fit, rows_of_nodes

from arboretum import Tree
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._show.rows.distribution import Distribution, distribution, target_distribution
from arboretum._show.rows.node_rows import NodeRows, rows_in_nodes
from arboretum._tree.tree import core_dataset

fewer = settings(max_examples=few(0.5))
WAYS = [
    ("category", "subset"),
    ("category", "multiway"),
    ("surrogate", "one_vs_rest"),
    ("fractional", "subset"),
    ("fractional", "multiway"),
]


def in_nodes(tree: Tree, table: Table) -> NodeRows:
    """The rows of a table in the nodes, those that the tree can learn from."""
    weights = None if table.weights is None else np.array(table.weights)
    return rows_in_nodes(tree, (table.frame(), np.array(table.targets), weights))


def another(table: Table, rows: list[int]) -> Table:
    """A table of other rows: each column is turned by another number of places."""
    turned = tuple(
        tuple(column[(row + 3 * place) % table.n_rows] for row in range(table.n_rows))
        for place, column in enumerate(table.columns)
    )
    return Table(table.kinds, turned, table.targets, table.weights, table.exact).take(rows)


def check_sums(tree: Tree, rows: NodeRows) -> None:
    """What passes a node is what its children get and what rests there."""
    parent, n_children = tree.array("parent"), tree.array("n_children")
    below = np.zeros(len(tree))
    np.add.at(below, parent[1:], rows.weight[1:])
    if tree.missing == "child":
        np.testing.assert_allclose(below[n_children > 0], rows.weight[n_children > 0], rtol=1e-12)
    assert (below <= rows.weight * (1 + 1e-9) + 1e-12).all()
    counting = rows.weights > 0
    if tree.missing == "fractions":
        assert rows.n_rows[0] == counting.sum()
        shares = tree._router.blend(core_dataset(rows.table), np.eye(len(tree)))
        leaves = n_children == 0  # but for the parts that are let go
        np.testing.assert_allclose(rows.weight[leaves], (rows.weights @ shares)[leaves], rtol=1e-4, atol=1e-4)
    else:
        resting = np.bincount(rows.leaf[counting], minlength=len(tree))
        at_children = np.zeros(len(tree), dtype=np.int64)
        np.add.at(at_children, parent[1:], rows.n_rows[1:])
        assert np.array_equal(at_children + resting, rows.n_rows)
    for node in range(len(tree)):
        here, weight = rows.parts_of(node)
        assert len(here) == rows.n_rows[node]
        assert (np.diff(here) > 0).all()
        assert weight.sum() == pytest.approx(rows.weight[node], rel=1e-12)
        check_figures(tree, rows, node, here, weight)


def check_figures(tree: Tree, rows: NodeRows, node: int, here: Any, weight: Any) -> None:
    """The figures of a node are those of the rows that are listed there."""
    target = rows.targets[here]
    if not len(here):
        assert np.isnan(rows.loss[node])
        return
    if rows.counts is not None:
        mix = np.bincount(target, weights=weight, minlength=rows.counts.shape[1])
        np.testing.assert_allclose(rows.counts[node], mix, rtol=1e-12)
        cost: Any = target != tree.array("label")[node]
    else:
        assert rows.mean is not None
        assert rows.mean[node] == pytest.approx(np.average(target, weights=weight), rel=1e-9, abs=1e-9)
        cost = (target - tree.array("value")[node]) ** 2
    assert rows.loss[node] == pytest.approx(np.average(cost, weights=weight), rel=1e-9, abs=1e-9)


def by_child(found: Distribution, n_children: int) -> Any:
    """The weights that a distribution shows for each child; those that it does not tell come last."""
    weight = found.counts.sum(axis=1)
    if found.kind == "bars":
        assert found.child is not None
        assert found.names is not None
        assert len(found.names) == len(found.child) == len(found.counts) > 0
        place = np.where(found.child < 0, n_children, found.child)
        return np.bincount(place, weights=weight, minlength=n_children + 1)
    assert found.edges is not None
    assert found.cut is not None
    assert (np.diff(found.edges) > 0).all()
    assert np.isfinite(found.edges).all()
    assert len(found.edges) == len(found.counts) + 1
    left = found.edges[1:] <= found.cut
    assert (left | (found.edges[:-1] >= found.cut)).all()  # no bin straddles the cut
    assert all(found.edges[0] <= place <= found.edges[-1] for place, _ in found.ticks)
    return np.array([weight[left].sum(), weight[~left].sum(), 0.0])


def check_distributions(tree: Tree, rows: NodeRows, **limits: int) -> int:
    """Bins and bars show every row once, on the side on which the core sends it; returns how many nodes."""
    n_seen = 0
    for node in tree.walk():
        found = distribution(tree, node.number, rows, **limits)
        assert (found is None) == (node.is_leaf or rows.n_rows[node.number] == 0)
        if found is None:
            continue
        n_seen += 1
        shown = by_child(found, len(node.children))
        whole = shown.sum() + found.missing.sum()
        assert whole == pytest.approx(rows.weight[node.number], rel=1e-12)
        if rows.counts is not None:
            mix = found.counts.sum(axis=0) + found.missing
            np.testing.assert_allclose(mix, rows.counts[node.number], rtol=1e-12, atol=1e-12)
        children = rows.weight[[child.number for child in node.children]]
        if tree.missing == "child":
            assert node.question is not None
            shown[node.question.missing_child] += found.missing.sum()
            assert shown[-1] == 0
            np.testing.assert_allclose(shown[:-1], children, rtol=1e-12)
        else:  # what is missing or not told is sent on in ways that no axis shows
            assert (shown[:-1] <= children * (1 + 1e-9) + 1e-12).all()
    return n_seen


@allow_one_leaf
@pytest.mark.parametrize("criterion", CRITERIA)
@fewer
@given(data=st.data())
def test_rows_and_distributions_agree_with_the_core(criterion: str, data: st.DataObject) -> None:
    missing, nominal = data.draw(st.sampled_from(WAYS), label="missing, nominal")
    table = data.draw(tables(criterion, min_rows=2), label="table")
    tree = fit(table, criterion, missing=missing, nominal=nominal).tree_
    rows = in_nodes(tree, table)
    assert np.array_equal(rows.n_rows, tree.array("n_rows"))
    np.testing.assert_allclose(rows.weight, tree.array("weight"), rtol=1e-9)
    if rows.counts is not None:
        np.testing.assert_allclose(rows.counts, tree.array("counts"), rtol=1e-9, atol=1e-9)
    if (missing, nominal) == ("category", "subset"):
        plain = rows_of_nodes(table, tree)
        assert all(rows.rows_of(node).tolist() == sorted(plain[node]) for node in plain)
    chosen = st.lists(st.integers(0, table.n_rows - 1), min_size=1, max_size=12)
    other = another(table, data.draw(chosen, label="rows"))
    if other.weights is not None and not any(other.weights):
        other = Table(other.kinds, other.columns, other.targets, None, other.exact)
    bins, bars = data.draw(st.sampled_from([(24, 20), (2, 3), (1, 1)]), label="bins, bars")
    for some in (rows, in_nodes(tree, other)):
        check_sums(tree, some)
        check_distributions(tree, some, bins=bins, bars=bars)
        if criterion not in CLASS_CRITERIA:
            for node in range(len(tree)):
                found = target_distribution(tree, node, some, bins=bins)
                assert found.counts.sum() == pytest.approx(some.weight[node])
                assert found.edges is not None
                assert (np.diff(found.edges) > 0).all()


numbers = st.sampled_from([None, -2.0, -0.25, 0.0, 0.5, 0.75, 3.0, float("inf"), -float("inf")])
composite_rows = st.tuples(
    numbers,
    st.sampled_from([None, -1, 0, 1, 2, 5]),
    st.sampled_from([None, 0, 86_400, 10**9]),
    st.sampled_from([None, 0, 1, 2]),
    st.sampled_from([None, 0, 1, 2]),
)


@given(given_rows=st.lists(composite_rows, min_size=1, max_size=30))
def test_questions_about_several_columns_agree_with_the_core(given_rows: list[Any]) -> None:
    """Thresholds, at-least-m-of and sums, with missing and infinite values, against the plain way down."""
    y = np.where(np.arange(len(given_rows)) % 3 == 0, "yes", "no")
    rows = rows_in_nodes(TREE, (frame(given_rows), y))
    assert rows.leaf.tolist() == [plain_leaf(TREE, row, COLUMNS) for row in given_rows]
    check_sums(TREE, rows)
    assert check_distributions(TREE, rows) >= 2
