"""The algorithms of the notes read data frames as well as lists of dicts, and refuse anything else."""

from __future__ import annotations

from typing import Any, cast

import pandas as pd
import pytest

from arboretum import ArboretumError, datasets, reference

ROWS = [{"a": 1, "b": True}, {"a": 2, "b": False}, {"a": 3, "b": False}]
TARGETS = ["x", "y", "y"]
KINDS = {"a": "numeric", "b": "nominal"}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_data_frames_grow_the_same_trees(backend: str) -> None:
    days, play = datasets.load_tennis(backend=backend)
    frame, series = datasets.load_tennis(backend="pandas")
    rows, targets = frame.to_dict("records"), series.tolist()
    columns = reference.levels_of(rows)
    kinds = dict.fromkeys(columns, "nominal")
    assert reference.levels_of(days) == columns
    assert reference.grow_tree(days, play, columns) == reference.grow_tree(rows, targets, columns)
    assert reference.make_subtree(days, play, kinds) == reference.make_subtree(rows, targets, kinds)
    literals = reference.determine_candidate_literals(days, play, kinds)
    assert reference.climb(days, play, literals) == reference.climb(rows, targets, literals)
    assert reference.best_split(days, play, columns) == "outlook"


def test_yes_and_no_in_a_data_frame() -> None:
    frame = pd.DataFrame({"p": [True, True, False, False], "q": [True, False, True, False]})
    tree = reference.decision_tree_train(frame, pd.Series(list("abab")), ["p", "q"])
    assert tree == reference.decision_tree_train(frame.to_dict("records"), list("abab"), ["p", "q"])
    assert tree.column == "q"
    assert reference.decision_tree_test(tree, {"p": True, "q": False}) == "b"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: reference.grow_tree([], [], {}), "grow_tree is given no rows"),
        (lambda: reference.grow_tree(ROWS, ["x"], {"a": [1, 2, 3]}), "3 rows and 1 targets"),
        (lambda: reference.grow_tree(3, ["x"], {}), "Rows are of type int; give a list of dicts or a data"),
        (lambda: reference.grow_tree(cast("Any", [[1, 2]]), ["x"], {}), "A row is of type list; it must be"),
        (lambda: reference.best_split(ROWS, TARGETS, {"bb": [1]}), "names 'bb', which the rows lack"),
        (lambda: reference.best_split(ROWS, TARGETS, ["a"]), "columns is of type list; it must be a dict"),
        (lambda: reference.make_subtree(ROWS, TARGETS, {"a": "numric"}), "Did you mean 'numeric'"),
        (lambda: reference.determine_candidate_numeric_splits(ROWS, TARGETS, "c"), "column names 'c'"),
        (lambda: reference.find_m_of_n(ROWS, TARGETS, []), "literals is empty"),
        (lambda: reference.decision_tree_train(ROWS, TARGETS, ["c"]), "remaining names 'c'"),
        (lambda: reference.decision_tree_train(ROWS, TARGETS, "b"), "remaining is a text"),
        (lambda: reference.decision_tree_train(ROWS, TARGETS, ["a"]), "'a' holds [23]; .* yes and no"),
        (lambda: reference.levels_of(pd.DataFrame({"a": ["u", None]})), "missing value in row 1"),
    ],
)  # fmt: skip
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises(ArboretumError, match=words):
        call()
