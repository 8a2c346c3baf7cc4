"""A tree as one SELECT statement: inputs, the way through the tree, and what is predicted where a row rests.

Words: those of program.py and sql_inputs.py; a *part* is a common table expression of the statement. A tree
that is not too deep is one nested CASE expression; a deeper one is *walked*: a recursive part takes each row
a *block* of levels further until it rests. In a walk a step to go on from is its number, and a row that rests
in step n is at -1 - n. The table's own names stand in the first select alone; the parts use private ones
(sql_names.py), and the last select gives the names that were asked for. Text is made in sql.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from sqlglot import exp

from arboretum.dataset.levels import level_text
from arboretum.errors import DataError, ParameterError
from arboretum.export.program import Program, Step
from arboretum.export.resting import may_rest
from arboretum.export.sql_dialects import Engine
from arboretum.export.sql_inputs import column_of, identifier, ready
from arboretum.export.sql_literals import double_of, integer_of, number_of, text_of, truth_of
from arboretum.export.sql_names import private_names, unique_names
from arboretum.export.sql_questions import Questions

__all__ = ["Plan", "Statement", "build", "label_of", "output_names"]

Named = tuple[str, exp.Expr]


@dataclass(frozen=True)
class Plan:
    """What is asked of the statement: where rows are found, what is kept of them, what is put out."""

    engine: Engine
    program: Program
    table: tuple[str, ...]
    output: str
    name: str = "prediction"
    keep: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Statement:
    """A select, and the parts it is made from, in their order."""

    parts: tuple[tuple[str, exp.Query], ...]
    select: exp.Query
    recursive: bool

    def with_parts(self) -> exp.Query:
        """Return the whole as one expression."""
        query = self.select
        for name, part in self.parts:
            query = query.with_(identifier(name), part, recursive=self.recursive, copy=False)
        return query


def output_names(plan: Plan) -> tuple[str, ...]:
    """Return the names of the columns that hold predictions."""
    names = [] if plan.output in ("probabilities", "leaf") else [plan.name]
    if plan.output == "leaf":
        names = ["leaf"]
    if plan.output in ("probabilities", "both"):
        names += _probability_names(plan)
    return tuple(names)


def _probability_names(plan: Plan) -> list[str]:
    """Return a name for each class: by the class itself where the names are short and tell them apart."""
    classes = plan.program.classes or ()
    names = [f"probability_{level_text(label)}" for label in classes]
    short = all(len(name.encode("utf-8", "replace")) <= 60 and name.isprintable() for name in names)
    if short and len({name.casefold() for name in names}) == len(names):
        return names
    return [f"probability_{number}" for number in range(1, len(names) + 1)]


def build(plan: Plan) -> Statement:
    """Return the statement."""
    program, engine = plan.program, plan.engine
    depth = program.tree.depth
    if depth > engine.case_depth and not engine.walks:
        raise DataError(
            f"The tree is {depth} levels deep; for {engine.title}, CASE expressions are nested up to "
            f"{engine.case_depth} levels.\nHint: prune the tree, or fit with max_depth={engine.case_depth}."
        )
    return _Builder(plan).statement()


class _Builder:
    """The statement while it is made: names that are free, and the parts that are there already."""

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
        if not self.program.fields:
            return self._asking_nothing()
        kept = [(private, self._cell(name)) for name, private in self.kept.items()]
        source = self._add("inputs", _selected(self._table(), [*kept, *self._ready()]))
        if self.program.tree.depth > self.engine.case_depth:
            return self._finished(self._add_walk(source), self._outputs(), recursive=True)
        if len(self._makers()) == 1:
            ((name, make),) = self._makers()
            return self._finished(source, [(name, self._nested(make))])
        source = self._add("rested", self._select(source, [(self.leaf, self._nested(_number))]))
        return self._finished(source, self._outputs())

    # --- parts

    def _add(self, name: str, query: exp.Query) -> exp.Table:
        self.parts.append((self._free(name), query))
        return exp.Table(this=identifier(self._free(name)))

    def _asking_nothing(self) -> Statement:
        """Return the statement of a root alone, which predicts the same for every row."""
        kept = [(name, self._cell(name)) for name in self.plan.keep]
        root = self.program.steps[0]
        values = [(name, make(root)) for name, make in self._makers()]
        return Statement((), _selected(self._table(), [*kept, *values]), False)

    def _table(self) -> exp.Table:
        *place, table = map(identifier, self.plan.table)
        where = dict(zip(("db", "catalog"), reversed(place), strict=False))
        return exp.Table(this=table, alias=exp.TableAlias(this=identifier(self.given)), **where)

    def _cell(self, column: str) -> exp.Expr:
        """Return a column of the table by its own name."""
        return column_of(column, self.given if self.engine.qualifies else None)

    def _ready(self) -> list[Named]:
        return [
            (self.inputs[each.name], ready(self.engine, each, self._cell(self.columns[each.name])))
            for each in self.program.fields
        ]

    def _add_walk(self, source: exp.Table) -> exp.Table:
        """Add the parts that take each row from block to block, and tell where it rests."""
        same = [(name, column_of(name)) for name in self.inputs.values()]
        first = self._select(source, [*same, (self.node, exp.Literal.number(0))])
        walk = exp.Table(this=identifier(self._free("walk")))
        further = self._select(walk.copy(), [*same, (self.node, self._blocks())])
        on = exp.GTE(this=column_of(self.node), expression=exp.Literal.number(0))
        further = further.where(on, copy=False)
        self._add("walk", exp.Union(this=first, expression=further, distinct=False))
        at_rest = exp.Sub(this=integer_of(self.engine, -1), expression=column_of(self.node))
        rested = self._select(walk, [(self.leaf, at_rest)])
        done = exp.LT(this=column_of(self.node), expression=exp.Literal.number(0))
        return self._add("rested", rested.where(done, copy=False))

    def _free(self, name: str) -> str:
        """Return the name of a part that is not the table's own."""
        while name.casefold() == self.plan.table[-1].casefold():
            name = f"{name}_"
        return name

    def _select(self, source: exp.Table, values: list[Named]) -> exp.Select:
        """Return a select from another part, under private names."""
        kept = [(name, column_of(name)) for name in self.kept.values()]
        return _selected(source, [*kept, *values])

    def _finished(self, source: exp.Table, values: list[Named], *, recursive: bool = False) -> Statement:
        """Return the statement, which ends in the names that were asked for."""
        kept = [(name, column_of(private)) for name, private in self.kept.items()]
        return Statement(tuple(self.parts), _selected(source, [*kept, *values]), recursive)

    # --- the way through the tree

    def _nested(self, outcome: Callable[[Step], exp.Expr]) -> exp.Expr:
        return self._block(self.program.steps[0], self.program.tree.depth, outcome, _number)

    def _block(
        self, step: Step, levels: int, outcome: Callable[[Step], exp.Expr], go_on: Callable[[Step], exp.Expr]
    ) -> exp.Expr:
        """Return the expression of a step and what is below it, so many levels deep."""
        if step.is_leaf:
            return outcome(step)
        if levels == 0:
            return go_on(step)
        steps = self.program.steps

        def child(place: int) -> exp.Expr:
            return self._block(steps[step.children[place]], levels - 1, outcome, go_on)

        return self.questions.lead(step, child, partial(outcome, step))

    def _blocks(self) -> exp.Expr:
        """Return where a row of the walk goes next, by the step that it has come to."""
        roots = [0]
        ifs = []

        def go_on(step: Step) -> exp.Expr:
            roots.append(step.number)
            return _number(step)

        for root in roots:  # grows meanwhile
            block = self._block(self.program.steps[root], self.engine.case_depth, self._at_rest, go_on)
            ifs.append(exp.If(this=exp.Literal.number(root), true=block))
        return exp.Case(this=column_of(self.node), ifs=ifs)

    def _at_rest(self, step: Step) -> exp.Expr:
        return integer_of(self.engine, -1 - step.number)

    # --- what is predicted

    def _makers(self) -> list[tuple[str, Callable[[Step], exp.Expr]]]:
        """Return the names of what is put out, and for each a function that makes it for a step."""
        makers: list[Callable[[Step], exp.Expr]] = []
        if self.plan.output == "leaf":
            makers.append(_number)
        if self.plan.output in ("label", "both"):
            makers.append(self._label)
        if self.plan.output in ("probabilities", "both"):
            makers += [partial(self._probability, place) for place in range(len(self.program.classes or ()))]
        return list(zip(output_names(self.plan), makers, strict=True))

    def _outputs(self) -> list[Named]:
        """Return what is put out, by the leaf that a row has come to."""
        if self.plan.output == "leaf":
            return [("leaf", column_of(self.leaf))]
        resting = [step for step in self.program.steps if may_rest(self.program, step)]
        return [
            (
                name,
                exp.Case(
                    this=column_of(self.leaf),
                    ifs=[exp.If(this=_number(step), true=make(step)) for step in resting],
                ),
            )
            for name, make in self._makers()
        ]

    def _label(self, step: Step) -> exp.Expr:
        if self.program.classes is None:
            if step.value is None:
                raise DataError(f"Step {step.number} predicts nothing.")
            return double_of(self.engine, step.value)
        return label_of(self.engine, step.label)

    def _probability(self, place: int, step: Step) -> exp.Expr:
        if step.probability is None:
            raise DataError(f"Step {step.number} has no probabilities.")
        return double_of(self.engine, step.probability[place])


def _selected(source: exp.Table, values: list[Named]) -> exp.Select:
    return exp.Select(expressions=[_aliased(*each) for each in values]).from_(source, copy=False)


def _aliased(name: str, value: exp.Expr) -> exp.Expr:
    if isinstance(value, exp.Column) and value.name == name and not value.table:
        return value
    return exp.Alias(this=value, alias=identifier(name))


def _number(step: Step) -> exp.Expr:
    return exp.Literal.number(step.number)


def label_of(engine: Engine, label: object) -> exp.Expr:
    """Return a class as it is put out."""
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
