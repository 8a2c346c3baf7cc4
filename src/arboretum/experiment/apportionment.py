"""How many rows each part gets: shares made into whole numbers, exact to a row.

Words: a *share* is a part's fraction of the rows; a *stratum* is a set of rows, such as a class, that every
part is to have its share of; a *cell* is the number of rows that one stratum gives to one part.
Which rows these are is decided in splits.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["part_sizes", "stratum_cells"]

Counts = npt.NDArray[np.int64]


def part_sizes(n_rows: int, shares: Sequence[float]) -> Counts:
    """Return the number of rows of each part: all within one row of the share, largest remainders first.

    >>> part_sizes(150, (0.7, 0.1, 0.2)).tolist()
    [105, 15, 30]
    >>> part_sizes(14, (0.7, 0.1, 0.2)).tolist()
    [10, 1, 3]
    """
    exact = _exact(np.array([n_rows]), shares)[0]
    sizes: Counts = np.floor(exact).astype(np.int64)
    largest_remainders = np.argsort(sizes - exact, kind="stable")
    sizes[largest_remainders[: n_rows - sizes.sum()]] += 1
    return sizes


def stratum_cells(stratum_sizes: Counts, shares: Sequence[float]) -> Counts:
    """Return cells[stratum, part]: strata and parts both have the rows they must, cells within one row.

    Every cell gets its share rounded down. The rows left over are dealt stratum by stratum to the parts that
    still lack most, no part twice: a table with such margins exists, and this order finds it (Gale, Ryser).

    >>> stratum_cells(np.array([50, 50, 1]), (0.7, 0.1, 0.2)).tolist()
    [[35, 5, 10], [35, 5, 10], [1, 0, 0]]
    """
    exact = _exact(stratum_sizes, shares)
    cells = np.floor(exact).astype(np.int64)
    lacking = part_sizes(int(stratum_sizes.sum()), shares) - cells.sum(axis=0)
    left_over = stratum_sizes - cells.sum(axis=1)
    for stratum in np.flatnonzero(left_over).tolist():
        remainder = exact[stratum] - cells[stratum]
        parts = np.lexsort((-remainder, -lacking))[: left_over[stratum]]
        cells[stratum, parts] += 1
        lacking[parts] -= 1
    return _none_empty(cells)


def _exact(sizes: Counts, shares: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return sizes × shares; rounded, so that 0.7 of 30 rows are 21 and not 20.999…"""
    exact: npt.NDArray[np.float64] = np.round(np.outer(sizes, shares), 9)
    return exact


def _none_empty(cells: Counts) -> Counts:
    """Give a part without rows one from the largest cell of the largest part; there are rows enough."""
    while (cells.sum(axis=0) == 0).any():
        poor, rich = int(np.argmin(cells.sum(axis=0))), int(np.argmax(cells.sum(axis=0)))
        stratum = int(np.argmax(cells[:, rich]))
        cells[stratum, rich] -= 1
        cells[stratum, poor] += 1
    return cells
