"""Partial dependence through the tree is the mean over all rows, cell by cell: for every kind of tree.

By hand, a column is set to one value in all rows and the model predicts them; nothing of the package's own
grids is used but the values that it lists.
"""

from __future__ import annotations

from itertools import combinations as pairs_of
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.combinations import (
    Combination,
    choices_tried,
    combinations,
    data_for,
    names,
    rows_to_predict,
    variants,
)
from support.composites import (
    COLOUR,
    COLUMNS,
    SIZE,
    TREE,
    A,
    N,
    at_least,
    cut,
    frame,
    level,
    plant,
    total,
)
from support.export_models import ALL, exported
from support.marks import allow_constant_column, allow_one_leaf, allow_unknown_levels
from support.sweeps import every, few, pairwise
from support.tables import tables
from support.trees import estimator

from arboretum import MofN, Oblique, Surrogate, Tree, partial_dependence
from arboretum._tree.composites import LinearTerm
from arboretum._tree.question_values import floor_of
from arboretum._tree.questions import Threshold

CLOSE = 1e-10


def by_hand(model: Any, X: pd.DataFrame, columns: tuple[str, ...], grid: Any, weights: Any = None) -> Any:
    """The mean prediction of all rows in each cell, cell by cell; and what is predicted for each row."""
    found = []
    for cell in product(*grid):
        table = X.assign(**{name: set_to(value, X[name]) for name, value in zip(columns, cell, strict=True)})
        found.append(predictions(model, table))
    each = np.array(found).reshape(*map(len, grid), len(X), -1)  # grid, rows, targets
    means = np.average(each, axis=len(grid), weights=weights)
    return np.moveaxis(means, -1, 0), np.moveaxis(each, (-1, -2), (0, 1))


def set_to(value: Any, column: Any) -> Any:
    """A column of one value; instants come in UTC."""
    series = pd.Series([value] * len(column))
    zone = getattr(column.dtype, "tz", None)
    return series if zone is None else series.dt.tz_localize("UTC").dt.tz_convert(zone)


def predictions(model: Any, X: pd.DataFrame) -> Any:
    tree = model if isinstance(model, Tree) else model.tree_
    return model.predict(X) if tree.target.classes is None else model.predict_proba(X)


def check(model: Any, X: pd.DataFrame, columns: tuple[str, ...], weights: Any = None, **how: Any) -> None:
    exact = partial_dependence(model, columns, X, sample_weight=weights, **how)
    assert exact.kind == "exact"
    means, each = by_hand(model, X, columns, exact.grid, weights)
    np.testing.assert_allclose(exact.values, means, rtol=CLOSE, atol=CLOSE)
    lines = partial_dependence(model, columns, X, sample_weight=weights, individual=True, **how)
    np.testing.assert_allclose(lines.individual, each, rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(lines.values, means, rtol=CLOSE, atol=CLOSE)
    brute = partial_dependence(model, columns, X, sample_weight=weights, kind="brute", **how)
    np.testing.assert_allclose(brute.values, means, rtol=CLOSE, atol=CLOSE)


FRAMES = [kind for kind in ALL if kind not in ("root alone", "days", "many levels")]  # pandas, and it asks
VALID = [combination for combination in combinations() if combination.is_valid]


@allow_unknown_levels
@allow_constant_column
@pytest.mark.parametrize("combination", pairwise(VALID, choices_tried, names))
def test_every_combination_of_options(combination: Combination) -> None:
    """Rows with missing values, with levels that the tree has not seen, and with nothing at all."""
    X, y = data_for(combination)
    rows = rows_to_predict(combination)[::2].reset_index(drop=True)
    model = estimator(combination.criterion, max_depth=4, **variants(combination)[-1]).fit(X, y)
    number = VALID.index(combination)
    columns = [("real",), ("colour",), ("size", "real"), ("colour", "whole"), ("truth", "size")][number % 5]
    check(model, rows, columns, np.linspace(0.0, 2.0, len(rows)) if number % 2 else None)


COMPOSITE = {
    "m-of-n": {"questions": MofN()},
    "oblique": {"questions": Oblique()},
    "two-term sums": {"questions": Oblique(max_terms=2, restarts=1)},
}
WITH_MISSING = {
    "category": {"missing": "category"},
    "surrogate": {"missing": "surrogate"},
    "surrogates only": {"missing": Surrogate(max_surrogates=4, send="surrogates")},
    "never sent": {"missing": Surrogate(max_surrogates=1, send="never")},
    "fractional": {"missing": "fractional"},
    "levels in fractions": {"missing": "fractional", "nominal": "multiway"},
    "one level": {"missing": "category", "nominal": "one_vs_rest"},
}


@allow_one_leaf
@allow_constant_column
@allow_unknown_levels
@pytest.mark.parametrize("kind", [*COMPOSITE, *WITH_MISSING])
@settings(max_examples=few(0.5))
@given(data=st.data())
def test_random_tables(kind: str, data: st.DataObject) -> None:
    criterion = data.draw(st.sampled_from(["gini", "squared_error"]))
    table = data.draw(tables(criterion, min_rows=4, max_rows=40))
    X, weights = table.frame(), None if table.weights is None else np.array(table.weights)
    model = estimator(criterion, **(COMPOSITE | WITH_MISSING)[kind])
    model.fit(X, np.array(table.targets), sample_weight=weights)
    n_columns = data.draw(st.integers(1, min(2, len(X.columns))))
    columns = tuple(data.draw(st.permutations(list(X.columns)))[:n_columns])
    # A table of other rows: values that the tree has not seen in each other's company.
    order = [data.draw(st.permutations(range(len(X)))) for _ in X.columns[:2]]
    for name, rows in zip(X.columns, order, strict=False):
        X[name] = X[name].take(rows).reset_index(drop=True)
    how = {} if data.draw(st.booleans()) else {"grid": 4}
    check(model, X, columns, weights, **how)


# Models with dates, durations, zones, integers beyond doubles, odd names, values drawn to the nodes above


@allow_constant_column
@allow_unknown_levels
@pytest.mark.parametrize("kind", every(2, FRAMES))
def test_every_model_of_the_exports(kind: str) -> None:
    """Each column that is asked about, and one pair of them."""
    model, X, _ = exported(kind)
    tree = model.tree_
    rows = X.iloc[:: max(1, len(X) // 25)].reset_index(drop=True)
    asked = [tree.columns[place].name for place in sorted(tree._asked)]
    for columns in [*((name,) for name in asked), tuple(asked[-2:])]:
        how = {"grid": 4} if len(columns) == 2 else {}
        exact = partial_dependence(model, columns, rows, individual=True, **how)
        means, each = by_hand(model, rows, columns, exact.grid)
        np.testing.assert_allclose(exact.individual, each, rtol=CLOSE, atol=CLOSE)
        np.testing.assert_allclose(exact.values, means, rtol=CLOSE, atol=CLOSE)


# Planted trees, whose questions may follow each other in any way


def planted_rows(n_rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(n_rows):
        row = (rng.normal(), int(rng.integers(-2, 4)), int(rng.integers(0, 10**6)), *rng.integers(0, 3, 2))
        rows.append(tuple(None if rng.random() < 0.15 else value for value in row))
    return frame(rows)


COLUMN_NAMES = [column.name for column in COLUMNS]
POINTS: dict[str, Any] = {
    "a": [-1.5, -0.5, 0.0, 0.5, 1.0, 2.0],
    "n": [-2, 0, 1, 3],
    "when": pd.to_datetime(["1970-01-01", "1970-01-05", "1970-01-12"]).to_numpy(),
}


@pytest.mark.parametrize("columns", [(name,) for name in COLUMN_NAMES] + [*pairs_of(COLUMN_NAMES, 2)])
def test_questions_about_several_columns(columns: tuple[str, ...]) -> None:
    """A planted tree with "at least 2 of" and sums, about numbers, dates and levels: nominal × date too."""
    how = {"grid": {name: POINTS.get(name) for name in columns}}
    check(TREE, planted_rows(), columns, np.linspace(0.5, 2, 60), **how)


TERMS = st.one_of(
    st.builds(lambda column, by, fill: LinearTerm(column, by, fill=fill), st.sampled_from([A, N]),
              st.sampled_from([-2.0, -0.5, 1.0, 1.5]), st.sampled_from([-1.0, 0.25])),
    st.builds(lambda by, number: LinearTerm(COLOUR, by, number, fill=0.5),
              st.sampled_from([-2.0, 1.0, 3.0]), st.sampled_from([0, 1, 2])),
)  # fmt: skip
LITERALS = st.one_of(
    st.builds(lambda value, negated: cut(A, value, negated=negated), st.sampled_from([-0.5, 0.5, 1.0]),
              st.booleans()),
    st.builds(lambda value, negated: cut(SIZE, value, negated=negated), st.sampled_from([0, 1]),
              st.booleans()),
    st.builds(lambda number, negated: level(number, negated=negated), st.sampled_from([0, 1, 2]),
              st.booleans()),
    st.builds(lambda value: cut(N, value), st.sampled_from([-1, 0, 2])),
)  # fmt: skip
QUESTIONS = st.one_of(
    st.builds(lambda bound, terms: total(bound, *terms), st.sampled_from([-1.0, 0.0, 0.5, 2.0]),
              st.lists(TERMS, min_size=1, max_size=4)),
    st.builds(lambda m, literals: at_least(min(m, len(literals)), *literals), st.integers(1, 3),
              st.lists(LITERALS, min_size=2, max_size=4)),
    st.builds(lambda value: Threshold(A, 0, True, value, floor_of(value)), st.sampled_from([-1.0, 0.0, 1.0])),
)  # fmt: skip
PATHS = [(), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1)]


@settings(max_examples=few(2))
@given(questions=st.tuples(*(QUESTIONS for _ in PATHS)), columns=st.permutations(["a", "n", "colour"]))
def test_questions_in_any_order(questions: Any, columns: list[str]) -> None:
    """Sums that rise with a column below sums that fall with it, two terms about one column, and so on."""
    tree = plant(dict(zip(PATHS, questions, strict=True)))
    for chosen in (tuple(columns[:1]), tuple(columns[:2])):
        how = {"grid": {name: POINTS.get(name) for name in chosen}}
        exact = partial_dependence(tree, chosen, planted_rows(25), individual=True, **how)
        _, each = by_hand(tree, planted_rows(25), chosen, exact.grid)
        np.testing.assert_allclose(exact.individual, each, rtol=CLOSE, atol=CLOSE)
