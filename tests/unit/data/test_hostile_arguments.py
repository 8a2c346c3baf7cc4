"""Arguments that no one should give, which ended in errors of other libraries: found by fuzzing."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from support.trees import unpruned_classifier

import arboretum
from arboretum import DataError, DataTypeError, ParameterError, Tree, TreeClassifier, TreeMixed, TreeRegressor
from arboretum._data.levels import plain_level
from arboretum._data.rows import as_table, take_rows

X6 = np.arange(12.0).reshape(6, 2)
TEXT = ["a", "a", "a", "b", "b", "b"]
MODEL = unpruned_classifier().fit(X6, TEXT)


@pytest.mark.parametrize(
    ("y", "error"),
    [
        (TEXT[:5], DataError),
        ([1.5] * 6, DataError),
        (3, DataTypeError),
        (memoryview(b"aaabbb"), DataTypeError),
    ],
)
@pytest.mark.parametrize("model", [MODEL, arboretum.BaggedClassifier(n_trees=2).fit(X6, TEXT)])
def test_truth_that_cannot_be_compared(model: Any, y: Any, error: type[Exception]) -> None:
    """Scores were refused by scikit-learn, in words of its own."""
    with pytest.raises((DataError, DataTypeError), match="y cannot be compared") as caught:
        model.score(X6, y)
    assert " at 0x" not in str(caught.value)
    if model is MODEL:
        assert isinstance(caught.value, error)


def test_one_truth_for_all_rows() -> None:
    """One row of y was compared with every row of X."""
    model = TreeMixed(prune=None).fit(X6, pd.DataFrame({"a": TEXT, "b": range(6)}))
    with pytest.raises(DataError, match="X has 6 rows, but y has 1"):
        model.score(X6, pd.DataFrame({"a": ["a"], "b": [1]}))


@pytest.mark.parametrize("number", ["0", None, 0.0, (0,), np.timedelta64(0), np.array([0])])
def test_numbers_of_nodes(number: Any) -> None:
    """A duration was a whole number to NumPy, and the rest ended in errors of Python's."""
    with pytest.raises(ParameterError, match="is not the number of a node"):
        MODEL.tree_.node(number)


def test_durations_are_no_whole_numbers() -> None:
    """`max_depth=np.timedelta64(2)` was taken for 2."""
    with pytest.raises(ParameterError, match="max_depth"):
        TreeClassifier(max_depth=np.timedelta64(2)).fit(X6, TEXT)


def test_weights_that_can_be_read_once() -> None:
    """An iterator was taken for one weight."""
    with pytest.raises(DataTypeError, match="sample_weight is of type list_iterator"):
        TreeClassifier().fit(X6, TEXT, sample_weight=iter([1.0] * 6))


@pytest.mark.parametrize("option", ["categorical_features", "ordered_features"])
def test_arrays_without_dimensions(option: str) -> None:
    """They are iterable by their class, and cannot be iterated over."""
    with pytest.raises(ParameterError, match=f"{option}=1 is not a list"):
        TreeClassifier(**{option: np.array(1)}).fit(X6, TEXT)
    with pytest.raises(ParameterError, match="as the levels of 'x0'; give a list"):
        TreeClassifier(**{option: {"x0": np.array(1)}}).fit(X6, TEXT)
    with pytest.raises(ParameterError):
        arboretum.partial_dependence(MODEL, np.array(1), X6)


def test_values_that_cannot_be_compared() -> None:
    """A NaN that signals cannot be compared with a number, nor a duration without a unit be hashed."""
    assert plain_level(Decimal("sNaN")) == "sNaN"
    with pytest.raises(DataError, match="sample_weight of row 0 is Decimal"):
        TreeClassifier().fit(X6, TEXT, sample_weight=[Decimal("sNaN")] * 6)
    cells = np.empty((6, 1), dtype=object)
    cells[:, 0] = [np.timedelta64(1)] * 6
    with pytest.raises(DataError, match=r"Column 'x0' holds .*, which cannot be a level: "):
        TreeClassifier(categorical_features=[0]).fit(cells, TEXT)


def test_groups_that_cannot_be_looked_up() -> None:
    """Dicts ended in a TypeError of Python's."""
    with pytest.raises(DataTypeError, match=r"groups of row 0 is {}, of type dict"):
        TreeClassifier().fit(X6, TEXT, groups=[{}] * 6)


def test_columns_with_run_ends() -> None:
    """Arrow cannot take single rows from them."""
    runs = pc.run_end_encode(pa.array([1.0, 1.0, 2.0]))
    for table in (pa.table({"a": runs}), pa.record_batch({"a": runs})):
        found = take_rows(as_table(table)[0], np.array([0, 2]))
        assert found.column(0).to_pylist() == [1.0, 2.0]


def test_columns_with_swapped_bytes() -> None:
    """pandas cannot take single rows from them."""
    frame = pd.DataFrame({"a": np.array([1.0, 1.0, 2.0], dtype=">f8"), "b": ["x", "y", "z"]})
    found = take_rows(as_table(frame)[0], np.array([0, 2]))
    assert found["a"].tolist() == [1.0, 2.0]
    assert found["b"].tolist() == ["x", "z"]


def test_batches_with_two_columns_of_one_name() -> None:
    """narwhals refused them, in words of its own."""
    batch = pa.RecordBatch.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    with pytest.raises(DataError, match="more than one column with the name 'a'"):
        MODEL.predict(batch)


def test_trees_with_a_number_that_no_float_can_hold() -> None:
    """A whole number of 400 digits ended in an OverflowError."""
    document = json.loads(MODEL.tree_.to_json()) | {"shrinkage": 10**400}
    with pytest.raises(DataError, match=r"The tree's shrinkage is 1000"):
        Tree.from_json(json.dumps(document))


def test_importance_of_several_outputs() -> None:
    """A single truth was compared with all predictions of all outputs."""
    model = TreeRegressor(prune=None).fit(X6, X6)
    with pytest.raises(DataError, match="takes a model of one output"):
        arboretum.permutation_importance(model, X6, X6[:, 0])


@pytest.mark.parametrize("split", [np.eye(3), pa.array([1] * 30), np.array(iter([]), dtype=object)])
def test_messages_are_one_sentence(split: Any) -> None:
    """Arrays were printed on many lines, and objects with their place in memory."""
    with pytest.raises(ParameterError, match="is not allowed") as caught:
        arboretum.Experiment(X6, TEXT, split)
    assert "\n" not in str(caught.value)
    assert " at 0x" not in str(caught.value)
