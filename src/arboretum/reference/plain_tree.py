"""The compiled engine's twin in plain Python: it tries every question at every node and counts exactly.

>>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
>>> goods, weight = ([row[name] for row in CUSTOMERS] for name in ("goods", "weight"))
>>> tree = grow([goods, weight], ["nominal", "numeric"], CUSTOMER_CLASSES, nominal="one_vs_rest", max_depth=1)
>>> tree.question, round(tree.impurity, 3), round(tree.gain, 3)
(Subset(column=0, levels=frozenset({3}), missing_left=False), 0.642, 0.346)
>>> [(child.label, child.n_rows) for child in tree.children]
[('w1', 3), ('w2', 6)]
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from arboretum.reference.impurities import Criterion, Number, class_weights, total
from arboretum.reference.missing import heaviest
from arboretum.reference.nodes import Branch, Competitor, Leaf, Part, Split, Table, read, weight_of
from arboretum.reference.splits import (
    Rules,
    beats_chance,
    best_candidate,
    candidates_of,
    make_rules,
    splits_of,
    winner,
)


def grow(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    *,
    weights: Sequence[float] | None = None,
    levels: Mapping[int, Sequence[Any]] | None = None,
    criterion: Any = "gini",
    nominal: str = "subset",
    correction: str = "raw",
    thresholds: str = "midpoint",
    missing: Any = "category",
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_impurity_decrease: float = 0.0,
    competitors: int = 0,
    costs: Sequence[float] = (),
) -> Leaf | Branch:
    """Grow the tree of all rows whose weight is above zero.

    Columns are lists, None for a missing value; kinds are "numeric", "ordered" (level numbers) or "nominal".
    `levels` declares those of nominal columns, by column number; otherwise they are those that occur.
    An impure node is split even if the best gain is zero: the tree of "exactly one of two" starts that way.

    >>> tree = grow([[0, 0, 1, 1], [0, 1, 0, 1]], ["numeric", "numeric"], [0, 1, 1, 0])
    >>> tree.gain, [child.gain for child in tree.children]
    (0.0, [0.5, 0.5])

    criterion: a name, or an object with `guard` and `numeric_penalty` (see `GainRatio`).
    missing: "category", "surrogate", "fractional", or an object with `max_surrogates`, `send` and `agreement`
    (see `Surrogate`).
    nominal: "subset", "one_vs_rest" or "multiway"; the last asks about a column once on each path, since all
    rows below share its value.
    correction: "corrected" takes off what questions about levels gain by chance when columns compete, as
    `TreeClassifier(levels="corrected")` does; `levels` are those of the columns here.
    costs: one per column; gains are divided by them when columns compete.

    >>> tree = grow([[0, 0, 1], [0, 1, 1]], ["numeric", "numeric"], ["a", "b", "b"], costs=[1, 5])
    >>> tree.question.column, tree.gain == grow([[0, 0, 1]], ["numeric"], ["a", "b", "b"]).gain
    (0, True)

    >>> tree = grow([list("aabc")], ["nominal"], [0, 0, 1, 2], nominal="multiway", levels={0: "abcd"})
    >>> [(child.label, child.n_rows) for child in tree.children]
    [(0, 2), (1, 1), (2, 1), (0, 0)]
    """
    rules = make_rules(
        criterion,
        missing,
        nominal,
        thresholds,
        max_depth,
        levels=correction,
        min_samples_split=min_samples_split,
        min_samples_leaf=min_samples_leaf,
        min_impurity_decrease=min_impurity_decrease,
        competitors=competitors,
        costs=costs,
    )
    table = read(columns, kinds, targets, weights, levels, rules.criterion, evenly=rules.counts_weight)
    return grow_node(table, rules, table.rows, depth=0)


def grow_node(table: Table, rules: Rules, part: Part, depth: int, above: Leaf | None = None) -> Leaf | Branch:
    """Return a leaf if nothing is gained, otherwise the best split with a subtree for each child."""
    leaf = make_leaf(table, rules.criterion, part, above)
    small = rules.missing.size(part, part) < rules.min_samples_split
    if homogeneous(table, part) or depth >= rules.max_depth or small:
        return leaf
    candidates = candidates_of(table, rules, part, splits_of(table, rules, part))
    split = winner(table, rules, candidates)
    if split is None:
        return leaf
    # The gain counts for the node's share of the table.
    if split.gain * weight_of(part) / weight_of(table.rows) < rules.min_impurity_decrease:
        return leaf
    sent = rules.missing.send(table, part, split)
    return Branch(
        **vars(leaf),
        question=split.question,
        children=tuple(grow_node(table, rules, child, depth + 1, leaf) for child in sent.parts),
        gain=float(split.gain),
        corrected_gain=float(split.corrected),
        gain_ratio=split.gain_ratio,
        competitors=runners_up(rules, candidates, split),
        surrogates=sent.surrogates,
        missing=sent.missing,
        missing_child=sent.missing_child,
    )


def homogeneous(table: Table, part: Part) -> bool:
    """Return whether all rows share one target."""
    return len({target for target, _ in table.pairs_of(part)}) <= 1


def runners_up(rules: Rules, candidates: Sequence[Split], chosen: Split) -> tuple[Competitor, ...]:
    """Return the best questions about the other columns that gain anything, best first."""
    others = [split for split in candidates if split is not chosen and split.gain > 0]
    ranked = sorted(others, key=rules.merit, reverse=True)[: rules.competitors]
    return tuple(
        Competitor(split.question, float(split.gain), split.gain_ratio, float(split.corrected))
        for split in ranked
    )


def make_leaf(table: Table, criterion: Criterion, part: Part, above: Leaf | None) -> Leaf:
    """Return the node's numbers and label as a leaf. Fractions become floats here.

    A child without rows takes the label and the probabilities from above.
    """
    pairs = table.pairs_of(part)
    counts = probabilities = None
    if table.classes is not None:
        weights = class_weights(pairs)
        counts = {name: float(weights.get(name, Fraction(0)) * table.unit) for name in table.classes}
        if pairs:
            probabilities = {
                name: float(weights.get(name, Fraction(0)) / total(pairs)) for name in table.classes
            }
    if not pairs and above is not None:
        return Leaf(above.label, 0, 0.0, 0.0, counts, above.probabilities)
    label = criterion.label(pairs)
    return Leaf(
        float(label) if isinstance(label, Fraction) else label,
        len(part),
        float(total(pairs) * table.unit),
        float(criterion.impurity(pairs)),
        counts,
        probabilities,
    )


def ordinary_find_best_split(table: Table, rules: Rules, part: Part) -> Split | None:
    """Return the split with the largest gain of its own, the first of equals."""
    return best_candidate(splits_of(table, rules, part))


def lookahead_find_best_split(
    table: Table, rules: Rules, part: Part, *, depth: int = 1, level: int = 0
) -> Split | None:
    """Return the split whose subtree gains most; of equals, the one with fewer levels or a larger gain.

    In a table of "exactly one of two", no split gains anything by itself:

    >>> from arboretum.reference.nodes import read
    >>> from arboretum.reference.splits import make_rules
    >>> rules = make_rules("entropy", "category", "subset", "midpoint")
    >>> columns = [[0, 1, 1, 0, 0, 1, 1, 0], [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 0, 0, 1, 1]]
    >>> table = read(columns, ["numeric"] * 3, [0, 0, 1, 1, 1, 1, 0, 0], None, None, rules.criterion)
    >>> ordinary_find_best_split(table, rules, table.rows).question.column
    0
    >>> lookahead_find_best_split(table, rules, table.rows).question.column
    1
    """

    def merits(split: Split) -> tuple[Number, ...]:
        depths = range(depth, 0, -1)
        worths = (evaluate_split(table, rules, part, split, depth=d, level=level) for d in depths)
        return (*worths, split.corrected)

    judged = [(split, merits(split)) for split in splits_of(table, rules, part)]
    promising = [(split, worth) for split, worth in judged if beats_chance(split) or worth[0] > 0]
    return max(promising, key=lambda pair: pair[1], default=(None,))[0]


def evaluate_split(
    table: Table, rules: Rules, part: Part, split: Split, *, depth: int = 1, level: int = 0
) -> Number:
    """Return the gain of the best subtree that begins with this split and has `depth` more levels.

    `level` is that of the node: the subtree ends where the tree may grow no further.
    """
    worth = split.corrected
    for child in rules.missing.send(table, part, split).parts:
        small = rules.missing.size(child, child) < rules.min_samples_split
        if homogeneous(table, child) or small or level + 1 >= rules.max_depth:
            continue  # no need to split further
        below = [
            further.corrected
            if depth == 1
            else evaluate_split(table, rules, child, further, depth=depth - 1, level=level + 1)
            for further in splits_of(table, rules, child)
        ]
        worth += weight_of(child) / weight_of(part) * max([Fraction(0), *below])
    return worth


def predict_row(tree: Leaf | Branch, row: Sequence[Any]) -> dict[Any, float] | float:
    """Return the probability of each class, or a number. None is a missing value or an unknown level.

    >>> from arboretum.reference.plain_tree import grow
    >>> tree = grow([[1, 2, 3, 4]], ["numeric"], list("abbb"), missing="fractional")
    >>> predict_row(tree, [1]), predict_row(tree, [None])
    ({'a': 1.0, 'b': 0.0}, {'a': 0.25, 'b': 0.75})
    """
    ends = rest(tree, row)
    if tree.probabilities is None:
        return math.fsum(share * node.label for node, share in ends)
    return {
        name: math.fsum(share * (node.probabilities or {})[name] for node, share in ends)
        for name in tree.probabilities
    }


def rest(tree: Leaf | Branch, row: Sequence[Any]) -> list[tuple[Leaf | Branch, float]]:
    """Return the nodes where the row ends, each with its share: several if the row is divided."""
    if isinstance(tree, Leaf):
        return [(tree, 1.0)]
    weights = [child.weight for child in tree.children]
    value = row[tree.question.column]
    if tree.question.knows(value):
        return rest(tree.children[tree.question.child(value)], row)
    if tree.missing == "fractions":
        shares = [weight / math.fsum(weights) for weight in weights]
        return [
            (node, share * of_child)
            for child, share in zip(tree.children, shares, strict=True)
            if share > 0
            for node, of_child in rest(child, row)
        ]
    child = child_without_answer(tree, row, heaviest(weights))
    return [(tree, 1.0)] if child < 0 else rest(tree.children[child], row)


def child_without_answer(branch: Branch, row: Sequence[Any], heavier: int) -> int:
    """Return the child that takes a row which the question cannot send; -1 if the row stays.

    A level without rows in this node is not missing: without surrogates, it follows the heavier child.
    """
    if branch.missing == "surrogates":
        for surrogate in branch.surrogates:
            value = row[surrogate.question.column]
            if surrogate.question.knows(value):
                return surrogate.question.child(value)
        return branch.missing_child
    if row[branch.question.column] is not None and branch.missing_child >= 0:
        return heavier
    return branch.missing_child
