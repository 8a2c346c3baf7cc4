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

from arboretum._data.levels import level_text, number_of_level, number_text
from arboretum._data.scalars import is_real
from arboretum._tree.leaves import cheapest
from arboretum._tree.surgery import levels_below_root
from arboretum._tree.tree import Tree
from arboretum._types import Array, Integers, Mask, Numbers
from arboretum._wording import did_you_mean, shown
from arboretum.errors import ParameterError, listing

_MOST_DIGITS = 15
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
            rule = self.tree.rule
            costs = -np.eye(width) if rule is None or rule.loss is None else rule.loss
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
        most[self.tree.array("n_children") > 0] = -np.inf
        for level in self._levels:
            np.maximum.at(most, self.tree.array("parent")[level], most[level])
        return most

    def most_at(self, node: int) -> Numbers:
        """Return the greatest value of each inequality that a row can have that comes to a node."""
        return np.asarray(self._most[node])

    def may_follow(self, most: Numbers) -> bool:
        """Return whether a row can still end as wanted; `most` is the mean of `most_at` over its parts."""
        return bool((most >= self._least).all())

    @cached_property
    def _least(self) -> Numbers:
        """What each inequality asks, less some rounding."""
        matrix, least = self._inequalities
        rounding = _ROUNDING * (1.0 + np.abs(least) + np.abs(matrix).sum(axis=1))
        return np.asarray(least - rounding)

    @property
    def _at_ends(self) -> Mask:
        """Whether rows can end at each node, and are predicted as wanted there."""
        ends = (self.tree.array("n_children") == 0) | (self.tree.array("missing_child") < 0)
        return np.asarray(self.at_nodes & ends, dtype=np.bool_)

    @property
    def possible(self) -> bool:
        """Whether some row may be predicted as wanted; a divided one may be even where no leaf is."""
        divides = self.tree.missing == "fractions"
        return bool(self._at_ends.any()) or (divides and self.may_follow(self.most_at(0)))

    @cached_property
    def reaches(self) -> list[bool]:
        """Whether some row that comes to a node, and is not divided, can end as wanted."""
        found = self._at_ends
        for level in self._levels:
            np.logical_or.at(found, self.tree.array("parent")[level], found[level])
        listed: list[bool] = found.tolist()
        return listed

    @property
    def _levels(self) -> list[Integers]:
        """The nodes of each depth below the root, the deepest first."""
        return levels_below_root(self.tree)[::-1]


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
    if not wanted.possible:
        leaves = tree.array("n_children") == 0
        found = [tree.target.classes[number] for number in np.unique(tree.array("label")[leaves])]
        most = _rounded_down(float(tree.array("probability")[leaves, label].max()))
        raise ParameterError(
            f"desired={shown(desired)} is a class that no leaf predicts; leaves predict "
            f"{listing(found, 10)}.\n"
            f"Hint: its highest probability is {most}; desired={{{shown(desired)}: {most}}} asks for that."
        )
    return wanted


def _class_number(tree: Tree, desired: Any) -> int:
    classes = tree.target.classes or ()
    found = number_of_level(classes, desired)
    if found is None:
        meant = did_you_mean(desired, [label for label in classes if isinstance(label, str)])
        if isinstance(desired, str):  # '11' for 11
            alike = [label for label in classes if level_text(label) == desired]
            meant = f" Did you mean {alike[0]!r}?" if alike else meant
        raise ParameterError(
            f"desired={shown(desired)} is not a class of the tree; its classes are {listing(classes, 10)}."
            f"{meant}"
        )
    return found


def _of_probabilities(tree: Tree, desired: Mapping[Any, Any]) -> Wanted:
    if not desired:
        raise ParameterError("desired={} wants nothing; give a class and its probability: {'yes': 0.8}.")
    limits, texts = [], []
    for label, limit in desired.items():
        number, name = _class_number(tree, label), f"desired={{{label!r}: {shown(limit)}}}"
        ends = limit if _is_pair(limit) else (limit, None)
        if not all(end is None or (is_real(end) and 0 <= end <= 1) for end in ends):
            raise ParameterError(
                f"{name} is not allowed; give the least probability, 0 to 1, or (least, greatest), where "
                "None is no limit."
            )
        low, high = 0.0 if ends[0] is None else float(ends[0]), 1.0 if ends[1] is None else float(ends[1])
        if low > high:
            raise ParameterError(f"{name} excludes every probability: the least comes first.")
        limits.append((number, low, high))
        texts.append(f"{_class_text(tree, number)} with a probability {_limits(low, high, 0.0, 1.0)}")
    wanted = Wanted(tree, " and ".join(texts), None, tuple(limits))
    if not wanted.possible:
        place = limits[0][0]
        leaves = _values(tree)[tree.array("n_children") == 0, place]
        raise ParameterError(
            f"No leaf predicts {wanted.text}; the leaves give {_class_text(tree, place)} "
            f"{_rounded_down(leaves.min())} to {_rounded_down(leaves.max())}."
        )
    return wanted


def _rounded_down(probability: float) -> str:
    """Return a probability with three digits that some leaf really reaches: it is never rounded up.

    >>> _rounded_down(0.99999987), _rounded_down(0.26789), _rounded_down(1.0), _rounded_down(0.00291)
    ('0.9999998', '0.267', '1', '0.00291')
    """
    rest = min(probability, 1 - probability)
    if rest <= 0:
        return f"{probability:g}"
    first = -math.floor(math.log10(rest))  # the place of the first digit, counted from the nearer end
    digits = first + 2 if probability < 0.5 else max(3, first)
    if digits > _MOST_DIGITS:
        return repr(float(probability))
    return f"{math.floor(probability * 10**digits) / 10**digits:.{digits}f}".rstrip("0")


def _class_text(tree: Tree, number: int) -> str:
    return level_text((tree.target.classes or ())[number])


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple | list) and len(given) == 2


def _of_numbers(tree: Tree, desired: Any, present: float) -> Wanted:
    ends = tuple(desired) if _is_pair(desired) else (desired,)
    if all(end is None for end in ends) or not all(
        end is None or (is_real(end) and not math.isnan(end)) for end in ends
    ):
        raise ParameterError(
            f"desired={shown(desired)} is not allowed; the tree predicts numbers: give the number to reach, "
            "or (least, greatest), where None is no limit."
        )
    if len(ends) == 1:  # the number to reach, from where the prediction is now
        ends = (ends[0], None) if present <= ends[0] else (None, ends[0])
    low = -math.inf if ends[0] is None else float(ends[0])
    high = math.inf if ends[1] is None else float(ends[1])
    if low > high:
        raise ParameterError(f"desired={shown(desired)} excludes every number: the least comes first.")
    wanted = Wanted(tree, f"a value {_limits(low, high, -math.inf, math.inf)}", None, ((0, low, high),))
    if not wanted.possible:
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
