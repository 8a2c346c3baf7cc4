"""Where the values of a grid lie along an axis, and the borders of its cells."""

from __future__ import annotations

import numpy as np

from arboretum._types import Array, Indices, Numbers
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.plot._plane.sheet import ColumnAxis, axis_of


def side_of(grid: GridColumn) -> ColumnAxis:
    return axis_of(grid.column, grid.low, grid.high)


def order_of(grid: GridColumn) -> Indices:
    return np.argsort(grid.data.values, kind="stable")


def ends_of(grid: GridColumn, axis: ColumnAxis) -> tuple[float, float]:
    if grid.column.levels is not None:
        return -0.5, max(1, len(grid.column.levels)) - 0.5
    low, high = axis.places([grid.low, grid.high]).tolist()
    if low < high:
        return (low, high) if grid.cuts is not None else (low - (high - low) / 40, high + (high - low) / 40)
    return low - 0.5, high + 0.5


def edges_of(grid: GridColumn, axis: ColumnAxis) -> Numbers:
    """Return the borders of the cells: cuts, or the middles between values."""
    low, high = ends_of(grid, axis)
    if grid.column.levels is not None and grid.cuts is None:
        places = np.sort(grid.data.values.astype(np.float64))
    elif grid.cuts is not None:
        cuts = axis.places(grid.cuts)[: grid.size - 1]
        return np.concatenate([[low], np.clip(cuts, low, high), [high]])
    else:
        places = np.sort(axis.places(grid.data.values))
    middles = (places[1:] + places[:-1]) / 2
    return np.concatenate([[low], middles, [high]])


def few_of(values: Array, most: int) -> Array:
    """Return at most so many of the values, evenly chosen."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).astype(np.intp)]
