"""The path of one row through a tree, and in words why it goes there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._show.own_rows import counted_text, own_text
from arboretum._show.rows.node_rows import children_of, has_answer, stopping_parts
from arboretum._show.words import class_names, number, percent
from arboretum._tree.composites import Composite
from arboretum._tree.leaves import cheapest
from arboretum._tree.one_row import read_row
from arboretum._tree.question_values import quote
from arboretum._tree.questions import Question
from arboretum._tree.tree import Node, Tree, core_dataset
from arboretum.errors import DataError

# The answer to the question; else, a surrogate, the child that takes such rows, or shares of all children.
Decider = Literal["answer", "surrogate", "child", "shares"]
_ONE = np.zeros(1, dtype=np.int64)


@dataclass(frozen=True)
class RowPath:
    """The nodes that a row passes, parents first, a sentence for each question, and the prediction."""

    nodes: tuple[int, ...]
    ends: tuple[int, ...]  # those of them where the row stops, or a part of it
    sentences: tuple[str, ...]
    deciders: tuple[Decider, ...]  # what decides at each question
    conclusion: str
    table: Dataset = field(compare=False, repr=False)  # the row, in the columns of the tree
    given: Mapping[str, ColumnData] = field(compare=False, repr=False)  # and its columns as they came

    def unknown(self, column: str) -> str | None:
        """Return the value of a column that the tree does not know, as text; None if it knows it."""
        return _unknown(column, self.given)


def row_path(tree: Tree, row: Any, *, named: bool | None = None) -> RowPath:
    """Return the path of one row: a table with one row, or a mapping, list or series of its values.

    `named` says whether the column names are real; by default the tree guesses.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_penguins()
    >>> tree = TreeClassifier(max_depth=2).fit(X, y).tree_
    >>> path = row_path(tree, X.iloc[[0]])
    >>> print(*path.sentences, path.conclusion, sep="\\n")
    flipper_length_mm is 181, so flipper_length_mm <= 206.5
    bill_length_mm is 39.1, so bill_length_mm <= 43.35
    → Adelie (94%; 96% of 152 rows)
    """
    given: dict[str, ColumnData] = {}
    table = read_row(tree, row, named=named, given=given)
    ends = _ends(tree, table)
    passed = _passed(tree, ends)
    path = _walk(tree, passed)
    reasons = [_reason(node, passed, table, given) for node in path if node.number not in ends]
    numbers = tuple(node.number for node in path)
    deciders, sentences = tuple(who for who, _ in reasons), tuple(sentence for _, sentence in reasons)
    return RowPath(numbers, tuple(ends), sentences, deciders, _conclusion(tree, ends, table), table, given)


def _ends(tree: Tree, table: Dataset) -> list[int]:
    """Return the node at which the row stops, or those at which its parts do."""
    if tree.missing != "fractions":
        return [int(tree._leaves_of(table)[0])]
    nodes: list[int] = stopping_parts(tree, table, _ONE).node.tolist()
    return nodes


def _passed(tree: Tree, ends: list[int]) -> set[int]:
    """Return all nodes on the paths to these."""
    parents = tree.array("parent").tolist()
    passed: set[int] = set()
    for node in ends:
        while node >= 0 and node not in passed:
            passed.add(node)
            node = parents[node]
    return passed


def _walk(tree: Tree, passed: set[int]) -> list[Node]:
    """Return the nodes that are passed, parents first, left before right."""
    order: list[Node] = []
    todo = [0]
    while todo:
        node = Node(tree, todo.pop())
        order.append(node)
        todo.extend(child.number for child in reversed(node.children) if child.number in passed)
    return order


def _reason(
    node: Node, passed: set[int], table: Dataset, given: Mapping[str, ColumnData]
) -> tuple[Decider, str]:
    """Return what decides where the row goes from a node, and why in a sentence."""
    tree, question = node.tree, node.question
    if question is None:
        raise DataError("The path of a row leads through a leaf.")
    taken = [child for child in node.children if child.number in passed]
    if isinstance(question, Composite):
        values = [(name, _value(tree, tree._place_of(name), table)) for name in question.columns]
        found = ", ".join(
            f"{quote(name)} is {'missing' if value is None else value}" for name, value in values
        )
        return "answer", f"{found}, so {taken[0].outcome}"
    answered = bool(has_answer(tree, node.number, table, _ONE)[0])
    why = _why(tree, question, table, given, answered=answered)
    if answered:
        return "answer", f"{why}, so {taken[0].outcome}"
    if len(taken) > 1:
        weight = sum(child.weight for child in node.children)
        parts = " and ".join(f"{percent(child.weight / weight)} with {child.outcome}" for child in taken)
        return "shares", f"{why}, so the row is divided: {parts}"
    because = _stand_in(node, table)
    return "surrogate" if because else "child", f"{why}, so the row goes with {taken[0].outcome}{because}"


def _why(
    tree: Tree, question: Question, table: Dataset, given: Mapping[str, ColumnData], *, answered: bool
) -> str:
    """Return the row's value of the column that is asked about, with a remark on an unseen level."""
    column, name = question.column, quote(question.column)
    value = _value(tree, tree._place_of(column), table)
    if value is not None:
        return f"{name} is {value}{'' if answered else ', which no row had here when the tree was grown'}"
    unknown = _unknown(column, given)
    if unknown is not None:
        return f"{name} is {unknown}, which the tree does not know"
    return f"{name} is missing"


def _unknown(column: str, given: Mapping[str, ColumnData]) -> str | None:
    """Return a value as it came, before it became a missing one; it is asked where the row has none."""
    before = given.get(column)
    if before is None or before.is_missing()[0]:
        return None
    text: str = before.column.format(before.values[0].item())
    return text


def _stand_in(node: Node, table: Dataset) -> str:
    """Return which surrogate decides, if one does."""
    for surrogate in node.surrogates:
        place = node.tree._place_of(surrogate.question.column)
        if _value(node.tree, place, table) is not None:
            child = int(children_of(node.tree, node.number, table, _ONE)[0])
            return f", because {surrogate.question.outcomes[child]}" if child >= 0 else ""
    return ""


def _value(tree: Tree, place: int, table: Dataset) -> str | None:
    column = table.columns[place]
    if column.is_missing()[0]:
        return None
    return tree.columns[place].format(column.values[0].item())


def _conclusion(tree: Tree, ends: list[int], table: Dataset) -> str:
    """Return the prediction of the leaf, or of all nodes that have a part of the row."""
    leaf = Node(tree, ends[0])
    own = own_text(leaf)
    based = f"of {counted_text(tree, leaf.n_rows)}" if len(ends) == 1 else f"blended from {len(ends)} nodes"
    if len(ends) == 1 and own is not None:
        based = f"{own} {based}"
    if tree.target.classes is None:
        return f"→ {number(float(_predicted(tree, 'value', ends, table)))} ({based.removeprefix('of ')})"
    probability = _predicted(tree, "probability", ends, table)
    label = int(tree.array("label")[ends[0]])
    if tree.missing == "fractions":
        label = int(cheapest(probability[None, :], None if tree.rule is None else tree.rule.loss)[0])
    name = class_names(tree.target.classes)[label]
    joined = "; " if len(ends) == 1 and own is not None else " "
    return f"→ {name} ({percent(float(probability[label]))}{joined}{based})"


def _predicted(tree: Tree, name: str, ends: list[int], table: Dataset) -> Any:
    """Return an array's entry where the row stops; for a divided row, the mean over its parts."""
    values = tree.array(name)
    if tree.missing != "fractions":
        return values[ends[0]]
    blended = tree._router.blend(core_dataset(table), values.reshape(len(values), -1))[0]
    return blended.reshape(values.shape[1:])
