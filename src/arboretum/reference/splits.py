"""All splits of a node, judged: which questions may be asked, what each gains, and which one is best.
Words: Rules (how to ask, judge and stop), gain, admissible, candidate (the best split of a column), divide.
Does not grow: `plain_tree` asks here, once for each node.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from arboretum.errors import ParameterError
from arboretum.reference.gain_ratio import (
    GainRatio,
    as_gain_ratio,
    least_side,
    passing,
    pay,
    rate,
    without_rounding,
)
from arboretum.reference.impurities import Criterion, Number, Pairs, criterion_named, total
from arboretum.reference.missing import ByFractions, BySurrogates, MissingPolicy, missing_policy
from arboretum.reference.nodes import Split
from arboretum.reference.parts import Part, Table, read, weight_of
from arboretum.reference.questions import Multiway, Question, Threshold, questions_about

__all__ = ["Rules", "best_split", "candidate_splits", "candidates_of", "divide", "make_rules", "splits_of"]
__all__ += ["winner"]


@dataclass(frozen=True)
class Rules:
    """How to ask, how to judge, what to do without a value, and when to stop."""

    criterion: Criterion
    ratio: GainRatio | None  # decides between columns; the criterion is entropy then
    missing: MissingPolicy
    nominal: str
    thresholds: str
    max_depth: float
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    competitors: int
    costs: Sequence[float] = ()  # of the columns; none: each costs 1

    def merit(self, split: Split) -> Number:
        """What columns compete by: the gain or the gain ratio, divided by the cost of the column."""
        worth = split.gain if self.ratio is None else without_rounding(split.gain_ratio)
        return worth / Fraction(self.costs[split.question.column]) if self.costs else worth

    @property
    def counts_weight(self) -> bool:
        """Do limits or prices count weight? Then a row of average weight counts as one."""
        priced = self.ratio is not None and self.ratio.numeric_penalty
        return priced or isinstance(self.missing, ByFractions)


def make_rules(
    criterion: Any,
    missing: Any,
    nominal: str,
    thresholds: str,
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_impurity_decrease: float = 0.0,
    competitors: int = 0,
    costs: Sequence[float] = (),
) -> Rules:
    """The rules with every name resolved."""
    ratio = as_gain_ratio(criterion)
    policy = missing_policy(missing, thresholds)
    if nominal == "multiway" and isinstance(policy, BySurrogates):
        raise ParameterError(
            "nominal='multiway' does not go with missing='surrogate', which chooses between two children. "
            "Hint: use missing='fractional' or nominal='subset'."
        )
    return Rules(
        criterion_named("gain_ratio" if ratio else criterion),
        ratio,
        policy,
        nominal,
        thresholds,
        math.inf if max_depth is None else max_depth,
        min_samples_split,
        min_samples_leaf,
        min_impurity_decrease,
        competitors,
        costs,
    )


def best_split(splits: Sequence[Split]) -> Split | None:
    """The split with the largest gain, the first one among equals; None if there is none to choose from.

    On numbers that allow no question there is nothing to choose:

    >>> best_split(candidate_splits([[7, 7]], ["numeric"], ["a", "b"])) is None
    True
    """
    return max(splits, key=lambda split: split.gain, default=None)


def winner(table: Table, rules: Rules, candidates: Sequence[Split]) -> Split | None:
    """The best of the columns' best splits: by gain, or by gain ratio, each divided by the column's cost."""
    if rules.ratio is not None:
        candidates = passing(rules.ratio, table, candidates)
    return max(candidates, key=rules.merit, default=None)


def candidates_of(table: Table, rules: Rules, part: Part, splits: Sequence[Split]) -> list[Split]:
    """The best split of each column, by gain.

    Of levels asked against the rest, the gain ratio chooses if it also decides between columns, as in J48.
    """

    def merit(split: Split) -> Number:
        single = rules.nominal == "one_vs_rest" and table.kinds[split.question.column] == "nominal"
        return without_rounding(split.gain_ratio) if rules.ratio and single else split.gain

    candidates = []
    for _, group in groupby(splits, key=lambda split: split.question.column):
        of_column = list(group)
        best: Split | None = max(of_column, key=merit)
        if rules.ratio and best:
            best = pay(rules.ratio, part, best, of_column)
        if best:
            candidates.append(best)
    return candidates


def divide(
    columns: Sequence[Sequence[Any]], rows: Sequence[int], question: Question
) -> tuple[list[int], ...]:
    """The rows of each child."""
    parts: tuple[list[int], ...] = tuple([] for _ in range(question.n_children))
    for row in rows:
        parts[question.child(columns[question.column][row])].append(row)
    return parts


def gain(criterion: Criterion, node: Pairs, children: Sequence[Pairs]) -> Number:
    """impurity(node) - sum of weight(child)/weight(node) impurity(child); below zero counts as zero."""
    parts = [total(child) / total(node) * criterion.impurity(child) for child in children if child]
    after = math.fsum(parts) if any(isinstance(part, float) for part in parts) else sum(parts, Fraction(0))
    return max(Fraction(0), criterion.impurity(node) - after)


def splits_of(table: Table, rules: Rules, part: Part) -> list[Split]:
    """Every admissible split of a node, in the order of ties: columns ascending, then their questions."""
    columns = range(len(table.columns))
    return [split for column in columns for split in splits_about(table, rules, part, column)]


def splits_about(table: Table, rules: Rules, part: Part, column: int) -> list[Split]:
    """Those about one column. Where rows are left aside, the gain counts for the share of the others."""
    rows = rules.missing.judged(table, part, column)
    node = table.pairs_of(part, rows)
    splits = []
    for question in questions_about(
        column,
        table.kinds[column],
        table.values(column, rows),
        nominal=rules.nominal,
        thresholds=rules.thresholds,
        levels=table.levels[column],
        unseen_answer=rules.missing.unseen_answer,
        table=[value for value in table.values(column, table.rows) if value is not None],
    ):
        children = divide(table.columns, rows, question)
        if admissible(table, rules, part, question, children):
            pairs = [table.pairs_of(part, child) for child in children]
            worth = total(node) / weight_of(part) * gain(rules.criterion, node, pairs)
            split = Split(question, worth, children)
            splits.append(rate(part, split) if rules.ratio else split)
    return splits


def admissible(
    table: Table, rules: Rules, part: Part, question: Question, children: Sequence[list[int]]
) -> bool:
    """Are the children large enough? Of a multiway question two must be: then it tells something apart."""
    if not all(rules.criterion.admits(table.pairs_of(part, child)) for child in children if child):
        return False
    large = sum(rules.missing.size(part, child) >= rules.min_samples_leaf for child in children if child)
    if isinstance(question, Multiway):
        return large >= 2
    if large < 2:
        return False
    if rules.ratio is None or not isinstance(question, Threshold):
        return True
    weights = [weight_of(part, child) for child in children]
    return min(weights) >= least_side(rules.ratio, table, sum(weights, Fraction(0)))


def candidate_splits(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    *,
    rows: Sequence[int] | None = None,
    weights: Sequence[float] | None = None,
    levels: Mapping[int, Sequence[Any]] | None = None,
    criterion: Any = "gini",
    nominal: str = "subset",
    thresholds: str = "midpoint",
    missing: Any = "category",
    min_samples_leaf: int = 1,
) -> list[Split]:
    """Every admissible split of one node, which holds `rows` or else all rows, in the order of ties.

    >>> splits = candidate_splits([[1, 2, 3, 4, 5]], ["numeric"], ["a", "a", "b", "b", "b"])
    >>> [(split.question.threshold, str(split.gain)) for split in splits]
    [(1.5, '9/50'), (2.5, '12/25'), (3.5, '16/75'), (4.5, '2/25')]
    """
    rules = make_rules(criterion, missing, nominal, thresholds, min_samples_leaf=min_samples_leaf)
    table = read(columns, kinds, targets, weights, levels, rules.criterion, evenly=rules.counts_weight)
    here = table.rows if rows is None else {row: table.rows[row] for row in rows if row in table.rows}
    return splits_of(table, rules, here)
