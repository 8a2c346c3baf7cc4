"""Questions as SQL: CASE expressions that lead from a step to one of its children.

An answer is a condition with the place of the child that it leads to. Inputs are NULL where the value is
missing, so that no comparison with them holds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping
from typing import Final

from arboretum._data import Column
from arboretum._data.times import NANOSECONDS
from arboretum._tree.composites import AtLeast, Linear, LinearTerm, Literal
from arboretum._tree.questions import Missing, Question, Threshold
from arboretum.errors import DataError
from arboretum.export._program.program import (
    Model,
    Program,
    Step,
    level_groups,
    levels_at_most,
    threshold_count,
    threshold_value,
    unseen_levels,
)
from arboretum.export._sql.dialects import Engine
from arboretum.export._sql.inputs import column_of, level_of, levels_in
from arboretum.export._sql.literals import (
    date_of,
    double_of,
    duration_of,
    exp,
    instant_of,
    integer_of,
    number_of,
)

_MOST_TERMS: Final = 500  # sums nest to the left, and SQLite takes expressions up to a depth of 1000

Answers = list[tuple["exp.Expr", int]]


class Questions:
    """The questions of a program in a dialect; `inputs` has the name of the input of each field."""

    def __init__(self, engine: Engine, program: Program, inputs: Mapping[str, str]) -> None:
        self.engine, self.program, self.inputs = engine, program, inputs

    def lead(self, step: Step, child: Callable[[int], exp.Expr], stop: Callable[[], exp.Expr]) -> exp.Expr:
        """Return the expression of an inner step, made of those of its children, by place.

        It holds each child once; otherwise it would double with every level. `stop` is the expression for
        rows that go no further.
        """
        question = step.question
        if question is None:
            raise DataError(f"Step {step.number} asks nothing.")
        if isinstance(question, Missing | AtLeast | Linear):
            return _case([(self._holds(step, question), child(0))], child(1))
        if step.surrogates:
            return self._with_surrogates(step, question, child, stop)
        last = step.missing_child
        answers = self._answers(question, step.unseen_child, without=last)
        cases = [(condition, child(place)) for condition, place in answers]
        return _case(cases, stop() if last is None else child(last))

    def _with_surrogates(
        self, step: Step, question: Question, child: Callable[[int], exp.Expr], stop: Callable[[], exp.Expr]
    ) -> exp.Expr:
        """Return the child of the first question that has an answer."""
        places = [self._place(question), *map(self._place, step.surrogates)]
        last = step.missing_child
        if last is not None:
            places.append(exp.Literal.number(last))
        found = exp.Coalesce(this=places[0], expressions=places[1:])
        numbers = range(len(step.children)) if last is None else range(len(step.children) - 1)
        default = stop() if last is None else child(len(step.children) - 1)
        return _case([(exp.Literal.number(place), child(place)) for place in numbers], default, found)

    def _place(self, question: Question) -> exp.Expr:
        """Return the place of the child that a question leads to, NULL if it has no answer."""
        return _case([(condition, exp.Literal.number(place)) for condition, place in self._answers(question)])

    def _answers(
        self, question: Question, unseen_child: int | None = None, *, without: int | None = None
    ) -> Answers:
        """Return the answers to a question about one column, except for the child at `without`.

        Unseen levels go to `unseen_child`.
        """
        field = self.program.field_of(question.about)
        if isinstance(question, Threshold) and field.levels is None:
            sides = [
                (self._at_most(question), int(question.flipped)),
                (self._at_most(question, negated=True), 1 - int(question.flipped)),
            ]
            return [side for side in sides if side[1] != without]
        answers = []
        for place, levels in enumerate(level_groups(question)):
            if place == without:  # it may have all the unseen levels
                continue
            group = levels + (unseen_levels(question) if place == unseen_child else ())
            condition = levels_in(self.engine, field, self._input(question), group)
            if condition is not None:
                answers.append((condition, place))
        return answers

    def _holds(self, step: Step, question: Missing | AtLeast | Linear) -> exp.Expr:
        """Return whether a question that is always answered leads to the first child."""
        if isinstance(question, Missing):
            return exp.Is(this=self._input(question), expression=exp.Null())
        if isinstance(question, AtLeast):
            votes = [_vote(self._literal(literal)) for literal in question.literals]
            return exp.GTE(this=_balanced(votes), expression=exp.Literal.number(question.m))
        if len(question.terms) > _MOST_TERMS:
            raise DataError(
                f"The question at node {step.number} is a sum of {len(question.terms)} terms; to_sql() "
                f"writes {_MOST_TERMS} at most, since databases limit how deep expressions are nested.\n"
                "Hint: limit the number of terms when fitting, or export to another target."
            )
        total, *rest = map(self._term, question.terms)
        for term in rest:
            total = exp.Add(this=total, expression=term)
        return exp.LTE(this=total, expression=double_of(self.engine, question.threshold))

    def _literal(self, literal: Literal) -> exp.Expr:
        field = self.program.field_of(literal.about)
        if literal.level is not None:
            level = level_of(self.engine, field, (field.levels or ())[literal.level])
            compare = exp.NEQ if literal.negated else exp.EQ
            return compare(this=self._input(literal), expression=level)
        if field.levels is None:
            return self._at_most(literal, negated=literal.negated)
        low = levels_at_most(literal)
        group = field.levels[len(low) :] if literal.negated else low
        condition = levels_in(self.engine, field, self._input(literal), group)
        if condition is None:  # nothing is at most a threshold below all levels
            return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))
        return condition

    def _term(self, term: LinearTerm) -> exp.Expr:
        fill = double_of(self.engine, term.fill)
        if term.level is None:
            number: exp.Expr = exp.Coalesce(this=self._input(term), expressions=[fill])
        else:
            field = self.program.field_of(term.about)
            level = level_of(self.engine, field, (field.levels or ())[term.level])
            cases: list[tuple[exp.Expr, exp.Expr]] = [
                (exp.EQ(this=self._input(term), expression=level), double_of(self.engine, 1.0)),
                (exp.Is(this=self._input(term), expression=exp.Null()), fill),
            ]
            number = _case(cases, double_of(self.engine, 0.0))
        return exp.Mul(this=double_of(self.engine, term.coefficient), expression=number)

    def value_of(self, model: Model) -> exp.Expr:
        """Return what a linear model says, within its bounds; what is missing or infinite has a stand-in."""
        total: exp.Expr = double_of(self.engine, model.intercept)
        for term in model.terms:
            product = exp.Mul(
                this=double_of(self.engine, term.coefficient), expression=self._known(term.column, term.fill)
            )
            total = exp.Add(this=total, expression=product)
        larger, smaller = ("MAX", "MIN") if self.engine.dialect == "sqlite" else ("GREATEST", "LEAST")
        for function, bound in ((larger, model.low), (smaller, model.high)):
            if math.isfinite(bound):
                total = exp.Anonymous(this=function, expressions=[total, double_of(self.engine, bound)])
        return total

    def _known(self, column: Column, stand_in: float) -> exp.Expr:
        """Return a column as a finite number."""
        value, fill = column_of(self.inputs[column.name]), double_of(self.engine, stand_in)
        if column.kind == "integer":
            return exp.Coalesce(this=exp.cast(value, "double"), expressions=[fill])
        if self.engine.infinity is None:
            return exp.Coalesce(this=value, expressions=[fill])
        finite = exp.LTE(this=exp.Abs(this=value), expression=double_of(self.engine, sys.float_info.max))
        return _case([(finite, value.copy())], fill)

    def _at_most(self, question: Threshold | Literal, *, negated: bool = False) -> exp.Expr:
        """Return `x <= t` or `x > t` of a column without levels.

        A unit of time lasts until the next one: a time is at most t if it is before t + 1.
        """
        column = question.about
        value = self._input(question)
        if column.kind in ("number", "integer"):
            compare = exp.GT if negated else exp.LTE
            return compare(this=value, expression=self._number(question))
        after = (threshold_count(question) + 1) * NANOSECONDS[str(column.unit)]
        if column.kind == "duration":
            bound = duration_of(self.engine, column, after)
        elif self.program.field_of(column).type == "date":
            bound = date_of(self.engine, column, after)
        else:
            bound = instant_of(self.engine, column, after)
        compare_times = exp.GTE if negated else exp.LT
        return compare_times(this=value, expression=bound)

    def _number(self, question: Threshold | Literal) -> exp.Expr:
        threshold = threshold_value(question)
        if isinstance(threshold, str):
            raise DataError(f"The question {question} has no number to compare with.")
        whole = isinstance(threshold, float) and threshold.is_integer()
        if question.about.kind == "integer" and whole:
            return integer_of(self.engine, int(threshold))
        return number_of(self.engine, threshold)

    def _input(self, part: Question | Literal | LinearTerm) -> exp.Expr:
        return column_of(self.inputs[part.about.name])


def _case(
    cases: list[tuple[exp.Expr, exp.Expr]], default: exp.Expr | None = None, value: exp.Expr | None = None
) -> exp.Expr:
    """Return a CASE expression; without cases, its default."""
    if not cases:
        return exp.Null() if default is None else default
    ifs = [exp.If(this=condition, true=result) for condition, result in cases]
    return exp.Case(this=value, ifs=ifs, default=default)


def _vote(condition: exp.Expr) -> exp.Expr:
    return _case([(condition, exp.Literal.number(1))], exp.Literal.number(0))


def _balanced(parts: list[exp.Expr]) -> exp.Expr:
    """Return a sum of integers, whose order does not matter, nested as little as possible."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return exp.Paren(this=exp.Add(this=_balanced(parts[:half]), expression=_balanced(parts[half:])))
