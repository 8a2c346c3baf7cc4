"""J48's tree and ours side by side, node for node, and what they predict.

A tie is a node where both are right, each by its own rules: the better question is better by no more than
J48's slack of 1e-6, or two values are one value for J48 because they differ by no more than 1e-5. Apart are
nodes below which the two trees have nothing to do with each other. No tree is grown here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from .comparison import Comparison
from .plain_gain_ratio import OURS, WEKA, Rules, Score, is_near_minimum, lies_between_close_values, score
from .plain_gains import agree
from .plain_trees import PlainNode, collapse, distributions, outcomes, pass_on
from .weka_oracle import Table, WekaOracle

__all__ = ["J48Comparison"]

Numbers = npt.NDArray[np.float64]

# For J48 two numbers are the same when they differ by less than this.
SLACK: Final = WEKA.slack


class J48Comparison(Comparison):
    """One result of J48 next to our tree, which is collapsed already."""

    def __init__(self, oracle: WekaOracle, ours: PlainNode) -> None:
        self.oracle, self.ours = oracle, ours
        self.values = oracle.training.values
        self.apart: list[PlainNode] = []  # nodes of J48's tree
        super().__init__("gain_ratio", oracle.target, np.ones(len(oracle.target)))

    def walk(self) -> J48Comparison:
        """Compare node for node from the root down."""
        self._compare(self.ours, self.oracle.tree, self.w)
        return self

    def _compare(self, ours: PlainNode, theirs: PlainNode, shares: Numbers) -> None:
        number, self.n_nodes = self.n_nodes, self.n_nodes + 1
        counted = np.bincount(self.y, weights=shares, minlength=self.oracle.n_classes)
        for k in range(self.oracle.n_classes):
            self.check(number, f"weight of class {k}", ours.weights[k], theirs.weights[k], self.w.sum())
            self.check(number, f"weight of class {k}, counted", ours.weights[k], counted[k], self.w.sum())
        if ours.is_leaf and theirs.is_leaf:
            return
        if ours.grown is not None:
            self._look_below_collapsed(number, ours.grown, theirs, shares)
        elif ours.is_leaf or theirs.is_leaf:
            self._judge_leaf(number, ours, theirs, shares)
        else:
            self._compare_questions(number, ours, theirs, shares)

    def _compare_questions(self, number: int, ours: PlainNode, theirs: PlainNode, shares: Numbers) -> None:
        """Compare two questions; if they are the same, compare their gains and go on with the children."""
        here = shares > 0
        order = _match(outcomes(ours, self.values)[here], outcomes(theirs, self.values)[here])
        if ours.column != theirs.column or order is None or len(ours.children) != len(theirs.children):
            self._judge_questions(number, ours, theirs, shares)
            return
        if abs(ours.threshold - theirs.threshold) > SLACK:  # never for levels: not a number
            self.differences.append(
                f"node {number}: {ours.column} is cut at {ours.threshold!r} here, {theirs.threshold!r} there"
            )
        self._compare_gains(number, ours, theirs, shares)
        children = ours.children if order == 1 else ours.children[::-1]
        for child, their_child, part in zip(
            children, theirs.children, pass_on(theirs, self.values, shares), strict=True
        ):
            self._compare(child, their_child, part)

    def _score(self, node: PlainNode, shares: Numbers, rules: Rules) -> Score:
        return score(node, self.values, self.y, shares, self.oracle.min_weight, rules)

    def _compare_gains(self, number: int, ours: PlainNode, theirs: PlainNode, shares: Numbers) -> None:
        """Compare gain and ratio of the same question; more cuts to choose from cost more."""
        by_ours, by_weka = self._score(ours, shares, OURS), self._score(theirs, shares, WEKA)
        if by_ours.n_cuts == by_weka.n_cuts:
            self.check(number, "gain", ours.gain, theirs.gain, 1.0)
            self.check(number, "gain ratio", ours.ratio, theirs.ratio, 1.0)
            return
        self.ties.append(number)
        self.check(number, "gain with all cuts", ours.gain, by_ours.gain, 1.0)
        self.check(number, "gain ratio with all cuts", ours.ratio, by_ours.ratio, 1.0)
        self.check(number, "gain without close values", by_weka.gain, theirs.gain, 1.0)
        self.check(number, "gain ratio without close values", by_weka.ratio, theirs.ratio, 1.0)

    def _judge_questions(self, number: int, ours: PlainNode, theirs: PlainNode, shares: Numbers) -> None:
        """Decide whether each question is at least as good as the other one by the rules of who asked it."""
        self.apart.append(theirs)
        ours_here, theirs_here = self._score(ours, shares, OURS), self._score(theirs, shares, OURS)
        ours_there, theirs_there = self._score(ours, shares, WEKA), self._score(theirs, shares, WEKA)
        unknown_there = lies_between_close_values(ours, self.values, shares)
        # Of one column the cut of largest gain is taken; between columns the ratio decides.
        if ours.column == theirs.column and ours.child_of is None:
            fair_here = ours_here.gain >= theirs_here.gain - SLACK
            fair_there = unknown_there or theirs_there.gain >= ours_there.gain - SLACK
        else:
            fair_here = ours_here.ratio >= theirs_here.ratio - SLACK
            fair_there = unknown_there or theirs_there.ratio >= ours_there.ratio - SLACK
        true_here = agree(ours.gain, ours_here.gain, 1.0) and agree(ours.ratio, ours_here.ratio, 1.0)
        if fair_here and fair_there and true_here:
            self.ties.append(number)
            return
        self.differences.append(
            f"node {number}: we ask {_text(ours)} (by our rules {ours_here}, by Weka's {ours_there}), "
            f"J48 asks {_text(theirs)} (by our rules {theirs_here}, by Weka's {theirs_there})"
        )

    def _judge_leaf(self, number: int, ours: PlainNode, theirs: PlainNode, shares: Numbers) -> None:
        """Decide whether one may ask where the other one stops."""
        self.apart.append(theirs)
        asker, rules = (theirs, OURS) if ours.is_leaf else (ours, WEKA)  # the rules of the one who stops
        excused = self._score(asker, shares, rules).ratio <= SLACK or is_near_minimum(
            asker, self.values, self.y, shares, self.oracle.min_weight
        )
        if not ours.is_leaf:
            # J48 may have collapsed another subtree here, which it grew after a tie, or lacks this cut.
            tied = any(abs(rival - below.ratio) <= SLACK for below in ours.walk() for rival in below.rivals)
            excused = excused or tied or lies_between_close_values(ours, self.values, shares)
        if excused:
            self.ties.append(number)
            return
        who = "a leaf here, J48 asks" if ours.is_leaf else "a leaf there, we ask"
        self.differences.append(f"node {number}: {who} {_text(asker)}")

    def _look_below_collapsed(
        self, number: int, grown: PlainNode, theirs: PlainNode, shares: Numbers
    ) -> None:
        """Find out why only we collapse a subtree: after a tie below it may make other errors than J48's."""
        n_found = len(self.ties) + len(self.differences)
        children = tuple(collapse(child) for child in grown.children)
        self._compare_questions(number, replace(grown, children=children), theirs, shares)
        self.apart.append(theirs)
        if len(self.ties) + len(self.differences) == n_found:
            self.differences.append(
                f"node {number}: collapsed here, but not there, and no tie below explains it "
                f"({grown.leaf_errors!r} errors in the leaves, {grown.errors!r} in the node)"
            )

    def compare_predictions(self) -> J48Comparison:
        """Compare the class probabilities of all rows that do not come through nodes which are apart."""
        pairs = (
            ("the training table", self.oracle.training, self.oracle.training_distributions),
            ("the other table", self.oracle.other, self.oracle.other_distributions),
        )
        for where, table, theirs in pairs:
            ours, _ = distributions(self.ours, table.values, len(self.y))
            self._compare_rows(f"routed row of {where}", ours, theirs, self.comparable(table))
        return self

    def comparable(self, table: Table) -> npt.NDArray[np.bool_]:
        """Return which rows come only through nodes that both trees have."""
        return ~distributions(self.oracle.tree, table.values, len(self.y), self.apart)[1]

    def _compare_rows(self, what: str, ours: Numbers, theirs: Numbers, which: npt.NDArray[np.bool_]) -> None:
        off = np.abs(ours - theirs).max(axis=1) > 1e-9
        wrong = np.flatnonzero(off & which)
        if wrong.size:
            first = int(wrong[0])
            self.differences.append(
                f"{what}: {wrong.size} of {which.sum()} differ, first row {first}: "
                f"{ours[first].tolist()} here, {theirs[first].tolist()} there"
            )


def _match(ours: npt.NDArray[np.int64], theirs: npt.NDArray[np.int64]) -> int | None:
    """Return 1 if both send the rows to the same children, -1 if to swapped ones; None if apart."""
    if bool((ours == theirs).all()):
        return 1
    # Of two children, 0 becomes 1 and 1 becomes 0; a missing value stays missing.
    swapped = np.where(ours < 0, ours, 1 - ours)
    return -1 if bool((swapped == theirs).all()) else None


def _text(node: PlainNode) -> str:
    if node.child_of is None:
        return f"{node.column} <= {node.threshold!r}"
    if node.other < 0:
        return f"{node.column}, all levels"
    return f"{node.column} in {sorted(level for level, child in node.child_of.items() if child == 0)}"
