"""The climb to "at least m of": each step adds the next literal, and asks for as many or for one more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from arboretum._options.strategies import MofN
from arboretum._show.trace.node_tables import NodeTables
from arboretum._show.trace.step import Climb
from arboretum._tree.composites import AtLeast
from arboretum._tree.node import Node
from arboretum.inspection.candidates.questions import error_of, node_impurity_of
from arboretum.inspection.candidates.targets import Target


def climb_of(tables: NodeTables, node: Node) -> tuple[Climb, ...]:
    """Return the questions that the search passed on its way; nothing where it went several ways.

    Literals stand in the order in which they were added. With each, the search asks for as many as before or
    for one more, whichever gains more.
    """
    question, how = node.question, tables.settings.questions
    if not isinstance(question, AtLeast) or not isinstance(how, MofN) or how.beam > 1 or how.deletion:
        return ()
    steps: list[Climb] = []
    m = 1
    for n in range(1, len(question.literals) + 1):
        ways = [m] if n == 1 else [m, m + 1]
        tried = []
        for often in ways:
            asked = replace(question, m=often, literals=question.literals[:n])
            tried.append((gain_of(tables, node, asked), often, asked))
        best = max(tried, key=lambda each: round(each[0], 12))
        m = best[1]
        text = str(best[2].literals[0] if n == 1 else best[2])
        steps.append(Climb(text, best[0] * tables.rules.unit))
    return tuple(steps)


def gain_of(tables: NodeTables, node: Node, question: AtLeast) -> float:
    """Return what another question would gain at a node."""
    rows = tables.rows_of(node.number)
    answer = question.answers(tables.tree.columns, tables.data.take(rows))
    return gain_by(tables.target_of(node.number), np.asarray(answer))


def gain_by(target: Target, child: np.ndarray) -> float:
    """Return by how much an answer of the rows lowers their impurity."""
    total, before = float(target.weights.sum()), node_impurity_of(target)
    if target.criterion == "absolute_error":
        after = sum(error_of(target, child == side) for side in (0, 1)) / total
    else:
        tables = target.tables(child, 2)
        after = float(np.sum(target.weight(tables) * target.impurity(tables))) / total
    return max(0.0, before - after)
