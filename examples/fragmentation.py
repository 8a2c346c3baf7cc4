"""Multiway questions use up the rows.

A question with one branch for each level divides the rows into as many parts at once. After two such
questions about columns of twenty levels, four hundred branches share six hundred rows, and most of them hold
one row or none: what is left cannot be learnt from.

A question with two answers keeps large parts together. "Is the level one of these?" groups levels that act
alike, and rows remain for the questions that follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from gallery import draw_lines, run

from arboretum import TreeClassifier

LEVELS = (2, 5, 10, 20)


def table(n_rows: int, n_levels: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Return two columns of so many levels, half of which act alike, a number, and the class."""
    random = np.random.RandomState(seed)
    names = np.array([f"level {i:02d}" for i in range(n_levels)])
    codes = random.randint(0, n_levels, size=(n_rows, 2))
    X = pd.DataFrame({"a": names[codes[:, 0]], "b": names[codes[:, 1]], "c": random.normal(size=n_rows)})
    good = (codes[:, 0] % 2 == 0).astype(int) + (codes[:, 1] % 2 == 0) + (X.c > 0)
    label = np.where(good >= 2, "good", "bad")
    turned = random.uniform(size=n_rows) < 0.1
    return X, np.where(turned, np.where(label == "good", "bad", "good"), label)


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw accuracy and rows per leaf over the number of levels."""
    accuracy: dict[str, list[float]] = {}
    rows: dict[str, list[float]] = {}
    for nominal, name in (("multiway", "one branch a level"), ("subset", "two answers")):
        for n_levels in LEVELS:
            (X, y), (Z, z) = table(600, n_levels, 0), table(3000, n_levels, 1)
            model = TreeClassifier(nominal=nominal, levels="raw", prune=None).fit(X, y)
            accuracy.setdefault(name, []).append(float(model.score(Z, z)))
            rows.setdefault(name, []).append(len(X) / model.get_n_leaves())
    draw_lines(axes[0], LEVELS, accuracy, "levels of each column", "accuracy on new rows")
    draw_lines(axes[1], LEVELS, rows, "levels of each column", "rows per leaf")
    return {f"{name}, {LEVELS[-1]} levels": line[-1] for name, line in accuracy.items()}


if __name__ == "__main__":
    run(draw, 2)
