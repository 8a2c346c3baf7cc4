"""A question set by hand becomes a split: its children, counted from rows, and what it gains.

A row whose value is missing goes where the question says, else to the child to which the question itself
sends more weight, the first if both are equal; where the tree divides rows, it goes to every child in the
shares of the other rows. A question about several columns has an answer for every row; what a missing value
counts as in a sum is counted here as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from arboretum._data.class_weights import class_totals
from arboretum._grow.given_rows import LEAST_SHARE, RowsAtNode
from arboretum._grow.impurities import (
    absolute_error,
    class_impurities,
    class_tables,
    may_be_children,
    number_impurities,
    number_tables,
    split_information,
)
from arboretum._options.criteria import impurity_of
from arboretum._tree.quantiles import weighted_quantiles
from arboretum._tree.questions import Question
from arboretum._tree.surgery import Subtree
from arboretum._tree.tables import NOTHING
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Mask, Numbers
from arboretum.errors import DataError


@dataclass(frozen=True)
class Parts:
    """Rows, or parts of rows, in children; `share` is the part of the row that the child gets."""

    row: Integers
    child: Integers
    share: Numbers

    def only(self, rows: Mask) -> Parts:
        """Return the parts of these rows."""
        kept = rows[self.row]
        return Parts(self.row[kept], self.child[kept], self.share[kept])


def split_rows(tree: Tree, question: Question, rows: RowsAtNode) -> Subtree:
    """Return the subtree that asks a question of the rows at a node; every child is a leaf."""
    question = question.filled(lambda column, level: _mean_at(rows, tree.columns.index(column), level))
    n_children = question.n_children
    answer = question.answers(tree.columns, rows.data)
    known = np.ones(len(answer), dtype=np.bool_)
    if not question.always_answers:
        known = ~rows.data.columns[tree.columns.index(question.about)].is_missing()
    parts, missing_child = _send(tree.missing, question, answer, known, rows.reported)
    impurity, gain, gain_ratio = _measure(tree, rows, parts, known, n_children)
    arrays = _counted(tree, rows, parts, n_children)
    if tree.missing == "fractions" and not question.always_answers:
        missing_child = int(np.argmax(arrays["weight"][1:]))
    question = replace(
        question, missing_child=missing_child, missing_seen=question.missing_seen or not known.all()
    )
    arrays |= {
        "parent": np.array([-1] + [0] * n_children),
        "first_child": np.array([1] + [-1] * n_children),
        "impurity": np.array([0.0, *impurity]),
    }
    asked = question.encode(
        tree.columns, gain=gain, gain_ratio=gain_ratio, corrected_gain=gain, improvement=gain
    )
    leaves = NOTHING.take(np.zeros(n_children, dtype=np.int64))
    return Subtree(arrays, asked.then(leaves), tree.missing)


def _mean_at(rows: RowsAtNode, place: int, level: int | None) -> float:
    """Return the mean of a column over these rows, or the share of one of its levels, as growth rounds it."""
    column = rows.data.columns[place]
    known = ~column.is_missing()
    values = column.values[known]
    numbers = np.asarray(values if level is None else values == level, dtype=np.float64)
    mean = _mean(numbers, rows.deciding[known])
    return float(f"{mean:.12g}") if math.isfinite(mean) else 0.0


def _send(rule: str, question: Question, answer: Integers, known: Mask, weight: Numbers) -> tuple[Parts, int]:
    """Return where the rows are after the question, and the child that takes missing values."""
    by_answer = _sums(answer[known], weight[known], question.n_children)
    if rule == "fractions" and not known.all():
        return _divide(question, answer, known, by_answer), 0
    missing_child = question.missing_child if question.missing_seen else int(np.argmax(by_answer))
    child = np.where(known, answer, missing_child)
    return Parts(np.arange(len(child)), child, np.ones(len(child))), missing_child


def _divide(question: Question, answer: Integers, known: Mask, by_answer: Numbers) -> Parts:
    """Return the parts where rows whose value is missing go to every child."""
    if not known.any():
        raise DataError(
            f"None of the rows of data that reach the node has a value of column {question.column!r}, so "
            "that there is nothing to divide them by."
        )
    share = by_answer / by_answer.sum()
    taking = np.flatnonzero(share > LEAST_SHARE)
    whole, divided = np.flatnonzero(known), np.flatnonzero(~known)
    return Parts(
        np.concatenate([whole, np.repeat(divided, len(taking))]),
        np.concatenate([answer[whole], np.tile(taking, len(divided))]),
        np.concatenate([np.ones(len(whole)), np.tile(share[taking], len(divided))]),
    )


def _measure(
    tree: Tree, rows: RowsAtNode, parts: Parts, known: Mask, n_children: int
) -> tuple[Numbers, float, float]:
    """Return how impure the children are, the gain of the question and its gain ratio.

    Where missing values are left aside, the question is judged by the rows whose value is known, and its gain
    counts for their share.
    """
    impurity = _impurities(tree, rows, parts, n_children)[1]
    judged = parts if tree.missing == "child" else parts.only(known)
    weight, inside = _impurities(tree, rows, judged, n_children)
    everything = Parts(judged.row, np.zeros_like(judged.child), judged.share)
    (total,), (before,) = _impurities(tree, rows, everything, 1)
    if total == 0.0:
        return impurity, 0.0, 0.0
    aside = 0.0 if judged is parts else float(rows.deciding[~known].sum())
    gain = max(0.0, float(before - weight @ inside / total)) * float(total / (total + aside))
    information = float(split_information(weight[None, :], aside)[0])
    return impurity, gain, gain / information if information > 0.0 else 0.0


def _impurities(tree: Tree, rows: RowsAtNode, parts: Parts, n_children: int) -> tuple[Numbers, Numbers]:
    """Return the deciding weight and the impurity of each child; an empty one has none of both."""
    values, weights = rows.values[parts.row], rows.deciding[parts.row] * parts.share
    by_child = _sums(parts.child, weights, n_children)
    criterion = impurity_of(tree.criterion)
    if not len(weights):
        return by_child, np.zeros(n_children)
    if tree.target.classes is not None:
        tables = class_tables(
            values.astype(np.int64), weights, parts.child, n_children, len(tree.target.classes)
        )
        return by_child, class_impurities(criterion, tables)
    if criterion == "absolute_error":
        own = _by_child(parts, n_children)
        errors = [absolute_error(values[place], weights[place]) for place in own]
        totals = [float(weights[place].sum()) or 1.0 for place in own]
        return by_child, np.array(errors) / totals
    tables = number_tables(values, weights, parts.child, n_children)
    if not may_be_children(criterion, tables)[by_child > 0].all():
        raise DataError(
            "The question would make a child whose targets are all zero, which criterion='poisson' does not "
            "allow: it would predict that nothing ever happens."
        )
    return by_child, number_impurities(criterion, tables)


def _sums(child: Integers, weights: Numbers, n_children: int) -> Numbers:
    return np.asarray(np.bincount(child, weights=weights, minlength=n_children), dtype=np.float64)


def _by_child(parts: Parts, n_children: int) -> list[Integers]:
    """Return for each child the places of its parts."""
    ends = np.cumsum(np.bincount(parts.child, minlength=n_children))
    return np.split(np.argsort(parts.child, kind="stable"), ends[:-1])


def _counted(tree: Tree, rows: RowsAtNode, parts: Parts, n_children: int) -> dict[str, Array]:
    """Return the numbers that the children show; the node itself, which comes first, keeps its own."""
    values, weights = rows.values[parts.row], rows.reported[parts.row] * parts.share
    own = _by_child(parts, n_children)
    arrays: dict[str, Array] = {
        "n_rows": np.array([rows.data.n_rows, *map(len, own)]),
        "weight": np.array([0.0, *(math.fsum(weights[place].tolist()) for place in own)]),
    }
    if tree.target.classes is not None:
        n_classes = len(tree.target.classes)
        counts = [class_totals(values[place], weights[place], n_classes) for place in own]
        return arrays | {"counts": np.array([np.zeros(n_classes), *counts])}
    predict = _median if tree.criterion == "absolute_error" else _mean
    return arrays | {"value": np.array([0.0, *(predict(values[place], weights[place]) for place in own)])}


def _mean(numbers: Numbers, weights: Numbers) -> float:
    if not len(numbers):
        return 0.0
    return math.fsum((numbers * weights).tolist()) / math.fsum(weights.tolist())


def _median(numbers: Numbers, weights: Numbers) -> float:
    """Return the mean of the lower and the upper weighted median."""
    if not len(numbers):
        return 0.0
    return float(weighted_quantiles(numbers, weights, np.array([0.5]))[0])
