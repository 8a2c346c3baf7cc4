"""Parity with ctree: the statistics and p-values of conditional inference, column by column, node by node.

The rest is 1 - p, whose logarithm ctree stores. ctree computes the tail of a maximum by Monte Carlo, to about
0.001; where all its numbers follow from one, both are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from arboretum import Conditional, TreeClassifier, TreeRegressor
from arboretum._data import read_dataset
from arboretum._grow.significance.adjusting import sidak
from arboretum._grow.significance.association import Association
from arboretum._grow.significance.conditional import column_association, is_usable

from .ctree_oracle import CtreeNode, CtreeOracle, ctree_oracles, read_ctree_oracle

NAMES: Final = ctree_oracles()
EXACT: Final = 1e-8  # relative
OF_MAXIMUM: Final = 2e-3  # absolute, before the adjustment: ctree asks its Monte Carlo for 0.001
NOTHING: Final = 1e-9  # a statistic below this is zero but for rounding
OF_ONE: Final = 1e-9  # absolute, where one number decides: ctree subtracts from 1


def our_tests(oracle: CtreeOracle, node: CtreeNode) -> dict[str, Association]:
    """Our test of each column that can be tested, from the rows at a node."""
    data = read_dataset(oracle.X.iloc[node.rows], "from_dtype")
    y = oracle.y[node.rows]
    found = {}
    for column in data.columns:
        known = is_usable(column)
        ones = np.ones(int(known.sum()))
        how: dict[str, Any] = {"statistic": oracle.statistic, "of_classes": oracle.of_classes}
        tested = column_association(column, y, known, ones, **how)
        if tested is not None:
            found[column.column.name] = tested
    return found


def has_one_part(oracle: CtreeOracle, node: CtreeNode, column: str) -> bool:
    """Whether the statistic of a column has one free part only: then the tail is that of one number."""
    values = oracle.X[column].iloc[node.rows]
    known = values.notna().to_numpy()
    parts = [np.unique(oracle.y[node.rows][known])] if oracle.of_classes else []
    if str(values.dtype) == "category" and not values.cat.ordered:
        parts.append(np.unique(values.cat.codes[known]))
    return all(len(part) == 2 for part in parts)


@pytest.mark.parametrize("name", NAMES)
def test_every_column_of_every_node(name: str, record_property: Callable[[str, object], None]) -> None:
    """The same columns are testable, with the same statistics, p-values and logarithms."""
    oracle = read_ctree_oracle(name)
    n_columns = 0
    for node in oracle.tested:
        ours = our_tests(oracle, node)
        assert set(ours) == set(node.columns), node.number
        n_tests = len(ours) if oracle.is_adjusted else 1
        for place, column in enumerate(node.columns):
            theirs, found = node.p_value[place], ours[column]
            adjusted = sidak(found.p_value, n_tests)
            assert found.statistic == pytest.approx(node.statistic[place], rel=EXACT, abs=1e-12)
            if oracle.statistic == "quadratic":
                assert adjusted == pytest.approx(theirs, rel=EXACT, abs=1e-300)
                if found.statistic > NOTHING:  # else the rest is zero but for rounding
                    rest = n_tests * np.log1p(-found.p_value)
                    assert rest == pytest.approx(node.log_rest[place], rel=EXACT, abs=1e-300)
            elif has_one_part(oracle, node, column):
                assert adjusted == pytest.approx(theirs, rel=0.0, abs=OF_ONE)
            else:
                # The adjustment undone; near 1 the logarithm knows more.
                alone = -np.expm1((np.log1p(-theirs) if theirs < 0.5 else node.log_rest[place]) / n_tests)
                assert found.p_value == pytest.approx(alone, rel=0.0, abs=OF_MAXIMUM)
            n_columns += 1
    record_property("parity", f"ctree: the same ({oracle.statistic})")
    record_property("parity_nodes", len(oracle.tested))
    record_property("parity_ties", 0)
    assert n_columns >= len(oracle.X.columns)


@pytest.mark.parametrize("name", NAMES)
def test_nodes_that_hold_the_same_rows(name: str) -> None:
    """The p-value of our nodes is the smallest of ctree's, and decides as ctree did."""
    oracle = read_ctree_oracle(name)
    test = Conditional(
        level=1.0,
        statistic=oracle.statistic,
        adjust="bonferroni" if oracle.is_adjusted else None,
    )
    estimator: Any = TreeClassifier if oracle.of_classes else TreeRegressor
    model = estimator(significance=test, max_depth=3, prune=None).fit(oracle.X, oracle.y)
    nodes = {node.rows.tobytes(): node for node in oracle.tested}
    path = model.decision_path(oracle.X).tocsc()
    n_same = 0
    for node in model.tree_.walk():
        rows = np.sort(path[:, node.number].indices).astype(np.int64)
        theirs = nodes.get(rows.tobytes())
        if theirs is None or node.p_value is None:
            continue
        tolerance = OF_MAXIMUM * len(theirs.columns) if oracle.statistic == "maximum" else 1e-300
        relative = 0.0 if oracle.statistic == "maximum" else EXACT
        assert node.p_value == pytest.approx(min(theirs.p_value), rel=relative, abs=tolerance)
        if not theirs.is_leaf:
            assert node.p_value <= oracle.level
        n_same += 1
    assert n_same >= 1  # the root at least


@pytest.mark.parametrize("name", [name for name in NAMES if "default" in name])
def test_stopped_tree_keeps_what_passes(name: str) -> None:
    """Every question of the tree has passed at ctree's level, and the leaves that were tested have not."""
    oracle = read_ctree_oracle(name)
    estimator: Any = TreeClassifier if oracle.of_classes else TreeRegressor
    model = estimator(significance=Conditional(level=oracle.level), prune=None).fit(oracle.X, oracle.y)
    for node in model.tree_.walk():
        if not node.is_leaf:
            assert node.p_value is not None
            assert node.p_value <= oracle.level
        elif node.p_value is not None:
            assert node.p_value > oracle.level
    assert not model.tree_.root.is_leaf


def test_results_are_there() -> None:
    """Both statistics, adjusted and not."""
    configs = {name.split("__")[2] for name in NAMES}
    assert {"default", "univariate", "maximum"} <= configs
    assert len(NAMES) >= 39
