"""How much of a tree is chance.

Draw the rows again, with replacement, and grow the tree anew: another question may come out on top. Here the
area of a house is hidden from the tree, so that income and rooms, which both go with it, take turns. An
early question decides what all later ones can see, so a change at the root changes everything below.

The thresholds move as well. Predictions change less than questions do; averaging the trees of many draws,
bagging, removes much of the variance, and the reader's view of one tree with it. The consensus tree is the
member that is nearest to all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gallery import run

from arboretum import TreeRegressor, datasets, plot, stability


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw how often columns are asked about, and how large the trees are."""
    X, y = datasets.make_houses(150)
    X = X.drop(columns="area")
    found = stability(TreeRegressor(max_depth=4, prune=None), X, y, n_resamples=60)
    plot.stability(found, "columns", ax=axes[0])
    plot.stability(found, "thresholds", ax=axes[1])
    return {"largest share of trees with the same column at the root": float(max(found.root))}


if __name__ == "__main__":
    run(draw, 2)
