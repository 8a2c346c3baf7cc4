"""Values as SQL expressions that lose no digit: numbers, text, truth values, instants and durations."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from arboretum._data import Column
from arboretum._data.times import NANOSECONDS
from arboretum.errors import DataError, PackageError
from arboretum.export._program.shared import flaw_of
from arboretum.export._sql.dialects import Engine

if TYPE_CHECKING:
    from sqlglot import exp
else:

    class _Expressions:
        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module("sqlglot.expressions"), name)
            setattr(self, name, found)
            return found

    exp = _Expressions()

__all__ = ["exp", "require_sqlglot"]


def require_sqlglot(asker: str) -> None:
    """Refuse to go on where sqlglot is not installed."""
    try:
        import_module("sqlglot")
    except ImportError as error:
        raise PackageError(
            f"{asker} needs sqlglot, which is not installed.\nHint: pip install 'arboretum[export]'."
        ) from error


_LOWEST: Final = -(2**63)
_HIGHEST: Final = 2**63 - 1
_LARGEST_DECIMAL: Final = 10**38
_EPOCH: Final = dt.datetime(1970, 1, 1)
_FIRST: Final = (dt.datetime.min - _EPOCH) // dt.timedelta(microseconds=1)
_LAST: Final = (dt.datetime.max - _EPOCH) // dt.timedelta(microseconds=1)
_MOST_BITS: Final = 52  # powers of two up to here have 16 digits, which every parser reads exactly


def typed(engine: Engine, value: exp.Expr, type_name: str) -> exp.Expr:
    """Return a value cast to a type, spelled as in the dialect."""
    return exp.Cast(this=value, to=_type(type_name, engine.dialect).copy())


@cache
def _type(name: str, dialect: str | None = None) -> exp.DataType:
    """Return a type; sqlglot would parse it again for each value."""
    return exp.DataType.build(name, dialect=dialect)


# --- numbers


def double_of(engine: Engine, number: float) -> exp.Expr:
    """Return a double, cast from text, since many dialects take 2.45 for an exact decimal."""
    if math.isinf(number) and engine.infinity is None:
        raise DataError(f"{engine.title} has no infinity, but the tree needs {number}.")
    if engine.dialect == "sqlite":
        return _sqlite_double(number)
    text = repr(number) if math.isfinite(number) else f"{'-' if number < 0 else ''}{engine.infinity}"
    return _double_from_text(engine, text)


def nan_of(engine: Engine) -> exp.Expr:
    """Return NaN."""
    return _double_from_text(engine, "NaN")


def _double_from_text(engine: Engine, text: str) -> exp.Expr:
    if engine.dialect == "oracle":  # whose DOUBLE PRECISION is a decimal
        return exp.Anonymous(this="TO_BINARY_DOUBLE", expressions=[exp.Literal.string(text)])
    return exp.Cast(this=exp.Literal.string(text), to=_type("double").copy())


def _sqlite_double(number: float) -> exp.Expr:
    """Return a double for SQLite, which may read a long decimal as a neighbouring double."""
    size = abs(number)
    if math.isinf(number):
        unsigned: exp.Expr = exp.Literal.number("9e999")
    elif _is_safe(size):
        unsigned = exp.Literal.number(repr(size))
    else:
        unsigned = exp.Paren(this=_binary_fraction(size))
    return exp.Neg(this=unsigned) if math.copysign(1.0, number) < 0 else unsigned


def _is_safe(size: float) -> bool:
    """Return whether the shortest decimal is read correctly, with and without extended precision.

    Then its digits and its power of ten are doubles themselves, so that one division gives the nearest
    double; and it is not near the middle of two doubles, where rounding twice could go wrong.
    """
    _, digits, power = Decimal(repr(size)).as_tuple()
    significand = int("".join(map(str, digits)))
    if significand >= 2**53 or not isinstance(power, int) or abs(power) > 22:
        return False
    written, exact = Fraction(Decimal(repr(size))), Fraction(size)
    if written == exact:
        return True
    neighbour = math.nextafter(size, math.inf if written > exact else 0.0)
    return abs(written - exact) < abs(Fraction(neighbour) - exact) * Fraction(31, 64)


def _binary_fraction(size: float) -> exp.Expr:
    """Return a double as an integer times or divided by powers of two, exact at each step."""
    numerator, denominator = size.as_integer_ratio()
    twos = (numerator & -numerator).bit_length() - 1
    value: exp.Expr = exp.Literal.number(f"{numerator >> twos}.0")
    shift = twos - (denominator.bit_length() - 1)
    while shift:
        step = min(abs(shift), _MOST_BITS)
        power = exp.Literal.number(f"{2**step}.0")
        # Both are real numbers: unless told so, sqlglot casts one of them, to avoid dividing integers.
        quotient = exp.Div(this=value, expression=power, typed=True, safe=True)
        value = exp.Mul(this=value, expression=power) if shift > 0 else quotient
        shift -= step if shift > 0 else -step
    return value


def integer_of(engine: Engine, number: int) -> exp.Expr:
    """Return an integer; beyond 64 bits, an exact decimal."""
    if _LOWEST <= number <= _HIGHEST:
        literal = exp.Literal.number(str(abs(number)))
        return exp.Neg(this=literal) if number < 0 else literal
    return exp.cast(exp.Literal.string(str(number)), whole_type(engine, (number,)))


def whole_type(engine: Engine, numbers: tuple[int, ...]) -> exp.DataType:
    """Return a type that holds these integers."""
    if all(_LOWEST <= number <= _HIGHEST for number in numbers):
        return exp.DataType.build("bigint")
    if engine.dialect == "sqlite":
        raise DataError(
            "SQLite keeps integers beyond 64 bits as rounded numbers, which the tree would take for others."
            "\nHint: choose another dialect, or fit on text."
        )
    if any(abs(number) >= _LARGEST_DECIMAL for number in numbers):
        raise DataError(
            f"The integers of the tree have more than 38 digits, which {engine.title} cannot hold."
        )
    few = all(abs(number) < 10**20 for number in numbers)
    return exp.DataType.build("decimal(20, 0)" if few else "decimal(38, 0)")


def number_of(engine: Engine, number: float | int) -> exp.Expr:
    """Return an integer or a double."""
    return integer_of(engine, number) if isinstance(number, int) else double_of(engine, number)


# --- text and truth


def checked_text(text: str, what: str) -> str:
    """Return a text; refuse one that SQL cannot hold."""
    if flaw_of(text):
        raise DataError(f"{what} {text!r} holds {flaw_of(text)}, which SQL cannot hold.")
    return text


def text_of(engine: Engine, text: str, what: str) -> exp.Expr:
    """Return a text; messages call it `what`."""
    checked_text(text, what)
    if engine.dialect == "oracle" and not text:
        raise DataError(f"{what} is the empty text, which Oracle takes for a missing value.")
    return exp.National(this=text) if engine.dialect == "tsql" else exp.Literal.string(text)


def truth_of(engine: Engine, truth: bool) -> exp.Expr:
    """Return a truth value."""
    return exp.Boolean(this=truth) if engine.booleans else exp.Literal.number(int(truth))


# --- times


def instant_type(engine: Engine, column: Column) -> str:
    """Return the type for the instants of a column; refuse them where there is none."""
    if column.timezone is None:
        return engine.instant
    if engine.aware_instant is None:
        raise DataError(
            f"Column {column.name!r} holds instants with a time zone, for which {engine.title} has no type.\n"
            "Hint: convert them to UTC and drop the time zone before fitting."
        )
    return engine.aware_instant


def instant_of(engine: Engine, column: Column, nanoseconds: int) -> exp.Expr:
    """Return an instant, rounded up to microseconds where the dialect has nothing finer.

    SQLite compares instants as text. It gets the shortest text, since '2024-03-01' sorts before '2024-03-01
    00:00'.
    """
    text = _instant_text(engine, column, nanoseconds)
    if engine.dialect == "sqlite":
        short = text.rstrip("0").rstrip(".").removesuffix(":00").removesuffix(" 00:00")
        return exp.Literal.string(short if "." in text else text)
    aware = column.timezone is not None
    type_name = instant_type(engine, column)
    if nanoseconds % 1000 and engine.fine_instant is not None and not aware:
        type_name = engine.fine_instant
    zoned = exp.Literal.string(f"{text}+00:00" if aware else text)
    if engine.dialect == "oracle":  # whose CAST reads text as the session is set
        form = exp.Literal.string("YYYY-MM-DD HH24:MI:SS.FF6" + ("TZH:TZM" if aware else ""))
        return exp.Anonymous(this="TO_TIMESTAMP_TZ" if aware else "TO_TIMESTAMP", expressions=[zoned, form])
    return typed(engine, zoned, type_name)


def date_of(engine: Engine, column: Column, nanoseconds: int) -> exp.Expr:
    """Return a date."""
    text = exp.Literal.string(_instant_text(engine, column, nanoseconds)[:10])
    if engine.dialect == "sqlite":
        return text
    if engine.dialect == "oracle":
        return exp.Anonymous(this="TO_DATE", expressions=[text, exp.Literal.string("YYYY-MM-DD")])
    return exp.cast(text, "date")


def _instant_text(engine: Engine, column: Column, nanoseconds: int) -> str:
    fine = engine.dialect == "sqlite" or (engine.fine_instant is not None and column.timezone is None)
    microseconds = nanoseconds // 1000 if fine else -(-nanoseconds // 1000)
    if not _FIRST <= microseconds <= _LAST:
        raise DataError(
            f"Column {column.name!r} is compared with an instant before year 1 or after year 9999, "
            f"which cannot be written for {engine.title}."
        )
    text = (_EPOCH + dt.timedelta(microseconds=microseconds)).isoformat(" ", "microseconds")
    return f"{text}{nanoseconds % 1000:03}" if fine and nanoseconds % 1000 else text


def duration_of(engine: Engine, column: Column, nanoseconds: int) -> exp.Expr:
    """Return a duration, rounded up to microseconds."""
    if not engine.durations:
        raise DataError(
            f"Column {column.name!r} holds durations, which {engine.title} cannot compare.\n"
            "Hint: fit on a number of seconds instead."
        )
    microseconds = -(-nanoseconds // 1000)
    days, rest = divmod(abs(microseconds), NANOSECONDS["D"] // 1000)
    if days > 2**31 - 1:
        raise DataError(f"Column {column.name!r} holds durations that {engine.title} cannot hold.")
    seconds, fraction = divmod(rest, 10**6)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}"
    sign = "-" if microseconds < 0 else ""
    return exp.cast(exp.Literal.string(f"{sign}{days} days {sign}{clock}"), "interval")
