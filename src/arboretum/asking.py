"""Asking: a question set by hand becomes a subtree of one question, with numbers counted from rows.

Words: a *part* is a row, or what is left of it, in one child. Rows that miss the value asked for go where the
question says, else to the child to which the question itself sends more weight, the first if both are equal;
where the tree divides rows, they go to every child in shares as large as those of the others. Questions about
several columns have an answer for every row; what a missing value counts as in a sum is counted here as well.
Nothing is searched: the question is given.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.candidate_targets import (
    ClassTarget,
    NumberTarget,
    absolute_error_of,
    split_information,
)
from arboretum.class_weights import class_totals
from arboretum.criteria import impurity_of
from arboretum.dataset import Dataset
from arboretum.editing_data import LEAST_SHARE, RowsAtNode, share_of_weight
from arboretum.errors import DataError
from arboretum.grafting import Scion, with_predictions
from arboretum.question_values import floor_of
from arboretum.questions import (
    AT_LEAST,
    LEVELS,
    LINEAR,
    MISSING,
    THRESHOLD,
    AtLeast,
    Composite,
    Levels,
    Linear,
    LinearTerm,
    Literal,
    Missing,
    Question,
    Threshold,
)
from arboretum.tree import Tree, core_dataset
from arboretum.tree_arrays import TERMS

__all__ = ["answers", "ask"]

Array = npt.NDArray[Any]
Arrays = dict[str, Array]
Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Parts:
    """Rows that were sent to children; `share` is how much of what is here of the row went there."""

    row: Places
    child: Places
    share: Numbers

    def only(self, rows: npt.NDArray[np.bool_]) -> Parts:
        """Return the parts of these rows."""
        kept = rows[self.row]
        return Parts(self.row[kept], self.child[kept], self.share[kept])


@dataclass(frozen=True)
class Measured:
    """How impure the children are, and what the question gains."""

    impurity: Numbers
    gain: float
    gain_ratio: float


def ask(tree: Tree, node: int, question: Question, rows: RowsAtNode) -> Scion:
    """Return the subtree that asks a question of the rows at a node; every child is a leaf."""
    if isinstance(question, Linear):
        question = _filled(question, tree, rows)
    asked, terms = _question_arrays(tree, question), _term_arrays(tree, question)
    n_children = len(asked["parent"]) - 1
    answer = _answers(asked, terms, rows.data)
    known = np.ones(len(answer), dtype=np.bool_)
    if not isinstance(question, Missing | Composite):
        known = ~rows.data.columns[int(asked["column"][0])].is_missing()
    parts, missing_child = _send(tree.missing, question, answer, known, rows.reported, n_children)
    measured = _measure(tree, rows, parts, known, n_children)
    arrays = asked | _reported(tree, rows, parts, n_children)
    arrays["impurity"] = np.concatenate([[0.0], measured.impurity])
    if tree.missing == "fractions" and not isinstance(question, Missing | Composite):
        missing_child = int(np.argmax(arrays["weight"][1:]))
    arrays["missing_child"][0] = missing_child
    arrays["missing_seen"][0] = question.missing_seen or not known.all()
    arrays["gain"][0], arrays["gain_ratio"][0] = measured.gain, measured.gain_ratio
    arrays["improvement"][0] = measured.gain * share_of_weight(tree, node)
    return Scion(with_predictions(tree, node, arrays), {}, tree.missing, terms)


def _question_arrays(tree: Tree, question: Question) -> Arrays:
    """Return the arrays of a tree that asks this question and nothing else, without numbers of rows."""
    n_children = len(question.children) if isinstance(question, Levels) else 2
    n_nodes = n_children + 1
    arrays: Arrays = {
        "parent": np.array([-1] + [0] * n_children),
        "first_child": np.array([1] + [-1] * n_children),
        "n_children": np.array([n_children] + [0] * n_children),
        "column": np.array([tree.columns.index(question.about)] + [-1] * n_children),
        "level_begin": np.zeros(n_nodes + 1, dtype=np.int64),
        "level": np.zeros(0, dtype=np.int32),
        "level_child": np.zeros(0, dtype=np.int32),
    }
    arrays["missing_child"] = np.array([0] + [1] * n_children)  # leaves have a 1, as the core makes them
    for name in ("kind", "threshold_floor", "missing_seen"):
        arrays[name] = np.zeros(n_nodes, dtype=np.int64)
    for name in ("threshold", "gain", "gain_ratio", "improvement"):
        arrays[name] = np.zeros(n_nodes)
    match question:
        case Threshold():
            arrays["kind"][0] = THRESHOLD
            arrays["threshold"][0], arrays["threshold_floor"][0] = question.real, question.floor
        case Levels():
            arrays["kind"][0] = LEVELS
            listed = sorted(
                (level, child) for child, group in enumerate(question.children) for level in group
            )
            arrays["level"], arrays["level_child"] = np.array(listed, dtype=np.int32).reshape(-1, 2).T
            arrays["level_begin"][1:] = len(listed)
        case AtLeast():
            arrays["kind"][0] = AT_LEAST
            arrays["threshold"][0] = arrays["threshold_floor"][0] = question.m
        case Linear():
            arrays["kind"][0] = LINEAR
            arrays["threshold"][0] = question.threshold
            arrays["threshold_floor"][0] = floor_of(question.threshold)
        case _:
            arrays["kind"][0] = MISSING
    return arrays


def _term_arrays(tree: Tree, question: Question) -> Arrays:
    """Return the arrays of the terms of a question about several columns; nothing for others."""
    if not isinstance(question, Composite):
        return {}
    parts = [_term(part) for part in question.parts]
    listed = {name: [term[name] for term in parts] for name in parts[0]}
    listed["column"] = [tree.columns.index(part.about) for part in question.parts]
    listed["begin"] = [0, len(parts), len(parts), len(parts)]  # the children ask nothing
    return {name: np.array(listed[name], dtype=kind) for name, kind in TERMS.items()}


def _term(part: Literal | LinearTerm) -> dict[str, Any]:
    """Return the numbers of a term, but for its column."""
    nothing = {"negated": 0, "threshold": 0.0, "threshold_floor": 0, "level": -1}
    plain: dict[str, Any] = nothing | {"coefficient": 1.0, "fill": 0.0}
    if part.level is not None:
        plain |= {"kind": LEVELS, "level": part.level}
    if isinstance(part, LinearTerm):
        return {"kind": LINEAR} | plain | {"coefficient": part.coefficient, "fill": part.fill}
    cut = {"kind": THRESHOLD, "threshold": part.real, "threshold_floor": part.floor}
    return plain | ({} if part.level is not None else cut) | {"negated": part.negated}


def _filled(question: Linear, tree: Tree, rows: RowsAtNode) -> Linear:
    """Return the sum with what a missing value of each term counts as among these rows: the mean."""
    return replace(question, terms=tuple(_with_fill(term, tree, rows) for term in question.terms))


def _with_fill(term: LinearTerm, tree: Tree, rows: RowsAtNode) -> LinearTerm:
    column = rows.data.columns[tree.columns.index(term.about)]
    known = ~column.is_missing()
    values = column.values[known]
    numbers = np.asarray(values if term.level is None else values == term.level, dtype=np.float64)
    mean = _mean(numbers, rows.deciding[known])
    return replace(term, fill=float(f"{mean:.12g}") if math.isfinite(mean) else 0.0)  # as growth rounds it


def answers(tree: Tree, question: Question, data: Dataset) -> Places:
    """Return the child to which a question sends each row of a table in the tree's columns.

    Where the row misses the value, or the question does not know its level, it is any of them.
    """
    return _answers(_question_arrays(tree, question), _term_arrays(tree, question), data)


def _answers(asked: Arrays, terms: Arrays, data: Dataset) -> Places:
    """Return the same for a question in the form of arrays."""
    types = {"threshold": np.float64, "threshold_floor": np.int64, "level_begin": np.int64, "kind": np.uint8}
    names = ("first_child", "n_children", "column", "missing_child", "level", "level_child", *types)
    arrays: dict[str, Any] = {
        name: np.ascontiguousarray(asked[name], dtype=types.get(name, np.int32)) for name in names
    }
    arrays["weight"] = np.zeros(len(asked["parent"]))
    router = _core.Router(**arrays, terms=terms)
    return np.asarray(router.leaves_of(core_dataset(data)), dtype=np.int64) - 1


def _send(
    rule: str,
    question: Question,
    answer: Places,
    known: npt.NDArray[np.bool_],
    weight: Numbers,
    n_children: int,
) -> tuple[Parts, int]:
    """Return where the rows are after the question, and the child that takes missing values."""
    by_answer = _sums(answer[known], weight[known], n_children)
    if rule == "fractions" and not known.all():
        return _divide(question, answer, known, by_answer), 0
    said = question.missing_seen or isinstance(question, Missing)
    missing_child = question.missing_child if said else int(np.argmax(by_answer))
    child = np.where(known, answer, missing_child)
    return Parts(np.arange(len(child)), child, np.ones(len(child))), missing_child


def _divide(question: Question, answer: Places, known: npt.NDArray[np.bool_], by_answer: Numbers) -> Parts:
    """Return the parts where rows that miss the value go to every child."""
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
    tree: Tree, rows: RowsAtNode, parts: Parts, known: npt.NDArray[np.bool_], n_children: int
) -> Measured:
    """Return what the question achieves.

    Where missing values are left aside, it is judged by the rows whose value is known, and gains for their
    share.
    """
    impurity = _impurities(tree, rows, parts, n_children)[1]
    judged = parts if tree.missing == "child" else parts.only(known)
    weight, inside = _impurities(tree, rows, judged, n_children)
    everything = Parts(judged.row, np.zeros_like(judged.child), judged.share)
    (total,), (before,) = _impurities(tree, rows, everything, 1)
    if total == 0.0:
        return Measured(impurity, 0.0, 0.0)
    aside = 0.0 if judged is parts else float(rows.deciding[~known].sum())
    gain = max(0.0, float(before - weight @ inside / total)) * float(total / (total + aside))
    information = float(split_information(weight[None, :], aside)[0])
    return Measured(impurity, gain, gain / information if information > 0.0 else 0.0)


def _impurities(tree: Tree, rows: RowsAtNode, parts: Parts, n_children: int) -> tuple[Numbers, Numbers]:
    """Return the deciding weight and the impurity of each child; an empty one has none of both."""
    values, weights = rows.values[parts.row], rows.deciding[parts.row] * parts.share
    by_child = _sums(parts.child, weights, n_children)
    criterion = impurity_of(tree.criterion)
    if not len(weights):
        return by_child, np.zeros(n_children)
    if tree.target.classes is not None:
        classes = ClassTarget(criterion, values.astype(np.int64), weights, n_labels=len(tree.target.classes))
        impurity = classes.impurity(classes.tables(parts.child, n_children))
        return by_child, np.where(by_child > 0, impurity, 0.0)
    if criterion == "absolute_error":
        places = _by_child(parts, n_children)
        return by_child, np.array([_absolute_error(values[place], weights[place]) for place in places])
    numbers = NumberTarget(criterion, values, weights)
    tables = numbers.tables(parts.child, n_children)
    if not numbers.admits(tables)[by_child > 0].all():
        raise DataError(
            "The question would make a child whose targets are all zero, which criterion='poisson' does not "
            "allow: it would predict that nothing ever happens."
        )
    return by_child, numbers.impurity(tables)


def _sums(child: Places, weights: Numbers, n_children: int) -> Numbers:
    return np.asarray(np.bincount(child, weights=weights, minlength=n_children), dtype=np.float64)


def _absolute_error(numbers: Numbers, weights: Numbers) -> float:
    if not len(numbers):
        return 0.0
    order = np.argsort(numbers, kind="stable")
    return max(0.0, absolute_error_of(numbers[order], weights[order]) / float(weights.sum()))


def _by_child(parts: Parts, n_children: int) -> list[Places]:
    """Return for each child the places of its parts."""
    ends = np.cumsum(np.bincount(parts.child, minlength=n_children))
    return np.split(np.argsort(parts.child, kind="stable"), ends[:-1])


def _reported(tree: Tree, rows: RowsAtNode, parts: Parts, n_children: int) -> Arrays:
    """Return the numbers that the children show; the node itself, which comes first, keeps its own."""
    values, weights = rows.values[parts.row], rows.reported[parts.row] * parts.share
    own = _by_child(parts, n_children)
    arrays: Arrays = {
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
    order = np.argsort(numbers, kind="stable")
    so_far = np.cumsum(weights[order])
    half, rounding = so_far[-1] / 2, 1 + 1e-12  # parts of rows add up to a half only but for rounding
    lower = numbers[order[np.searchsorted(so_far, half / rounding)]]
    upper = numbers[order[min(len(order) - 1, int(np.searchsorted(so_far, half * rounding)))]]
    return float(lower / 2 + upper / 2)
