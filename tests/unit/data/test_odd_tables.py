"""Odd tables through the estimators: each gets a right result or a clear refusal.

They hold what real data bring along: nothing at all, one of everything, too much, or the wrong kind. Single
cells and columns are in test_reading_tables.py and test_refused_cells_and_columns.py, targets in
test_odd_targets.py.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from support.marks import allow_identifier, allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import ArboretumError, DataError, DataTypeError, TreeClassifier, TreeRegressor

X6 = np.arange(12.0).reshape(6, 2)
TEXT = ["a", "a", "a", "b", "b", "b"]


# Tables that are refused


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.zeros((0, 2)), DataError, "X has no rows"),
        (np.zeros((6, 0)), DataError, "X has no columns"),
        (pd.DataFrame({"a": []}), DataError, "X has no rows"),
        (pd.DataFrame(), DataError, "X has no columns"),
        (pl.DataFrame(), DataError, "X has no columns"),
        ([], DataError, "empty list"),
        (None, DataTypeError, "NoneType, which is not a table"),
        ((row for row in X6), DataTypeError, "generator, which is not a table"),
        ("table.csv", DataTypeError, "X is text, not a table"),
        (3, DataTypeError, "int, which is not a table"),
        ({"a": [1]}, DataTypeError, "X is a dictionary"),
        (np.zeros(6), DataError, "(?s)one dimension.*Reshape your data"),
        (np.zeros((6, 1, 1)), DataError, "X has 3 dimensions"),
        ([1, 2, 3], DataError, "single values"),
        (pd.Series(range(6)), DataError, "a pandas series"),
        ([[1, 2], [1], [1, 2]], DataError, "Row 1 of X has 1 value, but row 0 has 2"),
        (sparse.csr_matrix(X6), DataTypeError, "sparse data are not supported"),
        (sparse.coo_array(X6), DataTypeError, "sparse data are not supported"),
        (pl.DataFrame({"a": range(6)}).lazy(), DataTypeError, "lazy frame"),
        (X6 * 1j, DataError, "Complex data not supported: column 'x0'"),
        (pd.DataFrame({"a": [{"x": 1}] * 6}), DataTypeError, "Column 'a', row 0 holds {'x': 1} of type dict"),
        (pd.DataFrame({"a": [[1]] * 6}), DataTypeError, r"Column 'a', row 0 holds \[1\] of type list"),
        (pd.DataFrame(X6, columns=["a", "a"]), DataError, "more than one column with the name 'a'"),
        (pd.DataFrame(X6, columns=[1, "1"]), DataError, "more than one column with the name '1'"),
        ([[2**70], [2**71]], DataError, "the integer 1180591620717411303424, and 64 bits cannot hold"),
        (
            pd.DataFrame({"a": ["x", 1, 2.5]}, dtype=object),
            DataError,
            "Column 'a' is numeric, but 1 of 3 rows",
        ),
        (X6.astype("S"), DataTypeError, "(?s)Column 'x0' has the dtype .*bytes are no text"),
    ],
)
def test_tables_that_are_refused(X: Any, error: type[Exception], words: str) -> None:
    """Each is refused with an error of ours that says what was found."""
    with pytest.raises(error, match=words) as caught:
        TreeClassifier().fit(X, TEXT)
    assert isinstance(caught.value, ArboretumError)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.zeros((0, 2)), DataError, "X has no rows"),
        (None, DataTypeError, "NoneType, which is not a table"),
        ("table.csv", DataTypeError, "X is text, not a table"),
        (np.zeros(2), DataError, "one dimension"),
        (np.zeros((1, 3)), DataError, "X has 3 features, but TreeClassifier is expecting 2"),
        (sparse.csr_array(X6), DataTypeError, "sparse data are not supported"),
        (X6 * 1j, DataError, "Complex data not supported: column 'x0'"),
        ([[1, 2], [1]], DataError, "Row 1 of X has 1 value, but row 0 has 2"),
        ([[{}, 1]], DataTypeError, "Column 'x0', row 0 holds {} of type dict"),
        ([["x", 1]], DataError, "Column 'x0' was numeric when fitting, now holds text"),
    ],
)
def test_tables_that_are_refused_when_predicting(X: Any, error: type[Exception], words: str) -> None:
    """Predicting refuses the same things in the same words."""
    model = TreeClassifier().fit(X6, TEXT)
    with pytest.raises(error, match=words) as caught:
        model.predict(X)
    assert isinstance(caught.value, ArboretumError)


# Tables that are fine


@allow_one_leaf
def test_one_row() -> None:
    """One row is a tree of one leaf, which predicts it."""
    assert TreeClassifier().fit([[1.0, "x"]], ["a"]).predict([[9.0, "y"]]) == ["a"]
    assert TreeRegressor().fit([[1.0]], [7.5]).predict([[9.0]]) == [7.5]


@allow_one_leaf
def test_one_class() -> None:
    """A target that never varies is learnt at once; its probability is 1."""
    model = TreeClassifier(loss=[[0]], leaf="laplace").fit(X6, ["z"] * 6)
    assert len(model.tree_) == 1
    np.testing.assert_array_equal(model.predict_proba(X6), np.ones((6, 1)))
    assert len(TreeRegressor().fit(X6, [2.0] * 6).tree_) == 1


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA, pd.NaT])
def test_a_column_that_is_missing_throughout(nothing: Any) -> None:
    """It is never asked about, and may hold anything missing when predicting."""
    X = pd.DataFrame({"a": [nothing] * 6, "b": range(6)})
    model = unpruned_classifier().fit(X, TEXT)
    assert [str(node.question) for node in model.tree_.walk() if not node.is_leaf] == ["b <= 2.5"]
    np.testing.assert_array_equal(model.predict(X), TEXT)


@allow_one_leaf
@pytest.mark.parametrize(
    "X",
    [
        np.full((6, 2), np.nan),
        pd.DataFrame({"a": [None] * 6}),
        pl.DataFrame({"a": [None] * 6}),
        pa.table({"a": pa.nulls(6)}),
    ],
)
def test_all_columns_missing_throughout(X: Any) -> None:
    """Nothing can be asked: one leaf, even shares, and the first class."""
    model = TreeClassifier().fit(X, TEXT)
    assert len(model.tree_) == 1
    np.testing.assert_array_equal(model.predict_proba(X), np.full((6, 2), 0.5))


def test_infinities_are_values() -> None:
    """They lie at the ends of the order, apart from what is missing."""
    X, y = np.array([[-np.inf], [np.inf], [np.nan], [1.0], [2.0]]), ["low", "high", "none", "mid", "mid"]
    model = unpruned_classifier().fit(X, y)
    assert model.predict(X).tolist() == y
    assert model.predict([[-1e308]]) == ["mid"], "no finite number is as low as minus infinity"
    assert unpruned_classifier(missing="error").fit(X[[0, 1, 3, 4]], ["l", "h", "m", "m"]).predict(
        [[np.inf]]
    ) == ["h"]


def test_huge_whole_numbers_are_told_apart() -> None:
    """Neighbours beyond 2**53, which no double tells apart; unsigned ones beyond 2**63."""
    for low in (2**53, 2**62 + 1, -(2**63), 2**63, 2**64 - 2):
        dtype = np.uint64 if low >= 2**63 else np.int64
        X = np.array([[low], [low + 1]], dtype=dtype)
        model = unpruned_classifier().fit(X, ["a", "b"])
        assert model.predict(X).tolist() == ["a", "b"]
        assert str(low) in str(model.tree_)


def test_names_that_are_no_text() -> None:
    """Numbers, tuples and dates as names are used as text."""
    for names in ([1, 2], [("a", 1), ("a", 2)], [dt.date(2024, 1, 1), dt.date(2025, 1, 1)]):
        frame = pd.DataFrame(X6, columns=pd.Index(names, tupleize_cols=False))
        model = unpruned_classifier().fit(frame, TEXT)
        assert list(model.feature_names_in_) == [str(name) for name in names]
        np.testing.assert_array_equal(model.predict(frame), TEXT)


def layouts() -> dict[str, Any]:
    """Return the same six rows in every layout that memory can have."""
    wide = np.zeros((12, 4))
    wide[::2, ::2] = X6
    frozen = X6.copy()
    frozen.setflags(write=False)
    backwards = X6[::-1, ::-1].copy()[::-1, ::-1]
    return {
        "C": X6,
        "F": np.asfortranarray(X6),
        "read-only": frozen,
        "strided": wide[::2, ::2],
        "backwards": backwards,
        "big-endian": X6.astype(">f8"),
        "float32": X6.astype(np.float32),
        "float16": X6.astype(np.float16),
        "longdouble": X6.astype(np.longdouble),
        "int8": X6.astype(np.int8),
        "objects": X6.astype(object),
        "list": X6.tolist(),
        "tuples": tuple(map(tuple, X6.tolist())),
        "unaligned": np.frombuffer(b"\0" + X6.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(6, 2),
        "broadcast": np.broadcast_to(X6[:, :1], (6, 2)),
    }


@pytest.mark.parametrize("layout", layouts())
def test_layouts(layout: str) -> None:
    """The same numbers give the same questions however they lie in memory, and are left as they were."""
    X = layouts()[layout]
    before = np.array(X, dtype=np.float64)
    model = unpruned_classifier().fit(X, TEXT)
    assert str(model.tree_.root.question) == "x0 <= 5"
    np.testing.assert_array_equal(model.predict(X), TEXT)
    np.testing.assert_array_equal(np.array(X, dtype=np.float64), before)


def test_odd_texts() -> None:
    """Empty text, spaces, signs of all kinds and a zero byte are levels like any other."""
    levels = ["", " ", "a", "a\0", "ä", "😀", "x" * 10_000, "nan", "None"]
    model = unpruned_classifier().fit(pd.DataFrame({"x ≤ 3": levels * 2}), list(range(9)) * 2)
    assert model.predict(pd.DataFrame({"x ≤ 3": levels})).tolist() == list(range(9))


def test_many_columns() -> None:
    """5,000 columns of 200 rows: the one that matters is found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5_000)).astype(np.float32)
    model = unpruned_classifier(max_depth=2).fit(X, X[:, 4_321] > 0)
    assert model.tree_.root.question.column == "x4321"
    assert model.score(X, X[:, 4_321] > 0) == 1.0


def test_many_levels() -> None:
    """50,000 levels in 60,000 rows: one question parts them, and an unknown level does no harm."""
    rng = np.random.default_rng(0)
    number = np.concatenate([np.arange(50_000), rng.integers(0, 50_000, 10_000)])
    X = pd.DataFrame({"level": np.array([f"level {i}" for i in range(50_000)], dtype=object)[number]})
    model = unpruned_classifier().fit(X, number % 2)
    assert len(model.tree_) == 3
    np.testing.assert_array_equal(model.predict(X), number % 2)
    assert model.predict(pd.DataFrame({"level": ["unknown"]})).shape == (1,)
    assert len(str(model.tree_)) < 1_000, "a question of 25,000 levels prints a few of them"


@allow_identifier
def test_a_level_per_row() -> None:
    """100,000 levels, each once, as a number column made nominal."""
    y = np.arange(100_000) % 3 == 0
    model = unpruned_regressor(categorical_features=[0], max_depth=1).fit(np.arange(100_000)[:, None], y)
    np.testing.assert_array_equal(model.predict(np.arange(100_000)[:, None]), y)


@pytest.mark.parametrize("name", ["todense", "toarray", "tocsr", "columns", "to_dict"])
def test_a_column_may_be_called_like_a_method(name: str) -> None:
    """pandas shows columns as attributes: a table with a column "todense" was taken for a sparse matrix."""
    X = pd.DataFrame({name: [1.0, 2.0, 3.0, 4.0], "tocsr2": [0.0, 0.0, 1.0, 1.0]})
    assert TreeClassifier(prune=None).fit(X, ["a", "a", "b", "b"]).score(X, ["a", "a", "b", "b"]) == 1.0


def test_cells_that_are_no_values() -> None:
    """The sentence spoke of cell arguments, as a function would; it names what cells may hold."""
    with pytest.raises(DataTypeError) as refusal:
        TreeClassifier().fit(pd.DataFrame({"a": [{"x": 1}, {"x": 2}]}), ["p", "q"])
    assert str(refusal.value) == (
        "Column 'a', row 0 holds {'x': 1} of type dict, but cells hold text, numbers, booleans, dates or "
        "durations.\nHint: spread nested values over several columns, decode bytes to text."
    )
