"""Divided rows: the share of a row in every leaf, and the mean over the leaves, by plain operators.

A factor is what a child's share is of its parent's: 1, 0, or, below a question without an answer, the child's
share of the weight. Numbers are multiplied and added in the same order as in the core, so that every bit is
the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from arboretum.export._onnx.answers import Answers, meaning
from arboretum.export._onnx.graph import Graph
from arboretum.export._program.program import Program


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
    children: list[int] = []
    places: list[int] = []
    lows: list[float] = []
    highs: list[float] = []
    parts: list[float] = []
    for step in program.steps:
        place = answers.place_of(step)
        if step.question is None or place is None:
            continue
        children += step.children
        parts += step.shares
        places += [place] * len(step.children)
        ranges = [meaning(step.question, child) for child in range(len(step.children))]
        lows += [low for low, _ in ranges]
        highs += [high for _, high in ranges]
    asked = graph.cast(graph.add("Gather", matrix, graph.constant(places, np.int64), axis=1), np.float64)
    above = graph.add("Greater", asked, graph.constant([lows], np.float64))
    below = graph.add("Less", asked, graph.constant([highs], np.float64))
    sent = graph.cast(graph.add("And", above, below), np.float64)
    open_question = graph.add("Less", asked, graph.constant(-0.5, np.float64))
    factors = graph.add("Where", open_question, graph.constant([parts], np.float64), sent)
    return _products(graph, program, factors, {child: i for i, child in enumerate(children)})


def _products(graph: Graph, program: Program, factors: str, column: dict[int, int]) -> str:
    """Multiply the factors of nodes, a column each, from the root down, one depth at a time."""
    parents, depths = program.tree.array("parent"), program.tree.array("depth")
    shares = [graph.filled(factors, 1, 1.0)]
    order = [0]
    places = {0: 0}  # of nodes among those of their depth
    for depth in range(1, int(depths.max()) + 1):
        nodes = np.flatnonzero(depths == depth).tolist()
        above = graph.constant([places[int(parents[node])] for node in nodes], np.int64)
        own = graph.constant([column[node] for node in nodes], np.int64)
        shares.append(
            graph.add(
                "Mul",
                graph.add("Gather", shares[-1], above, axis=1),
                graph.add("Gather", factors, own, axis=1),
            )
        )
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
