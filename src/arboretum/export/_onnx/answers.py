"""Answers as features: a column for every question that is more than a few cuts of the main tree.

An answer is the place of a child, or -1 if there is none; for "at least m of" it is the number of literals
that hold. One forest finds all of them: a tree of cuts for each question or literal, whose results the
operator adds up.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from arboretum._tree.composites import AtLeast, Linear
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from arboretum.export._onnx.features import Branch, Features, Forest, by_code, goals_of
from arboretum.export._onnx.graph import ML, Graph
from arboretum.export._program.program import Program, Step

NO_ANSWER: Final = -1


def meaning(question: Question, place: int) -> tuple[float, float]:
    """Return the open interval of answers that lead to this child."""
    if isinstance(question, AtLeast):
        return (question.m - 0.5, math.inf) if place == 0 else (-0.5, question.m - 0.5)
    if isinstance(question, Linear):  # its feature is 1 where the sum is at most the bound
        return (0.5, math.inf) if place == 0 else (-0.5, 0.5)
    return place - 0.5, place + 0.5


class Answers:
    """The questions that have a feature of their own, and its place."""

    def __init__(self, program: Program, features: Features, *, all_questions: bool) -> None:
        self._program = program
        self._features = features
        self._steps: list[Step] = []
        self._cuts: dict[int, Branch] = {}
        for step in program.steps:
            if isinstance(step.question, Linear):
                features.add_sum(step.number, step.question)
            elif step.question is not None and (
                all_questions or isinstance(step.question, AtLeast) or self._repeats_subtree(step)
            ):
                self._steps.append(step)
        self._place = {step.number: i for i, step in enumerate(self._steps)}

    def _repeats_subtree(self, step: Step) -> bool:
        """Return whether the cuts of a question lead more than once to an inner child.

        Its subtree would have to be written several times; a leaf may be.
        """
        cuts = self._simple_cuts(step)
        self._cuts[step.number] = cuts
        found = goals_of(cuts)
        return any(
            found[place] > 1 and not self._program.steps[child].is_leaf
            for place, child in enumerate(step.children)
        )

    def _simple_cuts(self, step: Step) -> Branch:
        """Return the cuts of a question about one column, with its surrogates; they end in answers."""
        question = step.question
        if not isinstance(question, Threshold | Levels | Missing):
            raise AssertionError("composite questions have no cuts")
        places: dict[int, Branch] = {place: place for place in range(len(step.children))}
        missing: Branch = NO_ANSWER if step.missing_child is None else step.missing_child
        unseen: Branch = NO_ANSWER if step.unseen_child is None else step.unseen_child
        if self._program.missing == "fractions":
            missing = unseen = NO_ANSWER
        elif self._program.missing == "surrogates":
            unseen = missing
            for surrogate in reversed(step.surrogates):
                missing = unseen = self._features.cut(surrogate, places, missing, unseen)
        return self._features.cut(question, places, missing, unseen)

    def place_of(self, step: Step) -> int | None:
        """Return the place of the feature that holds the answer; None if there is none."""
        if isinstance(step.question, Linear):
            return self._features.sums[step.number]
        found = self._place.get(step.number)
        return None if found is None else self._features.width + found

    def cuts(self, step: Step) -> Branch:
        """Return the cuts of a step's question in the matrix with answers; they end in answers."""
        question, place = step.question, self.place_of(step)
        if question is None or place is None:
            return self._cuts[step.number]
        if isinstance(question, AtLeast):
            return by_code(place, {question.m - 1: 1, question.m: 0})
        if isinstance(question, Linear):
            return by_code(place, {0: 1, 1: 0})
        reached = sorted(goals_of(self._simple_cuts(step)))
        return by_code(place, {answer: answer for answer in reached})

    def matrix(self, graph: Graph, dtype: np.dtype[Any]) -> str:
        """Return the matrix of all features and answers."""
        given = self._features.matrix()
        if not self._steps:
            return given
        forest = Forest(dtype)
        for target, step in enumerate(self._steps):
            if isinstance(step.question, AtLeast):
                for literal in step.question.literals:
                    forest.plant(self._features.cut(literal, {0: 0, 1: 1}, 0, 0), target)
            else:
                forest.plant(self._simple_cuts(step), target)
        attributes = forest.attributes(graph.onnx, len(self._steps))
        # Answers are small integers, which the operator's float32 holds exactly.
        found = graph.add("TreeEnsembleRegressor", given, domain=ML, **attributes)
        same = found if dtype == np.float32 else graph.cast(found, dtype)
        return graph.side_by_side([given, same])


def mixture(graph: Graph, program: Program, answers: Answers, matrix: str) -> str:
    """Return for each row the mean prediction of its leaves, of shape (rows, classes) or (rows, 1)."""
    shares = _shares(graph, program, answers, matrix)
    leaves = _leaves(program)
    chosen = graph.add("Gather", shares, graph.constant(leaves, np.int64), axis=1)
    held = [program.steps[leaf].outcome for leaf in leaves]
    # Leaf by leaf, since a product of matrices would add in its own order.
    body = _add_a_leaf(graph, len(held[0]))
    by_leaf = graph.add("Transpose", chosen, perm=[1, 0])
    start = graph.filled(chosen, len(held[0]), 0.0)
    held_by_leaf = graph.constant(held, np.float64)
    return graph.add("Scan", start, by_leaf, held_by_leaf, body=body, num_scan_inputs=2)


def _add_a_leaf(graph: Graph, width: int) -> Any:
    names = [graph.new_name(hint) for hint in ("so_far", "share", "held", "then")]
    so_far, share, held, then = names
    body = graph.body(*names)
    body.input(so_far, np.float64, "rows", width)
    body.input(share, np.float64, "rows")
    body.input(held, np.float64, width)
    part = body.add("Mul", body.as_column(share), held)
    body.output(body.add("Add", so_far, part), then, np.float64, "rows", width)
    return body.part("add_a_leaf")


def _leaves(program: Program) -> list[int]:
    """Return the numbers of the leaves from left to right, the order in which the core visits them."""
    found, below = [], [0]
    while below:
        step = program.steps[below.pop()]
        below += reversed(step.children)
        if step.is_leaf:
            found.append(step.number)
    return found


def _shares(graph: Graph, program: Program, answers: Answers, matrix: str) -> str:
    """Return the share of each row in every node, of shape (rows, nodes)."""
    branches = [
        (child, answers.place_of(step), share, *meaning(step.question, place))
        for step in program.steps
        if step.question is not None
        for place, (child, share) in enumerate(zip(step.children, step.shares, strict=True))
    ]
    children, places, parts, lows, highs = map(list, zip(*branches, strict=True))
    asked = graph.cast(graph.add("Gather", matrix, graph.constant(places, np.int64), axis=1), np.float64)
    above = graph.add("Greater", asked, graph.constant([lows], np.float64))
    below = graph.add("Less", asked, graph.constant([highs], np.float64))
    sent = graph.cast(graph.add("And", above, below), np.float64)
    open_question = graph.add("Less", asked, graph.constant(-0.5, np.float64))
    factors = graph.add("Where", open_question, graph.constant([parts], np.float64), sent)
    return _products(graph, program, factors, {child: i for i, child in enumerate(children)})


def _products(graph: Graph, program: Program, factors: str, column: dict[int, int]) -> str:
    """Multiply the factors of nodes, a column each, from the root down, one depth at a time."""
    parents, depths = program.parents, program.array("depth")
    shares = [graph.filled(factors, 1, 1.0)]
    order = [0]
    places = {0: 0}  # of nodes among those of their depth
    for depth in range(1, int(depths.max()) + 1):
        nodes = np.flatnonzero(depths == depth).tolist()
        above = graph.constant([places[parents[node]] for node in nodes], np.int64)
        own = graph.constant([column[node] for node in nodes], np.int64)
        factor = graph.add("Gather", shares[-1], above, axis=1), graph.add("Gather", factors, own, axis=1)
        shares.append(graph.add("Mul", *factor))
        places = {node: place for place, node in enumerate(nodes)}
        order += nodes
    together = graph.side_by_side(shares)
    by_number = np.argsort(order).tolist()
    return graph.add("Gather", together, graph.constant(by_number, np.int64), axis=1)


def cheapest_label(graph: Graph, program: Program, mixed: str) -> str:
    """Return for each row the number of the class of least expected cost (see `leaves.cheapest`)."""
    if program.loss is None:
        return graph.add("ArgMax", mixed, axis=1, keepdims=0)
    costs = graph.add("MatMul", mixed, graph.constant(program.loss, np.float64))
    most = graph.add("ReduceMax", costs, axes=[1], keepdims=1)
    least = graph.add("ReduceMin", costs, axes=[1], keepdims=1)
    rounding = graph.add("Mul", most, graph.constant(8 * np.finfo(np.float64).eps, np.float64))
    cheap = graph.add("LessOrEqual", costs, graph.add("Add", least, rounding))
    kept = graph.add("Where", cheap, mixed, graph.constant(-1.0, np.float64))
    return graph.add("ArgMax", kept, axis=1, keepdims=0)
