"""What each column does, for the page: the mean prediction by its values, from the weights of the tree."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from arboretum._data import Dataset
from arboretum._show.page.nodes import PageClasses, plain
from arboretum._show.words import bar_names, level_names
from arboretum._tree.digits import short_value
from arboretum._tree.tree import Tree
from arboretum._types import Numbers
from arboretum.inspection.dependence.cuts import cuts_of
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.inspection.dependence.partial_dependence import partial_dependence

_MOST_COLUMNS: Final = 60
_MOST_CELLS: Final = 400  # of a column; a panel is no wider
_MOST_NUMBERS: Final = 30_000  # in all


def dependence_lists(
    tree: Tree, classes: PageClasses | None, step: int, rows: Dataset | None
) -> dict[str, Any]:
    """Return the dependence on each column that the tree asks about, by the number of the column.

    `step` is the step of the pruning path whose tree this is. The rows only say how far numbers and times
    reach. Columns with very many cuts are left out.
    """
    columns: dict[str, Any] = {}
    room = _MOST_NUMBERS
    for place in _by_importance(tree):
        if _n_cells(tree, place) > _MOST_CELLS:
            continue
        found = partial_dependence(tree, place, kind="tree")
        (grid,) = found.axes
        values = found.values.T if classes is None else classes.merge(found.values.T)
        room -= values.size
        if room < 0 or len(columns) == _MOST_COLUMNS:
            break
        if grid.size > 1:
            columns[str(place)] = _column(
                grid if rows is None else grid.reaching(rows.columns[place]), values
            )
    return {"step": step, "columns": columns}


def _n_cells(tree: Tree, place: int) -> int:
    levels = tree.columns[place].levels
    return len(cuts_of(tree, place)) + 1 if levels is None else len(levels)


def _by_importance(tree: Tree) -> list[int]:
    """Return the columns that the tree asks about, those with most improvement first."""
    sums = np.zeros(len(tree.columns))
    inner = tree.array("n_children") > 0
    np.add.at(sums, tree.array("column")[inner], tree.array("improvement")[inner])
    return sorted(tree._asked, key=lambda place: (-sums[place], place))


def _column(grid: GridColumn, values: Numbers) -> dict[str, Any]:
    shown = [[float(f"{value:.5g}") for value in cell] for cell in values.tolist()]
    if grid.column.levels is not None:
        return {"levels": bar_names(level_names(grid.column)), "edges": None, "ends": None, "values": shown}
    edges = grid.edges()
    write = grid.column.format
    whole = grid.column.kind != "number"
    ends = [short_value(write(int(end) if whole else end)) for end in (float(edges[0]), float(edges[-1]))]
    return {"levels": None, "edges": plain(edges), "ends": ends, "values": shown}
