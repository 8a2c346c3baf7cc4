"""One of our pruned trees next to one of rpart's: the same nodes, the same questions, the same risks.

Nodes are apart if their rows go on differently in the two trees, for a reason that is judged elsewhere: a
tie, or rows that miss the value asked for (surrogate_comparison.py). Whether a tree should have been pruned
so is not asked here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .comparison import Comparison
from .plain_pruning import RiskNode
from .plain_subsets import is_untried_by_rpart
from .pruning_models import as_plain_nodes, as_risks, factors
from .pruning_oracle import PruningOracle
from .surrogate_oracle import NOWHERE, Children, PlainNode
from .test_rpart import ClassWeights

__all__ = ["PrunedComparison", "risks_of"]

Numbers = npt.NDArray[np.float64]


def risks_of(tree: Any, oracle: PruningOracle) -> RiskNode:
    """Return one of our trees, grown from all rows, as pruning sees it."""
    weights = factors(oracle.grown) if oracle.grown.oracle.is_classification else np.empty(0)
    return as_risks(tree, oracle.grown, weights)


@dataclass
class PrunedComparison:
    """What was found on the way down. `numbers` leads from the ids of our nodes to rpart's numbers.

    `asking` are the ids of our nodes that ask; the others count as leaves, whatever is below them.
    """

    oracle: PruningOracle
    tree: Any
    asking: Collection[int]
    numbers: dict[int, int] = field(default_factory=dict)
    apart: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        known, w = self.oracle.grown.oracle, self.oracle.grown.case_weights
        self.classes = ClassWeights(known, w) if known.is_classification else None
        self.w = w if self.classes is None else self.classes.split_weights
        self.found = Comparison(self.tree.criterion, known.target, self.w)
        self.ours = as_plain_nodes(self.tree, self.oracle.grown).nodes
        self.risks = {node.number: node for node in risks_of(self.tree, self.oracle).walk()}
        self.ids = {node.number: node.id for node in self.tree.walk()}

    def walk(self) -> PrunedComparison:
        """Compare from the root down, as long as both hold the same rows."""
        open_pairs = [(1, 0)]
        while open_pairs:
            number, our_number = open_pairs.pop()
            self.found.n_nodes += 1
            self.numbers[self.ids[our_number]] = number
            self._compare_numbers(number, our_number)
            theirs, asks = self.oracle.grown.nodes[number], self.ids[our_number] in self.asking
            if asks != (theirs.split is not None):
                self._compare_asking(number, self.ours[our_number], asks=asks)
            elif asks:
                open_pairs += self._compare_splits(number, self.ours[our_number], theirs)
        return self

    @property
    def is_complete(self) -> bool:
        """Whether every node of rpart's was compared."""
        return len(self.numbers) == len(self.oracle.grown.nodes)

    def _compare_asking(self, number: int, ours: PlainNode, *, asks: bool) -> None:
        """Note that one of the two asks and the other does not: ours may have a subset that rpart misses."""
        if asks and ours.split and is_untried_by_rpart(self.oracle.grown, number, ours.split.cut, self.w):
            self.found.explained.append(f"node {number}: a better subset of {ours.split.cut.column}")
            self.apart.append(number)
            return
        who = "here" if asks else "there"
        self.found.differences.append(f"node {number}: something is asked {who} only")

    def _compare_numbers(self, number: int, our_number: int) -> None:
        theirs, ours = self.oracle.grown.nodes[number], self.ours[our_number]
        risk, root = self.risks[our_number], self.oracle.grown.nodes[1]
        spread = np.sqrt(root.deviance / root.weight)
        self.found.check(number, "number of rows", ours.n_rows, theirs.n_rows)
        self.found.check(number, "weight", ours.weight, theirs.weight)
        scale = spread if self.classes is None else root.weight
        for k, (a, b) in enumerate(zip(ours.classes, theirs.classes, strict=True)):
            self.found.check(number, f"weight of class {k}, or the number", a, b, scale)
        self.found.check(number, "deviance", risk.risk, theirs.deviance, root.deviance)
        if self.classes is not None:
            # Where two classes cost the same, the last digit decides; else the labels are the same.
            weights = np.array(ours.classes) * factors(self.oracle.grown)
            costs, label = weights @ self.classes.loss, int(self.oracle.grown.oracle.node(number).value)
            self.found.check(number, "cost of the label", risk.risk, costs[label], root.weight)

    def _improve(self, number: int, gain: float, column: str | None = None) -> float:
        """Return one of our gains as rpart counts it: divided by the cost of the column."""
        gain /= self.oracle.grown.oracle.costs.get(column or "", 1.0)
        weight = float(self.w[self.oracle.grown.rows_at[number]].sum())
        if self.classes is None:
            return gain * weight / self.oracle.grown.nodes[number].deviance
        return gain * weight * (np.log(2.0) if self.found.criterion == "entropy" else 1.0)

    def _compare_splits(self, number: int, ours: PlainNode, theirs: PlainNode) -> list[tuple[int, int]]:
        """Compare the questions, and return the children to go on with: those that hold the same rows."""
        assert ours.split is not None
        assert theirs.split is not None
        grown, rows = self.oracle.grown, self.oracle.grown.rows_at[number]
        scale = self._improve(number, self.found.total(rows) / float(self.w[rows].sum()))
        improve = self._improve(number, ours.split.worth, ours.split.cut.column)
        if improve > theirs.split.worth and is_untried_by_rpart(grown, number, ours.split.cut, self.w):
            self.found.explained.append(f"node {number}: a better subset of {ours.split.cut.column}")
        else:
            what = "improve of the two questions"
            self.found.check(number, what, improve, theirs.split.worth, scale)
        cuts = (ours.split.cut, theirs.split.cut)
        asked = [cut.children(grown.values[cut.column][rows]) for cut in cuts]
        known = (asked[0] != NOWHERE) & (asked[1] != NOWHERE)
        turned = _turned(asked[0][known], asked[1][known])
        if ours.split.cut.column != theirs.split.cut.column or turned is None:
            self.found.ties.append(number)
        elif theirs.split.cut.sides is None:
            threshold = ours.split.cut.threshold
            self.found.check(
                number, "threshold", threshold, theirs.split.cut.threshold, _range(grown, theirs)
            )
        sent = ours.send(grown.values, rows, by_surrogates=grown.sends_by_surrogates)
        below = [grown.rows_at[child] for child in theirs.children]
        for children in (ours.children, ours.children[::-1]):
            order = [ours.children.index(child) for child in children]
            if all(np.array_equal(rows[sent == c], b) for c, b in zip(order, below, strict=True)):
                return list(zip(theirs.children, children, strict=True))
        self.apart.append(number)
        return []


def _turned(ours: Children, theirs: Children) -> bool | None:
    """Return whether two questions send rows to opposite children; None if neither that nor to the same."""
    if bool((ours == theirs).all()):
        return False
    return True if bool((ours == 1 - theirs).all()) else None


def _range(grown: Any, node: PlainNode) -> float:
    assert node.split is not None
    values = grown.values[node.split.cut.column]
    return float(np.nanmax(values) - np.nanmin(values))
