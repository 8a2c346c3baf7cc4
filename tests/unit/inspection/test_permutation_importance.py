"""Permutation importance: against all permutations, scikit-learn, and every kind of table and model.

Brute force goes through every permutation of a few rows, so that the expected rise is exact.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import permutation_importance as of_sklearn
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.metrics import mean_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import (
    DataError,
    DataTypeError,
    Oblique,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum.inspection.permutation_importance import PermutationImportance, permutation_importance

RANDOM = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RANDOM.normal(size=(300, 4)), columns=list("abcd"))
TARGET = (3 * NUMBERS["a"] + NUMBERS["b"] ** 2 + 0.1 * RANDOM.normal(size=300)).to_numpy()
PENGUINS, SPECIES = datasets.load_penguins()
MISSING = ["category", "surrogate", "fractional"]


# What it is


def rises_of_all_shuffles(model: Any, X: pd.DataFrame, y: Any, column: str) -> list[float]:
    """The rise of the squared loss in each permutation of a column."""
    baseline = np.mean((model.predict(X) - y) ** 2)
    shuffled = (
        X.assign(**{column: X[column].to_numpy()[list(order)]}) for order in permutations(range(len(X)))
    )
    return [float(np.mean((model.predict(table) - y) ** 2) - baseline) for table in shuffled]


@pytest.mark.parametrize("missing", MISSING)
def test_brute_force_over_all_permutations(missing: str) -> None:
    """Five rows, 120 permutations: our repeats are among them, and their mean is the expected one."""
    X = pd.DataFrame({"a": [1.0, np.nan, 4.0, 5.0, 6.0], "b": ["x", "y", "y", "x", None], "c": range(5)})
    y = np.array([1.0, 4.0, 8.0, 16.0, 30.0])
    model = unpruned_regressor(missing=missing).fit(X, y)
    found = permutation_importance(model, X, y, repeats=400)
    asked = 0
    for place, column in enumerate(X.columns):
        rises = rises_of_all_shuffles(model, X, y, column)
        possible = np.unique(rises)
        nearest = np.abs(found.values[place][:, None] - possible).min(axis=1)
        assert nearest.max() < 1e-9
        assert abs(found.mean[place] - np.mean(rises)) <= 5 * np.std(rises) / math.sqrt(400) + 1e-12
        asked += int(np.std(rises) > 0)
    assert asked >= 1


@pytest.mark.parametrize(
    "model", [LinearRegression(), RandomForestRegressor(20, random_state=0), TreeRegressor()], ids=str
)
def test_scikit_learn_agrees_in_distribution(model: Any) -> None:
    """The same definition: means within five standard errors, and spreads of the same size, of 4 columns."""
    model.fit(NUMBERS, TARGET)
    ours = permutation_importance(model, NUMBERS, TARGET, repeats=60)
    theirs = of_sklearn(
        model, NUMBERS, TARGET, scoring="neg_mean_squared_error", n_repeats=60, random_state=1
    )
    error = np.sqrt((ours.std**2 + theirs.importances_std**2) / 60)
    assert (np.abs(ours.mean - theirs.importances_mean) <= 5 * error + 1e-12).all()
    spread = theirs.importances_std > 1e-9
    ratio = ours.std[spread] / theirs.importances_std[spread]
    assert ((ratio > 0.5) & (ratio < 2)).all()
    assert ours.columns[int(np.argmax(ours.mean))] == "a"


def test_a_shuffle_keeps_the_other_columns_and_all_values() -> None:
    """The model sees each column's own values in another order, and everything else as it was."""
    seen: list[Any] = []

    class Looking:
        def predict(self, X: Any) -> Any:
            seen.append(X)
            return np.zeros(len(X))

    table = pd.DataFrame({"a": pd.Categorical(["x", None, "y"]), "b": [1, 2, 3]}, index=[5, 5, 1])
    permutation_importance(Looking(), table, [0.5, 1.5, 2.5], repeats=8)
    assert len(seen) == 1 + 2 * 8
    for call, X in enumerate(seen[1:]):
        other = "b" if call < 8 else "a"
        pd.testing.assert_series_equal(X[other], table[other])
        assert X["a"].dtype == table["a"].dtype
        assert X["a"].isna().sum() == 1
        assert sorted(X["b"]) == [1, 2, 3]
        assert list(X.index) == [5, 5, 1]
    assert len({tuple(X["b"]) for X in seen}) > 2


# Models and tables


@pytest.mark.parametrize("loss", ["zero_one", "log", None])
@pytest.mark.parametrize("missing", MISSING)
def test_a_tree_asked_directly_is_the_model_asked_with_tables(missing: str, loss: Any) -> None:
    """Estimator, Tree and pipeline: the same 70 numbers, with missing values and levels."""
    model = TreeClassifier(missing=missing, leaf="laplace").fit(PENGUINS, SPECIES)
    of_model = permutation_importance(model, PENGUINS, SPECIES, loss=loss)
    of_tree = permutation_importance(model.tree_, PENGUINS, SPECIES, loss=loss)
    slowly = permutation_importance(make_pipeline(model), PENGUINS, SPECIES, loss=loss)
    assert of_model.values.shape == (7, 10)
    np.testing.assert_array_equal(of_model.values, of_tree.values)
    np.testing.assert_allclose(of_model.values, slowly.values, rtol=1e-12, atol=1e-15)
    assert of_model.baseline == of_tree.baseline == slowly.baseline


@pytest.mark.parametrize("missing", MISSING)
def test_missing_levels_and_integers_are_shuffled_with_the_others(missing: str) -> None:
    """Values that are missing by a mask, not by a NaN, must move with their rows."""
    colour = RANDOM.choice(["red", "blue", "grey", None], 200)
    number = pd.array(RANDOM.integers(0, 3, 200), dtype="Int64")
    number[RANDOM.random(200) < 0.3] = pd.NA
    X = pd.DataFrame({"colour": colour, "number": number})
    y = np.where(X["colour"].isna(), "a", np.where(X["number"].isna(), "b", "c"))
    model = unpruned_classifier(missing=missing).fit(X, y)
    found = permutation_importance(model, X, y)
    slowly = permutation_importance(make_pipeline(model), X, y)
    np.testing.assert_array_equal(found.values, slowly.values)
    assert missing != "category" or (found.mean > 0.1).all()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_data_frames_of_every_library(kind: str) -> None:
    plain = permutation_importance(TreeClassifier().fit(PENGUINS, SPECIES), PENGUINS, SPECIES)
    X: Any = PENGUINS
    if kind != "pandas":
        X = pl.from_pandas(PENGUINS)
    if kind == "pyarrow":
        X = nw.from_native(X).to_arrow()
    for model in (TreeClassifier(), make_pipeline(TreeClassifier())):
        found = permutation_importance(model.fit(X, SPECIES), X, SPECIES)
        np.testing.assert_array_equal(found.values, plain.values)
        assert found.columns == tuple(PENGUINS.columns)


def test_arrays_and_lists() -> None:
    X = NUMBERS.to_numpy()
    model = TreeRegressor().fit(X, TARGET)
    of_array = permutation_importance(model, X, TARGET)
    assert of_array.columns == ("x0", "x1", "x2", "x3")
    of_list = permutation_importance(make_pipeline(model), X.tolist(), TARGET)
    np.testing.assert_allclose(of_array.values, of_list.values, rtol=1e-12)
    named = TreeRegressor().fit(NUMBERS, TARGET)
    assert permutation_importance(named, X, TARGET).columns == ("a", "b", "c", "d")
    assert permutation_importance(named.tree_, X, TARGET).columns == ("a", "b", "c", "d")


def test_columns_are_found_by_name() -> None:
    model = TreeRegressor().fit(NUMBERS, TARGET)
    turned = NUMBERS[["d", "c", "b", "a"]].assign(z=0)
    found = permutation_importance(model, turned, TARGET)
    assert found.columns == ("d", "c", "b", "a", "z")
    assert found.columns[int(np.argmax(found.mean))] == "a"
    assert found.mean[-1] == 0


def test_a_pipeline_with_steps_before_the_model() -> None:
    model = make_pipeline(StandardScaler(), LinearRegression()).fit(NUMBERS, TARGET)
    found = permutation_importance(model, NUMBERS, TARGET)
    assert found.columns[int(np.argmax(found.mean))] == "a"


def test_columns_that_are_never_asked_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = TreeRegressor(max_depth=1, prune=None).fit(NUMBERS, TARGET)
    routed: list[int] = []
    leaves_of = type(model.tree_)._leaves_of

    def count(*data: Any) -> Any:
        routed.append(1)
        return leaves_of(*data)

    monkeypatch.setattr(type(model.tree_), "_leaves_of", count)
    found = permutation_importance(model, NUMBERS, TARGET, repeats=4)
    assert len(routed) <= 4 + 1  # one column, and the table as it is
    assert found.values[1:].tolist() == [[0.0] * 4] * 3
    assert (found.low[1:] == 0).all()
    assert (found.high[1:] == 0).all()
    assert found.mean[0] > 1


def test_surrogates_are_asked_where_they_are_needed() -> None:
    """A column that only stands in matters if values are missing, and not at all if none are."""
    a = RANDOM.normal(size=400)
    X = pd.DataFrame(
        {"a": np.where(RANDOM.random(400) < 0.3, np.nan, a), "b": a + 0.01 * RANDOM.normal(size=400)}
    )
    y = np.where(a > 0, "up", "down")
    model = TreeClassifier(missing="surrogate", max_depth=1, prune=None).fit(X, y)
    column = model.tree_.root.question.column
    other = next(name for name in X.columns if name != column)
    holed = X.assign(**{column: np.where(RANDOM.random(400) < 0.3, np.nan, X[column])})
    found = permutation_importance(model, holed, y)
    assert dict(zip(found.columns, found.mean, strict=True))[other] > 0.05
    whole = permutation_importance(model, X.assign(a=a), y)
    assert dict(zip(whole.columns, whole.mean, strict=True))[other] == 0


def test_sums_of_columns() -> None:
    y = np.where(NUMBERS["a"] + NUMBERS["b"] > 0, "up", "down")
    model = TreeClassifier(questions=Oblique(), max_depth=1, prune=None).fit(NUMBERS, y)
    found = permutation_importance(model, NUMBERS, y)
    assert set(np.array(found.columns)[found.mean > 0]) >= {"a", "b"}


# Losses and weights


def test_losses_by_name_matrix_and_function() -> None:
    model = TreeRegressor().fit(NUMBERS, TARGET)
    absolute = permutation_importance(model, NUMBERS, TARGET, loss="absolute")
    by_row = permutation_importance(model, NUMBERS, TARGET, loss=lambda y, predicted: np.abs(y - predicted))
    at_once = permutation_importance(make_pipeline(model), NUMBERS, TARGET, loss=mean_absolute_error)
    np.testing.assert_allclose(absolute.values, by_row.values, rtol=1e-12)
    np.testing.assert_allclose(absolute.values, at_once.values, rtol=1e-9)
    assert at_once.loss == "mean_absolute_error"
    classes = TreeClassifier().fit(PENGUINS, SPECIES)
    zero_one = permutation_importance(classes, PENGUINS, SPECIES)
    doubled = permutation_importance(classes, PENGUINS, SPECIES, loss=2 * (1 - np.eye(3)))
    np.testing.assert_allclose(doubled.values, 2 * zero_one.values)


def test_whole_numbers_are_what_the_model_says_they_are() -> None:
    X, y = np.arange(40.0)[:, None], np.arange(40) // 20
    assert permutation_importance(TreeClassifier().fit(X, y), X, y).loss == "misclassification"
    assert permutation_importance(TreeRegressor().fit(X, y), X, y).loss == "squared_error"
    assert permutation_importance(TreeRegressor().fit(X, y).tree_, X, y).loss == "squared_error"


def test_classes_that_the_rows_lack() -> None:
    """Rows of two of three classes: the third may be predicted, which is a mistake like others."""
    model = TreeClassifier(leaf="laplace").fit(PENGUINS, SPECIES)
    some = (SPECIES != "Gentoo").to_numpy()
    for loss in ("zero_one", "log", 1 - np.eye(3)):
        found = permutation_importance(model, PENGUINS[some], SPECIES[some], loss=loss)
        assert np.isfinite(found.values).all()


def test_weights() -> None:
    """A weight of 0 leaves a row out, and a common factor changes nothing."""
    weights = RANDOM.integers(0, 3, len(NUMBERS)).astype(float)
    model = TreeRegressor().fit(NUMBERS, TARGET)
    found = permutation_importance(model, NUMBERS, TARGET, sample_weight=weights)
    scaled = permutation_importance(model, NUMBERS, TARGET, sample_weight=8 * weights)
    np.testing.assert_allclose(found.values, scaled.values, rtol=1e-12)
    kept = weights > 0
    without = permutation_importance(model, NUMBERS[kept], TARGET[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(found.values, without.values)


# The result


def test_the_interval_is_students() -> None:
    found = PermutationImportance(("a",), np.array([[1.0, 2.0, 3.0]]), 0.5, "squared", 0.9)
    assert found.mean.tolist() == [2.0]
    assert found.std.tolist() == [1.0]
    reach = 2.919985580353726 / math.sqrt(3)  # t with 2 degrees of freedom, 5 % on either side
    assert found.low[0] == pytest.approx(2 - reach)
    assert found.high[0] == pytest.approx(2 + reach)


def test_the_interval_covers_the_mean_over_all_shuffles() -> None:
    """Of 200 intervals of 90 %, about 180 hold what 4000 repeats tell."""
    X = NUMBERS[:40]
    y = TARGET[:40]
    model = TreeRegressor(max_depth=2, prune=None).fit(X, y)
    true = permutation_importance(model, X, y, repeats=4000, random_state=999).mean[0]
    held = 0
    for seed in range(200):
        found = permutation_importance(model, X, y, repeats=5, confidence=0.9, random_state=seed)
        held += found.low[0] <= true <= found.high[0]
    assert 160 <= held <= 195


def test_table_and_frame_are_best_first() -> None:
    found = permutation_importance(TreeClassifier().fit(PENGUINS, SPECIES), PENGUINS, SPECIES)
    frame = found.to_frame()
    assert list(frame.columns) == ["column", "importance", "std", "low", "high"]
    assert (np.diff(frame["importance"]) <= 0).all()
    lines = str(found).splitlines()
    assert lines[0].startswith("by how much the loss (misclassification), 0.005814 as it is, rises")
    assert [line.split()[0] for line in lines[2:]] == list(frame["column"])
    many = PermutationImportance(tuple(map(str, range(60))), np.zeros((60, 2)), 0.0, "log", 0.95)
    assert str(many).endswith("… and 10 less important")


def test_one_repeat_has_no_interval() -> None:
    found = permutation_importance(TreeRegressor().fit(NUMBERS, TARGET), NUMBERS, TARGET, repeats=1)
    assert np.isnan(found.std).all()
    assert np.isnan(found.low).all()
    assert "1 repeat)" in str(found)


def test_random_state_and_threads() -> None:
    model = TreeRegressor().fit(NUMBERS, TARGET)
    none, zero, one = (permutation_importance(model, NUMBERS, TARGET, random_state=s) for s in (None, 0, 1))
    np.testing.assert_array_equal(none.values, zero.values)
    assert (none.values != one.values).any()
    threads = permutation_importance(make_pipeline(model), NUMBERS, TARGET, n_jobs=3)
    np.testing.assert_allclose(none.values, threads.values, rtol=1e-12)
    more = permutation_importance(model, NUMBERS, TARGET, repeats=12)
    np.testing.assert_array_equal(none.values, more.values[:, :10])  # the first repeats stay what they were


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_it_can_be_interrupted(n_jobs: int) -> None:
    """What the model raises in the middle comes out, and no further table is shuffled."""
    calls: list[int] = []

    class Tiring(LinearRegression):
        def predict(self, X: Any) -> Any:
            calls.append(1)
            if len(calls) == 5:
                raise KeyboardInterrupt
            return super().predict(X)

    model = Tiring().fit(NUMBERS, TARGET)
    with pytest.raises(KeyboardInterrupt):
        permutation_importance(model, NUMBERS, TARGET, repeats=500, n_jobs=n_jobs)
    assert len(calls) < 1000


def test_a_loss_may_rise_to_infinity() -> None:
    """A tree that is sure of itself costs infinitely much if its column is shuffled; nothing fails."""
    X, y = np.arange(10.0)[:, None], ["n"] * 5 + ["y"] * 5
    found = permutation_importance(unpruned_classifier().fit(X, y), X, y, loss="log")
    assert found.mean[0] == math.inf
    assert np.isnan(found.std[0])
    assert "inf" in str(found)


# Refusals

TREE = TreeRegressor().fit(NUMBERS, TARGET)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"repeats": 0}, r"repeats=0 is not allowed"),
        ({"repeats": 2.5}, r"repeats=2.5 is not allowed"),
        ({"repeats": True}, r"repeats=True is not allowed"),
        ({"confidence": 95}, r"confidence=95 is not allowed; give a number between 0 and 1"),
        (
            {"loss": "zero_one"},
            r"The model predicts numbers, but the loss is about classes; choose 'squared_error'",
        ),
        ({"loss": "squred"}, r"loss='squred' is not known.*Did you mean 'squared_error'"),
        ({"loss": lambda y, p: "much"}, r"it must return a number, or one for each of the 300 rows"),
        ({"loss": mean_absolute_error, "sample_weight": np.full(300, 2.0)}, r"no place for sample_weight"),
        ({"random_state": "x"}, r"random_state='x' is not allowed"),
        ({"n_jobs": 0}, r"n_jobs=0 is not allowed"),
        ({"verbose": -1}, r"verbose=-1 is not allowed"),
    ],
)
def test_options_are_refused_in_one_sentence(options: dict[str, Any], sentence: str) -> None:
    for model in (TREE, TREE.tree_):
        with pytest.raises(ParameterError, match=sentence):
            permutation_importance(model, NUMBERS, TARGET, **options)


def test_data_are_refused_in_one_sentence() -> None:
    with pytest.raises(DataError, match="X has 300 rows, but y has 299"):
        permutation_importance(TREE, NUMBERS, TARGET[1:])
    with pytest.raises(DataError, match="X lacks the column 'a'"):
        permutation_importance(TREE, NUMBERS[["b", "c", "d"]], TARGET)
    with pytest.raises(DataError, match="X has no rows"):
        permutation_importance(TREE, NUMBERS[:0], TARGET[:0])
    model = TreeClassifier().fit(PENGUINS, SPECIES)
    with pytest.raises(DataError, match="both must be text, or both numbers"):
        permutation_importance(model, PENGUINS, np.arange(344) % 3)
    sure = unpruned_classifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(DataError, match=r"loss \(log_loss\) of the model is inf on these rows as they are"):
        permutation_importance(sure, [[0.0], [1.0]], ["b", "a"], loss="log")


def test_models_are_refused_in_one_sentence() -> None:
    with pytest.raises(
        DataTypeError, match="needs a fitted model that can predict, not the class TreeRegressor"
    ):
        permutation_importance(TreeRegressor, NUMBERS, TARGET)
    with pytest.raises(DataTypeError, match="not str"):
        permutation_importance("tree", NUMBERS, TARGET)
    with pytest.raises(NotFittedError):
        permutation_importance(TreeRegressor(), NUMBERS, TARGET)
    ridge = RidgeClassifier().fit(NUMBERS, TARGET > 0)
    with pytest.raises(ParameterError, match="loss='log_loss' needs probabilities"):
        permutation_importance(ridge, NUMBERS, TARGET > 0, loss="log")
