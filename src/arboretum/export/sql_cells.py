"""Cells of SQLite, whose columns may hold values of any type, as values of one kind; NULL if they are none.

Words: a *cell* is what stands in the table, often text that came from a file. It is read as a whole or not at
all: SQLite itself would take '2024-01-01' for the number 2024. Other databases refuse such cells.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

__all__ = ["sqlite_instant", "sqlite_number", "sqlite_truth"]

_SECONDS: Final = 19  # letters of 2024-03-01 14:30:00
_OFFSET: Final = "*[-+][0-9][0-9]:[0-9][0-9]"


def sqlite_number(cell: exp.Expr) -> exp.Expr:
    """Return a number, also one that is written as text; NULL for all else.

    Compared with a cast, all of a text is read as a number if it is one, while the cast reads its beginning.
    """
    is_blob = exp.EQ(this=_call("TYPEOF", cell), expression=_text("blob"))
    numeric = exp.DataType(this=exp.DataType.Type.USERDEFINED, kind="NUMERIC")
    is_number = exp.EQ(this=exp.Cast(this=cell.copy(), to=numeric), expression=cell.copy())
    number = exp.Add(this=cell.copy(), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=exp.and_(exp.Not(this=is_blob), is_number), true=number)])


def sqlite_truth(cell: exp.Expr) -> exp.Expr:
    """Return 1 and 0 for truth values, also for the words true and false; NULL or another number else."""
    words = [
        exp.If(
            this=exp.EQ(this=_call("LOWER", cell), expression=_text(word)), true=exp.Literal.number(number)
        )
        for word, number in (("true", 1), ("false", 0))
    ]
    return exp.Case(ifs=words, default=sqlite_number(cell))


def sqlite_instant(cell: exp.Expr, *, aware: bool) -> exp.Expr:
    """Return an instant as ISO text that can be compared letter by letter, in UTC if it is aware.

    The seconds are moved by SQLite, the letters after them are kept: nothing is rounded.
    """
    written = _call("REPLACE", cell, _text("T"), _text(" "))
    is_text = exp.EQ(this=_call("TYPEOF", cell), expression=_text("text"))
    ways = [exp.If(this=exp.and_(is_text, _is_instant(written)), true=written)]
    if aware:
        bare = _without_end(written, 1)
        ends = _glob(written, "*Z")
        ways.append(exp.If(this=exp.and_(is_text.copy(), ends, _is_instant(bare)), true=bare))
        bare = _without_end(written, 6)
        zone = _call("SUBSTR", written, exp.Neg(this=_number(6)))
        moved = _joined(_call("DATETIME", _joined(_seconds(bare), zone)), _fraction(bare))
        ends = _glob(written, _OFFSET)
        ways.append(exp.If(this=exp.and_(is_text.copy(), ends, _is_instant(bare)), true=moved))
    return exp.Case(ifs=ways)


def _is_instant(written: exp.Expr) -> exp.Expr:
    """Return whether a text is a date, or one with a time: SQLite gives such a one back as it is.

    It would give 2024-02-30 back as 2024-03-01.
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
