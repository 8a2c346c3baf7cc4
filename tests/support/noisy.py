"""Noisy tables, for which a pruned tree is better than the whole one, and a model fitted to them.

The targets of these tables are partly drawn at random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import TreeClassifier

__all__ = ["fitted", "noisy", "noisy_numbers"]

Array = npt.NDArray[Any]


def noisy(n_rows: int = 300) -> tuple[Array, Array]:
    """Four columns, two of which tell something about three classes; a fifth of the labels is random."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n_rows, 4))
    y = np.where(X[:, 0] > 0.5, "high", np.where(X[:, 1] > 0, "plus", "minus"))
    wrong = rng.random(n_rows) < 0.2
    y[wrong] = rng.choice(["high", "plus", "minus"], wrong.sum())
    return X, y


def noisy_numbers(n_rows: int = 300) -> tuple[Array, Array]:
    """The same columns with a number to predict."""
    X, _ = noisy(n_rows)
    return X, X[:, 0] ** 2 + (X[:, 1] > 0) + np.random.default_rng(12).normal(size=n_rows) / 2


def fitted(prune: Any = "cost_complexity", **options: Any) -> Any:
    """A classifier of the noisy table."""
    return TreeClassifier(prune=prune, **options).fit(*noisy())
