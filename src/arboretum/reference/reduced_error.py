"""Reduced-error pruning: collapse nodes where rows held aside for it show that this does no harm.

Each node costs e(t), the errors of these tuning rows if it were a leaf (see `tuning_tree`), and is compared
with E(T_t), the errors of its subtree. There are three orders:

- `greedy`: remove the node that improves the errors most, until every removal does harm; ties are removed.
- `by_leaves`: take one leaf after the other, and collapse its parent if that lowers the errors; ties stay.
- `bottom_up`: children before parents; collapse where the leaf makes no more errors than its subtree.

>>> tree = Subtree(0, 3, (Subtree(1, 1, (Subtree(3, 1), Subtree(4, 1))), Subtree(2, 0)))
>>> pruned = greedy(tree)
>>> print(trial_table(pruned.log))
node  before  after  pruned
   1       2      1  yes
   0       1      3  no
>>> pruned.tree.n_leaves, pruned.tree.risk
(2, 1)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

from arboretum.errors import ParameterError
from arboretum.reference.given import rows_of, targets_of, tree_given
from arboretum.reference.impurities import Number
from arboretum.reference.questions import choice
from arboretum.reference.subtrees import Subtree, text_table, tuning_tree


class Trial(NamedTuple):
    """One node that was tried, with the errors of the whole tree before and after collapsing it."""

    node: int
    before: Number
    after: Number
    pruned: bool


class Reduced(NamedTuple):
    """The pruned tree, and the trials that led to it."""

    tree: Subtree
    log: list[Trial]


def reduce_error(tree: Any, order: str = "greedy", *, rows: Any = None, targets: Any = None) -> Reduced:
    """Prune in the order of that name: "greedy", "leaves" or "bottom_up".

    The tree is a Subtree with its costs, or a fitted model, a Tree or a tree of `grow`: then rows that were
    held aside, a list or a data frame, say what its nodes cost.

    >>> from arboretum.reference.plain_tree import grow
    >>> tree = grow([[1, 2, 3, 4]], ["numeric"], list("abba"))
    >>> print(trial_table(reduce_error(tree, rows=[[1], [2], [4]], targets=list("abb")).log))
    node  before  after  pruned
       2       1      0  yes
       0       0      2  no
    """
    orders = {"greedy": greedy, "leaves": by_leaves, "bottom_up": bottom_up}
    return choice("order", order, orders)(_tuned(tree, rows, targets))


def _tuned(tree: Any, rows: Any, targets: Any) -> Subtree:
    if isinstance(tree, Subtree):
        if rows is not None or targets is not None:
            raise ParameterError("A Subtree has its costs already. Hint: leave out rows and targets.")
        return tree
    plain = tree_given(tree, "reduce_error")
    if rows is None or targets is None:
        raise ParameterError(
            "The costs of this tree are not known. Hint: give rows= and targets= that were held aside."
        )
    listed = rows_of(tree, rows)
    return tuning_tree(plain, listed, targets_of(targets, len(listed)))


def greedy(tree: Subtree) -> Reduced:
    """Do until further pruning is harmful: remove the node whose removal most improves the errors.

    Of equals, the lowest number goes: nearest the root, then leftmost. Here all are equal, and the root goes
    at once:

    >>> greedy(Subtree(0, 1, (Subtree(1, 1, (Subtree(3, 0), Subtree(4, 1))), Subtree(2, 0)))).log
    [Trial(node=0, before=1, after=1, pruned=True)]
    """
    log: list[Trial] = []
    while not tree.is_leaf:
        best = max(tree.inner, key=lambda node: node.risk - node.cost)  # the first among equals
        log.append(_try(tree, best, prunes_ties=True))
        if not log[-1].pruned:
            break
        tree = tree.collapse({best.number})
    return Reduced(tree, log)


def by_leaves(tree: Subtree) -> Reduced:
    """Mark the leaves one after the other; collapse the parent of each if that lowers the errors.

    The lecture notes leave open which leaf comes next: here they queue from left to right, and a new leaf
    joins the end of the queue. A parent of several leaves is tried for each of them.

    >>> tree = Subtree(0, 3, (Subtree(1, 0, (Subtree(3, 1), Subtree(4, 1))), Subtree(2, 0)))
    >>> print(trial_table(by_leaves(tree).log))
    node  before  after  pruned
       1       2      0  yes
       0       0      3  no
       0       0      3  no
    """
    log: list[Trial] = []
    unmarked = deque(leaf.number for leaf in tree.leaves)
    while unmarked:
        parent = _parent(tree, unmarked.popleft())
        if parent is None:  # the leaf is the root, or went with a node above it
            continue
        log.append(_try(tree, parent, prunes_ties=False))
        if log[-1].pruned:
            tree = tree.collapse({parent.number})
            unmarked.append(parent.number)
    return Reduced(tree, log)


def bottom_up(tree: Subtree) -> Reduced:
    """Try every inner node once, after all nodes below it.

    >>> tree = Subtree(0, 2, (Subtree(1, 1, (Subtree(3, 0), Subtree(4, 1))), Subtree(2, 0)))
    >>> print(trial_table(bottom_up(tree).log))
    node  before  after  pruned
       1       1      1  yes
       0       1      2  no
    """
    log: list[Trial] = []
    for number in [node.number for node in _children_first(tree) if not node.is_leaf]:
        here = next(node for node in tree.walk() if node.number == number)
        log.append(_try(tree, here, prunes_ties=True))
        if log[-1].pruned:
            tree = tree.collapse({number})
    return Reduced(tree, log)


def _try(tree: Subtree, node: Subtree, *, prunes_ties: bool) -> Trial:
    """Compare e(t) with E(T_t); the rest of the tree makes the same errors before and after."""
    before = tree.risk
    after = tree.collapse({node.number}).risk
    pruned = node.cost <= node.risk if prunes_ties else node.cost < node.risk
    return Trial(node.number, before, after, pruned)


def _parent(tree: Subtree, number: int) -> Subtree | None:
    """Return the parent of a node, if both are still there."""
    return next((node for node in tree.walk() if number in [c.number for c in node.children]), None)


def _children_first(tree: Subtree) -> list[Subtree]:
    return [*(node for child in tree.children for node in _children_first(child)), tree]


def trial_table(log: Sequence[Trial]) -> str:
    """Return the log as text, one line per trial."""
    rows = [(*trial[:3], "yes" if trial.pruned else "no") for trial in log]
    return text_table(("node", "before", "after", "pruned"), rows)
