"""The warning about classes with fewer rows than folds, where cross-validation chooses the size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

from arboretum import CostComplexity, RareClassWarning, ReducedError, TreeClassifier, TreeRegressor


def labels(n_rare: int, n_rows: int = 60) -> Any:
    """Return rows that are easily told apart, some of them of a rare class."""
    y = np.where(np.arange(n_rows) < n_rows // 2, "most", "rest")
    y[:n_rare] = "rare"
    return np.arange(float(n_rows))[:, None], y


def test_a_class_that_is_not_in_all_folds() -> None:
    """There are five folds at least; the message names the class and its rows."""
    with pytest.warns(RareClassWarning) as caught:
        TreeClassifier(prune=CostComplexity()).fit(*labels(4))
    (warning,) = caught
    assert str(warning.message) == (
        "The size of the tree is chosen by 5 folds, but some classes have fewer rows: 'rare' (4 rows). Some "
        "folds cannot judge them.\n"
        "Hint: give more rows of these classes, or merge them with others; prune=CostComplexity(folds=4) "
        "makes fewer folds."
    )


def test_several_classes_are_one_warning() -> None:
    """At most five are named."""
    X, y = labels(0, 80)
    y = y.astype(object)
    y[:7] = [f"rare {k}" for k in range(7)]
    with pytest.warns(RareClassWarning, match=r"'rare 4' \(1 row\) and 2 more\. Some") as caught:
        TreeClassifier(prune=CostComplexity()).fit(X, y)
    assert len(caught) == 1
    assert str(caught[0].message).endswith("or merge them with others.")  # no folds have two of one row


@pytest.mark.parametrize(
    ("prune", "n_rare", "n_rows"),
    [
        (CostComplexity(), 5, 60),
        (CostComplexity(), 4, 49),
        (CostComplexity(folds=4), 4, 60),
        (CostComplexity(folds=KFold(10)), 4, 60),
        (CostComplexity(alpha=0.01), 4, 60),
        (CostComplexity(alpha="holdout"), 4, 60),
        (ReducedError(), 4, 60),
        (None, 4, 60),
    ],
    ids=[
        "five rows",
        "small table",
        "four folds",
        "splitter",
        "price",
        "holdout",
        "reduced error",
        "no pruning",
    ],
)
def test_near_misses(prune: Any, n_rare: int, n_rows: int) -> None:
    """Where every fold has its row, or there are no folds of ours, nothing is said."""
    TreeClassifier(prune=prune).fit(*labels(n_rare, n_rows))


def test_where_tuning_data_are_given() -> None:
    """They decide, and nothing is held out."""
    X, y = labels(4)
    TreeClassifier(prune=CostComplexity()).fit(X, y, X_val=X, y_val=y)


def test_numbers_have_no_classes() -> None:
    """A rare number is no class."""
    X, y = labels(4)
    TreeRegressor(prune=CostComplexity()).fit(X, (y == "rare") * 1.0 + (y == "rest"))
