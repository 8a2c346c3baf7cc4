"""Cells of SQLite, whose columns may hold values of any type, as values of one kind or NULL.

A cell, often text that came from a file, is read as a whole or not at all: SQLite itself would take
'2024-01-01' for the number 2024. Other databases refuse such cells.
"""

from __future__ import annotations

from typing import Final

from arboretum.export._sql.sqlglot import exp

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
