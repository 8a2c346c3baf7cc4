"""What the comparisons with Weka stand on, tried on Weka's own trees: reading, routing, collapsing, counting.

A stored tree takes the place of ours, so everything must agree with it. No tree is
grown here, so these tests say nothing about ours.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from .plain_gain_ratio import WEKA, score
from .plain_gains import agree
from .plain_trees import PlainNode, collapse, distributions, is_collapsed, pass_on
from .weka_comparison import J48Comparison
from .weka_oracle import WekaOracle, read_oracle, usable_oracles

Numbers = npt.NDArray[np.float64]


@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_routing_the_stored_tree_gives_the_stored_probabilities(name: str) -> None:
    """Shares of rows with missing values are passed on as J48 does; leaves without rows ask their parent."""
    oracle = read_oracle(name)
    pairs = (
        (oracle.training, oracle.training_distributions),
        (oracle.other, oracle.other_distributions),
    )
    for table, theirs in pairs:
        routed, _ = distributions(oracle.tree, table.values, len(oracle.target))
        np.testing.assert_allclose(routed, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_plain_counting_gives_the_stored_numbers(name: str) -> None:
    """Class weights, gain and gain ratio of every node, from the shares of the rows that come there."""
    oracle = read_oracle(name)
    open_nodes: list[tuple[PlainNode, Numbers]] = [(oracle.tree, np.ones(len(oracle.target)))]
    while open_nodes:
        node, shares = open_nodes.pop()
        counted = np.bincount(oracle.target, weights=shares, minlength=oracle.n_classes)
        np.testing.assert_allclose(counted, node.weights, rtol=1e-9, atol=1e-9)
        if node.is_leaf:
            continue
        found = score(node, oracle.training.values, oracle.target, shares, oracle.min_weight, WEKA)
        assert agree(found.gain, node.gain, 1.0)
        assert agree(found.ratio, node.ratio, 1.0)
        open_nodes += zip(node.children, pass_on(node, oracle.training.values, shares), strict=True)


@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_j48_left_nothing_to_collapse(name: str) -> None:
    """Every stored subtree saves more training errors than the slack."""
    assert not is_collapsed(collapse(read_oracle(name).tree))


@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_a_stored_tree_agrees_with_itself(name: str) -> None:
    """Every node and every row is compared, and nothing is found."""
    oracle = read_oracle(name)
    found = J48Comparison(oracle, oracle.tree).walk().compare_predictions()
    assert found.n_nodes == len(list(oracle.tree.walk()))
    # Close values make ties even with oneself: the gains are not those that our rules would give.
    assert not [text for text in found.differences if "with all cuts" not in text]


def _leaf(*weights: float) -> PlainNode:
    return PlainNode(np.array(weights))


def _asking(*children: PlainNode) -> PlainNode:
    return PlainNode(
        sum((child.weights for child in children), np.zeros(2)), "x", threshold=0.0, children=children
    )


def test_collapsing_keeps_what_saves_errors() -> None:
    """A subtree goes when its leaves err as often as its root would, or less often by no more than 0.001."""
    useless = _asking(_leaf(3, 0), _leaf(2, 1))
    useful = _asking(_leaf(0, 3), _leaf(2, 0))
    root = _asking(useless, useful)
    collapsed = collapse(root)
    assert [child.is_leaf for child in collapsed.children] == [True, False]
    assert collapsed.children[0].grown is useless
    assert collapse(useful) is not useful
    assert collapse(_asking(_leaf(3, 0.9995), _leaf(0, 0.0009))).is_leaf
    assert not collapse(_asking(_leaf(3, 0.9995), _leaf(0, 0.0011))).is_leaf


def test_collapsing_goes_from_the_root_down() -> None:
    """Small savings that add up to more than the slack keep the root, whatever becomes of them below."""
    small = _asking(_leaf(3, 0), _leaf(0, 0.0008))
    root = _asking(small, small)
    assert not collapse(root).is_leaf
    assert all(child.is_leaf for child in collapse(root).children)


def _with_root(oracle: WekaOracle, **changes: Any) -> PlainNode:
    return replace(oracle.tree, **changes)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda root: {"threshold": root.threshold + 1e-5}, "is cut at"),
        (lambda root: {"gain": root.gain * (1 + 1e-8)}, "gain is"),
        (lambda root: {"ratio": root.ratio * (1 + 1e-8)}, "gain ratio is"),
        (lambda root: {"weights": root.weights * (1 + 1e-8)}, "weight of class"),
        (lambda root: {"threshold": root.threshold * 2}, "we ask"),
        (lambda root: {"children": (), "grown": None}, "a leaf here"),
        (lambda root: {"children": root.children[::-1]}, "weight of class"),
        (lambda root: {"children": (), "grown": root}, "no tie below explains it"),
    ],
)
def test_a_small_change_in_a_tree_is_found(change: Callable[[PlainNode], dict[str, Any]], word: str) -> None:
    """The comparison can fail: the root is changed a little, and that is noticed."""
    oracle = read_oracle("iris__main__J48_blankfit_unpruned")
    found = J48Comparison(oracle, _with_root(oracle, **change(oracle.tree))).walk()
    assert any(word in text for text in found.differences), found.differences


def test_a_change_in_a_prediction_is_found() -> None:
    """One stored probability is changed a little, and that is noticed."""
    oracle = read_oracle("labor__main__J48_unpruned")
    stored = copy.deepcopy(oracle.stored)
    stored["blank10_dist"][3][0] += 1e-8
    found = J48Comparison(WekaOracle(oracle.name, stored, oracle.folder), oracle.tree).compare_predictions()
    assert len(found.differences) == 1
    assert "row 3" in found.differences[0]


def test_a_question_of_the_same_ratio_is_a_tie() -> None:
    """A column with the same values asks as well as the one it was copied from; rows there are left aside."""
    oracle = read_oracle("iris__main__J48_unpruned")
    twin = _with_root(oracle, column="twin")
    found = J48Comparison(oracle, twin)
    found.values = found.values | {"twin": found.values[oracle.tree.column]}
    found.walk()
    assert found.ties == [0]
    assert not found.differences
    assert not found.comparable(oracle.training).any()


def test_a_tie_explains_what_is_collapsed_above_it() -> None:
    """After a tie, our subtree may save no errors, so that we collapse what J48 keeps; or the reverse."""
    oracle = read_oracle("iris__main__J48_unpruned")
    root = oracle.tree
    inner = next(child for child in root.children if not child.is_leaf)
    assert root.children[1] is inner
    ours = _with_root(oracle, children=(root.children[0], replace(inner, column="twin")))
    found = J48Comparison(oracle, PlainNode(root.weights, grown=ours))
    found.values = found.values | {"twin": found.values[inner.column]}
    found.walk()
    assert len(found.ties) == 1
    assert not found.differences
    stored = copy.deepcopy(oracle.stored)
    stored["tree"] = {"leaf": True, "class_weights": root.weights.tolist()}
    collapsed_there = WekaOracle(oracle.name, stored, oracle.folder)
    assert J48Comparison(collapsed_there, root).walk().differences
    tied = _with_root(oracle, children=(root.children[0], replace(inner, rivals=(inner.ratio,))))
    assert not J48Comparison(collapsed_there, tied).walk().differences


def test_values_that_are_one_for_j48_make_no_difference() -> None:
    """J48 does not cut between values within 1e-5, so it pays for fewer cuts; glass has such values."""
    oracle = read_oracle("glass__main__J48_unpruned")
    found = J48Comparison(oracle, oracle.tree).walk()
    assert found.ties
    assert {text.split(":")[0] for text in found.differences} == {f"node {number}" for number in found.ties}
    assert all("with all cuts" in text for text in found.differences)


def test_swapped_children_are_found_by_their_rows() -> None:
    """Asking for this level or for the others is the same question when the children are swapped too."""
    oracle = read_oracle("weather_nominal__main__J48_binary_unpruned")
    root = oracle.tree
    assert root.child_of is not None
    swapped = {level: 1 - child for level, child in root.child_of.items()}
    ours = _with_root(oracle, child_of=swapped, other=0, children=root.children[::-1])
    found = J48Comparison(oracle, ours).walk().compare_predictions()
    assert found.n_nodes == len(list(root.walk()))
    assert not found.ties
    assert not found.differences
