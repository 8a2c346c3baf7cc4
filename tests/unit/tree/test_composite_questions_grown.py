"""Grown trees that ask about several columns: all that is done with trees is done with them as well.

Plain Python says where rows go. Whether the questions are the best ones is tested elsewhere; here
they are read, written, pruned and set again.
"""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.composites import LEVELS, Row, child_of, frame, plain_leaf
from support.marks import allow_unknown_levels

from arboretum import MofN, Oblique, Pessimistic, Tree, TreeClassifier, TreeRegressor, importance
from arboretum._tree.composites import Composite, Linear
from arboretum._tree.question_text import read_question

N_ROWS = 240
STRATEGIES: dict[str, Any] = {
    "MofN": MofN(),
    "MofN, deletion": MofN(max_n=4, beam=3, deletion=True),
    "Oblique": Oblique(),
    "Oblique, two terms": Oblique(max_terms=2, restarts=1),
}
PRUNERS = (None, "cost_complexity", "reduced_error", "pessimistic")


@cache
def rows() -> list[Row]:
    """Rows of all kinds of columns, some values missing."""
    rng = np.random.default_rng(5)
    a, n = rng.normal(size=N_ROWS).round(2), rng.integers(-5, 6, N_ROWS)
    when, size, colour = (rng.integers(0, k, N_ROWS) for k in (1000, 3, len(LEVELS)))
    listed = zip(a.tolist(), n.tolist(), when.tolist(), size.tolist(), colour.tolist(), strict=True)
    return [tuple(None if rng.random() < 0.06 else value for value in row) for row in listed]


def score(row: Row) -> float:
    """What the target depends on: a sum, and how many of several things hold."""
    a, n, when, size, colour = (0 if value is None else value for value in row)
    held = (a > 0.3) + (n <= 1) + (when > 400) + (size >= 1) + (colour == 2)
    return float(0.8 * a - 0.3 * n + 0.5 * (colour == 1) + 1.5 * (held >= 3))


@cache
def fitted(strategy: str, of_numbers: bool = False, prune: Any = None) -> Any:
    rng = np.random.default_rng(6)
    scores = np.array([score(row) for row in rows()]) + rng.normal(0, 0.4, N_ROWS)
    pruner = Pessimistic(confidence=0.5) if prune == "pessimistic" else prune
    options: dict[str, Any] = {"questions": STRATEGIES[strategy], "prune": pruner}
    if of_numbers:
        return TreeRegressor(**options).fit(frame(rows()), scores)
    return TreeClassifier(**options).fit(frame(rows()), np.where(scores > 0.8, "yes", "no"))


@pytest.mark.parametrize("of_numbers", [False, True])
@pytest.mark.parametrize("strategy", STRATEGIES)
class TestEveryStrategy:
    @allow_unknown_levels
    def test_rows_go_where_plain_python_sends_them(self, strategy: str, of_numbers: bool) -> None:
        """The rows of growth come to rest in leaves of as many rows; strangers take the same way."""
        tree: Tree = fitted(strategy, of_numbers).tree_
        assert sum(isinstance(node.question, Composite) for node in tree.walk()) >= 2
        found = tree.apply(frame(rows()))
        assert found.tolist() == [plain_leaf(tree, row) for row in rows()]
        assert np.bincount(found, minlength=len(tree))[[leaf.number for leaf in tree.leaves()]].tolist() == [
            leaf.n_rows for leaf in tree.leaves()
        ]
        strangers = [(None,) * 5, *((*row[:4], None) for row in rows())]
        expected = [plain_leaf(tree, row) for row in strangers]
        assert tree.apply(frame(strangers, unknown="pink")).tolist() == expected

    def test_what_is_printed_reads_back(self, strategy: str, of_numbers: bool) -> None:
        """The text of every question, in both outcomes, is that of the question."""
        tree: Tree = fitted(strategy, of_numbers).tree_
        for node in tree.walk():
            if isinstance(node.question, Composite):
                assert len(node.question.parts) >= 2
                for outcome in node.question.outcomes:
                    assert read_question(outcome, tree.columns) == node.question

    def test_copies_are_equal(self, strategy: str, of_numbers: bool) -> None:
        """JSON and pickle give back an equal tree; text, frame, rules and worth have all of it."""
        tree: Tree = fitted(strategy, of_numbers).tree_
        text = tree.to_json()
        assert Tree.from_json(text) == tree
        assert Tree.from_json(text).to_json() == text
        assert pickle.loads(pickle.dumps(tree)) == tree
        assert len(str(tree).splitlines()) == len(tree) == len(tree.to_frame())
        assert all(str(rule) for rule in tree.rules())
        improvement = tree.array("improvement").sum()
        assert sum(importance(tree).values()) == pytest.approx(improvement)

    def test_the_heavier_child_is_said(self, strategy: str, of_numbers: bool) -> None:
        """Composite questions always have an answer: nothing is kept for missing values but the weight."""
        tree: Tree = fitted(strategy, of_numbers).tree_
        for node in tree.walk():
            if isinstance(node.question, Composite):
                assert not node.question.missing_seen
                weights = [child.weight for child in node.children]
                assert weights[node.question.missing_child] == max(weights)

    def test_a_question_set_again(self, strategy: str, of_numbers: bool) -> None:
        """By hand it counts what it counted in growth: rows, gain, and what missing values stand for."""
        model = fitted(strategy, of_numbers)
        tree: Tree = model.tree_
        rng = np.random.default_rng(6)
        scores = np.array([score(row) for row in rows()]) + rng.normal(0, 0.4, N_ROWS)
        y = scores if of_numbers else np.where(scores > 0.8, "yes", "no")
        inner = [node for node in tree.walk() if isinstance(node.question, Composite)]
        for node in inner:
            edited = tree.replace(node, node.question, (frame(rows()), y))
            again = edited.node(next(n.number for n in edited.walk() if n.path == node.path))
            assert again.question == node.question
            assert again.gain == pytest.approx(node.gain, abs=1e-12)
            for mine, its in zip(again.children, node.children, strict=True):
                assert mine.n_rows == its.n_rows
                assert mine.impurity == pytest.approx(its.impurity, abs=1e-12)
                assert mine.label == (pytest.approx(its.label) if of_numbers else its.label)
            if isinstance(node.question, Linear) and isinstance(again.question, Linear):
                for term, counted in zip(node.question.terms, again.question.terms, strict=True):
                    assert counted.fill == pytest.approx(term.fill, rel=1e-11, abs=1e-12)

    def test_regrown_below(self, strategy: str, of_numbers: bool) -> None:
        """With the options of the estimator, the whole tree is grown anew; they are kept with the edit."""
        tree: Tree = fitted(strategy, of_numbers).tree_
        rng = np.random.default_rng(6)
        scores = np.array([score(row) for row in rows()]) + rng.normal(0, 0.4, N_ROWS)
        data = (frame(rows()), scores if of_numbers else np.where(scores > 0.8, "yes", "no"))
        again = tree.regrow((), data, questions=STRATEGIES[strategy])
        assert again == tree
        stored = Tree.from_json(again.to_json())
        assert stored.edits == again.edits
        assert tree.replay(stored.edits, data) == tree


@pytest.mark.parametrize("prune", PRUNERS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_pruned_trees_keep_their_terms(strategy: str, prune: Any) -> None:
    """Every node that still asks, asks what it asked, also where a branch was raised; no row is lost."""
    model = fitted(strategy, prune=prune)
    tree, grown = model.tree_, model.unpruned().tree_
    places = {node.id: node for node in grown.walk()}
    for node in tree.walk():
        assert node.question in (None, places[node.id].question)
    leaves = tree.apply(frame(rows()))
    assert leaves.tolist() == [plain_leaf(tree, row) for row in rows()]
    if prune != "reduced_error":  # which holds rows out
        counts = np.bincount(leaves, minlength=len(tree))
        assert [counts[leaf.number] for leaf in tree.leaves()] == [leaf.n_rows for leaf in tree.leaves()]
    assert Tree.from_json(tree.to_json()) == tree
    path = model.pruning_path_
    for place in {0, len(path) // 2, len(path) - 1}:
        assert model.pruned(alpha=path.alpha[place]).get_n_leaves() == path.leaves[place]


@pytest.mark.parametrize("questions", [MofN(max_n=3), Oblique(max_terms=2)])
def test_raised_branches_keep_their_terms(questions: Any) -> None:
    """C4.5's pruner puts branches in the place of their parents; their rows are counted anew."""
    n_raised = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 4, (200, 6)).astype(float)
        X[rng.random(X.shape) < 0.05] = np.nan
        y = ((np.nan_to_num(X)[:, :4] > 1).sum(axis=1) >= 2) ^ (rng.random(200) < 0.25)
        model = TreeClassifier(questions=questions, prune=Pessimistic(), min_samples_leaf=3).fit(X, y)
        tree, places = model.tree_, {node.id: node for node in model.unpruned().tree_.walk()}
        for node in tree.walk():
            assert node.question in (None, places[node.id].question)
            moved = places[node.id].path != node.path
            n_raised += moved and isinstance(node.question, Composite)
        listed = [tuple(None if np.isnan(value) else value for value in row) for row in X.tolist()]
        leaves = [plain_leaf(tree, row, tree.columns) for row in listed]
        assert tree.apply(X).tolist() == leaves
        assert all(leaves.count(leaf.number) == leaf.n_rows for leaf in tree.leaves())
    assert n_raised > 1, "of 20 trees some are raised"


def test_children_by_hand() -> None:
    """The root's question sends the rows of growth as plain Python does, for each strategy."""
    for strategy in STRATEGIES:
        root = fitted(strategy).tree_.root
        children = [child_of(root.question, row) for row in rows()]
        assert [children.count(place) for place in (0, 1)] == [child.n_rows for child in root.children]
