"""Shapley values by their definition, and the two games of contributions, in plain Python.

A game is a function of the set of known columns, by place. The game of weights follows docs/contributions.md
word by word, on rows of stored values (None: missing); the game of rows asks the model itself about rows that
are put together from two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np

from arboretum import Node, Tree
from arboretum._data import Dataset
from arboretum._tree.composites import Composite
from arboretum._tree.questions import Levels, Missing, Question, Threshold
from support.composites import child_of as composite_child

__all__ = ["Game", "Row", "interactions_of", "row_game", "shapley_of", "stored_rows", "weight_game"]

Row = tuple[Any, ...]
Game = Callable[[frozenset[int]], Any]


def _subsets(columns: Sequence[int]) -> list[frozenset[int]]:
    return [frozenset(chosen) for size in range(len(columns) + 1) for chosen in combinations(columns, size)]


def shapley_of(game: Game, columns: Sequence[int]) -> dict[int, Any]:
    """The mean of what a column adds, over all orders in which columns become known."""
    value, n = cache(game), len(columns)
    found = {}
    for column in columns:
        others = [other for other in columns if other != column]
        found[column] = sum(
            factorial(len(known))
            * factorial(n - len(known) - 1)
            / factorial(n)
            * (value(known | {column}) - value(known))
            for known in _subsets(others)
        )
    return found


def interactions_of(game: Game, columns: Sequence[int]) -> dict[tuple[int, int], Any]:
    """Half of the Shapley interaction index for each ordered pair of different columns."""
    value, n = cache(game), len(columns)
    found = {}
    for a, b in combinations(columns, 2):
        others = [other for other in columns if other not in (a, b)]
        found[a, b] = found[b, a] = sum(
            factorial(len(known))
            * factorial(n - len(known) - 2)
            / factorial(n - 1)
            / 2
            * (value(known | {a, b}) - value(known | {a}) - value(known | {b}) + value(known))
            for known in _subsets(others)
        )
    return found


def stored_rows(table: Dataset) -> list[Row]:
    """The rows of a table in the stored form of its columns."""
    cells = [
        [
            None if gone else value
            for value, gone in zip(data.values.tolist(), data.is_missing().tolist(), strict=True)
        ]
        for data in table.columns
    ]
    return list(zip(*cells, strict=True))


# The game of weights


def weight_game(tree: Tree, row: Row) -> Game:
    """What is predicted if the other columns are divided by the weights of the children."""
    places = {column.name: place for place, column in enumerate(tree.columns)}
    array = tree.array("value" if tree.target.classes is None else "probability")

    def expected(node: Node, known: frozenset[int]) -> Any:
        question = node.question
        if question is None:
            return array[node.number]
        child: int | None
        if isinstance(question, Composite):
            asked = {places[name] for name in question.columns}
            child = composite_child(question, row, tree.columns)
        else:
            child, column = _told(tree, node, question, row, places)
            asked = {column}
        if not asked <= known or child is None:
            weights = [below.weight for below in node.children]
            total = sum(weights)
            parts = [weight / total if total > 0 else 1 / len(weights) for weight in weights]
            return sum(
                part * expected(below, known)
                for part, below in zip(parts, node.children, strict=True)
                if part
            )
        return array[node.number] if child < 0 else expected(node.children[child], known)

    return lambda known: np.asarray(expected(tree.root, known), dtype=float)


def _told(
    tree: Tree, node: Node, question: Question, row: Row, places: dict[str, int]
) -> tuple[int | None, int]:
    """The child, and the column that decides; None: the row is divided, -1: it stays."""
    own = places[question.column]
    child = _answer(question, row[own])
    if child is not None:
        return child, own
    if tree.missing == "fractions":
        return None, own
    if tree.missing == "surrogates":
        for surrogate in node.surrogates:
            place = places[surrogate.question.column]
            sent = _answer(surrogate.question, row[place])
            if sent is not None:
                return sent, place
        return question.missing_child, own
    if row[own] is not None and question.missing_child >= 0:  # a level without rows in the node
        weights = [below.weight for below in node.children]
        return weights.index(max(weights)), own
    return question.missing_child, own


def _answer(question: Question, value: Any) -> int | None:
    """The child to which a question about one column sends a value, if it can tell."""
    if isinstance(question, Missing):
        return 0 if value is None else 1
    if value is None:
        return None
    if isinstance(question, Levels):
        return next((child for child, group in enumerate(question.children) if value in group), None)
    assert isinstance(question, Threshold)
    return int(value > question.threshold) ^ question.flipped


# The game of rows


def row_game(predict: Callable[[Any], Any], row: Any, background: Any) -> Game:
    """The mean prediction for the background's rows, with the known columns of the row; both are frames."""

    def value(known: frozenset[int]) -> Any:
        mixed = background.copy()
        for place in known:
            name = mixed.columns[place]
            mixed[name] = row.iloc[np.zeros(len(mixed), dtype=int), place].array
        return np.asarray(predict(mixed)).mean(axis=0)

    return value
