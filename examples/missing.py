"""Five ways with missing values.

Values are missing in the training rows and in the rows to predict. Left, they go missing at random. Dropping
incomplete rows leaves few to learn from, and it has no answer for an incomplete row but the larger child.
All other ways are about equally good: another column says nearly the same, and the tree asks it, or it
stands in.

Right, values are missing where they would be large: that a value is missing is itself a hint. "Missing" as a
category of its own sees it. Surrogates, fractions and dropped rows judge a question by the rows that have a
value, and never learn it. The median, filled in, does as well as a category here, by luck: no other row has
just that value, so a tree can ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from gallery import draw_lines, run
from sklearn.impute import SimpleImputer

from arboretum import TreeClassifier

SHARES = (0.0, 0.2, 0.4)
WAYS = ("category", "surrogate", "fractional", "drop", "median")


def table(n_rows: int, share: float, seed: int, *, large: bool) -> tuple[pd.DataFrame, Any]:
    """Return three columns, two of them nearly alike, with gaps in the first; and the class."""
    random = np.random.RandomState(seed)
    first = random.normal(size=n_rows)
    X = pd.DataFrame(
        {"a": first, "b": first + 0.3 * random.normal(size=n_rows), "c": random.normal(size=n_rows)}
    )
    y = np.where(X.a + 0.5 * (X.c > 0) > 0.4, "high", "low")
    gone = X.a > X.a.quantile(1 - share) if large else random.uniform(size=n_rows) < share
    if large:
        X["b"] = random.normal(size=n_rows)  # no other column tells what is missing
    X.loc[gone, "a"] = np.nan
    return X, y


def accuracy(way: str, share: float, *, large: bool) -> float:
    """Return the accuracy on new rows with the same gaps."""
    (X, y), (Z, z) = table(600, share, 0, large=large), table(4000, share, 1, large=large)
    if way == "median":
        fill = SimpleImputer(strategy="median").set_output(transform="pandas").fit(X)
        return float(TreeClassifier().fit(fill.transform(X), y).score(fill.transform(Z), z))
    return float(TreeClassifier(missing=way).fit(X, y).score(Z, z))


def draw(axes: Sequence[Any]) -> dict[str, float]:
    """Draw the accuracy of each way over the share of missing values."""
    numbers = {}
    for ax, large in zip(axes, (False, True), strict=True):
        lines = {way: [accuracy(way, share, large=large) for share in SHARES] for way in WAYS}
        draw_lines(ax, SHARES, lines, "share of missing values", "accuracy")
        ax.set_title("missing where values are large" if large else "missing at random")
        numbers |= {f"{way}, {'large' if large else 'random'}": line[-1] for way, line in lines.items()}
    return numbers


if __name__ == "__main__":
    run(draw, 2)
