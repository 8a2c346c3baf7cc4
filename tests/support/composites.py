"""Trees that ask about several columns, planted by hand, and the plain way of rows down such a tree.

A tree is planted from questions and the paths at which they are asked, with made-up numbers; the plain route
is computed in plain Python, on rows of stored values (None: missing). Nothing is searched or fitted here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from arboretum import Tree
from arboretum._data import Column
from arboretum._tree.composites import AtLeast, Linear, LinearTerm, Literal
from arboretum._tree.question_values import floor_of
from arboretum._tree.questions import Levels as LevelsQuestion
from arboretum._tree.questions import Missing, Question, Threshold
from arboretum._tree.tree import Target

__all__ = ["ASKED", "COLOUR", "COLUMNS", "CUT", "LEVELS", "N_TERMS", "SIZE", "SUM", "TREE", "TWO_OF", "WHEN"]
__all__ += ["A", "N", "Row", "at_least", "child_of", "cut", "frame", "level", "plain_leaf", "plant", "total"]

LEVELS = ("blue", "green", "red")
SIZES = ("small", "medium", "large")
A = Column("a", "number")
N = Column("n", "integer")
WHEN = Column("when", "datetime", unit="s")
SIZE = Column("size", "ordered", levels=SIZES)
COLOUR = Column("colour", "nominal", levels=LEVELS)
COLUMNS = (A, N, WHEN, SIZE, COLOUR)
Row = tuple[Any, ...]  # stored values: numbers, seconds, level numbers; None where missing


def cut(column: Column, value: float, *, negated: bool = False) -> Literal:
    return Literal(column, negated, float(value), floor_of(value))


def level(number: int, *, negated: bool = False) -> Literal:
    return Literal(COLOUR, negated, level=number)


def at_least(m: int, *literals: Literal) -> AtLeast:
    return AtLeast(literals[0].about, 0, False, m, literals)


def total(threshold: float, *terms: LinearTerm) -> Linear:
    return Linear(terms[0].about, 0, False, terms, threshold)


# Planting

Places = Mapping[tuple[int, ...], Question]


def plant(asked: Places, columns: tuple[Column, ...] = COLUMNS) -> Tree:
    """A tree of classes that asks these questions at these paths; its numbers are made up."""
    paths: list[tuple[int, ...]] = [()]
    for path in paths:  # which grows meanwhile: breadth-first
        paths += [(*path, 0), (*path, 1)] if path in asked else []
    n_nodes = len(paths)
    inner = [path in asked for path in paths]
    counts = np.array([[1.0 + 3 * (number % 2), 2.0] for number in range(n_nodes)])
    for number in reversed(range(n_nodes)):
        if inner[number]:
            counts[number] = sum(counts[paths.index((*paths[number], child))] for child in (0, 1))
    arrays: dict[str, Any] = {
        "parent": [paths.index(path[:-1]) if path else -1 for path in paths],
        "depth": [len(path) for path in paths],
        "first_child": [paths.index((*path, 0)) if path in asked else -1 for path in paths],
        "n_children": [2 if path in asked else 0 for path in paths],
        "column": [columns.index(asked[path].about) if path in asked else -1 for path in paths],
        "kind": [KINDS[type(asked[path])] if path in asked else 0 for path in paths],
        "threshold": [bound(asked.get(path)) for path in paths],
        "missing_child": [asked[path].missing_child if path in asked else 1 for path in paths],
        "missing_seen": [path in asked and asked[path].missing_seen for path in paths],
        "level_begin": [0] * (n_nodes + 1),
        "level": [],
        "level_child": [],
        "counts": counts,
        "probability": counts / counts.sum(axis=1, keepdims=True),
        "label": counts.argmax(axis=1),
        "weight": counts.sum(axis=1),
        "n_rows": counts.sum(axis=1),
        "impurity": np.full(n_nodes, 0.25),
        "gain": np.where(inner, 0.125, 0.0),
        "improvement": np.where(inner, 1 / np.arange(1, n_nodes + 1), 0.0),
    }
    arrays["threshold_floor"] = list(map(floor_of, arrays["threshold"]))
    made = {name: np.array(values) for name, values in arrays.items()}
    return Tree(columns, Target(("no", "yes")), "gini", made, terms=terms_of(asked, paths, columns))


KINDS: dict[type, int] = {Threshold: 1, AtLeast: 4, Linear: 5}


def bound(question: Question | None) -> float:
    match question:
        case Threshold():
            return question.real
        case AtLeast():
            return question.m
        case Linear():
            return question.threshold
    return 0.0


def terms_of(asked: Places, paths: Sequence[tuple[int, ...]], columns: tuple[Column, ...]) -> dict[str, Any]:
    """The arrays of all terms, written out one by one."""
    begin, rows = [0], []
    for path in paths:
        question = asked.get(path)
        if isinstance(question, AtLeast):
            for part in question.literals:
                kind, number = (1, -1) if part.level is None else (2, part.level)
                rows.append((part.about, kind, part.negated, part.real, part.floor, number, 1.0, 0.0))
        if isinstance(question, Linear):
            for term in question.terms:
                kind, number = (5, -1) if term.level is None else (2, term.level)
                rows.append((term.about, kind, False, 0.0, 0, number, term.coefficient, term.fill))
        begin.append(len(rows))
    if not rows:
        return {}
    names = ("kind", "negated", "threshold", "threshold_floor", "level", "coefficient", "fill")
    listed = dict(zip(("column", *names), zip(*rows, strict=True), strict=True))
    listed["column"] = tuple(columns.index(column) for column in listed["column"])
    return {"begin": np.array(begin)} | {name: np.array(values) for name, values in listed.items()}


# The plain way down


def child_of(question: Question, row: Row, columns: tuple[Column, ...] = COLUMNS) -> int:
    """The child to which the question sends a row, by the words of its docstring."""
    value = {column: row[place] for place, column in enumerate(columns)}
    if isinstance(question, AtLeast):
        return 0 if sum(holds(part, value[part.about]) for part in question.literals) >= question.m else 1
    if isinstance(question, Linear):
        so_far = 0.0
        for term in question.terms:
            so_far += term.coefficient * number_of(term, value[term.about])
        return 0 if so_far <= question.threshold else 1
    found = value[question.about]
    if isinstance(question, Missing):
        return 0 if found is None else 1
    if found is None:
        return question.missing_child
    if isinstance(question, LevelsQuestion):
        return next(child for child, group in enumerate(question.children) if found in group)
    assert isinstance(question, Threshold)
    return int(found > question.threshold)


def holds(literal: Literal, value: Any) -> bool:
    if value is None:
        return False
    if literal.level is not None:
        return bool((value == literal.level) != literal.negated)
    assert literal.threshold is not None
    return bool((value <= literal.threshold) != literal.negated)


def number_of(term: LinearTerm, value: Any) -> float:
    if value is None:
        return term.fill
    return float(value) if term.level is None else float(value == term.level)


def plain_leaf(tree: Tree, row: Row, columns: tuple[Column, ...] = COLUMNS) -> int:
    node = tree.root
    while node.question is not None:
        node = node.children[child_of(node.question, row, columns)]
    return node.number


def frame(rows: Sequence[Row], *, unknown: str | None = None) -> pd.DataFrame:
    """The rows as people have them; a missing colour may be one that the tree has never heard of."""
    a, n, when, size, colour = zip(*rows, strict=True)
    names = [unknown if number is None else LEVELS[number] for number in colour]
    levels = [*LEVELS, "pink"] if unknown else LEVELS
    return pd.DataFrame(
        {
            "a": np.array([math.nan if x is None else x for x in a]),
            "n": pd.array(n, dtype="Int64"),
            "when": np.array(["NaT" if x is None else x for x in when], dtype="M8[s]"),
            "size": pd.Categorical([None if x is None else SIZES[x] for x in size], SIZES, ordered=True),
            "colour": pd.Categorical(names, levels),
        }
    )


# One of them

TWO_OF = at_least(2, cut(A, 0.5), level(2), cut(SIZE, 1, negated=True))
SUM = total(1.5, LinearTerm(A, 0.8, fill=0.25), LinearTerm(COLOUR, -1.2, 1, fill=0.5), LinearTerm(N, 2.0))
CUT = Threshold(N, 0, True, 1.0, 1)
ASKED: dict[tuple[int, ...], Question] = {(): CUT, (0,): TWO_OF, (1,): SUM, (1, 0): CUT, (1, 1): TWO_OF}
TREE = plant(ASKED)
N_TERMS = 3 + 3 + 3
