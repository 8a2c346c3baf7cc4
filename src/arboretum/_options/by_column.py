"""Options about each column: its cost, and the direction in which predictions may change with it.

A column's cost divides the gain of its questions before columns compete, so that of two equal gains the
cheaper one wins. Nothing else counts costs: gains, limits, pruning and importances are of the undivided gain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from arboretum._data import Column
from arboretum._data.scalars import is_real
from arboretum._options.rules import refuse
from arboretum._wording import many
from arboretum.errors import ParameterError, listing

LEAST_COST: Final = 1e-100
MOST_COST: Final = 1e100


def resolve_costs(column_costs: Any, columns: tuple[Column, ...]) -> list[float]:
    """Return the cost of each column; an empty list if all costs are equal, which changes nothing."""
    costs = list(costs_by_name(column_costs, columns).values())
    return costs if len(set(costs)) > 1 else []


def costs_by_name(column_costs: Any, columns: tuple[Column, ...]) -> dict[str, float]:
    """Return the cost of every column, 1 where none is given; nothing for None.

    >>> costs_by_name({"age": 2}, (Column("age", "integer"), Column("price", "number")))
    {'age': 2.0, 'price': 1.0}
    """
    check_costs(column_costs)
    if column_costs is None:
        return {}
    costs = _of_each("column_costs", column_costs, columns, otherwise=1.0)
    return {column.name: float(cost) for column, cost in zip(columns, costs, strict=True)}


def check_costs(column_costs: Any) -> None:
    """Refuse costs that are wrong whatever the columns are."""
    if column_costs is None:
        return
    _check_listed("column_costs", column_costs, "a number above 0 for each column, or {name: cost}")
    pairs = column_costs.items() if isinstance(column_costs, Mapping) else enumerate(column_costs)
    for column, cost in pairs:
        if not is_real(cost) or not LEAST_COST <= cost <= MOST_COST:
            raise ParameterError(
                f"column_costs of column {column!r} is {cost!r}; "
                f"give a number between {LEAST_COST:g} and {MOST_COST:g}."
            )


def resolve_monotone(monotonic_cst: Any, columns: tuple[Column, ...]) -> list[int]:
    """Return -1, 0 or 1 for each column, or an empty list if no column is constrained."""
    if monotonic_cst is None:
        return []
    _check_listed("monotonic_cst", monotonic_cst, "-1, 0 or 1 for each column, or {name: direction}")
    given = _of_each("monotonic_cst", monotonic_cst, columns, otherwise=0)
    for column, direction in zip(columns, given, strict=True):
        if not is_real(direction) or direction not in (-1, 0, 1):
            raise ParameterError(
                f"monotonic_cst of column {column.name!r} is {direction!r}; "
                "choose 1 (rising), 0 (free) or -1 (falling)."
            )
        if direction and column.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst of column {column.name!r} is {direction}, but its levels have no order. "
                "Hint: list them in ordered_features, or make it a number."
            )
    return [int(direction) for direction in given] if any(given) else []


def constrains(monotonic_cst: Any) -> bool:
    """Return whether any column is constrained, as far as the option alone can tell."""
    directions = monotonic_cst.values() if isinstance(monotonic_cst, Mapping) else monotonic_cst
    if isinstance(directions, str) or not isinstance(directions, Iterable):
        return False
    return any(is_real(direction) and direction != 0 for direction in list(directions))


def _check_listed(option: str, given: Any, allowed: str) -> None:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise refuse(given, option, "", allowed)


def _of_each(option: str, given: Any, columns: tuple[Column, ...], *, otherwise: float) -> list[Any]:
    """Return what is given for each column, by name or in order."""
    names = [column.name for column in columns]
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in names]:
            raise ParameterError(
                f"{option} names {listing(unknown)}, but the columns are {listing(names, 10)}."
            )
        return [given.get(name, otherwise) for name in names]
    values = list(given)
    if len(values) != len(names):
        raise ParameterError(
            f"{option} has {many(len(values), 'entry')}, but X has {many(len(names), 'column')}."
        )
    return values
