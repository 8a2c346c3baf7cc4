"""Parity with ConTree and STreeD: the same least loss, on tables too large for trying every tree."""

from __future__ import annotations

from typing import Any

import pytest

from arboretum import Optimal, TreeClassifier, TreeRegressor

from .certified_oracle import read_certified
from .certified_tables import CASES, Case

LOSSES = read_certified()


@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_proven_loss_is_theirs(case: Case) -> None:
    X, y = case.table()
    kind: Any = TreeClassifier if case.classes else TreeRegressor
    model = kind(
        search=Optimal(leaf_penalty=case.price, time_limit=None), max_depth=case.depth,
        max_leaf_nodes=case.leaves, min_samples_leaf=case.least, prune=None,
        leaf="frequency" if case.classes else "mean",
    )  # fmt: skip
    found = model.fit(X, y).optimality_
    assert found.proven
    assert LOSSES[case.name]
    for loss in LOSSES[case.name].values():
        assert found.objective == pytest.approx(loss, rel=1e-9)


def test_every_case_is_stored_and_no_other() -> None:
    """Otherwise the stored losses are those of other tables."""
    assert set(LOSSES) == {case.name for case in CASES}
    assert {name for losses in LOSSES.values() for name in losses} == {"pycontree", "pystreed"}
