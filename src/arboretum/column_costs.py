"""Column costs: what the gain of a question is divided by before columns compete.

A cost says what it takes to know a column's value: of two questions that gain the same, the cheaper one is
asked. Costs decide which question wins, and nothing else: gains, limits, pruning and importances count the
undivided gain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from arboretum.dataset import Column
from arboretum.errors import ParameterError, listing
from arboretum.scalars import is_real

__all__ = ["check_costs", "costs_by_name", "resolve_costs"]

LEAST: Final = 1e-100
MOST: Final = 1e100


def resolve_costs(column_costs: Any, columns: tuple[Column, ...]) -> list[float]:
    """Return the cost of each column, or nothing where they are all the same, which changes nothing."""
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
    names = [column.name for column in columns]
    if isinstance(column_costs, Mapping):
        if unknown := [name for name in column_costs if name not in names]:
            raise ParameterError(
                f"column_costs names {listing(unknown)}, but the columns are {listing(names, 10)}."
            )
        return {name: float(column_costs.get(name, 1.0)) for name in names}
    given = [float(cost) for cost in column_costs]
    if len(given) != len(names):
        raise ParameterError(f"column_costs has {len(given)} entries, but there are {len(names)} columns.")
    return dict(zip(names, given, strict=True))


def check_costs(column_costs: Any) -> None:
    """Refuse costs that are wrong whatever the columns are."""
    if column_costs is None:
        return
    if isinstance(column_costs, str) or not isinstance(column_costs, Iterable):
        raise ParameterError(
            f"column_costs={column_costs!r} is not allowed; give a number above 0 for each column, "
            "or {name: cost}."
        )
    pairs = column_costs.items() if isinstance(column_costs, Mapping) else enumerate(column_costs)
    for column, cost in pairs:
        if not is_real(cost) or not LEAST <= cost <= MOST:
            raise ParameterError(
                f"column_costs of column {column!r} is {cost!r}; "
                f"give a number between {LEAST:g} and {MOST:g}."
            )
