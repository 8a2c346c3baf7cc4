"""The rows that judge pruning: few rows in groups, tuning rows of weight zero, splitters that are wrong.

What the right tree is, is tested in oracle/ and properties/; which rows decide, in api/test_pruning_rows.py.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, RepeatedKFold

from arboretum import (
    CostComplexity,
    DataError,
    OneLeafWarning,
    ReducedError,
    TreeClassifier,
    TreeRegressor,
    _core,
)

RNG = np.random.default_rng(7)
X = RNG.normal(size=(120, 3))
Y = (X[:, 0] + RNG.normal(size=120) > 0).astype(int)


def test_few_rows_of_each_class_in_groups() -> None:
    """As many groups as rows, fewer rows of a class than folds: no error and no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OneLeafWarning)
        model = TreeClassifier().fit(X[:8], [0, 1] * 4, groups=np.arange(8))
        TreeClassifier().fit(X[:40], [0] * 37 + [1] * 3, groups=np.arange(40) // 2)
    assert np.isfinite(model.pruning_path_.cv_risk).all()


def test_chance_deals_groups_of_numbers() -> None:
    """Which groups are held out together depends on random_state."""
    groups = np.arange(120) // 4
    risks = {
        tuple(TreeRegressor(random_state=seed).fit(X, X[:, 0] ** 2, groups=groups).pruning_path_.cv_risk)
        for seed in range(4)
    }
    assert len(risks) == 4


def test_tuning_rows_without_weight_do_not_count() -> None:
    """Rows of weight zero, or of a class of weight zero, are as if they were not there."""
    plain = TreeClassifier().fit(X[:60], Y[:60], X_val=X[60:], y_val=Y[60:]).pruning_path_
    more = {"X_val": np.vstack([X[60:], X[:60]]), "y_val": np.append(Y[60:], Y[:60])}
    weights = np.repeat([1.0, 0.0], 60)
    found = TreeClassifier().fit(X[:60], Y[:60], **more, sample_weight_val=weights).pruning_path_
    np.testing.assert_array_equal(found.cv_se, plain.cv_se)
    three = np.append(Y[:60], [2] * 5)
    with pytest.raises(DataError, match="weight zero"):
        TreeClassifier(class_weight={0: 1, 1: 1, 2: 0}, prune=ReducedError()).fit(
            X[:65], three, X_val=X[:5], y_val=[2] * 5
        )


def test_counts_are_not_negative_in_tuning_data_either() -> None:
    with pytest.raises(DataError, match=r"tuning data.*not negative"):
        TreeRegressor(criterion="poisson").fit(X, X[:, 0] ** 2, X_val=X, y_val=-(X[:, 0] ** 2))


def test_a_row_held_out_again_is_no_new_row() -> None:
    """Repeating folds does not make the standard error smaller by itself."""
    once = TreeClassifier(prune=CostComplexity(folds=KFold(4, shuffle=True, random_state=0))).fit(X, Y)
    folds = RepeatedKFold(n_splits=4, n_repeats=9, random_state=0)
    often = TreeClassifier(prune=CostComplexity(folds=folds)).fit(X, Y)
    ratio = often.pruning_path_.cv_se / once.pruning_path_.cv_se
    assert (ratio > 0.8).all()


@pytest.mark.parametrize(
    ("folds", "words"),
    [
        (PredefinedSplit([0, 1] * 10), "given for 20 rows, but X has 120"),
        (GroupKFold(3), "GroupKFold cannot make folds"),
    ],
    ids=["too short", "no groups"],
)
def test_splitters_that_do_not_fit(folds: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        TreeClassifier(prune=CostComplexity(folds=folds)).fit(X, Y)


class Seen:
    """A splitter that holds out what it grows from."""

    def split(self, X: object, y: object, groups: object = None) -> list[tuple[list[int], list[int]]]:
        return [([0, 1, 2, 3], [3, 4])]


class Beyond:
    """A splitter of another table."""

    def split(self, X: object, y: object, groups: object = None) -> list[tuple[list[int], list[int]]]:
        return [([0, 1, 2], [500])]


def test_splitters_that_cannot_be_right() -> None:
    with pytest.raises(DataError, match="holds out rows that it grows from"):
        TreeClassifier(prune=CostComplexity(folds=Seen())).fit(X, Y)
    with pytest.raises(DataError, match="names row 500"):
        TreeClassifier(prune=CostComplexity(folds=Beyond())).fit(X, Y)


def test_rows_can_be_taken_twice() -> None:
    """Codes belong to the rows that were taken first: a second choice makes its own."""
    table = _core.Dataset(2000)
    values = np.random.default_rng(1).normal(size=2000)
    table.add_column(values, None, "numeric")
    table.encode(1)
    first = np.arange(0, 2000, 2, dtype=np.uint32)
    second = np.arange(0, 1000, 2, dtype=np.uint32)
    chosen = values[::4]
    classes = (chosen > 0.3).astype(np.int32)
    arrays, _, _ = _core.grow_tree(
        table.take(first).take(second), "gini", classes, 2, None, None, None, _core.GrowOptions()
    )
    assert arrays["n_rows"].tolist() == [500, int((chosen <= 0.3).sum()), int((chosen > 0.3).sum())]
