"""Grids: the values of a column at which predictions are looked at.

A *step grid* has one value for each interval between the cuts of a tree, so it shows every step that the tree
makes; a *grid of points* has values that were given or spaced evenly; of levels, each has its place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np

from arboretum._data import Column, ColumnData, match_dataset
from arboretum._data.scalars import is_integer
from arboretum._data.times import NANOSECONDS
from arboretum._tree.digits import DIGITS, texts_apart
from arboretum._tree.question_values import read_value
from arboretum._types import Array, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError, ParameterError, listing

_INT64: Final = np.iinfo(np.int64)
_LARGEST: Final = np.finfo(np.float64).max
_MOST_POINTS: Final = 100_000


@dataclass(frozen=True, eq=False)
class GridColumn:
    """A column and its values in a grid, in stored form; `cuts` lie between the values of a step grid."""

    data: ColumnData
    cuts: Array | None = None
    low: float = math.nan  # the range that a chart shows; of levels there is none
    high: float = math.nan

    @property
    def column(self) -> Column:
        """The column itself."""
        return self.data.column

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.data.values)

    @cached_property
    def values(self) -> Array:
        """The values as people write them."""
        return natural(self.data)

    def reaching(self, rows: ColumnData) -> GridColumn:
        """Return the same steps, shown as far as rows reach."""
        if self.cuts is None:
            return self
        low, high = _range(self.column, self.cuts, rows)
        return replace(self, low=low, high=high)

    def edges(self) -> Numbers:
        """Return the borders between values that have an order: the cuts, or the middles."""
        values = np.sort(self.data.values.astype(np.float64))
        inner = (values[1:] + values[:-1]) / 2 if self.cuts is None else self.cuts[: self.size - 1]
        return np.concatenate([[self.low], np.clip(inner, self.low, self.high), [self.high]])

    def texts(self, digits: int | None = DIGITS) -> list[str]:
        """Return the values, or the intervals of a step grid, as text that tells them apart."""
        column = self.column
        if column.levels is not None:
            return [column.format(value) for value in self.data.values.tolist()]
        if self.cuts is None:
            return texts_apart(column, self.data.values.tolist(), digits)
        names = texts_apart(column, self.cuts.tolist(), digits)
        if not names:
            return ["any"]
        between = [f"{a} < … <= {b}" for a, b in pairwise(names)]
        return [f"<= {names[0]}", *between, *([f"> {names[-1]}"] if self.size > len(names) else [])]


def natural(data: ColumnData) -> Array:
    """Return stored values as people write them: numbers, dates, durations, levels."""
    column, values = data.column, data.values
    if column.levels is not None:
        levels = np.empty(len(column.levels), dtype=object)
        levels[:] = column.levels
        return levels[values]
    if column.kind == "datetime":
        return values.astype(f"datetime64[{column.unit}]")
    if column.kind == "duration":
        return values.astype(f"timedelta64[{column.unit}]")
    if column.offset and values.dtype.kind != "f":
        return values.astype(np.int64).view(np.uint64) ^ np.uint64(column.offset)
    return values


# --- the forms that the option `grid` has


def grid_options(grid: Any, columns: Sequence[Column]) -> list[Any]:
    """Return what the option says about each column: None, a number of points, or values."""
    names = [column.name for column in columns]
    if grid is None or is_integer(grid):
        return [grid] * len(names)
    if isinstance(grid, dict):
        unknown = [name for name in grid if name not in names]
        if unknown:
            raise ParameterError(
                f"grid gives values of {shown(unknown[0])}, but the columns are {listing(names)}."
            )
        return [grid.get(name) for name in names]
    if isinstance(grid, str) or not isinstance(grid, Iterable):
        raise ParameterError(
            f"grid={shown(grid)} is not allowed; give a number of points, the values, or {{column: values}}."
        )
    if len(names) == 1:
        return [grid]
    given = list(grid)
    if len(given) != len(names) or not all(_is_option(one) for one in given):
        raise ParameterError(
            f"grid={shown(grid)} is not allowed for two columns; give {{{names[0]!r}: values, "
            f"{names[1]!r}: values}}, or one entry for each of them."
        )
    return given


def _is_option(one: Any) -> bool:
    return one is None or is_integer(one) or (isinstance(one, Iterable) and not isinstance(one, str))


def read_grid(
    column: Column, option: Any, cuts: Array | None, rows: ColumnData | None, n_points: int
) -> GridColumn:
    """Return the grid of a column: steps if nothing else is asked for and its cuts are known."""
    if option is not None and not is_integer(option):
        return _given(column, option)
    if column.levels == ():
        raise ParameterError(
            f"Column {column.name!r} has no levels: all its values were missing when fitting."
        )
    if column.levels is not None:
        return GridColumn(ColumnData(column, np.arange(len(column.levels), dtype=np.int32)))
    if option is None and cuts is not None:
        return _steps(column, cuts, rows)
    n_points = n_points if option is None else int(option)
    if not 2 <= n_points <= _MOST_POINTS:
        raise ParameterError(
            f"grid={n_points} is not allowed; a grid has 2 to {_MOST_POINTS:,} points, or values that you "
            "give."
        )
    return _points(column, n_points, cuts, rows)


def _given(column: Column, values: Any) -> GridColumn:
    """Return a grid of values that the caller gives."""
    stored = read_values(column, list(values))
    low, high = (math.nan, math.nan) if column.levels is not None else _ends(stored.values)
    return GridColumn(stored, None, low, high)


def read_values(column: Column, values: Sequence[Any]) -> ColumnData:
    """Return values of a column in stored form; refuse those that are missing or of another kind.

    Times may be text, as it stands in questions.
    """
    given = f"grid of column {column.name!r}"
    if not values:
        raise ParameterError(f"The {given} is empty; give at least one value.")
    if column.unit is not None and all(isinstance(value, str) for value in values):
        return ColumnData(column, np.array([read_value(column, str(text))[1] for text in values]))
    try:
        stored = _matched(column, values)
    except (DataError, DataTypeError) as error:
        strange = next((value for value in values if not _suits(column, value)), None)
        if strange is None:
            raise ParameterError(f"The {given} does not suit: {error}") from error
        raise ParameterError(f"The {given} holds {shown(strange)}{_instead(column)}.") from error
    gone = stored.is_missing()
    if gone.any():
        found = values[int(np.argmax(gone))]
        if column.levels is None or found is None or found != found:
            raise ParameterError(f"The {given} holds {shown(found)}; give known values.")
        raise ParameterError(f"The {given} holds {shown(found)}{_instead(column)}.")
    return stored


def _matched(column: Column, values: Sequence[Any]) -> ColumnData:
    cells = np.empty((len(values), 1), dtype=object)
    for place, value in enumerate(values):
        cells[place, 0] = value
    (stored,) = match_dataset(cells, [column], named=False).columns
    return stored


def _suits(column: Column, value: Any) -> bool:
    """Return whether a value is of the kind of a column."""
    try:
        _matched(column, [value])
    except (DataError, DataTypeError):
        return False
    return True


def _instead(column: Column) -> str:
    """Return what a value of a grid is not, and what to give."""
    if column.levels is None:
        kind = {"datetime": "dates", "duration": "durations"}.get(column.kind, "numbers")
        return f", but the column has {kind}; give {kind}"
    known = listing([column.format(number) for number in range(len(column.levels))])
    return f", which is not a level; choose {known}"


# --- ranges


def _ends(values: Array) -> tuple[float, float]:
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)


def known_values(rows: ColumnData | None) -> Array:
    """Return the finite values that rows have."""
    if rows is None:
        return np.empty(0)
    values = rows.values[~rows.is_missing()]
    return values[np.isfinite(values)] if values.dtype.kind == "f" else values


def _range(column: Column, cuts: Array, rows: ColumnData | None) -> tuple[float, float]:
    """Return the least and the greatest value to show: those of the rows, and some room beyond all cuts."""
    known = known_values(rows)
    marks = cuts[np.isfinite(cuts)] if cuts.dtype.kind == "f" else cuts
    ends = [end for some in (known, marks) if len(some) for end in (float(some.min()), float(some.max()))]
    if not ends:
        return 0.0, 1.0
    low, high = min(ends), max(ends)
    room = (high / 20 - low / 20) * (1 if len(known) else 5)
    if low == high:
        month = 30 * NANOSECONDS["D"] / NANOSECONDS[column.unit or "D"]
        room = month if column.kind == "datetime" else max(1.0, abs(low) / 10)
    if len(marks):  # beyond the outer cuts, something is to be seen
        low = low if len(known) and float(known.min()) <= float(marks[0]) else low - room
        high = high if len(known) and float(known.max()) > float(marks[-1]) else high + room
    return max(low, -_LARGEST), min(high, _LARGEST)


# --- grids of points


def _points(column: Column, n_points: int, cuts: Array | None, rows: ColumnData | None) -> GridColumn:
    """Return evenly spaced values; those of the rows, if they have no more."""
    distinct = np.unique(known_values(rows))
    if 0 < len(distinct) <= n_points:
        return GridColumn(ColumnData(column, distinct), None, *_ends(distinct))
    if len(distinct):
        low, high = float(distinct[0]), float(distinct[-1])
    else:
        low, high = _range(column, np.empty(0) if cuts is None else cuts, None)
    shares = np.linspace(0.0, 1.0, n_points)
    spaced = low * (1 - shares) + high * shares
    if column.kind != "number" and not (rows is not None and rows.values.dtype.kind == "f"):
        spaced = np.unique([_whole(value) for value in spaced.tolist()])
    return GridColumn(ColumnData(column, spaced), None, low, high)


def _whole(value: float) -> int:
    return min(max(round(value), int(_INT64.min)), int(_INT64.max))


# --- steps


def _steps(column: Column, cuts: Array, rows: ColumnData | None) -> GridColumn:
    """Return one value for each interval between cuts, from its middle: above one cut, at most the next."""
    low, high = _range(column, cuts, rows)
    if column.kind == "number":
        values: Array = np.array(_middles_of_reals(cuts.tolist(), low, high))
    else:
        values = np.array(_middles_of_integers(cuts.tolist(), low, high), dtype=np.int64)
    return GridColumn(ColumnData(column, values), cuts, low, high)


def _middles_of_reals(cuts: list[float], low: float, high: float) -> list[float]:
    if not cuts:
        return [low / 2 + high / 2]
    found = [_between(low, cuts[0])]
    found += [_between(a, b) for a, b in pairwise(cuts)]
    last = _between(cuts[-1], high) if high > cuts[-1] else math.nextafter(cuts[-1], math.inf)
    return [*found, last] if cuts[-1] < math.inf else found


def _between(a: float, b: float) -> float:
    """Return a number above a and at most b, near the middle."""
    middle = a / 2 + b / 2
    return middle if a < middle <= b else b


def _middles_of_integers(thresholds: list[float], low: float, high: float) -> list[int]:
    first, last = _whole(math.floor(low)), _whole(math.ceil(high))
    if not thresholds:
        return [(first + last) // 2]
    cuts = list(map(math.floor, thresholds))
    found = [min(cuts[0], (first + cuts[0]) // 2)]
    found += [a + 1 + (b - a - 1) // 2 for a, b in pairwise(cuts)]
    above = max(cuts[-1] + 1, (cuts[-1] + 1 + last) // 2)
    return [*found, above] if cuts[-1] < _INT64.max else found


def check_size(grid: Sequence[GridColumn], most: int) -> None:
    """Refuse more cells than anybody can look at."""
    n_cells = math.prod(axis.size for axis in grid)
    if n_cells > most:
        raise ParameterError(
            f"The grid has {many(n_cells, 'cell')}, but {most:,} are the most.\n"
            "Hint: give a number of points for each column, such as grid=50."
        )
