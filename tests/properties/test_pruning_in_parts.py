"""Pruning a tree of a table in parts gives what it gives in memory, to the last bit.

Trees of folds grow beside the tree of all rows, and held-out rows of all parts judge them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.parts import assert_same_pruned, growth_of, in_parts
from support.tables import CRITERIA, tables

from arboretum import CostComplexity, ReducedError, Shrinkage
from arboretum._grow.growth import Growth
from arboretum._prune.folds import FoldMaker
from arboretum._prune.growing import grow_and_prune as in_memory
from arboretum._prune.pruning import Pruned, Task
from arboretum.dask.pruning import grow_and_prune
from arboretum.dask.runner import Here
from arboretum.errors import DataError

pytestmark = allow_one_leaf

OFFERED = [name for name in CRITERIA if name in ("gini", "entropy", "misclassification", "squared_error")]

PRUNERS = (
    "cost_complexity",
    CostComplexity(alpha=0.01),
    CostComplexity(folds=3, rule="1se", repeats=2),
    CostComplexity(folds=2, rule="1se_unpaired", repeats=1),
    CostComplexity("holdout", folds=4, rule="min"),
    CostComplexity(folds=4, complexity="depth"),
    ReducedError(0.3),
)
OF_CLASSES = (
    CostComplexity(folds=3, measure="misclassification"),
    CostComplexity(folds=3, measure="brier", rule="1se"),
    CostComplexity(folds=3, measure="entropy", rule="min"),
)


def pruned_in_memory(growth: Growth) -> Pruned:
    maker = FoldMaker(
        *(growth.n_rows, growth.targets.classes, None, growth.settings.random_state, np.zeros(growth.n_rows)),
        *(None, None),
    )
    return in_memory(growth.settings.prune, Task(growth, maker, None, verbose=False))


def outcome(prune: Callable[[], Pruned]) -> Pruned | str:
    """What pruning returns, or why it refuses."""
    try:
        return prune()
    except DataError as error:
        return str(error)


@pytest.mark.parametrize("criterion", OFFERED)
@given(data=st.data())
def test_parts_do_not_show(criterion: str, data: st.DataObject) -> None:
    """However the rows are cut into parts, the same tree is chosen; what is refused is refused in both."""
    table = data.draw(tables(criterion), label="table")
    cuts = data.draw(st.lists(st.integers(0, table.n_rows), max_size=3), label="cuts")
    of_numbers = criterion == "squared_error"
    pruners = PRUNERS if of_numbers else (*PRUNERS, *OF_CLASSES)
    params: dict[str, Any] = {
        "prune": data.draw(st.sampled_from(pruners), label="prune"),
        "thresholds": data.draw(st.sampled_from(["midpoint", "round"]), label="thresholds"),
        "min_samples_leaf": data.draw(st.sampled_from([1, 0.2]), label="min_samples_leaf"),
        "leaf": data.draw(
            st.sampled_from(["shrinkage", Shrinkage(3.0), "mean" if of_numbers else "frequency"]),
            label="leaf",
        ),
        "random_state": data.draw(st.sampled_from([None, 7]), label="random_state"),
    }
    growth, classes = growth_of(table, criterion, **params)
    expected = outcome(lambda: pruned_in_memory(growth))
    ours = outcome(lambda: grow_and_prune(in_parts(Here(), growth, classes, cuts, 3)))
    if isinstance(expected, str) or isinstance(ours, str):
        assert ours == expected
    else:
        assert_same_pruned(ours, expected)
