"""Parity with J48, Weka's C4.5: without pruning, both grow the same tree and predict the same probabilities.

To collapse is what J48 does even when it does not prune; it is done here to our tree, see plain_trees.py.
What pruning makes of the trees is not compared.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pytest
from support.marks import allow_text

from arboretum import TreeClassifier

from .plain_trees import collapse, distributions, from_ours, is_collapsed
from .weka_comparison import J48Comparison
from .weka_oracle import WekaOracle, read_oracle, usable_oracles

# Differences that are no ties, by the name of the result: in which node, and why. Nothing else may differ.
LISTED: Final[dict[str, tuple[int, str]]] = {}


@lru_cache(maxsize=2)
def grow_like(name: str) -> tuple[WekaOracle, Any]:
    """Return a result of J48, and our model fitted with the same options."""
    oracle = read_oracle(name)
    model = TreeClassifier.c45(competitors=len(oracle.columns), prune=None, **oracle.parameters)
    model.fit(oracle.training.frame(oracle.columns), oracle.target)
    assert model.classes_.tolist() == list(range(oracle.n_classes))
    return oracle, model


def test_there_are_results_to_compare_with() -> None:
    """A folder that is not found would leave nothing to compare, and nothing would fail."""
    assert len(usable_oracles("J48")) >= 50


@allow_text
@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_the_tree_of_j48_is_ours(name: str, record_property: Callable[[str, object], None]) -> None:
    """Column, threshold or levels, gain, ratio and class weights, node for node; then all predictions."""
    oracle, model = grow_like(name)
    found = J48Comparison(oracle, collapse(from_ours(model.tree_.root))).walk().compare_predictions()
    found.record("J48", record_property, listed=name in LISTED)
    if name in LISTED:
        assert found.differences, f"{name} is listed as different, but it agrees now"
        found.differences = [text for text in found.differences if f"node {LISTED[name][0]}:" not in text]
    assert not found.differences, "\n".join(found.differences)


@allow_text
@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_our_probabilities_mix_the_leaves_by_shares(name: str) -> None:
    """`predict_proba` gives what routing our own tree from outside gives, with missing values and without."""
    oracle, model = grow_like(name)
    grown = from_ours(model.tree_.root)
    for table in (oracle.training, oracle.other):
        ours = model.predict_proba(table.frame(oracle.columns))
        routed, _ = distributions(grown, table.values, len(ours))
        np.testing.assert_allclose(ours, routed, rtol=0, atol=1e-9)


@allow_text
@pytest.mark.parametrize("name", usable_oracles("J48"))
def test_our_probabilities_are_those_of_j48(name: str) -> None:
    """Where J48 has nothing to collapse, `predict_proba` gives its probabilities, apart from ties."""
    oracle, model = grow_like(name)
    grown = from_ours(model.tree_.root)
    if is_collapsed(collapse(grown)):
        return  # nothing to see here; the routing of the collapsed tree is compared above
    found = J48Comparison(oracle, grown).walk()
    pairs = (
        (oracle.training, oracle.training_distributions),
        (oracle.other, oracle.other_distributions),
    )
    for table, theirs in pairs:
        rows = found.comparable(table)
        ours = model.predict_proba(table.frame(oracle.columns))
        np.testing.assert_allclose(ours[rows], theirs[rows], rtol=0, atol=1e-9)
