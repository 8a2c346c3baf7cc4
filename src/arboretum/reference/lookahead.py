"""Lookahead as the notes have it: a split is worth what the best subtree that begins with it gains.
Words: evaluate_split, ordinary_find_best_split, lookahead_find_best_split (the procedures of the notes).
Does not grow: it chooses one split of one node, by trying everything.
"""

from __future__ import annotations

from arboretum.reference.impurities import Number
from arboretum.reference.nodes import Split
from arboretum.reference.parts import Part, Table, weight_of
from arboretum.reference.plain_tree import homogeneous
from arboretum.reference.splits import Rules, best_split, splits_of

__all__ = ["evaluate_split", "lookahead_find_best_split", "ordinary_find_best_split"]


def ordinary_find_best_split(table: Table, rules: Rules, part: Part) -> Split | None:
    """The split with the largest gain of its own, the first one among equals."""
    return best_split(splits_of(table, rules, part))


def lookahead_find_best_split(
    table: Table, rules: Rules, part: Part, *, depth: int = 1, level: int = 0
) -> Split | None:
    """The split whose subtree gains most; of equals the one that does so in fewer levels, or gains more.

    "Exactly one of two" among columns that tell nothing: no split gains anything by itself.

    >>> from arboretum.reference.parts import read
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
        return (*worths, split.gain)

    return max(splits_of(table, rules, part), key=merits, default=None)


def evaluate_split(
    table: Table, rules: Rules, part: Part, split: Split, *, depth: int = 1, level: int = 0
) -> Number:
    """The gain of the subtree that begins with this split and goes on as well as it can for `depth` levels.

    `level` is that of the node: where the tree may grow no further, there is nothing to look at.
    """
    worth = split.gain
    for child in rules.missing.send(table, part, split).parts:
        small = rules.missing.size(child, child) < rules.min_samples_split
        if homogeneous(table, child) or small or level + 1 >= rules.max_depth:
            continue  # no need to split further
        below = [
            further.gain
            if depth == 1
            else evaluate_split(table, rules, child, further, depth=depth - 1, level=level + 1)
            for further in splits_of(table, rules, child)
        ]
        if below:
            worth += weight_of(child) / weight_of(part) * max(below)
    return worth
