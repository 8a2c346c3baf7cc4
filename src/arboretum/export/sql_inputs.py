"""The columns of a table made ready for questions: NULL is what a tree takes for missing, and nothing else.

Words: an *input* is a field under the name it has in the statement; *ready* is its value when NaN, unknown
levels and, in SQLite, what is no value of its kind, have become NULL. What is asked is written elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from arboretum.errors import DataError, listing
from arboretum.export.program import Field, Program
from arboretum.export.sql_dialects import Engine
from arboretum.export.sql_literals import (
    checked_text,
    duration_of,
    instant_type,
    nan_of,
    number_of,
    text_of,
    truth_of,
    typed,
    whole_type,
)

__all__ = ["check_fields", "column_of", "identifier", "level_of", "levels_in", "ready"]

_A_DATE: Final = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
_A_DIGIT: Final = "*[0-9]*"
_NO_NUMBER: Final = "*[^-+.0-9eE ]*"


def identifier(name: str) -> exp.Identifier:
    """Return a name as such, always quoted."""
    return exp.to_identifier(name, quoted=True)


def column_of(name: str) -> exp.Expr:
    """Return the column of that name."""
    return exp.Column(this=identifier(name))


def check_fields(engine: Engine, program: Program) -> None:
    """Refuse the columns that a dialect cannot compare as we do, before anything is written."""
    for field in program.fields:
        column = field.column
        checked_text(field.name, "The column")
        if field.type == "mixed":
            raise DataError(
                f"Column {field.name!r} has levels of several types, or dates or durations as levels "
                f"({listing(field.levels or (), 3)}), which SQL cannot keep in one column as they are.\n"
                "Hint: make the levels text before fitting."
            )
        if field.levels is not None and field.type in ("integer", "number"):
            _check_numbers(engine, field)
        elif column.kind == "integer" and column.offset:
            whole_type(engine, (2**64 - 1,))
        elif column.kind == "duration":
            duration_of(engine, column, 0)
        elif column.kind == "datetime":
            instant_type(engine, column)


def _check_numbers(engine: Engine, field: Field) -> None:
    whole = tuple(level for level in field.levels or () if isinstance(level, int))
    whole_type(engine, whole)
    if field.type == "number" and any(abs(level) > 2**53 for level in whole):
        raise DataError(
            f"Column {field.name!r} has levels with fractions beside integers beyond 2**53, which SQL would "
            "compare as rounded numbers.\nHint: make the levels text before fitting."
        )


def level_of(engine: Engine, field: Field, level: object) -> exp.Expr:
    """Return a level of a field."""
    if isinstance(level, bool):
        return truth_of(engine, level)
    if isinstance(level, int | float):
        return number_of(engine, level)
    return text_of(engine, str(level), f"A level of column {field.name!r}")


def levels_in(engine: Engine, field: Field, value: exp.Expr, levels: tuple[object, ...]) -> exp.Expr | None:
    """Return whether a value is one of the levels; None if there are none."""
    if not levels:
        return None
    if len(levels) == 1:
        return exp.EQ(this=value, expression=level_of(engine, field, levels[0]))
    return exp.In(this=value, expressions=[level_of(engine, field, level) for level in levels])


def ready(engine: Engine, field: Field, names: Mapping[str, str]) -> exp.Expr:
    """Return the value of a field, NULL where it is missing; `names` tells columns of the table by field."""
    name = names.get(field.name, field.name)
    if field.levels is not None:
        return _known_level(engine, field, name)
    if field.column.kind in ("number", "integer"):
        if engine.dialect == "sqlite":
            return _sqlite_number(name)
        return _without_nan(engine, name, whole=field.column.kind == "integer")
    return _sqlite_instant(name, field) if engine.dialect == "sqlite" else column_of(name)


def _known_level(engine: Engine, field: Field, name: str) -> exp.Expr:
    is_known = levels_in(engine, field, _comparable(engine, field, name), field.levels or ())
    if is_known is None:
        return exp.Null()
    return exp.Case(ifs=[exp.If(this=is_known, true=_comparable(engine, field, name))])


def _comparable(engine: Engine, field: Field, name: str) -> exp.Expr:
    """Return a column in which a level equals nothing but itself.

    Text is cast to text, as an enumeration would refuse to be compared with words that it does not have.
    """
    value = column_of(name)
    if field.type != "text":
        return value
    if engine.text is not None:
        value = typed(engine, value, engine.text)
    collation = "BINARY" if engine.dialect == "sqlite" else engine.collation
    return value if collation is None else exp.Collate(this=value, expression=exp.Var(this=collation))


def _without_nan(engine: Engine, name: str, *, whole: bool) -> exp.Expr:
    """Return a number, NULL where it is NaN. Integers keep their type, which NULLIF might not."""
    value = column_of(name)
    if engine.nan == "equal" and not whole:
        return exp.Nullif(this=value, expression=nan_of(engine))
    if engine.nan == "equal":
        return _unless(exp.EQ(this=value, expression=nan_of(engine)), column_of(name))
    if engine.nan == "function" and not whole:
        return _unless(exp.IsNan(this=exp.cast(value, "double")), column_of(name))
    if engine.nan == "replaces" and not whole:
        return exp.Anonymous(this="NANVL", expressions=[value, exp.Null()])
    return value


def _unless(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=exp.Null())], default=value)


def _sqlite_number(name: str) -> exp.Expr:
    """Return a number for SQLite, whose columns may hold text: what looks like a number is read as one."""
    is_text = exp.EQ(this=_type_of(name), expression=exp.Literal.string("text"))
    looks = exp.and_(_like(name, _A_DIGIT), exp.Not(this=_like(name, _NO_NUMBER)))
    number = exp.Add(this=column_of(name), expression=exp.Literal.number(0))
    no_number = exp.and_(is_text, exp.Not(this=exp.Paren(this=looks)))
    return _unless(no_number, number)


def _sqlite_instant(name: str, field: Field) -> exp.Expr:
    """Return an instant for SQLite as ISO text that can be compared letter by letter."""
    is_text = exp.EQ(this=_type_of(name), expression=exp.Literal.string("text"))
    value = _replaced(column_of(name), "T", " ")
    if field.column.timezone is not None:
        value = _replaced(_replaced(value, "Z", ""), "+00:00", "")
    return exp.Case(ifs=[exp.If(this=exp.and_(is_text, _like(name, _A_DATE)), true=value)])


def _type_of(name: str) -> exp.Expr:
    return exp.Anonymous(this="TYPEOF", expressions=[column_of(name)])


def _like(name: str, pattern: str) -> exp.Expr:
    return exp.Glob(this=column_of(name), expression=exp.Literal.string(pattern))


def _replaced(value: exp.Expr, old: str, new: str) -> exp.Expr:
    texts: list[exp.Expr] = [exp.Literal.string(old), exp.Literal.string(new)]
    return exp.Anonymous(this="REPLACE", expressions=[value, *texts])
