"""What callers give to the algorithms of the lecture notes: rows as mappings or as a data frame, and targets.

The algorithms themselves read lists of rows only, and call themselves with such. What they cannot read is
refused here, so that they stay as short as in the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, Final, TypeVar, cast

import narwhals.stable.v2 as nw

from arboretum._wording import did_you_mean
from arboretum.errors import DataError, DataTypeError, ParameterError, choices, listing
from arboretum.reference.given import as_given, targets_of

Function = TypeVar("Function", bound=Callable[..., Any])

KINDS: Final = ("nominal", "numeric")
_NAMES: Final = ("columns", "column", "kinds", "remaining")


def reads_tables(function: Function) -> Function:
    """Let a function of rows and targets take a data frame too, and refuse what it cannot read."""
    third = list(signature(function).parameters)[2]
    may_be_empty = "default" in signature(function).parameters

    @wraps(function)
    def reading(rows: Any, targets: Any, *rest: Any, **options: Any) -> Any:
        read = rows_of(rows)
        listed = targets_of(targets, len(read))
        if not read and not may_be_empty:
            raise DataError(f"{function.__name__} is given no rows.\nHint: it needs one at least.")
        check(third, rest[0] if rest else options.get(third), read)
        return function(read, listed, *rest, **options)

    return cast("Function", reading)


def rows_of(rows: Any) -> Sequence[Mapping[str, Any]]:
    """Return rows as they are, or those of a data frame.

    >>> import pandas as pd
    >>> rows_of(pd.DataFrame({"age": [20, 30], "colour": ["red", "blue"]}))
    [{'age': 20, 'colour': 'red'}, {'age': 30, 'colour': 'blue'}]
    """
    if isinstance(rows, list | tuple):
        if rows and not isinstance(rows[0], Mapping):
            raise DataTypeError(
                f"A row is of type {type(rows[0]).__name__}; it must be a dict of values by column.\n"
                "Hint: a data frame is read as well."
            )
        return rows
    frame = nw.from_native(rows, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        raise DataTypeError(f"Rows are of type {type(rows).__name__}; give a list of dicts or a data frame.")
    columns = {name: as_given(frame[name]) for name in frame.columns}
    for name, values in columns.items():
        if None in values:
            raise DataError(
                f"Column {name!r} has a missing value in row {values.index(None)}, which the algorithms of "
                "the lecture notes do not read.\nHint: drop the row, or use reference.grow."
            )
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def check(parameter: str, given: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Refuse columns that the rows lack, kinds that there are not, and an empty list of literals."""
    if parameter in _NAMES and rows:
        known = list(rows[0])
        for name in names_in(given, parameter):
            if name not in rows[0]:
                raise ParameterError(
                    f"{parameter} names {name!r}, which the rows lack; they have {listing(known, 10)}."
                    f"{did_you_mean(str(name), known)}"
                )
    if parameter == "kinds":
        for name, kind in given.items():
            if kind not in KINDS:
                raise ParameterError(choices(f"kinds[{name!r}]", kind, KINDS))
    if parameter == "literals" and not given:
        raise ParameterError("literals is empty.\nHint: reference.determine_candidate_literals finds some.")


def names_in(given: Any, parameter: str) -> Iterable[Any]:
    """Return the names of columns that a parameter holds."""
    if parameter == "column":
        return [given]
    if parameter in ("columns", "kinds") and not isinstance(given, Mapping):
        what = "their values" if parameter == "columns" else "'nominal' or 'numeric'"
        raise DataTypeError(
            f"{parameter} is of type {type(given).__name__}; it must be a dict from columns to {what}."
        )
    if isinstance(given, str):
        raise DataTypeError(f"{parameter} is a text; it must be a list of names, such as [{given!r}].")
    return cast("Iterable[Any]", given)
