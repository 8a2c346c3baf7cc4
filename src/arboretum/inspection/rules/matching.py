"""Which rows of a table meet a condition: whole columns are asked at once, as the core asks each row."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from arboretum._data import ColumnData, Dataset
from arboretum._tree.composites import AtLeast, Linear, LinearTerm
from arboretum._types import Array, Mask, Numbers
from arboretum.inspection.rules.conditions import Allowed, Answered, Bound, Condition
from arboretum.inspection.rules.merging import literal_allowed


class Table:
    """The columns of a table by name, to ask conditions of."""

    def __init__(self, data: Dataset) -> None:
        self.n_rows: int = data.n_rows
        self._columns = {column.column.name: column for column in data.columns}
        self._gone: dict[str, Mask] = {}

    def column(self, name: str) -> ColumnData:
        """Return a column."""
        return self._columns[name]

    def missing(self, name: str) -> Mask:
        """Return which rows miss the value of a column, or hold a level that the tree does not know."""
        if name not in self._gone:
            self._gone[name] = self._columns[name].is_missing()
        return self._gone[name]

    def meets(self, condition: Condition) -> Mask:
        """Return which rows meet a condition; a divided row does where its value is known."""
        if isinstance(condition, Answered):
            return self._answered(condition)
        met, answered = self._sent(condition)
        for other in condition.surrogates:
            if answered.all():
                return met
            sent, knows = self._sent(other)
            met, answered = np.where(answered, met, sent), answered | knows
        return np.where(answered, met, condition.missing)

    def meets_all(self, conditions: Iterable[Condition]) -> Mask:
        """Return which rows meet all conditions."""
        met: Mask = np.ones(self.n_rows, dtype=np.bool_)
        for condition in conditions:
            met &= self.meets(condition)
        return met

    def _sent(self, allowed: Allowed) -> tuple[Mask, Mask]:
        """Return which rows hold a known value that is allowed, and which hold one that has an answer."""
        name = allowed.about.name
        values, known = self._columns[name].values, ~self.missing(name)
        if allowed.levels is not None and allowed.about.levels is None:
            return np.zeros(self.n_rows, dtype=np.bool_), known
        if allowed.levels is not None:
            n_levels = len(allowed.about.levels or ())
            codes = np.where(known, values, 0)
            answered = (
                known if allowed.answered is None else known & _among(allowed.answered, n_levels)[codes]
            )
            return answered & _among(allowed.levels, n_levels)[codes], answered
        met = known.copy()
        if allowed.above is not None:
            met &= ~_at_most(values, allowed.above)
        if allowed.at_most is not None:
            met &= _at_most(values, allowed.at_most)
        return met, known

    def _answered(self, condition: Answered) -> Mask:
        question = condition.question
        if isinstance(question, AtLeast):
            held = np.zeros(self.n_rows, dtype=np.int64)
            for literal in question.literals:
                held += self.meets(literal_allowed(literal, holds=True))
            return np.asarray((held >= question.m) == condition.holds)
        assert isinstance(question, Linear)
        total = np.zeros(self.n_rows)
        with np.errstate(invalid="ignore", over="ignore"):
            for term in question.terms:
                total += term.coefficient * self._term(term)
        return np.asarray((total <= question.threshold) == condition.holds)

    def _term(self, term: LinearTerm) -> Numbers:
        name = term.about.name
        values = self._columns[name].values
        numbers = values if term.level is None else values == term.level
        return np.where(self.missing(name), term.fill, numbers.astype(np.float64))


def _among(levels: frozenset[int], n_levels: int) -> Mask:
    found = np.zeros(max(n_levels, 1), dtype=np.bool_)
    found[list(levels)] = True
    return found


def _at_most(values: Array, bound: Bound) -> Mask:
    """Return which values are at most a threshold: whole ones are compared with its whole form."""
    if values.dtype.kind == "f":
        met: Mask = values.astype(np.float64, copy=False) <= bound.real
        return met
    met = values.astype(np.int64, copy=False) <= bound.floor
    return met
