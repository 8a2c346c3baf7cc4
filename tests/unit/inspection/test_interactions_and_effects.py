"""Friedman's H and accumulated local effects: against their definitions, row by row, and known functions."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import (
    DataError,
    MofN,
    Oblique,
    ParameterError,
    Tree,
    TreeClassifier,
    accumulated_effects,
    datasets,
    interaction_strength,
)

RANDOM = np.random.default_rng(1)
NUMBERS = pd.DataFrame(RANDOM.normal(size=(60, 3)).round(1), columns=list("abc"))
SUM = (2 * NUMBERS["a"] + NUMBERS["b"]).to_numpy()
PRODUCT = (NUMBERS["a"] * NUMBERS["b"] + NUMBERS["c"]).to_numpy()
WEIGHTS = RANDOM.integers(0, 3, 60).astype(float)
PENGUINS, SPECIES = datasets.load_penguins()


def predicted(model: Any, X: Any) -> Any:
    """Rows by targets."""
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    of_classes = hasattr(model, "predict_proba") if tree is None else tree.target.classes is not None
    return model.predict_proba(X) if of_classes else model.predict(X).reshape(len(X), -1)


# Friedman's H


def dependence_of_rows(model: Any, X: pd.DataFrame, names: list[str], weights: Any) -> Any:
    """The partial dependence at each row's own values, centred: every row is given to every other."""
    found = []
    for row in range(len(X)):
        values = {name: X[name].take([row] * len(X)).to_numpy() for name in names}
        found.append(np.average(predicted(model, X.assign(**values)), axis=0, weights=weights))
    rows = np.array(found)
    return rows - np.average(rows, axis=0, weights=weights)


def strength_by_definition(model: Any, X: pd.DataFrame, pair: tuple[str, str], weights: Any = None) -> Any:
    one, other = (dependence_of_rows(model, X, [name], weights) for name in pair)
    joint = dependence_of_rows(model, X, list(pair), weights)
    apart = np.average((joint - one - other) ** 2, axis=0, weights=weights)
    return np.sqrt(apart / np.average(joint**2, axis=0, weights=weights))


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("options", [{}, {"questions": Oblique(max_terms=2)}, {"max_leaf_nodes": 5}])
def test_strength_by_its_definition(options: Any, weights: Any) -> None:
    model = unpruned_regressor(**{"min_samples_leaf": 4} | options).fit(NUMBERS, PRODUCT)
    found = interaction_strength(model, NUMBERS, ["a", "b"], sample_weight=weights)
    assert found.pairs == (("a", "b"),)
    wanted = strength_by_definition(model, NUMBERS, ("a", "b"), weights)
    np.testing.assert_allclose(found.values[:, 0], wanted, rtol=1e-8)


KINDS: list[dict[str, Any]] = [
    {"missing": "category"},
    {"missing": "surrogate"},
    {"missing": "fractional"},
    {"missing": "fractional", "nominal": "multiway"},
    {"nominal": "one_vs_rest", "leaf": "shrinkage"},
    {"questions": MofN(), "max_leaf_nodes": None, "max_depth": 2},
]


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_strength_with_missing_values_and_levels(options: dict[str, Any]) -> None:
    X = PENGUINS[::6].reset_index(drop=True)
    model = unpruned_classifier(**{"max_leaf_nodes": 8} | options).fit(PENGUINS, SPECIES)
    found = interaction_strength(model, X, ["island", "bill_length_mm"])
    wanted = strength_by_definition(model, X, ("island", "bill_length_mm"))
    np.testing.assert_allclose(found.values[:, 0], wanted, rtol=1e-8)
    assert found.classes == ("Adelie", "Chinstrap", "Gentoo")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"monotonic_cst": {"when": 1}, "leaf": "shrinkage"},
        {"missing": "surrogate"},
        {"nominal": "multiway"},
    ],
    ids=str,
)
def test_strength_and_effects_of_dates_and_ordered_levels(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    days = rng.integers(0, 30, 60)
    size = rng.integers(0, 3, 60)
    X = pd.DataFrame(
        {
            "when": np.datetime64("2024-02-20", "ms") + days.astype("m8[D]"),
            "size": pd.Categorical.from_codes(size, ["s", "m", "l"], ordered=True),
            "colour": rng.choice(["red", "blue", "green"], 60),
        }
    )
    X.loc[::7, "size"] = None
    model = unpruned_regressor(min_samples_leaf=3, **options).fit(X, days * (size + 1.0))
    found = interaction_strength(model, X, ["when", "size"], sample_weight=WEIGHTS)
    wanted = strength_by_definition(model, X, ("when", "size"), WEIGHTS)
    np.testing.assert_allclose(found.values[:, 0], wanted, rtol=1e-8)
    effects = accumulated_effects(model, "when", X, intervals=6, sample_weight=WEIGHTS)
    by_hand = effects_by_definition(model, X, "when", effects.grid, WEIGHTS)
    np.testing.assert_allclose(effects.values, by_hand, atol=1e-10)


def test_what_adds_up_does_not_interact() -> None:
    line = LinearRegression().fit(NUMBERS, SUM)
    assert interaction_strength(line, NUMBERS[:20], ["a", "b"]).values.tolist() == [[0.0]]
    # Two stumps, side by side in one tree: half of the columns are asked on either side.
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5, "c": [0] * 10 + [1] * 10})
    model = unpruned_regressor().fit(X, X["a"] * 2 + X["b"] + X["c"])
    found = interaction_strength(model, X)
    assert len(found.pairs) == 3
    assert not found.values.any()
    product = unpruned_regressor().fit(X, (2 * X["a"] - 1) * (2 * X["b"] - 1) + 0.01 * X["a"])
    strong = interaction_strength(product, X)
    assert strong.to_frame()["strength"].iloc[0] > 0.99
    assert strong.to_frame().iloc[0, :2].tolist() == ["a", "b"]
    assert str(strong).splitlines()[2].startswith("a ")


def test_strength_has_the_digits_asked_for() -> None:
    model = unpruned_regressor(min_samples_leaf=4).fit(NUMBERS, PRODUCT)
    found = interaction_strength(model, NUMBERS, ["a", "b"])
    (value,) = found.values[0].tolist()
    for digits, shown in ((2, f"{value:.2g}"), (6, f"{value:.4g}"), (8, f"{value:.8g}"), (None, repr(value))):
        assert found.to_text(digits=digits).split()[-1] == shown
    assert str(found) == found.to_text()
    with pytest.raises(ParameterError, match="digits=0 is not allowed"):
        found.to_text(digits=0)


def test_rounding_of_other_models_is_no_interaction() -> None:
    """Means over rows of columns that do nothing differ in the last digit: such a pair had H = 1."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 3)), columns=list("abc"))
    pipeline = make_pipeline(StandardScaler(), TreeClassifier()).fit(X, np.where(X["a"] > 0, "p", "q"))
    found = interaction_strength(pipeline, X[:10])
    assert not found.values.any()


def test_pairs_of_any_model() -> None:
    forest = RandomForestClassifier(5, random_state=0).fit(NUMBERS, PRODUCT > 0)
    found = interaction_strength(forest, NUMBERS[:15])
    assert found.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    wanted = strength_by_definition(forest, NUMBERS[:15], ("a", "c"))
    np.testing.assert_allclose(found.values[:, 1], wanted, rtol=1e-8)


def test_interactions_that_cannot_be() -> None:
    model = TreeClassifier(max_leaf_nodes=2, prune=None).fit(PENGUINS, SPECIES)
    with pytest.raises(ParameterError, match="needs two columns"):
        interaction_strength(model, PENGUINS)
    with pytest.raises(ParameterError, match="X is not given"):
        interaction_strength(model, None)
    with pytest.raises(ParameterError, match="twice"):
        interaction_strength(model, PENGUINS, ["sex", "sex"])


# Accumulated effects


def effects_by_definition(model: Any, X: pd.DataFrame, column: str, ends: Any, weights: Any) -> Any:
    """Interval by interval: its rows at both ends, the mean difference, added up, and centred."""
    total = [np.zeros(predicted(model, X).shape[1])]
    there = []
    for k, (low, high) in enumerate(pairwise(ends)):
        inside = (X[column] > low) & (X[column] <= high) | ((k == 0) & (X[column] == low))
        rows, own = X[inside], weights[inside]
        change = predicted(model, rows.assign(**{column: high})) - predicted(
            model, rows.assign(**{column: low})
        )
        there.append(own.sum())
        total.append(total[-1] + (np.average(change, axis=0, weights=own) if own.sum() else 0.0))
    found = np.array(total)
    middles = (found[1:] + found[:-1]) / 2
    return (found - np.average(middles, axis=0, weights=there)).T


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("intervals", [3, 40, 1_000])
def test_effects_by_their_definition(intervals: int, weights: Any) -> None:
    model = unpruned_regressor(min_samples_leaf=4).fit(NUMBERS, PRODUCT)
    found = accumulated_effects(model, "a", NUMBERS, intervals=intervals, sample_weight=weights)
    each = np.ones(60) if weights is None else weights
    wanted = effects_by_definition(model, NUMBERS, "a", found.grid, each)
    np.testing.assert_allclose(found.values, wanted, atol=1e-10)
    assert found.grid[0] == NUMBERS["a"].min()
    assert found.grid[-1] == NUMBERS["a"].max()
    assert len(found.grid) <= intervals + 1


@pytest.mark.parametrize("options", KINDS, ids=str)
def test_effects_leave_missing_values_out(options: dict[str, Any]) -> None:
    model = unpruned_classifier(**{"max_leaf_nodes": 8} | options).fit(PENGUINS, SPECIES)
    found = accumulated_effects(model, "bill_length_mm", PENGUINS, intervals=12)
    known = PENGUINS[PENGUINS["bill_length_mm"].notna()]
    wanted = effects_by_definition(model, known, "bill_length_mm", found.grid, np.ones(len(known)))
    np.testing.assert_allclose(found.values, wanted, atol=1e-10)
    assert found.weights.sum() == len(known)
    assert set(found.to_frame()["class"]) == set(SPECIES)


def test_effects_of_a_line_are_the_line() -> None:
    line = LinearRegression().fit(NUMBERS, SUM)
    found = accumulated_effects(line, "a", NUMBERS)
    np.testing.assert_allclose(np.diff(found.values[0]), 2 * np.diff(found.grid), atol=1e-10)


def test_effects_of_ordered_levels_and_dates() -> None:
    levels = ["low", "middle", "high"]
    size = pd.Categorical(np.array(levels)[[0, 0, 1, 1, 1, 2, 2, 0, 1, 2]], levels, ordered=True)
    X = pd.DataFrame({"size": size, "when": pd.date_range("2024-01-01", periods=10), "b": [0, 1] * 5})
    model = unpruned_regressor().fit(X[["size", "b"]], size.codes * (1 + X["b"]))
    found = accumulated_effects(model, "size", X)
    assert found.grid.tolist() == levels
    # A step is worth 1, or 2 where b is 1: three of seven rows, then four of seven.
    steps = np.diff(found.values[0])
    b_by_level = [X["b"][np.isin(size.codes, pair)].mean() for pair in ([0, 1], [1, 2])]
    np.testing.assert_allclose(steps, [1 + share for share in b_by_level])
    np.testing.assert_allclose(np.average(found.values[0], weights=found.weights), 0.0, atol=1e-12)
    dates = unpruned_regressor().fit(X[["when", "b"]], np.arange(10.0))
    found = accumulated_effects(dates, "when", X, intervals=3)
    assert found.grid.dtype.kind == "M"
    assert np.all(np.diff(found.values[0]) > 0)
    assert "2024-01-10" in str(found)


def test_effects_that_cannot_be() -> None:
    model = TreeClassifier().fit(PENGUINS, SPECIES)
    with pytest.raises(ParameterError, match="nominal: its levels have no order"):
        accumulated_effects(model, "island", PENGUINS)
    with pytest.raises(ParameterError, match="names 2 columns; give one column"):
        accumulated_effects(model, ["island", "sex"], PENGUINS)
    with pytest.raises(ParameterError, match="X is not given"):
        accumulated_effects(model, "year", None)
    with pytest.raises(ParameterError, match="intervals=0"):
        accumulated_effects(model, "year", PENGUINS, intervals=0)
    with pytest.raises(DataError, match="missing in every row"):
        accumulated_effects(model, "year", PENGUINS.assign(year=np.nan))
    with pytest.raises(DataError, match="infinite values"):
        accumulated_effects(model, "bill_length_mm", PENGUINS.assign(bill_length_mm=np.inf))
    assert accumulated_effects(model, "year", PENGUINS.assign(year=2007)).values.tolist() == [[0.0]] * 3
