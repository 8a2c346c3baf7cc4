"""Leaves that claim too much.

The leaves of a full tree are pure: each predicts a class with certainty, on the word of a few rows. Of the
rows that it is certain of, many turn out otherwise, and one of them is enough to make the log loss infinite.

Laplace's rule adds a row of each class to every leaf, so nothing is impossible any more. Shrinkage draws a
leaf towards the nodes above it, the more so the fewer rows it holds, and comes closest to what happens.
Pruning does the rest: a leaf with many rows knows its share.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gallery import run
from sklearn.metrics import log_loss

from arboretum import TreeClassifier, datasets, plot

MODELS = {
    "frequency, not pruned": TreeClassifier(leaf="frequency", prune=None),
    "Laplace, not pruned": TreeClassifier(leaf="laplace", prune=None),
    "shrinkage, pruned (default)": TreeClassifier(),
}


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw how often a class comes that is predicted with some probability; return the log losses."""
    X, y = datasets.make_checkerboard(800, noise=0.2)
    Z, z = datasets.make_checkerboard(4000, noise=0.2, random_state=1)
    numbers = {}
    for ax, (name, model) in zip(axes, MODELS.items(), strict=True):
        model.fit(X, y)
        plot.calibration(model, Z, z, ax=ax)
        numbers[name] = float(log_loss(z, model.predict_proba(Z)))
        ax.set_title(f"{name}\nlog loss {numbers[name]:.2f}")
    return numbers


if __name__ == "__main__":
    run(draw, len(MODELS))
