"""Ensembles as programs, graphs, documents and queries: all answer as the ensemble does, to the last bit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.export_models import rows_of, table_rows
from support.export_running import COMPILERS, NODE, differences, run_c, run_javascript, run_python
from support.onnx_running import run_onnx
from support.pmml_scoring import WHY_NOT, Scorer
from support.sql_engines import POSTGRES, Database, as_number, databases, load_rows

from arboretum import (
    BaggedClassifier,
    BaggedRanker,
    BaggedRegressor,
    TreeClassifier,
    TreeRanker,
    TreeRegressor,
    datasets,
)
from arboretum.errors import ArboretumError
from arboretum.export import check_onnx, to_c, to_javascript, to_onnx, to_pmml, to_python, to_rules, to_sql
from arboretum.export._program.program import program_of
from arboretum.export._program.samples import expected

Fitted = tuple[Any, Any]


@cache
def made(kind: str) -> Fitted:
    """An ensemble, and the table it was fitted to."""
    X, y = datasets.load_penguins()
    match kind:
        case "classes":
            return BaggedClassifier(n_trees=7, max_features="sqrt", random_state=1).fit(X, y), X
        case "losses":
            tree = TreeClassifier(prune=None, missing="surrogate", loss=[[0, 1, 1], [3, 0, 1], [1, 1, 0]])
            return BaggedClassifier(tree, n_trees=5).fit(X, y), X
        case "surrogates":
            tree = TreeClassifier(prune=None, leaf="laplace", missing="surrogate", min_samples_leaf=20)
            return BaggedClassifier(tree, n_trees=27).fit(X, y), X
        case "fractions":
            return BaggedClassifier(TreeClassifier(prune=None, missing="fractional"), n_trees=4).fit(X, y), X
        case "numbers":
            known = X["body_mass_g"].notna()
            table = X[known].drop(columns="body_mass_g")
            return BaggedRegressor(n_trees=3).fit(table, X["body_mass_g"][known]), table
        case "roots":  # nothing to ask: the numbers of both classes are the same in each half
            X = pd.DataFrame({"x": np.zeros(8)})
            return BaggedClassifier(n_trees=3, bootstrap="balanced").fit(X, ["a", "b"] * 4), X
        case "one tree":
            return BaggedRegressor(TreeRegressor(max_depth=3), n_trees=1).fit(
                X[["flipper_length_mm"]], y == "Gentoo"
            ), X
    rows, relevance, queries = datasets.make_ranking(n_queries=12, random_state=1)
    return BaggedRanker(TreeRanker(prune=None, max_depth=6), n_trees=3).fit(
        rows, relevance, groups=queries
    ), rows


KINDS = ["classes", "losses", "surrogates", "fractions", "numbers", "roots", "one tree", "order"]


def rows_for(model: Any, X: Any) -> list[dict[str, object]]:
    return rows_of(model, X, 120)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_expected_is_what_the_ensemble_predicts(kind: str) -> None:
    model, X = made(kind)
    answers = expected(model, table_rows(model, X))
    assert [answer for answer, _ in answers] == model.predict(X).tolist()
    if hasattr(model, "predict_proba"):
        assert [list(shares or ()) for _, shares in answers] == model.predict_proba(X).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_programs(kind: str, tmp_path: Path) -> None:
    model, X = made(kind)
    rows = rows_for(model, X)
    assert not differences(model, rows, run_python(model, rows))
    if NODE:
        assert not differences(model, rows, run_javascript(model, rows, tmp_path))
    if COMPILERS:
        assert not differences(model, rows, run_c(model, rows, tmp_path))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "fractions"])
def test_onnx(kind: str) -> None:
    model, X = made(kind)
    rows = rows_for(model, X)
    assert not differences(model, rows, run_onnx(model, rows))
    assert check_onnx(to_onnx(model)) == 32


@pytest.fixture(scope="module")
def scorer() -> Iterator[Scorer]:
    started = Scorer()
    yield started
    started.close()


@pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("fractions", "losses")])
def test_pmml(kind: str, scorer: Scorer) -> None:
    model, X = made(kind)
    rows = rows_for(model, X)
    names = {field.name for field in program_of(model, "the test", ensembles=True).fields}
    given = [{n: v for n, v in row.items() if n in names and v is not None} for row in rows]
    found = scorer.score(to_pmml(model), given)
    for row, answer, (ours, shares) in zip(rows, found, expected(model, rows), strict=True):
        theirs = list(answer.values())
        assert theirs[0] == ours or (shares is None and math.isclose(theirs[0], ours, rel_tol=1e-15)), row
        assert np.allclose(theirs[1:], shares or (), rtol=1e-15, atol=0), row


@pytest.fixture(scope="module")
def open_database() -> Iterator[Any]:
    with databases() as opened:
        yield opened


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", *(["postgres"] if POSTGRES else [])])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("fractions", "losses")])
def test_sql(kind: str, dialect: str, open_database: Any) -> None:
    model, X = made(kind)
    program = program_of(model, "the test", ensembles=True)
    database: Database = open_database(dialect)
    rows = rows_for(model, X)
    load_rows(database, program, rows, "data", {})
    output = "label" if program.classes is None else "both"
    text = to_sql(model, dialect=dialect, keep="row number", output=output, n_samples=1)
    found = {int(row[0]): row[1:] for row in database.run(text)}
    answers: list[Any] = []
    for number in range(len(rows)):
        first, *shares = found[number]
        answers.append(
            (as_number(first) + 0.0, None) if not shares else (first, tuple(map(as_number, shares)))
        )
    assert not differences(model, rows, answers)
    test = to_sql(model, dialect=dialect, output=output, self_test=True)
    assert [int(row[0]) for row in database.run(test)] == [0]


def test_what_cannot_be_said_is_refused() -> None:
    losses, _ = made("losses")
    classes, _ = made("classes")
    fractions, _ = made("fractions")
    for call, words in (
        (lambda: to_sql(losses), "least expected loss"),
        (lambda: to_pmml(losses), "least expected loss"),
        (lambda: to_sql(classes, output="leaf"), "an ensemble has a leaf in each"),
        (lambda: to_sql(fractions), "all children at once"),
        (lambda: to_onnx(fractions), "shares of every node"),
        (lambda: to_pmml(fractions), "fractional"),
        (lambda: to_rules(classes), "of an ensemble, give one of its trees"),
    ):
        with pytest.raises(ArboretumError, match=words):
            call()
    assert "probability_Adelie" in to_sql(losses, output="probabilities")


def test_large_ensembles_are_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9_000, 3)), rng.normal(size=9_000)
    model = BaggedRegressor(n_trees=2).fit(X, y)
    with pytest.raises(ArboretumError, match=r"nodes; to_sql\(\) writes 20,000 at most"):
        to_sql(model)
    model = BaggedRegressor(n_trees=18).fit(X, y)
    for export in (to_python, to_c, to_javascript, to_onnx, to_pmml):
        with pytest.raises(ArboretumError, match=r"nodes; .* writes 200,000 at most"):
            export(model)
    model = BaggedRegressor(TreeRegressor(prune=None, max_depth=1), n_trees=501).fit(X, y)
    with pytest.raises(ArboretumError, match="has 501 trees"):
        to_sql(model)
