"""The pruners take fitted models, trees of both kinds, and data frames; anything else is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from arboretum import TreeClassifier
from arboretum.errors import DataError, DataTypeError, ParameterError
from arboretum.reference import (
    Subtree,
    from_fitted,
    grow,
    grow_tree,
    prune_pessimistically,
    reduce_error,
    subtree_of,
    training_cost,
    tuning_tree,
    weakest_link_path,
)
from arboretum.reference.given import columns_of

RANDOM = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {
        "age": np.where(RANDOM.random(60) < 0.1, np.nan, RANDOM.integers(0, 9, 60)),
        "colour": pd.Categorical.from_codes(RANDOM.integers(-1, 3, 60), ["blue", "green", "red"]),
        "size": RANDOM.integers(2**33, 2**33 + 4, 60),
    }
)
Y = np.where(RANDOM.random(60) < 0.3, "a", np.where(FRAME["size"] > 2**33 + 1, "b", "a"))
COLUMNS = [
    [None if value != value else value for value in FRAME["age"].tolist()],
    [None if code < 0 else code for code in FRAME["colour"].cat.codes.tolist()],
    FRAME["size"].tolist(),
]
ROWS = list(zip(*COLUMNS, strict=True))
MODEL = TreeClassifier(prune=None).fit(FRAME, Y)
PLAIN = from_fitted(MODEL.tree_)


@pytest.mark.parametrize("tree", [MODEL, MODEL.tree_, PLAIN])
def test_weakest_links(tree: Any) -> None:
    path = weakest_link_path(tree)
    assert len(path) > 1
    assert path == weakest_link_path(subtree_of(PLAIN, training_cost))


@pytest.mark.parametrize("tree", [MODEL, MODEL.tree_])
@pytest.mark.parametrize("order", ["greedy", "leaves", "bottom_up"])
def test_reduced_error(tree: Any, order: str) -> None:
    """The tuning rows are a data frame, in another order of columns, or lists."""
    expected = reduce_error(tuning_tree(PLAIN, ROWS[:30], Y[:30].tolist()), order)
    assert expected.log
    tuning = FRAME[["size", "colour", "age"]].iloc[:30]
    assert reduce_error(tree, order, rows=tuning, targets=Y[:30]) == expected
    assert reduce_error(PLAIN, order, rows=ROWS[:30], targets=Y[:30].tolist()) == expected


@pytest.mark.parametrize("tree", [MODEL, MODEL.tree_])
def test_pessimistic(tree: Any) -> None:
    expected = prune_pessimistically(PLAIN, COLUMNS, Y.tolist())
    assert expected.log
    assert prune_pessimistically(tree, FRAME, pd.Series(Y)) == expected


def test_a_model_of_a_matrix_takes_rows() -> None:
    X, y = [[1], [2], [3], [4]], ["a", "b", "b", "a"]
    model = TreeClassifier(prune=None).fit(X, y)
    assert (
        reduce_error(model, rows=X, targets=y).log
        == reduce_error(from_fitted(model.tree_), rows=X, targets=y).log
    )
    expected = prune_pessimistically(from_fitted(model.tree_), [[1, 2, 3, 4]], y)
    assert prune_pessimistically(model, np.array(X), y) == expected


@pytest.mark.parametrize("dtype", ["float64", "Float64", object])
def test_a_frame_for_a_tree_of_lists(dtype: Any) -> None:
    frame = pd.DataFrame({"x": pd.Series([1.0, None, 3.0], dtype=dtype), "y": ["a", None, "b"]})
    tree = grow([[1.0, None, 3.0], ["a", None, "b"]], ["numeric", "nominal"], list("uvw"))
    assert columns_of(tree, frame) == [[1.0, None, 3.0], ["a", None, "b"]]
    rows = [[1.0, "a"], [None, None], [3.0, "b"]]
    expected = reduce_error(tree, rows=rows, targets=list("uvw"))
    assert reduce_error(tree, rows=frame, targets=list("uvw")) == expected


PRUNERS: dict[str, Callable[[Any], Any]] = {
    "weakest_link_path": weakest_link_path,
    "reduce_error": lambda tree: reduce_error(tree, rows=[[1]], targets=["a"]),
    "prune_pessimistically": lambda tree: prune_pessimistically(tree, [[1]], ["a"]),
}


class TestMessages:
    @pytest.mark.parametrize("name", PRUNERS)
    @pytest.mark.parametrize("wrong", [None, 3, "tree", TreeClassifier, grow_tree([{"a": 1}], ["x"], {})])
    def test_no_tree(self, name: str, wrong: Any) -> None:
        with pytest.raises(DataTypeError, match=f"{name} needs a fitted tree estimator, a Tree or a tree of"):
            PRUNERS[name](wrong)

    @pytest.mark.parametrize("name", PRUNERS)
    def test_not_fitted(self, name: str) -> None:
        with pytest.raises(NotFittedError):
            PRUNERS[name](TreeClassifier())

    def test_rows_are_missing(self) -> None:
        with pytest.raises(ParameterError, match="give rows= and targets= that were held aside"):
            reduce_error(MODEL)

    def test_costs_are_known(self) -> None:
        with pytest.raises(ParameterError, match="has its costs already"):
            reduce_error(Subtree(0, 1), rows=[[1]], targets=["a"])

    def test_lengths(self) -> None:
        with pytest.raises(DataError, match="There are 60 rows and 59 targets"):
            reduce_error(MODEL, rows=FRAME, targets=Y[:-1])
        with pytest.raises(DataError, match="There are 60 rows and 59 targets"):
            prune_pessimistically(MODEL, FRAME, Y[:-1])

    def test_a_table_of_another_type(self) -> None:
        with pytest.raises(DataTypeError, match="The table is of type int"):
            reduce_error(PLAIN, rows=3, targets=["a"])
