"""Pruning by measures that are no sums over nodes: against cutting trees, predicting and scikit-learn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, PredefinedSplit
from support.marks import allow_one_leaf

from arboretum import (
    CostComplexity,
    DataError,
    ParameterError,
    Shrinkage,
    TreeClassifier,
    TreeRegressor,
    load,
    save,
)

JUDGES = ["balanced_accuracy", "auc", "average_precision"]
RULES = ["min", "1se", "1se_unpaired", "average"]


def table(seed: int, n_classes: int = 2) -> tuple[Any, Any, Any, Any]:
    """Return rows with some values missing, rare classes, weights and four folds."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(160, 3))
    X[random.random(X.shape) < 0.05] = np.nan
    level = np.nan_to_num(X[:, 0]) + 0.8 * random.normal(size=160)
    y = np.array(["a", "b", "c"])[np.digitize(level, [0.9] if n_classes == 2 else [0.3, 1.0])]
    return X, y, random.integers(1, 4, 160).astype(float), np.arange(160) % 4


def score(name: str, y: Any, model: Any, X: Any, w: Any) -> float:
    probability = model.predict_proba(X).round(12)  # those of divided rows are sums
    if name == "balanced_accuracy":
        return float(balanced_accuracy_score(y, model.predict(X), sample_weight=w))
    metric = {"auc": roc_auc_score, "average_precision": average_precision_score}[name]
    classes = model.classes_.tolist()
    each = [
        metric(y == label, probability[:, k], sample_weight=w)
        for k, label in enumerate(classes)
        if label in y and (k == 1 or len(classes) > 2)
    ]
    return float(np.mean(each))


def trees_of_folds(options: Any, path: Any, rows: tuple[Any, Any, Any, Any]) -> list[list[Any]]:
    """Return for each fold its trees, cut at the geometric mean of neighbouring alphas."""
    X, y, w, fold = rows
    betas = np.append(np.sqrt(path.alpha[:-1] * path.alpha[1:]), path.alpha[-1] * 2 + 1)
    grown = [
        TreeClassifier(**options, prune=CostComplexity(alpha=0.0, measure="log_loss")).fit(
            X[fold != k], y[fold != k], w[fold != k]
        )
        for k in range(4)
    ]
    return [[model.pruned(alpha=beta) for beta in betas] for model in grown]


@pytest.mark.parametrize("missing", ["category", "fractional"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", JUDGES)
def test_trees_are_judged_by_what_they_predict(name: str, n_classes: int, missing: Any) -> None:
    """Areas fold by fold, balanced accuracy over all held-out rows; averages by weight."""
    rows = X, y, w, fold = table(n_classes, n_classes)
    options = {"missing": missing, "leaf": Shrinkage(5), "min_samples_leaf": 5}
    prune = CostComplexity(folds=PredefinedSplit(fold), measure=name, rule="min")
    path = TreeClassifier(**options, prune=prune).fit(X, y, w).pruning_path_
    assert len(path) > 3
    trees = trees_of_folds(options, path, rows)
    for step in range(len(path)):
        if name == "balanced_accuracy":
            guess = np.empty_like(y)
            for k in range(4):
                guess[fold == k] = trees[k][step].predict(X[fold == k])
            expected = balanced_accuracy_score(y, guess, sample_weight=w)
        else:
            parts = [fold == k for k in range(4)]
            scores = [score(name, y[p], trees[k][step], X[p], w[p]) for k, p in enumerate(parts)]
            expected = np.average(scores, weights=[w[p].sum() for p in parts])
        assert path.cv_risk[step] == pytest.approx(1 - expected, rel=1e-9), step
    assert path.cv_risk[path.chosen] == pytest.approx(path.cv_risk.min())
    assert np.isfinite(path.cv_se).all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", JUDGES)
def test_every_rule_takes_every_judge(name: str, rule: Any) -> None:
    X, y, _, _ = table(5)
    model = TreeClassifier(prune=CostComplexity(measure=name, rule=rule, folds=5, repeats=2)).fit(X, y)
    smallest = TreeClassifier(prune=CostComplexity(measure=name, rule="min", folds=5, repeats=2)).fit(X, y)
    if rule.startswith("1se"):
        assert model.get_n_leaves() <= smallest.get_n_leaves()
    assert 1 <= model.get_n_leaves() <= model.unpruned().get_n_leaves()
    assert (model.pruning_path_.cv_risk == smallest.pruning_path_.cv_risk).all()


def test_paired_errors_of_auc_are_those_of_delong() -> None:
    """With tuning data: the variance of the difference of two areas, by DeLong's placements."""
    X, y, _, _ = table(3)
    prune = CostComplexity(measure="auc", rule="1se")
    model = TreeClassifier(prune=prune, leaf=Shrinkage(5), min_samples_leaf=3)
    model.fit(X[:100], y[:100], X_val=X[100:], y_val=y[100:])
    path, positive = model.pruning_path_, y[100:] == "b"

    def placements(step: int) -> tuple[Any, Any]:
        tree = model.pruned(alpha=float(path.alpha[step]))
        second = tree.predict_proba(X[100:])[:, 1]
        wins = (second[positive][:, None] > second[~positive]) + 0.5 * (
            second[positive][:, None] == second[~positive]
        )
        return wins.mean(axis=1), wins.mean(axis=0)

    def error(of: Any, others: Any) -> float:
        return math.sqrt(of.var() / len(of) + others.var() / len(others))

    best = int(np.flatnonzero(path.cv_risk <= path.cv_risk.min() + 1e-12)[-1])
    known = placements(best)
    within = [best]
    for step in range(best, len(path)):
        now = placements(step)
        assert path.cv_se[step] == pytest.approx(error(*now), rel=1e-9)
        apart = error(now[0] - known[0], now[1] - known[1])
        if path.cv_risk[step] - path.cv_risk[best] <= apart:
            within.append(step)
    assert path.chosen == within[-1]


def test_log_loss_is_entropy_in_nats_and_brier_is_gini() -> None:
    X, y, w, _ = table(1, 3)

    def path(measure: Any) -> Any:
        return TreeClassifier(prune=CostComplexity(measure=measure, rule="min")).fit(X, y, w).pruning_path_

    nats, bits = path("log_loss"), path("entropy")
    for name in ("alpha", "risk", "cv_risk", "cv_se"):
        expected = getattr(bits, name) * math.log(2)
        np.testing.assert_allclose(getattr(nats, name), expected, rtol=1e-9, atol=1e-12)
    assert nats.chosen == bits.chosen
    brier, gini = path("brier"), path("gini")
    assert (brier.cv_risk == gini.cv_risk).all()
    assert (brier.alpha == gini.alpha).all()


def test_a_function_is_a_judge() -> None:
    """One number for each row is judged as our own losses are, one for each fold by folds."""
    X, y, w, fold = table(2)

    def brier(truth: Any, probability: Any) -> Any:
        return 2 * ((truth == "b") - probability[:, 1]) ** 2

    def mean(truth: Any, probability: Any, weights: Any) -> float:
        return float(np.average(brier(truth, probability), weights=weights))

    def path(measure: Any, rule: Any = "1se_unpaired") -> Any:
        prune = CostComplexity(measure=measure, rule=rule, folds=PredefinedSplit(fold))
        return TreeClassifier(prune=prune, leaf=Shrinkage(5)).fit(X, y, w).pruning_path_

    rows, folds, nodes = path(brier), path(mean), path("log_loss")
    assert (rows.alpha == nodes.alpha).all()  # the sequence is that of log loss
    np.testing.assert_allclose(rows.cv_risk, folds.cv_risk, rtol=1e-12)
    assert not np.allclose(rows.cv_se, folds.cv_se)
    options = {"leaf": Shrinkage(5)}
    trees = trees_of_folds(options, rows, (X, y, w, fold))
    step = len(rows) // 2
    parts = [fold == k for k in range(4)]
    each = [mean(y[p], trees[k][step].predict_proba(X[p]), w[p]) for k, p in enumerate(parts)]
    weights = [w[p].sum() for p in parts]
    centre = np.average(each, weights=weights)
    assert folds.cv_risk[step] == pytest.approx(centre)
    spread = math.sqrt(np.average((np.array(each) - centre) ** 2, weights=weights))
    assert folds.cv_se[step] == pytest.approx(spread / math.sqrt(4), rel=1e-6)
    for rule in RULES:
        assert path(mean, rule).chosen is not None


def test_one_fold_has_no_error_by_folds() -> None:
    X, y, _, _ = table(2)
    prune = CostComplexity(
        alpha="holdout", measure=lambda truth, p: float(-p[truth == "b", 1].mean()), rule="1se"
    )
    path = TreeClassifier(prune=prune).fit(X, y).pruning_path_
    assert np.isnan(path.cv_se).all()
    assert path.cv_risk[path.chosen] == path.cv_risk.min()


def test_a_function_of_numbers() -> None:
    """The largest error is judged, along the sequence of the criterion."""
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 2))
    y = X[:, 0] + 0.3 * random.normal(size=120)
    prune = CostComplexity(measure=lambda truth, value: float(np.abs(truth - value).max()), rule="min")
    model = TreeRegressor(prune=prune, leaf="mean").fit(X, y)
    plain = TreeRegressor(prune=CostComplexity(rule="min"), leaf="mean").fit(X, y)
    assert (model.pruning_path_.alpha == plain.pruning_path_.alpha).all()
    assert not np.allclose(model.pruning_path_.cv_risk, plain.pruning_path_.cv_risk)


def test_priors_count_in_average_precision() -> None:
    """A class is as frequent as its prior says; the area under ROC does not depend on that."""
    X, y, _, fold = table(4)

    def path(measure: Any, priors: Any) -> Any:
        prune = CostComplexity(measure=measure, folds=PredefinedSplit(fold))
        return (
            TreeClassifier(prune=prune, priors=priors, leaf=Shrinkage(5), max_depth=2).fit(X, y).pruning_path_
        )

    even = {"a": 0.5, "b": 0.5}
    assert path("auc", even).cv_risk[-1] == pytest.approx(0.5)
    assert path("average_precision", even).cv_risk[-1] == pytest.approx(0.5, abs=0.05)
    assert path("average_precision", None).cv_risk[-1] == pytest.approx(1 - np.mean(y == "b"), abs=0.01)


def test_folds_of_one_class() -> None:
    """They say nothing about an order, and are left out; if all are, there is nothing to choose by."""
    X, y, _, _ = table(6)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    mixed = TreeClassifier(prune=CostComplexity(folds=KFold(4), measure="auc")).fit(X, y)
    assert np.isfinite(mixed.pruning_path_.cv_risk).all()
    sorted_fold = PredefinedSplit(np.where(y == "b", 1, 0))
    with pytest.raises(DataError, match="measure='auc' cannot compare trees: auc needs rows of two classes"):
        TreeClassifier(prune=CostComplexity(folds=sorted_fold, measure="auc")).fit(X, y)


@pytest.mark.parametrize("returned", ["much", float("nan"), [1.0, 2.0]])
def test_what_a_function_must_return(returned: Any) -> None:
    X, y, _, _ = table(0)

    def wrong(truth: Any, probability: Any) -> Any:
        return returned

    with pytest.raises(ParameterError, match=r"wrong returns .*must return a number"):
        TreeClassifier(prune=CostComplexity(measure=wrong)).fit(X, y)


@allow_one_leaf
def test_files_keep_names_and_refuse_functions(tmp_path: Path) -> None:
    X, y, _, _ = table(0)
    named = TreeClassifier(prune=CostComplexity(measure="auc")).fit(X, y)
    save(named, tmp_path / "named.json")
    again = load(tmp_path / "named.json")
    assert again.prune.measure == "auc"
    assert again.pruned(leaves=2).tree_ == named.pruned(leaves=2).tree_
    own = TreeClassifier(prune=CostComplexity(measure=lambda truth, p: float(p.max()))).fit(X, y)
    with pytest.raises(ParameterError, match="prune__measure is of the type function"):
        save(own, tmp_path / "own.json")
    own.set_params(prune__measure="log_loss")
    save(own, tmp_path / "own.json")
    assert load(tmp_path / "own.json").tree_ == own.tree_


@pytest.mark.parametrize("rule", RULES)
def test_losses_that_are_all_infinite_choose_nothing(rule: Any) -> None:
    X, y, _, _ = table(4)
    model = TreeClassifier(prune=CostComplexity(measure=lambda truth, predicted: math.inf, rule=rule))
    with pytest.raises(DataError, match="infinite for every tree of the sequence"):
        model.fit(X, y)
