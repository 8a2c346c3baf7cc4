"""Exports of trees with round thresholds: rows beside a threshold go where the tree sends them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.export_models import rows_of
from support.export_running import differences, run_c, run_python
from support.onnx_running import session_of

from arboretum import TreeClassifier
from arboretum.export import to_onnx


def table() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(3)
    n_rows = 200
    X = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows),
            "tenths": rng.integers(-9, 9, n_rows).astype(np.float32) / np.float32(10),
            "whole": rng.integers(-(10**6), 10**6, n_rows),
            "day": np.datetime64("2020-01-01") + rng.integers(0, 10**8, n_rows).astype("timedelta64[s]"),
        }
    )
    return X, rng.integers(0, 2, n_rows)


@pytest.mark.parametrize("run", [run_python, run_c])
def test_programs(run: Any, tmp_path: Path) -> None:
    X, y = table()
    model = TreeClassifier(prune=None, thresholds="round").fit(X, y)
    rows = rows_of(model, X)
    answers = run(model, rows, tmp_path) if run is run_c else run(model, rows)
    assert not differences(model, rows, answers)


def test_float32_has_the_same_answers() -> None:
    """Thresholds are compared as float32, and none lies on a value that looks the same but is higher."""
    X, y = table()
    values = X[["real", "tenths"]].to_numpy(np.float32)
    model = TreeClassifier(prune=None, thresholds="round").fit(values, y)
    session = session_of(to_onnx(model, inputs="matrix", floats="float32"))
    assert session.run(["label"], {"X": values})[0].tolist() == model.predict(values).tolist()
    nodes: list[Any] = [node.question for node in model.tree_.walk() if not node.is_leaf]
    for question in nodes:
        column = values[:, int(question.column[1:])]
        assert ((column <= np.float32(question.threshold)) == (column <= question.threshold)).all()
