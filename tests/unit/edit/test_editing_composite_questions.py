"""Editing and pruning trees that ask about several columns: terms stay with their questions.

Trees are planted by hand, and plain Python says where rows go.
"""

from __future__ import annotations

import numpy as np
import pytest
from support.composites import (
    ASKED,
    CUT,
    N_TERMS,
    SUM,
    TREE,
    TWO_OF,
    A,
    Row,
    child_of,
    frame,
    total,
)
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import ParameterError, Tree
from arboretum._data import Column
from arboretum._tree.composites import Linear, LinearTerm
from arboretum._tree.questions import Question, Threshold
from arboretum._tree.surgery import assemble


class TestPruning:
    @pytest.mark.parametrize("path", [(0,), (1,), (1, 0), (1, 1), ()])
    def test_terms_stay_with_their_questions(self, path: tuple[int, ...]) -> None:
        """Where a node becomes a leaf its terms go, and those below it; all others ask what they asked."""
        pruned = TREE.prune_at(path)
        for node in pruned.walk():
            expected = None if node.path == path else ASKED[node.path] if not node.is_leaf else None
            assert node.question == expected
            if isinstance(node.question, Linear):
                assert [term.fill for term in node.question.terms] == [0.25, 0.5, 0.0]
        below = [at for at in ASKED if at[: len(path)] == path]
        n_terms = N_TERMS - 3 * sum(not isinstance(ASKED[at], Threshold) for at in below)
        assert len(pruned.terms.get("column", ())) == n_terms
        assert bool(pruned.terms) == bool(n_terms)
        assert Tree.from_json(pruned.to_json()) == pruned

    def test_a_raised_branch_keeps_its_terms(self) -> None:
        """The right half of the tree takes the place of the root, as C4.5 raises branches."""
        source = [2, 5, 6, 7, 8, 9, 10]
        parents = np.array([-1, 0, 0, 1, 1, 2, 2], dtype=np.int32)
        leaves = np.array([False, False, False, True, True, True, True])
        raised = assemble(TREE, np.array(source), parents, leaves)
        assert [raised.node(number).question for number in range(3)] == [SUM, CUT, TWO_OF]
        assert np.array_equal(raised.terms["begin"], [0, 3, 3, 6, 6, 6, 6, 6])
        # Children change places, and their terms with them.
        swapped = assemble(TREE, np.array([2, 6, 5, 9, 10, 7, 8]), parents, leaves)
        assert [swapped.node(number).question for number in range(3)] == [SUM, TWO_OF, CUT]


ROWS: list[Row] = [
    (float(place % 7) - 2, place % 5 - 2, place % 3, place % 3, place * place % 3)
    if place % 6
    else (None, place % 5 - 2, None, place % 3, None if place % 4 else 1)
    for place in range(60)
]
X_MIXED = frame(ROWS)
Y = np.array(["yes" if (place * 7) % 10 < 4 else "no" for place in range(60)])
WEIGHTS = 1.0 + np.arange(60) % 4


class TestEditing:
    @pytest.mark.parametrize("question", [TWO_OF, SUM], ids=str)
    @pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
    def test_a_question_set_by_hand(self, question: Question, missing: str) -> None:
        """Children are counted as plain Python counts them; text and object ask the same."""
        tree = unpruned_classifier(missing=missing, max_depth=2).fit(X_MIXED, Y).tree_
        data = (X_MIXED, Y, WEIGHTS)
        edited = tree.replace(tree.root, question, data)
        assert edited == tree.replace(tree.root, str(question), data)
        asked = edited.root.question
        assert asked == question
        assert asked is not None
        children = np.array([child_of(asked, row) for row in ROWS])
        assert 0 < children.sum() < len(ROWS)
        for child in (0, 1):
            here = children == child
            node = edited.root.children[child]
            assert node.is_leaf
            assert node.n_rows == here.sum()
            assert node.counts is not None
            expected = [WEIGHTS[here & (name == Y)].sum() for name in edited.target.classes or ()]
            assert node.counts.tolist() == expected
        assert edited.root.question.missing_child == int(
            WEIGHTS[children == 1].sum() > WEIGHTS[children == 0].sum()
        )
        assert not any(node.takes_missing for node in edited.walk())
        assert edited.apply(X_MIXED).tolist() == (children + 1).tolist()
        assert edited.edits[-1].question == str(question)
        assert tree.replay(edited.edits, data) == edited
        assert Tree.from_json(edited.to_json()) == edited

    def test_fills_are_counted(self) -> None:
        """A missing value counts as the mean of the rows at the node, or as the share of the level."""
        tree = unpruned_classifier(max_depth=1).fit(X_MIXED, Y).tree_
        edited = tree.replace(tree.root, SUM, (X_MIXED, Y, WEIGHTS))
        asked = edited.root.question
        assert isinstance(asked, Linear)
        known = [row[0] is not None for row in ROWS]
        mean = sum(row[0] * w for row, w in zip(ROWS, WEIGHTS, strict=True) if row[0] is not None)
        assert asked.terms[0].fill == pytest.approx(mean / WEIGHTS[known].sum())
        coloured = np.array([row[4] is not None for row in ROWS])
        green = np.array([row[4] == 1 for row in ROWS])
        assert asked.terms[1].fill == pytest.approx(WEIGHTS[green].sum() / WEIGHTS[coloured].sum())
        assert asked.terms[2].fill == pytest.approx(np.average([row[1] for row in ROWS], weights=WEIGHTS))

    def test_a_column_without_values_fills_nothing(self) -> None:
        """Where no value is known there is no mean; zero stands for it."""
        tree = unpruned_classifier(max_depth=1).fit(X_MIXED, Y).tree_
        nothing = X_MIXED.assign(a=np.nan)
        edited = tree.replace(tree.root, SUM, (nothing, Y))
        asked = edited.root.question
        assert isinstance(asked, Linear)
        assert asked.terms[0].fill == 0.0

    def test_questions_around_it_stay(self) -> None:
        """In the middle of a tree with terms, others keep theirs: above, beside and below in the order."""
        edited = TREE.replace((0,), SUM, (X_MIXED, Y))
        assert [edited.node(i).question for i in (0, 1, 2)] == [CUT, SUM, SUM]
        assert edited.node(5).question == CUT
        assert edited.node(6).question == TWO_OF
        edited = edited.replace((1, 0), "any of: a > 0, colour != red", (X_MIXED, Y))
        assert edited.node(6).question == TWO_OF
        assert str(edited.node(5).question) == "any of: a > 0, colour != red"
        edited = edited.replace((1, 1), CUT, (X_MIXED, Y))
        kept = [type(node.question).__name__ for node in edited.walk() if node.question]
        assert kept == ["Threshold", "Linear", "Linear", "AtLeast", "Threshold"]

    def test_numbers_as_targets(self) -> None:
        """A tree that predicts numbers is edited alike."""
        y = np.arange(60.0)
        tree = unpruned_regressor(max_depth=1).fit(X_MIXED, y).tree_
        edited = tree.replace(tree.root, TWO_OF, (X_MIXED, y))
        children = np.array([child_of(TWO_OF, row) for row in ROWS])
        means = [y[children == child].mean() for child in (0, 1)]
        assert [child.value for child in edited.root.children] == pytest.approx(means)
        gain = y.var() - sum((children == c).mean() * y[children == c].var() for c in (0, 1))
        assert edited.root.gain == pytest.approx(gain)

    def test_what_is_below_is_grown_anew(self) -> None:
        """A subtree is grown beside questions about several columns, and below one."""
        grown = TREE.regrow((1,), (X_MIXED, Y), max_depth=2)
        assert [grown.node(i).question for i in (0, 1)] == [CUT, TWO_OF]
        edited = TREE.replace((), SUM, (X_MIXED, Y)).regrow((0,), (X_MIXED, Y), max_depth=1)
        assert edited.root.question == SUM
        assert edited.node(1).question is not None
        assert edited.replay([], None) == edited

    def test_refusals(self) -> None:
        """Text that cannot be read, and columns that the tree lacks."""
        with pytest.raises(ParameterError, match="names no column of the tree"):
            TREE.replace((), "1·a + 2·b <= 3", (X_MIXED, Y))
        stranger = total(1.0, LinearTerm(Column("b", "number"), 1.0), LinearTerm(A, 1.0))
        with pytest.raises(ParameterError, match="names no column of the tree"):
            TREE.replace((), stranger, (X_MIXED, Y))
