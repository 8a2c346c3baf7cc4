"""Parity with rpart's pruning: the tree at its cp, its table of complexities, and its cross-validation.

The least price is rpart's cp times the risk of the root. Risks are summed over rows in the plain
computations, and divided by the weight of all rows in what our models say. Each comparison has two parts: our
numbers are those of the definition, computed the long way, for every result; and rpart's numbers are ours, or
those of the rules stated in data/pruning/README.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.model_selection import PredefinedSplit
from support.marks import allow_one_leaf, allow_text
from support.sweeps import every

from arboretum import CostComplexity

from .plain_cross_validation import OURS, RPART, FoldTree, HeldOut, grow_folds, held_out
from .plain_gains import agree
from .plain_pruning import SAME, Complexities, RiskNode, Step, cost, rpart_complexities, steps, weakest_links
from .plain_ties import open_nodes
from .pruned_comparison import PrunedComparison, risks_of
from .pruning_models import fit_like
from .pruning_oracle import PruningOracle, Row, pruning_oracles, read_pruning_oracle

Numbers = npt.NDArray[np.float64]
Record = Callable[[str, object], None]

# Differences that are no ties, by the name of the result: in which node, and why. Nothing else may differ.
LISTED: Final[dict[str, tuple[int, str]]] = {}

# Models are kept from one test to the next, so that any of them may meet the warnings.
pytestmark = [allow_one_leaf, allow_text]


@dataclass(frozen=True)
class Fitted:
    """A result of rpart, our model with the same options, and what both rules of pruning say of our tree."""

    oracle: PruningOracle
    model: Any

    @cached_property
    def grown(self) -> Any:
        """Our tree before it was pruned."""
        return self.model.unpruned().tree_

    @cached_property
    def root(self) -> RiskNode:
        """The same as pruning sees it."""
        return risks_of(self.grown, self.oracle)

    @cached_property
    def ours(self) -> Complexities:
        """The complexities by definition."""
        return weakest_links(self.root)

    @cached_property
    def theirs(self) -> Complexities:
        """The complexities as rpart would compute them."""
        return rpart_complexities(self.root, self.least)

    @property
    def least(self) -> float:
        """The price that rpart was given. Where a root makes no mistake, nothing is to be priced."""
        return self.oracle.cp * self.root.risk

    @property
    def kept(self) -> set[int]:
        """The nodes that ask at the least price, by definition."""
        return {number for number, price in self.ours.items() if price > self.least + SAME * self.root.risk}

    def price(self, cp: float) -> float:
        """Return one of rpart's complexities in our unit."""
        return cp * self.root.risk / self.total

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.oracle.grown.case_weights.sum())

    @property
    def se_unit(self) -> float:
        """What turns our standard errors into rpart's, for which a row of weight 2 is two rows."""
        return float(np.sqrt(len(self.oracle.grown.kept) / self.total))


@lru_cache(maxsize=1_000)  # several tests look at each
def fitted(name: str) -> Fitted:
    """Return a result of rpart and our model; it is cross-validated where rpart was."""
    oracle = read_pruning_oracle(name)
    alpha, folds = (0.0, 10) if oracle.folds is None else ("cv", PredefinedSplit(oracle.folds))
    return Fitted(oracle, fit_like(oracle.grown, prune=as_rpart(alpha=alpha, folds=folds)))


def as_rpart(**options: Any) -> CostComplexity:
    """Return a pruner that judges by rpart's errors, once."""
    usual: dict[str, Any] = {"rule": "1se_unpaired", "repeats": 1}
    return CostComplexity(**usual | options)


def record(what: str, verdict: str, found: PrunedComparison, record_property: Record) -> None:
    """Hand the verdict to the summary in conftest.py."""
    record_property("parity", f"rpart, {what}: {verdict}")
    record_property("parity_nodes", found.found.n_nodes)
    record_property("parity_ties", len(set(found.found.ties)))


def same(ours: float, theirs: float) -> bool:
    """Return whether two shares of the root's risk are the same."""
    return agree(ours, theirs, 1.0)


# -- the tree at rpart's cp ------------------------------------------------------------------------


def compare_trees(both: Fitted) -> PrunedComparison:
    """Compare rpart's tree with ours at the same price.

    Where rpart's complexities lead to another tree, it is compared with our tree pruned by these, and ours
    must be the better one by the definition of what a tree costs.
    """
    pruned = both.model.pruned(alpha=both.price(both.oracle.cp)).tree_
    asking = {node.id for node in pruned.walk() if not node.is_leaf}
    assert asking == both.kept, "T(alpha) is not the smallest tree of least cost"
    if asking == set(both.theirs):
        return PrunedComparison(both.oracle, pruned, asking).walk()
    here, there = steps(both.root, both.ours, both.least)[-1], steps(both.root, both.theirs, both.least)[-1]
    assert cost(here.cut, both.least) <= cost(there.cut, both.least) + SAME * both.root.risk
    return PrunedComparison(both.oracle, both.grown, set(both.theirs)).walk()


def compare_complexities(both: Fitted, found: PrunedComparison) -> None:
    """Compare the complexity of every node that asks, as rpart computes it, if no part of a tree is apart."""
    if found.apart or found.found.differences:
        return
    for our_id, number in found.numbers.items():
        if our_id in both.theirs:
            ours, theirs = both.theirs[our_id] / both.root.risk, both.oracle.complexity(number)
            found.found.check(number, "complexity", ours, theirs, 1.0)


@pytest.mark.parametrize("name", pruning_oracles())
def test_the_tree_at_the_cp_of_rpart_is_its_tree(name: str, record_property: Record) -> None:
    """Every node, its question, rows, class weights or number, deviance and label; no node more or less."""
    both = fitted(name)
    found = compare_trees(both)
    compare_complexities(both, found)
    verdict = "the same"
    if found.found.ties or found.apart:
        verdict = "the same up to ties"
    if both.kept != set(both.theirs):
        verdict = "explained by the rule of complexities"
    if found.found.explained:
        verdict = "explained by a better subset"
    if found.found.differences:
        verdict = "different as listed" if name in LISTED else "DIFFERENT"
    record("tree", verdict, found, record_property)
    if name in LISTED:
        assert found.found.differences, f"{name} is listed as different, but it agrees now"
        found.found.differences = [t for t in found.found.differences if f"node {LISTED[name][0]}:" not in t]
    assert not found.found.differences, "\n".join(found.found.differences)
    assert found.is_complete or found.apart


# -- the table -------------------------------------------------------------------------------------


def our_rows(both: Fitted) -> list[Row]:
    """Return our path as rpart's table: down to the least price, which stands for what lies below it."""
    table = both.model.pruning_path_.cp_table()
    numbers = table[["CP", "nsplit", "rel_error", "xerror", "xstd"]].to_numpy().tolist()
    rows = [Row(row[0], int(row[1]), row[2], row[3], row[4] * both.se_unit) for row in numbers]
    above = [row for row in rows if row.cp > both.oracle.cp + SAME]
    return [*above, replace(rows[len(above)], cp=both.oracle.cp)]


def same_rows(ours: list[Row], theirs: list[Row]) -> bool:
    """Return whether two tables have the same prices, numbers of splits and errors."""
    return len(ours) == len(theirs) and all(
        same(a.cp, b.cp) and a.n_splits == b.n_splits and same(a.error, b.error)
        for a, b in zip(ours, theirs, strict=True)
    )


def as_rows(both: Fitted, found: list[Step]) -> list[Row]:
    """Return a plain sequence as rows of a table."""
    risk = both.root.risk
    return [Row(step.alpha / risk, step.cut.n_splits, step.cut.risk / risk) for step in found]


def cheaper(both: Fitted) -> bool:
    """Return whether our trees cost no more than rpart's at any price, and less at some price."""
    ours, theirs = steps(both.root, both.ours), steps(both.root, both.theirs, both.least)
    prices = np.unique([step.alpha for step in ours + theirs if step.alpha >= both.least])
    prices = np.append(prices, (prices[1:] + prices[:-1]) / 2)
    savings = [_cost_at(theirs, price) - _cost_at(ours, price) for price in prices.tolist()]
    slack = SAME * both.root.risk
    return min(savings) >= -slack and max(savings) > slack


def _cost_at(found: list[Step], price: float) -> float:
    """Return what the tree of a sequence costs that is meant for a price. Large prices come first."""
    best = next((step for step in found if step.alpha <= price), found[-1])
    return cost(best.cut, price)


def judge_table(both: Fitted, found: PrunedComparison) -> str:
    """Return how rpart's table compares with ours."""
    theirs, ours = both.oracle.rows, our_rows(both)
    if len(theirs) == 1:  # rpart writes 0 for the price of a tree that is nothing but a root
        assert ours[-1].n_splits == 0
        return "the same"
    if same_rows(ours, theirs):
        return "the same"
    if same_rows(as_rows(both, steps(both.root, both.theirs, both.least)), theirs):
        assert cheaper(both), "rpart's complexities lead to other trees, but not to worse ones"
        return "explained by the rule of complexities"
    return "the same up to ties" if found.found.ties or found.apart else "DIFFERENT"


@pytest.mark.parametrize("name", pruning_oracles())
def test_our_path_is_the_sequence_of_weakest_links(name: str) -> None:
    """Every alpha, number of leaves and risk of `pruning_path_`, and every tree of it by its nodes."""
    both = fitted(name)
    path, expected = both.model.pruning_path_, steps(both.root, both.ours)[::-1]
    assert len(path) == len(expected)
    for i, step in enumerate(expected):
        assert agree(path.alpha[i] * both.total, step.alpha, both.root.risk)
        assert path.leaves[i] == step.cut.n_splits + 1
        assert agree(path.risk[i] * both.total, step.cut.risk, both.root.risk)
        tree = both.model.pruned(alpha=path.alpha[i]).tree_
        asking = {node.id for node in tree.walk() if not node.is_leaf}
        assert asking == {n for n, price in both.ours.items() if price > step.alpha + SAME * both.root.risk}


@pytest.mark.parametrize("name", pruning_oracles())
def test_our_path_is_the_table_of_rpart(name: str, record_property: Record) -> None:
    """CP, number of splits and relative error of every row; or why rpart's rule leads elsewhere."""
    both = fitted(name)
    found = compare_trees(both)
    verdict = "different as listed" if name in LISTED else judge_table(both, found)
    record("table", verdict, found, record_property)
    assert verdict != "DIFFERENT", "\n".join(map(str, [*our_rows(both), "rpart:", *both.oracle.rows]))


# -- cross-validation ------------------------------------------------------------------------------


@lru_cache
def cross_validated() -> list[str]:
    """Return the names of the results with folds; trees that are a root alone were not validated."""
    oracles = map(read_pruning_oracle, pruning_oracles())
    return [oracle.name for oracle in oracles if oracle.folds is not None and len(oracle.rows) > 1]


@lru_cache(maxsize=1_000)
def folds_of(name: str) -> list[FoldTree]:
    """Return the trees of the folds, grown by hand."""
    oracle = read_pruning_oracle(name)
    assert oracle.folds is not None
    return grow_folds(oracle.grown, oracle.folds)


def betas_of(prices: Numbers) -> Numbers:
    """Return where the trees of the folds are cut for rising prices of the whole tree."""
    return np.append(np.sqrt(prices[1:] * prices[:-1]), np.inf)


def rpart_betas(both: Fitted) -> Numbers:
    """Return where rpart cut the trees of the folds, in the order of its rows."""
    return betas_of(np.array([row.cp for row in both.oracle.rows])[::-1])[::-1] * both.root.risk


def agrees_with_rpart(both: Fitted, found: HeldOut) -> bool:
    """Return whether errors and standard errors are those of rpart's rows."""
    risk, rows = both.root.risk, both.oracle.rows
    return all(
        same(ours / risk, row.cv_error) and same(se / risk, row.cv_se)
        for ours, se, row in zip(found.risk, found.se, rows, strict=True)
    )


def our_cross_validation(both: Fitted) -> HeldOut | None:
    """Return what our model says of rpart's rows; None if its path has other trees than rpart's table.

    rpart's last price is its cp, ours goes on below: there alone the folds are cut elsewhere, and the risk at
    rpart's beta is computed by hand.
    """
    ours, theirs = our_rows(both), both.oracle.rows
    if not same_rows(ours, theirs):
        return None
    by_hand = held_out(both.oracle.grown, folds_of(both.oracle.name), rpart_betas(both), both.least, OURS)
    risk = np.array([row.cv_error for row in ours]) * both.root.risk
    se = np.array([row.cv_se for row in ours]) * both.root.risk
    if both.oracle.cp > 0:
        risk[-1], se[-1] = by_hand.risk[-1], by_hand.se[-1]
    return HeldOut(risk, se)


def judge_cross_validation(both: Fitted) -> str:
    """Return how rpart's cross-validated errors compare with ours, and by which rules they differ."""
    ours, trees = our_cross_validation(both), folds_of(both.oracle.name)
    if ours is not None and agrees_with_rpart(both, ours):
        return "the same"
    grown, betas, loss = both.oracle.grown, rpart_betas(both), both.oracle.grown.oracle.loss
    ways = {
        "explained: values on thresholds": replace(OURS, closed=False),
        "explained: the rule of complexities": replace(OURS, complexities=RPART.complexities),
        "explained: values on thresholds, the rule of complexities": replace(RPART, transposed=False),
        "explained: rpart transposes the losses": RPART,
    }
    for verdict, way in ways.items():
        if way.transposed and loss is None:
            continue
        if agrees_with_rpart(both, held_out(grown, trees, betas, both.least, way)):
            return verdict
    is_open = any(open_nodes(tree, set(tree.complexities(both.least, RPART))) for tree in trees)
    return "the same up to ties in the trees of folds" if is_open else "DIFFERENT"


@pytest.mark.parametrize("name", every(2, cross_validated()))
def test_our_cross_validation_is_that_by_hand(name: str) -> None:
    """CV risk and standard error of every tree of our path, from the trees of the folds grown one by one."""
    both = fitted(name)
    path = both.model.pruning_path_
    betas = betas_of(path.alpha) * both.total
    expected = held_out(both.oracle.grown, folds_of(name), betas, 0.0, OURS)
    for i in range(len(path)):
        assert agree(path.cv_risk[i] * both.total, expected.risk[i], both.root.risk), i
        assert agree(path.cv_se[i] * both.se_unit * both.total, expected.se[i], both.root.risk), i


@pytest.mark.parametrize("name", cross_validated())
def test_our_cross_validation_is_that_of_rpart(name: str, record_property: Record) -> None:
    """xerror and xstd of every row with rpart's folds; or which of its rules or ties explain them."""
    both = fitted(name)
    verdict = judge_cross_validation(both)
    record("cross-validation", verdict, compare_trees(both), record_property)
    assert verdict != "DIFFERENT"


# -- the choice ------------------------------------------------------------------------------------


def choose(rows: list[Row], rule: str) -> int:
    """Return the first row of least error, or the first within one standard error of it."""
    errors = [row.cv_error for row in rows]
    best = rows[int(np.argmin(errors))]
    limit = best.cv_error + (best.cv_se if rule == "1se" else 0.0)
    return next(i for i, row in enumerate(rows) if row.cv_error <= limit)


@pytest.mark.parametrize("rule", ["min", "1se"])
@pytest.mark.parametrize("name", cross_validated())
def test_the_selected_trees_are_those_of_rpart(name: str, rule: str) -> None:
    """Pruned at the complexity of the row that rpart's users select, our tree has the nodes of theirs.

    Where rpart's cp is 0, its table is our whole path, and our own choice is that row.
    """
    both = fitted(name)
    selected, found = both.oracle.selected(rule), compare_trees(both)
    if selected is None or found.apart or not same_rows(our_rows(both), both.oracle.rows):
        pytest.skip("rpart has no such tree, or its table has other trees by ties or by its rule")
    tree = both.model.pruned(alpha=both.price(both.oracle.rows[selected.row].cp)).tree_
    assert {found.numbers[node.id] for node in tree.walk()} == selected.nodes
    ours = our_cross_validation(both)
    if both.oracle.cp == 0 and ours is not None and agrees_with_rpart(both, ours):
        folds, ours_rule = PredefinedSplit(both.oracle.folds), "1se_unpaired" if rule == "1se" else rule
        chosen = fit_like(both.oracle.grown, prune=as_rpart(folds=folds, rule=ours_rule))
        assert {found.numbers[node.id] for node in chosen.tree_.walk()} == selected.nodes
        assert len(both.oracle.rows) - 1 - chosen.pruning_path_.chosen == selected.row
        assert choose(our_rows(both), rule) == selected.row


# -- the comparison itself -------------------------------------------------------------------------


def test_there_are_results_to_compare_with() -> None:
    """A folder that is not found would leave nothing to compare, and nothing would fail."""
    assert len(pruning_oracles()) > 200
    assert len(cross_validated()) > 80


def changed(both: Fitted, **facts: Any) -> Fitted:
    """Return the same with other facts about rpart's pruning."""
    return replace(both, oracle=replace(both.oracle, facts=both.oracle.facts | facts))


@pytest.mark.parametrize("name", ["iris__main__full", "pima__main__full", "cpu_vendor__main__grow20"])
@pytest.mark.parametrize(("place", "change"), [(0, 1e-8), (1, 1), (2, 1e-8)])
def test_a_small_change_in_the_table_is_found(name: str, place: int, change: float) -> None:
    """CP, number of splits and error of the second row are changed a little, and that is noticed."""
    both = fitted(name)
    table = [list(row) for row in both.oracle.facts["cptable"]]
    table[1][place] += change
    assert judge_table(both, compare_trees(both)) != "DIFFERENT"
    other = changed(both, cptable=table)
    assert judge_table(other, compare_trees(other)) == "DIFFERENT"


@pytest.mark.parametrize("place", [3, 4])
def test_a_small_change_in_the_cross_validation_is_found(place: int) -> None:
    """xerror and xstd of the second row are changed a little, and no rule explains that."""
    both = fitted("labor__main__default")
    table = [list(row) for row in both.oracle.facts["cptable"]]
    table[1][place] += 1e-8
    assert judge_cross_validation(both) != "DIFFERENT"
    assert judge_cross_validation(changed(both, cptable=table)) == "DIFFERENT"


def test_a_change_in_a_complexity_is_found() -> None:
    """The complexity of the root is changed a little, and that is noticed."""
    both = fitted("iris__main__full")
    complexity = list(both.oracle.facts["complexity"])
    complexity[0] *= 1 + 1e-8
    other = changed(both, complexity=complexity)
    found = compare_trees(other)
    compare_complexities(other, found)
    assert any("complexity" in text for text in found.found.differences)


def test_a_tree_that_is_pruned_otherwise_is_found() -> None:
    """A node that asks only in one of the trees is a difference."""
    both = fitted("iris__main__full")
    for asking in (both.kept - {max(both.kept)}, both.kept - {0}):
        found = PrunedComparison(both.oracle, both.grown, asking).walk()
        assert any("is asked there only" in text for text in found.found.differences)
        assert not found.is_complete


def test_rpart_does_not_always_find_the_weakest_link() -> None:
    """The smallest case: a split that saves nothing stands above two that save much.

    The first split saves nothing, the second 10, the third, below it, 6. All three together save 16/3 each,
    which is less than the lower two (8) or the last alone (6), so they go at once, at 16/3. rpart has cut off
    the last when it comes to the first, and finds 10/2.
    """
    last = RiskNode(3, 6.0, 0.0, (RiskNode(5, 0.0, 0.0), RiskNode(6, 0.0, 0.0)))
    second = RiskNode(1, 16.0, 0.0, (last, RiskNode(4, 0.0, 0.0)))
    root = RiskNode(0, 16.0, 0.0, (second, RiskNode(2, 0.0, 0.0)))
    assert set(weakest_links(root).values()) == {16 / 3}
    assert set(rpart_complexities(root, 0.0).values()) == {5.0}
    between = 5.2
    whole, alone = steps(root, weakest_links(root)), steps(root, rpart_complexities(root, 0.0))
    assert _cost_at(whole, between) == 3 * between < _cost_at(alone, between) == 16.0
