"""Laws of composite questions on random tables: never worse than ordinary ones, and rows go where they did.

A composite question is about several columns, an ordinary one about one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import IMPURITIES, Table, tables
from support.trees import estimator

from arboretum import MofN, Oblique

QUESTIONS = {
    "m-of-n": MofN(),
    "pairs": MofN(max_n=2),
    "beam": MofN(max_n=4, beam=3, deletion=True),
    "oblique": Oblique(),
    "short sums": Oblique(max_terms=2, restarts=1),
}


def fit(table: Table, criterion: str, **options: Any) -> Any:
    weights = None if table.weights is None else np.array(table.weights)
    model = estimator(criterion, prune=None, **options)
    return model.fit(table.frame(), np.array(table.targets), sample_weight=weights)


@allow_one_leaf
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("criterion", IMPURITIES)
@settings(max_examples=few(0.3))
@given(data=st.data())
def test_never_worse_than_ordinary_questions(criterion: str, name: str, data: st.DataObject) -> None:
    """At the root, where both trees see the same rows; and every row ends in the leaf that counted it."""
    table = data.draw(tables(criterion, min_rows=4, max_rows=40, exact=True))
    options = {"min_samples_leaf": data.draw(st.sampled_from([1, 3]))}
    model = fit(table, criterion, questions=QUESTIONS[name], **options)
    root, plain = model.tree_.root, fit(table, criterion, max_depth=1, **options).tree_.root
    assert root.is_leaf == plain.is_leaf
    assert root.gain >= plain.gain * (1 - 1e-9) - 1e-12
    counted = table.counted
    leaves = np.bincount(model.apply(table.frame())[counted], minlength=len(model.tree_))
    assert [leaves[leaf.number] for leaf in model.tree_.leaves()] == [
        leaf.n_rows for leaf in model.tree_.leaves()
    ]
    assert min(leaf.n_rows for leaf in model.tree_.leaves()) >= min(options["min_samples_leaf"], root.n_rows)


@allow_one_leaf
@pytest.mark.parametrize("criterion", IMPURITIES)
@settings(max_examples=few(0.3))
@given(data=st.data())
def test_more_literals_gain_no_less(criterion: str, data: st.DataObject) -> None:
    """A longer climb ends no lower than a shorter one."""
    table = data.draw(tables(criterion, min_rows=4, max_rows=40, exact=True))
    gains = [
        fit(table, criterion, max_depth=1, questions=MofN(max_n=max_n)).tree_.root.gain
        for max_n in (2, 3, 6, 12)
    ]
    for fewer, more in pairwise(gains):
        assert more >= fewer * (1 - 1e-9) - 1e-12
