"""The plane that a partition shows: its columns, limits, fixed values and rows, all in stored form.

A point is a row with known values in the columns shown. It is *elsewhere* if its own values of the fixed
columns lead it to another leaf than the plane shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from arboretum._data import Column, ColumnData, Dataset, match_dataset
from arboretum._data.missing import find_missing
from arboretum._data.scalars import is_integer
from arboretum._data.times import NANOSECONDS
from arboretum._grow.given_rows import read_data
from arboretum._show.picture.text_width import shorten
from arboretum._show.words import rows_text
from arboretum._tree.composites import AtLeast, Linear
from arboretum._tree.fitted import tree_of
from arboretum._tree.questions import Threshold
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Mask, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError, ParameterError, choices, listing
from arboretum.plot._plane.cuts import Axes, table_of
from arboretum.plot._plane.regions import View

_MOST_POINTS: Final = 3_000  # more hide each other and the plane
_MOST_BANDS: Final = 200  # of levels; more could not be seen
_FARTHEST, _NARROWEST = 1e300, 1e-280  # limits of an axis of matplotlib, and its least length
_LONGEST_NAME: Final = 32.0  # em, in notes
_SPREAD: Final = (0.7548776662466927, 0.5698402909980532)  # steps that fill a square evenly, one per axis


@dataclass(frozen=True, eq=False)
class Points:
    """Rows on the plane: their places, their targets, and whether they belong elsewhere."""

    places: Numbers  # (rows, 2)
    targets: Array
    elsewhere: Mask


@dataclass(frozen=True, eq=False)
class Plane:
    """What a partition shows; `notes` say what it does not show."""

    tree: Tree
    axes: Axes
    view: View
    fixed: dict[str, Any]
    points: Points | None
    notes: tuple[str, ...]
    reached: frozenset[int] = frozenset()  # the leaves of rows in view, at the fixed values


def open_plane(
    model: Any, columns: Any, data: Any, at: Any, limits: Any, asker: str, *, least: int = 1
) -> Plane:
    """Return the plane that the options ask for; it has `least` columns if the table has."""
    tree = tree_of(model, asker)
    fixed = _read_fixed(tree, at)
    chosen = _choose(tree, columns, fixed, asker, least)
    if both := [column.name for column in chosen if column.name in fixed]:
        raise ParameterError(f"at fixes the column {both[0]!r}, which is to be shown; leave it out of one.")
    for column in chosen:
        if len(column.levels or ()) > _MOST_BANDS:
            raise ParameterError(
                f"Column {column.name!r} has {len(column.levels or ()):,} levels, but {asker} shows "
                f"{_MOST_BANDS} bands at most.\n"
                f"Hint: show other columns, and fix it, at={{{column.name!r}: …}}."
            )
    given = _read_limits(chosen, limits)
    rows, n_weightless = (None, 0) if data is None else _read_rows(model, tree, data)
    ends = [_ends(tree, column, rows, given.get(column.name)) for column in chosen]
    if len(chosen) == 1:
        ends.append((0.0, 1.0))
    view = View((ends[0][0], ends[1][0]), (ends[0][1], ends[1][1]))
    axes = (chosen[0], chosen[1] if len(chosen) == 2 else None)
    notes = _fixed_notes(tree, fixed)
    if rows is None:
        return Plane(tree, axes, view, fixed, None, tuple(notes))
    points, reached, told = _points(tree, chosen, rows, n_weightless, view, fixed)
    return Plane(tree, axes, view, fixed, points, tuple(notes + told), reached)


def note_narrow_leaves(plane: Plane, drawn: Iterable[int]) -> Plane:
    """Return the plane with a note on leaves that have rows in view but a region of no width."""
    if not (narrow := len(plane.reached - set(drawn))):
        return plane
    several = f"{many(narrow, 'leaf')} {'is' if narrow == 1 else 'are'}"
    return replace(plane, notes=(*plane.notes, f"{several} too narrow to be drawn"))


# --- columns


def _choose(tree: Tree, columns: Any, fixed: Mapping[str, Any], asker: str, least: int) -> list[Column]:
    """Return the columns to show: those that were named, or those that the tree asks about."""
    if columns is None:
        return _choose_asked(tree, fixed, asker, least)
    named = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]
    found = [_find(tree, name) for name in named]
    if not 1 <= len(found) <= 2 or len(set(found)) != len(found):
        raise ParameterError(
            f"columns={shown(columns)} is not allowed; give one column or two different ones of "
            f"{listing([column.name for column in tree.columns])}."
        )
    return found


def _find(tree: Tree, name: Any) -> Column:
    """Return a column by its name or its position."""
    by_name = {column.name: column for column in tree.columns}
    if isinstance(name, str) and name in by_name:
        return by_name[name]
    if is_integer(name) and 0 <= name < len(tree.columns):
        return tree.columns[int(name)]
    raise ParameterError(choices("columns", name, list(by_name)[:20]))


def _choose_asked(tree: Tree, fixed: Mapping[str, Any], asker: str, least: int) -> list[Column]:
    asked = {name for node in tree.walk() if node.question is not None for name in node.question.columns}
    open_ones = [column for column in tree.columns if column.name in asked and column.name not in fixed]
    if not open_ones:  # one colour everywhere: any columns will do
        return [column for column in tree.columns if column.levels is None][:2] or list(tree.columns[:1])
    if len(open_ones) <= 2:
        others = [column for column in tree.columns if column not in open_ones and column.levels is None]
        return open_ones + others[: max(0, least - len(open_ones))]
    names = [column.name for column in open_ones]
    raise ParameterError(
        f"The tree asks about {len(names)} columns, {listing(names)}, but {asker} shows one or two.\n"
        f"Hint: choose, columns=({names[0]!r}, {names[1]!r}), and fix the others, at={{{names[2]!r}: …}}."
    )


# --- values that the caller gives


def _by_column(option: str, given: Any, columns: Sequence[Column], form: str) -> Iterator[tuple[Column, Any]]:
    """Yield what a dictionary says about each column; refuse anything else."""
    if given is not None and not isinstance(given, Mapping):
        raise DataTypeError(f"{option} is a dictionary {form}, not {type(given).__name__}.")
    known = {column.name: column for column in columns}
    for name, value in (given or {}).items():
        if name not in known:
            raise ParameterError(choices(f"{option}: column", name, list(known)[:20]))
        yield known[name], value


def _read_fixed(tree: Tree, at: Any) -> dict[str, Any]:
    """Return the stored values of the columns that `at` fixes."""
    form = f"of columns and their values, such as {{{tree.columns[-1].name!r}: …}}"
    fixed: dict[str, Any] = {}
    for column, value in _by_column("at", at, tree.columns, form):
        fixed[column.name] = _stored(column, value, "at")
        if fixed[column.name] is None and tree.missing == "fractions":
            raise ParameterError(
                f"at={{{column.name!r}: {value!r}}} fixes a missing value, but this tree divides such rows, "
                "so they belong to no region; give a value."
            )
    return fixed


def _stored(column: Column, value: Any, option: str) -> Any:
    """Return a value in stored form; None if it is missing."""
    cell = np.empty((1, 1), dtype=object)
    cell[0, 0] = value
    try:
        (read,) = match_dataset(cell, [column], named=False).columns
    except DataTypeError as error:  # its message is about a cell of a table
        raise ParameterError(
            f"{option}={{{column.name!r}: {value!r}}} is of type {type(value).__name__}; give one value: "
            "text, a number, a boolean, a date or a duration."
        ) from error
    except DataError as error:
        raise ParameterError(f"{option}={{{column.name!r}: {value!r}}}: {error}") from error
    if not read.is_missing()[0]:
        return read.values[0].item()
    if not find_missing([value])[0]:
        levels = listing([column.format(number) for number in range(len(column.levels or ()))])
        raise ParameterError(
            f"{option}={{{column.name!r}: {value!r}}} is not a level of the column; choose {levels}."
        )
    return None


def _read_limits(chosen: Sequence[Column], limits: Any) -> dict[str, tuple[float, float]]:
    """Return the given limits of axes, in stored form."""
    scales = [column for column in chosen if column.levels is None]
    read: dict[str, tuple[float, float]] = {}
    for column, ends in _by_column("limits", limits, scales, "of columns, {column: (low, high)}"):
        pair = list(ends) if isinstance(ends, Sequence) and not isinstance(ends, str) else []
        stored = [_stored(column, end, "limits") for end in pair]
        if len(stored) != 2 or None in stored or not -math.inf < stored[0] < stored[1] < math.inf:
            raise ParameterError(
                f"limits={{{column.name!r}: {ends!r}}} is not allowed; give (low, high), low first."
            )
        read[column.name] = _drawable(column, float(stored[0]), float(stored[1]))
    return read


# --- limits of the axes


def _ends(
    tree: Tree,
    column: Column,
    rows: tuple[Dataset, Array] | None,
    given: tuple[float, float] | None,
) -> tuple[float, float]:
    """Return the least and the greatest stored value to show."""
    if column.levels is not None:
        return -0.5, max(1, len(column.levels)) - 0.5
    if given is not None:
        return given
    seen = _landmarks(tree, column)
    if rows is not None:
        held = rows[0].columns[tree.columns.index(column)]
        values = held.values[~held.is_missing()].astype(np.float64)
        seen += values[np.isfinite(values)].tolist()
    if not seen:
        return 0.0, 1.0
    low, high = _drawable(column, min(seen), max(seen), single=True)
    if low != high:
        room = (high - low) * (0.25 if rows is None else 0.05)
    elif column.unit:
        room = 30 * NANOSECONDS["D"] / NANOSECONDS[column.unit]
    else:  # the number itself is all that is known about the scale
        least = min(1.0, abs(low)) if column.kind == "number" and abs(low) >= _NARROWEST else 1.0
        room = max(least, abs(low) / 10)
    return low - room, high + room


def _drawable(column: Column, low: float, high: float, *, single: bool = False) -> tuple[float, float]:
    """Return the ends of an axis; refuse those that are too far apart or too close."""
    size = max(abs(low), abs(high))
    if size <= _FARTHEST and (high - low >= _NARROWEST or (single and low == high)):
        return low, high
    raise ParameterError(
        f"Column {column.name!r} would be drawn from {low:.3g} to {high:.3g}, but an axis reaches to "
        f"{_FARTHEST:.0e} and is {_NARROWEST:.0e} long at least.\n"
        f"Hint: give other limits={{{column.name!r}: (low, high)}}, or scale the column before fitting."
    )


def _landmarks(tree: Tree, column: Column) -> list[float]:
    """Return the finite values of a column that questions mention."""
    found: list[float] = []
    for node in tree.walk():
        question = node.question
        match question:
            case Threshold() if question.about == column:
                found.append(float(question.threshold))
            case AtLeast():
                own = [part.threshold for part in question.literals if part.about == column]
                found += [float(threshold) for threshold in own if threshold is not None]
            case Linear():
                found += _on_the_line(question, column)
    return [value for value in found if math.isfinite(value)]


def _on_the_line(question: Linear, column: Column) -> list[float]:
    """Return a column's mean in a sum, and its value on the line where the others have their means."""
    own = [term for term in question.terms if term.about == column and term.level is None]
    others = sum(term.coefficient * term.fill for term in question.terms if term not in own)
    slope = sum(term.coefficient for term in own)
    if not own or slope == 0.0:
        return []
    return [own[0].fill, (question.threshold - others) / slope]


# --- rows


def _read_rows(model: Any, tree: Tree, data: Any) -> tuple[tuple[Dataset, Array], int]:
    """Return the rows of positive weight with their targets, and the number of others."""
    owner = "this tree" if isinstance(model, Tree) else type(model).__name__
    read = read_data(tree, data, named=getattr(model, "_named", None), owner=owner)
    if read.weights is None:
        return (read.data, read.targets), 0
    counting = read.weights > 0
    return (read.data.take(counting), read.targets[counting]), int((~counting).sum())


def _points(
    tree: Tree,
    chosen: Sequence[Column],
    rows: tuple[Dataset, Array],
    n_weightless: int,
    view: View,
    fixed: Mapping[str, Any],
) -> tuple[Points, frozenset[int], list[str]]:
    """Return the rows on the plane, the leaves they reach there, and notes about the others."""
    table, targets = rows
    held = [table.columns[tree.columns.index(column)] for column in chosen]
    missing = np.any([column.is_missing() for column in held], axis=0)
    places = np.column_stack([_places(column, step) for column, step in zip(held, _SPREAD, strict=False)])
    if len(chosen) == 1:
        places = np.column_stack([places, np.full(len(places), 0.5)])
    inside = np.all((places >= view.low) & (places <= view.high), axis=1) & ~missing
    shown = np.flatnonzero(inside)
    notes = _row_notes(held, int((~missing & ~inside).sum()), n_weightless)
    own, as_shown = _leaves(tree, table.take(shown), fixed)
    reached, elsewhere = frozenset(np.unique(as_shown).tolist()), own != as_shown
    if len(shown) > _MOST_POINTS:
        notes.append(f"{_MOST_POINTS:,} of {rows_text(len(shown))} are drawn")
        kept = np.linspace(0, len(shown) - 1, _MOST_POINTS).astype(np.intp)
        shown, elsewhere = shown[kept], elsewhere[kept]
    if elsewhere.any():
        sign = "crosses" if tree.target.classes is None else "hollow"
        notes.append(f"{sign}: {rows_text(int(elsewhere.sum()))} that other values lead to another leaf")
    return Points(places[shown], targets[shown], elsewhere), reached, notes


def _places(held: ColumnData, step: float) -> Numbers:
    """Return the places of values; rows of a level are spread over its band, the same way each time."""
    places = held.values.astype(np.float64)
    if held.column.levels is None:
        return places
    return places + (np.arange(len(places)) * step % 1.0 - 0.5) * 0.7


def _leaves(tree: Tree, table: Dataset, fixed: Mapping[str, Any]) -> tuple[Codes, Codes]:
    """Return the leaf of each row, and the leaf it would reach with the fixed values."""
    if not table.n_rows:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    own = tree._leaves_of(table)
    if not fixed:
        return own, own
    constant = table_of(tree.columns, table.n_rows, fixed).columns
    pairs = zip(table.columns, constant, strict=True)
    columns = tuple(one if held.column.name in fixed else held for held, one in pairs)
    return own, tree._leaves_of(Dataset(columns, table.n_rows, table.named))


# --- notes


def _row_notes(held: Sequence[ColumnData], n_outside: int, n_weightless: int) -> list[str]:
    missing = [(column.column.name, int(column.is_missing().sum())) for column in held]
    told = [
        f"{rows_text(count)} that miss{'es' if count == 1 else ''} {shorten(name, _LONGEST_NAME)}"
        for name, count in missing
        if count
    ]
    told += [f"{rows_text(n_outside)} beyond the view"] if n_outside else []
    told += [f"{rows_text(n_weightless)} of weight 0"] if n_weightless else []
    return [f"not drawn: {', '.join(told)}"] if told else []


def _fixed_notes(tree: Tree, fixed: Mapping[str, Any]) -> list[str]:
    if not fixed:
        return []
    known = {column.name: column for column in tree.columns}
    texts = [
        f"{shorten(name, _LONGEST_NAME)} = {'missing' if value is None else known[name].format(value)}"
        for name, value in fixed.items()
    ]
    return ["where " + ", ".join(texts)]
