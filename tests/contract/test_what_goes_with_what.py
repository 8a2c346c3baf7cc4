"""The table of what goes with what: valid combinations behave, invalid ones are refused in its words.

A combination is a choice of criterion, nominal, missing and constraint; an exclusion is a
line of the table. Which tree is right is tested elsewhere.
"""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from support.combinations import (
    DIRECTIONS,
    MOST_LEAVES,
    PRUNE,
    Combination,
    allowed_sentences,
    choices_tried,
    combinations,
    data_for,
    names,
    rows_to_predict,
    sentence_of,
    table_for,
    variants,
)
from support.marks import allow_one_leaf
from support.sweeps import pairwise
from support.trees import estimator

from arboretum import DataError, ParameterError, Surrogate, Tree, importance
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._options.exclusions import OUTPUTS, exclusions, table
from arboretum._prune import PrunerName

GUIDE = Path(__file__).parents[2] / "docs" / "guide.md"


# `make test` tries each pair of choices together, `make test-deep` all combinations.
VALID = pairwise([choice for choice in combinations() if choice.is_valid], choices_tried, names)
INVALID = [pytest.param(choice, id=names(choice)) for choice in combinations() if not choice.is_valid]


@cache
def fitted(combination: Combination) -> list[Any]:
    """A model of each variant of a valid combination."""
    X, y = data_for(combination)
    return [estimator(combination.criterion, **options).fit(X, y) for options in variants(combination)]


@pytest.mark.parametrize("combination", VALID)
class TestEveryValidCombination:
    def test_predicts(self, combination: Combination) -> None:
        """One prediction a row, finite; probabilities sum to one; more is asked than nothing."""
        _, y = data_for(combination)
        for model in fitted(combination):
            X = rows_to_predict(combination)
            predicted = model.predict(X)
            assert predicted.shape == (len(X),)
            assert len(model.tree_) >= 5
            if combination.criterion in CLASS_CRITERIA:
                assert set(predicted) <= set(y)
                probability = model.predict_proba(X)
                assert probability.shape == (len(X), len(model.classes_))
                assert np.isfinite(probability).all()
                assert (probability >= 0.0).all()
                np.testing.assert_allclose(probability.sum(axis=1), 1.0, rtol=1e-12)
            else:
                assert np.isfinite(predicted).all()
                assert y.min() <= predicted.min() <= predicted.max() <= y.max()

    def test_learns(self, combination: Combination) -> None:
        """The tree knows its own rows better than a guess."""
        X, y = data_for(combination)
        for model in fitted(combination):
            if combination.criterion in CLASS_CRITERIA:
                often = max(np.mean(y == name) for name in set(y))
                assert model.score(X, y) > often
            else:
                assert model.score(X, y) > 0.2

    def test_keeps_its_constraint(self, combination: Combination) -> None:
        """Predictions rise or fall with the column as asked for; there are no more leaves than allowed."""
        X = rows_to_predict(combination)
        for model in fitted(combination):
            if combination.constraint == "max_leaf_nodes":
                # A question with many answers that goes beyond the limit is not asked.
                assert model.tree_.n_leaves <= MOST_LEAVES
            if combination.constraint != "monotonic_cst":
                continue
            for column, direction in DIRECTIONS.items():
                values = data_for(combination)[0][column].dropna().sort_values().unique()
                asked = [X.assign(**{column: value}).astype(X.dtypes) for value in values]
                predicted = np.array([level_of(model, rows) for rows in asked])
                assert (np.diff(predicted, axis=0) * direction >= -1e-12).all()
                assert len(np.unique(predicted)) > 1

    def test_survives_files_and_copies(self, combination: Combination) -> None:
        """JSON and pickle give back an equal tree that says the same of every row."""
        X = rows_to_predict(combination)
        for model in fitted(combination):
            tree: Tree = model.tree_
            text = tree.to_json()
            again = Tree.from_json(text)
            assert again == tree
            assert again.to_json() == text
            assert str(again) == str(tree)
            assert np.array_equal(again.apply(X), model.apply(X))
            if tree.missing != "fractions" or getattr(model, "loss", None) is None:
                # What mistakes cost is known to the estimator alone; it matters where leaves are blended.
                assert np.array_equal(again.predict(X), model.predict(X))
            twin = pickle.loads(pickle.dumps(model))
            assert twin.tree_ == tree
            assert np.array_equal(twin.predict(X), model.predict(X))
            if combination.criterion in CLASS_CRITERIA:
                assert np.array_equal(twin.predict_proba(X), model.predict_proba(X))

    def test_can_be_read(self, combination: Combination) -> None:
        """Text and frame have a line for each node, a rule for each leaf, worth of all columns."""
        X, _ = data_for(combination)
        for model in fitted(combination):
            tree: Tree = model.tree_
            assert len(str(tree).splitlines()) == len(tree)
            frame = tree.to_frame()
            assert len(frame) == len(tree)
            assert ("gain_ratio" in frame) == (combination.criterion == "gain_ratio")
            rules = tree.rules()
            assert [rule.label for rule in rules] == [leaf.label for leaf in tree.leaves()]
            assert all(str(rule) for rule in rules)
            for surrogates in (False, True) if combination.missing == "surrogate" else (False,):
                worth = importance(model, surrogates=surrogates)
                assert list(worth) == list(X.columns)
                assert all(math.isfinite(value) and value >= 0 for value in worth.values())
            assert model.feature_importances_.sum() == pytest.approx(1.0)
            assert any(node.competitors for node in tree.walk())
            assert any(node.surrogates for node in tree.walk()) == (combination.missing == "surrogate")


@allow_one_leaf
@pytest.mark.parametrize("prune", get_args(PrunerName))
@pytest.mark.parametrize("combination", VALID)
def test_every_pruner(combination: Combination, prune: str) -> None:
    """Pruned trees are part of the grown one, can be used everywhere, and lose no row; others are refused."""
    X, y = data_for(combination)
    rows = rows_to_predict(combination)
    for options in variants(combination):
        model = estimator(combination.criterion, **options, prune=prune)
        if not replace(combination, prune=prune).is_valid:
            with pytest.raises(ParameterError, match="does not go with"):
                model.fit(X, y)
            continue
        model.fit(X, y)
        tree, grown = model.tree_, model.unpruned().tree_
        raised = prune == "pessimistic" and "raise" in model.pruning_log_.action
        places = {node.id: node for node in grown.walk()}
        assert len(tree) <= len(grown)
        for node in tree.walk():
            assert node.id in places
            if not raised:
                assert node.question in (None, places[node.id].question)
                assert (node.n_rows, node.weight) == (places[node.id].n_rows, places[node.id].weight)
                assert node.label == places[node.id].label
            if tree.missing != "fractions" and not node.is_leaf:
                assert sum(child.n_rows for child in node.children) == node.n_rows
        assert Tree.from_json(tree.to_json()) == tree
        assert len(model.predict(rows)) == len(rows)
        path = model.pruning_path_
        assert (np.diff(path.alpha) > 0).all()
        assert (np.diff(path.leaves) < 0).all()
        assert path.leaves[-1] == 1
        for place in {0, len(path) // 2, len(path) - 1}:
            assert model.pruned(alpha=path.alpha[place]).get_n_leaves() == path.leaves[place]
        if prune == "cost_complexity":
            assert path.chosen is not None
            assert tree.n_leaves == path.leaves[path.chosen]
            assert np.isfinite(path.cv_risk).all()


def level_of(model: Any, X: pd.DataFrame) -> Any:
    """The number that a constraint is about: the probability of the second class, or the prediction."""
    return model.predict_proba(X)[:, 1] if hasattr(model, "classes_") else model.predict(X)


@pytest.mark.parametrize("combination", INVALID)
def test_invalid_combination_is_refused(combination: Combination) -> None:
    """In one sentence of the table, which names both choices; and nothing is left fitted."""
    X, y = data_for(combination)
    choices = {f'nominal="{combination.nominal}"', f'missing="{combination.missing}"', combination.constraint}
    for options in variants(combination):
        model = estimator(combination.criterion, **options)
        before = set(vars(model))
        with pytest.raises(ParameterError) as caught:
            model.fit(X, y)
        assert sentence_of(str(caught.value)) in allowed_sentences(choices)
        assert set(vars(model)) == before
        with pytest.raises(NotFittedError):
            model.predict(X)


@pytest.mark.parametrize("combination", INVALID)
def test_refused_fit_leaves_the_last_tree(combination: Combination) -> None:
    """A model that was fitted before still predicts what it did."""
    X, y = data_for(combination)
    model = estimator(combination.criterion, missing=combination.missing).fit(X, y)
    tree, predicted = model.tree_, model.predict(X)
    model.set_params(**variants(combination)[0])
    with pytest.raises(ParameterError):
        model.fit(X, y)
    assert model.tree_ == tree
    assert np.array_equal(model.predict(X), predicted)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_constraint_on_three_classes_is_refused(criterion: str) -> None:
    """Which of several probabilities should rise is not said."""
    X, classes, _ = table_for(missing=True, n_classes=3)
    model = estimator(criterion, monotonic_cst=DIRECTIONS)
    with pytest.raises(ParameterError) as caught:
        model.fit(X, classes)
    assert sentence_of(str(caught.value)) in allowed_sentences({"monotonic_cst", "three classes or more"})
    assert not hasattr(model, "tree_")


@pytest.mark.parametrize("options", [{"nominal": "multiway"}, {"monotonic_cst": DIRECTIONS}])
@pytest.mark.parametrize("surrogate", [Surrogate(), Surrogate(max_surrogates=0), Surrogate(send="never")])
def test_object_is_refused_as_its_name_is(surrogate: Surrogate, options: dict[str, Any]) -> None:
    """`Surrogate(…)` goes with what "surrogate" goes with."""
    X, classes, _ = table_for(missing=True, n_classes=2)
    with pytest.raises(ParameterError) as by_name:
        estimator("gini", missing="surrogate", **options).fit(X, classes)
    with pytest.raises(ParameterError) as by_object:
        estimator("gini", missing=surrogate, **options).fit(X, classes)
    assert str(by_object.value) == str(by_name.value)


def test_no_constraint_is_no_choice() -> None:
    """Directions that are all zero constrain nothing, and go with everything."""
    X, classes, _ = table_for(missing=True, n_classes=3)
    free = estimator("gini", missing="surrogate").fit(X, classes)
    zeros = estimator("gini", missing="surrogate", monotonic_cst=dict.fromkeys(X.columns, 0)).fit(X, classes)
    assert zeros.tree_ == free.tree_


def test_missing_values_are_refused_by_error_alone() -> None:
    """missing="error" refuses rows to predict as it refuses rows to learn from."""
    X, classes, _ = table_for(missing=True, n_classes=3)
    complete, _, _ = table_for(missing=False, n_classes=3)
    with pytest.raises(DataError, match="missing='error'"):
        estimator("gini", missing="error").fit(X, classes)
    model = estimator("gini", missing="error").fit(complete, classes)
    with pytest.raises(DataError, match="missing='error'"):
        model.predict(X)


def test_every_line_of_the_table_excludes_something() -> None:
    """No line is idle, and none is there twice; the number of classes is no choice of an option."""
    lines = [(exclusion.first, exclusion.second) for exclusion in exclusions()]
    assert len(set(map(frozenset, lines))) == len(lines) == len(table().splitlines()) - 2
    every = [c for prune in PRUNE for c in combinations(prune)]
    for first, second in lines:
        if {first, second} & {
            "questions=MofN or Oblique",
            "search=Lookahead",
            "search=Optimal",
            "significance",
        }:
            continue  # see test_searches_with_every_option.py
        if second == OUTPUTS:
            continue  # see tests/unit/outputs/test_refusals.py
        if first.startswith("leaf="):
            continue  # see the tests of leaf options, and tests/unit/estimators/test_ranker.py
        if first == "significance=Conditional":
            continue  # see tests/unit/grow/test_conditional_growth.py
        hit = [not c.is_valid for c in every if {first, second} <= c._choices]
        assert all(hit)
        # Two constraints at once, or a target of many classes, are no combination of the options.
        assert hit or {first, second} <= {"three classes or more", "priors or loss", "monotonic_cst"}


def test_guide_prints_the_table() -> None:
    """The guide holds the table that the code holds, word for word."""
    _, opened, after = GUIDE.read_text(encoding="utf-8").partition("<!-- combinations -->\n")
    printed, closed, _ = after.partition("<!-- /combinations -->")
    assert opened
    assert closed
    assert printed.strip() == table()
