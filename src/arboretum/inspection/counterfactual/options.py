"""What may change, how far and at what price: `costs`, `fixed` and `ranges` become moves of columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from arboretum._data import Column, ColumnData, Dataset
from arboretum._data.levels import level_text, number_of_level
from arboretum._data.scalars import is_real
from arboretum._data.times import NANOSECONDS, duration_nanoseconds, instant_nanoseconds, is_aware
from arboretum._tree.question_values import read_value
from arboretum._tree.questions import Threshold
from arboretum._tree.tree import Tree
from arboretum._types import Numbers
from arboretum._wording import did_you_mean, shown
from arboretum.errors import ParameterError, listing
from arboretum.inspection.counterfactual.moves import Moves
from arboretum.inspection.counterfactual.pieces import Piece, Value, everything

_DIRECTIONS = ("rise", "fall")
_LOWEST, _HIGHEST = -(2**63) + 1, 2**63 - 1
_RANGE = "(lowest, highest), where None is no limit, 'rise' or 'fall'"


def read_moves(
    tree: Tree,
    row: Dataset,
    given: Mapping[str, ColumnData],
    spreads: Numbers,
    *,
    costs: Any,
    fixed: Any,
    ranges: Any,
) -> tuple[Moves, ...]:
    """Return what a row may become in each column of a tree; `given` has its columns as they came."""
    names = tree._places
    prices = _by_name(names, costs, "costs", "{column: cost}")
    allowed = _by_name(names, ranges, "ranges", "{column: range}")
    held = {fixed} if isinstance(fixed, str) else fixed
    if not isinstance(held, Iterable):
        raise ParameterError(
            f"fixed={shown(fixed)} is not allowed; give the names of columns, such as ['age']."
        )
    kept = set(_by_name(names, dict.fromkeys(held), "fixed", ""))
    moves = []
    for place, data in enumerate(row.columns):
        column, value = data.column, value_of(data)
        cost, level_costs = _cost(column, value, prices.get(column.name, 1.0))
        reach = everything(column, missing=False)
        if column.name in allowed:
            reach = reach.both(_range(column, value, allowed[column.name]))
        moves.append(
            Moves(
                column,
                value,
                cost,
                float(spreads[place]),
                reach,
                fixed=column.name in kept,
                level_costs=level_costs,
                middle=0 if value is not None and math.isfinite(value) else _middle(tree, place),
                unknown=_unknown_level(given.get(column.name)) if value is None else None,
            )
        )
    return tuple(moves)


def _unknown_level(given: ColumnData | None) -> object:
    """Return the level of the only row of a column as it came; None if it is missing or has no levels."""
    if given is None or given.column.levels is None or given.is_missing()[0]:
        return None
    return given.column.levels[int(given.values[0])]


def value_of(data: ColumnData) -> Value | None:
    """Return the value of the only row of a column, in stored form; None if it is missing."""
    if data.is_missing()[0]:
        return None
    value: Value = data.values[0].item()
    return float(value) if data.column.kind == "number" else value if value != int(value) else int(value)


def _middle(tree: Tree, place: int) -> Value:
    """Return where a missing or infinite value goes if nothing says where: amid the column's thresholds."""
    asked = (tree.array("column") == place) & (tree.array("kind") == Threshold.kind)
    thresholds = tree.array("threshold")[asked]
    thresholds = thresholds[np.isfinite(thresholds)]
    middle = float(np.median(thresholds)) if len(thresholds) else 0.0
    return middle if tree.columns[place].kind == "number" else math.floor(middle)


def _by_name(names: Collection[str], given: Any, option: str, form: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"{option}={shown(given)} is not allowed; give {form}.")
    for name in given:
        if name not in names:
            raise ParameterError(
                f"{option} names the column {shown(name)}, which the tree does not have; it has "
                f"{listing(list(names), 10)}.{did_you_mean(name, names)}"
            )
    return given


# --- costs


def _cost(column: Column, value: Value | None, given: Any) -> tuple[float, tuple[float, ...] | None]:
    """Return the cost of a column, and that of each of its levels if these differ."""
    if not isinstance(given, Mapping):
        return _number(given, f"costs={{{column.name!r}: {shown(given)}}}"), None
    if column.kind != "nominal":
        raise ParameterError(
            f"costs={{{column.name!r}: …}} gives costs of pairs of levels, but the column is of kind "
            f"{column.kind!r}; give one number, the cost of a distance of one spread."
        )
    costs = [1.0] * len(column.levels or ())
    for pair, cost in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ParameterError(
                f"costs={{{column.name!r}: …}} has the key {shown(pair)}; give pairs of levels, "
                "{(from, to): cost}. Other pairs cost 1."
            )
        before, after = (_level(column, level, "costs") for level in pair)
        number = _number(cost, f"costs={{{column.name!r}: {{{pair!r}: {shown(cost)}}}}}")
        if before == value:
            costs[after] = number
    return 1.0, tuple(costs)


def _number(given: Any, option: str) -> float:
    if not is_real(given) or not 0 <= given < math.inf:
        raise ParameterError(
            f"{option} is not allowed; give a number of 0 or more. What must not change is named in fixed."
        )
    return float(given)


def _level(column: Column, level: Any, option: str) -> int:
    found = number_of_level(column.levels or (), level)
    if found is None:
        names = [level_text(each) for each in column.levels or ()]
        raise ParameterError(
            f"{option} names the level {shown(level)} of column {column.name!r}; its levels are "
            f"{listing(names, 10)}.{did_you_mean(level, names)}"
        )
    return found


# --- ranges


def _range(column: Column, value: Value | None, given: Any) -> Piece:
    """Return what a changed value may be."""
    if column.kind == "nominal":
        return _level_range(column, given)
    if isinstance(given, str) and given in _DIRECTIONS:
        if value is None:
            return Piece(missing=False)
        return Piece(low=value, missing=False) if given == "rise" else _up_to(column, _before(column, value))
    if isinstance(given, str) or not isinstance(given, tuple | list) or len(given) != 2:
        raise ParameterError(f"ranges={{{column.name!r}: {shown(given)}}} is not allowed; give {_RANGE}.")
    low, high = (None if end is None else _stored(column, end, given) for end in given)
    if low is not None and high is not None and low > high:
        raise ParameterError(
            f"ranges={{{column.name!r}: {shown(given)}}} excludes every value: the lowest comes first."
        )
    found = _up_to(column, high)
    if low is not None:
        found = found._replace(low=_before(column, low))
    if column.kind != "number" and low is not None and high is not None and math.floor(high) < math.ceil(low):
        raise ParameterError(
            f"ranges={{{column.name!r}: {shown(given)}}} excludes every value of whole numbers."
        )
    return found


def _up_to(column: Column, high: Value | None) -> Piece:
    whole = None if high is None else high if column.kind == "number" else math.floor(high)
    return Piece(high=whole, missing=False)


def _before(column: Column, value: Value) -> Value:
    """Return the last value below another one."""
    return math.nextafter(value, -math.inf) if column.kind == "number" else math.ceil(value) - 1


def _level_range(column: Column, given: Any) -> Piece:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise ParameterError(
            f"ranges={{{column.name!r}: {shown(given)}}} is not allowed; give a list of the levels it may "
            "become."
        )
    bits = 0
    for level in given:
        bits |= 1 << _level(column, level, "ranges")
    if not bits:
        raise ParameterError(f"ranges={{{column.name!r}: {shown(given)}}} excludes every level.")
    return Piece(levels=bits, missing=False)


def _stored(column: Column, end: Any, given: Any) -> Value:
    """Return the end of a range in stored form; between two units of time it is half of one."""
    if column.kind == "ordered":
        return _level(column, end, "ranges")
    if column.kind == "number" and is_real(end) and not math.isnan(end):
        return float(end)
    if column.kind == "integer" and is_real(end) and not math.isnan(end):
        stored: Value = end - column.offset
        return max(_LOWEST, min(_HIGHEST, stored))
    if column.unit is not None and isinstance(end, str):
        return read_value(column, end)[1]
    try:
        if column.unit is None or is_aware(end) != (column.timezone is not None):
            raise TypeError(end)
        exact = (duration_nanoseconds if column.kind == "duration" else instant_nanoseconds)(end)[0]
    except (AttributeError, TypeError, ValueError) as error:
        raise ParameterError(
            f"ranges={{{column.name!r}: {shown(given)}}} is not allowed for a column of kind "
            f"{column.kind!r}; give {_RANGE}."
        ) from error
    count, rest = divmod(exact, NANOSECONDS[column.unit])
    return count + 0.5 if rest else count
