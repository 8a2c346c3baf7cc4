"""Composite questions, as they are found: in any order of rows, by gain ratio, and about which columns.

Parameters and refusals are in options/test_search_strategies.py, laws in `tests/properties`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import MofN, Oblique, TreeClassifier, TreeRegressor


@pytest.mark.parametrize("n_rows", [60, 150, 3000])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", [TreeClassifier, TreeRegressor])
def test_sums_do_not_depend_on_the_order_of_rows(estimator: Any, weighted: bool, n_rows: int) -> None:
    """Rows are put into an order of their own before anything is added up or sampled."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        X, weights = random.normal(size=(n_rows, 4)), random.random(n_rows)
        y = X[:, 0] * X[:, 1] + random.normal(size=n_rows)
        y = (y > 0).astype(int) if estimator is TreeClassifier else y
        order = random.permutation(n_rows)
        model = estimator(questions=Oblique(), prune=None, max_depth=3)
        trees = [
            model.fit(X[rows], y[rows], sample_weight=weights[rows] if weighted else None).tree_
            for rows in (np.arange(n_rows), order)
        ]
        asked = [[str(node.question) for node in tree.walk()] for tree in trees]
        assert asked[0] == asked[1]


@pytest.mark.parametrize("questions", [MofN(), Oblique()])
def test_by_gain_ratio_a_composite_question_has_the_larger_ratio(questions: Any) -> None:
    """It is looked for by its gain, but must not lose by the ratio to the question it replaces."""
    n_composite = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(60, 3)).round(1)
        y = (X.sum(axis=1) + random.normal(size=60) > 0).astype(int)
        options: dict[str, Any] = {"criterion": "gain_ratio", "max_depth": 1, "prune": None}
        plain = TreeClassifier(**options).fit(X, y).tree_.root
        root = TreeClassifier(questions=questions, **options).fit(X, y).tree_.root
        n_composite += len(root.question.columns) > 1
        assert root.gain_ratio is not None
        assert plain.gain_ratio is not None
        assert root.gain_ratio >= plain.gain_ratio * (1 - 1e-12)
    assert n_composite > 3


def test_dates_are_not_added_up() -> None:
    """Nobody could read a sum of nanoseconds; they are asked about by themselves."""
    random = np.random.default_rng(0)
    days = random.integers(0, 100, 300)
    X = pd.DataFrame({"a": random.normal(size=300), "b": random.normal(size=300)})
    X["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(days, unit="D")
    tree = TreeClassifier(questions=Oblique(), prune=None).fit(X, X["a"] + X["b"] + days / 50 > 1).tree_
    sums = [
        node.question.columns for node in tree.walk() if not node.is_leaf and len(node.question.columns) > 1
    ]
    assert sums
    assert not any("day" in columns for columns in sums)


class TestThePositiveForm:
    """ "At least 5 of 7 are absent" is asked as "at least 3 of 7 are there"."""

    X = np.random.default_rng(0).integers(0, 2, (400, 10))
    y = X[:, :7].sum(axis=1) >= 3

    @pytest.mark.parametrize(
        ("values", "literal"),
        [((0, 1), "> 0.5"), ((False, True), "= True"), (("no", "yes"), "= yes"), ((3, 8), "> 5.5")],
    )
    def test_the_higher_of_two_values_is_there(self, values: Any, literal: str) -> None:
        X = pd.DataFrame(np.array(values)[self.X], columns=list("abcdefghij"))
        tree = TreeClassifier(questions=MofN(), prune=None).fit(X, self.y).tree_
        question = str(tree.root.question)
        assert question.startswith("at least 3 of: ")
        assert sorted(question.removeprefix("at least 3 of: ").split(", ")) == [
            f"{name} {literal}" for name in "abcdefg"
        ]
        assert [leaf.label for leaf in tree.leaves()] == [True, False]
        assert (tree.predict(X) == self.y).all()

    def test_levels_are_rather_named_than_ruled_out(self) -> None:
        codes = np.random.default_rng(1).integers(0, 4, (600, 5))
        X = pd.DataFrame(np.array(list("pqrs"))[codes], columns=list("abcde"))
        y = np.where((codes == 2).sum(axis=1) >= 2, "few", "many")
        tree = TreeClassifier(questions=MofN(), prune=None).fit(X, y).tree_
        assert str(tree.root.question).startswith("at least 2 of: ")
        assert str(tree.root.question).count(" = r") == 5

    @pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
    def test_it_gains_the_same(self, criterion: str) -> None:
        """A column turned round has its signs the other way; the question found divides the rows alike."""
        model = TreeClassifier(criterion=criterion, questions=MofN(), prune=None, max_depth=2)
        for seed in range(20):
            X = np.random.default_rng(seed).integers(0, 2, (60, 6))
            y = np.random.default_rng(seed).permutation(60) % 2
            one, other = model.fit(X, y).tree_, model.fit(1 - X, y).tree_
            assert one.root.gain == pytest.approx(other.root.gain, abs=1e-12)
            for tree in (one, other):
                for node in tree.walk():
                    text = str(node.question)
                    assert text.count(" <= ") <= max(1, text.count(" > ")), text

    def test_a_missing_value_makes_a_difference(self) -> None:
        """About it neither a literal nor its negation holds, so the question stays as it was found."""
        X = self.X.astype(float)
        complete = TreeClassifier(questions=MofN(), prune=None).fit(X, self.y).tree_.root.question
        assert " > 0.5" in str(complete)
        X[:20, :7] = np.nan
        root = TreeClassifier(questions=MofN(), prune=None).fit(X, self.y | (np.arange(400) < 20)).tree_.root
        absent = [literal.beginning for literal in root.question.literals]
        assert all(" <= " in beginning for beginning in absent)
        columns = [int(beginning.split()[0][1:]) for beginning in absent]
        assert root.children[0].n_rows == ((X[:, columns] <= 0.5).sum(axis=1) >= root.question.m).sum()


class TestTheGreedyClimb:
    def test_it_ends_at_the_first_summit(self) -> None:
        """Three of seven: the way there leads down once."""
        X, y = TestThePositiveForm.X, TestThePositiveForm.y
        dips, greedy = (
            TreeClassifier(questions=MofN(climb=climb), prune=None, max_depth=1).fit(X, y).tree_.root
            for climb in ("dips", "greedy")
        )
        assert len(dips.question.literals) == 7
        assert len(greedy.question.literals) < 7
        assert greedy.gain < dips.gain
