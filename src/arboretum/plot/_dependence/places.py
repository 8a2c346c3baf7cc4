"""Where the values of a grid lie along an axis, and the borders of its cells."""

from __future__ import annotations

import numpy as np

from arboretum._types import Array, Indices, Numbers
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.inspection.dependence.partial_dependence import evenly
from arboretum.plot._plane.sheet import ColumnAxis, axis_of


def side_of(grid: GridColumn) -> ColumnAxis:
    """Return the axis that shows the column of a grid."""
    return axis_of(grid.column, grid.low, grid.high)


def order_of(grid: GridColumn) -> Indices:
    """Return where along the axis each cell comes from; -1 for levels that are not in the grid."""
    if grid.column.levels is None:
        return np.argsort(grid.data.values, kind="stable")
    order = np.full(max(1, len(grid.column.levels)), -1, dtype=np.intp)
    order[grid.data.values] = np.arange(grid.size)
    return order


def ends_of(grid: GridColumn, axis: ColumnAxis) -> tuple[float, float]:
    """Return the ends of the axis."""
    if grid.column.levels is not None:
        return -0.5, max(1, len(grid.column.levels)) - 0.5
    low, high = axis.places([grid.low, grid.high]).tolist()
    if low < high:
        return (low, high) if grid.cuts is not None else (low - (high - low) / 40, high + (high - low) / 40)
    return low - 0.5, high + 0.5


def edges_of(grid: GridColumn, axis: ColumnAxis) -> Numbers:
    """Return the borders of the cells along the axis."""
    low, high = ends_of(grid, axis)
    if grid.column.levels is not None:
        return np.arange(low, high + 1.0)
    edges = axis.places(grid.edges())
    edges[0], edges[-1] = low, high
    return edges


def few_of(values: Array, most: int) -> Array:
    """Return at most so many of the values, evenly chosen."""
    return values[evenly(len(values), most)]
