"""Odd targets and weights through the estimators: each gets a right result or a clear refusal.

A container is whatever holds one target per row: a list, an array, a series of any library. Tables are in
test_odd_tables.py.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError, TreeClassifier, TreeRegressor

X6 = np.arange(12.0).reshape(6, 2)
TEXT = ["a", "a", "a", "b", "b", "b"]
PRUNE = [None, "cost_complexity"]


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


# Targets


@pytest.mark.parametrize(
    "y",
    [
        TEXT,
        tuple(TEXT),
        np.array(TEXT),
        np.array(TEXT, dtype=object),
        np.array(TEXT, dtype=np.dtypes.StringDType()),
        np.ma.array(TEXT, mask=[False] * 6),
        pd.Series(TEXT, index=range(10, 16)),
        pd.Series(TEXT, dtype="category"),
        pd.Series(TEXT, dtype=pd.CategoricalDtype(["b", "a", "never"], ordered=True)),
        pd.Series(TEXT, dtype="string"),
        pd.Series(TEXT, dtype=object),
        pd.Categorical(TEXT),
        pl.Series(TEXT),
        pl.Series(TEXT, dtype=pl.Categorical),
        pl.Series(TEXT, dtype=pl.Enum(["b", "a"])),
        pa.array(TEXT),
        pa.chunked_array([TEXT[:2], TEXT[2:]]),
        pa.array(TEXT).dictionary_encode(),
    ],
    ids=lambda y: f"{type(y).__module__.split('.')[0]}.{type(y).__name__} {getattr(y, 'dtype', '')}",
)
def test_text_as_target(y: Any) -> None:
    """Text is the same target in every container: classes in alphabetical order, plain text comes back."""
    model = unpruned_classifier().fit(X6, y)
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict(X6).tolist() == TEXT
    assert {type(label) for label in model.predict(X6).tolist()} == {str}


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([True, True, True, False, False, False], [False, True]),
        (pd.Series([True, True, True, False, False, False], dtype="boolean"), [False, True]),
        (pd.Series([2, 2, 2, 1, 1, 1], dtype="Int64"), [1, 2]),
        (np.array([2, 2, 2, 1, 1, 1], dtype=np.uint8), [1, 2]),
        (np.array([2, 2, 2, -1, -1, -1], dtype=np.float32), [-1.0, 2.0]),
        ([2**70] * 3 + [2**71] * 3, [2**70, 2**71]),
        (range(6), [0, 1, 2, 3, 4, 5]),
        ([Colour.RED] * 3 + [Colour.BLUE] * 3, ["blue", "red"]),
    ],
)
def test_other_classes(y: Any, classes: list[Any]) -> None:
    """Truth values, whole numbers of any size and type, and enumerations of text are classes."""
    model = unpruned_classifier().fit(X6, y)
    assert model.classes_.tolist() == classes
    assert {type(label) for label in model.tree_.target.classes} <= {bool, int, float, str}, (
        "plain values only"
    )
    assert model.predict(X6).tolist() == list(y)


@pytest.mark.parametrize(
    "y",
    [
        [1, 2, 3, 4, 5, 6],
        [True, False, True, True, False, False],
        [Decimal("0.1"), Decimal(2), Decimal(3), Decimal(4), Decimal(5), Decimal(6)],
        [Fraction(1, 3), 2, 3, 4, 5, 6],
        pd.Series([1.5, 2, 3, 4, 5, 6], dtype="Float64"),
        pl.Series([1, 2, 3, 4, 5, 6], dtype=pl.UInt8),
        pa.array([1, 2, 3, 4, 5, 6]),
        np.array([1, 2, 3, 4, 5, 6], dtype=">f4"),
        [2**70, 2, 3, 4, 5, 6],
    ],
)
def test_numbers_as_target(y: Any) -> None:
    """Numbers of every type are learnt as doubles."""
    np.testing.assert_array_equal(
        unpruned_regressor().fit(X6, y).predict(X6), [float(value) for value in list(map(_plain, y))]
    )


def _plain(value: Any) -> Any:
    return value.as_py() if hasattr(value, "as_py") else value


MISSING_TARGETS = [
    ["a", "a", float("nan"), "b", "b", "b"],
    ["a", "a", None, "b", "b", "b"],
    [1.0, 1.0, float("nan"), 2.0, 2.0, 2.0],
    [1, 1, None, 2, 2, 2],
    pd.Series(["a", "a", None, "b", "b", "b"], dtype="category"),
    pd.Series(["a", "a", pd.NA, "b", "b", "b"], dtype="string"),
    pd.Series([True, True, pd.NA, False, False, False], dtype="boolean"),
    pl.Series([1, 1, None, 2, 2, 2]),
    pa.array([1, 1, None, 2, 2, 2]),
    pd.to_datetime(pd.Series(["2024", "2024", None, "2025", "2025", "2025"])),
    np.ma.array([1, 1, 1, 2, 2, 2], mask=[0, 0, 1, 0, 0, 0]),
]


@pytest.mark.parametrize("y", MISSING_TARGETS)
@pytest.mark.parametrize("estimator", [TreeClassifier(), TreeRegressor()])
def test_missing_targets(y: Any, estimator: Any) -> None:
    """A missing target is refused with its row, whatever it looks like; NaN among text is not "nan"."""
    with pytest.raises(
        DataError, match=r"Input y contains NaN: the target is missing in 1 of 6 rows \(first: row 2\)"
    ):
        estimator.fit(X6, y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "requires y to be passed, but the target y is None"),
        ([0, 1], "X has 6 rows, but y has 2"),
        ([], "X has 6 rows, but y has 0"),
        ({"a", "b"}, "y should be a 1d array, got set"),
        ("abcdef", "y should be a 1d array, got str"),
        ((value for value in TEXT), "y should be a 1d array, got generator"),
        (7, "y should be a 1d array, got int"),
        (sparse.csr_matrix(np.ones((6, 1))), "y should be a 1d array, got csr_matrix"),
        (pl.DataFrame({"y": TEXT}).lazy(), "y should be a 1d array, got LazyFrame"),
    ],
)
@pytest.mark.parametrize("estimator", [TreeClassifier(), TreeRegressor()])
def test_targets_of_a_wrong_shape(y: Any, words: str, estimator: Any) -> None:
    """One target per row, and for every row one."""
    with pytest.raises(DataError, match=words):
        estimator.fit(X6, y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (["a", 1, 2, "b", "b", "b"], "The target mixes text with 'int'"),
        (
            np.array(["a", 1.5, True, "b", "b", "b"], dtype=object),
            "The target mixes text with 'bool', 'float'",
        ),
        ([0.1, 0.2, 0.3, 1, 2, 3], "Unknown label type: continuous. Row 0 of the target holds 0.1"),
        ([0, 0, 0, 1, 1, np.inf], "Input y contains infinity: the target of row 5 is inf"),
        ([1j] * 6, "Unknown label type: row 0 of the target holds 1j, of type complex"),
        (np.array([1j] * 6), "Unknown label type: the target has the dtype complex128"),
        ([b"a"] * 6, "Unknown label type: row 0 of the target holds b'a', of type bytes"),
        (np.array(TEXT, dtype="S"), r"Unknown label type: the target has the dtype \|S1"),
        ([{"x": 1}] * 6, "Unknown label type: row 0 of the target holds {'x': 1}, of type dict"),
        ([dt.date(2024, 1, 1)] * 6, "Unknown label type: row 0 .* of type date"),
        (pd.date_range("2024", periods=6), "Unknown label type: the target has the dtype datetime64"),
        ([Decimal(1)] * 6, "Unknown label type: row 0 .* of type Decimal"),
        ([[1], [1, 2], [1], [2], [2], [2]], r"Unknown label type: row 0 .* holds \[1\], of type list"),
    ],
)
def test_targets_that_are_no_classes(y: Any, words: str) -> None:
    """What is neither text nor a whole number nor a truth value is refused with the first such row."""
    with pytest.raises(DataError, match=words):
        TreeClassifier().fit(X6, y)


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (TEXT, "The target should be a number, but row 0 holds 'a'"),
        (["1", "2", "3", "4", "5", "6"], "The target should be a number, but row 0 holds '1'"),
        ([1, 2, 3, "4", 5, 6], "The target should be a number, but row 3 holds '4'"),
        (np.array([1j] * 6), "Complex data not supported"),
        (pd.date_range("2024", periods=6), "The target should be a number, but row 0 holds"),
        ([1, 2, 3, 4, 5, np.inf], "infinity or a value too large for dtype.*row 5 holds inf"),
        ([1, 2, 3, 4, 5, 10**400], "infinity or a value too large.*row 5 holds 1000.*…"),
        ([1, 2, 3, 4, 5, -1e200], r"row 5 holds -1e\+200, and targets lie between -1e\+100 and 1e\+100"),
    ],
)
def test_targets_that_are_no_numbers(y: Any, words: str) -> None:
    """Text is never read as a number, and what a double cannot hold is refused."""
    with pytest.raises(DataError, match=words):
        TreeRegressor().fit(X6, y)


def test_targets_of_counts() -> None:
    """Poisson needs targets that can be counts."""
    with pytest.raises(
        DataError, match=r"criterion='poisson' needs targets that are not negative, but y holds -1\.0"
    ):
        TreeRegressor(criterion="poisson").fit(X6, [1, 2, 3, 4, 5, -1])
    with pytest.raises(DataError, match="criterion='poisson' needs a positive target, but all of y is zero"):
        TreeRegressor(criterion="poisson").fit(X6, [0] * 6)
    weights = [1, 1, 1, 1, 1, 0]
    assert (
        TreeRegressor(criterion="poisson")
        .fit(X6, [1, 2, 3, 4, 5, -1], sample_weight=weights)
        .tree_.root.n_rows
        == 5
    )


@pytest.mark.parametrize("y", [np.array(TEXT)[:, None], pd.DataFrame({"y": TEXT}), pl.DataFrame({"y": TEXT})])
def test_a_target_in_a_column(y: Any) -> None:
    """A table of one column is taken, with scikit-learn's warning, which points at the caller's line."""
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        model = unpruned_classifier().fit(X6, y)
    assert model.predict(X6).tolist() == TEXT
    assert caught[0].filename == __file__


def test_too_many_classes() -> None:
    """20,000 classes are an identifier, or a number."""
    with pytest.raises(
        DataError, match="The target has 20,000 different values, more than the 1,000 classes"
    ):
        TreeClassifier().fit(np.zeros((20_000, 1)), np.arange(20_000))


def test_many_classes() -> None:
    """A thousand classes are learnt."""
    y = np.arange(1_000) // 2
    model = unpruned_classifier().fit(np.arange(1_000.0)[:, None], y)
    assert model.score(np.arange(1_000.0)[:, None], y) == 1.0


# Weights


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, 1, -1, 1, 1, 1], "sample_weight of row 2 is -1; weights are finite and not negative"),
        ([1, 1, np.nan, 1, 1, 1], "sample_weight of row 2 is nan; weights are finite"),
        ([1, 1, 1, np.inf, 1, 1], "sample_weight of row 3 is inf; weights are finite"),
        (
            [1, 1, 1, 1e300, 1, 1],
            r"sample_weight of row 3 is 1e\+300; weights are finite .* 0, or from 1e-100 to 1e\+100",
        ),
        (
            [1, 1, 1, 1, 1e-300, 1],
            r"sample_weight of row 4 is 1e-300; weights are finite .* 0, or from 1e-100 to 1e\+100",
        ),
        ([1, 1, 1], r"sample_weight.shape == \(3,\), but X has 6 rows"),
        (np.ones((6, 2)), r"Sample weights must be 1D array or scalar; sample_weight has shape \(6, 2\)"),
        ([0] * 6, "sample_weight is zero in every row"),
        (0, "sample_weight is zero in every row"),
        (["1"] * 6, "sample_weight of row 0 is '1'; weights are numbers"),
        ([1, None, 1, 1, 1, 1], "sample_weight of row 1 is None; weights are numbers"),
        (pd.Series([1, pd.NA, 1, 1, 1, 1], dtype="Int64"), "sample_weight of row 1 is"),
        (np.array([1j] * 6), "sample_weight of row 0 is 1j; weights are numbers"),
        ("balanced", "sample_weight of row 0 is 'balanced'; weights are numbers"),
    ],
)
@pytest.mark.parametrize("estimator", [TreeClassifier(), TreeRegressor()])
def test_weights_that_are_refused(weights: Any, words: str, estimator: Any) -> None:
    """A weight is a number that is neither negative nor infinite, one per row."""
    with pytest.raises(DataError, match=words):
        estimator.fit(X6, [0, 0, 0, 1, 1, 1], sample_weight=weights)


@pytest.mark.parametrize(
    "weights",
    [
        [2, 2, 2, 2, 2, 2],
        2,
        np.full(6, 2, dtype=np.int8),
        pd.Series([2] * 6, index=range(6, 12)),
        pl.Series([2] * 6),
        pa.array([2] * 6),
        [Fraction(2)] * 6,
        [1e-100] * 6,
        [1e90] * 6,
    ],
)
@pytest.mark.parametrize("prune", PRUNE)
def test_weights_that_are_all_the_same(weights: Any, prune: str | None) -> None:
    """They change the reported weight and nothing else, however large or small."""
    model = TreeClassifier(prune=prune)
    plain, weighted = clone(model).fit(X6, TEXT), model.fit(X6, TEXT, sample_weight=weights)
    np.testing.assert_array_equal(weighted.predict_proba(X6), plain.predict_proba(X6))
    assert weighted.tree_.root.question == plain.tree_.root.question
    assert weighted.get_n_leaves() == 2


@allow_one_leaf
@pytest.mark.parametrize("prune", PRUNE)
def test_rows_of_weight_zero_are_not_there(prune: str | None) -> None:
    """A tree grown with zero weights is the tree of the other rows; the zero rows' classes stay known."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, size=60)
    weights = rng.integers(0, 2, size=60)
    weighted, without = (
        TreeClassifier(prune=prune).fit(X, y, weights),
        TreeClassifier(prune=prune).fit(X[weights > 0], y[weights > 0]),
    )
    assert weighted.tree_ == without.tree_
    np.testing.assert_array_equal(weighted.pruning_path_.cv_risk, without.pruning_path_.cv_risk)
    assert TreeClassifier().fit(X, y, sample_weight=(y != 2) * 1.0).classes_.tolist() == [0, 1, 2]


@allow_one_leaf
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize(("size", "weight"), [(1e-300, 1e-100), (1e-300, 1e100), (5e99, 1e100)])
@pytest.mark.parametrize("prune", PRUNE)
def test_extreme_targets_and_weights_together(
    criterion: str, size: float, weight: float, prune: str | None
) -> None:
    """The limits of targets and weights are such that no sum overflows, and none ends in NaN."""
    y = np.array([1, 1, 1, 2, 2, 2]) * size
    model = TreeRegressor(criterion=criterion, prune=prune).fit(X6, y, sample_weight=[weight] * 6)
    assert all(np.isfinite(model.tree_.array(name)).all() for name in ("value", "impurity", "gain"))
    assert (model.predict(X6) >= size).all()
    assert (model.predict(X6) <= 2 * size).all()
