"""Tables with named, typed columns, read from data frames (without importing their libraries), arrays, lists.

Words: `Column` is what is remembered of a column, `ColumnData` its values, `Dataset` the table; the *kind* of
a column says what can be asked of it. Targets and weights are not here; nothing is guessed, and missing is a
fact, not a number.

    times, levels   whole units of time; levels as plain values
    column, data    Column; ColumnData and Dataset
    encoding, objects   an array or a list of cells becomes a column
    arrays, frames  a table becomes a source of columns
    chosen          columns that an option chooses, with their levels
    reading, matching   for fitting; for predicting with the columns of before
"""

from __future__ import annotations

from arboretum.dataset.arrays import is_plain_matrix
from arboretum.dataset.column import KINDS, Column, Kind
from arboretum.dataset.data import ColumnData, Dataset
from arboretum.dataset.matching import match_dataset
from arboretum.dataset.reading import read_dataset
from arboretum.dataset.unknown import Unknown, unknown_hook

__all__ = [
    "KINDS",
    "Column",
    "ColumnData",
    "Dataset",
    "Kind",
    "Unknown",
    "is_plain_matrix",
    "match_dataset",
    "read_dataset",
    "unknown_hook",
]
