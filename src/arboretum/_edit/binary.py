"""A question with many answers as a series of questions with two: "x = a?", if not "x = b?", and so on.

Every row reaches the leaf that it reached before, also with a missing or unknown value. The nodes between
hold the rows of the branches that are still to come, so that their numbers follow from those of the branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arboretum._grow.given_rows import split_factors
from arboretum._grow.impurities import class_impurities, number_impurities, number_tables, split_information
from arboretum._options.criteria import impurity_of
from arboretum._tree.beside import refuse_counting
from arboretum._tree.leaves import cheapest
from arboretum._tree.questions import Levels
from arboretum._tree.surgery import rebuilt
from arboretum._tree.tables import NOTHING, Part, Table, names_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum.errors import DataError


@dataclass(frozen=True)
class _Step:
    """A node to be made: a node of the old tree, less the answers that were given above.

    Without `rest` it asks what the old node asked; otherwise the first of the rest is asked for.
    """

    node: int
    rest: tuple[int, ...] = ()
    is_between: bool = False


def to_binary(tree: Tree) -> Tree:
    """Return the tree in which every question has two answers."""
    if (tree.array("n_children") <= 2).all():
        return tree
    _refuse_medians(tree)
    refuse_counting(tree.beside)
    steps, parents = _steps(tree)
    rows = _merged_rows(tree, steps)
    questions = _questions(tree, steps, parents, rows)
    return rebuilt(tree, rows, questions, np.array(parents))


def _refuse_medians(tree: Tree) -> None:
    if tree.criterion == "absolute_error":
        raise DataError(
            "The median of several branches does not follow from theirs, so that a tree of absolute errors "
            "cannot be made binary.\nHint: fit with nominal='one_vs_rest'."
        )


def _steps(tree: Tree) -> tuple[list[_Step], list[int]]:
    """Return the nodes of the new tree, breadth-first and siblings side by side, and their parents."""
    steps, parents = [_step_of(tree, 0)], [-1]
    for place, step in enumerate(steps):  # grows on the way
        for child in _children(tree, step):
            steps.append(child)
            parents.append(place)
    return steps, parents


def _step_of(tree: Tree, node: int) -> _Step:
    n_children = int(tree.array("n_children")[node])
    if n_children <= 2:
        return _Step(node)
    groups = _levels_at(tree, node).children
    if tree.missing == "fractions":  # rows cannot be divided among branches that have none: these come first
        first = int(tree.array("first_child")[node])
        order = np.argsort(tree.array("weight")[first : first + n_children] > 0, kind="stable")
        return _Step(node, tuple(order.tolist()))
    # A branch for missing values comes last: it is what remains when no level is left to ask for.
    return _Step(node, tuple(sorted(range(n_children), key=lambda answer: not groups[answer])))


def _children(tree: Tree, step: _Step) -> list[_Step]:
    first = int(tree.array("first_child")[step.node])
    if not step.rest:
        return [_step_of(tree, first + c) for c in range(int(tree.array("n_children")[step.node]))]
    asked, *others = step.rest
    if len(others) == 1:
        return [_step_of(tree, first + asked), _step_of(tree, first + others[0])]
    return [_step_of(tree, first + asked), _Step(step.node, tuple(others), is_between=True)]


def _levels_at(tree: Tree, node: int) -> Levels:
    question = tree.node(node).question
    assert isinstance(question, Levels)
    return question


# --- the numbers of the nodes


def _merged_rows(tree: Tree, steps: Sequence[_Step]) -> dict[str, Array]:
    """Return the numbers of all nodes; those of a node between are what its branches add up to."""
    rows = {
        name: tree.array(name)[[step.node for step in steps]] for name in names_of(Part.ROWS, tree._arrays)
    }
    next_id = int(tree.array("id").max()) + 1
    for place in (place for place, step in enumerate(steps) if step.is_between):
        step = steps[place]
        branches = int(tree.array("first_child")[step.node]) + np.array(step.rest)
        for name, merged in _merge(tree, branches).items():
            rows[name][place] = merged
        rows["id"][place], next_id = next_id, next_id + 1
        if "p_value" in rows:
            rows["p_value"][place] = np.nan
    return rows


def _merge(tree: Tree, nodes: Array) -> dict[str, Array | float]:
    """Return what nodes add up to: rows, weights, impurity, and what all of them would predict together."""
    weight = tree.array("weight")[nodes]
    found: dict[str, Array | float] = {
        "n_rows": tree.array("n_rows")[nodes].sum(),
        "weight": weight.sum(),
        "impurity": _impurity(tree, nodes),
    }
    if tree.rule is None:
        of_rows = "own_value" if "own_value" in tree._arrays else "value"
        mean = _mean(tree.array(of_rows)[nodes], weight)
        return found | {"value": mean, of_rows: mean}
    counts = tree.array("counts")[nodes].sum(axis=0)
    if not counts.any():  # levels without rows: what they predict is what the node above does
        probability = tree.array("probability")[nodes[:1]]
    else:
        probability = tree.rule.probability(counts[None, :])
    label = cheapest(probability, tree.rule.loss)[0]
    return found | {"counts": counts, "probability": probability[0], "label": label}


def _mean(values: Numbers, weights: Numbers) -> float:
    """Return the weighted mean; without any weight, all values are that of the node above."""
    return float(values @ weights / weights.sum()) if weights.any() else float(values[0])


def _impurity(tree: Tree, nodes: Array) -> float:
    """Return the impurity of the rows of several nodes together."""
    criterion = impurity_of(tree.criterion)
    if tree.rule is not None:
        counts = tree.array("counts")[nodes].sum(axis=0) * split_factors(tree)
        return float(class_impurities(criterion, counts[None, :])[0]) if counts.any() else 0.0
    weight = tree.array("weight")[nodes]
    if not weight.any():
        return 0.0
    means = tree.array("own_value" if "own_value" in tree._arrays else "value")[nodes]
    between = number_impurities(criterion, number_tables(means, weight, np.zeros(len(nodes), np.int64), 1))
    return float(tree.array("impurity")[nodes] @ weight / weight.sum() + between[0])


# --- their questions


def _questions(tree: Tree, steps: Sequence[_Step], parents: Sequence[int], rows: dict[str, Array]) -> Table:
    """Return what each node asks: what it asked before, or for the first of the levels that are left."""
    n_old = len(tree)
    new = [place for place, step in enumerate(steps) if step.rest]
    first_child = np.searchsorted(parents, new)
    asked = tree._questions.then(NOTHING)
    deciding = rows["weight"] if tree.rule is None else rows["counts"] @ split_factors(tree)
    for place, child in zip(new, first_child.tolist(), strict=True):
        question = _first_of(tree, steps[place], rows["weight"][child : child + 2])
        gains = _gains(rows["impurity"], deciding, place, child)
        asked = asked.then(question.encode(tree.columns, **gains))
    old = np.array([step.node for step in steps])
    old[new] = n_old + 1 + np.arange(len(new))
    return asked.take(old)


def _first_of(tree: Tree, step: _Step, weights: Numbers) -> Levels:
    """Return the question whether the level is the first of those that are left; its children weigh this."""
    question = _levels_at(tree, step.node)
    first, *others = step.rest
    groups = dict(enumerate(question.children))
    if tree.missing == "child":  # levels without rows here follow the heaviest of all branches
        heaviest = int(np.argmax([child.weight for child in tree.node(step.node).children]))
        groups[heaviest] = tuple(sorted((*groups[heaviest], *question._unseen)))
    left = tuple(sorted(level for answer in others for level in groups[answer]))
    goes_to = question.missing_child
    if tree.missing == "fractions":  # it gets the largest part of a row that is divided
        missing_child = int(np.argmax(weights))
    else:
        missing_child = goes_to if goes_to < 0 else int(goes_to != first)
    return Levels(question.about, missing_child, question.missing_seen, (groups[first], left))


def _gains(impurity: Numbers, weight: Numbers, place: int, child: int) -> dict[str, float]:
    """Return what a question with two answers gains; with the gains of the series, as much as the old one."""
    here, below = weight[place], weight[child : child + 2]
    if here <= 0:
        return {}
    gain = max(0.0, float(impurity[place] - below @ impurity[child : child + 2] / here))
    information = float(split_information(below[None, :], 0.0)[0])
    return {
        "gain": gain,
        "corrected_gain": gain,
        "improvement": gain * float(here / weight[0]),
        "gain_ratio": gain / information if information > 0 else 0.0,
    }
