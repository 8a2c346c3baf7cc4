"""The warning about a tree that asks nothing: it comes whatever the reason, and says which one it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    CostComplexity,
    MofN,
    OneLeafWarning,
    Pessimistic,
    ReducedError,
    TreeClassifier,
    TreeRegressor,
)

NOISE = np.random.default_rng(7).normal(size=(120, 2))
LABELS = np.random.default_rng(8).choice(["no", "yes"], 120)
HELPFUL = np.where(NOISE[:, 0] > 0, "yes", "no")


def warning_of(model: Any, X: Any = NOISE, y: Any = LABELS, **given: Any) -> str:
    """Return the one warning of a fit that ends in one leaf."""
    with pytest.warns(OneLeafWarning) as caught:
        model.fit(X, y, **given)
    assert model.get_n_leaves() == 1
    (warning,) = caught
    return str(warning.message)


@pytest.mark.parametrize(
    "prune", [None, "cost_complexity", "reduced_error", "pessimistic", CostComplexity(0.0)]
)
def test_a_tree_that_asks_something_is_no_reason_to_warn(prune: Any) -> None:
    """Two leaves are enough, however they came about."""
    assert TreeClassifier(prune=prune, max_depth=1).fit(NOISE, HELPFUL).get_n_leaves() == 2


@pytest.mark.parametrize("limit", [{"max_depth": 0}, {"max_leaf_nodes": 1}])
@pytest.mark.parametrize("options", [{}, {"prune": None}, {"missing": "surrogate"}, {"questions": MofN()}])
def test_the_empty_tree_is_no_reason_to_warn(limit: dict[str, int], options: dict[str, Any]) -> None:
    """Who asks for one leaf gets it without a word, with the shares of all rows; and a summary says why."""
    model = TreeClassifier(**limit, **options).fit(NOISE, HELPFUL)
    assert model.get_n_leaves() == 1
    shares = [np.mean(name == HELPFUL) for name in ("no", "yes")]
    np.testing.assert_allclose(model.predict_proba(NOISE[:1]), [shares], rtol=1e-12)
    ((name, value),) = limit.items()
    assert f"{name}={value} ended growth" in str(model.summary())
    number = TreeRegressor(**limit).fit(NOISE, NOISE[:, 0])
    np.testing.assert_allclose(number.predict(NOISE[:1]), [NOISE[:, 0].mean()], rtol=1e-12)


def test_a_constant_target() -> None:
    """There is nothing to tell apart: a class, a number, a single row."""
    assert warning_of(TreeClassifier(), y=["no"] * 120) == (
        "The tree is one leaf and predicts 'no' for every row: the target is the same in all 120 rows.\n"
        "Hint: check y."
    )
    assert "predicts 0.1 for every row: the target is the same" in warning_of(TreeRegressor(), y=[0.1] * 120)
    assert "it grew from a single row" in warning_of(TreeRegressor(prune=None), [[1.0]], [2.5])
    weights = (LABELS == "yes").astype(float)
    found = warning_of(TreeClassifier(prune=None), sample_weight=weights)
    assert f"the target is the same in all {(LABELS == 'yes').sum()} rows" in found


def test_columns_that_do_not_vary() -> None:
    """Constant, missing, or a single level: nothing can be asked."""
    X = [[1.0, None, "a"]] * 6
    assert "every column is the same in all 6 rows" in warning_of(TreeClassifier(), X, ["a", "b"] * 3)
    X[0] = [1.0, None, None]  # whether the level is missing can be asked
    assert TreeClassifier(prune=None).fit(X, ["a", "b"] * 3).get_n_leaves() == 2


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (
            {"min_samples_leaf": 61},
            "min_samples_leaf=61 needs 122 rows to divide, but there are 120.\nHint: lower",
        ),
        ({"min_samples_leaf": 0.6}, "min_samples_leaf=0.6 needs 144 rows to divide, but there are 120"),
        ({"min_samples_split": 121}, "min_samples_split=121 needs 121 rows to divide, but there are 120"),
        (
            {"min_impurity_decrease": 0.4, "min_samples_leaf": 2},
            "no question that min_samples_leaf=2, min_impurity_decrease=0.4 allow lowers the gini.\n"
            "Hint: loosen them",
        ),
    ],
)
def test_limits_that_allow_no_question(limits: dict[str, Any], words: str) -> None:
    """The limit is named with what it needs."""
    assert words in warning_of(TreeClassifier(prune=None, **limits))


def test_directions_are_limits() -> None:
    """An array of directions is named as well."""
    directions = np.array([1])
    model = TreeRegressor(prune=None, monotonic_cst=directions)
    found = warning_of(model, np.arange(20.0)[:, None], -np.arange(20.0))
    assert "no question that monotonic_cst=array([1]) allows lowers the squared_error" in found


def test_limits_that_allow_one() -> None:
    """The near miss: half of the rows in each leaf."""
    halves = np.where(np.arange(120) < 60, "no", "yes")
    model = TreeClassifier(prune=None, min_samples_leaf=60, min_samples_split=120)
    assert model.fit(np.arange(120.0)[:, None], halves).get_n_leaves() == 2


def test_no_question_helps() -> None:
    """The rows are alike in pairs, one of each class. Without a least gain, questions are asked anyway."""
    X = np.repeat(np.arange(10.0), 2)[:, None]
    model = TreeClassifier(prune=None, min_impurity_decrease=math.ulp(0.0))
    assert "no question about 1 column lowers the gini.\n" in warning_of(model, X, ["a", "b"] * 10)
    assert TreeClassifier(prune=None).fit(X, ["a", "b"] * 10).get_n_leaves() == 10


def test_a_question_that_fails_its_test() -> None:
    """The p-value and the level are those of the root."""
    found = warning_of(TreeClassifier(prune=None, significance=1e-9))
    model = TreeClassifier(prune=None, significance=1.0).fit(NOISE, LABELS)
    p_value = model.tree_.root.p_value
    assert f"its best question has the p-value {p_value:.2g}, above the level 1e-09 of its test" in found
    assert TreeClassifier(prune=None, significance=1e-9).fit(NOISE, HELPFUL).get_n_leaves() > 1


def test_pruned_because_the_held_out_loss_does_not_fall() -> None:
    """The losses are those of the pruning path, whatever the rule and the measure."""
    for measure in (None, "entropy"):
        model = TreeClassifier(prune=CostComplexity(rule="min", measure=measure))
        found = warning_of(model)
        path = model.pruning_path_
        best = int(np.argmin(path.cv_risk[:-1]))
        assert (
            f"the loss of held-out rows does not fall: it is {path.cv_risk[-1]:.4g} with one leaf, and at "
            f"best {path.cv_risk[best]:.4g} with {path.leaves[best]} leaves" in found
        )
        assert (
            f"prune=None keeps the tree as it was grown, with {model.unpruned().get_n_leaves()} leaves"
            in found
        )


def test_pruned_because_the_held_out_loss_falls_too_little() -> None:
    """A rule may ask for more than a smaller loss."""
    X = np.arange(40.0)[:, None]
    y = np.where(np.random.default_rng(4).random(40) < 0.3 + 0.25 * (X[:, 0] > 20), "yes", "no")
    judge: dict[str, Any] = {"measure": "entropy", "repeats": 1}
    options: dict[str, Any] = {"leaf": "frequency", "max_depth": 1}
    least = TreeClassifier(prune=CostComplexity(rule="min", **judge), **options).fit(X, y)
    assert least.get_n_leaves() == 2
    model = TreeClassifier(prune=CostComplexity(rule="1se_unpaired", **judge), **options)
    assert (
        "the loss of held-out rows falls too little for the rule of pruning, from "
        f"{least.pruning_path_.cv_risk[1]:.4g} to {least.pruning_path_.cv_risk[0]:.4g} with 2 leaves"
    ) in warning_of(model, X, y)


def test_development_data_judge_as_well() -> None:
    """Tuning data are rows that were held out by the caller."""
    found = warning_of(
        TreeClassifier(prune=CostComplexity(rule="min")), X_val=NOISE[:50], y_val=["no"] * 50, y=LABELS
    )
    assert "the loss of held-out rows does not fall: it is 0" in found


def test_pruned_by_a_price() -> None:
    """A price that no question is worth."""
    found = warning_of(TreeClassifier(prune=CostComplexity(alpha=0.9)))
    assert "no question is worth the price alpha=0.9 of a leaf.\nHint: lower alpha" in found


def test_pruned_although_nothing_was_held_out() -> None:
    """Questions that leave the labels as they are save no mistake, so that even alpha 0 removes them."""
    y = np.array(["yes"] * 10 + ["no"] * 20 + ["no"] * 30)
    X = np.where(np.arange(60) < 30, 0.0, 1.0)[:, None]
    found = warning_of(TreeClassifier(prune=CostComplexity(measure="misclassification")), X, y)
    assert "no question of the grown tree (2 leaves) lowers the training loss that pruning counts" in found
    model = TreeClassifier(prune=CostComplexity(measure="entropy", rule="min")).fit(X, y)
    assert model.get_n_leaves() == 2


@pytest.mark.parametrize(
    ("pruner", "words"),
    [
        (ReducedError(), "errors of the tree on the tuning data"),
        (Pessimistic(), "estimated errors of the subtree"),
    ],
)
def test_pruned_by_other_pruners(pruner: Any, words: str) -> None:
    """Their record is the log."""
    y = np.where(np.arange(120) % 15 == 3, "yes", "no")
    found = warning_of(TreeClassifier(prune=pruner), NOISE, y)
    assert "pruning found it to be no worse than the grown tree" in found
    assert words in found


def test_rare_classes_are_named() -> None:
    """A class with a fifth of its even share is rare, and class weights may help, unless they are given."""
    y = np.where(np.arange(120) % 15 == 3, "yes", "no")
    pruner = CostComplexity(rule="min", measure="misclassification")
    found = warning_of(TreeClassifier(prune=pruner), y=y)
    assert ". Class 'yes' has only 8 rows of 120.\n" in found
    assert "loss=… weighs its mistakes" in found
    found = warning_of(TreeClassifier(prune=pruner, priors={"yes": 0.05, "no": 0.95}), y=y)
    assert "Class 'yes' has only 8 rows of 120" in found
    assert "class_weight" not in found


def test_classes_of_usual_size_are_not_named() -> None:
    """Twelve in a hundred are more than a fifth of half; small tables have few rows of every class."""
    y = np.where(np.arange(120) % 8 == 3, "yes", "no")
    pruner = CostComplexity(rule="min", measure="misclassification")
    assert "Class" not in warning_of(TreeClassifier(prune=pruner), y=y)
    few = np.random.default_rng(0).normal(size=(10, 1))
    found = warning_of(TreeClassifier(prune=pruner), few, ["a", "b"] * 5)
    assert "Class 'a' has only 5 rows.\n" in found
    assert "class_weight" not in found


def test_levels_are_blamed_also_where_a_limit_is_set() -> None:
    """Loosening a limit would not help where it is the number of levels that leaves nothing to ask."""
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"c": [f"a{v}" for v in rng.integers(0, 40, 200)]}), rng.integers(0, 2, 200)
    found = warning_of(TreeClassifier(min_samples_leaf=5), X, y)
    assert "no question that min_samples_leaf=5 allows lowers the gini by more than so many levels" in found
    assert 'levels="raw"' in found
    found = warning_of(TreeClassifier(max_leaf_nodes=10), X, y)  # which forbids nothing here
    assert "no question about 1 column lowers the gini by more than so many levels" in found
