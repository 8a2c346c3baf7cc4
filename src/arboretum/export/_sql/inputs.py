"""The columns of a table made ready for questions: NULL where the tree sees a missing value, and only there.

NaN, unknown levels and, in SQLite, values of another kind become NULL. Columns that a dialect cannot compare
as the core does are refused.
"""

from __future__ import annotations

from typing import Final

from arboretum._data import Column
from arboretum._data.levels import family_of, level_text
from arboretum._data.times import duration_nanoseconds, instant_nanoseconds, is_aware
from arboretum.errors import DataError, listing
from arboretum.export._program.program import Field, Program
from arboretum.export._sql.dialects import Engine
from arboretum.export._sql.literals import (
    checked_text,
    duration_of,
    exp,
    instant_of,
    instant_type,
    nan_of,
    number_of,
    text_of,
    truth_of,
    typed,
    whole_type,
)

_SECONDS: Final = 19  # characters of 2024-03-01 14:30:00
_OFFSET: Final = "*[-+][0-9][0-9]:[0-9][0-9]"


def sqlite_number(cell: exp.Expr) -> exp.Expr:
    """Return a number, also if it is written as text; NULL for anything else.

    A cast reads the beginning of a text; the comparison reads all of it, so only a whole number is equal.
    """
    is_blob = exp.EQ(this=_call("TYPEOF", cell), expression=_text("blob"))
    numeric = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="NUMERIC")
    is_number = exp.EQ(this=exp.Cast(this=cell.copy(), to=numeric), expression=cell.copy())
    number = exp.Add(this=cell.copy(), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=exp.and_(exp.Not(this=is_blob), is_number), true=number)])


def sqlite_truth(cell: exp.Expr) -> exp.Expr:
    """Return 1 or 0 for truth values and the words true and false; else NULL or another number."""
    words = [
        exp.If(
            this=exp.EQ(this=_call("LOWER", cell), expression=_text(word)), true=exp.Literal.number(number)
        )
        for word, number in (("true", 1), ("false", 0))
    ]
    return exp.Case(ifs=words, default=sqlite_number(cell))


def sqlite_instant(cell: exp.Expr, *, aware: bool) -> exp.Expr:
    """Return an instant as ISO text that can be compared as text, in UTC if it is aware.

    SQLite converts the seconds; the digits after them are kept, so nothing is rounded.
    """
    written = _call("REPLACE", cell, _text("T"), _text(" "))
    is_text = exp.EQ(this=_call("TYPEOF", cell), expression=_text("text"))
    cases = [exp.If(this=exp.and_(is_text, _is_instant(written)), true=written)]
    if aware:
        bare = _without_end(written, 1)
        ends = _glob(written, "*Z")
        cases.append(exp.If(this=exp.and_(is_text.copy(), ends, _is_instant(bare)), true=bare))
        bare = _without_end(written, 6)
        zone = _call("SUBSTR", written, exp.Neg(this=_number(6)))
        moved = _joined(_call("DATETIME", _joined(_seconds(bare), zone)), _fraction(bare))
        ends = _glob(written, _OFFSET)
        cases.append(exp.If(this=exp.and_(is_text.copy(), ends, _is_instant(bare)), true=moved))
    return exp.Case(ifs=cases)


def _is_instant(written: exp.Expr) -> exp.Expr:
    """Return whether a text is a date, with or without a time: SQLite returns it unchanged.

    It would return 2024-02-30 as 2024-03-01.
    """
    seconds, fraction = _seconds(written), _fraction(written)
    length = _call("LENGTH", seconds)
    again = _call("SUBSTR", _call("DATETIME", seconds, _text("+0 days")), _number(1), length)
    digits = exp.and_(_glob(fraction, ".[0-9]*"), exp.Not(this=_glob(fraction, ".*[^0-9]*")))
    return exp.and_(
        exp.In(this=length, expressions=[_number(10), _number(16), _number(_SECONDS)]),
        exp.EQ(this=again, expression=seconds),
        exp.or_(exp.EQ(this=fraction, expression=_text("")), digits),
    )


def _seconds(written: exp.Expr) -> exp.Expr:
    return _call("SUBSTR", written, _number(1), _number(_SECONDS))


def _fraction(written: exp.Expr) -> exp.Expr:
    return _call("SUBSTR", written, _number(_SECONDS + 1))


def _without_end(written: exp.Expr, n_letters: int) -> exp.Expr:
    rest = exp.Sub(this=_call("LENGTH", written), expression=_number(n_letters))
    return _call("SUBSTR", written, _number(1), rest)


def _joined(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    return exp.DPipe(this=one.copy(), expression=other.copy(), safe=True)


def _glob(value: exp.Expr, pattern: str) -> exp.Expr:
    return exp.Glob(this=value.copy(), expression=_text(pattern))


def _call(function: str, *given: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=function, expressions=[each.copy() for each in given])


def _number(number: int) -> exp.Expr:
    return exp.Literal.number(number)


def _text(text: str) -> exp.Expr:
    return exp.Literal.string(text)


def identifier(name: str) -> exp.Identifier:
    """Return a name, always quoted."""
    return exp.to_identifier(name, quoted=True)


def column_of(name: str, table: str | None = None) -> exp.Expr:
    """Return a column, with its table if one is given."""
    return exp.Column(this=identifier(name), table=None if table is None else identifier(table))


def check_fields(engine: Engine, program: Program) -> None:
    """Refuse columns that a dialect cannot compare exactly, before anything is written."""
    for field in program.fields:
        column = field.column
        checked_text(field.name, "The column")
        if field.type == "mixed":
            _check_mixed(engine, field)
        if field.levels is not None and field.type in ("integer", "number"):
            whole = tuple(level for level in field.levels if isinstance(level, int))
            whole_type(engine, whole)
            if field.type == "number" and any(abs(level) > 2**53 for level in whole):
                raise DataError(
                    f"Column {field.name!r} has levels with fractions beside integers beyond 2**53, which "
                    "SQL would compare as rounded numbers.\nHint: make the levels text before fitting."
                )
        elif column.kind == "integer" and column.offset:
            whole_type(engine, (2**64 - 1,))
        elif column.kind == "duration":
            duration_of(engine, column, 0)
        elif column.kind == "datetime":
            instant_type(engine, column)


def _check_mixed(engine: Engine, field: Field) -> None:
    """Refuse levels of several types, and times that the dialect cannot compare exactly."""
    times = time_column(field)
    if times is None:
        raise DataError(
            f"Column {field.name!r} has levels of several types ({listing(field.levels or (), 3)}), which "
            "a column of SQL cannot hold.\nHint: make the levels text before fitting."
        )
    if engine.dialect == "sqlite":
        raise DataError(
            f"Column {field.name!r} has dates or durations as levels; SQLite has them as text, which can be "
            "written in several ways.\nHint: make the levels text before fitting."
        )
    for level in field.levels or ():
        if _nanoseconds(level) % 1000:
            raise DataError(
                f"Column {field.name!r} has the level {level_text(level)!r}, which is finer than the "
                f"microseconds of {engine.title}.\nHint: make the levels text before fitting."
            )
        level_of(engine, field, level)


def time_column(field: Field) -> Column | None:
    """Return a column of times that has the levels as values; None if they are not times."""
    levels = field.levels or ()
    if {family_of(level) for level in levels} == {"duration"}:
        return Column(field.name, "duration", unit="ns")
    zones = {is_aware(level) for level in levels}
    if {family_of(level) for level in levels} != {"instant"} or len(zones) > 1:
        return None
    return Column(field.name, "datetime", unit="ns", timezone="UTC" if zones == {True} else None)


def _nanoseconds(level: object) -> int:
    count = duration_nanoseconds if family_of(level) == "duration" else instant_nanoseconds
    return count(level)[0]


def level_of(engine: Engine, field: Field, level: object) -> exp.Expr:
    """Return a level of a field."""
    if isinstance(level, bool):
        return truth_of(engine, level)
    if isinstance(level, int | float):
        return number_of(engine, level)
    times = None if isinstance(level, str) else time_column(field)
    if times is not None:
        write = duration_of if times.kind == "duration" else instant_of
        return write(engine, times, _nanoseconds(level))
    return text_of(engine, str(level), f"A level of column {field.name!r}")


def levels_in(engine: Engine, field: Field, value: exp.Expr, levels: tuple[object, ...]) -> exp.Expr | None:
    """Return whether a value is one of the levels; None if there are no levels."""
    if not levels:
        return None
    if len(levels) == 1:
        return exp.EQ(this=value, expression=level_of(engine, field, levels[0]))
    return exp.In(this=value, expressions=[level_of(engine, field, level) for level in levels])


def ready(engine: Engine, field: Field, cell: exp.Expr) -> exp.Expr:
    """Return the value of a field, NULL if missing; `cell` is its column in the table."""
    if field.levels is not None:
        return _known_level(engine, field, cell)
    if field.column.kind in ("number", "integer"):
        if engine.dialect == "sqlite":
            return sqlite_number(cell)
        return _without_nan(engine, cell, whole=field.column.kind == "integer")
    if engine.dialect == "sqlite":
        return sqlite_instant(cell, aware=field.column.timezone is not None)
    return cell


def _known_level(engine: Engine, field: Field, cell: exp.Expr) -> exp.Expr:
    value = _comparable(engine, field, cell)
    is_known = levels_in(engine, field, value, field.levels or ())
    if is_known is None:
        return exp.Null()
    return exp.Case(ifs=[exp.If(this=is_known, true=value.copy())])


def _comparable(engine: Engine, field: Field, cell: exp.Expr) -> exp.Expr:
    """Return a column in which a level equals only itself.

    Text is cast to text, since an enumeration refuses comparisons with words that it does not have.
    """
    if engine.dialect == "sqlite" and field.type in ("integer", "number"):
        return sqlite_number(cell)
    if engine.dialect == "sqlite" and field.type == "boolean":
        return sqlite_truth(cell)
    if field.type != "text":
        return cell
    value = cell if engine.text is None else typed(engine, cell, engine.text)
    if engine.collation is None:
        return value
    is_name = engine.dialect in ("postgres", "duckdb")
    collation = identifier(engine.collation) if is_name else exp.Var(this=engine.collation)
    return exp.Collate(this=value, expression=collation)


def _without_nan(engine: Engine, cell: exp.Expr, *, whole: bool) -> exp.Expr:
    """Return a number, NULL if it is NaN. Integers keep their type, which NULLIF might change."""
    if engine.nan == "equal" and not whole:
        return exp.Nullif(this=cell, expression=nan_of(engine))
    if engine.nan == "equal":
        return _unless(exp.EQ(this=cell, expression=nan_of(engine)), cell.copy())
    if engine.nan == "function" and not whole:
        return _unless(exp.IsNan(this=exp.cast(cell, "double")), cell.copy())
    if engine.nan == "replaces" and not whole:
        return exp.Anonymous(this="NANVL", expressions=[cell, exp.Null()])
    return cell


def _unless(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    return exp.Case(ifs=[exp.If(this=condition, true=exp.Null())], default=value)
