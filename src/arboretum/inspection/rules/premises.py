"""Premises: what must hold of a row to reach each node of a tree, merged on the way down.

Exactly, or as people read it: then a condition says nothing about missing values where surrogates stand in
for them, or where such rows are divided.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from arboretum._tree.questions import Levels, Threshold
from arboretum._tree.tree import Node, Tree
from arboretum.inspection.rules.conditions import Allowed, Condition, condition_of
from arboretum.inspection.rules.forks import fork_of
from arboretum.inspection.rules.merging import Changes, Premise


@dataclass(frozen=True)
class Reached:
    """A node, and what must hold to reach it, or to stop there although it asks something."""

    number: int
    premise: Premise
    changes: Changes  # since the node above
    stops: bool  # whether rows may go no further


def premises(tree: Tree, *, exact: bool = False, merge: bool = True) -> Iterator[Reached]:
    """Yield every node before its children, left before right; rows that stop at an inner node come first."""
    todo: list[tuple[int, Premise, Changes]] = [(0, Premise(), {})]
    while todo:
        number, premise, changes = todo.pop()
        fork = fork_of(Node(tree, number))
        yield Reached(number, premise, changes, stops=fork.question is None)
        may_lack_answer = tree.missing != "fractions" and isinstance(fork.question, Threshold | Levels)
        if may_lack_answer and fork.missing_child is None:
            rest, more = _extended(premise, condition_of(fork, None), (number, None), exact, merge)
            yield Reached(number, rest, more, stops=True)
        for place in reversed(range(len(fork.children))):
            child = fork.children[place]
            below = _extended(premise, condition_of(fork, place), (number, place), exact, merge)
            todo.append((child, *below))


def _extended(
    premise: Premise, condition: Condition, key: tuple[int, int | None], exact: bool, merge: bool
) -> tuple[Premise, Changes]:
    if not merge:
        return Premise({**premise.conditions, key: condition}), {key: condition}
    return premise.with_condition(condition if exact else as_read(condition), key)


def as_read(condition: Condition) -> Condition:
    """Return a condition for people: about known values only, where others decide about missing ones."""
    if not isinstance(condition, Allowed) or condition.stands_alone:
        return condition
    return known_values(condition)


def known_values(condition: Allowed) -> Allowed:
    """Return a condition without what decides about missing values."""
    # Some rows with a missing value may come along, so that it is never said to be known.
    return replace(condition, surrogates=(), answered=None, share=None, missing=True, missing_seen=False)
