"""The candidates of every node of a grown tree, judged as the core judged them, and why each one lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data import Column, Dataset
from arboretum._grow.core_options import corrects_levels
from arboretum._grow.growth import Growth
from arboretum._grow.targets import average_weight
from arboretum._options.by_column import costs_by_name
from arboretum._options.criteria import impurity_of
from arboretum._options.settings import Settings
from arboretum._options.strategies import FilledLeaf, Lookahead
from arboretum._show.rows.node_rows import children_of, stopping_parts
from arboretum._tree.composites import Composite
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Numbers, RowNumbers
from arboretum.errors import ParameterError, import_pandas
from arboretum.inspection.candidates.ahead import answers, choosing, worth_of_all
from arboretum.inspection.candidates.asking import AskedColumn, Between, ask_about_column
from arboretum.inspection.candidates.listing import best_first
from arboretum.inspection.candidates.rules import Rules, unit_of
from arboretum.inspection.candidates.targets import ClassTarget, NumberTarget, Target
from arboretum.inspection.candidates.text import thresholds_between
from arboretum.reference.questions import round_between

if TYPE_CHECKING:
    import pandas as pd

SAME = 1e-9


@dataclass(frozen=True)
class NodeTable:
    """All questions of a node, best first; `chosen` is the place of the one that was asked, if listed."""

    frame: pd.DataFrame
    chosen: int | None
    refused: pd.DataFrame  # questions with a child that is too small


@dataclass(frozen=True, eq=False)
class NodeTables:
    """The rows of a growth in the nodes of its tree, and the rules that judged questions there."""

    tree: Tree
    growth: Growth
    rows: RowNumbers | None
    base: float
    times_n: bool

    @cached_property
    def data(self) -> Dataset:
        """The rows that the tree was grown from."""
        return self.growth.table if self.rows is None else self.growth.table.take(self.rows)

    @property
    def settings(self) -> Settings:
        return self.growth.settings

    @cached_property
    def _parts(self) -> list[tuple[Integers, Numbers]]:
        """The rows of each node, and the share of each there."""
        tree, everyone = self.tree, np.arange(self.data.n_rows)
        if tree.missing == "fractions":
            parts = stopping_parts(tree, self.data, everyone)
            node, row, share = parts.node, parts.row, parts.share
        else:
            node, row = tree._leaves_of(self.data).astype(np.int64), everyone
            share = np.ones(len(row))
        of_nodes = [(row[node == number], share[node == number]) for number in range(len(tree))]
        parent = tree.array("parent")
        for number in range(len(tree) - 1, 0, -1):
            above = int(parent[number])
            of_nodes[above] = _together(of_nodes[above], of_nodes[number])
        return of_nodes

    def rows_of(self, node: int) -> Integers:
        """Return the rows of a node."""
        return self._parts[node][0]

    @cached_property
    def _weights(self) -> Numbers:
        targets = self.growth.targets if self.rows is None else self.growth.targets.take(self.rows)
        weights = np.ones(targets.n_rows) if targets.weights is None else targets.weights
        return weights / average_weight(weights) if self.settings.counts_weight else weights

    @cached_property
    def _values(self) -> Array:
        targets = self.growth.targets if self.rows is None else self.growth.targets.take(self.rows)
        return np.asarray(targets.numbers if targets.classes is None else targets.classes)

    def target_of(self, node: int) -> Target:
        """Return the targets of the rows of a node."""
        rows, shares = self._parts[node]
        criterion = impurity_of(self.settings.criterion)
        weights = self._weights[rows] * shares
        if self.growth.rule is None:
            return NumberTarget(criterion, self._values[rows], weights)
        classes = np.unique(self._values[rows], return_inverse=True)[1]
        return ClassTarget(criterion, classes, weights, n_labels=self.growth.targets.n_classes)

    @cached_property
    def rules(self) -> Rules:
        """How the core judges questions."""
        settings = self.settings
        targets = self.growth.targets if self.rows is None else self.growth.targets.take(self.rows)
        options = self.growth._options(targets)
        limit = options.max_depth
        even = (
            average_weight(targets.weights) if settings.counts_weight and targets.weights is not None else 1
        )
        rules = Rules(
            settings.criterion,
            settings.ratio,
            settings.nominal,
            corrects_levels(settings),
            False,
            settings.missing,
            options.min_leaf_rows,
            unit=unit_of(self.base, settings.criterion),
            times_n=self.times_n,
            ahead=settings.search if isinstance(settings.search, Lookahead) else None,
            min_samples_split=options.min_split_rows,
            max_depth=float(limit),
            min_leaf_weight=options.min_leaf_weight / even,
        )
        root = self._ask(0, rules)
        return replace(rules, with_choice=choosing(root, rules))

    def _ask(self, node: int, rules: Rules) -> list[AskedColumn]:
        target, data = self.target_of(node), self.data.take(self.rows_of(node))
        return [ask_about_column(target, column, rules, self._between) for column in data.columns]

    @cached_property
    def _between(self) -> Between | None:
        """Where thresholds lie between neighbouring values, if not half-way."""
        known = {data.column.name: data for data in self.data.columns}

        def observed(column: Column, distinct: Array) -> Array:
            return distinct[:-1]

        def in_table(column: Column, distinct: Array) -> Array:
            middle, data = thresholds_between(column, distinct), known[column.name]
            values = np.unique(data.values[~data.is_missing()])
            return values[np.searchsorted(values, middle, side="right") - 1] if len(values) else middle

        def tidy(column: Column, distinct: Array) -> Array:
            if column.kind not in ("number", "integer"):
                return thresholds_between(column, distinct)
            values = distinct.tolist()
            found = [round_between(low, high) for low, high in pairwise(values)]
            return np.array(found, dtype=np.float64)

        ways = {"midpoint": None, "observed": observed, "table": in_table, "round": tidy}
        return ways[self.settings.thresholds]

    def table_of(self, node: int) -> NodeTable:
        """Return all questions of a node, best first."""
        pandas = import_pandas("trace()")
        target, data = self.target_of(node), self.data.take(self.rows_of(node))
        asked = self._ask(node, self.rules)
        worth = None
        if self.rules.ahead is not None:
            worth = worth_of_all(asked, data, target, self.rules, int(self.tree.array("depth")[node]))
        costs = costs_by_name(self.settings.column_costs, data.schema)
        frame = best_first(asked, self.rules, self.data.n_rows, costs, pandas, worth)
        chosen = self._chosen(node, asked, frame) if not self.tree.node(node).is_leaf else None
        return NodeTable(frame.reset_index(drop=True), chosen, self._refused(node, frame))

    def _refused(self, node: int, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the questions that the limits of children leave out."""
        if self.rules.min_samples_leaf <= 1 and self.rules.min_leaf_weight <= 0 and not self.rules.priced:
            return frame.iloc[:0]
        free = replace(self.rules, min_samples_leaf=1, min_leaf_weight=0.0, ahead=None)
        if self.rules.priced:
            free = replace(free, ratio=replace_price(free.ratio))
        asked = self._ask(node, free)
        everything = best_first(asked, free, self.data.n_rows, {}, import_pandas("trace()"))
        listed = set(zip(frame["question"], frame["missing"], strict=True))
        keys = zip(everything["question"], everything["missing"], strict=True)
        left_out = everything[np.array([key not in listed for key in keys], dtype=bool)]
        several = [sum(rows > 0 for rows in children) > 1 for children in left_out["children"]]
        return left_out[np.array(several, dtype=bool)].reset_index(drop=True)

    def _chosen(self, node: int, asked: list[AskedColumn], frame: pd.DataFrame) -> int | None:
        """Return the place of the question that sends the rows as the node does; None for composite ones."""
        question = self.tree.node(node).question
        assert question is not None
        if isinstance(question, Composite):
            return None
        rows = self.rows_of(node)
        child = children_of(self.tree, node, self.data, rows)
        first = 0
        matching: set[int] = set()
        for each in asked:
            for part in each.parts:
                if each.column.name == question.column:
                    matching |= {first + line for line in _sent_alike(each, part, child)}
                first += len(part)
        places = [place for place, index in enumerate(frame.index) if int(index) in matching]
        return places[0] if places else None


def replace_price(ratio: Any) -> Any:
    """Return how the gain ratio decides without the price of cuts, and without their least size."""
    from sklearn.base import clone

    return clone(ratio).set_params(numeric_penalty=False)


def refuse_untold(settings: Settings) -> None:
    """Refuse what cannot be listed question by question."""
    if settings.max_bins is not None:
        raise ParameterError(
            f"trace() lists every question, but max_bins={settings.max_bins} leaves some out.\n"
            "Hint: max_bins=None."
        )
    for layer in settings.leaf_layers:
        if isinstance(layer, FilledLeaf):
            raise ParameterError(
                f"trace() tells how questions are chosen, but leaf={layer!r} counts leaves anew afterwards.\n"
                "Hint: choose leaf='frequency', 'mean' or Shrinkage(…)."
            )


def _together(one: tuple[Integers, Numbers], other: tuple[Integers, Numbers]) -> tuple[Integers, Numbers]:
    rows = np.concatenate([one[0], other[0]])
    found, place = np.unique(rows, return_inverse=True)
    shares = np.bincount(place.ravel(), np.concatenate([one[1], other[1]]), minlength=len(found))
    return found, np.minimum(shares, 1.0)


def _sent_alike(each: AskedColumn, part: Any, child: Integers) -> Iterator[int]:
    """Yield the lines of a part that send every judged row where the node sends it, or exchange the sides."""
    assert each.buckets is not None
    known = child if each.judged is None else child[each.judged]
    for line in range(len(part)):
        found = answers(part, line, each.buckets, each.distinct)
        if np.array_equal(found, known) or (part.n_rows.shape[1] == 2 and np.array_equal(1 - found, known)):
            yield line
