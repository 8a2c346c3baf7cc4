"""Parity with rpart: where rpart divides a node, our tree asks the same question and shows the same numbers.

"Improve" is rpart's name of the gain: a total over the rows for classes, a share of the deviance for numbers.
rpart cuts its trees back by cp: its tree is a top part of ours, and what we grow below it is free.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from support.marks import allow_one_leaf

from arboretum import Node, TreeClassifier, TreeRegressor
from arboretum._tree.questions import Levels, Question, Threshold

from .comparison import Comparison, goes_left, match_children
from .plain_subsets import is_beyond_the_order
from .rpart_oracle import Oracle, RpartSplit, read_oracle, usable_oracles

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
Pairs = list[tuple[int, Node, Rows]]

# Differences that are no ties, by the name of the result: in which node, and why. Nothing else may differ.
LISTED: Final[dict[str, tuple[int, str]]] = {}


class ClassWeights:
    """What rpart's priors and losses make of the weights, written down from its documentation."""

    def __init__(self, oracle: Oracle, w: Numbers) -> None:
        y, k = oracle.target, oracle.n_classes
        shares = np.bincount(y, weights=w, minlength=k) / w.sum()
        priors = shares if oracle.priors is None else oracle.priors
        self.loss = 1.0 - np.eye(k) if oracle.loss is None else oracle.loss
        altered = priors if oracle.loss is None else priors * oracle.loss.sum(axis=1)
        self.prior_weights = w * (priors / shares)[y]
        self.split_weights = w * (altered / altered.sum() / shares)[y]


class RpartComparison(Comparison):
    """One result of rpart next to our tree."""

    def __init__(self, oracle: Oracle, model: Any) -> None:
        self.oracle, self.root = oracle, model.tree_.root
        y = oracle.target
        self.case_weights = np.ones(len(y)) if oracle.weights is None else oracle.weights
        self.classes = ClassWeights(oracle, self.case_weights) if oracle.is_classification else None
        w = self.case_weights if self.classes is None else self.classes.split_weights
        super().__init__(model.tree_.criterion, y, w)

    def walk(self) -> RpartComparison:
        """Compare node for node from the root down."""
        open_pairs: Pairs = [(1, self.root, np.arange(len(self.y)))]
        while open_pairs:
            number, node, rows = open_pairs.pop()
            self.n_nodes += 1
            self._compare_numbers(number, node, rows)
            split = self.oracle.split(number)
            if split is not None:
                open_pairs += self._compare_splits(number, split, node, rows)
        return self

    def _counted(self, rows: Rows) -> Rows:
        return rows[self.case_weights[rows] > 0]

    def _compare_numbers(self, number: int, node: Node, rows: Rows) -> None:
        """Compare what the two say of a node. rpart counts rows of weight zero among its n, we do not."""
        theirs, root = self.oracle.node(number), self.oracle.node(1)
        self.check(number, "number of rows with zero weights", len(rows), theirs.n)
        self.check(number, "number of rows", node.n_rows, len(self._counted(rows)))
        self.check(number, "weight", node.weight, theirs.weight)
        if self.classes is not None:
            self._compare_classes(number, node, self._counted(rows), self.classes)
            return
        self.check(number, "deviance", node.weight * node.impurity, theirs.deviance, root.deviance)
        self.check(number, "value", node.label, theirs.value, np.sqrt(root.deviance / root.weight))

    def _compare_classes(self, number: int, node: Node, rows: Rows, classes: ClassWeights) -> None:
        theirs, whole = self.oracle.node(number), self.case_weights.sum()
        assert node.counts is not None
        assert node.probability is not None
        for k in range(self.oracle.n_classes):
            self.check(number, f"weight of class {k}", node.counts[k], theirs.class_weights[k], whole)
            self.check(number, f"probability of class {k}", node.probability[k], theirs.probability[k], 1.0)
        weights = np.bincount(self.y[rows], weights=classes.prior_weights[rows], minlength=len(classes.loss))
        costs = weights @ classes.loss
        self.check(number, "deviance: the cost of the label", costs[node.label], theirs.deviance, whole)
        # Where two classes cost the same, the last digit decides between them; else the labels are the same.
        self.check(number, "cost of the label", costs[node.label], costs[int(theirs.value)], whole)

    def _compare_splits(self, number: int, split: RpartSplit, node: Node, rows: Rows) -> Pairs:
        """Compare the questions, and return the children to go on with: those that hold the same rows."""
        values, counted = self.oracle.table.values, self._counted(rows)
        theirs = split.goes_left(values[split.column][counted])
        question = node.question
        if question is None:
            self.differences.append(f"node {number}: a leaf here, rpart asks about {split.column}")
            return []
        ours = goes_left(question, values[question.column][counted])
        order = match_children(ours, theirs)
        if order is None or question.column != split.column:
            costs = self.oracle.costs[question.column], self.oracle.costs[split.column]
            reason = self._better_subset(question, counted, ours)
            self.judge(number, counted, ours, theirs, costs=costs, reason=reason)
        else:
            if isinstance(question, Threshold):
                self.check(number, "threshold", float(question.threshold), split.threshold)
            self._compare_improve(number, split, node, counted)
        if order is None:
            return []
        all_left = split.goes_left(values[split.column][rows])
        left, right = order(node)
        return [(2 * number, left, rows[all_left]), (2 * number + 1, right, rows[~all_left])]

    def _better_subset(self, question: Question, rows: Rows, left: Mask) -> str | None:
        """Return why our question may be better than rpart's, if it is one that rpart does not try."""
        if not isinstance(question, Levels):
            return None
        beyond = is_beyond_the_order(
            self.oracle.table.values[question.column][rows],
            self.y[rows],
            self.w[rows],
            left,
            n_classes=self.oracle.n_classes,
            least=self.oracle.control["minbucket"],
        )
        return f"a better subset of {question.column}" if beyond else None

    def _compare_improve(self, number: int, split: RpartSplit, node: Node, rows: Rows) -> None:
        gain = node.gain / self.oracle.costs[split.column]  # rpart shows what is left after the division
        if self.classes is None:
            self.check(number, "improve", gain / node.impurity, split.improve, 1.0)
            return
        unit = np.log(2.0) if self.criterion == "entropy" else 1.0  # rpart counts in nats, we in bits
        self.check(number, "improve", gain * self.w[rows].sum() * unit, split.improve, self.total(rows))


def _categories(values: Numbers, levels: tuple[str, ...]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(values.astype(np.int64), pd.Index(levels))


def as_frame(oracle: Oracle) -> pd.DataFrame:
    """Return the columns as a data frame, nominal ones as categoricals with rpart's levels."""
    columns: dict[str, Any] = {}
    for name in oracle.columns:
        values, levels = oracle.table.values[name], oracle.table.levels.get(name)
        columns[name] = _categories(values, levels) if levels else values
    return pd.DataFrame(columns)


def grow_like(oracle: Oracle) -> Any:
    """Return our model, fitted with the options that rpart was given."""
    control = oracle.control
    limits: dict[str, Any] = {
        "prune": None,
        "levels": "raw",
        "max_depth": control["maxdepth"],
        "min_samples_leaf": control["minbucket"],
        # rpart counts rows of weight zero here; for us they are not there, so its number would stop us early.
        "min_samples_split": 2 if oracle.has_zero_weights else control["minsplit"],
        "column_costs": oracle.costs,
    }
    model: Any = TreeRegressor(leaf="mean", **limits)
    if oracle.is_classification:
        criterion = "entropy" if oracle.uses_entropy else "gini"
        limits |= {"criterion": criterion, "leaf": "frequency"}
        model = TreeClassifier(priors=oracle.priors, loss=oracle.loss, **limits)
    return model.fit(as_frame(oracle), oracle.target, oracle.weights)


def test_there_are_results_to_compare_with() -> None:
    """A folder that is not found would leave nothing to compare, and nothing would fail."""
    assert len(usable_oracles()) > 100


@allow_one_leaf
@pytest.mark.parametrize("name", usable_oracles())
def test_the_tree_of_rpart_is_a_top_part_of_ours(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    """Column, threshold or levels, improve, n, weight, deviance, probabilities and label, node for node."""
    oracle = read_oracle(name)
    found = RpartComparison(oracle, grow_like(oracle)).walk()
    found.record("rpart", record_property, listed=name in LISTED)
    if name in LISTED:
        assert found.differences, f"{name} is listed as different, but it agrees now"
        found.differences = [text for text in found.differences if f"node {LISTED[name][0]}:" not in text]
    assert not found.differences, "\n".join(found.differences)


@pytest.mark.parametrize(
    ("part", "field", "change"),
    [
        ("splits", "index", 1e-6),
        ("splits", "improve", 1e-8),
        ("frame", "dev", 1e-8),
        ("frame", "wt", 1e-8),
        ("frame", "n", 0.01),
    ],
)
@pytest.mark.parametrize("name", ["iris__main__full", "cpu_vendor__main__full"])
def test_a_small_change_in_a_result_is_found(name: str, part: str, field: str, change: float) -> None:
    """The comparison can fail: each number of rpart's root is changed a little, and that is noticed."""
    oracle = read_oracle(name)
    stored = copy.deepcopy(oracle.stored)
    stored[part][field][0] *= 1 + change
    found = RpartComparison(Oracle(name, stored, oracle.table), grow_like(oracle)).walk()
    assert any("node 1:" in text for text in found.differences)


def test_only_a_subset_that_rpart_does_not_try_may_be_better() -> None:
    """A cut of the order of the means, a subset that is too small, or three classes explain nothing."""
    levels, w = np.array([0.0, 0.0, 1.0, 2.0, 2.0]), np.ones(5)
    y, n_classes = np.array([0, 0, 1, 1, 0]), 2
    alone, first = levels == 2, levels == 0
    assert is_beyond_the_order(levels, y, w, alone, n_classes=n_classes, least=2)
    assert not is_beyond_the_order(levels, y, w, first, n_classes=n_classes, least=2)
    assert not is_beyond_the_order(levels, y, w, alone, n_classes=n_classes, least=3)
    assert not is_beyond_the_order(levels, y, w, alone, n_classes=3, least=2)
