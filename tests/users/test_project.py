"""A user's project, as type checkers see it: mypy and pyright read this file strictly, and pytest runs it.

What each call returns is stated by `assert_type`. A comment that ignores a mistake proves that the checker
sees it: both complain of such a comment where there is nothing to ignore.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import pandas as pd

import arboretum
from arboretum import (
    BaggedClassifier,
    Contributions,
    CostComplexity,
    Counterfactual,
    Experiment,
    Explanation,
    Node,
    ParameterError,
    PruningPath,
    Rule,
    Summary,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
    export,
    information,
    ranking,
)


def grow(folds: int) -> TreeClassifier:
    """Fit returns the estimator itself, so that calls can be chained."""
    X, y = datasets.load_iris()
    model = TreeClassifier(prune=CostComplexity(folds=folds), min_samples_leaf=5, max_depth=3)
    return assert_type(model.fit(X, y), TreeClassifier)


def names_of(tree: Tree) -> list[str]:
    """Nodes know their types; a question may be absent."""
    found: list[str] = []
    for node in tree.walk():
        assert_type(node, Node)
        if node.question is not None:
            found.append(str(node.question))
    return found


def test_predictions() -> None:
    """Arrays come out of predictions, and estimators out of other sizes."""
    X, _ = datasets.load_iris()
    model = grow(5)
    labels: np.ndarray[Any, Any] = model.predict(X)
    assert labels.shape == (150,)
    assert model.predict_proba(X).shape == (150, 3)
    assert_type(model.pruned(leaves=2), TreeClassifier)
    assert_type(model.pruning_path_, PruningPath)
    assert_type(model.get_n_leaves(), int)
    assert_type(model.score(X, labels), float)


def test_trees() -> None:
    """A tree is a value with types of its own."""
    tree = assert_type(grow(5).tree_, Tree)
    assert names_of(tree)
    assert_type(tree.to_json(), str)
    assert Tree.from_json(tree.to_json()) == tree
    for rule in tree.rules():
        assert_type(rule, Rule)


def test_answers() -> None:
    """What is asked of a model has a class for its answer."""
    X, y = datasets.load_iris(backend="pandas")
    model = grow(5)
    assert_type(arboretum.explain(model, X[:1]), Explanation)
    assert_type(arboretum.contributions(model, X[:5]), Contributions)
    assert_type(arboretum.counterfactual(model, X[:1], "virginica"), list[Counterfactual])
    assert_type(model.summary(), Summary)
    assert_type(arboretum.candidates(X, y), pd.DataFrame)
    assert_type(information.entropy(y), float)
    assert_type(ranking.ndcg([2, 1, 0], [0.3, 0.2, 0.1], ["a", "a", "a"]), float)
    assert_type(export.to_sql(model), str)
    assert Experiment(X, y).try_(model).leaves


def test_files(tmp_path: Path) -> None:
    """Paths are strings or path-like."""
    arboretum.save(grow(5), tmp_path / "model.json")
    loaded = arboretum.load(str(tmp_path / "model.json"))
    assert isinstance(loaded, TreeClassifier)


def test_checkers_see_wrong_options() -> None:
    """Misspelt values and names of options are found before anything runs."""
    X, y = datasets.load_iris()
    with contextlib.suppress(ParameterError):
        TreeClassifier(criterion="ginni").fit(X, y)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with contextlib.suppress(ParameterError):
        TreeRegressor(criterion="gini").fit(X, y)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with contextlib.suppress(ParameterError):
        TreeClassifier(missing="ignore").fit(X, y)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with contextlib.suppress(TypeError):
        BaggedClassifier(trees=5)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
