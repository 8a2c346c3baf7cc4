"""Myopia: stopping early against pruning late.

In exclusive or, neither column says anything by itself. A test that allows a question only if it helps stops
a greedy tree at the root: it has not seen that the second question would tell everything.

A tree that is grown first and pruned afterwards asks on, and pruning keeps what held-out rows confirm.
Lookahead judges a question by the best that can be asked below it, and finds the four leaves at once.
Useless columns make the greedy tree's first question a matter of luck; lookahead does not mind them.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from gallery import draw_lines, run

from arboretum import Lookahead, OneLeafWarning, TreeClassifier, datasets

USELESS = (0, 2, 5, 10)
MODELS = {
    "stopped by a test": TreeClassifier(significance=0.05, prune=None),
    "pruned": TreeClassifier(),
    "lookahead, pruned": TreeClassifier(search=Lookahead()),
}


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the accuracy of each over the number of useless columns."""
    found: dict[str, list[float]] = {name: [] for name in MODELS}
    warnings.simplefilter("ignore", OneLeafWarning)  # one leaf is what the test leaves
    for n in USELESS:
        (X, y), (Z, z) = (
            datasets.make_parity(rows, n=2, distractors=n, noise=0.05, random_state=seed)
            for rows, seed in ((400, 0), (3000, 1))
        )
        for name, model in MODELS.items():
            found[name].append(float(model.fit(X, y).score(Z, z)))
    draw_lines(axes[0], USELESS, found, "columns that say nothing", "accuracy on new rows")
    return {f"{name}, {USELESS[-1]} useless columns": line[-1] for name, line in found.items()}


if __name__ == "__main__":
    run(draw, 1)
