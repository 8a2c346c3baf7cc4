"""Parity with J48's pruning: pessimistic, with tuning rows, or collapsed only; node for node, row for row.

What is grown before it is pruned is compared in test_j48.py; ties of growth are carried on into the pruned
trees, and count as ties here too.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from support.marks import allow_one_leaf, allow_text

from arboretum import Node, TreeClassifier

from .plain_trees import COLLAPSE_SLACK, PlainNode, from_ours
from .weka_comparison import J48Comparison
from .weka_oracle import Table, WekaOracle, read_oracle
from .weka_pruning import growing_rows, parameters, pruned_oracles, reduce_errors, snap, tuning_rows

pytestmark = [allow_one_leaf, allow_text]  # whichever test is the first to fit a table

Numbers = npt.NDArray[np.float64]
Record = Callable[[str, object], None]

# Differences that are no ties, by the name of the result: in which node, and why. Nothing else may differ.
LISTED: Final[dict[str, tuple[int, str]]] = {}


# What may be left of nothing when parts of rows are added up.
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Fitted:
    """A result of J48, and our model fitted and pruned with the same options."""

    oracle: WekaOracle
    model: Any

    @property
    def pruned(self) -> PlainNode:
        """Our tree; a leaf that asked before it was pruned remembers what it asked."""
        grown = {node.id: node for node in self.model.unpruned().tree_.walk()}
        return _with_memory(self.model.tree_.root, grown)


def _with_memory(node: Node, grown: dict[int, Node]) -> PlainNode:
    plain = from_ours(node)
    if node.is_leaf:
        before = grown[node.id]
        return plain if before.is_leaf else replace(plain, grown=from_ours(before))
    return replace(plain, children=tuple(_with_memory(child, grown) for child in node.children))


@lru_cache(maxsize=1_000)  # several tests look at some
def fitted(name: str) -> Fitted:
    """Return a result of J48 and our model."""
    oracle = read_oracle(name)
    table, rows, tuning = oracle.training.frame(oracle.columns), growing_rows(oracle), tuning_rows(oracle)
    model = TreeClassifier.c45(competitors=len(oracle.columns), **parameters(oracle))
    if tuning.any():
        held_out = {"X_val": table[tuning], "y_val": oracle.target[tuning]}
        model.fit(table[rows], oracle.target[rows], **held_out)
    else:
        model.fit(table, oracle.target)
    assert model.classes_.tolist() == list(range(oracle.n_classes))
    return Fitted(oracle, model)


class PrunedJ48Comparison(J48Comparison):
    """One pruned result of J48 next to our tree; what stood below our leaves may explain them."""

    def __init__(self, oracle: WekaOracle, ours: PlainNode) -> None:
        super().__init__(oracle, ours)
        self.w = growing_rows(oracle).astype(np.float64)

    def _look_below_collapsed(
        self, number: int, grown: PlainNode, theirs: PlainNode, shares: Numbers
    ) -> None:
        """Find out why only we have a leaf here: after a tie below, it may be pruned and J48's not."""
        self.apart.append(theirs)
        below = J48Comparison(self.oracle, grown)
        below._compare_questions(number, grown, theirs, shares)
        self.n_nodes += below.n_nodes
        if below.ties:
            self.ties.append(number)
        else:
            self.differences.append(
                f"node {number}: pruned here, but not there, and no tie below explains it"
            )

    def _judge_leaf(self, number: int, ours: PlainNode, theirs: PlainNode, shares: Numbers) -> None:
        """Let J48 have a leaf where it collapses a subtree that saves something, but less than its slack."""
        collapses = not tuning_rows(self.oracle).any()
        saving = ours.errors - ours.leaf_errors
        if collapses and theirs.is_leaf and ROUNDING < saving <= COLLAPSE_SLACK:
            self.apart.append(theirs)
            self.ties.append(number)
            return
        super()._judge_leaf(number, ours, theirs, shares)


def compare_probabilities(found: PrunedJ48Comparison, model: Any) -> None:
    """Compare the probabilities of all rows of both tables that come only through nodes that both have."""
    oracle = found.oracle
    pairs: tuple[tuple[str, Table, Numbers], ...] = (
        ("training table", oracle.training, oracle.training_distributions),
        ("other table", oracle.other, oracle.other_distributions),
    )
    for where, table, theirs in pairs:
        ours = model.predict_proba(table.frame(oracle.columns))
        found._compare_rows(f"probabilities, {where}", ours, theirs, found.comparable(table))


def compare_sizes(found: PrunedJ48Comparison, model: Any) -> None:
    """Compare the number of leaves and of all nodes, where no tie has led the trees apart."""
    if not found.ties:
        stored, tree = found.oracle.stored, model.tree_
        found.check(0, "number of leaves", tree.n_leaves, stored["num_leaves"])
        found.check(0, "size of the tree", len(tree), stored["tree_size"])


def same_tree(ours: PlainNode, theirs: PlainNode) -> bool:
    """Return whether two plain trees ask the same and hold the same weights."""
    alike = (
        len(ours.children) == len(theirs.children)
        and np.array_equal(ours.weights, theirs.weights)
        and (ours.column, ours.child_of) == (theirs.column, theirs.child_of)
        and np.array_equal(ours.threshold, theirs.threshold, equal_nan=True)
    )
    return alike and all(map(same_tree, ours.children, theirs.children))


def judge(found: PrunedJ48Comparison, name: str, record_property: Record, *, rule: str = "") -> None:
    """Count the result, and let differences fail that are not listed."""
    found.record(f"J48 pruned{rule}", record_property, listed=name in LISTED)
    if name in LISTED:
        assert found.differences, f"{name} is listed as different, but it agrees now"
        found.differences = [text for text in found.differences if f"node {LISTED[name][0]}:" not in text]
    assert not found.differences, "\n".join(found.differences)


def by_rule_of_thresholds(both: Fitted) -> PlainNode | None:
    """Return our tree with J48's thresholds, pruned by J48's rule; None if the thresholds are the same.

    J48 takes a threshold from the values of all rows, also of those that it prunes by; ours come from the
    rows that the tree is grown from. Tuning rows in between go the other way.
    """
    oracle, tuning = both.oracle, tuning_rows(both.oracle).astype(np.float64)
    values, grown = oracle.training.values, from_ours(both.model.unpruned().tree_.root)
    snapped = snap(grown, values, 1.0 - tuning)
    if not tuning.any() or same_tree(snapped, grown):
        return None
    return reduce_errors(snapped, values, oracle.target, tuning)


@pytest.mark.parametrize("name", pruned_oracles())
def test_the_pruned_tree_of_j48_is_ours(name: str, record_property: Record) -> None:
    """Column, threshold or levels, gain, ratio and class weights of every node; leaves and probabilities."""
    both = fitted(name)
    moved = by_rule_of_thresholds(both)
    if moved is not None:
        found = PrunedJ48Comparison(both.oracle, moved)
        found.walk().compare_predictions()
        judge(found, name, record_property, rule=", thresholds from all rows")
        return
    found = PrunedJ48Comparison(both.oracle, both.pruned)
    found.walk()
    compare_probabilities(found, both.model)
    compare_sizes(found, both.model)
    judge(found, name, record_property)


@pytest.mark.parametrize("name", [name for name in pruned_oracles() if "_rep" in name])
def test_tuning_rows_prune_what_makes_no_fewer_errors(name: str) -> None:
    """Our tree is what plain counting on the tuning rows leaves of the tree as it was grown."""
    both = fitted(name)
    tuning = tuning_rows(both.oracle).astype(np.float64)
    grown = from_ours(both.model.unpruned().tree_.root)
    expected = reduce_errors(grown, both.oracle.training.values, both.oracle.target, tuning)
    assert same_tree(from_ours(both.model.tree_.root), expected)


# -- the comparison itself -------------------------------------------------------------------------


def test_there_are_results_to_compare_with() -> None:
    """A folder that is not found would leave nothing to compare, and nothing would fail."""
    assert len(pruned_oracles()) >= 150


def test_some_branches_are_raised() -> None:
    """Among the results are trees in which a branch has taken the place of its parent."""
    for name in ("labor__main__J48_default", "pima__main__J48_blankfit_default"):
        log = fitted(name).model.pruning_log_
        assert "raise" in log.action, name
        assert "leaf" in log.action, name


def _changed(oracle: WekaOracle, change: Callable[[dict[str, Any]], None]) -> WekaOracle:
    stored = copy.deepcopy(oracle.stored)
    change(stored)
    return WekaOracle(oracle.name, stored, oracle.folder)


def _prune_root(stored: dict[str, Any]) -> None:
    stored["tree"] = {"leaf": True, "class_weights": stored["tree"]["class_weights"]}


def _move_threshold(stored: dict[str, Any]) -> None:
    stored["tree"]["split_point"] += 1e-3


def _change_weight(stored: dict[str, Any]) -> None:
    stored["tree"]["children"][0]["class_weights"][0] += 1e-6


def _change_size(stored: dict[str, Any]) -> None:
    stored["tree_size"] += 1


def _change_probability(stored: dict[str, Any]) -> None:
    stored["blank10_dist"][3][0] += 1e-8


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (_prune_root, "a leaf there"),
        (_move_threshold, "is cut at"),
        (_change_weight, "weight of class 0"),
        (_change_size, "size of the tree"),
        (_change_probability, "probabilities"),
    ],
)
@pytest.mark.parametrize(
    "name", ["iris__main__J48_default", "pima__main__J48_rep", "iris__main__J48_laplace"]
)
def test_a_small_change_in_a_result_is_found(
    name: str, change: Callable[[dict[str, Any]], None], word: str
) -> None:
    """The comparison can fail: what is stored is changed a little, and that is noticed."""
    both = fitted(name)
    found = PrunedJ48Comparison(_changed(both.oracle, change), both.pruned)
    found.walk()
    compare_probabilities(found, both.model)
    compare_sizes(found, both.model)
    assert any(word in text for text in found.differences), found.differences


def test_a_subtree_that_we_pruned_must_be_explained() -> None:
    """Where only our tree has a leaf, and no tie is below it, that is a difference."""
    both = fitted("iris__main__J48_default")
    root = from_ours(both.model.unpruned().tree_.root)
    found = PrunedJ48Comparison(both.oracle, PlainNode(root.weights, grown=root))
    found.walk()
    assert any("no tie below explains it" in text for text in found.differences)
