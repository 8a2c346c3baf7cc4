"""Random nodes of large trees, of all sizes, against brute force over all that could be asked there.

A summary is a row of numbers that adds up; a way is one division of a node's rows that a column offers, known
by its position. Small tables are compared with exact fractions elsewhere; here are trees of many thousand
rows, so that whatever the engine does to search nodes faster is met deep inside a tree too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from support.tables import categorical
from support.trees import estimator, threshold_of

from arboretum import Node, Tree
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum._tree.questions import Levels, Missing, Threshold

Numbers = npt.NDArray[np.float64]
Whole = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

LEVELS = "abcde"
# In each of the cases below; 500 in all at least.
FEWEST = 80
N_NODES = [FEWEST, pytest.param(250, marks=pytest.mark.deep)]


@dataclass(frozen=True)
class Case:
    """How a tree is grown, and the largest of its nodes that brute force can search."""

    criterion: str
    n_rows: int = 60_000
    n_classes: int = 2
    weighted: bool = False
    largest: int = 60_000
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def min_leaf(self) -> int:
        return int(self.options.get("min_samples_leaf", 1))

    @property
    def most_levels(self) -> int:
        """How many levels the smaller side of a question about levels may name."""
        return 1 if self.options.get("nominal") == "one_vs_rest" else len(LEVELS)


CASES = [
    pytest.param(Case("gini"), id="gini"),
    pytest.param(Case("gini", n_classes=4, weighted=True), id="gini, 4 classes, weights"),
    pytest.param(Case("entropy", n_classes=3), id="entropy, 3 classes"),
    pytest.param(Case("entropy", weighted=True), id="entropy, weights"),
    pytest.param(Case("squared_error"), id="squared error"),
    pytest.param(Case("squared_error", weighted=True), id="squared error, weights"),
    pytest.param(Case("gini", options={"min_samples_leaf": 20}), id="gini, large leaves"),
    pytest.param(
        Case("gini", options={"min_samples_leaf": 20, "nominal": "one_vs_rest"}), id="gini, single levels"
    ),
    pytest.param(Case("absolute_error", n_rows=6000, largest=800), id="absolute error"),
    pytest.param(
        Case("absolute_error", n_rows=6000, largest=800, weighted=True), id="absolute error, weights"
    ),
]


def make_table(case: Case, seed: int) -> tuple[pd.DataFrame, npt.NDArray[Any], Numbers]:
    """Distinct and spiky floats, integers near and far, a few levels; some missing; a noisy target."""
    rng, n = np.random.default_rng(seed), case.n_rows
    distinct = rng.standard_cauchy(n)
    distinct[:3] = [np.inf, -np.inf, -0.0]
    spiky = np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n).round(2)).astype(np.float32)
    spiky[rng.random(n) < 0.04] = np.nan
    X = pd.DataFrame(
        {
            "distinct": distinct,
            "spiky": spiky,
            "near": rng.integers(0, 30, n),
            "far": rng.integers(-(2**40), 2**40, n),
            "gappy": np.where(rng.random(n) < 0.1, np.nan, rng.random(n)),
            "colour": categorical(rng.integers(-1, len(LEVELS), n), LEVELS),
        }
    )
    known = np.nan_to_num(spiky) + np.where(X["gappy"].isna(), 0.8, np.sin(6 * X["gappy"]))
    colour = np.array([0.0, 1.0, -1.0, 0.5, 0.0, -0.5])[X["colour"].cat.codes]
    noisy = np.arctan(distinct) + known + colour + X["near"] / 30 + rng.normal(size=n)
    if case.criterion in CLASS_CRITERIA:
        y = np.digitize(noisy, np.quantile(noisy, np.arange(1, case.n_classes) / case.n_classes))
    else:
        y = np.asarray(noisy.round(2))
    return X, y, rng.random(n) + 0.25 if case.weighted else np.ones(n)


def summarise(case: Case, y: npt.NDArray[Any], weights: Numbers) -> Numbers:
    """One row of numbers for each row of the node, the weight first, so that sums tell the spread."""
    if case.criterion in CLASS_CRITERIA:
        parts = np.eye(case.n_classes)[y]
    elif case.criterion == "squared_error":
        parts = (y - y.mean())[:, None]
    else:
        # The distance to each target: one of them is a median of any part, with the least sum of all.
        parts = np.abs(y[:, None] - np.unique(y))
    return np.column_stack([weights, weights[:, None] * parts])


def entropy_sum(weight: Numbers, parts: Numbers) -> Numbers:
    """The weight times the entropy in bits."""
    logarithm = np.log2(np.where(parts > 0, parts, 1.0) / weight[..., None])
    return np.asarray(-(parts * logarithm).sum(axis=-1))


SPREADS: dict[str, Callable[[Numbers, Numbers], Numbers]] = {
    "gini": lambda weight, parts: weight - (parts**2).sum(axis=-1) / weight,
    "entropy": entropy_sum,
    "squared_error": lambda weight, parts: -(parts[..., 0] ** 2) / weight,
    "absolute_error": lambda weight, parts: parts.min(axis=-1),
}


def spread(criterion: str, summary: Numbers) -> Numbers:
    """Weight times impurity, up to a constant that cancels in gains."""
    # What subtraction leaves of an absent class may be a little below nothing.
    parts = summary[..., 1:] if criterion == "squared_error" else np.maximum(summary[..., 1:], 0.0)
    return SPREADS[criterion](summary[..., 0], parts)


@dataclass(frozen=True)
class Column:
    """A column of one node: numbers where NaN is missing, or positions of levels where -1 is missing."""

    values: Numbers
    nominal: bool

    @property
    def gone(self) -> Mask:
        return np.asarray(self.values < 0) if self.nominal else np.isnan(self.values)

    @property
    def present(self) -> Numbers:
        """The different values, in order."""
        return np.unique(self.values[~self.gone])

    def n_ways(self, most: int) -> int:
        """The number of ways to divide the rows that are not missing."""
        n = len(self.present)
        return len(subsets(n, most)) if self.nominal else max(n - 1, 0)


@cache
def subsets(n_levels: int, most: int) -> Mask:
    """Which levels lie left, for each way to divide them; the smaller side has at most so many.

    A subset and the rest are the same division: the one with the first level stands for both.
    """
    with_first = np.arange(1, 2**n_levels - 1, 2)
    masks = (with_first[:, None] >> np.arange(n_levels)) % 2 == 1
    n_left = masks.sum(axis=1)
    return np.asarray(masks[np.minimum(n_left, n_levels - n_left) <= most])


def lefts(column: Column, summary: Numbers, most: int) -> tuple[Numbers, Whole]:
    """The summary and the number of rows left, for each way: missing ones right, then left, then alone."""
    gone, counted = column.gone, np.column_stack([np.ones(len(summary)), summary])
    values, known = column.values[~gone], counted[~gone]
    if column.nominal:
        by_level = np.array([known[values == level].sum(axis=0) for level in column.present])
        left = subsets(len(by_level), most).astype(float) @ by_level.reshape(-1, counted.shape[1])
    else:
        order = np.argsort(values, kind="stable")
        left = np.cumsum(known[order], axis=0)[np.flatnonzero(values[order][1:] > values[order][:-1])]
    if gone.any() and not gone.all():
        apart = counted[gone].sum(axis=0)
        left = np.vstack([left, left + apart, apart[None]])
    return left[:, 1:], left[:, 0].round().astype(np.intp)


def gains_of(case: Case, column: Column, summary: Numbers) -> Numbers:
    """The gain of each way; those with too small a side are worth nothing at all."""
    left, n_left = lefts(column, summary, case.most_levels)
    total = summary.sum(axis=0)
    gains = np.full(len(left), -np.inf)
    allowed = np.minimum(n_left, len(summary) - n_left) >= case.min_leaf
    after = spread(case.criterion, left[allowed]) + spread(case.criterion, total - left[allowed])
    gains[allowed] = (spread(case.criterion, total) - after) / total[0]
    return gains


def way_of(node: Node, column: Column, most: int) -> int:
    """The position of the way that a node's question is, in the order of `lefts`."""
    question, present, n_ways = node.question, column.present, column.n_ways(most)
    assert question is not None
    if isinstance(question, Missing):
        return 2 * n_ways
    missing_left = bool(column.gone.any()) and question.missing_child == 0
    if isinstance(question, Threshold):
        way = int(np.searchsorted(present, float(threshold_of(question)), side="right")) - 1
        assert 0 <= way < n_ways
    else:
        assert isinstance(question, Levels)
        left = np.isin(present, left_levels(question))
        if not left[0]:
            left, missing_left = ~left, bool(column.gone.any()) and not missing_left
        (way,) = map(int, np.flatnonzero((subsets(len(present), most) == left).all(axis=1)))
    return way + n_ways * missing_left


def left_levels(question: Levels) -> list[int]:
    """The positions of the levels that answer yes."""
    return [LEVELS.index(str(level)) for level in question.levels[0]]


def goes_left(node: Node, column: Column) -> Mask:
    """Which rows answer yes, by the words of the question."""
    question = node.question
    assert question is not None
    if isinstance(question, Missing):
        return column.gone
    if isinstance(question, Threshold):
        yes = column.values <= float(threshold_of(question))
    else:
        assert isinstance(question, Levels)
        yes = np.isin(column.values, left_levels(question))
    return np.where(column.gone, question.missing_child == 0, yes)


class Nodes:
    """The rows of a tree's nodes, found by asking the questions on the way from the top, each once."""

    def __init__(self, tree: Tree, X: pd.DataFrame) -> None:
        self.tree = tree
        self.nominal = {name for name in X.columns if X[name].dtype == "category"}
        self.columns: dict[str, Numbers] = {
            name: np.asarray(X[name].cat.codes if name in self.nominal else X[name], dtype=np.float64)
            for name in X.columns
        }
        self.rows: dict[int, Whole] = {0: np.arange(len(X))}

    def column(self, name: str, rows: Whole) -> Column:
        """A column of some rows."""
        return Column(self.columns[name][rows], name in self.nominal)

    def rows_of(self, node: Node) -> Whole:
        """The rows of a node."""
        if node.number not in self.rows:
            parent = node.parent
            assert parent is not None
            assert parent.question is not None
            above = self.rows_of(parent)
            left = goes_left(parent, self.column(parent.question.column, above))
            parts = (above[left], above[~left])
            self.rows |= {child.number: rows for child, rows in zip(parent.children, parts, strict=True)}
        return self.rows[node.number]


def pick_nodes(case: Case, tree: Tree, seed: int, n_nodes: int) -> list[Node]:
    """Inner nodes at random, as many of each order of magnitude as there are, up to a fair share."""
    rng = np.random.default_rng(seed)
    n_rows = tree.array("n_rows")
    inner = np.flatnonzero((tree.array("n_children") > 0) & (n_rows <= case.largest))
    magnitude = np.log2(n_rows[inner]).astype(int)
    # A place in the queue of the own magnitude, drawn by lot; then the first places of all magnitudes.
    lots = rng.permutation(len(inner))
    place = np.empty(len(inner), dtype=int)
    for size in np.unique(magnitude):
        queue = lots[magnitude[lots] == size]
        place[queue] = np.arange(len(queue))
    return [tree.node(int(number)) for number in inner[np.argsort(place, kind="stable")[:n_nodes]]]


def check_node(case: Case, node: Node, gains: dict[str, Numbers], way: int) -> None:
    """The gain is the largest of all; the question is the one that has it, or is tied with it."""
    assert node.question is not None
    best = max(float(found.max(initial=-np.inf)) for found in gains.values())
    rounding = 1e-12 * node.impurity
    assert node.gain == pytest.approx(best, rel=1e-9, abs=rounding)
    tied = {
        (name, int(position))
        for name, found in gains.items()
        for position in np.flatnonzero(found >= best - rounding)
    }
    assert (node.question.column, way) in tied


def test_there_are_enough_nodes() -> None:
    """The cases below look at 500 nodes at least."""
    assert FEWEST * len(CASES) >= 500


@pytest.mark.parametrize("n_nodes", N_NODES)
@pytest.mark.parametrize("case", CASES)
def test_random_nodes_ask_the_best_question(case: Case, n_nodes: int) -> None:
    """In a node of a large tree, no way to divide its rows gains more than the question that is asked."""
    seed = 20 + case.n_classes + case.weighted
    X, y, weights = make_table(case, seed)
    model = estimator(case.criterion, **case.options).fit(X, y, weights if case.weighted else None)
    nodes = Nodes(model.tree_, X)
    picked = pick_nodes(case, model.tree_, seed, n_nodes)
    assert len(picked) == n_nodes
    for node in picked:
        rows = nodes.rows_of(node)
        assert node.n_rows == len(rows)
        assert node.question is not None
        summary = summarise(case, y[rows], weights[rows])
        gains = {name: gains_of(case, nodes.column(name, rows), summary) for name in X.columns}
        asked = nodes.column(node.question.column, rows)
        check_node(case, node, gains, way_of(node, asked, case.most_levels))
