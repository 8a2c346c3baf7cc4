"""The first pass: where the values of numeric columns lie, from sketches that merge.

Sketches only choose where buckets begin and end. That decides how much work the search is, never the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from datasketches import kll_doubles_sketch

from arboretum import _core
from arboretum._data import Column, ColumnData, Dataset
from arboretum._grow.targets import Targets
from arboretum._tree.tree import core_dataset
from arboretum._types import Array
from arboretum.dask.part import Coding, Facts

Sketches = tuple[bytes | None, ...]  # of each column; None where levels are coded as they are

_PRECISION: Final = 4096  # of a sketch: its ranks are off by about 0.05 % of the rows
_RANKS_PER_CODE: Final = 4
_SKETCHED: Final = 20_000  # rows of the whole table, or more


def sketch_columns(rows: tuple[Dataset, Targets], step: int) -> Sketches:
    """Return a sketch of each numeric column, from every row so many."""
    return tuple(_sketch(data, step) for data in rows[0].columns)


def step_for(n_rows: int) -> int:
    """Return the step by which rows of such a table are sketched."""
    return max(1, n_rows // _SKETCHED)


def _sketch(data: ColumnData, step: int) -> bytes | None:
    if data.column.levels is not None:
        return None
    sketch = kll_doubles_sketch(_PRECISION)
    missing = None if data.missing is None else data.missing[::step]
    some = ColumnData(data.column, data.values[::step], missing)
    sketch.update(some.values[~some.is_missing()].astype(np.float64))
    return bytes(sketch.serialize())


def merge_sketches(several: Sequence[Sketches]) -> Sketches:
    """Return the sketches of all rows together."""
    return tuple(_merged(own) for own in zip(*several, strict=True))


def _merged(several: Sequence[bytes | None]) -> bytes | None:
    merged = kll_doubles_sketch(_PRECISION)
    for own in several:
        if own is None:
            return None
        merged.merge(kll_doubles_sketch.deserialize(own))
    return bytes(merged.serialize())


def choose_coding(
    form: _core.TargetForm, n_rows: int, empty: Dataset, sketches: Sketches
) -> tuple[Coding, int]:
    """Return how to code the columns of such a table, and the number of codes."""
    n_codes = form.n_codes(n_rows)
    edges = tuple(
        np.zeros(0, dtype=np.uint64)
        if sketch is None
        else _core.shared_edges(_sample(data, sketch, n_codes), n_codes)
        for data, sketch in zip(empty.columns, sketches, strict=True)
    )
    return Coding(form, edges), n_codes


def _sample(data: ColumnData, sketch: bytes, n_codes: int) -> Array:
    """Return sorted keys of values at even distances, in the type of the column."""
    known = kll_doubles_sketch.deserialize(sketch)
    if known.is_empty():
        return np.zeros(0, dtype=np.uint64)
    ranks = np.linspace(0.0, 1.0, _RANKS_PER_CODE * n_codes + 1)
    values = np.asarray(known.get_quantiles(ranks), dtype=np.float64)
    dtype = data.values.dtype
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        # Doubles next to the largest integer of 64 bits lie beyond it.
        values = np.clip(np.floor(values), float(limits.min), np.nextafter(float(limits.max), 0.0))
    column = ColumnData(Column("values", "number"), values.astype(dtype))
    return _core.keys_of(core_dataset(Dataset((column,), len(values), named=False)), 0, sort=True)


def shared_columns(empty: Dataset, coding: Coding, facts: Facts) -> _core.SharedColumns:
    """Return what the search knows of the columns."""
    seen, missing = levels_seen(facts), facts.missing.tolist()
    return _core.SharedColumns(
        core_dataset(empty), list(coding.edges), list(facts.singles), missing, list(seen)
    )


def levels_seen(facts: Facts) -> tuple[int, ...]:
    """Return how many levels of each column occur, counted up to three."""
    return tuple(min(3, int(np.count_nonzero(levels))) for levels in facts.levels)
