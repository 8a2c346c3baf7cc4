"""The splits of a node: which questions may be asked, what each gains, and which one wins.

A question with many answers gains much and says little. The gain ratio divides the gain by the information
of the answer itself, but then favours questions whose answer is nearly always the same: the guard therefore
asks for at least an average gain. C4.5 also charges a numeric column for choosing among many cuts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from arboretum.errors import ParameterError
from arboretum.reference.impurities import (
    Criterion,
    Number,
    Pairs,
    class_weights,
    criterion_named,
    entropy,
    total,
)
from arboretum.reference.missing import ByFractions, BySurrogates, MissingPolicy, missing_policy
from arboretum.reference.nodes import Part, Split, Table, read, weight_of
from arboretum.reference.questions import Multiway, Question, Threshold, check_choice, questions_about

# Logarithms are rounded: numbers equal on paper may differ by a little less than this.
ROUNDING = Fraction(1, 10**12)


@dataclass(frozen=True)
class GainRatio:
    """How columns compete: the guard is "average", "c45" or None; the penalty applies to thresholds."""

    guard: str | None = "average"
    numeric_penalty: bool = False


def as_gain_ratio(criterion: Any) -> GainRatio | None:
    """Return the options of "gain_ratio" or of an object that has them; None for other criteria."""
    if criterion == "gain_ratio":
        return GainRatio()
    if not (hasattr(criterion, "guard") and hasattr(criterion, "numeric_penalty")):
        return None
    check_choice("guard", criterion.guard, ("average", "c45", None))
    return GainRatio(criterion.guard, criterion.numeric_penalty)


def least_side(ratio: GainRatio, table: Table, judged: Fraction) -> Fraction:
    """Return the least weight of a cut's sides: with the penalty, a tenth of an average class, at most 25."""
    if not ratio.numeric_penalty or table.classes is None:
        return Fraction(0)
    return min(Fraction(25), judged / len(table.classes) / 10)


def rate(part: Part, split: Split, price: float = 0.0) -> Split:
    """Return the split with its gain, less the price, and its gain ratio."""
    gain, corrected = float(split.gain) - price, float(split.corrected) - price
    information = split_information(part, split)
    ratio = corrected / information if information > 0 else 0.0
    return split._replace(gain=gain, corrected=corrected, gain_ratio=ratio)


def pay(ratio: GainRatio, part: Part, best: Split, splits: Sequence[Split]) -> Split | None:
    """Return a column's best split, less the price of choosing among many cuts; None if nothing is left."""
    if not ratio.numeric_penalty or not isinstance(best.question, Threshold):
        return best
    n_cuts = sum(isinstance(split.question, Threshold) for split in splits)
    paid = rate(part, best, math.log2(n_cuts) / float(weight_of(part)))
    return paid if paid.gain > 0 else None


def split_information(part: Part, split: Split) -> float:
    """Return the entropy of the children's weights, in bits.

    Rows that no child holds, because their value is missing, are one more answer.
    """
    weights = [weight_of(part, child) for child in split.children]
    weights.append(weight_of(part) - sum(weights))
    return float(entropy([(answer, weight) for answer, weight in enumerate(weights) if weight > 0]))


def passing(ratio: GainRatio, table: Table, candidates: Sequence[Split]) -> list[Split]:
    """Return the candidates that the guard lets pass; of these, the largest ratio wins."""
    least = Fraction(0)
    if candidates and ratio.guard == "average":
        least = average_gain(candidates) * (1 - ROUNDING)
    elif candidates and ratio.guard == "c45":
        least = average_gain(few_levels(table, candidates) or candidates) - Fraction(1, 1000)
    return [split for split in candidates if split.corrected >= least]


def without_rounding(ratio: float | None) -> float:
    """Round a ratio, so that ratios which are equal on paper tie."""
    return round(ratio or 0.0, 12)


def average_gain(candidates: Sequence[Split]) -> Fraction:
    return sum((Fraction(split.corrected) for split in candidates), Fraction(0)) / len(candidates)


def few_levels(table: Table, candidates: Sequence[Split]) -> list[Split]:
    """Return the splits of columns with fewer levels than three tenths of the rows; numbers have none."""
    return [
        split for split in candidates if 10 * len(table.levels[split.question.column]) < 3 * len(table.rows)
    ]


@dataclass(frozen=True)
class Rules:
    """How to ask, judge, treat missing values, and stop."""

    criterion: Criterion
    ratio: GainRatio | None  # if given, columns compete by it, and the criterion is entropy
    missing: MissingPolicy
    nominal: str
    levels: str  # "corrected" or "raw" gains of questions about levels
    thresholds: str
    max_depth: float
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_impurity_decrease: float = 0.0
    competitors: int = 0
    costs: Sequence[float] = ()  # of the columns; none: each costs 1

    def merit(self, split: Split) -> Number:
        """Return what columns compete by: gain or gain ratio, divided by the cost of the column."""
        worth = split.corrected if self.ratio is None else without_rounding(split.gain_ratio)
        return worth / Fraction(self.costs[split.question.column]) if self.costs else worth

    @property
    def counts_weight(self) -> bool:
        """Whether limits or prices count weight; then a row of average weight counts as one."""
        priced = self.ratio is not None and self.ratio.numeric_penalty
        return priced or isinstance(self.missing, ByFractions)


def make_rules(
    criterion: Any,
    missing: Any,
    nominal: str,
    thresholds: str,
    max_depth: int | None = None,
    levels: str = "raw",
    **limits: Any,
) -> Rules:
    """Return the rules, with every name resolved."""
    ratio = as_gain_ratio(criterion)
    check_choice("levels", levels, ("corrected", "raw"))
    policy = missing_policy(missing, thresholds, levels)
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
        levels,
        thresholds,
        math.inf if max_depth is None else max_depth,
        **limits,
    )


def best_candidate(splits: Sequence[Split]) -> Split | None:
    """Return the split with the largest gain, the first of equals; None if there is none.

    Numbers that allow no question leave nothing to choose:

    >>> best_candidate(candidate_splits([[7, 7]], ["numeric"], ["a", "b"])) is None
    True
    """
    return max(splits, key=lambda split: split.gain, default=None)


def winner(table: Table, rules: Rules, candidates: Sequence[Split]) -> Split | None:
    """Return the best of the columns' best splits."""
    if rules.ratio is not None:
        candidates = passing(rules.ratio, table, candidates)
    return max(candidates, key=rules.merit, default=None)


def candidates_of(table: Table, rules: Rules, part: Part, splits: Sequence[Split]) -> list[Split]:
    """Return the best split of each column, by gain.

    As in J48, levels asked against the rest compete by gain ratio if columns do.
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
        if best and beats_chance(best):
            candidates.append(best)
    return candidates


def beats_chance(split: Split) -> bool:
    """Return whether a split gains more than chance; if nothing is taken off, every one does."""
    chance = split.gain - split.corrected
    return chance <= 0 or split.gain > chance * (1 + 1e-9)


def divide(
    columns: Sequence[Sequence[Any]], rows: Sequence[int], question: Question
) -> tuple[list[int], ...]:
    """Return the rows of each child."""
    parts: tuple[list[int], ...] = tuple([] for _ in range(question.n_children))
    for row in rows:
        parts[question.child(columns[question.column][row])].append(row)
    return parts


def gain(criterion: Criterion, node: Pairs, children: Sequence[Pairs]) -> Number:
    """Return impurity(node) - sum of weight(child)/weight(node) impurity(child), but never less than zero."""
    parts = [total(child) / total(node) * criterion.impurity(child) for child in children if child]
    after = math.fsum(parts) if any(isinstance(part, float) for part in parts) else sum(parts, Fraction(0))
    return max(Fraction(0), criterion.impurity(node) - after)


def splits_of(table: Table, rules: Rules, part: Part) -> list[Split]:
    """Return every admissible split of a node in the order of ties: by column, then by question."""
    columns = range(len(table.columns))
    return [split for column in columns for split in splits_about(table, rules, part, column)]


def splits_about(table: Table, rules: Rules, part: Part, column: int) -> list[Split]:
    """Return the splits about one column. The gain counts for the share of the rows that are judged."""
    rows = rules.missing.judged(table, part, column)
    node = table.pairs_of(part, rows)
    chance = gain_by_chance(table, rules, column, rows, node)
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
            share, own = total(node) / weight_of(part), gain(rules.criterion, node, pairs)
            split = Split(question, share * own, children, share * (own - chance))
            splits.append(rate(part, split) if rules.ratio else split)
    return splits


def gain_by_chance(table: Table, rules: Rules, column: int, rows: Sequence[int], node: Pairs) -> Number:
    """Return what the best question about the levels of a column gains where they say nothing.

    A question with an answer for each of L levels is expected to gain (L - 1) / (n - 1) of the impurity of n
    rows; of entropy, about (L - 1) (K - 1) / (2 n ln 2) bits for K classes, and more where rows are few
    (Williams 1976), if that is larger. Rows of unequal weight w count as (sum of w)^2 / sum of w^2. Where a
    class is rare, gains by chance vary much: subsets and single levels are charged as if there were fewer
    rows, n times the bits that tell the class of a row.
    """
    if rules.levels == "raw" or table.kinds[column] != "nominal":
        return Fraction(0)
    answers = set(table.values(column, rules.missing.judged(table, table.rows, column)))
    if len(answers) <= 2:  # of the whole table: they leave nothing to choose from
        return Fraction(0)
    n_levels = len(set(table.values(column, rows)))  # missing values are one more
    n_rows = total(node) ** 2 / sum((weight**2 for _, weight in node), Fraction(0)) if node else Fraction(0)
    if n_rows <= 1:
        return math.inf
    choices: Number = Fraction(n_levels - 1)
    bits: Number = Fraction(1)
    of_classes = rules.criterion.of_classes
    if of_classes and rules.nominal == "one_vs_rest":
        choices = min(choices, 2 * math.log(n_levels))  # the largest of so many chi-squares
    if of_classes and rules.nominal != "multiway":
        bits = min(bits, entropy(node))
    each: Number = rules.criterion.impurity(node) / ((n_rows - 1) * bits) if bits else Fraction(0)
    if rules.criterion.impurity is entropy:
        n_classes = len(class_weights(node))
        sparse = 1 + float((n_levels + 1) * (n_classes + 1) / (6 * n_rows))
        each = max(each, (n_classes - 1) / (2 * math.log(2) * n_rows) * sparse)
    return choices * each


def admissible(
    table: Table, rules: Rules, part: Part, question: Question, children: Sequence[list[int]]
) -> bool:
    """Return whether the children are large enough; of a multiway question, two must be."""
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
    correction: str = "raw",
    thresholds: str = "midpoint",
    missing: Any = "category",
    min_samples_leaf: int = 1,
) -> list[Split]:
    """Return every admissible split of a node, which holds `rows` or all rows, in the order of ties.

    >>> splits = candidate_splits([[1, 2, 3, 4, 5]], ["numeric"], ["a", "a", "b", "b", "b"])
    >>> [(split.question.threshold, str(split.gain)) for split in splits]
    [(1.5, '9/50'), (2.5, '12/25'), (3.5, '16/75'), (4.5, '2/25')]
    """
    rules = make_rules(
        criterion, missing, nominal, thresholds, levels=correction, min_samples_leaf=min_samples_leaf
    )
    table = read(columns, kinds, targets, weights, levels, rules.criterion, evenly=rules.counts_weight)
    here = table.rows if rows is None else {row: table.rows[row] for row in rows if row in table.rows}
    return splits_of(table, rules, here)
