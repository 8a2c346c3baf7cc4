"""Pruning by hand: with rows held aside, and by the weakest links of cost-complexity pruning."""

from __future__ import annotations

from typing import Final

import numpy as np

from arboretum._show.document.blocks import Listing, Paragraph
from arboretum._wording import many
from arboretum.exercises.answers import Amount, Name, tidy
from arboretum.exercises.drawing import draw_until
from arboretum.exercises.exercise import Exercise, Step
from arboretum.reference.reduced_error import greedy
from arboretum.reference.subtrees import Subtree
from arboretum.reference.weakest_link import strengths, tree_at, weakest_link_path

# The children of each inner node, level by level from the root, which is node 0.
_SHAPES: Final = (
    {0: (1, 2), 1: (3, 4), 2: (5, 6)},
    {0: (1, 2), 1: (3, 4), 3: (5, 6)},
    {0: (1, 2), 2: (3, 4), 3: (5, 6)},
    {0: (1, 2), 1: (3, 4), 2: (5, 6), 3: (7, 8)},
)


def make_reduced_error(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about greedy reduced-error pruning."""
    tree = draw_until(random, _draw_tuning, _is_clear_tuning)
    log, steps = greedy(tree).log, []
    steps.append(
        Step(
            "errors",
            "How many errors does the whole tree make on the tuning rows?",
            Amount(float(tree.risk), 0),
            f"The leaves make {' + '.join(str(leaf.cost) for leaf in tree.leaves)} = {tree.risk}.",
            "Add up the errors of the leaves; those of inner nodes do not count while they ask.",
        )
    )
    rest = tree
    for number, trial in enumerate(log, 1):
        if trial.after > trial.before:
            break
        after = {node.number: rest.risk - node.risk + node.cost for node in rest.inner}
        compared = ", ".join(f"node {node}: {errors}" for node, errors in after.items())
        steps.append(
            Step(
                f"prune {number}",
                f"Round {number}: which node do you make a leaf?",
                Name(f"node {trial.node}", (str(trial.node),)),
                f"The errors afterwards: {compared}; now {rest.risk}.",
                "For each inner node, put its own errors in the place of those of the leaves below it.",
            )
        )
        rest = rest.collapse({trial.node})
        steps.append(
            Step(
                f"errors {number}",
                "How many errors does the tree make then?",
                Amount(float(rest.risk), 0),
                f"The leaves are {_leaves(rest)}.",
                "Add up the errors of the leaves that are left.",
            )
        )
    steps.append(
        Step(
            "leaves",
            "Every further step does harm. How many leaves has the pruned tree?",
            Amount(float(rest.n_leaves), 0),
            f"They are {_leaves(rest)}.",
            "A node that was made a leaf counts once, and those below it no more.",
        )
    )
    text = Paragraph(
        "Rows were held aside for pruning. Each line says how many of them the node would get wrong as a "
        "leaf, of those that reach it. Prune greedily: make that node a leaf which improves the errors most, "
        "until every removal does harm. Of equals, nodes with lower numbers go first, and a node whose "
        "removal changes nothing goes too."
    )
    return Exercise("reduced_error", "Reduced-error pruning", (text, Listing(_drawn(tree))), tuple(steps))


def make_weakest_link(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about the sequence of weakest links."""
    tree = draw_until(random, _draw_training, _is_clear_training)
    path, steps = weakest_link_path(tree), []
    for number, step in enumerate(path[1:], 1):
        before = path[number - 1].tree
        found = strengths(before)
        for node in before.inner:
            rise = f"({node.cost} − {node.risk}) / ({node.n_leaves} − 1)"
            steps.append(
                Step(
                    f"g{number} of node {node.number}",
                    f"Tree {number}: what is the strength g of node {node.number}?",
                    Amount(float(found[node.number])),
                    f"{rise} = {tidy(float(found[node.number]), 3)}.",
                    "Its own errors less those of the leaves below it, for each leaf that is saved.",
                )
            )
        steps.append(
            Step(
                f"link {number}",
                f"Tree {number}: which node is the weakest link?",
                Name(f"node {step.collapsed[0]}", (str(step.collapsed[0]),)),
                f"Its strength, alpha = {tidy(float(step.alpha), 3)}, is the least.",
                "The one with the least strength.",
            )
        )
    alpha = float(path[1].alpha + path[2].alpha) / 2
    chosen = tree_at(path, alpha)
    steps.append(
        Step(
            "leaves at alpha",
            f"How many leaves has the best tree if a leaf costs alpha = {tidy(alpha, 3)}?",
            Amount(float(chosen.n_leaves), 0),
            f"Between {tidy(float(path[1].alpha), 3)} and {tidy(float(path[2].alpha), 3)} it is the tree "
            f"after the first cut, with the leaves {_leaves(chosen)}.",
            "All links weaker than alpha are broken.",
        )
    )
    text = Paragraph(
        "Each line says how many training rows the node would get wrong as a leaf. Find the weakest link, "
        "make it a leaf, and go on with the tree that is left until only the root remains. Tree 1 is the "
        "whole tree. The strength of an inner node t is g(t) = (R(t) − R(T)) / (L − 1), where R(t) are its "
        "own errors, R(T) those of the leaves below it, and L the number of these leaves."
    )
    return Exercise(
        "weakest_link",
        "Cost-complexity pruning",
        (text, Listing(_drawn(tree))),
        tuple(steps),
    )


def _leaves(tree: Subtree) -> str:
    return ", ".join(f"node {leaf.number}" for leaf in tree.leaves)


def _drawn(tree: Subtree) -> str:
    """Return the tree as text, one line for each node."""
    lines = []

    def add(node: Subtree, indent: str) -> None:
        errors = many(int(node.cost), "error")
        lines.append(f"{indent}node {node.number}{' (leaf)' if node.is_leaf else ''}: {errors}")
        for child in node.children:
            add(child, indent + "    ")

    add(tree, "")
    return "\n".join(lines)


def _built(shape: dict[int, tuple[int, int]], costs: dict[int, int], number: int = 0) -> Subtree:
    children = tuple(_built(shape, costs, child) for child in shape.get(number, ()))
    return Subtree(number, costs[number], children)


def _numbers(shape: dict[int, tuple[int, int]]) -> list[int]:
    return [0, *sorted(child for children in shape.values() for child in children)]


def _draw_tuning(random: np.random.RandomState) -> Subtree:
    shape = _SHAPES[random.randint(len(_SHAPES))]
    return _built(shape, {number: int(random.randint(0, 7)) for number in _numbers(shape)})


def _is_clear_tuning(tree: Subtree) -> bool:
    """Return whether one or two steps are taken, each clearly the best, and the root stays."""
    log, rest = greedy(tree).log, tree
    taken = [trial for trial in log if trial.after <= trial.before]
    if not 1 <= len(taken) <= 2 or rest.cost < rest.risk + 2 or tree.risk < 4:
        return False
    for trial in taken:
        saved = sorted(node.risk - node.cost for node in rest.inner)
        if saved[-1] == saved[-2] or saved[-1] <= 0:
            return False
        rest = rest.collapse({trial.node})
    return rest.n_leaves > 1 and all(node.cost > node.risk for node in rest.inner)


def _draw_training(random: np.random.RandomState) -> Subtree:
    shape = _SHAPES[random.randint(len(_SHAPES))]
    numbers = _numbers(shape)
    costs = {number: int(random.randint(0, 3)) for number in numbers if number not in shape}
    for number in reversed(list(shape)):  # a node makes more errors than its children together
        costs[number] = sum(costs[child] for child in shape[number]) + int(random.randint(1, 9))
    return _built(shape, costs)


def _is_clear_training(tree: Subtree) -> bool:
    """Return whether links break one by one, at strengths with one digit after the point at most."""
    path = weakest_link_path(tree)
    if len(path) < 3 or path[0].collapsed:
        return False
    one_by_one = all(len(step.collapsed) == 1 for step in path[1:])
    found = [strengths(step.tree) for step in path[:-1]]
    tidy_ones = all(2 * strength == int(2 * strength) for each in found for strength in each.values())
    return one_by_one and tidy_ones and max(map(float, found[0].values())) < 20
