"""What is wanted of a prediction: a class, probabilities of classes, or a range of numbers.

A wish is kept as linear inequalities of the prediction, so that it can be bounded for rows that are divided
among leaves: the class c is predicted where its expected loss is at most that of every other class.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from arboretum._data.levels import level_key, level_text, number_text, plain_level
from arboretum._data.scalars import is_real
from arboretum._tree.leaves import cheapest
from arboretum._tree.tree import Tree
from arboretum._types import Array, Mask, Numbers
from arboretum._wording import did_you_mean, shown
from arboretum.errors import ParameterError, listing

_ROUNDING = 1e-9  # of a bound on the predictions of divided rows


@dataclass(frozen=True, eq=False)
class Wanted:
    """A wish about the prediction of a tree."""

    tree: Tree
    text: str
    label: int | None  # the number of the class that is to be predicted
    limits: tuple[
        tuple[int, float, float], ...
    ]  # a class, or 0 of numbers, with its least and greatest value

    @cached_property
    def at_nodes(self) -> Mask:
        """Whether each node predicts what is wanted."""
        if self.label is not None:
            return np.asarray(self.tree.array("label") == self.label)
        return self._within(_values(self.tree))

    def of(self, predicted: Numbers) -> bool:
        """Return whether a prediction, the probabilities or the number of one row, is wanted."""
        if self.label is not None:
            rule = self.tree.rule
            return int(cheapest(predicted[None, :], None if rule is None else rule.loss)[0]) == self.label
        return bool(self._within(predicted[None, :])[0])

    def _within(self, values: Numbers) -> Mask:
        inside = np.ones(len(values), dtype=np.bool_)
        for place, low, high in self.limits:
            inside &= (values[:, place] >= low) & (values[:, place] <= high)
        return inside

    @cached_property
    def _inequalities(self) -> tuple[Numbers, Numbers]:
        """Return F and b: what is wanted implies F · prediction >= b."""
        width = _values(self.tree).shape[1]
        if self.label is not None:
            costs = (
                np.eye(width) * -1
                if self.tree.rule is None or self.tree.rule.loss is None
                else self.tree.rule.loss
            )
            others = [k for k in range(width) if k != self.label]
            return (costs[:, others] - costs[:, [self.label]]).T, np.zeros(len(others))
        rows = [(place, 1.0, low) for place, low, _ in self.limits if low > -math.inf]
        rows += [(place, -1.0, -high) for place, _, high in self.limits if high < math.inf]
        matrix = np.zeros((len(rows), width))
        for number, (place, sign, _) in enumerate(rows):
            matrix[number, place] = sign
        return matrix, np.array([bound for _, _, bound in rows])

    @cached_property
    def _most(self) -> Numbers:
        """The greatest value of each inequality in the subtree of each node."""
        matrix, _ = self._inequalities
        most = _values(self.tree) @ matrix.T
        parent = self.tree.array("parent")
        inner = self.tree.array("n_children") > 0
        most[inner] = -np.inf
        for node in range(len(most) - 1, 0, -1):
            np.maximum(most[parent[node]], most[node], out=most[parent[node]])
        return most

    def may_follow(self, parts: tuple[tuple[int, float], ...]) -> bool:
        """Return whether the parts of a divided row, at these nodes, can still end as wanted."""
        matrix, least = self._inequalities
        total = sum(share * self._most[node] for node, share in parts)
        rounding = _ROUNDING * (1.0 + np.abs(least) + np.abs(matrix).sum(axis=1))
        return bool(np.all(total >= least - rounding))

    @property
    def _at_ends(self) -> Mask:
        """Whether rows can end at each node, and are predicted as wanted there."""
        ends = (self.tree.array("n_children") == 0) | (self.tree.array("missing_child") < 0)
        return self.at_nodes & ends

    @property
    def possible(self) -> bool:
        """Whether some row that is not divided is predicted as wanted."""
        return bool(self._at_ends.any())

    @cached_property
    def reaches(self) -> list[bool]:
        """Whether some row that comes to a node, and is not divided, can end as wanted."""
        found: list[bool] = self._at_ends.tolist()
        parent = self.tree.array("parent").tolist()
        for node in range(len(found) - 1, 0, -1):
            if found[node]:
                found[parent[node]] = True
        return found


def _values(tree: Tree) -> Numbers:
    """Return what each node predicts: probabilities, or one number."""
    name = "value" if tree.target.classes is None else "probability"
    values: Array = tree.array(name)
    return values.reshape(len(values), -1)


def read_wanted(tree: Tree, desired: Any, present: Numbers) -> Wanted:
    """Return what is wanted of a tree; `present` is what it predicts for the row as it is."""
    if tree.target.classes is None:
        return _of_numbers(tree, desired, float(present[0]))
    if isinstance(desired, Mapping):
        return _of_probabilities(tree, desired)
    label = _class_number(tree, desired)
    wanted = Wanted(tree, level_text(tree.target.classes[label]), label, ())
    if not wanted.possible and tree.missing != "fractions":
        leaves = tree.array("n_children") == 0
        found = [tree.target.classes[number] for number in np.unique(tree.array("label")[leaves])]
        raise ParameterError(
            f"desired={desired!r} is a class that no leaf predicts; leaves predict {listing(found, 10)}.\n"
            f"Hint: desired={{{desired!r}: 0.3}} asks for a probability of at least 0.3."
        )
    return wanted


def _class_number(tree: Tree, desired: Any) -> int:
    classes = tree.target.classes or ()
    known = {level_key(label): number for number, label in enumerate(classes)}
    try:
        found = known.get(level_key(plain_level(desired)))
    except (TypeError, ValueError):
        found = None
    if found is None:
        names = [level_text(label) for label in classes]
        raise ParameterError(
            f"desired={shown(desired)} is not a class of the tree; its classes are {listing(classes, 10)}."
            f"{did_you_mean(desired, names)}"
        )
    return found


def _of_probabilities(tree: Tree, desired: Mapping[Any, Any]) -> Wanted:
    if not desired:
        raise ParameterError("desired={} wants nothing; give a class and its probability: {'yes': 0.8}.")
    limits, texts = [], []
    for label, limit in desired.items():
        number = _class_number(tree, label)
        low, high = limit if isinstance(limit, tuple | list) and len(limit) == 2 else (limit, None)
        for end in (low, high):
            if end is not None and (not is_real(end) or not 0 <= end <= 1):
                raise ParameterError(
                    f"desired={{{label!r}: {shown(limit)}}} is not allowed; give the least probability, 0 to 1, "
                    "or (least, greatest), where None is no limit."
                )
        limits.append((number, 0.0 if low is None else float(low), 1.0 if high is None else float(high)))
        texts.append(
            f"{level_text((tree.target.classes or ())[number])} with a probability {_limits(*limits[-1][1:], 0.0, 1.0)}"
        )
        if limits[-1][1] > limits[-1][2]:
            raise ParameterError(f"desired={{{label!r}: {shown(limit)}}} excludes every probability.")
    wanted = Wanted(tree, " and ".join(texts), None, tuple(limits))
    if not wanted.possible and tree.missing != "fractions":
        place = limits[0][0]
        leaves = _values(tree)[tree.array("n_children") == 0, place]
        raise ParameterError(
            f"No leaf predicts {wanted.text}; the leaves give {level_text((tree.target.classes or ())[place])} "
            f"{leaves.min():.3g} to {leaves.max():.3g}."
        )
    return wanted


def _of_numbers(tree: Tree, desired: Any, present: float) -> Wanted:
    ends = desired if isinstance(desired, tuple | list) and len(desired) == 2 else (desired, desired)
    single = ends[0] is ends[1]
    for end in ends:
        if (end is None and (single or (ends[0] is None and ends[1] is None))) or (
            end is not None and (not is_real(end) or math.isnan(end))
        ):
            raise ParameterError(
                f"desired={shown(desired)} is not allowed; the tree predicts numbers: give the number to reach, "
                "or (least, greatest), where None is no limit."
            )
    if single:  # the number to reach, from where the prediction is now
        ends = (ends[0], None) if present <= ends[0] else (None, ends[0])
    low = -math.inf if ends[0] is None else float(ends[0])
    high = math.inf if ends[1] is None else float(ends[1])
    if low > high:
        raise ParameterError(f"desired={shown(desired)} excludes every number: the least comes first.")
    wanted = Wanted(tree, _limits(low, high, -math.inf, math.inf), None, ((0, low, high),))
    if not wanted.possible and tree.missing != "fractions":
        leaves = tree.array("value")[tree.array("n_children") == 0]
        raise ParameterError(
            f"No leaf predicts {wanted.text}; the leaves predict {leaves.min():.6g} to {leaves.max():.6g}."
        )
    return wanted


def _limits(low: float, high: float, least: float, most: float) -> str:
    if low <= least and high >= most:
        return "of any size"
    if high >= most:
        return f"of at least {number_text(low)}"
    return (
        f"of at most {number_text(high)}" if low <= least else f"of {number_text(low)} to {number_text(high)}"
    )
