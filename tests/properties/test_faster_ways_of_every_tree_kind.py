"""Faster ways to the trees of ID3, C4.5 and CART: sorted columns, glances and counted records change nothing.

A way is a choice of switches; the plain way puts the rows of every node in buckets, column by column. That
the plain way is right is shown in `tests/oracle` and `tests/parity`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.tables import categorical
from support.trees import PLAIN, estimator, growing

from arboretum import GainRatio, Surrogate

SEEDS = range(12)


def blanked(X: pd.DataFrame, rng: Any, share: float) -> pd.DataFrame:
    return X.mask(rng.random(X.shape) < share)


def numeric_table(seed: int) -> tuple[pd.DataFrame, Any]:
    """Some hundred different values a column, so that rows are kept in their order; ties; missing values."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(300, 1500))
    X = pd.DataFrame({f"x{j}": rng.normal(size=n_rows) for j in range(5)})
    X["tied"] = rng.integers(0, 400, n_rows).astype(float)
    X["twin"] = X["x0"] + 0.2 * rng.normal(size=n_rows)
    X["few"] = rng.integers(0, 9, n_rows).astype(float)
    X["colour"] = categorical(rng.integers(0, 6, n_rows), "abcdef")
    score = X["x0"] + X["x1"] * X["x2"] + (X["tied"] > 200) + rng.normal(size=n_rows)
    return blanked(X, rng, 0.1), score.to_numpy()


def grown_alike(model: Any, X: pd.DataFrame, y: Any, weights: Any) -> Any:
    """Fit in the plain way, in the fast way and with two threads: one tree, to the last bit."""
    with growing(PLAIN):
        plain = model.fit(X, y, sample_weight=weights).tree_
    assert len(plain) > 3
    assert model.fit(X, y, sample_weight=weights).tree_ == plain
    assert model.set_params(n_jobs=2).fit(X, y, sample_weight=weights).tree_ == plain
    return plain


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "squared_error", "absolute_error"])
@pytest.mark.parametrize("seed", SEEDS)
def test_sorted_columns_find_the_same_splits_and_surrogates(criterion: str, seed: int) -> None:
    """Surrogate trees are the same whether columns are kept sorted or put into buckets node by node."""
    X, score = numeric_table(seed)
    rng = np.random.default_rng(seed)
    n_classes = 2 + seed % 3
    numbers = criterion in ("squared_error", "absolute_error")
    y = (
        score.round(1)
        if numbers
        else np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    )
    weights = None if seed % 3 else rng.integers(1, 4, len(y)) / 3
    missing = Surrogate(
        max_surrogates=(0, 2, 5)[seed % 3],
        send=("always", "surrogates", "never")[seed % 3 - seed % 2],
        agreement=("node", "known")[seed % 2],
    )
    options: dict[str, Any] = {"missing": missing, "competitors": seed % 4, "min_samples_leaf": 1 + seed % 5}
    if seed % 4 == 3:
        options["max_leaf_nodes"] = 20
    if seed % 2:
        options["column_costs"] = rng.choice([0.2, 1.0, 3.0], X.shape[1])
    if seed % 5 == 4:
        options["max_bins"] = 300
    grown_alike(estimator(criterion, **options), X, y, weights)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification", "gain_ratio", "c45"])
@pytest.mark.parametrize("n_classes", [2, 5, 12])
@pytest.mark.parametrize("seed", SEEDS)
def test_counted_records_find_the_same_splits(criterion: str, n_classes: int, seed: int) -> None:
    """Tables of nominal columns, asked level by level: the same tree from counts as from buckets."""
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(40, 900)), int(rng.integers(2, 9))
    sizes = rng.integers(1, 8, n_columns)
    names = [f"v{i}" for i in range(9)]  # two levels more than there are rows of
    X = pd.DataFrame(
        {
            f"x{j}": categorical(rng.integers(0, size, n_rows), names[: size + 2])
            for j, size in enumerate(sizes)
        }
    )
    codes = np.column_stack([X[name].cat.codes for name in X])
    y = (codes.sum(axis=1) + rng.integers(0, 3, n_rows)) % n_classes
    missing = ("category", "fractional", "drop")[seed % 3]
    if missing == "category":
        X = blanked(X, rng, 0.05)
    chosen: Any = GainRatio(guard="c45", numeric_penalty=True) if criterion == "c45" else criterion
    if criterion == "gain_ratio" and seed % 2:
        chosen = GainRatio(guard=None)
    options: dict[str, Any] = {"nominal": "multiway", "missing": missing, "min_samples_leaf": 1 + seed % 3}
    options["levels"] = ("corrected", "raw")[seed // 2 % 2]
    if seed % 4 == 1:
        options["max_leaf_nodes"] = 25
    if seed % 4 == 2:
        options["max_depth"] = 3
    if seed % 2:
        options["column_costs"] = rng.choice([0.2, 1.0, 3.0], X.shape[1])
    grown_alike(estimator("gini", **options).set_params(criterion=chosen), X, y, None)
