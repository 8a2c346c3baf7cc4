"""What held-out rows cost along a sequence, row by row, compared with cutting the trees and predicting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf

from arboretum import CostComplexity, ParameterError, Shrinkage, TreeClassifier, TreeRegressor
from arboretum._data import read_dataset
from arboretum._data.dataset import core_dataset
from arboretum._grow.targets import Targets
from arboretum._prune.cost_complexity import (
    average_step,
    best_strength,
    choose_step,
    have_settled,
    rounds_for,
)
from arboretum._prune.held_out import Trial
from arboretum._prune.pruning import Tuning
from arboretum._prune.sequence import Sequence
from arboretum._tree.surgery import with_shrinkage

MEASURES = ["misclassification", "gini", "entropy"]


def a_trial(
    seed: int, of_classes: bool, missing: Any, measure: str, weighted: bool
) -> tuple[Trial, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (80, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y: Any = rng.integers(0, 3, 80) if of_classes else rng.normal(size=80)
    make: Any = TreeClassifier if of_classes else TreeRegressor
    model = make(missing=missing, leaf=Shrinkage(4), prune=None).fit(X[:50], y[:50])
    sequence = Sequence(model.tree_, measure)
    weights = rng.integers(1, 4, 30).astype(float) if weighted else None
    codes = y[50:].astype(np.int32) if of_classes else None
    targets = Targets(
        30,
        classes=codes,
        n_classes=3 if of_classes else 0,
        numbers=None if of_classes else y[50:],
        weights=weights,
    )
    table = read_dataset(X[50:], "from_dtype", None)
    trial = Trial(sequence, sequence.alphas, Tuning(core_dataset(table), targets, table))
    return trial, X[50:], y[50:], np.ones(30) if weights is None else weights


def losses(tree: Any, X: Any, y: Any, measure: str) -> Any:
    """Predict, and count what each row costs."""
    if tree.rule is None:
        return (tree.predict(X) - y) ** 2
    shares = tree.predict_proba(X)
    if measure == "misclassification":
        return (shares.argmax(axis=1) != y).astype(float)
    if measure == "gini":
        return ((np.eye(3)[y] - shares) ** 2).sum(axis=1)
    n_rows = tree.root.n_rows
    hedged = (shares * n_rows + tree.rule.prior) / (n_rows + 1)
    return -np.log2(hedged[np.arange(len(y)), y])


def has_ties(tree: Any, X: Any) -> bool:
    """Whether two classes are equally probable, so that the rounding of a mean over leaves chooses."""
    second, first = np.sort(tree.predict_proba(X), axis=1)[:, -2:].T
    return bool(np.any(first - second < 1e-9))


@settings(max_examples=40)
@given(
    st.integers(0, 10_000),
    st.sampled_from([*MEASURES, "squared_error"]),
    st.sampled_from(["category", "fractional"]),
    st.booleans(),
)
def test_sums_and_differences_are_those_of_cut_trees(
    seed: int, measure: str, missing: str, weighted: bool
) -> None:
    trial, X, y, weights = a_trial(seed, measure in MEASURES, missing, measure, weighted)
    sequence = trial.sequence
    if measure == "misclassification" and missing == "fractional":
        assume(not any(has_ties(sequence.cut(alpha), X) for alpha in sequence.alphas))
    rows = np.array([losses(sequence.cut(alpha), X, y, measure) for alpha in sequence.alphas])
    found = trial.sums
    np.testing.assert_allclose(found[1], weights.sum())
    np.testing.assert_allclose(found[2], rows @ weights, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found[3], rows**2 @ weights, rtol=1e-9, atol=1e-9)
    best = seed % len(rows)
    expected = (rows - rows[best]) ** 2 @ weights
    expected[: best + 1] = 0.0
    np.testing.assert_allclose(trial.squared_differences(best), expected, rtol=1e-9, atol=1e-9)
    for strength in (0.0, 4.0, 30.0):
        tree = with_shrinkage(sequence.cut(sequence.alphas[best]), strength)
        if measure == "entropy" and strength == 0.0:
            continue  # without shrinkage probabilities are hedged at each node
        if measure == "misclassification" and missing == "fractional" and has_ties(tree, X):
            continue
        assert trial.losses_at(best, (strength,))[0] == pytest.approx(
            weights @ losses(tree, X, y, measure), rel=1e-9
        )


def test_the_paired_rule_compares_row_by_row() -> None:
    """Two trees whose risks spread widely, but always differ by the same, are told apart."""
    risk = np.array([1.0, 1.1, 1.2, 2.0])
    assert choose_step(risk, np.array([0.5, 0.5, 0.5, 0.5]), "1se_unpaired") == 2
    assert choose_step(risk, np.array([0.0, 0.05, 0.01, 0.1]), "1se") == 0
    assert choose_step(risk, np.array([0.0, 0.2, 0.01, 0.1]), "1se") == 1
    assert choose_step(risk, np.array([0.0, 0.2, 0.3, 0.1]), "min") == 0


def test_the_average_size_is_that_of_all_folds_or_lies_between_them() -> None:
    """Where all folds agree it is their size; where they are torn between two, it is neither of these."""
    leaves = np.array([64, 32, 16, 8, 4, 2, 1])
    agreed = np.tile([9.0, 8.0, 7.0, 1.0, 7.0, 8.0, 9.0], (20, 1))
    assert leaves[average_step(agreed, leaves, 0.0)] == leaves[average_step(agreed, leaves, 0.5)] == 8
    torn = np.full((20, 7), 5.0)
    torn[:10, 0], torn[10:, 4] = 1.0, 1.0  # half of the folds want 64 leaves, half want 4
    plain, less = (leaves[average_step(torn, leaves, less)] for less in (0.0, 0.5))
    assert 4 < less < plain < 64
    one = np.array([[2.0, np.inf, 3.0, 1.0, 4.0, 5.0, 6.0]])
    assert leaves[average_step(one, leaves, 0.5)] == 8


def test_the_first_of_equal_strengths_is_kept() -> None:
    class Same:
        def losses_at(self, step: int, strengths: Any) -> Any:
            return np.full(len(strengths), 3.0)

    trials: Any = [Same()]
    assert best_strength(trials, 0, (20.0, 5.0, 80.0)) == 20.0


def test_rounds_follow_the_rows() -> None:
    found = [rounds_for("auto", n) for n in (100, 10_000, 10_001, 20_000, 20_001)]
    assert found == [(3, 5), (3, 5), (2, 2), (2, 2), (1, 1)]
    assert rounds_for(7, 10**6) == (7, 7)


def test_rounds_go_on_until_they_agree() -> None:
    assert have_settled([2.0, 2.19])
    assert not have_settled([2.0, 2.3])  # a standard error of 0.15
    assert not have_settled([2.0, 2.3, 2.6])
    assert have_settled([2.0, 2.3, 2.2])


def test_the_number_of_rounds_depends_on_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every fold finds the same tree, three rounds are enough; where none does, more are made."""
    seen: list[int] = []
    judged = CostComplexity._judged

    def count(self: CostComplexity, sequence: Sequence, trials: list[Trial]) -> Any:
        seen.append(len(trials))
        return judged(self, sequence, trials)

    monkeypatch.setattr(CostComplexity, "_judged", count)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 5))
    TreeClassifier().fit(X, X[:, 0] > 0)
    TreeRegressor().fit(X, X[:, 0] + X[:, 1] + rng.normal(size=200))
    TreeRegressor(prune=CostComplexity(repeats=3)).fit(X, X[:, 0])
    assert seen[0] == 30
    assert seen[1] in (40, 50)
    assert seen[2] == 30


@allow_one_leaf
def test_rounds_deal_the_rows_out_anew() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)

    def path(repeats: int) -> Any:
        return TreeClassifier(prune=CostComplexity(repeats=repeats)).fit(X, y).pruning_path_

    once, thrice = path(1), path(3)
    assert (once.alpha == thrice.alpha).all()
    assert not (once.cv_risk == thrice.cv_risk).all()
    with pytest.raises(ParameterError, match="repeats"):
        TreeClassifier(prune=CostComplexity(repeats=0)).fit(X, y)
