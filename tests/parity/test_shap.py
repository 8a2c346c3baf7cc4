"""Contributions against the shap package, where it can read the tree: numbers only, through `to_sklearn()`.

Without shap (`pip install shap`) these tests are skipped, and say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from arboretum import TreeClassifier, TreeRegressor, contributions

shap = pytest.importorskip("shap", reason="shap is not installed: pip install shap")

CLOSE = {"rtol": 0, "atol": 1e-10}
NEARLY = {"rtol": 0, "atol": 1e-6}  # against a background, shap adds up in 32-bit floats


def fitted(*, classes: bool, weighted: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 6)).astype(np.float32).astype(float)
    score = X[:, 0] * X[:, 1] + X[:, 2] ** 2 + (X[:, 3] > 0.3) + rng.normal(0, 0.3, 400)
    weights = rng.integers(1, 4, 400).astype(float) if weighted else None
    if classes:
        labels = np.digitize(score, np.quantile(score, [0.3, 0.7]))
        return TreeClassifier(prune=None, max_depth=6).fit(X, labels, sample_weight=weights), X
    return TreeRegressor(prune=None, max_depth=6).fit(X, score, sample_weight=weights), X


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_path_dependent(classes: bool, weighted: bool) -> None:
    model, X = fitted(classes=classes, weighted=weighted)
    theirs = shap.TreeExplainer(model.to_sklearn(), feature_perturbation="tree_path_dependent")
    found = contributions(model, X)
    np.testing.assert_allclose(found.values, theirs.shap_values(X), **CLOSE)
    np.testing.assert_allclose(
        found.base, np.ravel(theirs.expected_value).reshape(np.shape(found.base)), **CLOSE
    )


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_interactions(classes: bool) -> None:
    model, X = fitted(classes=classes, weighted=False)
    theirs = shap.TreeExplainer(model.to_sklearn(), feature_perturbation="tree_path_dependent")
    found = contributions(model, X[:50], interactions=True)
    np.testing.assert_allclose(found.interactions, theirs.shap_interaction_values(X[:50]), **CLOSE)


@pytest.mark.parametrize("classes", [True, False], ids=["classes", "numbers"])
def test_interventional(classes: bool) -> None:
    model, X = fitted(classes=classes, weighted=False)
    theirs = shap.TreeExplainer(model.to_sklearn(), X[:60], feature_perturbation="interventional")
    found = contributions(model, X, X[:60])
    np.testing.assert_allclose(found.values, theirs.shap_values(X), **NEARLY)
