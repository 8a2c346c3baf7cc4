"""An ensemble as one SELECT statement: a column for each tree with the step a row has reached, then means.

Such a column is brought some levels further in every part, until all rows have stopped: a row at step n has
the number n, and a row that stopped at step n has -1 - n. Then what the trees predict is added up in their
order, as the core does, some trees in each part: sums of hundreds of terms are too deep for some parsers.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from operator import add
from typing import Final

import numpy as np

from arboretum._tree.leaves import cheapest
from arboretum.export._program.program import Step
from arboretum.export._sql.inputs import column_of
from arboretum.export._sql.literals import double_of, exp, integer_of
from arboretum.export._sql.statement import (
    Builder,
    Named,
    Plan,
    Statement,
    label_of,
    output_names,
    unique_names,
)

_SUMMANDS: Final = 25  # in one part


def build(plan: Plan) -> Statement:
    """Return the statement of a tree or an ensemble."""
    make = EnsembleBuilder if plan.program.is_mean else Builder
    return make(plan).statement()


class EnsembleBuilder(Builder):
    """The statement of an ensemble while it is built."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        taken = {*self.columns.values(), *plan.keep, *output_names(plan), self.given}
        taken |= {*self.inputs.values(), *self.kept.values()}
        n_trees, width = len(self.program.roots), self.program.width
        names = [f"tree_{tree}" for tree in range(1, n_trees + 1)]
        names += [f"total_{place}" for place in range(1, width + 1)]
        unique = unique_names(names, taken)
        self.reached, self.totals = unique[:n_trees], unique[n_trees:]

    def statement(self) -> Statement:
        """Return the statement."""
        if not self.program.fields:
            return self._constant(self._same_for_all())
        source = self._add_means(self._add_descent(self._read_inputs()))
        means = [column_of(total) for total in self.totals]
        finished = self._finished(source, self._answers(means))
        return replace(finished, materialized=self.engine.materializes)

    # --- the ways through the trees

    def _add_descent(self, source: exp.Table) -> exp.Table:
        """Add the parts after which each tree's column says where the row stopped."""
        inputs = [(name, column_of(name)) for name in self.inputs.values()]
        open_steps = [[root] for root in self.program.roots]
        first = True
        number = 0
        while any(open_steps):
            number += 1
            columns: list[Named] = []
            for tree, steps in enumerate(open_steps):
                further, open_steps[tree] = self._further(self.reached[tree], steps, first=first)
                columns.append((self.reached[tree], further))
            same = inputs if any(open_steps) else []
            source = self._add(f"descent_{number}", self._select(source, [*same, *columns]))
            first = False
        return source

    def _further(self, name: str, steps: list[int], *, first: bool) -> tuple[exp.Expr, list[int]]:
        """Return where the rows at these steps of a tree go, and the steps where some are not done."""
        under_way: list[int] = []

        def go_on(step: Step) -> exp.Expr:
            under_way.append(step.number)
            return exp.Literal.number(step.number)

        def stop(step: Step) -> exp.Expr:
            return integer_of(self.engine, -1 - step.number)

        ways = [self._block(self.program.steps[step], self.engine.case_depth, stop, go_on) for step in steps]
        if first:
            return ways[0], under_way
        if not steps:
            return column_of(name), under_way
        ifs = [exp.If(this=exp.Literal.number(step), true=way) for step, way in zip(steps, ways, strict=True)]
        return exp.Case(this=column_of(name), ifs=ifs, default=column_of(name)), under_way

    # --- predictions

    def _add_means(self, source: exp.Table) -> exp.Table:
        """Add the parts that add up what the trees predict, and divide by their number."""
        n_trees = len(self.reached)
        for begin in range(0, n_trees, _SUMMANDS):
            end = min(begin + _SUMMANDS, n_trees)
            rest = [(name, column_of(name)) for name in self.reached[end:]]
            totals: list[Named] = []
            for place, total in enumerate(self.totals):
                parts = [self._outcome(tree, place) for tree in range(begin, end)]
                if begin:
                    parts.insert(0, column_of(total))
                totals.append((total, reduce(_plus, parts)))
            source = self._add(f"totals_{end}", self._select(source, [*rest, *totals]))
        n = double_of(self.engine, float(n_trees))
        means: list[Named] = [
            (total, exp.Div(this=column_of(total), expression=n.copy(), typed=True)) for total in self.totals
        ]
        return self._add("means", self._select(source, means))

    def _outcome(self, tree: int, place: int) -> exp.Expr:
        """Return what a tree predicts for the class of this place, by the step at which a row stopped."""
        roots = [*self.program.roots, len(self.program.steps)]
        ends = [
            step
            for step in self.program.steps[roots[tree] : roots[tree + 1]]
            if self.program.can_stop_at(step)
        ]
        values = [double_of(self.engine, step.outcome[place]) for step in ends]
        if len(ends) == 1:
            return values[0]
        ifs = [
            exp.If(this=integer_of(self.engine, -1 - step.number), true=value)
            for step, value in zip(ends, values, strict=True)
        ]
        return exp.Case(this=column_of(self.reached[tree]), ifs=ifs)

    def _answers(self, means: list[exp.Expr]) -> list[Named]:
        """Return the outputs by the means of what the trees predict."""
        if self.program.classes is None:
            return [(self.plan.name, means[0])]
        answers: list[exp.Expr] = []
        if self.plan.output in ("label", "both"):
            answers.append(self._likeliest(means))
        if self.plan.output in ("probabilities", "both"):
            answers += means
        return list(zip(output_names(self.plan), answers, strict=True))

    def _likeliest(self, means: list[exp.Expr]) -> exp.Expr:
        """Return the class of the largest mean, the first of equals.

        It is the first whose mean is not below any that follow: before it, each is below one that follows.
        """
        labels = [label_of(self.engine, label) for label in self.program.classes or ()]
        ifs = [
            exp.If(
                this=exp.and_(*(exp.GTE(this=mean.copy(), expression=other.copy()) for other in others)),
                true=label,
            )
            for label, mean, others in zip(
                labels, means, (means[k:] for k in range(1, len(means))), strict=False
            )
        ]
        return exp.Case(ifs=ifs, default=labels[-1]) if ifs else labels[-1]

    def _same_for_all(self) -> list[Named]:
        outcomes = [self.program.steps[root].outcome for root in self.program.roots]
        means = [reduce(add, values) / len(outcomes) for values in zip(*outcomes, strict=True)]
        answers = self._answers([double_of(self.engine, mean) for mean in means])
        if self.program.classes is not None and self.plan.output in ("label", "both"):
            label = self.program.classes[int(cheapest(np.array([means]), None)[0])]
            answers[0] = (answers[0][0], label_of(self.engine, label))
        return answers


def _plus(left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return exp.Add(this=left, expression=right)
