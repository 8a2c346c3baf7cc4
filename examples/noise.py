"""Noise in labels and in columns.

Left: a growing share of the labels is turned around. The full tree learns every wrong label, and its error
on clean rows grows faster than the share of wrong ones. The pruned tree hardly notices, until wrong labels
are so many that the rule drowns.

Right: the labels are right, but normal noise blurs the columns. Now the border itself is washed out. No tree
can find it again, and pruning only keeps the tree from following the blur.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gallery import draw_lines, run

from arboretum import TreeClassifier, datasets

SHARES = (0.0, 0.1, 0.2, 0.3)
BLURS = (0.0, 0.1, 0.2, 0.4)


def errors(X: Any, y: Any) -> tuple[float, float]:
    """Return the error of the full and of the pruned tree on clean rows."""
    clean, truth = datasets.make_rotated_box(4000, angle=0, random_state=9)
    full = TreeClassifier(prune=None, leaf="frequency").fit(X, y)
    return float(1 - full.score(clean, truth)), float(1 - TreeClassifier().fit(X, y).score(clean, truth))


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw both errors over both kinds of noise."""
    random = np.random.RandomState(0)
    labels = [errors(*datasets.make_rotated_box(600, angle=0, noise=share)) for share in SHARES]
    X, y = datasets.make_rotated_box(600, angle=0)
    columns = [errors(X + blur * random.normal(size=X.shape), y) for blur in BLURS]
    for ax, found, values, name in (
        (axes[0], labels, SHARES, "share of wrong labels"),
        (axes[1], columns, BLURS, "standard deviation of the noise in the columns"),
    ):
        full, pruned = zip(*found, strict=True)
        draw_lines(ax, values, {"full tree": full, "pruned tree": pruned}, name, "error on clean rows")
    return {
        "full tree, 20 % wrong labels": labels[2][0],
        "pruned tree, 20 % wrong labels": labels[2][1],
        "full tree, blur 0.2": columns[2][0],
        "pruned tree, blur 0.2": columns[2][1],
    }


if __name__ == "__main__":
    run(draw, 2)
