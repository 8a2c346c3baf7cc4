"""What trees are bad at.

A sum of many columns, parity, and the majority of many bits depend on all columns at once. A tree asks about
one column at a time, and needs a leaf for nearly every combination: the rows run out long before. A straight
line adds columns up, so it learns the sum and the majority at once; parity defeats it as well.

The last table has two hundred columns that are nearly always zero, as words in short texts, and twenty that
count a little each. Every question separates a handful of rows, so a tree leaves most of what they say
unused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gallery import run
from sklearn.linear_model import LogisticRegression

from arboretum import TreeClassifier, datasets


def sparse_words(n_rows: int, seed: int) -> tuple[Any, Any]:
    """Return rare ones among zeros, and whether more good than bad words occur."""
    random = np.random.RandomState(seed)
    X = (random.uniform(size=(n_rows, 200)) < 0.08).astype(float)
    return X, np.where(X[:, :10].sum(axis=1) + 0.01 >= X[:, 10:20].sum(axis=1), "good", "bad")


def additive(n_rows: int, seed: int) -> tuple[Any, Any]:
    """Return ten numbers, and whether their mean is above one half."""
    X, y = datasets.make_additive(n_rows, n=10, noise=0.0, random_state=seed)
    return X, np.where(y > 0.5, "yes", "no")


TABLES = {
    "sum of 10": additive,
    "majority of 11": lambda n, seed: datasets.make_majority(n, n=11, random_state=seed),
    "parity of 5": lambda n, seed: datasets.make_parity(n, n=5, distractors=5, random_state=seed),
    "sparse words": sparse_words,
}


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the accuracy of a tree and a line on each table."""
    found = {"tree": [], "straight line": []}
    for make in TABLES.values():
        (X, y), (Z, z) = make(600, 0), make(3000, 1)
        found["tree"].append(float(TreeClassifier(prune=None).fit(X, y).score(Z, z)))
        found["straight line"].append(float(LogisticRegression(max_iter=1000).fit(X, y).score(Z, z)))
    for shift, (name, heights) in zip((-0.2, 0.2), found.items(), strict=True):
        bars = axes[0].bar(np.arange(len(TABLES)) + shift, heights, 0.38, label=name)
        axes[0].bar_label(bars, fmt="%.2f", fontsize=8)
    axes[0].axhline(0.5, color="grey", linewidth=0.8)
    axes[0].set_xticks(range(len(TABLES)), list(TABLES))
    axes[0].set(ylabel="accuracy on new rows", ylim=(0.4, 1.1))
    axes[0].legend(frameon=False, loc="upper right")
    return {
        f"{name}, {table}": height
        for name, heights in found.items()
        for table, height in zip(TABLES, heights, strict=True)
    }


if __name__ == "__main__":
    run(draw, 1)
