"""A fitted tree beside the tree of the plain-Python twin, walked together from the root, number by number.

The twin is the tree grown by brute force; in a tie, equal up to rounding, it follows the engine. Nothing is
drawn or fitted here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any, TypeAlias

import pytest
from hypothesis import event

from arboretum import Node
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum.reference import Branch, IsMissing, Leaf, Multiway, Split, Subset
from arboretum.reference import Threshold as TwinThreshold
from arboretum.reference.missing import IsCategory, Sent
from arboretum.reference.nodes import Part, read, weight_of
from arboretum.reference.plain_tree import grow_node
from arboretum.reference.splits import beats_chance, few_levels, make_rules, pay, splits_of
from support.tables import LEVELS, Table
from support.trees import threshold_of

__all__ = ["Walk", "close", "complete_rows"]

N_LEVELS = {"nominal": len(LEVELS), "boolean": 2}  # as declared


def close(one: float | Fraction | None, other: float | Fraction | None, scale: float = 1.0) -> bool:
    """Whether two numbers are equal up to rounding; None is equal to None alone."""
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12 * scale)


def complete_rows(table: Table) -> list[int]:
    """The rows that miss nothing."""
    return [row for row in range(table.n_rows) if all(column[row] is not None for column in table.columns)]


# What the engine may take for the best question of a column: the best, and what equals it up to rounding.
Choice: TypeAlias = list[Split]


class Walk:
    """Both trees of one table, which are compared on the way down."""

    def __init__(self, table: Table, options: dict[str, Any], model: Any) -> None:
        missing, learnt = options["missing"], table
        if isinstance(missing, str) and missing in ("drop", "error"):
            missing, learnt = "category", table.take(complete_rows(table))
        costs = options.get("column_costs") or ()
        named = {name: value for name, value in options.items() if name != "column_costs"}
        self.rules = make_rules(**named | {"missing": missing, "costs": costs})
        levels = {i: range(N_LEVELS[kind]) for i, kind in enumerate(table.kinds) if kind in N_LEVELS}
        targets, weights = learnt.targets, learnt.weights
        kinds = learnt.twin_kinds
        evenly = self.rules.counts_weight
        self.table = read(
            learnt.columns, kinds, targets, weights, levels, self.rules.criterion, evenly=evenly
        )
        if (
            self.table.classes is not None
        ):  # all that y names are counted, also those whose rows weigh nothing
            self.table = replace(self.table, classes=model.classes_.tolist())
        self.model = model
        self.scale = max(1e-300, model.tree_.root.impurity)
        self.hair = 1e-9 * self.scale
        # Sums of these weights have no rounding, so that ties between them are exact.
        self.exact = table.exact and model.tree_.missing != "fractions"
        self.differs = False  # did the engine take another of several equal surrogates? Then the walk ends.
        self.numbers: dict[
            int, int
        ] = {}  # the number that the engine gives a node of the twin, by its identity

    def run(self) -> Leaf | Branch:
        """The twin's tree, which in ties has followed the engine's."""
        rows = self.table.rows
        return self.follow(self.model.tree_.root, rows, grow_node(self.table, self.rules, rows, depth=0))

    def follow(self, node: Node, part: Part, twin: Leaf | Branch) -> Leaf | Branch:
        self.compare_numbers(node, twin, part)
        bare = replace(as_leaf(twin), label=node.label)
        followed: Leaf | Branch = bare
        if node.is_leaf:
            assert isinstance(twin, Leaf) or self.barely_worth_it(twin.gain, part)
        else:
            followed = self.follow_question(node, part, twin, bare)
        self.numbers[id(followed)] = node.number
        return followed

    def follow_question(self, node: Node, part: Part, twin: Leaf | Branch, bare: Leaf) -> Leaf | Branch:
        splits = splits_of(self.table, self.rules, part)
        split = self.find(node.question, part, splits)
        assert close(node.gain, split.gain, self.scale)
        if node.corrected_gain is not None:
            assert close(node.corrected_gain, split.corrected, self.scale)
        assert close(node.gain_ratio, split.gain_ratio, self.ratio_scale(split))
        if isinstance(twin, Leaf):
            assert self.barely_worth_it(split.gain, part)
        elif self.sides(split.question) != self.sides(twin.question):
            self.check_tie(split, part, splits)
        self.compare_competitors(node, split, part, splits)
        sent = self.rules.missing.send(self.table, part, split)
        self.compare_sending(node, split, part, sent)
        if self.differs:
            return bare
        if isinstance(twin, Branch) and split.question == twin.question:
            twins = twin.children
        else:
            twins = tuple(grow_node(self.table, self.rules, p, node.depth + 1, bare) for p in sent.parts)
        triples = zip(node.children, sent.parts, twins, strict=True)
        return Branch(
            **vars(bare),
            question=split.question,
            children=tuple(self.follow(*triple) for triple in triples),
            gain=float(split.gain),
            corrected_gain=float(split.corrected),
            surrogates=sent.surrogates,
            missing=sent.missing,
            missing_child=sent.missing_child,
        )

    # --- the numbers of a node

    def compare_numbers(self, node: Node, twin: Leaf | Branch, part: Part) -> None:
        assert node.n_rows == twin.n_rows
        assert close(node.weight, twin.weight)
        assert close(node.impurity, twin.impurity, self.scale)
        if twin.counts is None:
            size = max(abs(float(target)) for target in self.table.targets)
            assert close(node.value, twin.label, size) or self.rounding_decided(node, part)
            return
        classes = list(node.tree.target.classes or ())
        counts = [twin.counts.get(name, 0.0) for name in classes]
        probability = [(twin.probabilities or {}).get(name, 0.0) for name in classes]
        assert node.counts is not None
        assert node.probability is not None
        assert node.counts.tolist() == pytest.approx(counts, rel=1e-9, abs=1e-12 * node.weight)
        assert node.probability.tolist() == pytest.approx(probability, rel=1e-9, abs=1e-12)
        tied = not self.exact and close(probability[classes.index(node.label)], max(probability))
        assert node.label == twin.label or tied

    def rounding_decided(self, node: Node, part: Part) -> bool:
        """Whether the value is a median, where parts of rows are half of the weight but for rounding."""
        half = weight_of(part) / 2 * Fraction(1 + 1e-9)
        below = weight_of(part, [row for row in part if self.table.targets[row] < node.value])
        above = weight_of(part, [row for row in part if self.table.targets[row] > node.value])
        return not self.exact and node.tree.criterion == "absolute_error" and max(below, above) <= half

    # --- questions

    def find(self, question: Any, part: Part, splits: list[Split]) -> Split:
        """The twin's split that asks the same, its price paid."""
        column = column_of(question)
        of_column = [split for split in splits if split.question.column == column]
        seen = None in self.table.values(column, part)
        for split in [*of_column, *self.mirrored(of_column)]:
            if self.same(question, split.question, seen=seen):
                paid = pay(self.rules.ratio, part, split, of_column) if self.rules.ratio else split
                assert paid is not None, f"{question} costs more than it gains"
                return paid
        raise AssertionError(f"{question} is none of {[split.question for split in splits]}")

    def mirrored(self, splits: list[Split]) -> list[Split]:
        """Subsets with their sides exchanged: which of them is called child 0 is for the engine to say."""
        return [
            split._replace(
                question=Subset(q.column, q.others, not q.missing_left, q.levels),
                children=split.children[::-1],
            )
            for split in splits
            if isinstance(q := split.question, Subset) and self.rules.nominal == "subset"
        ]

    def sides(self, question: Any) -> Any:
        """The question, without saying which side of a subset is child 0."""
        if not isinstance(question, Subset) or self.rules.nominal != "subset":
            return question
        missing = (question.missing_left, not question.missing_left)
        return question.column, frozenset(zip((question.levels, question.others), missing, strict=True))

    def same(self, ours: Any, twins: Any, *, seen: bool = False) -> bool:
        """Whether two questions about one column ask the same; `seen`: missing values are to be sent."""
        if isinstance(ours, Missing) or isinstance(twins, IsMissing):
            return isinstance(ours, Missing) and isinstance(twins, IsMissing)
        if seen and isinstance(self.rules.missing, IsCategory) and ours.missing_child != twins.child(None):
            return False
        if isinstance(ours, Threshold):
            return ours.flipped == twins.flipped and same_threshold(ours, twins)
        assert isinstance(ours, Levels)
        groups = [set(group) for group in ours.children]
        if isinstance(twins, Multiway):
            return groups == [{level} for level in twins.levels] + [set()] * twins.missing_last
        return groups == [set(twins.levels), set(twins.others)]

    # --- ties

    def choices(self, part: Part, splits: list[Split]) -> list[Choice]:
        by_column = groupby(splits, key=lambda split: split.question.column)
        return [choice for _, group in by_column for choice in self.choice(part, list(group))]

    def choice(self, part: Part, splits: list[Split]) -> Iterator[Choice]:
        """The choice of one column; none if its best question costs more than it gains."""
        ratio, column = self.rules.ratio, splits[0].question.column
        nominal = self.table.kinds[column] == "nominal"

        def merit(split: Split) -> float:
            by_ratio = ratio and nominal and self.rules.nominal == "one_vs_rest"
            return float((split.gain_ratio or 0.0) if by_ratio else split.gain)

        most = max(map(merit, splits))
        equals = [split for split in splits if close(merit(split), most, self.scale)]
        if ratio:
            equals = [paid for split in equals if (paid := pay(ratio, part, split, splits))]
        equals = [split for split in equals if beats_chance(split)]
        if equals:
            yield equals

    def check_tie(self, split: Split, part: Part, splits: list[Split]) -> None:
        """The engine's question is as good as any: no column has a better one that the guard lets pass."""
        choices = self.choices(part, splits)
        own = next(choice for choice in choices if choice[0].question.column == split.question.column)
        assert self.is_one_of(split, own), f"{own[0].question} is better than {split.question}"
        event("tie")
        least = self.least_gain([choice[0] for choice in choices])
        assert split.corrected >= least - self.hair, "the guard does not let it pass"
        for choice in choices:
            passing = [other for other in choice if other.corrected >= least + self.hair]
            assert len(passing) < len(choice) or any(
                self.merit(other) <= self.merit(split) + self.hair for other in passing
            ), f"{choice[0].question} is better than {split.question}"

    def merit(self, split: Split) -> float:
        """What columns compete by, in units of the scale."""
        worth = float(split.corrected if split.gain_ratio is None else split.gain_ratio)
        return worth / self.rules.costs[split.question.column] if self.rules.costs else worth

    def is_one_of(self, split: Split, choice: Choice) -> bool:
        return self.sides(split.question) in [self.sides(other.question) for other in choice]

    def least_gain(self, candidates: Sequence[Split]) -> float:
        """What the guard asks for."""
        guard = self.rules.ratio.guard if self.rules.ratio else None
        if guard is None:
            return 0.0
        averaged = (few_levels(self.table, candidates) or candidates) if guard == "c45" else candidates
        average = sum(float(split.corrected) for split in averaged) / len(averaged)
        return average - 0.001 if guard == "c45" else average

    def barely_worth_it(self, gain: Any, part: Part) -> bool:
        decrease = float(gain * weight_of(part) / weight_of(self.table.rows))
        least = self.rules.min_impurity_decrease
        return least > 0 and close(decrease, least, self.scale)

    # --- questions that are not asked

    def ratio_scale(self, split: Split) -> float:
        """How large the numbers were from which the ratio was rounded: little information enlarges it all."""
        larger: float = max(1.0, (split.gain_ratio or 0.0) / split.gain if split.gain > 0 else 1.0)
        return float(self.scale) * larger

    def compare_competitors(self, node: Node, split: Split, part: Part, splits: list[Split]) -> None:
        """The best question of each other column that gains anything, best first."""
        choices = {choice[0].question.column: choice for choice in self.choices(part, splits)}
        del choices[split.question.column]
        assert len(node.competitors) <= self.rules.competitors
        found = []
        for other in node.competitors:
            if other.gain <= self.hair:  # nothing but for rounding
                continue
            same = self.find(other.question, part, splits)
            assert self.is_one_of(same, choices.pop(same.question.column))
            assert close(other.gain, same.gain, self.scale)
            if other.corrected_gain is not None:
                assert close(other.corrected_gain, same.corrected, self.scale)
            assert close(other.gain_ratio, same.gain_ratio, self.ratio_scale(same))
            found.append(self.merit(same))
        assert all(one >= other - self.hair for one, other in pairwise(found))
        left = [self.merit(choice[0]) for choice in choices.values() if choice[0].gain > self.hair]
        if left:
            assert len(found) == self.rules.competitors
            assert not found or max(left) <= found[-1] + self.hair

    def compare_sending(self, node: Node, split: Split, part: Part, sent: Sent) -> None:
        """Where rows go that the question cannot send, and by which other questions."""
        assert node.question is not None
        if node.question.missing_child != sent.missing_child:
            weights = [weight_of(part, rows) for rows in split.children]
            assert close(weights[node.question.missing_child], weights[sent.missing_child])
            assert not self.exact
            self.differs = sent.missing != "fractions"  # these go everywhere
        ours, twins = node.surrogates, sent.surrogates
        agreements = [its.agreement for its in twins]
        assert [mine.agreement for mine in ours] == pytest.approx(agreements, rel=1e-9)
        for mine, its in zip(ours, twins, strict=True):
            same_column = column_of(mine.question) == its.question.column
            if not (same_column and self.same(mine.question, its.question)):
                assert not self.exact, f"{mine.question} stands in, not {its.question}"
                event("another surrogate")
                self.differs = True
        if not self.differs:
            adjusted = [its.adjusted_agreement for its in twins]
            assert [mine.adjusted_agreement for mine in ours] == pytest.approx(adjusted, rel=1e-9, abs=1e-9)
            assert [mine.n_rows for mine in ours] == [its.n_rows for its in twins]


def as_leaf(twin: Leaf | Branch) -> Leaf:
    return Leaf(**{field.name: getattr(twin, field.name) for field in fields(Leaf)})


def column_of(question: Any) -> int:
    return int(question.column.removeprefix("c"))


def same_threshold(ours: Threshold, twins: TwinThreshold) -> bool:
    """The same number; where only whole numbers count or doubles have no halves, the same whole number."""
    mine, about = threshold_of(ours), ours.about
    if about.kind == "number" or (about.kind == "integer" and not about.offset):
        return bool(mine == twins.threshold)
    return bool(math.floor(mine) == math.floor(twins.threshold))
