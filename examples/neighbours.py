"""Trees and nearest neighbours.

A tree keeps a few questions and forgets the rows; its borders are parallel to the axes. Nearest neighbours
keep all rows and ask none: the border is piecewise linear and follows every bend of the data.

Add ten columns that say nothing, and the neighbours are no longer near: distance counts every column alike.
A tree does not ask about columns that do not help.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gallery import run
from sklearn.neighbors import KNeighborsClassifier

from arboretum import TreeClassifier, datasets, plot


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw both in the plane, and their accuracy with more and more useless columns."""
    X, y = datasets.make_rotated_box(300, noise=0.05)
    tree, near = TreeClassifier(), KNeighborsClassifier(7)
    plot.partition(tree.fit(X, y), data=(X, y), labels=False, legend=False, ax=axes[0])
    plot.partition(near.fit(X, y), data=(X, y), legend=False, ax=axes[1])
    axes[0].set_title("tree")
    axes[1].set_title("7 nearest neighbours")
    Z, z = datasets.make_rotated_box(3000, random_state=1)
    random = np.random.RandomState(0)
    useless = (0, 2, 5, 10, 20)
    found: dict[str, list[float]] = {"tree": [], "neighbours": []}
    for n in useless:
        more, other = (random.uniform(-1, 1, size=(len(table), n)) for table in (X, Z))
        for name, model in (("tree", tree), ("neighbours", near)):
            model.fit(np.hstack([X, more]), y)
            found[name].append(float(model.score(np.hstack([Z, other]), z)))
    for name, style in (("tree", "-o"), ("neighbours", "--s")):
        axes[2].plot(useless, found[name], style, label=name)
    axes[2].set(xlabel="columns that say nothing", ylabel="accuracy on new rows")
    axes[2].legend(frameon=False)
    return {
        f"{name}, {n} useless columns": v
        for name, line in found.items()
        for n, v in zip(useless, line, strict=True)
    }


if __name__ == "__main__":
    run(draw, 3)
