"""Partial dependence: grids and steps, ways and models, single rows, results and refusals.

That it equals the mean over all rows for every kind of tree is shown in tests/oracle; here are scikit-learn's
numbers, tables of any library, and what is said about input that cannot be right.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence as of_sklearn
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from support.composites import TREE
from support.marks import allow_constant_column, allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import (
    DataError,
    DataTypeError,
    LinearModel,
    Oblique,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    datasets,
    partial_dependence,
)

RANDOM = np.random.default_rng(0)
# Values that a float32 has, since scikit-learn compares those.
NUMBERS = pd.DataFrame(RANDOM.normal(size=(300, 4)).astype(np.float32), columns=list("abcd"), dtype=float)
TARGET = (3 * NUMBERS["a"] + NUMBERS["b"] ** 2 + 0.1 * RANDOM.normal(size=300)).to_numpy()
WEIGHTS = RANDOM.integers(0, 4, 300).astype(float)
PENGUINS, SPECIES = datasets.load_penguins()
CLOSE: dict[str, float] = {"rtol": 1e-10, "atol": 1e-10}


# Equal to scikit-learn's


@pytest.mark.parametrize("columns", [["a"], ["a", "b"], ["d", "a"]])
@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 7}, {"leaf": "shrinkage"}])
def test_the_weights_of_the_tree_are_the_recursion_of_scikit_learn(columns: Any, options: Any) -> None:
    """Without rows, on the same tree; weighted rows too, as the weights of nodes are those of the rows."""
    model = unpruned_regressor(min_samples_leaf=5, **options).fit(NUMBERS, TARGET, sample_weight=WEIGHTS)
    theirs = of_sklearn(model.to_sklearn(), NUMBERS, columns, method="recursion", grid_resolution=9)
    # Thresholds and values are compared as float32 there: between two values, nothing changes.
    ours = partial_dependence(
        model, columns, grid=theirs["grid_values"] if len(columns) > 1 else theirs["grid_values"][0]
    )
    assert ours.kind == "tree"
    np.testing.assert_allclose(ours.values, theirs["average"], **CLOSE)


@pytest.mark.parametrize("columns", [["b"], ["a", "c"]])
def test_exact_and_brute_are_the_brute_force_of_scikit_learn(columns: Any) -> None:
    model = unpruned_regressor(min_samples_leaf=5).fit(NUMBERS, TARGET)
    theirs = of_sklearn(
        model.to_sklearn(), NUMBERS, columns, method="brute", kind="both", grid_resolution=6,
        sample_weight=WEIGHTS,
    )  # fmt: skip
    grid = dict(zip(columns, theirs["grid_values"], strict=True))
    for kind in ("exact", "brute"):
        ours = partial_dependence(
            model, columns, NUMBERS, kind=kind, grid=grid, sample_weight=WEIGHTS, individual=True
        )
        np.testing.assert_allclose(ours.values, theirs["average"], **CLOSE)
        np.testing.assert_allclose(ours.individual, theirs["individual"], **CLOSE)


@pytest.mark.parametrize("columns", [["a"], ["a", "b"]])
def test_models_of_scikit_learn_as_scikit_learn_sees_them(columns: Any) -> None:
    grid = {"a": [-1.0, 0.0, 0.5], "b": [-0.5, 1.5]}
    chosen = {name: grid[name] for name in columns}
    forest = RandomForestRegressor(8, random_state=0).fit(NUMBERS, TARGET)
    theirs = of_sklearn(forest, NUMBERS, columns, method="brute", custom_values=chosen)
    ours = partial_dependence(forest, columns, NUMBERS, grid=chosen)
    assert ours.kind == "brute"
    np.testing.assert_allclose(ours.values, theirs["average"], **CLOSE)
    classes = np.digitize(TARGET, [-1, 2])
    voters = RandomForestClassifier(8, random_state=0).fit(NUMBERS, classes)
    theirs = of_sklearn(voters, NUMBERS, columns, method="brute", custom_values=chosen)
    ours = partial_dependence(voters, columns, NUMBERS, grid=chosen)
    assert ours.classes == (0, 1, 2)
    np.testing.assert_allclose(ours.values, theirs["average"], **CLOSE)


# The weights of the tree


def test_a_question_about_another_column_goes_by_the_weights_of_its_children() -> None:
    X = pd.DataFrame({"a": [0.0, 0.0, 0.0, 1.0], "b": [0.0, 0.0, 1.0, 0.0]})
    model = unpruned_regressor().fit(X, [1.0, 1.0, 5.0, 11.0])
    assert str(model.tree_.root.question) == "a <= 0.5"
    assert partial_dependence(model, "a").values.tolist() == [[pytest.approx(7 / 3), 11.0]]
    # b is asked among three rows of four: (3·1 + 11) / 4 and (3·5 + 11) / 4
    assert partial_dependence(model, "b").values.tolist() == [[3.5, 6.5]]
    assert partial_dependence(model, "b", X).values.tolist() == [[3.5, 6.5]]


def test_a_sum_is_answered_without_rows_only_if_all_its_columns_are_set() -> None:
    """Else both children count by their weights, so a sum of a and n says nothing about a alone."""
    model = unpruned_regressor(questions=Oblique(max_terms=2), max_depth=1).fit(
        NUMBERS[["a", "b"]], NUMBERS["a"] - NUMBERS["b"] > 0
    )
    assert len(model.tree_.terms["column"]) == 2
    alone = partial_dependence(model, "a", grid=[-2.0, 2.0]).values
    np.testing.assert_allclose(alone, alone[:, :1].repeat(2, axis=1), **CLOSE)
    both = partial_dependence(model, ["a", "b"], grid=([-2.0, 2.0], [0.0])).values
    np.testing.assert_allclose(both[0, :, 0], model.predict(pd.DataFrame({"a": [-2.0, 2.0], "b": 0.0})))


@allow_constant_column
def test_a_sum_over_a_very_fine_grid() -> None:
    """Every row is cut elsewhere: too many sets of cells to be kept at once."""
    X = pd.DataFrame(RANDOM.normal(size=(1_500, 2)), columns=["a", "b"])
    model = unpruned_regressor(questions=Oblique(max_terms=2), max_depth=2).fit(X, X["a"] - X["b"])
    assert len(model.tree_.terms["column"]) > 2
    fine = np.linspace(-4, 4, 20_000)
    found = partial_dependence(model, "a", X, grid=fine).values[0]
    for number in range(0, 20_000, 2_500):
        assert found[number] == pytest.approx(model.predict(X.assign(a=fine[number])).mean(), abs=1e-10)


# Grids


def test_steps_are_all_that_there_are() -> None:
    """Any other value gives what the step that it lies in says."""
    model = TreeClassifier().fit(PENGUINS, SPECIES)
    steps = partial_dependence(model, "bill_length_mm", PENGUINS)
    (cuts,) = steps.cuts
    assert cuts is not None
    asked = [node.question for node in model.tree_.walk() if node.question]
    assert cuts.tolist() == sorted({q.threshold for q in asked if q.column == "bill_length_mm"})  # type: ignore[attr-defined]
    spots = np.sort(np.concatenate([cuts, np.nextafter(cuts, np.inf), RANDOM.uniform(30, 60, 200)]))
    other = partial_dependence(model, "bill_length_mm", PENGUINS, grid=spots)
    step = np.searchsorted(cuts, spots, side="left")
    np.testing.assert_allclose(other.values, steps.values[:, step], **CLOSE)


def test_grids_of_points_and_of_levels() -> None:
    model = TreeClassifier().fit(PENGUINS, SPECIES)
    (spaced,) = partial_dependence(model, "bill_length_mm", PENGUINS, grid=5).grid
    known = PENGUINS["bill_length_mm"].dropna()
    np.testing.assert_allclose(spaced, np.linspace(known.min(), known.max(), 5))
    (years,) = partial_dependence(model, "year", PENGUINS, grid=50).grid
    assert years.tolist() == [2007, 2008, 2009]
    (islands,) = partial_dependence(model, "island", PENGUINS).grid
    assert islands.tolist() == ["Biscoe", "Dream", "Torgersen"]
    (some,) = partial_dependence(model, "island", PENGUINS, grid=["Dream"]).grid
    assert some.tolist() == ["Dream"]
    both = partial_dependence(model, ("island", 1), PENGUINS, grid={"island": ["Dream"], "bill_length_mm": 4})
    assert both.values.shape == (3, 1, 4)


@pytest.mark.parametrize("unit", ["D", "s", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_dates_by_levels(unit: str, zone: str | None) -> None:
    """Two columns, nominal and date, in every way; dates given as such, as text of NumPy, as timestamps."""
    when = pd.Series(np.array(["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"] * 10, dtype="M8[D]"))
    when = when.astype(f"M8[{'s' if unit == 'D' else unit}]")
    when = when if zone is None else when.dt.tz_localize(zone)
    X = pd.DataFrame({"when": when, "colour": ["red", "red", "blue", "green", "blue"] * 8})
    y = (np.arange(40) % 4 > 1) * 3.0 + (X["colour"] == "red") * (np.arange(40) % 4 > 0)
    model = unpruned_regressor().fit(X, y)
    exact = partial_dependence(model, ["colour", "when"], X)
    brute = partial_dependence(model, ["colour", "when"], X, kind="brute")
    assert exact.values.shape == (1, 3, len(exact.grid[1]))
    np.testing.assert_allclose(exact.values, brute.values, **CLOSE)
    assert exact.grid[1].dtype.kind == "M"
    zoned = [pd.Timestamp("2024-02-15", tz=zone), pd.Timestamp("2024-03-20", tz=zone)]
    given = partial_dependence(model, "when", X, grid=zoned)
    assert given.values.shape == (1, 2)
    as_text = partial_dependence(model, "when", X, grid=[time.isoformat() for time in zoned])
    assert as_text.grid[0].tolist() == given.grid[0].tolist()
    assert as_text.values.tolist() == given.values.tolist()
    assert "2024-" in str(exact)


@pytest.mark.parametrize(("column", "least", "most"), [("stay", 0.1, 1), ("day", 20, 100)])
def test_around_a_single_cut_there_is_room_that_suits_the_kind(
    column: str, least: float, most: float
) -> None:
    """A chart about stays of some hours once showed 30 days on each side of them."""
    X = pd.DataFrame({"stay": pd.to_timedelta(np.arange(48), "h")})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(48) // 24, "D")
    axis = partial_dependence(unpruned_regressor().fit(X[[column]], np.arange(48) > 23), column).axes[0]
    assert axis.cuts is not None
    assert axis.low < axis.cuts.item() < axis.high
    assert (
        least < (axis.high - axis.low) * np.timedelta64(1, axis.column.unit) / np.timedelta64(1, "D") < most
    )


def test_rows_show_where_to_look_even_where_they_do_not_count() -> None:
    """With kind="tree", X only says how far the grid reaches; the values are those of the tree alone."""
    model = unpruned_regressor(max_leaf_nodes=6).fit(NUMBERS, TARGET)
    alone, beside = partial_dependence(model, "a"), partial_dependence(model, "a", NUMBERS, kind="tree")
    assert beside.kind == "tree"
    assert beside.values.tolist() == alone.values.tolist()
    assert beside.axes[0].low == NUMBERS["a"].min() != alone.axes[0].low
    (points,) = partial_dependence(model, "a", NUMBERS, kind="tree", grid=3).grid
    assert points[[0, -1]].tolist() == [NUMBERS["a"].min(), NUMBERS["a"].max()]


def test_a_column_without_levels_has_no_grid() -> None:
    X = NUMBERS.assign(empty=pd.Categorical([None] * 300, []))
    model = unpruned_regressor(max_leaf_nodes=6).fit(X, TARGET)
    with pytest.raises(ParameterError, match="Column 'empty' has no levels"):
        partial_dependence(model, "empty", X)


@allow_one_leaf
def test_a_column_that_is_never_asked_about_is_flat() -> None:
    model = TreeRegressor().fit(NUMBERS, np.ones(300))
    assert partial_dependence(model, "a", NUMBERS).values.tolist() == [[1.0]]
    assert partial_dependence(model, ["a", "b"]).values.tolist() == [[[1.0]]]
    assert "any" in str(partial_dependence(model, "a"))


# Tables and models


TABLES = {
    "pandas": lambda X: X,
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
    "rows": lambda X: X.astype(object).where(X.notna(), None).values.tolist(),
    "objects": lambda X: X.astype(object).to_numpy(),
}


@pytest.mark.parametrize("library", TABLES)
@pytest.mark.parametrize("columns", [[0], [2], [0, 5]])
def test_tables_of_any_library(library: str, columns: list[int]) -> None:
    X = TABLES[library](PENGUINS)
    model = TreeClassifier(min_samples_leaf=10).fit(X, SPECIES)
    exact = partial_dependence(model, columns, X)
    brute = partial_dependence(model, columns, X, kind="brute")
    np.testing.assert_allclose(exact.values, brute.values, **CLOSE)
    assert len(exact.to_frame()) == exact.values.size


def test_a_tree_by_itself_and_columns_in_another_order() -> None:
    model = TreeClassifier(min_samples_leaf=10).fit(PENGUINS, SPECIES)
    turned = PENGUINS[PENGUINS.columns[::-1]].assign(more=1)
    wanted = partial_dependence(model, "bill_length_mm", PENGUINS).values
    for kind in ("exact", "brute"):
        for asked in (model, model.tree_):
            found = partial_dependence(asked, "bill_length_mm", turned, kind=kind)
            np.testing.assert_allclose(found.values, wanted, **CLOSE)


def test_a_pipeline_that_encodes_levels() -> None:
    X = PENGUINS.dropna()
    encode = make_column_transformer((OneHotEncoder(), ["island", "sex"]), remainder="passthrough")
    pipeline = make_pipeline(encode, RandomForestClassifier(5, random_state=0)).fit(X, SPECIES[X.index])
    found = partial_dependence(pipeline, ["island", "sex"], X)
    assert found.values.shape == (3, 3, 2)
    assert found.classes == tuple(pipeline.classes_)
    first = pipeline.predict_proba(X.assign(island="Dream", sex="male")).mean(axis=0)
    place = found.grid[0].tolist().index("Dream"), found.grid[1].tolist().index("male")
    np.testing.assert_allclose(found.values[:, place[0], place[1]], first)


def test_a_model_that_predicts_several_numbers() -> None:
    line = LinearRegression().fit(NUMBERS, np.column_stack([TARGET, -TARGET]))
    found = partial_dependence(line, "a", NUMBERS, grid=[0.0, 1.0])
    slope = np.diff(found.values, axis=1).ravel()
    np.testing.assert_allclose(slope, line.coef_[:, 0], atol=1e-6)
    assert found.to_frame()["target"].tolist() == [0, 0, 1, 1]


# Single rows


def test_centred_lines_begin_at_zero() -> None:
    model = unpruned_regressor(max_leaf_nodes=8).fit(NUMBERS, TARGET)
    lines = partial_dependence(model, "a", NUMBERS, individual=True)
    centred = lines.centred()
    assert lines.individual is not None
    assert centred.individual is not None
    assert not centred.individual[:, :, 0].any()
    np.testing.assert_allclose(centred.individual.mean(axis=1), centred.values, **CLOSE)
    assert "change of the mean prediction" in str(centred)


# Results


def test_frames_name_every_cell_and_class() -> None:
    X = PENGUINS.rename(columns={"island": "value", "sex": "class"})
    model = TreeClassifier(min_samples_leaf=10).fit(X, SPECIES)
    frame = partial_dependence(model, ["value", "class"], X).to_frame()
    assert list(frame.columns) == ["value", "class", "class_", "value_"]
    np.testing.assert_allclose(frame.groupby(["value", "class"])["value_"].sum(), 1.0)


def test_text_shows_intervals_and_stops_somewhere() -> None:
    model = unpruned_regressor().fit(NUMBERS, TARGET)
    text = str(partial_dependence(model, "a", NUMBERS))
    assert " < … <= " in text
    assert text.splitlines()[-1].startswith("… and ")
    assert repr(partial_dependence(model, "a")).startswith(
        "mean prediction by a (by the weights of the tree)"
    )


# Refusals


MODEL = unpruned_classifier(max_leaf_nodes=8).fit(PENGUINS, SPECIES)
DATED = unpruned_regressor().fit(pd.DataFrame({"when": pd.date_range("2024-01-01", periods=9)}), range(9))
FOREST = RandomForestRegressor(2, random_state=0).fit(NUMBERS, TARGET)
LINE = LinearRegression().fit(NUMBERS, TARGET)
REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "unknown column": (lambda: partial_dependence(MODEL, "iland"), ParameterError, "Did you mean 'island'"),
    "no such place": (lambda: partial_dependence(MODEL, 99), ParameterError, "no column 99"),
    "three columns": (lambda: partial_dependence(MODEL, [0, 1, 2]), ParameterError, "names 3 columns; give"),
    "no column": (lambda: partial_dependence(MODEL, []), ParameterError, "names 0 columns"),
    "twice": (lambda: partial_dependence(MODEL, ["sex", "sex"]), ParameterError, "'sex' twice"),
    "another table": (lambda: partial_dependence(MODEL, "sex", NUMBERS), DataError, "X lacks the columns"),
    "no rows": (lambda: partial_dependence(MODEL, "sex", PENGUINS[:0]), DataError, "no rows|0 rows|0 sample"),
    "no rows, brute": (
        lambda: partial_dependence(FOREST, "a", NUMBERS[:0]),
        DataError,
        "no rows|0 rows|0 sample",
    ),
    "wrong kind of value": (
        lambda: partial_dependence(MODEL, "year", grid=["red"]),
        ParameterError,
        "grid of column 'year' holds 'red', but the column has numbers; give numbers",
    ),
    "a number among levels": (
        lambda: partial_dependence(MODEL, "island", grid=[3]),
        ParameterError,
        "grid of column 'island' holds 3, which is not a level; choose 'Biscoe'",
    ),
    "a date among numbers": (
        lambda: partial_dependence(MODEL, "year", grid=[dt.date(2024, 1, 1)]),
        ParameterError,
        r"grid of column 'year' holds .*2024.* but the column has numbers",
    ),
    "text among numbers": (
        lambda: partial_dependence(MODEL, "year", grid=[2008, "x"]),
        ParameterError,
        "grid of column 'year' holds 'x', but the column has numbers",
    ),
    "a date that does not exist": (
        lambda: partial_dependence(DATED, "when", grid=["2024-13-01"]),
        ParameterError,
        "'2024-13-01' for column 'when'.*write it as 2024-03-01",
    ),
    "a number among dates": (
        lambda: partial_dependence(DATED, "when", grid=[dt.datetime(2024, 1, 1), 3]),
        ParameterError,
        "grid of column 'when' holds 3, but the column has dates",
    ),
    "unknown level": (
        lambda: partial_dependence(MODEL, "island", grid=["Dreem"]),
        ParameterError,
        "'Dreem', which is not a level; choose",
    ),
    "missing value": (
        lambda: partial_dependence(MODEL, "year", grid=[None, 1]),
        ParameterError,
        "known values",
    ),
    "empty grid": (lambda: partial_dependence(MODEL, "year", grid=[]), ParameterError, "is empty"),
    "one point": (lambda: partial_dependence(MODEL, "year", grid=1), ParameterError, "2 to 100,000 points"),
    "text as grid": (lambda: partial_dependence(MODEL, "year", grid="fine"), ParameterError, "grid='fine'"),
    "other columns in the grid": (
        lambda: partial_dependence(MODEL, "year", grid={"sex": 3}),
        ParameterError,
        "'sex', but the columns are 'year'",
    ),
    "one grid for two": (
        lambda: partial_dependence(MODEL, ["year", "sex"], grid=[1, 2, 3]),
        ParameterError,
        "not allowed for two columns",
    ),
    "too many cells": (
        lambda: partial_dependence(MODEL, [2, 3], grid=2_000),
        ParameterError,
        "4,000,000 cells, but 1,000,000",
    ),
    "too many numbers": (
        lambda: partial_dependence(MODEL, [2, 3], PENGUINS, grid=[range(900)] * 2, individual=True),
        ParameterError,
        "would keep 835,920,000 numbers",
    ),
    "unknown way": (lambda: partial_dependence(MODEL, "sex", kind="exat"), ParameterError, "mean 'exact'"),
    "no tree": (
        lambda: partial_dependence(LINE, "a", NUMBERS, kind="tree"),
        DataTypeError,
        "LinearRegression has no tree",
    ),
    "no tree, exact": (
        lambda: partial_dependence(LINE, "a", NUMBERS, kind="exact"),
        DataTypeError,
        "kind='brute' serves any",
    ),
    "exact without rows": (
        lambda: partial_dependence(MODEL, "sex", kind="exact"),
        ParameterError,
        "kind='exact' averages over rows, but X is not given",
    ),
    "brute without rows": (lambda: partial_dependence(LINE, "a"), ParameterError, "X is not given"),
    "weights without rows": (
        lambda: partial_dependence(MODEL, "sex", sample_weight=[1]),
        ParameterError,
        "kind='tree' looks at none",
    ),
    "rows of the tree": (
        lambda: partial_dependence(MODEL, "sex", individual=True),
        ParameterError,
        "kind='tree' looks at none",
    ),
    "not fitted": (lambda: partial_dependence(TreeClassifier(), "sex"), NotFittedError, "not fitted"),
    "no model": (lambda: partial_dependence("tree", "sex"), DataTypeError, "a fitted model that can predict"),
    "no probabilities": (
        lambda: partial_dependence(RidgeClassifier().fit(NUMBERS, TARGET > 0), "a", NUMBERS),
        DataTypeError,
        "has no predict_proba",
    ),
    "too few weights": (
        lambda: partial_dependence(MODEL, "sex", PENGUINS, sample_weight=[1, 2]),
        DataError,
        "one per row",
    ),
    "a flag": (lambda: partial_dependence(MODEL, "sex", individual=3), ParameterError, "individual=3"),
    "a date for a tree of sums": (
        lambda: partial_dependence(TREE, "when", grid=["soon"]),
        ParameterError,
        "'soon' for column 'when'.*write it as 2024",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_is_wrong(name: str) -> None:
    ask, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words) as caught:
        ask()
    sentence = str(caught.value).split("\nHint: ")[0]
    assert name == "not fitted" or "\n" not in sentence.replace("\nHint", "")


def test_leaves_that_are_models_have_no_tree_to_go_through() -> None:
    """The message said that such a model of ours has no tree of ours."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=100)})
    model = TreeRegressor(leaf=LinearModel(), max_leaf_nodes=2).fit(table, table["x"] ** 2)
    with pytest.raises(DataError, match="kind='exact' needs leaves that predict one number each"):
        partial_dependence(model, "x", table, kind="exact")
    with pytest.raises(DataError, match=r"partial_dependence\(\) needs leaves that predict one number each"):
        partial_dependence(model.tree_, "x", table)
