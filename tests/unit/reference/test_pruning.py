"""`arboretum.reference`, the pruners: weakest links, reduced error, pessimistic pruning, by hand."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arboretum import TreeClassifier, TreeRegressor
from arboretum.errors import ParameterError
from arboretum.reference import (
    Branch,
    GainRatio,
    Leaf,
    Multiway,
    Subset,
    Subtree,
    Surrogate,
    Threshold,
    all_subtrees,
    extra_errors,
    from_fitted,
    grow,
    path_table,
    predict_row,
    prune_pessimistically,
    reduce_error,
    smallest_minimiser,
    subtree_of,
    training_cost,
    tree_at,
    trial_table,
    tuning_tree,
    weakest_link_path,
)
from arboretum.reference.pessimistic import COLLAPSE_SLACK, largest
from arboretum.reference.subtrees import child_shares, depth, draw

PARITY = Path(__file__).parents[2] / "parity" / "data"


def numbered(costs: Any) -> Any:
    """A tree from nested lists `[cost, child, child, …]`, a leaf being its cost, numbered level by level."""
    root = {"cost": costs, "children": []}
    level, count = [root], 0
    while level:
        below = []
        for node in level:
            node["number"], count = count, count + 1
            if isinstance(node["cost"], list):
                cost, *children = node["cost"]
                node["children"] = [{"cost": child, "children": []} for child in children]
                node["cost"] = cost
                below += node["children"]
        level = below

    def built(node: Any) -> Any:
        return Subtree(node["number"], node["cost"], tuple(map(built, node["children"])))

    return built(root)


# Four leaves without errors, 2 and 1 below that, 5 in the root.
FULL = [5, [2, 0, 0], [1, 0, 0]]

COSTS = st.integers(0, 6)
TREES = st.recursive(
    COSTS,
    lambda below: st.tuples(COSTS, st.lists(below, min_size=2, max_size=3)).map(lambda t: [t[0], *t[1]]),
    max_leaves=7,
).map(numbered)


def numbers(nodes: Any) -> list[int]:
    return [node.number for node in nodes]


class TestSubtrees:
    """What is left of a tree when nodes become leaves."""

    def test_nodes_are_numbered_level_by_level(self) -> None:
        tree = numbered(FULL)
        assert numbers(tree.walk()) == [0, 1, 3, 4, 2, 5, 6]
        assert numbers(tree.inner) == [0, 1, 2]
        assert numbers(tree.leaves) == [3, 4, 5, 6]

    def test_a_collapsed_node_is_a_leaf_and_keeps_its_number_and_cost(self) -> None:
        tree = numbered(FULL).collapse({1})
        assert [(leaf.number, leaf.cost) for leaf in tree.leaves] == [(1, 2), (5, 0), (6, 0)]
        assert (tree.risk, tree.n_leaves, tree.depth) == (2, 3, 2)

    def test_all_subtrees_are_all(self) -> None:
        """A full tree of four leaves has five; of nine leaves in threes 1 + 2³."""
        assert len(list(all_subtrees(numbered(FULL)))) == 5
        assert len(list(all_subtrees(numbered([0, *[[0, 0, 0, 0]] * 3])))) == 9
        assert len(set(map(draw, all_subtrees(numbered(FULL))))) == 5

    def test_the_smallest_minimiser_by_leaves_and_by_depth(self) -> None:
        """A leaf less saves 2 or 1 errors; a level less saves 3 errors, and then 2."""
        tree = numbered(FULL)
        assert [smallest_minimiser(tree, alpha).n_leaves for alpha in (0, 1, 2, 5)] == [4, 3, 1, 1]
        assert [smallest_minimiser(tree, alpha, depth).depth for alpha in (0, 2, 2.5, 3)] == [2, 2, 0, 0]
        # 3 errors less by the first question, 2 by the second: at 2 each level is paid for but the last.
        chain = numbered([5, [2, 0, 0], 0])
        assert [smallest_minimiser(chain, alpha, depth).depth for alpha in (0, 1.9, 2, 3)] == [2, 2, 1, 0]

    def test_a_tree_of_grow_gets_its_costs(self) -> None:
        tree = grow([[1, 2, 3, 4]], ["numeric"], list("abab"))
        assert [(node.number, node.cost) for node in subtree_of(tree, training_cost).inner] == [
            (0, 2),
            (2, 1),
            (4, 1),
        ]

    def test_one_object_in_two_places_has_two_numbers(self) -> None:
        leaf = Leaf("a", 1, 1.0, 0.0)
        tree = Branch("a", 2, 2.0, 0.0, question=Threshold(0, 0), children=(leaf, leaf), gain=0.0)
        assert numbers(subtree_of(tree).walk()) == [0, 1, 2]


class TestWeakestLinks:
    """The sequence of the notes."""

    def test_by_hand(self) -> None:
        """g(1) = 2, g(2) = 1, g(0) = 5/3; after node 2 is gone, g(0) = 4/2 and g(1) = 2 break together."""
        path = weakest_link_path(numbered(FULL))
        assert [(step.alpha, step.tree.n_leaves, step.tree.risk) for step in path] == [
            (0, 4, 0),
            (1, 3, 1),
            (2, 1, 5),
        ]
        assert [step.collapsed for step in path] == [(), (2,), (0,)]

    def test_strengths_are_exact(self) -> None:
        """A third is a third: 1 error more for three leaves less, twice, breaks at once."""
        thirds = [2, [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]]
        path = weakest_link_path(numbered(thirds))
        assert [step.alpha for step in path] == [0, Fraction(2, 7)]
        path = weakest_link_path(numbered([3, *thirds[1:]]))
        assert [(step.alpha, step.collapsed) for step in path] == [
            (0, ()),
            (Fraction(1, 3), (1, 2)),
            (1, (0,)),
        ]

    def test_what_saves_nothing_goes_at_once(self) -> None:
        """Node 1 saves nothing; without it the root saves nothing either."""
        path = weakest_link_path(numbered([3, [2, 1, 1], 1]))
        assert [(step.alpha, step.tree.n_leaves) for step in path] == [(0, 1)]

    def test_a_subtree_that_does_harm_goes_at_once(self) -> None:
        """Costs need not be those of the growing rows: below node 1 they are higher than in it."""
        tree = numbered([3, [0, 1, 1], 1])
        assert [(step.alpha, step.tree.risk) for step in weakest_link_path(tree)] == [(0, 1), (2, 3)]

    def test_useless_questions_above_useful_ones_stay(self) -> None:
        """The root alone saves nothing, but what it leads to does: exactly one of two."""
        path = weakest_link_path(numbered([2, [1, 0, 0], [1, 0, 0]]))
        assert [(step.alpha, step.tree.n_leaves) for step in path] == [(0, 4), (Fraction(2, 3), 1)]

    def test_slack_takes_rounded_strengths_for_equal(self) -> None:
        tree = numbered([3.0, [0.1 + 0.2, 0.0, 0.0], [0.3, 0.0, 0.0]])
        assert len(weakest_link_path(tree)) == 4
        assert [step.collapsed for step in weakest_link_path(tree, slack=1e-12)] == [(), (1, 2), (0,)]

    @given(TREES, st.fractions(0, 8, max_denominator=12))
    def test_the_path_holds_the_smallest_minimiser(self, tree: Any, alpha: Any) -> None:
        """For any alpha, of all subtrees; and at every step's own alpha, where sizes change."""
        path = weakest_link_path(tree)
        for here in (alpha, *(step.alpha for step in path)):
            assert tree_at(path, here) == smallest_minimiser(tree, here)

    @given(TREES)
    def test_the_smallest_minimiser_is_one(self, tree: Any) -> None:
        """No other subtree has the same criterion and the same number of leaves."""
        for step in weakest_link_path(tree):
            merits = [
                (other.risk + step.alpha * other.n_leaves, other.n_leaves) for other in all_subtrees(tree)
            ]
            assert merits.count(min(merits)) == 1

    @given(TREES)
    def test_trees_are_nested_and_alphas_ascend(self, tree: Any) -> None:
        path = weakest_link_path(tree)
        assert path[0].alpha == 0
        assert path[-1].tree.is_leaf
        for one, next_one in pairwise(path):
            assert one.alpha < next_one.alpha
            assert {node.number for node in next_one.tree.walk()} < {node.number for node in one.tree.walk()}
            assert next_one.tree == one.tree.collapse(next_one.collapsed)

    def test_as_a_table(self) -> None:
        assert path_table(weakest_link_path(numbered(FULL))).splitlines() == [
            "alpha  leaves  risk  collapsed",
            "    0       4     0",
            "    1       3     1  2",
            "    2       1     5  0",
        ]


class TestCosts:
    """What a node costs as a leaf."""

    NODE = Leaf("a", 4, 4.0, 0.375, counts={"a": 3.0, "b": 1.0, "c": 0.0})

    def test_measures_of_classes(self) -> None:
        assert training_cost(self.NODE) == 1
        assert training_cost(self.NODE, "gini") == Fraction(3, 2)
        assert training_cost(self.NODE, "entropy") == pytest.approx(4 * 0.8112781, abs=1e-6)

    def test_factors_and_losses(self) -> None:
        factors = {"a": 1, "b": 3, "c": 1}
        assert training_cost(self.NODE, factors=factors) == 3
        assert training_cost(self.NODE, "gini", factors=factors) == 3
        assert training_cost(self.NODE, loss=lambda y, label: {"ba": 7}.get(y + label, 0)) == 7

    def test_a_node_without_rows_costs_nothing(self) -> None:
        empty = Leaf("a", 0, 0.0, 0.0, counts={"a": 0.0, "b": 0.0})
        assert [training_cost(empty, m) for m in ("misclassification", "gini", "entropy")] == [0, 0, 0]

    def test_numbers_cost_their_sum_of_squares(self) -> None:
        tree = grow([[1, 2, 3, 4]], ["numeric"], [0.0, 2.0, 8.0, 10.0], criterion="squared_error")
        assert training_cost(tree) == 68.0
        assert [training_cost(child) for child in tree.children] == [2.0, 2.0]

    def test_an_unknown_measure_is_refused(self) -> None:
        with pytest.raises(ParameterError, match="measure='giny'"):
            training_cost(self.NODE, "giny")

    def test_tuning_rows_count_wherever_they_pass(self) -> None:
        tree = grow([[1, 2, 3, 4]], ["numeric"], list("abbc"))  # 1 | 2 3 | 4
        costs = {
            node.number: node.cost
            for node in tuning_tree(tree, [[0], [3], [9]], list("bbb"), [1, 1, 4]).walk()
        }
        assert costs == {0: 0, 1: 1, 2: 0, 3: 0, 4: 4}
        assert tree.label == "b"

    def test_divided_rows_count_in_parts(self) -> None:
        """Three rows went right and one left, so that a row without a value is wrong by a quarter."""
        tree = grow([[1, 2, 3, 4]], ["numeric"], list("abbb"), missing="fractional")
        tuned = tuning_tree(tree, [[None]], ["b"])
        assert [node.cost for node in tuned.walk()] == [0, 0.25, 0]

    def test_rows_that_stay_cost_where_they_are(self) -> None:
        columns = [[1, 1, 2, 2, None]]
        tree = grow(
            columns, ["numeric"], list("aabba"), missing=Surrogate(max_surrogates=0, send="surrogates")
        )
        assert child_shares(tree, [None]) == []
        tuned = tuning_tree(tree, [[None], [2]], ["b", "a"], [4, 1])
        assert [node.cost for node in tuned.walk()] == [4, 0, 1]
        assert [node.resting for node in tuned.walk()] == [4, 0, 1]
        # The row stays at the root and is wrong there, whatever becomes of the leaves.
        assert tuned.risk == 5
        assert reduce_error(tuned).log == [(0, 5, 4, True)]

    def test_losses_of_numbers(self) -> None:
        tree = grow([[1, 2]], ["numeric"], [0.0, 4.0], criterion="squared_error")
        tuned = tuning_tree(tree, [[1], [2]], [1.0, 1.0], loss=lambda y, predicted: (y - predicted) ** 2)
        assert [node.cost for node in tuned.walk()] == [2.0, 1.0, 9.0]


class TestReducedError:
    """The two procedures of the notes, and the one from the leaves up."""

    def test_greedy_prunes_ties(self) -> None:
        pruned = reduce_error(numbered([1, [1, 0, 1], 0]))
        assert pruned.log == [(0, 1, 1, True)]
        assert pruned.tree.is_leaf

    def test_greedy_takes_the_largest_improvement_first(self) -> None:
        """Node 2 saves two errors, node 1 one; the root would then make two more."""
        pruned = reduce_error(numbered([3, [1, 1, 1], [0, 1, 1]]))
        assert pruned.log == [(2, 4, 2, True), (1, 2, 1, True), (0, 1, 3, False)]
        assert pruned.tree.n_leaves == 2

    def test_greedy_prefers_the_lowest_number_among_equals(self) -> None:
        pruned = reduce_error(numbered([9, [1, 1, 1], [1, 1, 1]]))
        assert [trial.node for trial in pruned.log] == [1, 2, 0]

    def test_greedy_stops_at_what_is_harmful(self) -> None:
        pruned = reduce_error(numbered([2, [1, 0, 0], 0]))
        assert pruned.log == [(1, 0, 1, False)]
        assert pruned.tree.n_leaves == 3

    def test_greedy_looks_again_at_nodes_above(self) -> None:
        """At first the root would cost one error; once node 1 is gone it costs two: it stays."""
        pruned = reduce_error(numbered([3, [1, 1, 1], 0]))
        assert pruned.log == [(1, 2, 1, True), (0, 1, 3, False)]

    def test_leaves_keep_ties(self) -> None:
        """Both leaves below node 1 try it, in vain; so does the leaf 2 with the root."""
        pruned = reduce_error(numbered([1, [1, 0, 1], 0]), "leaves")
        assert pruned.log == [(1, 1, 1, False), (1, 1, 1, False), (0, 1, 1, False)]
        assert pruned.tree.n_leaves == 3

    def test_leaves_queue_from_left_to_right_and_new_ones_last(self) -> None:
        """Leaf 3 has node 1 pruned: 4 is gone with it. Then 5 and 6 try node 2, and last 1 tries the root."""
        pruned = reduce_error(numbered([1, [0, 1, 1], [1, 0, 1]]), "leaves")
        assert pruned.log == [(1, 3, 1, True), (2, 1, 1, False), (2, 1, 1, False), (0, 1, 1, False)]
        assert numbers(pruned.tree.leaves) == [1, 5, 6]

    def test_leaves_prune_up_to_the_root(self) -> None:
        pruned = reduce_error(numbered([0, [1, 1, 1], 0]), "leaves")
        assert pruned.log == [(1, 2, 1, True), (0, 1, 0, True)]
        assert pruned.tree.is_leaf

    def test_leaves_may_miss_what_greedy_finds(self) -> None:
        """The root would be better, but at the time it is tried nothing below it has been pruned."""
        tree = numbered([2, 1, [1, 0, 1]])
        assert reduce_error(tree, "leaves").tree.n_leaves == 3
        assert reduce_error(tree, "greedy").tree.n_leaves == 1

    def test_bottom_up_tries_each_node_once_children_first(self) -> None:
        pruned = reduce_error(numbered([2, [1, 0, 1], [1, 0, 0]]), "bottom_up")
        assert pruned.log == [(1, 1, 1, True), (2, 1, 2, False), (0, 1, 2, False)]
        assert numbers(pruned.tree.leaves) == [1, 5, 6]

    @given(TREES, st.sampled_from(["greedy", "leaves", "bottom_up"]))
    def test_logs_tell_the_errors_of_whole_trees(self, tree: Any, order: str) -> None:
        """Collapsing what the log says, one after the other, gives the errors that it says."""
        pruned = reduce_error(tree, order)
        for trial in pruned.log:
            after = tree.collapse({trial.node})
            assert (trial.before, trial.after) == (tree.risk, after.risk)
            assert trial.pruned == (after.risk < tree.risk or (order != "leaves" and after.risk == tree.risk))
            tree = after if trial.pruned else tree
        assert tree == pruned.tree

    @given(TREES)
    def test_bottom_up_is_the_smallest_of_the_best(self, tree: Any) -> None:
        """No subtree makes fewer errors; greedy pruning may end with more."""
        best = smallest_minimiser(tree, 0)
        assert reduce_error(tree, "bottom_up").tree == best
        assert reduce_error(tree, "greedy").tree.risk >= best.risk

    @given(TREES, st.sampled_from(["greedy", "bottom_up"]))
    def test_nothing_harmless_is_left(self, tree: Any, order: str) -> None:
        assert all(node.cost > node.risk for node in reduce_error(tree, order).tree.inner)

    def test_a_tree_that_is_a_leaf(self) -> None:
        for order in ("greedy", "leaves", "bottom_up"):
            assert reduce_error(numbered(3), order) == (numbered(3), [])

    def test_an_unknown_order_is_refused(self) -> None:
        with pytest.raises(ParameterError, match="order='top_down'"):
            reduce_error(numbered(1), "top_down")

    def test_as_a_table(self) -> None:
        assert trial_table(reduce_error(numbered([3, [1, 1, 1], 0])).log).splitlines() == [
            "node  before  after  pruned",
            "   1       2      1  yes",
            "   0       1      3  no",
        ]


def counted(*counts: Any) -> Any:
    """A leaf with the weights of the classes a, b, …"""
    by_class = {name: float(count) for name, count in zip("abcdef", counts, strict=False)}
    label = max(by_class, key=lambda name: by_class[name])
    return Leaf(label, int(sum(counts)), float(sum(counts)), 0.0, by_class)


def asking(question: Any, *children: Any, missing: Any = "fractions") -> Any:
    """A branch over leaves or branches, with their weights added up."""
    names = list(children[0].counts)
    leaf = counted(*(sum(child.counts[name] for child in children) for name in names))
    return Branch(**vars(leaf), question=question, children=children, gain=0.0, missing=missing)


class TestPessimistic:
    """Upper limits of errors, collapsing and raising."""

    def test_limits_without_errors_are_those_of_the_book(self) -> None:
        """Leaves of 6, 9 and 1 rows: limits of 0.206, 0.143 and 0.750, together 3.273 errors."""
        limits = [extra_errors(rows, 0, 0.25) / rows for rows in (6, 9, 1)]
        assert limits == pytest.approx([0.206, 0.143, 0.750], abs=5e-4)
        assert sum(extra_errors(rows, 0, 0.25) for rows in (6, 9, 1)) == pytest.approx(3.273, abs=2e-3)

    def test_less_than_one_error_lies_on_a_line(self) -> None:
        none, half, one = (extra_errors(8, errors, 0.25) for errors in (0, 0.5, 1))
        assert half == pytest.approx((none + one) / 2)

    def test_limits_grow_with_errors_up_to_all_rows(self) -> None:
        limits = [errors + extra_errors(10, errors, 0.25) for errors in range(11)]
        assert limits == sorted(limits)
        assert limits[-1] == 10
        assert extra_errors(3, 2.5, 0.25) == 0.5
        assert extra_errors(0.5, 0, 0.25) == pytest.approx(0.5 * (1 - 0.25**2))

    def test_less_confidence_expects_more_errors(self) -> None:
        for errors in (0, 0.5, 3):
            assert extra_errors(20, errors, 0.05) > extra_errors(20, errors, 0.25)

    @pytest.mark.parametrize("confidence", [0, -0.1, 0.51, 1, float("nan")])
    def test_a_confidence_that_is_none_is_refused(self, confidence: float) -> None:
        with pytest.raises(ParameterError, match="confidence="):
            prune_pessimistically(counted(1, 0), [[1]], ["a"], confidence=confidence)

    def test_numbers_are_refused(self) -> None:
        with pytest.raises(ParameterError, match="predicts numbers"):
            prune_pessimistically(Leaf(1.0, 1, 1.0, 0.0), [[1]], [1.0])

    def test_collapsing_looks_from_the_root_down(self) -> None:
        """Each half saves too little to stay, but together they save more than the slack: the root stays."""
        weights = [3.0, COLLAPSE_SLACK * 0.8, 3.0, COLLAPSE_SLACK * 0.8]
        columns = [[0, 0, 1, 1], [0, 1, 0, 1]]
        half = asking(Threshold(1, 0.5), counted(3, 0), counted(0, COLLAPSE_SLACK * 0.8))
        log = prune_pessimistically(
            asking(Threshold(0, 0.5), half, half), columns, list("abab"), weights, raise_subtrees=False
        ).log
        assert [(action.node, action.action) for action in log[:2]] == [(1, "collapse"), (2, "collapse")]
        assert (log[2].node, log[2].action) == (0, "leaf")

    def test_a_leaf_that_is_worse_by_less_than_a_tenth_is_taken(self) -> None:
        """Ten rows: 5.475 errors are expected of two leaves, 5.560 of one."""
        column, targets = [0] * 3 + [1] * 7, list("aaaaaabbbb")
        tree = asking(Threshold(0, 0.5), counted(3, 0), counted(3, 4))
        pruned = prune_pessimistically(tree, [column], targets, raise_subtrees=False)
        assert list(map(tuple, pruned.log)) == [
            (0, pytest.approx(5.475, abs=1e-3), pytest.approx(5.560, abs=1e-3), "leaf")
        ]

    def test_a_leaf_that_is_worse_by_more_is_not(self) -> None:
        column, targets = [0] * 90 + [1] * 2, ["a"] * 90 + ["b"] * 2
        tree = asking(Threshold(0, 0.5), counted(90, 0), counted(0, 2))
        log = prune_pessimistically(tree, [column], targets).log
        assert [action.action for action in log] == ["keep"]
        assert log[0].after > log[0].before + 0.1

    # One row apart, six rows that are asked the question that matters.
    COLUMNS = ([0, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1])
    TARGETS = tuple("aaababb")
    ODD = asking(Threshold(0, 0.5), counted(1, 0), asking(Threshold(1, 0.5), counted(2, 1), counted(1, 2)))

    def test_a_branch_is_raised_and_gets_the_rows(self) -> None:
        pruned = prune_pessimistically(self.ODD, self.COLUMNS, self.TARGETS)
        assert [(action.node, action.action) for action in pruned.log] == [
            (2, "keep"),
            (0, "raise"),
            (2, "keep"),
        ]
        assert (pruned.tree.number, pruned.tree.question) == (2, Threshold(1, 0.5))
        assert [leaf.counts for leaf in pruned.tree.leaves] == [{"a": 3, "b": 1}, {"a": 1, "b": 2}]
        assert pruned.log[1].after == pytest.approx(2 + extra_errors(4, 1, 0.25) + extra_errors(3, 1, 0.25))

    def test_no_branch_is_raised_unless_asked_for(self) -> None:
        """Then one leaf of seven rows is the better offer."""
        pruned = prune_pessimistically(self.ODD, self.COLUMNS, self.TARGETS, raise_subtrees=False)
        assert [(action.node, action.action) for action in pruned.log] == [(2, "keep"), (0, "leaf")]
        assert pruned.tree.counts == {"a": 4, "b": 3}

    @pytest.mark.parametrize(("odd", "share"), [([None], 4 / 7), ([None, 0], 5 / 8)])
    def test_raised_rows_without_a_value_are_divided_by_those_that_have_one(
        self, odd: Any, share: float
    ) -> None:
        """Four rows below go left and three right; rows from above that have a value count too."""
        n_odd, column = len(odd), [*odd, 0, 0, 0, 0, 1, 1, 1]
        columns = ([0] * n_odd + [1] * 7, column)
        below = asking(Threshold(1, 0.5), counted(3, 1), counted(0, 3))
        tree = asking(Threshold(0, 0.5), counted(n_odd, 0), below)
        pruned = prune_pessimistically(tree, columns, ["a"] * n_odd + list("aaabbbb"), confidence=0.1)
        assert pruned.tree.number == 2
        left, right = pruned.tree.leaves
        assert left.counts == pytest.approx({"a": 3 + share + odd.count(0), "b": 1})
        assert right.counts == pytest.approx({"a": 1 - share, "b": 3})

    def test_where_nothing_is_known_the_shares_are_equal(self) -> None:
        """A question that no row of the node can answer: it has come there by raising."""
        tree = asking(Multiway(0, (0, 1, 2)), counted(1, 0), counted(1, 0), counted(1, 0))
        log = prune_pessimistically(tree, [[None] * 3], ["a", "a", "b"]).log
        # Three leaves with 2/3 and 1/3 each make one error, as one leaf does: collapsed.
        assert list(map(tuple, log)) == [(0, pytest.approx(1.0), 1.0, "collapse")]

    def test_rows_that_stay_are_predicted_by_the_node_itself(self) -> None:
        """Two leaves of four rows; two rows miss the value and stay: the node is wrong about one of them."""
        column, targets = [0, 0, 0, 0, 1, 1, 1, 1, None, None], list("aaaabbbbab")
        tree = asking(Threshold(0, 0.5), counted(4, 0), counted(0, 4), missing="surrogates")
        pruned = prune_pessimistically(tree, [column], targets, raise_subtrees=False)
        assert pruned.tree.resting == {"a": 1, "b": 1}
        expected = 2 * extra_errors(4, 0, 0.25) + 1 + extra_errors(2, 1, 0.25)
        assert list(map(tuple, pruned.log)) == [
            (0, pytest.approx(expected), pytest.approx(5 + extra_errors(10, 5, 0.25)), "keep")
        ]
        # Where the leaves save nothing, what stays does not make them worth keeping.
        tree = asking(Threshold(0, 0.5), counted(4, 0), counted(4, 0), missing="surrogates")
        log = prune_pessimistically(tree, [column], ["a"] * 8 + ["b", "b"]).log
        assert log == [(0, 2, 2, "collapse")]

    def test_the_last_of_equal_branches_is_the_largest(self) -> None:
        assert largest([3, 5, 5, 1]) == 2
        assert largest([5, 5 - 1e-9]) == 1

    def test_a_leaf_without_rows_has_the_label_from_above(self) -> None:
        empty = Leaf("b", 0, 0.0, 0.0, {"a": 0.0, "b": 0.0})
        tree = asking(Multiway(0, (0, 1, 2)), counted(5, 0), counted(0, 6), empty)
        pruned = prune_pessimistically(tree, [[0] * 5 + [1] * 6], list("aaaaabbbbbb"))
        assert [leaf.label for leaf in pruned.tree.leaves] == ["a", "b", "b"]
        assert pruned.log[0].before == pytest.approx(extra_errors(5, 0, 0.25) + extra_errors(6, 0, 0.25))

    def test_labor_is_the_tree_that_j48_prints(self) -> None:
        """57 rows, two of five values missing: 25.04, 10.77 and 30.96 rows in other leaves after raising."""
        columns, kinds, levels, targets = labor()
        tree = grow(
            columns,
            kinds,
            targets,
            levels=levels,
            criterion=GainRatio(guard="c45", numeric_penalty=True),
            nominal="multiway",
            thresholds="table",
            missing="fractional",
            min_samples_split=4,
            min_samples_leaf=2,
            min_impurity_decrease=5e-324,
        )
        pruned = prune_pessimistically(tree, columns, targets)
        assert "raise" in [action.action for action in pruned.log]
        found = [(leaf.label, round(sum(leaf.counts.values()), 2)) for leaf in pruned.tree.leaves]
        assert found == [("bad", 15.27), ("bad", 10.77), ("good", 30.96)]
        assert pruned.tree.question == Threshold(1, 2.5)


def labor() -> Any:
    """The table labor: columns, kinds, levels by column and targets."""
    with (PARITY / "data" / "labor.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    tables = [
        table
        for path in sorted(PARITY.glob("datasets*.json"))
        for table in json.loads(path.read_text(encoding="utf-8"))["tables"]
        if table["id"] == "labor"
    ]
    (task,) = tables[0]["tasks"]
    described = {column["name"]: column for column in tables[0]["cols"]}
    names = [name for name in header if name != task["target"] and name not in task["exclude"]]
    cells = dict(zip(header, zip(*rows, strict=True), strict=True))
    kinds = ["numeric" if described[name]["kind"] == "numeric" else "nominal" for name in names]
    columns, levels = [], {}
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        order = described[name].get("levels") or []
        read = float if kind == "numeric" else order.index
        columns.append([read(cell) if cell else None for cell in cells[name]])
        if kind == "nominal":
            levels[place] = range(len(order))
    return columns, kinds, levels, list(cells[task["target"]])


class TestFitted:
    """Trees of the library, as trees of the reference."""

    FRAME = pd.DataFrame(
        {
            "number": [1.0, 2.0, np.nan, 4.0, 5.0, 6.0, 7.0, 8.0],
            "level": pd.Categorical.from_codes([0, 1, 2, 0, -1, 2, 1, 0], list("xyz")),
        }
    )
    ROWS = tuple(zip([1.0, 2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0], [0, 1, 2, 0, None, 2, 1, 0], strict=True))
    TARGETS = tuple("abcabcca")

    @pytest.mark.parametrize("missing", ["category", "surrogate", "fractional"])
    @pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
    def test_it_predicts_the_same(self, nominal: str, missing: Any) -> None:
        if (nominal, missing) == ("multiway", "surrogate"):
            return  # does not go together
        model = TreeClassifier(nominal=nominal, missing=missing, prune=None).fit(self.FRAME, self.TARGETS)
        tree = from_fitted(model.tree_)
        expected = model.predict_proba(self.FRAME)
        for row, probability in zip(self.ROWS, expected, strict=True):
            assert list(predict_row(tree, row).values()) == pytest.approx(probability.tolist())

    def test_numbers_and_ids_are_the_same(self) -> None:
        fitted = TreeRegressor(prune=None).fit(self.FRAME[["number"]], np.arange(8.0) ** 2).tree_
        tree = subtree_of(from_fitted(fitted), training_cost)
        assert [node.number for node in tree.walk()] == [node.number for node in fitted.walk()]
        assert [node.cost for node in tree.walk()] == [node.weight * node.impurity for node in fitted.walk()]

    def test_multiway_questions_have_a_child_for_the_missing(self) -> None:
        model = TreeClassifier(nominal="multiway", prune=None).fit(self.FRAME[["level"]], self.TARGETS)
        assert from_fitted(model.tree_).question == Multiway(0, (0, 1, 2), missing_last=True)

    def test_subsets_name_both_sides(self) -> None:
        model = TreeClassifier(prune=None, levels="raw").fit(self.FRAME[["level"]].iloc[:4], list("abca"))
        question = from_fitted(model.tree_).question
        assert isinstance(question, Subset)
        assert question.levels | question.others == {0, 1, 2}

    def test_integers_beyond_floats_keep_their_offset(self) -> None:
        numbers_ = np.array([2**63 + 1, 2**63 + 3, 2**63 + 5], dtype=np.uint64)
        model = TreeClassifier(prune=None, leaf="frequency").fit(
            pd.DataFrame({"x": numbers_}), ["a", "b", "b"]
        )
        tree = from_fitted(model.tree_)
        predicted: list[Any] = [predict_row(tree, [int(number)]) for number in numbers_]
        assert [shares["a"] for shares in predicted] == [1.0, 0.0, 0.0]
