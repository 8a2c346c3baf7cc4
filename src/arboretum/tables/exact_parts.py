"""The rows of a chunk in parts, so that no integer is rounded because a fraction stands beside it.

Words: a *part* is some rows of a chunk, in which every column is of one type. An integer is *large* if a
double may not hold it. Arrow columns hold integers or fractions, not both: only where large integers stand
beside fractions, or beside integers of the other sign, is there more than one part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from arboretum.dataset import Column
from arboretum.tables.arrow_values import is_text
from arboretum.tables.kinds import Choices
from arboretum.tables.matching import match_chunk, match_target
from arboretum.tables.numbers import SPACES
from arboretum.tables.table import Chunk

__all__ = ["Part", "in_order", "match_parts", "match_truths"]

_INTEGER: Final = re.compile(r"([+-]?)0*([0-9]+)")
_EXACT: Final = 2**53
_MOST_DIGITS: Final = 20  # of integers of 64 bits; longer ones are rounded in any chunk
_REST, _POSITIVE, _NEGATIVE = range(3)


Rows = np.ndarray[Any, np.dtype[np.intp]]


@dataclass(frozen=True)
class Part:
    """Some rows of a chunk, and the columns that the model remembers, in the kinds they had."""

    rows: Rows
    X: Any


def match_parts(chunk: Chunk, schema: Sequence[Column], said: Choices, label: str) -> list[Part]:
    """Return the rows of a chunk in parts in which every number is what its cell says."""
    matched = match_chunk(chunk, schema, said, label)
    rounded = [
        chunk.columns.column(column.name)
        for column in schema
        if _holds_integers(column) and _is_rounded(chunk.columns.column(column.name), matched[column.name])
    ]
    if not rounded:
        return [Part(np.arange(len(chunk)), matched)]
    return [
        Part(rows, match_chunk(replace(chunk, columns=chunk.columns.take(rows)), schema, said, label))
        for rows in _divide(rounded)
    ]


def match_truths(
    chunk: Chunk, name: str, classes: Sequence[Any] | None, said: Choices, label: str
) -> list[Any]:
    """Return the target of each row, as match_target() does, and large integers to the last digit."""
    import pyarrow as pa

    found = match_target(chunk, name, classes, said, label)
    cells = chunk.columns.column(name)
    whole = classes is not None and _holds_integers(Column(name, "nominal", levels=tuple(classes)))
    if not (whole and is_text(cells) and any(isinstance(value, float) for value in found)):
        return found
    if _is_rounded(cells, pa.array(found, pa.float64())):
        for rows in _divide([cells]):
            some = replace(chunk, columns=chunk.columns.take(rows))
            part = match_target(some, name, classes, said, label)
            for row, value in zip(rows.tolist(), part, strict=True):
                found[row] = value
    return found


def in_order(parts: Sequence[Part], answers: Sequence[Any]) -> Any:
    """Return the answers to the parts in the order that the rows have in their chunk."""
    if len(parts) == 1:
        return answers[0]
    return np.concatenate(answers)[np.argsort(np.concatenate([part.rows for part in parts]))]


def _is_rounded(cells: Any, numbers: Any) -> bool:
    """Tell whether cells of text became floats, some of them too large for that."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (is_text(cells) and pa.types.is_floating(numbers.type)):
        return False
    return bool(pc.any(pc.greater_equal(pc.abs(numbers), float(_EXACT)), min_count=0).as_py())


def _divide(rounded: Sequence[Any]) -> list[Rows]:
    """Return the rows of each part: in one, the cells of a column are large of one sign, or none is large."""
    kinds = np.array([[_kind_of(cell) for cell in cells.to_pylist()] for cells in rounded], dtype=np.int8)
    _, numbers = np.unique(kinds.T, axis=0, return_inverse=True)
    return [np.flatnonzero(numbers.reshape(-1) == number) for number in range(int(numbers.max()) + 1)]


def _holds_integers(column: Column) -> bool:
    if column.levels is None:
        return column.kind == "integer"
    return all(isinstance(level, int) and not isinstance(level, bool) for level in column.levels)


def _kind_of(cell: str | None) -> int:
    found = _INTEGER.fullmatch(cell.strip(SPACES)) if cell else None
    if found is None or len(found[2]) > _MOST_DIGITS:
        return _REST
    number = int(found[1] + found[2])
    if -(2**63) <= number < -_EXACT:
        return _NEGATIVE
    return _POSITIVE if _EXACT < number < 2**64 else _REST
