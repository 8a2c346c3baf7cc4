"""The path of one row through a tree, and in words why it goes there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._show.own_rows import counted_text, own_text
from arboretum._show.rows.node_rows import children_of, has_answer, stopping_parts
from arboretum._show.rule_text import Wording, wording_of
from arboretum._show.words import class_names
from arboretum._tree.composites import Composite
from arboretum._tree.digits import DIGITS, figure
from arboretum._tree.leaves import cheapest
from arboretum._tree.linear_models import models_of, values_of_rows
from arboretum._tree.one_row import read_row
from arboretum._tree.question_values import quote
from arboretum._tree.questions import Question, Threshold
from arboretum._tree.tree import Node, Tree, core_dataset
from arboretum._wording import percent
from arboretum.errors import DataError

# The answer to the question; else, a surrogate, the child that takes such rows, or shares of all children.
Decider = Literal["answer", "surrogate", "child", "shares"]
_SHOWN_PARTS = 5
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

    def values(self, tree: Tree, digits: int | None = DIGITS) -> list[str | None]:
        """Return the row's value of each column as text, with a remark if the tree does not know it."""
        said = _Said(wording_of(tree, digits), self.table, self.given)
        return [said.value_or_unknown(column.name) for column in tree.columns]


def row_path(tree: Tree, row: Any, *, named: bool | None = None, digits: int | None = DIGITS) -> RowPath:
    """Return the path of one row: a table with one row, or a mapping, list or series of its values.

    `named` says whether the column names are real; by default the tree guesses. Numbers have so many
    `digits`, or more where they need them (rule_text.py); None shows all.

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
    return path_of(tree, table, given, digits)


def path_of(
    tree: Tree, table: Dataset, given: Mapping[str, ColumnData], digits: int | None = DIGITS
) -> RowPath:
    """Return the path of one row in the columns of the tree; `given` has its columns as they came."""
    ends = _ends(tree, table)
    passed = _passed(tree, ends)
    path = _walk(tree, passed)
    said = _Said(wording_of(tree, digits), table, given)
    reasons = [said.reason(node, passed) for node in path if node.number not in ends]
    numbers = tuple(node.number for node in path)
    deciders, sentences = tuple(who for who, _ in reasons), tuple(sentence for _, sentence in reasons)
    conclusion = _conclusion(tree, ends, table, digits)
    return RowPath(numbers, tuple(ends), sentences, deciders, conclusion, table, given)


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


@dataclass(frozen=True)
class _Said:
    """Why a row goes where it goes, in words."""

    wording: Wording
    table: Dataset
    given: Mapping[str, ColumnData]

    def reason(self, node: Node, passed: set[int]) -> tuple[Decider, str]:
        """Return what decides where the row goes from a node, and why in a sentence."""
        tree, question = node.tree, node.question
        if question is None:
            raise DataError("The path of a row leads through a leaf.")
        taken = [child for child in node.children if child.number in passed]
        outcomes = [
            self.wording.outcome(question, place)
            for place, child in enumerate(node.children)
            if child.number in passed
        ]
        if isinstance(question, Composite):
            values = [(name, self._value(name)) for name in question.columns]
            found = ", ".join(
                f"{quote(name)} is {'missing' if value is None else value}" for name, value in values
            )
            return "answer", f"{found}, so {outcomes[0]}"
        answered = bool(has_answer(tree, node.number, self.table, _ONE)[0])
        if answered and isinstance(question, Threshold):
            value = self.table.columns[tree._place_of(question.column)].values[0].item()
            child = taken[0].number - node.children[0].number
            shown, outcome = self.wording.value_and_outcome(question, child, value)
            return "answer", f"{quote(question.column)} is {shown}, so {outcome}"
        why = self._why(question, answered=answered)
        if answered:
            return "answer", why if why == outcomes[0] else f"{why}, so {outcomes[0]}"
        if len(taken) > 1:
            weight = sum(child.weight for child in node.children)
            shares = [child.weight / weight for child in taken]
            return "shares", f"{why}, so the row is divided: {_parts_text(shares, outcomes)}"
        because = self._stand_in(node)
        return "surrogate" if because else "child", f"{why}, so the row goes with {outcomes[0]}{because}"

    def _why(self, question: Question, *, answered: bool) -> str:
        """Return the row's value of the column that is asked about, with a remark on an unseen level."""
        column, name = question.column, quote(question.column)
        value = self._value(column)
        if value is not None:
            return f"{name} is {value}{'' if answered else ', which no row had here when the tree was grown'}"
        unknown = _unknown(column, self.given)
        if unknown is not None:
            return f"{name} is {unknown}, which the tree does not know"
        return f"{name} is missing"

    def _stand_in(self, node: Node) -> str:
        """Return which surrogate decides, if one does."""
        for surrogate in node.surrogates:
            if self._value(surrogate.question.column) is not None:
                child = int(children_of(node.tree, node.number, self.table, _ONE)[0])
                return f", because {self.wording.outcome(surrogate.question, child)}" if child >= 0 else ""
        return ""

    def value_or_unknown(self, name: str) -> str | None:
        """Return a value as text, with a remark if the tree does not know it; None if it is missing."""
        value, unknown = self._value(name), _unknown(name, self.given)
        return f"{unknown} (unknown)" if value is None and unknown is not None else value

    def _value(self, name: str) -> str | None:
        data = self.table.columns[self.wording.tree._place_of(name)]
        return None if data.is_missing()[0] else self.wording.value(data.column, data.values[0].item())


def _parts_text(shares: Sequence[float], outcomes: Sequence[str]) -> str:
    """Return into which parts a row is divided: all of them, or the largest and how many others there are.

    >>> _parts_text([0.25, 0.75], ["a = x", "a = y"])
    '25% with a = x and 75% with a = y'
    """
    order = list(range(len(shares)))
    if len(order) > _SHOWN_PARTS + 1:
        order = sorted(order, key=lambda place: -shares[place])[:_SHOWN_PARTS]
    parts = [f"{percent(shares[place])} with {outcomes[place]}" for place in order]
    if len(order) < len(shares):
        left = max(0.0, 1.0 - math.fsum(shares[place] for place in order))
        parts.append(f"{percent(left)} with {len(shares) - len(order):,} other answers")
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _unknown(column: str, given: Mapping[str, ColumnData]) -> str | None:
    """Return a value as it came, before it became a missing one; it is asked where the row has none."""
    before = given.get(column)
    if before is None or before.is_missing()[0]:
        return None
    text: str = before.column.format(before.values[0].item())
    return text


def _conclusion(tree: Tree, ends: list[int], table: Dataset, digits: int | None) -> str:
    """Return the prediction of the leaf, or of all nodes that have a part of the row."""
    leaf = Node(tree, ends[0])
    own = own_text(leaf, digits)
    based = f"of {counted_text(tree, leaf.n_rows)}" if len(ends) == 1 else f"blended from {len(ends)} nodes"
    if len(ends) == 1 and own is not None:
        based = f"{own} {based}"
    if models_of(tree) is not None:
        value = float(values_of_rows(tree, table)[0])
        return f"→ {figure(value, DIGITS)} = {leaf.formula} ({counted_text(tree, leaf.n_rows)})"
    if tree.target.classes is None:
        value = float(_predicted(tree, "value", ends, table))
        return f"→ {figure(value, digits)} ({based.removeprefix('of ')})"
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
