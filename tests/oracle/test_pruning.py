"""Every pruner makes of a grown tree what the plain-Python pruner makes of it: node by node, step by step.

The plain result is what `arboretum.reference` computes for the same grown tree, from the same rows; decisions
are tight where rounding could turn them around. Random tables: every way to ask about levels, every way to
deal with missing values, weights, priors, losses.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.pruning import QUESTIONS, Case, draw_case, ids_of_leaves, n_subtrees
from support.sweeps import few
from support.tables import Table

from arboretum import CostComplexity, Pessimistic, ReducedError
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum.reference import (
    Subtree,
    from_fitted,
    prune_pessimistically,
    reduce_error,
    smallest_minimiser,
    tuning_tree,
    weakest_link_path,
)
from arboretum.reference import pessimistic as plain_pessimistic
from arboretum.reference.pessimistic import Place
from arboretum.reference.subtrees import depth

pytestmark = allow_one_leaf  # random tables may have nothing to ask about

MEASURES = (None, None, "misclassification", "gini", "entropy")


def close(value: Any, scale: float = 1.0) -> Any:
    return pytest.approx(float(value), rel=1e-9, abs=1e-11 * scale)


# --- cost complexity --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.5))
@given(data=st.data())
def test_path_is_the_plain_path(nominal: str, missing: str, data: st.DataObject) -> None:
    """Alphas, leaves and risks of every step, and which nodes are its leaves, by their ids."""
    case = draw_case(data, nominal, missing)
    measure = data.draw(st.sampled_from(MEASURES), label="measure") if case.of_classes else None
    model = case.fit(prune=CostComplexity(alpha=0.0, measure=measure))
    grown = model.unpruned().tree_
    assert grown == case.fit(prune=None).tree_
    tree = case.plain(grown, measure)
    assert [node.number for node in tree.walk()] == [node.id for node in grown.walk()]
    steps = weakest_link_path(tree, slack=1e-12 * float(tree.cost))
    path = model.pruning_path_
    event(f"{min(len(steps), 5)} steps or more")
    assert path.leaves.tolist() == [step.tree.n_leaves for step in steps]
    total = total_weight(case)
    scale = float(tree.cost / total)
    assert path.alpha.tolist() == [close(step.alpha / total, scale) for step in steps]
    assert path.risk.tolist() == [close(step.tree.risk / total, scale) for step in steps]
    for alpha, step in zip(path.alpha, steps, strict=True):
        pruned = model.pruned(alpha=alpha).tree_
        assert ids_of_leaves(pruned) == [leaf.number for leaf in step.tree.leaves]
    assert model.tree_ == model.pruned(alpha=0.0).tree_


def total_weight(case: Case) -> float:
    """The weight of all rows that count; priors do not change it but for classes without rows."""
    rows = case.learnt
    return float(
        sum(case.weights[row] * Fraction(case.factors.get(case.table.targets[row], 1)) for row in rows)
    )


@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.2))
@given(data=st.data())
def test_depth_is_priced_as_leaves_are(nominal: str, missing: str, data: st.DataObject) -> None:
    """With complexity="depth", no subtree is better, and among equals none is shallower: all are tried."""
    case = draw_case(data, nominal, missing, of_classes=False)
    model = case.fit(prune=CostComplexity(alpha=0.0, complexity="depth"))
    tree = case.plain(model.unpruned().tree_)
    assume(n_subtrees(tree) <= 1500)
    total = total_weight(case)
    path = model.pruning_path_
    assert (np.diff(path.alpha) > 0).all()
    between = (path.alpha[:-1] + path.alpha[1:]) / 2
    for alpha in (*between, path.alpha[-1] + 1.0):
        best = smallest_minimiser(tree, alpha * total, depth)
        found = model.pruned(alpha=alpha).tree_
        assert found.depth == best.depth
        cut = tree.collapse(ids_of_leaves(found))
        assert float(cut.risk) == close(best.risk, float(tree.cost))


# --- reduced error ----------------------------------------------------------------------------------------


def draw_tuning(data: st.DataObject, case: Case) -> tuple[Case, Table]:
    """The case of some rows to grow from, and the others, made a few more, to tune with."""
    masks = data.draw(st.lists(st.booleans(), min_size=case.table.n_rows, max_size=case.table.n_rows))
    growing = [row for row, kept in enumerate(masks) if kept]
    tuning = [row for row, kept in enumerate(masks) if not kept]
    grown = case.take(growing)
    assume(grown.learnt and set(tuning) & set(case.table.counted))
    assume(set(grown.table.targets) == set(case.table.targets) or not case.of_classes)
    assume(case.options["criterion"] != "poisson" or any(grown.table.targets[row] for row in grown.learnt))
    return grown, case.table.take(tuning)


def tune(case: Case, tuning: Table, prune: Any) -> Any:
    """The estimator fitted with tuning data."""
    weights = None if tuning.weights is None else np.array(tuning.weights)
    return case.fit(
        prune=prune, X_val=tuning.frame(), y_val=np.array(tuning.targets), sample_weight_val=weights
    )


def plain_tuning_tree(case: Case, tuning: Table, grown: Any) -> Subtree:
    """The grown tree with the costs that its nodes have by the tuning rows."""
    held_out = Case(tuning, case.options)
    weights = [
        weight * Fraction(case.factors.get(target, 1))
        for weight, target in zip(held_out.weights, tuning.targets, strict=True)
    ]
    return tuning_tree(from_fitted(grown), held_out.rows, tuning.targets, weights, case.loss)


@pytest.mark.parametrize("order", ["greedy", "leaves", "bottom_up"])
@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.25))
@given(data=st.data())
def test_reduced_error_is_the_plain_one(nominal: str, missing: str, order: str, data: st.DataObject) -> None:
    """The same trials in the same order with the same errors, and the same tree in the end."""
    case, tuning = draw_tuning(data, draw_case(data, nominal, missing, min_rows=12))
    model = tune(case, tuning, ReducedError(order=order))
    grown = model.unpruned().tree_
    if case.options["thresholds"] != "table":  # those may be values of the tuning rows
        assert grown == case.fit(prune=None).tree_
    tree = plain_tuning_tree(case, tuning, grown)
    log = model.pruning_log_
    found = list(
        zip(log.node.tolist(), log.before.tolist(), log.after.tolist(), log.pruned.tolist(), strict=True)
    )
    assert [action == "leaf" for action in log.action] == log.pruned.tolist()
    event(f"{min(len(found), 5)} trials or more")
    if case.exact:
        pruned = reduce_error(tree, order)
        assert found == pruned.log
        assert ids_of_leaves(model.tree_) == [leaf.number for leaf in pruned.tree.leaves]
    else:
        end = replay(tree, found, order)
        assert ids_of_leaves(model.tree_) == [leaf.number for leaf in end.leaves]


def replay(tree: Subtree, log: Sequence[tuple[int, float, float, bool]], order: str) -> Subtree:
    """Follow a log step by step: each is what the plain pruner would do, but for rounding."""
    scale = max(1.0, max(abs(float(node.cost)) for node in tree.walk()))
    hair = 1e-9 * scale
    for place, (number, before, after, pruned) in enumerate(log):
        here = next(node for node in tree.inner if node.number == number)
        saving = float(here.risk - here.cost)
        assert before == close(tree.risk, scale)
        assert after == close(tree.risk - (here.risk - here.cost), scale)
        tight = abs(saving) <= hair
        assert tight or pruned == (saving > 0)
        if order == "greedy":
            best = max(float(node.risk - node.cost) for node in tree.inner)
            assert saving >= best - hair
            assert pruned or place == len(log) - 1
        if pruned:
            tree = tree.collapse({number})
    if order != "leaves":  # nothing is left that could go
        assert all(float(node.cost - node.risk) >= -hair for node in tree.inner)
    return tree


@settings(max_examples=few(1))
@given(data=st.data())
def test_trials_come_in_the_order_of_the_notes(data: st.DataObject) -> None:
    """With many equal errors: only small whole weights, so that ties abound and all sums are exact."""
    kinds = ["integer", "nominal", "boolean"]
    case = draw_case(
        data, "subset", "category", criteria=("gini",), of_classes=False, min_rows=20, exact=True, kinds=kinds
    )
    case, tuning = draw_tuning(data, case)
    for order in ("greedy", "leaves", "bottom_up"):
        model = tune(case, tuning, ReducedError(order=order))
        pruned = reduce_error(plain_tuning_tree(case, tuning, model.unpruned().tree_), order)
        assert model.pruning_log_.node.tolist() == [trial.node for trial in pruned.log]
        assert model.pruning_log_.pruned.tolist() == [trial.pruned for trial in pruned.log]


# --- pessimistic ------------------------------------------------------------------------------------------


def prune_plainly(case: Case, grown: Any, confidence: float, raise_subtrees: bool) -> Any:
    """What the plain pruner makes of the tree: an average row weighs 1."""
    rows = case.learnt
    table = case.table.take(rows)
    weights = [float(case.weights[row]) for row in rows]
    unit = sum(weights) / len(weights)
    return prune_pessimistically(
        from_fitted(grown),
        table.columns,
        table.targets,
        [weight / unit for weight in weights],
        confidence=confidence,
        raise_subtrees=raise_subtrees,
    ), unit


def same_place(node: Any, place: Place, unit: float) -> bool:
    """Whether two pruned trees have the same nodes with the same class weights."""
    counts = [count * unit for count in place.counts.values()]
    if node.id != place.number or node.counts.tolist() != pytest.approx(counts, rel=1e-9, abs=1e-9 * unit):
        return False
    below = list(zip(node.children, place.children, strict=False))
    return len(node.children) == len(place.children) and all(same_place(*pair, unit) for pair in below)


@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
@settings(max_examples=few(0.5))
@given(data=st.data())
def test_pessimistic_is_the_plain_one(nominal: str, missing: str, data: st.DataObject) -> None:
    """The same nodes with the same class weights, also where a branch was raised; and the same log."""
    case = draw_case(data, nominal, missing, criteria=CLASS_CRITERIA, min_rows=15, max_rows=60)
    for name in ("priors", "loss"):  # do not go with pruning that counts mistakes
        case.options.pop(name, None)
    confidence = data.draw(st.sampled_from((0.25, 0.1, 0.5)), label="confidence")
    raising = data.draw(st.booleans(), label="raise_subtrees")
    model = case.fit(prune=Pessimistic(confidence=confidence, raise_subtrees=raising))
    grown = model.unpruned().tree_
    assert grown == case.fit(prune=None).tree_
    for action in set(model.pruning_log_.action):
        event(action)
    compare_pessimistic(case, model, grown, confidence, raising)


def compare_pessimistic(case: Case, model: Any, grown: Any, confidence: float, raising: bool) -> None:
    pruned, unit = prune_plainly(case, grown, confidence, raising)
    plain = [action for action in pruned.log if action.action != "collapse"]
    log = model.pruning_log_
    found = list(zip(log.node.tolist(), log.action, strict=True))
    if found != [(action.node, action.action) for action in plain]:
        assert is_tight(case, grown, confidence, raising, pruned), f"{found} is not what {plain} says"
        return
    assert log.before.tolist() == [close(action.before) for action in plain]
    assert log.after.tolist() == [close(min(action.after, np.finfo(float).max)) for action in plain]
    assert same_place(model.tree_.root, pruned.tree, unit)


def is_tight(case: Case, grown: Any, confidence: float, raising: bool, pruned: Any) -> bool:
    """Whether a little more or less slack would have led elsewhere."""
    for name, slack in (("PRUNING_SLACK", 0.1), ("COLLAPSE_SLACK", 0.001)):
        for changed in (slack - 3e-6, slack + 3e-6):
            with patch.object(plain_pessimistic, name, changed):
                other, _ = prune_plainly(case, grown, confidence, raising)
            if [action[::3] for action in other.log] != [action[::3] for action in pruned.log]:
                return True
    return False


def noisy_table(seed: int, n_rows: int = 30) -> Table:
    """One column that matters a little, behind others that split off a few rows: branches are raised here."""
    rng = np.random.default_rng(seed)
    matters = rng.integers(0, 2, n_rows)
    rare = [(rng.random(n_rows) < 0.12) * rng.integers(1, 4, n_rows) for _ in range(4)]
    targets = np.where(rng.random(n_rows) < 0.4, matters, rng.integers(0, 2, n_rows))
    columns = tuple(
        tuple(None if rng.random() < 0.05 else value for value in column.tolist())
        for column in (*rare, matters.astype(float))
    )
    return Table(("nominal",) * 4 + ("float",), columns, tuple("ab"[target] for target in targets))


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 40), marks=pytest.mark.deep)], ids=["ten", "thirty"]
)
@pytest.mark.parametrize(("nominal", "missing"), QUESTIONS)
def test_raised_branches_are_the_plain_ones(nominal: str, missing: str, seeds: range) -> None:
    """Two trees of each table, in some of which a branch is raised for certain."""
    n_raised = 0
    for seed, criterion in itertools.product(seeds, ("entropy", "gain_ratio")):
        options = {"criterion": criterion, "nominal": nominal, "missing": missing, "max_depth": 4}
        options["levels"] = "raw"  # else few ask about the columns that split off a few rows
        case = Case(noisy_table(seed), options)
        model = case.fit(prune=Pessimistic())
        n_raised += model.pruning_log_.action.count("raise")
        compare_pessimistic(case, model, model.unpruned().tree_, 0.25, True)
    assert n_raised >= max(1, len(seeds) // 15)


@pytest.mark.parametrize("seed", [607, 1363, 1599, 1748, 1855])
def test_the_last_of_equal_branches_is_raised(seed: int) -> None:
    """Tables where it makes a difference which of two branches of equal weight may take the node's place."""
    rng = np.random.default_rng(seed)
    half = int(rng.integers(4, 10))
    x, y, z = np.repeat([0.0, 1.0], half), rng.integers(0, 4, 2 * half), rng.integers(0, 3, 2 * half)
    targets = np.where(rng.random(2 * half) < 0.75, y + x > 2, rng.integers(0, 2, 2 * half))
    columns = tuple(tuple(column.astype(float).tolist()) for column in (x, y, z))
    table = Table(("float",) * 3, columns, tuple("ab"[int(target)] for target in targets))
    case = Case(table, {"criterion": "entropy", "nominal": "subset", "missing": "category"})
    model = case.fit(prune=Pessimistic())
    grown = model.unpruned().tree_
    compare_pessimistic(case, model, grown, 0.25, True)
    by_last, _ = prune_plainly(case, grown, 0.25, True)
    with patch.object(plain_pessimistic, "largest", lambda weights: weights.index(max(weights))):
        by_first, _ = prune_plainly(case, grown, 0.25, True)
    assert by_first.log != by_last.log
