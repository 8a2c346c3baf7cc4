"""Pruners among the tools: parameters, searches, presets, one fit after the other, storage, and the bar.

What the pruners do is in test_pruning_api.py.
"""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import joblib
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.noisy import fitted, noisy

from arboretum import CostComplexity, Pessimistic, ReducedError, TreeClassifier, TreeRegressor, datasets

PRUNERS = [
    pytest.param(None, id="none"),
    pytest.param("cost_complexity", id="cost-complexity"),
    pytest.param(CostComplexity(alpha=0.02), id="price"),
    pytest.param(ReducedError(), id="reduced-error"),
    pytest.param(Pessimistic(), id="pessimistic"),
]


def test_parameters_of_pruners() -> None:
    """They are read, set, cloned and shown like those of any estimator, and share no object."""
    model = TreeClassifier(prune=CostComplexity(folds=5))
    params = model.get_params()
    assert {name: value for name, value in params.items() if name.startswith("prune__")} == {
        "prune__alpha": "cv",
        "prune__complexity": "leaves",
        "prune__folds": 5,
        "prune__measure": None,
        "prune__repeats": "auto",
        "prune__rule": "average",
    }
    twin = clone(model).set_params(prune__rule="min", prune__folds=3)
    assert (model.prune.rule, model.prune.folds) == ("average", 5)
    assert repr(twin) == "TreeClassifier(prune=CostComplexity(folds=3, rule='min'))"
    assert repr(clone(TreeRegressor(prune=ReducedError(order="leaves")))) == (
        "TreeRegressor(prune=ReducedError(order='leaves'))"
    )
    assert Pessimistic(0.1).get_params() == {"confidence": 0.1, "raise_subtrees": True}
    assert not hasattr(clone(fitted()), "tree_")


def test_searches_reach_into_pruners() -> None:
    """`prune__folds` and whole pruners can be searched, also at the end of a pipeline."""
    X, y = noisy()
    model = TreeClassifier(prune=CostComplexity())
    search = GridSearchCV(model, {"prune__folds": [3, 5], "prune__rule": ["1se", "min"]}, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.prune.folds in (3, 5)
    whole = {"treeclassifier__prune": [None, CostComplexity(alpha=0.02), ReducedError(), "pessimistic"]}
    pipeline = make_pipeline(StandardScaler(), TreeClassifier())
    scores = GridSearchCV(pipeline, whole, cv=3, error_score="raise").fit(X, y).cv_results_["mean_test_score"]
    assert scores[0] == scores.min() < scores.max(), "the tree that is not pruned does worst"


def test_presets_prune_as_the_originals() -> None:
    """C4.5 pessimistically, CART by cost-complexity, the others not; every preset has a pruner of its own."""
    c45, cart = TreeClassifier.c45(), TreeClassifier.cart()
    assert repr(c45.prune) == "Pessimistic()"
    for each, measure in ((cart, "misclassification"), (TreeRegressor.cart(), "squared_error")):
        judge = CostComplexity(alpha="cv", folds=10, repeats=1, rule="1se_unpaired", measure=measure)
        assert each.prune.get_params() == judge.get_params()
        assert each.levels == "raw"
    assert (cart.leaf, TreeRegressor.cart().leaf) == ("frequency", "mean")
    for classic in (c45, TreeClassifier.id3(), TreeClassifier.decision_tree_train()):
        assert (classic.levels, classic.leaf) == ("raw", "frequency")
    assert TreeClassifier.id3().prune is TreeClassifier.decision_tree_train().prune is None
    c45.set_params(prune__confidence=0.1)
    cart.set_params(prune__folds=3)
    assert (TreeClassifier.c45().prune.confidence, TreeClassifier.cart().prune.folds) == (0.25, 10)
    X, y = datasets.load_penguins()
    for preset, overridden in ((TreeClassifier.c45, "cost_complexity"), (TreeClassifier.cart, "pessimistic")):
        whole, usual = (preset(**options).fit(X, y).get_n_leaves() for options in ({"prune": None}, {}))
        assert whole > usual > 1
        assert preset(prune=overridden).fit(X, y).prune == overridden


# Fits one after the other, and storage


def test_a_second_fit_forgets_the_first() -> None:
    """What another pruner left behind is gone; a fit that fails leaves everything as it was."""
    X, y = noisy()
    model = fitted()
    path, alpha = model.pruning_path_, model.alpha_
    with pytest.raises(ValueError, match=r"folds=1\) is not allowed"):
        model.set_params(prune=CostComplexity(folds=1)).fit(X[:50], y[:50])
    assert model.pruning_path_ is path
    assert model.alpha_ == alpha
    model.set_params(prune="pessimistic").fit(X, y)
    assert model.pruning_path_.chosen is None
    assert not hasattr(model, "alpha_")
    assert len(model.pruning_log_) > 0
    model.set_params(prune=None).fit(X, y)
    assert not hasattr(model, "pruning_log_")


@pytest.mark.parametrize("prune", PRUNERS)
@pytest.mark.parametrize("via", ["pickle", "joblib", "deepcopy"])
def test_stored_estimators_keep_their_path(prune: Any, via: str) -> None:
    """Tree, path, log and the tree as it was grown come back, and other sizes can be had."""
    model = fitted(prune)
    if via == "pickle":
        back = pickle.loads(pickle.dumps(model))
    elif via == "deepcopy":
        back = copy.deepcopy(model)
    else:
        buffer = io.BytesIO()
        joblib.dump(model, buffer)
        buffer.seek(0)
        back = joblib.load(buffer)
    assert back.tree_ == model.tree_
    assert back.unpruned().tree_ == model.unpruned().tree_
    assert back.pruned(leaves=2).tree_ == model.pruned(leaves=2).tree_
    assert str(back.pruning_path_) == str(model.pruning_path_)
    if hasattr(model, "pruning_log_"):
        assert str(back.pruning_log_) == str(model.pruning_log_)
    assert [node.id for node in back.tree_.walk()] == [node.id for node in model.tree_.walk()]


def test_a_bar_is_shown_if_wished(capfd: pytest.CaptureFixture[str]) -> None:
    """`verbose=1` tells how many folds are done, on the stream for errors; otherwise not a word."""
    fitted(CostComplexity(folds=7, repeats=1))
    assert capfd.readouterr() == ("", "")
    fitted(CostComplexity(folds=7, repeats=1), verbose=1)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "folds" in shown.err
    assert "7/7" in shown.err
