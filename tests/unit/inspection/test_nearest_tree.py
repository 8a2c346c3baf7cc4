"""The single tree nearest to an ensemble."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, r2_score

from arboretum import (
    BaggedClassifier,
    BaggedRanker,
    BaggedRegressor,
    TreeClassifier,
    TreeRanker,
    TreeRegressor,
    datasets,
    nearest_tree,
)
from arboretum.errors import ArboretumError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(600, 4))
NUMBERS = X[:, 0] * X[:, 1] + X[:, 2] + RNG.normal(size=600) / 2
CLASSES = np.array(["low", "middle", "high"])[np.digitize(NUMBERS, [-0.5, 0.5])]
FRESH = RNG.normal(size=(900, 4))


def test_of_an_ensemble_that_is_a_tree_it_is_that_tree() -> None:
    """With no limits, everything that the ensemble says can be said."""
    whole = {"n_trees": 1, "bootstrap": False}
    numbers = BaggedRegressor(TreeRegressor(prune=None, max_depth=4), **whole).fit(X, NUMBERS)
    found = nearest_tree(numbers, X, leaves=None, tree=TreeRegressor(prune=None, leaf="mean"))
    assert np.allclose(found.model.predict(X), numbers.predict(X))
    classes = BaggedClassifier(TreeClassifier(prune=None, max_depth=4), **whole).fit(X, CLASSES)
    found = nearest_tree(classes, X, leaves=None, tree=TreeClassifier(prune=None, leaf="frequency"))
    assert np.allclose(found.model.predict_proba(X), classes.predict_proba(X))
    assert (found.score, found.ensemble_score, found.given_up) == (None, None, None)


def test_leaves_hold_the_mean_of_what_the_ensemble_predicts() -> None:
    """Copies weighted by probabilities are the same as averaging them."""
    forest = BaggedClassifier(n_trees=10).fit(X, CLASSES)
    model = nearest_tree(forest, FRESH, leaves=5, tree=TreeClassifier(prune=None, leaf="frequency")).model
    assert model.get_n_leaves() <= 5
    leaves, shares = model.apply(FRESH), forest.predict_proba(FRESH)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        assert np.allclose(model.predict_proba(FRESH[here][:1])[0], shares[here].mean(axis=0))


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_figures_by_hand(kind: str) -> None:
    """Five folds: the tree of four of them is judged by the fifth."""
    classes = kind == "classes"
    model: Any = (BaggedClassifier if classes else BaggedRegressor)(n_trees=10).fit(
        X, CLASSES if classes else NUMBERS
    )
    truth = FRESH[:, 0] * FRESH[:, 1] + FRESH[:, 2]
    y = np.array(["low", "middle", "high"])[np.digitize(truth, [-0.5, 0.5])] if classes else truth
    tree: Any = (TreeClassifier if classes else TreeRegressor)(prune=None, max_depth=3)
    found = nearest_tree(model, FRESH, y, tree=tree)
    says = model.predict(FRESH)
    fold = np.random.RandomState(0).permutation(900) % 5
    held_out = np.empty_like(says)
    for number in range(5):
        rest = FRESH[fold != number]
        part = nearest_tree(model, rest, tree=tree).model
        held_out[fold == number] = part.predict(FRESH[fold == number])
    measure: Any = accuracy_score if classes else r2_score
    assert found.agreement == pytest.approx(measure(says, held_out))
    assert found.score == pytest.approx(measure(y, held_out))
    assert found.ensemble_score == pytest.approx(measure(y, says))
    assert found.given_up == pytest.approx(measure(y, says) - measure(y, held_out))
    assert f"{found.model.get_n_leaves()} leaves" in str(found)


def test_out_of_bag() -> None:
    model = BaggedClassifier(n_trees=30, oob=True).fit(X, CLASSES)
    tree = TreeClassifier(prune=None, max_depth=4)
    found = nearest_tree(model, X, CLASSES, oob=True, tree=tree)
    assert found.ensemble_score == pytest.approx(model.oob_score_)
    few = BaggedClassifier(n_trees=1).fit(X, CLASSES)  # most rows are in the bag
    assert 0 < nearest_tree(few, X, CLASSES, oob=True, tree=tree).agreement <= 1


def test_scores_of_a_ranker() -> None:
    rows, relevance, queries = datasets.make_ranking(n_queries=15, random_state=1)
    ranker = BaggedRanker(TreeRanker(prune=None, max_depth=5), n_trees=5).fit(rows, relevance, groups=queries)
    assert isinstance(nearest_tree(ranker, rows).model, TreeRegressor)
    with pytest.raises(ArboretumError, match="leave y out"):
        nearest_tree(ranker, rows, relevance)


def test_what_makes_no_sense_is_refused() -> None:
    model = BaggedClassifier(n_trees=3).fit(X, CLASSES)
    one_tree: Any = TreeClassifier().fit(X, CLASSES)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: nearest_tree(one_tree, X), "needs a fitted ensemble, not TreeClassifier"),
        (lambda: nearest_tree(model, X, tree=TreeRegressor()), "takes as tree a TreeClassifier"),
        (lambda: nearest_tree(model, X, oob=True), "needs y as well"),
        (
            lambda: nearest_tree(model, FRESH, CLASSES[:1].repeat(900), oob=True),
            "differ from those of the fit",
        ),
        (lambda: nearest_tree(model, X[:9]), "there are only 9"),
        (lambda: nearest_tree(model, X, leaves=0), "leaves=0"),
    ]
    for call, words in calls:
        with pytest.raises(ArboretumError, match=words):
            call()
