"""The self-test of an exported statement: the same statement over rows with known answers.

Samples that a dialect's types cannot hold are left out.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Final

from arboretum._data.times import NANOSECONDS
from arboretum.errors import DataError
from arboretum.export._program.program import Field, stored_value
from arboretum.export._program.samples import expected_of_each, samples, stored_table
from arboretum.export._sql.dialects import Engine
from arboretum.export._sql.ensemble import build
from arboretum.export._sql.inputs import column_of, identifier, level_of, time_column
from arboretum.export._sql.literals import (
    date_of,
    double_of,
    duration_of,
    exp,
    instant_of,
    instant_type,
    integer_of,
    text_of,
    truth_of,
    typed,
    whole_type,
)
from arboretum.export._sql.statement import (
    Plan,
    Prediction,
    Statement,
    aliased,
    label_of,
    output_names,
    predictions,
    private_names,
    selected,
)

_TABLE: Final = "samples"
_ANSWERS: Final = "answers"


def build_self_test(plan: Plan, n_samples: int) -> Statement:
    """Return a statement that counts the samples with a wrong prediction: 0 if all is well."""
    program, engine = plan.program, plan.engine
    plan = replace(plan, name="found")
    outputs = output_names(plan)
    known = tuple(f"expected_{i + 1}" for i in range(len(outputs)))
    names = private_names("sample", (each.name for each in program.fields), (*known, *outputs))
    rows = [
        row for row in samples(program, n_samples) if all(_fits(engine, each, row) for each in program.fields)
    ]
    if not rows:  # the dialect holds none of them: one row of missing values
        rows = [dict.fromkeys(names)]
    selects = []
    for row, answers in zip(rows, _answers(plan, rows), strict=True):
        cells = [aliased(names[each.name], _cell(engine, each, row[each.name])) for each in program.fields]
        cells += [aliased(name, answer) for answer, name in zip(answers, known, strict=True)]
        select = exp.Select(expressions=cells)
        selects.append(select.from_("DUAL", copy=False) if engine.dialect == "oracle" else select)
    inner = build(replace(plan, table=(_TABLE,), keep=known, columns=names))
    table: exp.Query = selects[0]
    for select in selects[1:]:
        table = exp.Union(this=table, expression=select, distinct=False)
    same = [
        exp.EQ(this=column_of(found), expression=column_of(right))
        for found, right in zip(outputs, known, strict=True)
    ]
    wrong = exp.Case(
        ifs=[exp.If(this=exp.and_(*same), true=exp.Literal.number(0))], default=exp.Literal.number(1)
    )
    count = selected(exp.Table(this=identifier(_ANSWERS)), [("mismatches", exp.Sum(this=wrong))])
    parts = ((_TABLE, table), *inner.parts, (_ANSWERS, inner.select))
    return Statement(parts, count, inner.recursive, inner.materialized)


def _answers(plan: Plan, rows: list[dict[str, object]]) -> list[list[exp.Expr]]:
    """Return what the core predicts for the rows, in the order of the outputs."""
    program, engine = plan.program, plan.engine
    if plan.output == "leaf":
        leaves = program.trees[0]._leaves_of(stored_table(program.columns, rows))
        return [[exp.Literal.number(int(leaf))] for leaf in leaves]
    wanted = predictions(plan)
    return [
        [_answer(engine, each, *answers[each.number]) for each in wanted]
        for answers in expected_of_each(program, rows)
    ]


def _answer(engine: Engine, prediction: Prediction, label: Any, shares: tuple[float, ...] | None) -> exp.Expr:
    if prediction.place is not None:
        return double_of(engine, (shares or ())[prediction.place])
    return double_of(engine, label) if shares is None else label_of(engine, label)


# --- cells


def _fits(engine: Engine, each: Field, row: dict[str, object]) -> bool:
    """Return whether the dialect's type for the field holds the value of a row."""
    value = row[each.name]
    if value is None:
        return True
    if isinstance(value, float) and math.isinf(value) and engine.infinity is None:
        return False
    if each.levels is not None:
        holds = not (each.type == "integer" and isinstance(value, float))
        return holds and not (engine.dialect == "oracle" and value == "")
    if each.column.kind in ("number", "integer"):
        return True
    finest = 1 if engine.dialect == "sqlite" or _fine_type(engine, each) is not None else 1000
    nanoseconds = _nanoseconds(each, value)
    try:
        _time_of(engine, each, nanoseconds)
    except DataError:
        return False
    return nanoseconds % finest == 0


def _cell(engine: Engine, each: Field, value: object) -> exp.Expr:
    """Return a value with its type, which NULL or the first of many rows would leave open."""
    literal: exp.Expr
    kind = each.column.kind
    if value is None:
        literal = exp.Null()
    elif kind in ("datetime", "duration"):
        return _time_of(engine, each, _nanoseconds(each, value))
    elif isinstance(value, bool):
        literal = truth_of(engine, value)
    elif isinstance(value, str):
        literal = text_of(engine, value, f"A sample of column {each.name!r}")
    elif isinstance(value, int) and each.type == "integer":
        literal = integer_of(engine, value)
    elif isinstance(value, int | float):
        return double_of(engine, float(value))
    else:
        literal = level_of(engine, each, value)
    if engine.dialect == "sqlite":  # whose values have types of their own
        return literal
    return _typed_cell(engine, each, literal)


def _typed_cell(engine: Engine, each: Field, literal: exp.Expr) -> exp.Expr:
    match each.type:
        case "number":
            if engine.dialect == "oracle":
                return exp.Anonymous(this="TO_BINARY_DOUBLE", expressions=[literal])
            return exp.cast(literal, "double")
        case "integer":
            ends = (2**64 - 1,) if each.column.offset else ()
            whole = tuple(level for level in each.levels or () if isinstance(level, int))
            return exp.cast(literal, whole_type(engine, ends + whole))
        case "boolean":
            return exp.cast(literal, "boolean" if engine.booleans else "int")
        case "date":
            return exp.cast(literal, "date")
        case "datetime":
            return typed(engine, literal, _fine_type(engine, each) or instant_type(engine, each.column))
        case "duration":
            return exp.cast(literal, "interval")
        case "text":
            return typed(engine, literal, engine.text or "VARCHAR2(4000)")
        case _:
            times = time_column(each)
            if times is None or times.kind == "duration":
                return exp.cast(literal, "interval")
            return typed(engine, literal, instant_type(engine, times))


def _fine_type(engine: Engine, each: Field) -> str | None:
    fine = each.type == "datetime" and each.column.unit == "ns" and each.column.timezone is None
    return engine.fine_instant if fine else None


def _nanoseconds(each: Field, value: object) -> int:
    return int(stored_value(each.column, value) or 0) * NANOSECONDS[str(each.column.unit)]


def _time_of(engine: Engine, each: Field, nanoseconds: int) -> exp.Expr:
    if each.column.kind == "duration":
        return duration_of(engine, each.column, nanoseconds)
    if each.type == "date":
        return date_of(engine, each.column, nanoseconds)
    instant = instant_of(engine, each.column, nanoseconds)
    fine = _fine_type(engine, each)
    return instant if fine is None else typed(engine, instant, fine)
