"""Labels that follow the cost of mistakes.

A tree that counts mistakes predicts the more frequent class wherever it can. If it costs five times as much
to miss a "yes" as to raise a false alarm, a region should say "yes" from a probability of one in six on, and
with `loss=` it does: the rows are the same, and the border moves into the land of "no".

Priors say something else: that "yes" is more frequent where the tree will be used than in the table, here
three times as frequent. They change the probabilities, and the labels with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from gallery import run

from arboretum import TreeClassifier, plot

COSTS = [[0, 1], [5, 0]]  # costs[true, predicted]: no, yes


def table(n_rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Return two columns, and a class that grows likelier from the lower left to the upper right."""
    random = np.random.RandomState(seed)
    X = pd.DataFrame(random.uniform(-2, 2, size=(n_rows, 2)), columns=["a", "b"])
    odds = np.exp(2.5 * X.a + 0.8 * X.b - 2)
    return X, np.where(random.uniform(size=n_rows) < odds / (1 + odds), "yes", "no")


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the regions of three trees; return what their mistakes cost on new rows."""
    (X, y), (Z, z) = table(600, 0), table(4000, 1)
    models = {
        "mistakes count alike": TreeClassifier(max_depth=4),
        "a missed yes costs five": TreeClassifier(max_depth=4, loss=COSTS),
        "priors: three in four are yes": TreeClassifier(max_depth=4, priors=[0.25, 0.75]),
    }
    numbers = {}
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        predicted = model.fit(X, y).predict(Z)
        cost = np.where(predicted == z, 0, np.where(z == "yes", 5, 1)).mean()
        plot.partition(model, ["a", "b"], (X, y), labels=False, legend=ax is axes[-1], ax=ax)
        ax.set_title(f"{name}\ncost per row {cost:.2f}, {np.mean(predicted == 'yes'):.0%} yes")
        numbers[name] = float(cost)
    return numbers


if __name__ == "__main__":
    run(draw, 3)
