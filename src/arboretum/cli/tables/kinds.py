"""What the columns of a table are: number, integer, date, datetime, duration, nominal, ordered or boolean.

The rules are the same for every format: text whose values are all numbers is numeric, ISO dates are dates,
and all other text is nominal. What the user says about a column counts more. A report on each column says
what was decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from arboretum._data.times import duration_text, instant_text
from arboretum._wording import did_you_mean, many
from arboretum.cli.tables.cells import (
    TOKENS,
    are_numbers,
    as_text,
    count_tokens,
    decoded,
    first_not_number,
    is_text,
    looks_like_odd_dates,
    no_column,
    parse_dates,
    parse_numbers,
    without_missing,
)
from arboretum.cli.tables.table import Table
from arboretum.errors import DataError, ParameterError, listing

_SHOWN_LEVELS: Final = 5
_LONGEST_LEVEL: Final = 20
# Fewer rows may all differ by chance.
_FEWEST_IDS: Final = 10
_MOSTLY: Final = 0.8
_WORDS: Final = {
    "integer": pa.types.is_integer,
    "number": pa.types.is_floating,
    "date": pa.types.is_date,
    "datetime": pa.types.is_timestamp,
    "duration": pa.types.is_duration,
}


@dataclass(frozen=True)
class Choices:
    """What the user says about columns, by name."""

    nominal: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    ordered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # no level: those of the file
    tokens: tuple[str, ...] = TOKENS
    decimal: str = "."


@dataclass(frozen=True)
class Report:
    """What became of one column."""

    name: str
    kind: str
    missing: int = 0
    tokens: Mapping[str, int] = field(default_factory=dict)
    values: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Typed:
    """A table whose columns have kinds, and the levels declared for some, in order or not."""

    columns: Any
    reports: tuple[Report, ...]
    levels: Mapping[str, tuple[str, ...]]
    ordered: Mapping[str, tuple[str, ...]]


def give_kinds(table: Table, said: Choices) -> Typed:
    """Return the columns with their kinds, without the dropped ones, and a report on each."""
    _check_choices(table, said)
    kept, reports = {}, []
    dropped = set(said.drop)
    for name in table.names:
        if name in dropped:
            reports.append(Report(name, "dropped"))
            continue
        column, report = _give_kind(table, name, said)
        kept[name] = column
        reports.append(report)
    if not kept:
        raise ParameterError("--drop leaves no column.")
    levels = {
        name: found
        for name, found in table.levels.items()
        if name in kept and name not in said.numeric and name not in said.ordered
    }
    ordered = {name: _levels_in_order(table, name, said) for name in said.ordered if name in kept}
    return Typed(pa.table(kept), tuple(reports), levels, ordered)


def find_columns(names: Iterable[str], wanted: Iterable[str], option: str) -> None:
    """Refuse a name that no column has, and say which option gives it."""
    known = dict.fromkeys(names)
    for name in wanted:
        if name not in known:
            raise ParameterError(
                f"{option} names the column {name!r}, which the table lacks; it has "
                f"{listing(list(known), 12)}.{did_you_mean(name, known)}"
            )


def _check_choices(table: Table, said: Choices) -> None:
    for option, names in (
        ("--nominal", said.nominal),
        ("--numeric", said.numeric),
        ("--ordered", said.ordered),
        ("--drop", said.drop),
    ):
        find_columns(table.names, names, option)
    both = (set(said.nominal) & set(said.numeric)) | (set(said.ordered) & {*said.nominal, *said.numeric})
    if both:
        raise ParameterError(f"The column {listing(sorted(both))} is said to be of two kinds at once.")


def _give_kind(table: Table, name: str, said: Choices) -> tuple[Any, Report]:
    column = table.columns.column(name)
    declared = name in table.levels
    if pa.types.is_dictionary(column.type) and not column.type.ordered:
        values = decoded(column, name)
        if not is_text(values) and name not in (*said.nominal, *said.numeric, *said.ordered):
            # Categories that are numbers are levels too.
            report = _levels_report(name, as_text(values, name))
            return column, replace(report, missing=int(values.null_count))
        column, declared = values, True
    tokens: dict[str, int] = {}
    if name in said.nominal or name in said.ordered:
        column = as_text(column, name)
    if is_text(column):
        text = column.cast(pa.string())
        levels = table.levels.get(name, ())
        tokens = count_tokens(text, said.tokens, levels)
        column = without_missing(text, said.tokens, levels)
    if name in said.numeric:
        typed, report = _as_numeric(table, name, column, said)
    elif name in said.ordered:
        typed, report = _as_ordered(table, name, column, _levels_in_order(table, name, said))
    elif is_text(column) and not declared and name not in said.nominal:
        typed, report = _infer(table, name, column, said)
    else:
        typed, report = _as_typed(name, column)
    return typed, replace(report, missing=int(typed.null_count), tokens=tokens)


def _as_numeric(table: Table, name: str, column: Any, said: Choices) -> tuple[Any, Report]:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if is_text(column):
        numbers = parse_numbers(column, said.decimal)
        if numbers is None:
            row = first_not_number(column, said.decimal) or 0
            raise DataError(
                f"{table.label}, {table.where(row)}: the column {name!r} is to be numeric (--numeric), but "
                f"holds {_short(column[row].as_py())!r}.\n"
                "Hint: if that stands for a missing value, add it to --missing-values."
            )
        column = numbers
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or _is_decimal(column)):
        raise DataError(
            f"{table.label}: the column {name!r} is to be numeric (--numeric), but holds {column.type}."
        )
    return _as_typed(name, column)


def _levels_in_order(table: Table, name: str, said: Choices) -> tuple[str, ...]:
    """Return the levels of a column in order, as the user or else the file lists them."""
    levels, column = said.ordered[name] or tuple(table.levels.get(name, ())), table.columns.column(name)
    listed = pa.types.is_dictionary(column.type) and column.type.ordered and column.num_chunks
    if listed and not said.ordered[name]:
        levels = tuple(as_text(column.unify_dictionaries().chunk(0).dictionary, name).to_pylist())
    if not levels:
        raise ParameterError(
            f"--ordered {name} does not say in which order, and nor does {table.label}.\n"
            f"Hint: list the levels, the lowest first: --ordered {name}=low,medium,high."
        )
    return levels


def _as_ordered(table: Table, name: str, column: Any, levels: tuple[str, ...]) -> tuple[Any, Report]:
    """Return a column of ordered levels as text; the estimator gets their order separately."""
    known = pc.is_in(column, value_set=pa.array(levels, pa.string()))
    row = pc.index(pc.and_(pc.is_valid(column), pc.invert(known)), True).as_py()
    if row >= 0:
        raise DataError(
            f"{table.label}, {table.where(row)}: the column {name!r} holds "
            f"{_short(column[row].as_py())!r}, which is not among its levels {listing(levels)} (--ordered)."
        )
    return column, Report(name, "ordered", values=" < ".join(map(_short, levels)))


def _infer(table: Table, name: str, column: Any, said: Choices) -> tuple[Any, Report]:
    """Return text as numbers or dates if every value is one, and otherwise as levels."""
    if column.null_count == len(column):
        return _as_typed(name, column)
    numbers = parse_numbers(column, said.decimal)
    if numbers is not None:
        typed, report = _as_typed(name, numbers)
        return typed, replace(report, notes=tuple(_number_notes(name, column, numbers)) or report.notes)
    dates = parse_dates(column)
    if dates is not None:
        return _as_typed(name, dates)
    typed, report = _as_typed(name, column)
    return typed, replace(report, notes=tuple(_text_notes(table, column, said)) or report.notes)


def _as_typed(name: str, column: Any) -> tuple[Any, Report]:
    """Return a column with the kind of its type."""
    kind = column.type
    if pa.types.is_null(kind) or column.null_count == len(column) > 0:
        nothing = pa.chunked_array([pa.nulls(len(column), pa.float64())])
        return nothing, Report(name, "nothing", notes=("every value is missing",))
    if _is_decimal(column) or str(kind) == "halffloat":
        column = column.cast(pa.float64())
        kind = column.type
    if is_text(column):
        return column, _levels_report(name, column)
    if pa.types.is_boolean(kind):
        return column, Report(name, "boolean", values="false, true")
    if pa.types.is_dictionary(kind):
        return column, Report(name, "ordered")
    word = next((word for word, is_kind in _WORDS.items() if is_kind(kind)), None)
    if word is None:
        raise no_column(column, name)
    notes = _count_notes(name, column) if word == "integer" else ()
    return column, Report(name, word, values=_range_of(column), notes=notes)


def _is_decimal(column: Any) -> bool:
    return bool(pa.types.is_decimal(column.type))


# What a report says


def _levels_report(name: str, column: Any) -> Report:
    counts = column.drop_null().value_counts()
    n_levels, n_rows = len(counts), len(column) - column.null_count
    frequent = counts.take(
        pc.sort_indices(counts.field("counts"), sort_keys=[("", "descending")])[:_SHOWN_LEVELS]
    )
    shown = [_short(entry["values"]) for entry in frequent.to_pylist()]
    more = ", …" if n_levels > len(shown) else ""
    notes: tuple[str, ...] = ()
    if n_levels == n_rows >= _FEWEST_IDS:
        notes = (f"every value is there once, as in an id; to leave it out: --drop {name}",)
    values = f"{many(n_levels, 'level')}: {', '.join(shown)}{more}"
    return Report(name, "nominal", values=values, notes=notes)


def _range_of(column: Any) -> str:
    kind = column.type
    if pa.types.is_temporal(kind):  # as counts: Python's own dates end in the year 9999
        column = column.cast(pa.int32() if pa.types.is_date32(kind) else pa.int64())
    ends = pc.min_max(column).as_py()
    low, high = (_value_text(ends[end], kind) for end in ("min", "max"))
    return low if low == high else f"{low} to {high}"


def _value_text(value: Any, kind: Any) -> str:
    if pa.types.is_date(kind):
        return instant_text(value, "D" if pa.types.is_date32(kind) else "ms", aware=False)
    if pa.types.is_timestamp(kind):
        return instant_text(value, kind.unit, aware=kind.tz is not None)
    if pa.types.is_duration(kind):
        return duration_text(value, kind.unit)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _count_notes(name: str, column: Any) -> tuple[str, ...]:
    ends = pc.min_max(column).as_py()
    n_rows = len(column)
    if column.null_count or n_rows < _FEWEST_IDS or ends["max"] - ends["min"] + 1 != n_rows:
        return ()
    if pc.count_distinct(column).as_py() < n_rows:
        return ()
    return (f"numbers the rows one by one, as an id does; to leave it out: --drop {name}",)


def _number_notes(name: str, text: Any, numbers: Any) -> list[str]:
    notes = []
    if pc.any(pc.match_substring_regex(text, r"^[+-]?0[0-9]"), min_count=0).as_py():
        notes.append(f"some begin with 0, as codes do; to keep them as text: --nominal {name}")
    if (
        pa.types.is_floating(numbers.type)
        and pc.all(pc.match_substring_regex(text, r"^[+-]?[0-9]+$")).as_py()
    ):
        notes.append(f"integers beyond 64 bits, rounded; to keep them as text: --nominal {name}")
    return notes


def _text_notes(table: Table, column: Any, said: Choices) -> list[str]:
    if looks_like_odd_dates(column):
        return ["looks like dates, but not as ISO writes them (2024-03-01); taken as text"]
    if pc.all(pc.match_substring_regex(column, r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"), min_count=1).as_py():
        return ["looks like dates, but some are none, or some have a time zone and some not; taken as text"]
    other = "," if said.decimal == "." else "."
    if parse_numbers(column, other) is not None:
        return [f"would be numbers with --decimal {other!r}; taken as text"]
    distinct = column.drop_null().unique()
    odd = distinct.filter(pc.invert(are_numbers(distinct, said.decimal)))
    if len(distinct) >= _FEWEST_IDS and len(odd) <= (1 - _MOSTLY) * len(distinct):
        row = pc.index(column, odd[0]).as_py()
        return [
            f"{len(distinct) - len(odd):,} of {len(distinct):,} values are numbers, but "
            f"{_short(odd[0].as_py())!r} ({table.where(row)}) is not; taken as text"
        ]
    return []


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_LEVEL else f"{text[: _LONGEST_LEVEL - 1]}…"
