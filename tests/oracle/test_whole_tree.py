"""The engine's whole tree is the tree of the plain-Python twin, node by node.

The twin is the tree grown by brute force; where two questions are tied the twin follows the engine's.
Predictions are checked by asking the questions of each row by hand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.sweeps import few
from support.tables import CRITERIA, Table, tables
from support.trees import WAYS, divide, fit, growing, rows_of_nodes

from arboretum import Node
from arboretum._options.criteria import CLASS_CRITERIA
from arboretum.reference import Branch, Leaf, candidate_splits, grow

pytestmark = allow_one_leaf  # random tables may have nothing to ask about


class Comparison:
    """Both trees of one table under the same rules, walked together."""

    def __init__(self, table: Table, criterion: str, model: Any, rules: dict[str, Any]) -> None:
        self.table, self.criterion, self.model, self.rules = table, criterion, model, rules
        self.weights = table.weights or (1.0,) * table.n_rows
        self.scale = max(1e-300, model.tree_.root.impurity)

    def run(self) -> None:
        rows = self.table.counted
        self.compare(self.model.tree_.root, self.regrow(rows, depth=0), rows)

    def regrow(self, rows: list[int], depth: int) -> Leaf | Branch:
        """The twin's tree for these rows, as it would be below `depth` questions."""
        share = sum(self.weights[row] for row in rows) / sum(self.weights)
        rules = self.rules | {"min_impurity_decrease": self.rules["min_impurity_decrease"] / share}
        if rules["max_depth"] is not None:
            rules["max_depth"] -= depth
        part = self.table.take(rows)
        return grow(
            part.columns,
            part.twin_kinds,
            part.targets,
            weights=part.weights,
            criterion=self.criterion,
            **rules,
        )

    def close(self, value: float) -> Any:
        return pytest.approx(value, rel=1e-9, abs=1e-12 * self.scale)

    def compare(self, node: Node, twin: Leaf | Branch, rows: list[int]) -> None:
        self.compare_numbers(node, twin, rows)
        if node.is_leaf or isinstance(twin, Leaf):
            assert (node.is_leaf and isinstance(twin, Leaf)) or self.barely_worth_it(node, twin)
            return
        assert node.gain == self.close(twin.gain)
        ours = divide(self.table, node, rows)
        twins = self.divide_by(twin, rows)
        if ours in (twins, twins[::-1]):
            children = twin.children if ours == twins else twin.children[::-1]
        else:
            assert self.gain_of(ours, rows) == self.close(twin.gain), (
                "the engine's question is not one of the best"
            )
            children = tuple(self.regrow(part, node.depth + 1) for part in ours)
        for child, below, part in zip(node.children, children, ours, strict=True):
            self.compare(child, below, part)

    def compare_numbers(self, node: Node, twin: Leaf | Branch, rows: list[int]) -> None:
        assert node.n_rows == twin.n_rows == len(rows)
        assert node.weight == pytest.approx(twin.weight, rel=1e-12)
        assert node.impurity == self.close(twin.impurity)
        if self.criterion in CLASS_CRITERIA:
            classes = list(node.tree.target.classes or ())
            counts = [sum(self.weights[r] for r in rows if self.table.targets[r] == name) for name in classes]
            assert node.counts is not None
            assert node.counts.tolist() == pytest.approx(counts, rel=1e-12)
            # The label may only differ where rounded weights tie.
            assert node.label == twin.label or (
                not self.table.exact
                and counts[classes.index(node.label)] == pytest.approx(max(counts), rel=1e-9)
            )
        else:
            assert node.value == pytest.approx(
                twin.label, rel=1e-9, abs=1e-12 * max(map(abs, self.table.targets))
            )

    def divide_by(self, twin: Branch, rows: list[int]) -> tuple[list[int], list[int]]:
        parts: tuple[list[int], list[int]] = ([], [])
        for row in rows:
            parts[twin.question.child(self.table.columns[twin.question.column][row])].append(row)
        return parts

    def gain_of(self, parts: tuple[list[int], list[int]], rows: list[int]) -> float:
        """The exact gain of a division, looked up among all questions that the twin would try."""
        splits = candidate_splits(
            self.table.columns,
            self.table.twin_kinds,
            self.table.targets,
            rows=rows,
            weights=self.table.weights,
            criterion=self.criterion,
            nominal=self.rules["nominal"],
            min_samples_leaf=self.rules["min_samples_leaf"],
        )
        return next(float(s.gain) for s in splits if tuple(s.children) in (parts, parts[::-1]))

    def barely_worth_it(self, node: Node, twin: Leaf | Branch) -> bool:
        """Whether one of the two trees stops because rounding decided about min_impurity_decrease."""
        gain = twin.gain if isinstance(twin, Branch) else node.gain
        least = self.rules["min_impurity_decrease"]
        decrease = gain * node.weight / node.tree.root.weight
        return bool(least > 0 and decrease == pytest.approx(least, rel=1e-9))


def draw_rules(data: st.DataObject) -> dict[str, Any]:
    """Stopping rules."""
    return {
        "nominal": data.draw(st.sampled_from(["subset", "one_vs_rest"]), label="nominal"),
        "thresholds": data.draw(st.sampled_from(["midpoint", "observed"]), label="thresholds"),
        "max_depth": data.draw(st.sampled_from([None, None, 1, 2, 3]), label="max_depth"),
        "min_samples_split": data.draw(st.sampled_from([2, 2, 4, 7]), label="min_samples_split"),
        "min_samples_leaf": data.draw(st.sampled_from([1, 1, 2, 4]), label="min_samples_leaf"),
        "min_impurity_decrease": data.draw(
            st.sampled_from([0.0, 0.0, 0.01, 0.1]), label="min_impurity_decrease"
        ),
    }


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=few(0.75))
@given(data=st.data())
def test_tree_is_the_twins_tree(criterion: str, data: st.DataObject) -> None:
    """Same questions (or tied ones), rows, weights, impurities, gains and labels; same stopping rules."""
    table = data.draw(tables(criterion, max_rows=16, max_columns=3, max_levels=4), label="table")
    rules = draw_rules(data)
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        model = fit(table, criterion, **rules)
    Comparison(table, criterion, model, rules).run()


@pytest.mark.parametrize("criterion", CRITERIA)
@settings(max_examples=few(0.5))
@given(data=st.data())
def test_tree_of_levels_is_the_twins_tree(criterion: str, data: st.DataObject) -> None:
    """The best subset of levels is found in every node, also where classes or levels have no rows left."""
    kinds = ["nominal", "nominal", "boolean", "float"]
    table = data.draw(tables(criterion, min_rows=12, max_rows=20, max_columns=2, kinds=kinds), label="table")
    rules: dict[str, Any] = {"nominal": "subset", "thresholds": "midpoint", "max_depth": None}
    rules |= {"min_samples_split": 2, "min_impurity_decrease": 0.0}
    rules["min_samples_leaf"] = data.draw(st.sampled_from([1, 1, 2, 3]), label="min_samples_leaf")
    with growing(data.draw(st.sampled_from(WAYS), label="way")):
        model = fit(table, criterion, **rules)
    Comparison(table, criterion, model, rules).run()


@pytest.mark.parametrize("criterion", CRITERIA)
@given(data=st.data())
def test_training_rows_go_where_the_questions_say(criterion: str, data: st.DataObject) -> None:
    """Every training row comes to the leaf that its answers lead to; node sizes are what they say."""
    table = data.draw(tables(criterion), label="table")
    thresholds = data.draw(st.sampled_from(["midpoint", "observed"]), label="thresholds")
    max_bins = data.draw(st.sampled_from([None, 2, 3]), label="max_bins")
    model = fit(table, criterion, thresholds=thresholds, max_bins=max_bins)
    rows = rows_of_nodes(table, model.tree_)
    for node in model.tree_.walk():
        assert node.n_rows == len(rows[node.number])
    found = model.apply(table.frame())
    for leaf in model.tree_.leaves():
        assert {row for row in table.counted if found[row] == leaf.number} == set(rows[leaf.number])
    predicted = model.predict(table.frame())
    for leaf in model.tree_.leaves():
        assert all(predicted[row] == leaf.label for row in rows[leaf.number])
    path = np.asarray(model.decision_path(table.frame()).todense())
    for number, members in rows.items():
        assert set(np.flatnonzero(path[:, number])) & set(table.counted) == set(members)
