"""A tree as one SELECT statement: inputs, the path through the tree, and the prediction where a row stops.

A tree that is not too deep is one nested CASE expression. A deeper one is walked: a recursive common table
expression takes each row one block of levels further until it stops. In a walk, a row at step n has the
number n, and a row that stopped at step n has -1 - n.

The table's own names stand in the first select only; the other parts use private names, plain words that no
dialect takes for anything else (SQLite, for example, renames a column `true` of a subquery and then reads
`"true"` as text). The last select gives the names that the user asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from arboretum._data.levels import level_text
from arboretum.errors import DataError, ParameterError
from arboretum.export._program.program import Output, Program, Step
from arboretum.export._sql.dialects import Engine
from arboretum.export._sql.inputs import column_of, identifier, ready
from arboretum.export._sql.literals import double_of, exp, integer_of, number_of, text_of, truth_of
from arboretum.export._sql.questions import Questions

_PLAIN: Final = re.compile(r"[A-Za-z0-9_]{1,40}")

Named = tuple[str, "exp.Expr"]


@dataclass(frozen=True)
class Plan:
    """What the user asks of the statement: table, kept columns, output."""

    engine: Engine
    program: Program
    table: tuple[str, ...]
    output: str
    name: str = "prediction"
    keep: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """A select, and the common table expressions before it, in order."""

    parts: tuple[tuple[str, exp.Query], ...]
    select: exp.Query
    recursive: bool
    materialized: bool = False  # whether each part is computed once

    def with_parts(self) -> exp.Query:
        """Return the whole statement as one expression."""
        query = self.select
        for name, part in self.parts:
            query = query.with_(
                identifier(name),
                part,
                recursive=self.recursive,
                materialized=self.materialized or None,
                copy=False,
            )
        return query


@dataclass(frozen=True)
class Prediction:
    """A column of predictions: the class or the number of an output, or the probability of one class."""

    name: str
    output: Output
    number: int  # of the output
    place: int | None  # of the class


def predictions(plan: Plan) -> tuple[Prediction, ...]:
    """Return the columns that hold predictions; none if the leaf is asked for.

    They are named by outputs and classes where such names are short and distinct, otherwise by numbers.
    """
    parts = [
        (output, number, place)
        for number, output in enumerate(plan.program.answers)
        for place in _places(plan, output)
    ]
    names = [_name_by_words(plan, output, place) for output, _, place in parts]
    made = [
        name
        for name, (output, _, place) in zip(names, parts, strict=True)
        if (output.name, place) != (None, None)
    ]
    short = all(len(name.encode("utf-8", "replace")) <= 60 and name.isprintable() for name in made)
    if not short or len({name.casefold() for name in made}) < len(made):
        names = [_name_by_numbers(plan, *part) for part in parts]
    return tuple(Prediction(name, *part) for name, part in zip(names, parts, strict=True))


def _places(plan: Plan, output: Output) -> list[int | None]:
    """Return what is asked of an output: its answer (None), and the places of classes."""
    wanted: list[int | None] = [None] if plan.output in ("label", "both") else []
    if plan.output in ("probabilities", "both"):
        wanted += range(len(output.classes or ()))
    return wanted


def _name_by_words(plan: Plan, output: Output, place: int | None) -> str:
    name = plan.name if place is None else f"probability_{level_text((output.classes or ())[place])}"
    return name if output.name is None else f"{output.name}_{name}"


def _name_by_numbers(plan: Plan, output: Output, number: int, place: int | None) -> str:
    name = plan.name if place is None else f"probability_{place + 1}"
    return name if output.name is None else f"output_{number + 1}_{name}"


def output_names(plan: Plan) -> tuple[str, ...]:
    """Return the names of the columns that hold predictions, or the leaf."""
    return ("leaf",) if plan.output == "leaf" else tuple(each.name for each in predictions(plan))


class Builder:
    """The statement while it is built: names, and the parts so far."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.engine, self.program = plan, plan.engine, plan.program
        self.columns = {each.name: plan.columns.get(each.name, each.name) for each in self.program.fields}
        taken = (*self.columns.values(), *plan.keep, *output_names(plan))
        self.given, self.node, self.leaf = unique_names(("given", "at_node", "at_leaf"), taken)
        taken = (*taken, self.given, self.node, self.leaf)
        self.inputs = private_names("input", self.columns, taken)
        self.kept = private_names("kept", plan.keep, (*taken, *self.inputs.values()))
        self.questions = Questions(self.engine, self.program, self.inputs)
        self.parts: list[tuple[str, exp.Query]] = []

    def statement(self) -> Statement:
        """Return the statement; a tree that is too deep for this dialect is refused."""
        self._check_depth()
        if not self.program.fields:
            return self._constant([(name, make(self.program.steps[0])) for name, make in self._makers()])
        source = self._read_inputs()
        if self.program.depth > self.engine.case_depth:
            return self._finished(self._add_walk(source), self._outputs(), recursive=True)
        if len(self._makers()) == 1:
            ((name, make),) = self._makers()
            return self._finished(source, [(name, self._nested(make))])
        source = self._add("rested", self._select(source, [(self.leaf, self._nested(_number))]))
        return self._finished(source, self._outputs())

    def _check_depth(self) -> None:
        depth, engine = self.program.depth, self.engine
        if depth > engine.case_depth and not engine.walks:
            raise DataError(
                f"The tree is {depth} levels deep; for {engine.title}, CASE expressions are nested up to "
                f"{engine.case_depth} levels.\nHint: prune, or fit with max_depth={engine.case_depth}."
            )

    # --- parts

    def _constant(self, values: list[Named]) -> Statement:
        """Return the statement where nothing is asked: the prediction is the same for every row."""
        kept = [(name, self._cell(name)) for name in self.plan.keep]
        return Statement((), selected(self._table(), [*kept, *values]), False)

    def _read_inputs(self) -> exp.Table:
        """Add the part that makes the inputs ready."""
        kept = [(private, self._cell(name)) for name, private in self.kept.items()]
        inputs = [
            (self.inputs[each.name], ready(self.engine, each, self._cell(self.columns[each.name])))
            for each in self.program.fields
        ]
        return self._add("inputs", selected(self._table(), [*kept, *inputs]))

    def _add(self, name: str, query: exp.Query) -> exp.Table:
        self.parts.append((self._free(name), query))
        return exp.Table(this=identifier(self._free(name)))

    def _table(self) -> exp.Table:
        *place, table = map(identifier, self.plan.table)
        where = dict(zip(("db", "catalog"), reversed(place), strict=False))
        return exp.Table(this=table, alias=exp.TableAlias(this=identifier(self.given)), **where)

    def _cell(self, column: str) -> exp.Expr:
        """Return a column of the table by its own name."""
        return column_of(column, self.given if self.engine.qualifies else None)

    def _add_walk(self, source: exp.Table) -> exp.Table:
        """Add the parts that take each row from block to block, and find where it stops."""
        same = [(name, column_of(name)) for name in self.inputs.values()]
        first = self._select(source, [*same, (self.node, exp.Literal.number(0))])
        walk = exp.Table(this=identifier(self._free("walk")))
        further = self._select(walk.copy(), [*same, (self.node, self._blocks())])
        on = exp.GTE(this=column_of(self.node), expression=exp.Literal.number(0))
        further = further.where(on, copy=False)
        self._add("walk", exp.Union(this=first, expression=further, distinct=False))
        leaf = exp.Sub(this=integer_of(self.engine, -1), expression=column_of(self.node))
        stopped = self._select(walk, [(self.leaf, leaf)])
        done = exp.LT(this=column_of(self.node), expression=exp.Literal.number(0))
        return self._add("rested", stopped.where(done, copy=False))

    def _free(self, name: str) -> str:
        """Return the name of a part, different from the table's."""
        while name.casefold() == self.plan.table[-1].casefold():
            name = f"{name}_"
        return name

    def _select(self, source: exp.Table, values: list[Named]) -> exp.Select:
        """Return a select from another part, with private names."""
        kept = [(name, column_of(name)) for name in self.kept.values()]
        return selected(source, [*kept, *values])

    def _finished(self, source: exp.Table, values: list[Named], *, recursive: bool = False) -> Statement:
        """Return the statement, which ends with the names that the user asked for."""
        kept = [(name, column_of(private)) for name, private in self.kept.items()]
        return Statement(tuple(self.parts), selected(source, [*kept, *values]), recursive)

    # --- the path through the tree

    def _nested(self, outcome: Callable[[Step], exp.Expr]) -> exp.Expr:
        return self._block(self.program.steps[0], self.program.depth, outcome, _number)

    def _block(
        self, step: Step, levels: int, outcome: Callable[[Step], exp.Expr], go_on: Callable[[Step], exp.Expr]
    ) -> exp.Expr:
        """Return the expression of a step and so many levels below it."""
        if step.is_leaf:
            return outcome(step)
        if levels == 0:
            return go_on(step)
        steps = self.program.steps

        def child(place: int) -> exp.Expr:
            return self._block(steps[step.children[place]], levels - 1, outcome, go_on)

        return self.questions.lead(step, child, partial(outcome, step))

    def _blocks(self) -> exp.Expr:
        """Return where a row of the walk goes next, by the step that it has reached."""
        roots = [0]
        ifs = []

        def go_on(step: Step) -> exp.Expr:
            roots.append(step.number)
            return _number(step)

        def stop(step: Step) -> exp.Expr:
            return integer_of(self.engine, -1 - step.number)

        for root in roots:  # grows in the loop
            block = self._block(self.program.steps[root], self.engine.case_depth, stop, go_on)
            ifs.append(exp.If(this=exp.Literal.number(root), true=block))
        return exp.Case(this=column_of(self.node), ifs=ifs)

    # --- predictions

    def _makers(self) -> list[tuple[str, Callable[[Step], exp.Expr]]]:
        """Return the names of the outputs, each with a function that makes it for a step."""
        if self.plan.output == "leaf":
            return [("leaf", _number)]
        return [(each.name, partial(self._predicted, each)) for each in predictions(self.plan)]

    def _outputs(self) -> list[Named]:
        """Return the outputs, by the step at which a row stopped."""
        if self.plan.output == "leaf":
            return [("leaf", column_of(self.leaf))]
        ends = [step for step in self.program.steps if self.program.can_stop_at(step)]
        found: list[Named] = []
        for name, make in self._makers():
            ifs = [exp.If(this=_number(step), true=make(step)) for step in ends]
            found.append((name, exp.Case(this=column_of(self.leaf), ifs=ifs)))
        return found

    def _predicted(self, prediction: Prediction, step: Step) -> exp.Expr:
        """Return what is predicted at a step."""
        own = prediction.output.at(step)
        if prediction.place is not None:
            return double_of(self.engine, own.outcome[prediction.place])
        if prediction.output.classes is not None:
            return label_of(self.engine, own.label)
        if own.model is not None:
            return self.questions.value_of(own.model)
        return double_of(self.engine, own.outcome[0])


def selected(source: exp.Table, values: list[Named]) -> exp.Select:
    """Return a select of named values."""
    return exp.Select(expressions=[aliased(*each) for each in values]).from_(source, copy=False)


def aliased(name: str, value: exp.Expr) -> exp.Expr:
    """Return a value under a name."""
    if isinstance(value, exp.Column) and value.name == name and not value.table:
        return value
    return exp.Alias(this=value, alias=identifier(name))


def _number(step: Step) -> exp.Expr:
    return exp.Literal.number(step.number)


def label_of(engine: Engine, label: object) -> exp.Expr:
    """Return a class as an output."""
    if isinstance(label, bool):
        return truth_of(engine, label)
    if isinstance(label, int | float):
        return number_of(engine, label)
    if isinstance(label, str):
        return text_of(engine, label, "The class")
    raise ParameterError(
        f"The class {label!r} of type {type(label).__name__} cannot be put out by SQL.\n"
        'Hint: make the classes text before fitting, or take output="leaf".'
    )


def private_names(role: str, names: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """Return a private name for each name: its role with the name itself, or with a number."""
    names = tuple(names)
    wanted = [
        f"{role}_{name}" if _PLAIN.fullmatch(name) else f"{role}_{number}"
        for number, name in enumerate(names, start=1)
    ]
    return dict(zip(names, unique_names(wanted, taken), strict=True))


def unique_names(wanted: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names that differ from each other and from the taken ones, in any case of letters."""
    used = {name.casefold() for name in taken}
    names = []
    next_number: dict[str, int] = {}  # where the search for a free name goes on
    for name in wanted:
        chosen, number = name, next_number.get(name.casefold(), 2)
        while chosen.casefold() in used:
            chosen, number = f"{name}_{number}", number + 1
        next_number[name.casefold()] = number
        used.add(chosen.casefold())
        names.append(chosen)
    return names
