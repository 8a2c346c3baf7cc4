"""Tables with named, typed columns, read from data frames, arrays or lists; targets, weights and classes.

times, levels, missing   whole units of time; levels as plain values; what is missing
column, dataset          Column: name and kind; ColumnData: its values; Dataset: the table
encoding, objects        an array or a list of cells becomes a column
arrays, tables           a table becomes a source of columns
reading, matching        for fitting; for predicting with the columns of before
targets, class_weights   what is learnt, and how much each class counts
other_tables             messages about tables that are given as another option than X
suspicions, text_values  columns and weights that are probably a mistake; text that is meant to be a number
changes                  how a table to predict differs from the fitted one
"""

from __future__ import annotations

from arboretum._data.arrays import is_plain_matrix
from arboretum._data.column import KINDS, Column, Kind
from arboretum._data.dataset import ColumnData, Dataset
from arboretum._data.matching import Unknown, match_dataset, unknown_hook
from arboretum._data.reading import read_dataset

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
