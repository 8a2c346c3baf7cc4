"""Rows in nodes: who passes where, by hand, for every way of missing values.

That the figures agree with the core on random tables is shown in `tests/properties`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError, TreeClassifier, datasets
from arboretum._show.rows.node_rows import rows_in_nodes

X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1, 1, 0, 0]})
Y = np.array(["n", "n", "y", "y"])


def stump(**options: Any) -> Any:
    """A tree that asks a <= 2.5, with the answers n and y."""
    return unpruned_classifier(max_depth=1, **options).fit(X, Y).tree_


def test_counts_by_hand() -> None:
    tree = stump()
    rows = rows_in_nodes(tree, (pd.DataFrame({"a": [0.0, 2.0, 9.0], "b": [0, 0, 0]}), ["n", "y", "y"]))
    assert rows.leaf.tolist() == [1, 1, 2]
    assert rows.n_rows.tolist() == [3, 2, 1]
    assert rows.counts is not None
    assert rows.counts.tolist() == [[1, 2], [1, 1], [0, 1]]
    assert rows.loss.tolist() == [pytest.approx(2 / 3), 0.5, 0.0]  # the root would say n
    assert rows.mean is None
    assert [rows.rows_of(node).tolist() for node in range(3)] == [[0, 1, 2], [0, 1], [2]]


def test_numbers_by_hand() -> None:
    tree = unpruned_regressor(max_depth=1).fit(X, [1.0, 3.0, 20.0, 22.0]).tree_
    assert tree.root.children[0].value == 2.0
    rows = rows_in_nodes(tree, (X, [1.0, 5.0, 10.0, 20.0], [1.0, 3.0, 1.0, 1.0]))
    assert rows.mean is not None
    assert rows.mean.tolist() == [pytest.approx(46 / 6), 4.0, 15.0]
    assert rows.counts is None
    assert rows.weight.tolist() == [6, 4, 2]
    assert rows.loss[1] == pytest.approx((1 * (1 - 2) ** 2 + 3 * (5 - 2) ** 2) / 4)


def test_targets_far_from_zero_lose_no_digits() -> None:
    """Σ y² - n m² would be all rounding here, and means of leaves are rounded as well."""
    y = 1e9 + np.array([0.0, 1.0, 0.0, 1.0])
    tree = unpruned_regressor(max_depth=1).fit(X, y).tree_
    assert rows_in_nodes(tree, (X, y)).loss[0] == pytest.approx(0.25, rel=1e-9)


def test_nodes_without_rows_have_no_loss() -> None:
    rows = rows_in_nodes(stump(), (X[:2], Y[:2]))
    assert rows.n_rows.tolist() == [2, 2, 0]
    assert np.isnan(rows.loss[2])
    assert rows.rows_of(2).tolist() == []


def test_rows_of_weight_zero_are_listed_and_not_counted() -> None:
    rows = rows_in_nodes(stump(), (X, Y, [1.0, 0.0, 2.0, 1.0]))
    assert rows.leaf.tolist() == [1, 1, 2, 2]
    assert rows.n_rows.tolist() == [3, 1, 2]
    assert rows.rows_of(1).tolist() == [0]
    assert rows.weight.tolist() == [4, 1, 3]


def test_rows_that_surrogates_cannot_send_stay() -> None:
    """With rpart's strict rule a row without any value rests at the node that asked for it."""
    from arboretum import Surrogate

    tree = stump(missing=Surrogate(send="never"))
    blank = pd.DataFrame({"a": [np.nan, 1.0], "b": [np.nan, 1.0]})
    rows = rows_in_nodes(tree, (blank, ["n", "n"]))
    assert rows.leaf.tolist() == [0, 1]
    assert rows.n_rows.tolist() == [2, 1, 0]
    assert rows.weight.tolist() == [2, 1, 0]


def test_divided_rows_count_in_every_child_by_their_share() -> None:
    tree = stump(missing="fractional")
    table = pd.DataFrame({"a": [np.nan, 1.0], "b": [0, 0]})
    rows = rows_in_nodes(tree, (table, ["y", "n"], [3.0, 1.0]))
    assert rows.n_rows.tolist() == [2, 2, 1]
    assert rows.weight.tolist() == [4, 2.5, 1.5]
    assert rows.parts_of(1)[1].tolist() == [1.5, 1.0]
    assert rows.parts_of(0)[1].tolist() == [3.0, 1.0]


def test_parts_that_growth_lets_go_stay_where_they_are() -> None:
    """A million rows to one: the part of a divided row that would follow the one is no part of a row."""
    a = pd.DataFrame({"a": [0.0, 0.0, 0.0, 1.0], "b": 0})
    tree = stump(missing="fractional").replace((), "a <= 0.5", (a, list("nnny"), [1e6, 1e6, 1e6, 1.0]))
    rows = rows_in_nodes(tree, (pd.DataFrame({"a": [np.nan], "b": [0]}), ["y"]))
    assert rows.n_rows.tolist() == [1, 1, 0]
    assert rows.weight[0] == 1.0
    assert rows.weight[1] == pytest.approx(1 - 1 / 3e6)


def test_columns_are_found_by_name_and_others_ignored() -> None:
    rows = rows_in_nodes(stump(), (X[["b", "a"]].assign(z="?"), Y))
    assert rows.n_rows.tolist() == [4, 2, 2]
    with pytest.raises(DataError, match=r"X has 1 features, but the picture is expecting 2"):
        rows_in_nodes(stump(), (X[["a"]].to_numpy(), Y), owner="the picture")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (X, r"data is \(X, y\) or \(X, y, sample_weight\).*not DataFrame"),
        ((X,), r"not a tuple of 1"),
        ((X, None), r"y is None"),
        ((X, ["n", "n", "n", "z"]), r"the class 'z', which the tree does not know"),
        ((X, Y[:3]), r"X has 4 rows, but y has 3"),
        ((X[["a"]], Y), r"X lacks the column 'b'"),
        ((X, Y, [1, 1, 1, -1]), r"sample_weight of row 3 is -1"),
    ],
)
def test_bad_data_is_refused_in_one_sentence(data: Any, sentence: str) -> None:
    with pytest.raises(DataError, match=sentence):
        rows_in_nodes(stump(), data)


@pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
def test_training_rows_show_the_numbers_of_the_tree(missing: str) -> None:
    penguins, species = datasets.load_penguins()
    tree = TreeClassifier(missing=missing, prune=None).fit(penguins, species).tree_
    rows = rows_in_nodes(tree, (penguins, species))
    assert np.array_equal(rows.n_rows, tree.array("n_rows"))
    assert rows.counts is not None
    np.testing.assert_allclose(rows.counts, tree.array("counts"), rtol=1e-9, atol=1e-9)
    pruned = tree.prune_at(tree.root.children[0])
    again = rows_in_nodes(pruned, (penguins, species))
    assert np.array_equal(again.n_rows, pruned.array("n_rows"))
