"""Weakest-link pruning: the sequence of subtrees that cost-complexity pruning chooses from.

C_alpha(T) = R(T) + alpha · leaves(T). Collapsing a link, an inner node t, saves all leaves below it but one
and raises the risk by R(t) - R(T_t). It pays from alpha = g(t) = (R(t) - R(T_t)) / (leaves of T_t - 1) on.
The weakest link, the one with the least strength g, breaks first.

>>> tree = Subtree(0, 6, (Subtree(1, 2, (Subtree(3, 0), Subtree(4, 1))), Subtree(2, 1)))
>>> {number: str(strength) for number, strength in strengths(tree).items()}
{0: '2', 1: '1'}
>>> print(path_table(weakest_link_path(tree)))
alpha  leaves  risk  collapsed
    0       3     2
    1       2     3  1
    3       1     6  0

Up to alpha = 1 the whole tree is best, from 1 on the tree with two leaves, and from 3 on the root alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from arboretum.reference.given import tree_given
from arboretum.reference.impurities import Number
from arboretum.reference.subtrees import Subtree, subtree_of, text_table, training_cost


class Step(NamedTuple):
    """From `alpha` on, up to the alpha of the next step, `tree` is T(alpha)."""

    alpha: Number
    tree: Subtree
    collapsed: tuple[int, ...]  # the nodes collapsed since the step before


def weakest_link_path(tree: Any, slack: Number = 0) -> list[Step]:
    """Return every T(alpha), from alpha = 0, where only links that save nothing break, to the root alone.

    The tree is a Subtree with its costs. The nodes of a fitted model, a Tree or a tree of `grow` cost what
    they get wrong of the rows they were grown from (`training_cost`).

    All links of the least strength break at once. Whole costs give exact fractions; where costs are rounded,
    strengths within `slack` of the least count as equal.

    A link that saves no cost breaks at alpha = 0:

    >>> print(path_table(weakest_link_path(Subtree(0, 3, (Subtree(1, 2), Subtree(2, 1))))))
    alpha  leaves  risk  collapsed
        0       1     3  0

    Nodes 1 and 2 both have strength 1 and break at once; then the root has strength 2:

    >>> left, right = (Subtree(n, 1, (Subtree(2 * n + 1, 0), Subtree(2 * n + 2, 0))) for n in (1, 2))
    >>> print(path_table(weakest_link_path(Subtree(0, 4, (left, right)))))
    alpha  leaves  risk  collapsed
        0       4     0
        1       2     2  1, 2
        2       1     4  0
    """
    if not isinstance(tree, Subtree):
        tree = subtree_of(tree_given(tree, "weakest_link_path"), training_cost)
    steps = [_break(tree, 0, slack)]
    while not steps[-1].tree.is_leaf:
        rest = steps[-1].tree
        steps.append(_break(rest, min(strengths(rest).values()), slack))
    return steps


def strengths(tree: Subtree) -> dict[int, Number]:
    """Return g(t) of every inner node: how much collapsing it raises the risk per leaf saved."""
    return {node.number: _ratio(node.cost - node.risk, node.n_leaves - 1) for node in tree.inner}


def _ratio(rise: Number, saved: int) -> Number:
    return rise / saved if isinstance(rise, float) else Fraction(rise) / saved


def _break(tree: Subtree, alpha: Number, slack: Number) -> Step:
    """Collapse the weakest links until all that are left are stronger than alpha."""
    before = tree
    while (found := strengths(tree)) and (least := min(found.values())) <= alpha + slack:
        tree = tree.collapse([number for number, strength in found.items() if strength <= least + slack])
    left = {node.number for node in tree.inner}
    kept = {node.number for node in tree.walk()}
    # Nodes that went with a node above them are not named.
    gone = tuple(node.number for node in before.inner if node.number in kept - left)
    return Step(alpha, tree, gone)


def tree_at(path: Sequence[Step], alpha: Number) -> Subtree:
    """Return T(alpha), read off the path: the tree of the last step that is not above alpha.

    >>> path = weakest_link_path(Subtree(0, 3, (Subtree(1, 0), Subtree(2, 1))))
    >>> [tree_at(path, alpha).n_leaves for alpha in (0, 1.9, 2, 100)]
    [2, 2, 1, 1]
    """
    return next(step.tree for step in reversed(path) if step.alpha <= alpha)


def path_table(path: Sequence[Step]) -> str:
    """Return the path as text, one line per step."""
    rows = [
        (step.alpha, step.tree.n_leaves, step.tree.risk, ", ".join(map(str, step.collapsed))) for step in path
    ]
    return text_table(("alpha", "leaves", "risk", "collapsed"), rows)
