"""Lookahead against brute force: no question begins a better subtree than the one that is asked.

The worth is the gain of the best subtree that begins with a question (`reference/lookahead.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import IMPURITIES, Table, tables
from support.twins import N_LEVELS

from arboretum import Lookahead, Node, TreeClassifier, TreeRegressor
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum.reference.nodes import Part, Split, read
from arboretum.reference.plain_tree import evaluate_split, lookahead_find_best_split
from arboretum.reference.splits import Rules, make_rules, splits_of


def fit(table: Table, criterion: str, **options: Any) -> Any:
    estimator = TreeClassifier if criterion in CLASS_CRITERIA else TreeRegressor
    weights = None if table.weights is None else np.array(table.weights)
    model = estimator(criterion=criterion, prune=None, **options)
    return model.fit(table.frame(), np.array(table.targets), sample_weight=weights)


def rows_of(node: Node, leaves: dict[int, int]) -> frozenset[int]:
    """The rows that came to a node."""
    below = {leaf.number for leaf in node.tree.walk() if leaf.is_leaf and is_below(leaf, node)}
    return frozenset(row for row, leaf in leaves.items() if leaf in below)


def is_below(node: Node | None, above: Node) -> bool:
    while node is not None:
        if node.number == above.number:
            return True
        node = node.parent
    return False


def asked(node: Node, leaves: dict[int, int], splits: list[Split]) -> list[Split]:
    """The splits that divide the rows as the node's question does."""
    children = {rows_of(child, leaves) for child in node.children} - {frozenset()}
    return [split for split in splits if {frozenset(child) for child in split.children if child} == children]


@allow_one_leaf
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("criterion", IMPURITIES)
@settings(max_examples=few(0.25))
@given(data=st.data())
def test_no_question_begins_a_better_subtree(criterion: str, depth: int, data: st.DataObject) -> None:
    """With `top=None` all questions are looked behind; every node of the tree is compared."""
    most = 12 if depth == 1 else 7
    table = data.draw(tables(criterion, min_rows=3, max_rows=most, max_columns=3, exact=True))
    options = {
        "nominal": data.draw(st.sampled_from(["subset", "one_vs_rest", "multiway"])),
        "levels": data.draw(st.sampled_from(["raw", "corrected"])),
        "min_samples_leaf": data.draw(st.sampled_from([1, 2])),
        "max_depth": data.draw(st.sampled_from([None, 2])),
    }
    model = fit(table, criterion, search=Lookahead(depth=depth, top=None), **options)
    rules = make_rules(
        criterion,
        "category",
        options["nominal"],
        "midpoint",
        max_depth=options["max_depth"],
        levels=options["levels"],
        min_samples_leaf=options["min_samples_leaf"],
    )
    levels = {i: range(N_LEVELS[kind]) for i, kind in enumerate(table.kinds) if kind in N_LEVELS}
    kinds, weights = table.twin_kinds, table.weights
    twin = read(table.columns, kinds, table.targets, weights, levels, rules.criterion)
    found = model.apply(table.frame())
    leaves = {row: int(found[row]) for row in twin.rows}
    for node in model.tree_.walk():
        if not node.is_leaf:
            check_node(node, leaves, twin, rules, depth)


def check_node(node: Node, leaves: dict[int, int], twin: Any, rules: Rules, depth: int) -> None:
    part: Part = {row: twin.rows[row] for row in rows_of(node, leaves)}
    splits = splits_of(twin, rules, part)
    best = lookahead_find_best_split(twin, rules, part, depth=depth, level=node.depth)
    assert best is not None
    how = {"depth": depth, "level": node.depth}
    worth = float(evaluate_split(twin, rules, part, best, **how))
    same = asked(node, leaves, splits)
    assert same, "the question is none of those that may be asked"
    mine = max(float(evaluate_split(twin, rules, part, split, **how)) for split in same)
    assert mine == pytest.approx(worth, rel=1e-8, abs=1e-12)
