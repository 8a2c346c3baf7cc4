"""Pessimistic pruning, as C4.5 does it (in the form of J48): by the rows the tree was grown from.

A leaf with N rows, e of them wrong, is expected to be wrong on more rows to come: on as many as the upper
confidence limit of e says. Small leaves pay more for that, so merging them may pay off.

>>> round(1 + extra_errors(6, 1, 0.25), 3), round(0 + extra_errors(6, 0, 0.25), 3)
(2.304, 1.238)

So small leaves are expected to err even where they did not. In the table below, one row is split off before
the others are asked the question that matters. If that were asked of all rows, 4.22 errors would be expected
instead of 4.84: the branch below is raised to take the root's place.

>>> from arboretum.reference.plain_tree import grow
>>> columns, targets = [[0, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1]], list("aaababb")
>>> tree = grow(columns, ["numeric", "numeric"], targets, criterion="entropy")
>>> [leaf.counts for leaf in tree.children[1].children]
[{'a': 2.0, 'b': 1.0}, {'a': 1.0, 'b': 2.0}]
>>> pruned = prune_pessimistically(tree, columns, targets)
>>> print(action_table(pruned.log))
node   before    after  action
   2  4.08862  4.25085  keep
   0  4.83862   4.2163  raise
   2   4.2163  4.36461  keep
>>> [(leaf.number, leaf.counts) for leaf in pruned.tree.leaves]
[(3, {'a': 3.0, 'b': 1.0}), (4, {'a': 1.0, 'b': 2.0})]

Node 2 is kept because as a leaf it would be worse by more than 0.1, which is the slack allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Final, NamedTuple, TypeAlias

from arboretum._wording import shown
from arboretum.errors import ParameterError
from arboretum.reference.given import columns_of, targets_of, tree_given
from arboretum.reference.nodes import Branch
from arboretum.reference.questions import Question
from arboretum.reference.subtrees import Subtree, Walked, child_shares, subtree_of, text_table

# A subtree stays only if it makes fewer training errors than its root as a leaf would, by more than this.
COLLAPSE_SLACK: Final = 1e-3
# The smaller tree is taken even if it is expected to make a tenth of an error more.
PRUNING_SLACK: Final = 0.1
# J48 takes numbers for equal that differ by less.
TOLERANCE: Final = 1e-6

Rows: TypeAlias = Mapping[int, float]  # row numbers, each with its weight here


class Table(NamedTuple):
    """The table that the tree was grown from."""

    columns: Sequence[Sequence[Any]]
    targets: Sequence[Any]
    classes: Sequence[Any]

    def counts(self, rows: Rows) -> dict[Any, float]:
        """Return the weight of each class."""
        return {
            name: math.fsum(weight for row, weight in rows.items() if self.targets[row] == name)
            for name in self.classes
        }


@dataclass(frozen=True)
class Place(Walked):
    """A node with what its rows look like. Its number is that in the tree as grown.

    A raised branch gets all rows of the node whose place it takes. A leaf without rows has the label of the
    node above. `resting` counts the rows that go no further: all of a leaf, and those an inner node cannot
    send.
    """

    number: int
    label: Any
    counts: Mapping[Any, float]
    resting: Mapping[Any, float]
    question: Question | None = None
    children: tuple[Place, ...] = ()

    @property
    def weight(self) -> float:
        """The weight of the rows that go no further."""
        return math.fsum(self.resting.values())

    @property
    def errors(self) -> float:
        """The weight of those whose label is wrong."""
        return self.weight - self.resting[self.label] if self.weight else 0.0


class Action(NamedTuple):
    """What became of a node: "collapse", "leaf", "raise" (its largest branch takes its place) or "keep".

    The errors are those of its subtree before and after: made in the training rows for "collapse", expected
    otherwise. For "keep", `after` is the better of the two alternatives.
    """

    node: int
    before: float
    after: float
    action: str


class PessimisticallyPruned(NamedTuple):
    """The pruned tree, and how it came about."""

    tree: Place
    log: list[Action]


def prune_pessimistically(
    tree: Any,
    columns: Any,
    targets: Any,
    weights: Sequence[float] | None = None,
    *,
    confidence: float = 0.25,
    raise_subtrees: bool = True,
) -> PessimisticallyPruned:
    """Collapse what saves no training error, from the root down; then prune, from the leaves up.

    The tree is one of `grow`, a fitted model or a Tree. Columns (a list of them, or a data frame), targets
    and weights are those it was grown from; a fitted tree takes rows, as when it was fitted. J48 reads its
    confidence in single precision: 0.25 is the same there, but its `-C 0.1` is 0.10000000149011612.

    One of eight rows is wrong, with or without the tree: a tree that saves no error is collapsed.

    >>> from arboretum.reference.plain_tree import grow
    >>> column, targets = [1, 1, 1, 1, 2, 2, 2, 2], list("aaaabaaa")
    >>> tree = grow([column], ["numeric"], targets)
    >>> pruned = prune_pessimistically(tree, [column], targets)
    >>> pruned.log, pruned.tree.counts
    ([Action(node=0, before=1.0, after=1.0, action='collapse')], {'a': 7.0, 'b': 1.0})
    """
    if not 0 < confidence <= 0.5:
        raise ParameterError(
            f"confidence={shown(confidence)} is not allowed; give a number above 0 and up to 0.5: "
            "the smaller it is, the more is pruned."
        )
    columns, tree = columns_of(tree, columns), tree_given(tree, "prune_pessimistically")
    targets = targets_of(targets, len(columns[0]) if columns else len(targets))
    if tree.counts is None:
        raise ParameterError(
            "The tree predicts numbers, but pessimistic pruning counts errors of classes. "
            "Hint: prune by weakest links."
        )
    table = Table(columns, targets, list(tree.counts))
    given = [1.0] * len(targets) if weights is None else weights
    rows = {row: float(weight) for row, weight in enumerate(given) if weight > 0}
    log: list[Action] = []
    skeleton = collapse(table, subtree_of(tree), rows, log)
    skeleton = prune(table, skeleton, rows, Rule(confidence, raise_subtrees), log)
    return PessimisticallyPruned(settle(table, skeleton, rows, tree.label), log)


def extra_errors(weight: float, errors: float, confidence: float) -> float:
    """Return by how much the upper confidence limit of `errors` out of `weight` rows exceeds `errors`.

    Without errors it is N(1 - CF^(1/N)), from the limit p at which N rows pass without an error with
    probability CF, (1 - p)^N = CF. Below one error it lies on the straight line to the value at 1. Where half
    an error more would be all rows, it is what is left of them. Otherwise it is the limit of a normal
    approximation, with half an error added.

    >>> [round(extra_errors(weight, 0, 0.25), 3) for weight in (1, 2, 6, 100)]
    [0.75, 1.0, 1.238, 1.377]
    >>> extra_errors(4, 3.75, 0.25), extra_errors(4, 4, 0.25)
    (0.25, 0)
    """
    if errors < 1:
        without = weight * (1 - math.pow(confidence, 1 / weight))
        return without if errors == 0 else without + errors * (extra_errors(weight, 1, confidence) - without)
    if errors + 0.5 >= weight:
        return max(weight - errors, 0)
    z = NormalDist().inv_cdf(1 - confidence)
    share = (errors + 0.5) / weight
    spread = math.sqrt(share / weight - share**2 / weight + z**2 / (4 * weight**2))
    limit = (share + z**2 / (2 * weight) + z * spread) / (1 + z**2 / weight)
    return limit * weight - errors


class Rule(NamedTuple):
    """The confidence, and whether branches may be raised."""

    confidence: float
    raise_subtrees: bool


def collapse(table: Table, tree: Subtree, rows: Rows, log: list[Action]) -> Subtree:
    """Turn nodes whose subtree saves no training error into leaves, from the root down."""
    if tree.is_leaf:
        return tree
    before, after = (training_errors(table, offer, rows) for offer in (tree, replace(tree, children=())))
    if before >= after - COLLAPSE_SLACK:
        log.append(Action(tree.number, before, after, "collapse"))
        return replace(tree, children=())
    parts = zip(tree.children, send(table, tree, rows), strict=True)
    return replace(tree, children=tuple(collapse(table, child, part, log) for child, part in parts))


def prune(table: Table, tree: Subtree, rows: Rows, rule: Rule, log: list[Action]) -> Subtree:
    """Prune the children first; then compare the node as a leaf, its subtree, and its largest branch.

    The branch is judged by all rows of the node, sent down the branch. Once raised, it is pruned again.
    """
    if tree.is_leaf:
        return tree
    parts = send(table, tree, rows)
    children = [
        prune(table, child, part, rule, log) for child, part in zip(tree.children, parts, strict=True)
    ]
    tree = replace(tree, children=tuple(children))
    branch = children[largest([math.fsum(part.values()) for part in parts])]
    as_leaf = estimate(table, replace(tree, children=()), rows, rule.confidence)
    as_tree = estimate(table, tree, rows, rule.confidence)
    as_branch = estimate(table, branch, rows, rule.confidence) if rule.raise_subtrees else math.inf
    if at_most(as_leaf, min(as_tree, as_branch) + PRUNING_SLACK):
        log.append(Action(tree.number, as_tree, as_leaf, "leaf"))
        return replace(tree, children=())
    if at_most(as_branch, as_tree + PRUNING_SLACK):
        log.append(Action(tree.number, as_tree, as_branch, "raise"))
        return prune(table, branch, rows, rule, log)
    log.append(Action(tree.number, as_tree, min(as_leaf, as_branch), "keep"))
    return tree


def largest(weights: Sequence[float]) -> int:
    """Return the heaviest branch, the last of equals."""
    return max(range(len(weights)), key=lambda place: (round(weights[place] / TOLERANCE), place))


def send(table: Table, tree: Subtree, rows: Rows) -> list[Rows]:
    """Return the rows of each child; rows are divided in the shares of those whose value is known.

    If none is known, the shares are equal.
    """
    branch = tree.node
    assert isinstance(branch, Branch)
    n_children = len(tree.children)
    parts: list[dict[int, float]] = [{} for _ in range(n_children)]
    divided: list[int] = []
    for row, weight in rows.items():
        value = table.columns[branch.question.column][row]
        if branch.missing == "fractions" and not branch.question.knows(value):
            divided.append(row)
            continue
        for place, share in child_shares(branch, [column[row] for column in table.columns]):
            parts[place][row] = weight * float(share)
    known = [math.fsum(part.values()) for part in parts]
    for place, weight in enumerate(known):
        share = weight / math.fsum(known) if any(known) else 1 / n_children
        parts[place] |= {row: rows[row] * share for row in divided if share > 0}
    return list(parts)


def settle(table: Table, tree: Subtree, rows: Rows, above: Any = None) -> Place:
    """Return the tree with these rows in it. `above` is the label of the node above."""
    counts = table.counts(rows)
    label = max(counts, key=lambda name: counts[name]) if any(counts.values()) else above
    if tree.is_leaf or not isinstance(tree.node, Branch):
        return Place(tree.number, label, counts, counts)
    parts = send(table, tree, rows)
    staying = {row: weight for row, weight in rows.items() if not any(row in part for part in parts)}
    children = tuple(
        settle(table, child, part, label) for child, part in zip(tree.children, parts, strict=True)
    )
    return Place(tree.number, label, counts, table.counts(staying), tree.node.question, children)


def training_errors(table: Table, tree: Subtree, rows: Rows) -> float:
    """Return the errors that a tree makes in these rows."""
    return math.fsum(place.errors for place in settle(table, tree, rows).walk())


def estimate(table: Table, tree: Subtree, rows: Rows, confidence: float) -> float:
    """Return the errors expected of a tree with these rows: those made, and those to be feared."""
    ends = [place for place in settle(table, tree, rows).walk() if place.weight]
    return math.fsum(end.errors + extra_errors(end.weight, end.errors, confidence) for end in ends)


def at_most(one: float, other: float) -> bool:
    """Return whether one number is not above the other, within J48's tolerance."""
    return one < other + TOLERANCE


def action_table(log: Sequence[Action]) -> str:
    """Return the log as text, one line per node."""
    return text_table(("node", "before", "after", "action"), log)
