"""The engine's best split is the best of all questions, found by brute force with exact fractions.

The twin is the plain-Python reference; tied splits have the same gain, up to rounding. One node at a time:
whole trees are compared in `test_whole_tree.py`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import event, given, note
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.tables import IMPURITIES, Table, tables
from support.trees import WAYS, column_of, divide, fit, growing, threshold_of

from arboretum import Node
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum.reference import IsMissing, Split, Subset, candidate_splits
from arboretum.reference.impurities import criterion_named

TWINS = {Threshold: "Threshold", Levels: "Subset", Missing: "IsMissing"}
# Logarithms are rounded, so equal gains are not always equal numbers.
ROUNDED = ("entropy", "poisson")


def impurity(table: Table, criterion: str) -> float:
    """The impurity of all rows that count, as on paper."""
    named, weights = criterion_named(criterion), table.weights or [1] * table.n_rows
    pairs = [(named.target(table.targets[row]), Fraction(weights[row])) for row in table.counted]
    return float(named.impurity(pairs))


def tries_all_subsets(table: Table, criterion: str) -> bool:
    """Whether the engine tries every subset of levels, rather than cuts of an order that holds the best."""
    n_classes = len({table.targets[row] for row in table.counted})
    return criterion == "absolute_error" or (criterion in CLASS_CRITERIA and n_classes > 2)


def partition(parts: Any) -> frozenset[frozenset[int]]:
    """The two sides of a split, whichever is called left."""
    return frozenset(frozenset(part) for part in parts)


def twin_of(table: Table, root: Node, splits: list[Split]) -> Split:
    """The twin's split that asks what the node asks: same column, same kind of question, same two sides."""
    sides = partition(divide(table, root, table.counted))
    name = TWINS[type(root.question)]
    for split in splits:
        same_kind = type(split.question).__name__ == name
        if split.question.column == column_of(root) and same_kind and partition(split.children) == sides:
            return split
    raise AssertionError(f"{root.question} is none of the {len(splits)} questions that can be asked")


def check_threshold(root: Node, split: Split) -> None:
    """The engine's threshold is the twin's; where doubles have no halves, it is the same whole number."""
    if not isinstance(root.question, Threshold):
        return
    ours, twins = threshold_of(root.question), split.question.threshold
    kind, offset = root.question.about.kind, root.question.about.offset
    if kind == "number" or (kind == "integer" and not offset):
        assert ours == twins
    else:
        assert math.floor(ours) == math.floor(twins)


def check_split(table: Table, criterion: str, root: Node, splits: list[Split], *, first_subset: bool) -> None:
    """The root asks one of the best questions; and the first of them, where ties are exact."""
    scale = impurity(table, criterion)
    best = max(split.gain for split in splits)
    chosen = twin_of(table, root, splits)
    note(f"chosen {chosen}, best gain {float(best)}")
    assert root.gain == pytest.approx(float(best), rel=1e-9, abs=1e-12 * scale)
    assert float(chosen.gain) == pytest.approx(float(best), rel=1e-9, abs=1e-12 * scale)
    check_threshold(root, chosen)
    if table.exact and criterion not in ROUNDED:
        first = next(split for split in splits if split.gain == best)
        assert chosen.question.column == first.question.column
        # Where levels are put in order by their targets, equal subsets are not tried in the twin's order.
        if first_subset or not isinstance(chosen.question, Subset | IsMissing):
            assert chosen.question == first.question
    event("tied" if sum(split.gain == best for split in splits) > 1 else "unique")


@allow_one_leaf
@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("criterion", IMPURITIES)
@given(data=st.data())
def test_stump_asks_the_best_of_all_questions(criterion: str, nominal: str, data: st.DataObject) -> None:
    """The largest gain of all; the unique best exactly; of equals the lower column, then the earlier cut."""
    table = data.draw(tables(criterion), label="table")
    thresholds = data.draw(st.sampled_from(["midpoint", "observed", "round"]), label="thresholds")
    all_subsets = tries_all_subsets(table, criterion)
    min_leaf = data.draw(st.sampled_from([1, 1, 2, 3, 5]), label="min_samples_leaf")

    options: dict[str, Any] = {"nominal": nominal, "thresholds": thresholds, "min_samples_leaf": min_leaf}
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        root = fit(table, criterion, max_depth=1, **options).tree_.root
    splits = candidate_splits(
        table.columns, table.twin_kinds, table.targets, weights=table.weights, criterion=criterion, **options
    )
    if root.is_leaf:
        event("leaf")
        assert not splits or len({table.targets[row] for row in table.counted}) == 1
        return
    assert splits
    check_split(table, criterion, root, splits, first_subset=nominal == "one_vs_rest" or all_subsets)


@allow_one_leaf
@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("criterion", IMPURITIES)
@given(data=st.data())
def test_stump_keeps_the_minimum_weight_of_a_leaf(criterion: str, nominal: str, data: st.DataObject) -> None:
    """With min_weight_fraction_leaf, the best of the questions whose children are both heavy enough."""
    table = data.draw(tables(criterion, exact=True), label="table")
    fraction = data.draw(st.sampled_from([0.125, 0.25, 0.375, 0.5]), label="fraction")
    weights = table.weights or [1.0] * table.n_rows
    options = {"nominal": nominal, "min_weight_fraction_leaf": fraction}
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        root = fit(table, criterion, max_depth=1, **options).tree_.root

    def heavy(split: Split) -> bool:
        return all(sum(weights[row] for row in part) >= fraction * sum(weights) for part in split.children)

    splits = [
        split
        for split in candidate_splits(
            table.columns,
            table.twin_kinds,
            table.targets,
            weights=table.weights,
            criterion=criterion,
            nominal=nominal,
        )
        if heavy(split)
    ]
    if root.is_leaf:
        assert not splits or len({table.targets[row] for row in table.counted}) == 1
        return
    first_subset = nominal == "one_vs_rest" or tries_all_subsets(table, criterion)
    check_split(table, criterion, root, splits, first_subset=first_subset)
