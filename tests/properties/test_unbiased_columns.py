"""Columns that have nothing to do with the target are chosen equally often, however many values they have.

Greedy growth prefers columns with many values, for which there are more questions to choose from.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import Conditional, TreeClassifier, TreeRegressor

N_TABLES = 400
COLUMNS = ("two", "four", "ten", "number")


def noise(rng: np.random.Generator, n_rows: int = 100) -> pd.DataFrame:
    """Levels, two, four and ten of them, and a number that is nearly always different."""
    levels = {
        name: pd.Categorical.from_codes(rng.integers(0, n, n_rows), [f"l{i}" for i in range(n)])
        for name, n in (("two", 2), ("four", 4), ("ten", 10))
    }
    return pd.DataFrame({**levels, "number": rng.normal(size=n_rows)})


def chosen_columns(make: Any, n_classes: int, significance: Any) -> Counter[str]:
    """How often each column is at the root."""
    rng, count = np.random.default_rng(17), Counter[str]()
    for _ in range(N_TABLES):
        X = noise(rng)
        y = rng.integers(0, n_classes, len(X)) if n_classes else rng.normal(size=len(X))
        root = make(significance=significance, max_depth=1, prune=None).fit(X, y).tree_.root
        count[root.question.column] += 1
    return count


@pytest.mark.parametrize("n_classes", [2, 3, 0])
def test_every_column_is_chosen_about_equally_often(n_classes: int) -> None:
    """Of 400 tables each of four columns has 100, give or take four standard deviations (35)."""
    make: Any = TreeClassifier if n_classes else TreeRegressor
    count = chosen_columns(make, n_classes, Conditional(1.0))
    assert sum(count.values()) == N_TABLES
    for column in COLUMNS:
        assert abs(count[column] - N_TABLES / 4) <= 4 * np.sqrt(N_TABLES * 0.25 * 0.75), count


def test_greedy_growth_prefers_many_values() -> None:
    """The same tables: what the test above allows for is far smaller than what it guards against."""
    count = chosen_columns(TreeRegressor.cart, 0, None)
    assert count["two"] < N_TABLES / 10
    assert count["two"] + count["four"] < N_TABLES / 4
