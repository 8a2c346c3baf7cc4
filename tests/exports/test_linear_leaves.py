"""Leaves that hold linear models, as programs, graphs and queries: the same numbers, to the last bit."""

from __future__ import annotations

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
from support.sql_engines import POSTGRES, Database, as_number, databases, load_rows

from arboretum import LinearModel, TreeRegressor
from arboretum.errors import ArboretumError
from arboretum.export import check_onnx, to_c, to_javascript, to_onnx, to_pmml, to_python, to_rules, to_sql
from arboretum.export._program.program import program_of
from arboretum.export._program.samples import expected

LEAVES = {
    "default": LinearModel(),
    "unbounded": LinearModel(clip=False, smoothing=0),
    "path": LinearModel(columns="path"),
    "one leaf": LinearModel(),
}


@cache
def made(kind: str, missing: str = "category") -> tuple[Any, Any]:
    """A tree with models, and its table: integers, missing and infinite values."""
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(-9, 9, n),
            "c": rng.choice(["u", "v", "w"], n),
            "d": rng.normal(size=n),
        }
    )
    y = np.where(X["c"] == "u", 3 * X["a"] - X["b"], 2 * X["d"] + X["b"]) + rng.normal(size=n) / 9
    X.loc[::7, "a"] = np.nan
    X.loc[5, "d"] = np.inf
    if kind == "one leaf":
        X, y = X[["a", "b", "d"]], np.asarray(3 * X["a"].fillna(0) - X["b"])
    depth = 0 if kind == "one leaf" else 3
    return TreeRegressor(leaf=LEAVES[kind], missing=missing, prune=None, max_depth=depth).fit(X, y), X


@pytest.mark.parametrize("kind", LEAVES)
def test_programs(kind: str, tmp_path: Path) -> None:
    model, X = made(kind)
    assert [value for value, _ in expected(model, table_rows(model, X))] == model.predict(X).tolist()
    rows = rows_of(model, X, 150)
    assert not differences(model, rows, run_python(model, rows))
    if NODE:
        assert not differences(model, rows, run_javascript(model, rows, tmp_path))
    if COMPILERS:
        assert not differences(model, rows, run_c(model, rows, tmp_path))


@pytest.mark.parametrize("kind", LEAVES)
def test_onnx(kind: str) -> None:
    model, X = made(kind)
    rows = rows_of(model, X, 150)
    assert not differences(model, rows, run_onnx(model, rows))
    assert check_onnx(to_onnx(model)) == 32
    numbers = TreeRegressor(leaf="linear").fit(X[["b", "d"]].to_numpy()[6:], X["b"][6:] ** 2)
    assert check_onnx(to_onnx(numbers, inputs="matrix")) == 32
    assert check_onnx(to_onnx(numbers, inputs="matrix", floats="float32")) == 32


@pytest.fixture(scope="module")
def open_database() -> Iterator[Any]:
    with databases() as opened:
        yield opened


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", *(["postgres"] if POSTGRES else [])])
@pytest.mark.parametrize("kind", LEAVES)
def test_sql(kind: str, dialect: str, open_database: Any) -> None:
    model, X = made(kind)
    database: Database = open_database(dialect)
    rows = rows_of(model, X, 150)
    load_rows(database, program_of(model, "the test", models=True), rows, "data", {})
    found = {
        int(row[0]): as_number(row[1])
        for row in database.run(to_sql(model, dialect=dialect, keep="row number", n_samples=1))
    }
    answers: list[Any] = [(found[number], None) for number in range(len(rows))]
    assert not differences(model, rows, answers, signed_zeros=False)
    test = to_sql(model, dialect=dialect, self_test=True)
    assert [int(row[0]) for row in database.run(test)] == [0]


def test_surrogates_lead_to_models() -> None:
    model, X = made("default", "surrogate")
    rows = rows_of(model, X, 150)
    assert not differences(model, rows, run_python(model, rows))


def test_programs_show_the_formulas() -> None:
    """Beside the steps, as `print` shows them."""
    model, _ = made("default")
    formula = next(iter(model.tree_.leaves())).formula.replace("·", "\\xb7")
    for text in (to_python(model), to_c(model), to_javascript(model)):
        assert f"-> {formula}" in text


def test_what_has_no_formulas_refuses_them() -> None:
    model, _ = made("default")
    for export in (to_pmml, to_rules):
        with pytest.raises(ArboretumError, match="the exports to code, SQL and ONNX know"):
            export(model)
