"""How a tree divides the plane.

A tree starts with one rectangle, the whole plane, and divides the rectangle whose question gains most, again
and again. Borders are parallel to the axes, because a question is about one column. The box here is turned
by 30 degrees, so its slanted sides become stairs.

With two leaves both parts still say "no"; with four the tree finds the middle of the box. With sixteen,
further steps follow the sides; some of them only follow single rows, which is where pruning comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gallery import run

from arboretum import TreeClassifier, datasets, plot

LEAVES = (2, 4, 16)


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the tree at three sizes; return how many rows each gets right."""
    X, y = datasets.make_rotated_box(300)
    numbers = {}
    for ax, leaves in zip(axes, LEAVES, strict=True):
        model = TreeClassifier(max_leaf_nodes=leaves, prune=None, leaf="frequency").fit(X, y)
        plot.partition(model, ["x", "y"], (X, y), labels=False, legend=ax is axes[-1], ax=ax)
        numbers[f"accuracy with {leaves} leaves"] = float(model.score(X, y))
        ax.set_title(f"{leaves} leaves")
    return numbers


if __name__ == "__main__":
    run(draw, len(LEAVES))
