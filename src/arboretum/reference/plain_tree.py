"""The compiled engine's twin in plain Python: tries every question at every node, and counts exactly.
Words: grow, homogeneous, best split, divide, label, as in the lecture notes; a tree is a Leaf or a Branch.
Does not aim at speed, and does not prune or predict from data frames: it says what the right tree is.

>>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
>>> goods, weight = ([row[name] for row in CUSTOMERS] for name in ("goods", "weight"))
>>> tree = grow([goods, weight], ["nominal", "numeric"], CUSTOMER_CLASSES, nominal="one_vs_rest", max_depth=1)
>>> tree.question, round(tree.impurity, 3), round(tree.gain, 3)
(Subset(column=0, levels=frozenset({3}), missing_left=False), 0.642, 0.346)
>>> [(child.label, child.n_rows) for child in tree.children]
[('w1', 3), ('w2', 6)]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from arboretum.reference.impurities import Criterion, class_weights, total
from arboretum.reference.nodes import Branch, Competitor, Leaf, Split
from arboretum.reference.parts import Part, Table, read, weight_of
from arboretum.reference.splits import Rules, candidates_of, make_rules, splits_of, winner

__all__ = ["grow", "homogeneous"]


def grow(
    columns: Sequence[Sequence[Any]],
    kinds: Sequence[str],
    targets: Sequence[Any],
    *,
    weights: Sequence[float] | None = None,
    levels: Mapping[int, Sequence[Any]] | None = None,
    criterion: Any = "gini",
    nominal: str = "subset",
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

    Columns are lists, None for a missing value; kinds are "numeric", "ordered" (level numbers), "nominal".
    Levels are those declared for a nominal column, by its number; without that, those that occur.
    An impure node is split even if the best gain is zero: the tree of "exactly one of two" starts so.

    >>> tree = grow([[0, 0, 1, 1], [0, 1, 0, 1]], ["numeric", "numeric"], [0, 1, 1, 0])
    >>> tree.gain, [child.gain for child in tree.children]
    (0.0, [0.5, 0.5])

    criterion: a name, "gain_ratio", or an object with `guard` and `numeric_penalty` (see `gain_ratio`).
    missing: "category", "surrogate", "fractional", or an object with `max_surrogates`, `send` and `agreement`
    (see `surrogates`). nominal: "subset", "one_vs_rest" or "multiway"; the last asks a column once on the way
    to a leaf, since all rows below that have a value share it.

    costs: of the columns, by which their gains are divided when they compete.

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
        min_samples_split,
        min_samples_leaf,
        min_impurity_decrease,
        competitors,
        costs,
    )
    table = read(columns, kinds, targets, weights, levels, rules.criterion, evenly=rules.counts_weight)
    return grow_node(table, rules, table.rows, depth=0)


def grow_node(table: Table, rules: Rules, part: Part, depth: int, above: Leaf | None = None) -> Leaf | Branch:
    """A leaf if nothing is to be gained, otherwise the best split and a subtree for each of its children."""
    leaf = make_leaf(table, rules.criterion, part, above)
    small = rules.missing.size(part, part) < rules.min_samples_split
    if homogeneous(table, part) or depth >= rules.max_depth or small:
        return leaf
    candidates = candidates_of(table, rules, part, splits_of(table, rules, part))
    split = winner(table, rules, candidates)
    if split is None or not worth_it(table, rules, part, split):
        return leaf
    sent = rules.missing.send(table, part, split)
    return Branch(
        **vars(leaf),
        question=split.question,
        children=tuple(grow_node(table, rules, child, depth + 1, leaf) for child in sent.parts),
        gain=float(split.gain),
        gain_ratio=split.gain_ratio,
        competitors=runners_up(rules, candidates, split),
        surrogates=sent.surrogates,
        missing=sent.missing,
        missing_child=sent.missing_child,
    )


def homogeneous(table: Table, part: Part) -> bool:
    """Do all rows share one target? Where there are none, they do."""
    return len({target for target, _ in table.pairs_of(part)}) <= 1


def worth_it(table: Table, rules: Rules, part: Part, split: Split) -> bool:
    """Is the gain enough, for the share of the table that the node holds?"""
    return split.gain * weight_of(part) / weight_of(table.rows) >= rules.min_impurity_decrease


def runners_up(rules: Rules, candidates: Sequence[Split], chosen: Split) -> tuple[Competitor, ...]:
    """The best questions of the other columns, if they gain anything: best first, equals in their order."""
    others = [split for split in candidates if split is not chosen and split.gain > 0]
    ranked = sorted(others, key=rules.merit, reverse=True)[: rules.competitors]
    return tuple(Competitor(split.question, float(split.gain), split.gain_ratio) for split in ranked)


def make_leaf(table: Table, criterion: Criterion, part: Part, above: Leaf | None) -> Leaf:
    """The node's own numbers and its label. Fractions have done their work here and become floats.

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
