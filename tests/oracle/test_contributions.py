"""Contributions against Shapley values by their definition, for every kind of tree.

The games are played in plain Python (tests/support/shapley.py); trees are small, so that all sets of known
columns can be tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.composites import ASKED, COLUMNS, LEVELS, SIZES, SUM, TREE, TWO_OF, frame, plant, total
from support.shapley import Game, interactions_of, row_game, shapley_of, stored_rows, weight_game
from support.sweeps import few
from support.tables import categorical

import arboretum
from arboretum import MofN, Oblique, Surrogate, Tree, TreeClassifier, TreeRegressor, _core, contributions
from arboretum._data.dataset import core_dataset
from arboretum._tree.composites import LinearTerm

pytestmark = pytest.mark.filterwarnings("ignore::arboretum.ArboretumWarning")
N_ROWS = 60
MOST = 2**40  # steps
CLOSE = {"rtol": 0, "atol": 1e-12}


def mixed_table(seed: int, missing: float) -> tuple[pd.DataFrame, Any]:
    """Numbers, integers, nominal and ordered levels, dates, truth values; every row counts for a target."""
    rng = np.random.default_rng(seed)
    real, whole = rng.normal(size=N_ROWS).round(1), rng.integers(-3, 4, N_ROWS)
    colour, size = rng.integers(0, 5, N_ROWS), rng.integers(0, 3, N_ROWS)
    days = rng.integers(0, 400, N_ROWS)
    X = pd.DataFrame(
        {
            "real": real,
            "colour": categorical(colour, ["blue", "green", "red", "white", "pink", "never"]),
            "size": categorical(size, ["small", "medium", "large"], ordered=True),
            "when": np.datetime64("2024-01-01") + days.astype("m8[D]"),
            "whole": pd.array(whole, dtype="Int64"),
        }
    )
    score = (
        (real > 0) * 2.0
        + (colour % 2) * 2
        - size * whole
        + (days > 200) * (colour == 2)
        + rng.normal(size=N_ROWS)
    )
    if missing:
        for name in X.columns:
            X.loc[rng.random(N_ROWS) < missing, name] = None
    return X, score


KINDS: dict[str, dict[str, Any]] = {
    "subsets": {},
    "one against the rest": {"nominal": "one_vs_rest"},
    "multiway": {"nominal": "multiway"},
    "surrogates": {"missing": "surrogate"},
    "surrogates, rows that rest": {"missing": Surrogate(send="surrogates", max_surrogates=1)},
    "fractions": {"missing": "fractional"},
    "fractions, multiway": {"missing": "fractional", "nominal": "multiway"},
    "at least m": {"questions": MofN(), "max_depth": 3},
    "sums": {"questions": Oblique(), "max_depth": 3},
    "laplace": {"leaf": "laplace", "class_weight": "balanced"},
    "shrunken": {"leaf": "shrinkage"},
    "leaves as they are": {"leaf": "own"},
    "monotone": {"monotonic_cst": {"real": 1, "size": -1, "when": 1}},
}
OWN_LEAVES = {True: "frequency", False: "mean"}


def model_of(kind: str, seed: int, *, classes: bool) -> tuple[Any, pd.DataFrame]:
    X, score = mixed_table(seed, missing=0.12)
    options = {"prune": None, "max_depth": 4, "min_samples_leaf": 2, "levels": "raw"} | KINDS[kind]
    weights = np.random.default_rng(seed).integers(1, 4, N_ROWS)
    if options.get("leaf") == "own":
        options["leaf"] = OWN_LEAVES[classes]
    if not classes:
        if options.get("leaf") == "laplace":
            del options["leaf"], options["class_weight"]
        return TreeRegressor(**options).fit(X, score, sample_weight=weights), X
    cuts = [0.4] if kind == "monotone" else [0.4, 0.8]  # constraints are for two classes
    y = np.array(["a", "b", "c"])[np.digitize(score, np.quantile(score, cuts))]
    return TreeClassifier(**options).fit(X, y, sample_weight=weights), X


def rows_to_explain(X: pd.DataFrame) -> pd.DataFrame:
    """The rows, one with a level that no node saw, one in which everything is missing."""
    unseen = X.head(1).assign(colour=categorical(np.array([5]), list(X["colour"].cat.categories)))
    nothing = X.reindex([-1])
    return pd.concat([X, unseen, nothing], ignore_index=True)


def agree(found: Any, number: int, game: Game, tree: Tree) -> None:
    """A row's contributions, interactions and base are those of the game; other columns have none."""
    asked = sorted(tree._asked)
    values, pairs = np.zeros_like(found.values[number]), np.zeros_like(found.interactions[number])
    for column, value in shapley_of(game, asked).items():
        values[column] = value
    for (a, b), value in interactions_of(game, asked).items():
        pairs[a, b] = value
    for column in asked:
        pairs[column, column] = values[column] - pairs[column].sum(axis=0)
    np.testing.assert_allclose(found.base, game(frozenset()), **CLOSE)
    np.testing.assert_allclose(found.values[number], values, **CLOSE)
    np.testing.assert_allclose(found.interactions[number], pairs, **CLOSE)


def tried_rows(n_rows: int, seed: int) -> list[int]:
    """A few rows, the odd ones at the end among them."""
    return [
        *np.random.default_rng(seed).choice(n_rows - 2, 4, replace=False).tolist(),
        n_rows - 2,
        n_rows - 1,
    ]


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=few(0.05))
@given(seed=st.integers(0, 10_000))
def test_without_background(kind: str, classes: bool, seed: int) -> None:
    """The game of weights; all rows at once share work, one row alone does not: the same numbers."""
    model, X = model_of(kind, seed, classes=classes)
    rows = rows_to_explain(X)
    found: Any = contributions(model, rows, interactions=True)
    games = stored_rows(found.table)
    for number in tried_rows(len(rows), seed):
        agree(found, number, weight_game(model.tree_, games[number]), model.tree_)
        alone: Any = contributions(model, rows.iloc[[number]], interactions=True)
        np.testing.assert_allclose(alone.values[0], found.values[number], **CLOSE)
        np.testing.assert_allclose(alone.interactions[0], found.interactions[number], **CLOSE)
    predicted = model.predict_proba(rows) if classes else model.predict(rows)
    np.testing.assert_allclose(found.prediction, predicted, **CLOSE)


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=few(0.05))
@given(seed=st.integers(0, 10_000))
def test_with_background(kind: str, classes: bool, seed: int) -> None:
    """The game of rows: the model itself is asked about every mixture of two rows."""
    model, X = model_of(kind, seed, classes=classes)
    rows = rows_to_explain(X)
    behind = rows.iloc[[1, 5, 9, len(rows) - 1]]
    found = contributions(model, rows, behind, interactions=True)
    predict = model.predict_proba if classes else model.predict
    for number in tried_rows(len(rows), seed)[2:]:
        agree(found, number, row_game(predict, rows.iloc[[number]], behind), model.tree_)
        alone = contributions(model, rows.iloc[[number]], behind.iloc[:1])
        one = contributions(model, rows, behind.iloc[:1])
        np.testing.assert_allclose(alone.values[0], one.values[number], **CLOSE)
    np.testing.assert_allclose(found.prediction, predict(rows), **CLOSE)


# Questions about several columns, planted so that they share columns in every way

CELLS = st.tuples(
    st.none() | st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.none() | st.integers(-1, 3),
    st.none() | st.integers(0, 1000),
    st.none() | st.integers(0, len(SIZES) - 1),
    st.none() | st.integers(0, len(LEVELS) - 1),
)
OTHER_SUM = total(
    0.5, LinearTerm(COLUMNS[1], 1.0), LinearTerm(COLUMNS[4], -0.5, 2), LinearTerm(COLUMNS[4], 0.5, 0)
)
PLANTED = {
    "planted": TREE,
    "sums over sums": plant({(): SUM, (0,): OTHER_SUM, (1,): SUM, (1, 1): TWO_OF, (0, 1): TWO_OF}),
    "votes over cuts": plant({(): TWO_OF, (0,): ASKED[()], (1,): TWO_OF, (1, 0): OTHER_SUM}),
}


@pytest.mark.parametrize("name", PLANTED)
@settings(max_examples=few(0.5))
@given(row=CELLS, others=st.lists(CELLS, min_size=1, max_size=3))
def test_questions_that_share_columns(name: str, row: Any, others: list[Any]) -> None:
    tree, X, behind = PLANTED[name], frame([row]), frame(others)
    agree(contributions(tree, X, interactions=True), 0, weight_game(tree, row), tree)
    found = contributions(tree, X, behind, interactions=True)
    agree(found, 0, row_game(tree.predict_proba, X, behind), tree)


# The faster way


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("at least m", "sums")])
@pytest.mark.parametrize("seed", range(3))
def test_rows_that_share_work(kind: str, seed: int) -> None:
    """Row by row or all at once: the same up to rounding; with one thread or three: the same to the bit."""
    model, X = model_of(kind, seed, classes=True)
    tree, rows = model.tree_, rows_to_explain(X)
    table = core_dataset(tree._matched(rows, named=True, owner="the test"))
    values = np.ascontiguousarray(tree.array("probability"))
    for behind in (None, core_dataset(tree._matched(rows.iloc[::3], named=True, owner="the test"))):
        shared = _core.contributions(tree._router, table, values, behind, True, 1, MOST)
        for way, exact in (((3, MOST), True), ((1, MOST, True), False), ((3, MOST, True), False)):
            again = _core.contributions(tree._router, table, values, behind, True, *way)
            for a, b in zip(shared, again, strict=True):
                np.testing.assert_allclose(a, b, **({"rtol": 0, "atol": 0} if exact else CLOSE))


def test_many_columns_on_a_way() -> None:
    """More patterns than can be looked up directly, and more columns than a pattern has bits."""
    rng = np.random.default_rng(3)
    for n_columns in (30, 90):
        X = rng.integers(0, 2, (400, n_columns)).astype(float)
        y = np.argmin(np.column_stack([X, np.zeros(400)]), axis=1) + rng.normal(0, 0.01, 400)
        tree = TreeRegressor(prune=None, leaf="mean").fit(X, y).tree_
        table = core_dataset(tree._matched(X, named=False, owner="the test"))
        values = tree.array("value").reshape(-1, 1)
        for behind in (table, None):
            shared, plain = (
                _core.contributions(tree._router, table, values, behind, False, 1, MOST, way)[0]
                for way in (False, True)
            )
            np.testing.assert_allclose(shared, plain, **CLOSE)
        sums = plain.reshape(X.shape).sum(axis=1) + contributions(tree, X).base
        np.testing.assert_allclose(sums, tree.predict(X), rtol=0, atol=1e-11)


def test_the_result_does_not_depend_on_threads() -> None:
    X, score = mixed_table(1, missing=0.1)
    model = TreeRegressor(prune=None).fit(X, score)
    for behind in (None, X.head(7)):
        one, three = (arboretum.contributions(model, X, behind, True, n_jobs=n) for n in (1, 3))
        assert np.array_equal(one.values, three.values)
        assert np.array_equal(one.interactions, three.interactions)
