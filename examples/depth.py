"""Underfitting and overfitting.

The empty tree, of depth 0, predicts the most frequent class: it had the opportunity to learn something and
did not. With every level the training loss falls, down to zero for the full tree.

The loss of rows that the tree has not seen falls at first, and then rises again: from there on, the tree
learns the mistakes in the labels, a tenth of which were turned around. Somewhere between is the depth to
choose, on development rows; the test rows are looked at once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gallery import run

from arboretum import TreeClassifier, datasets, plot, validation_curve

DEPTHS = (0, 1, 2, 3, 4, 5, 6, 8, 10, 14)


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the losses over the depth; return those of the empty, the best and the full tree."""
    X, y = datasets.make_checkerboard(800, squares=3, noise=0.1)
    X_test, y_test = datasets.make_checkerboard(4000, squares=3, noise=0.1, random_state=1)
    plain = TreeClassifier(prune=None, leaf="frequency")
    curve = validation_curve(plain, X, y, "max_depth", DEPTHS, X_test=X_test, y_test=y_test)
    plot.validation_curve(curve, option="depth", ax=axes[0])
    losses = curve["development_loss"]
    return {
        "empty tree": float(losses.iloc[0]),
        "best depth": float(losses.min()),
        "full tree": float(losses.iloc[-1]),
        "test loss of the best": float(curve["test_loss"].max()),
    }


if __name__ == "__main__":
    run(draw, 1)
