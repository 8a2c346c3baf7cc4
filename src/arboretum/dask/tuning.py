"""Tuning data in partitions: rows that a pruner decides with, read in the columns and classes of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._data import Column, Dataset, match_dataset
from arboretum._data.targets import match_classes, read_numbers
from arboretum._grow.growth import tuning_targets
from arboretum._grow.targets import Targets
from arboretum._grow.training_rows import refuse_missing
from arboretum._tree.leaves import LeafRule
from arboretum._types import Array
from arboretum.dask.partitions import naming_partitions
from arboretum.dask.reading import weights_in_part
from arboretum.dask.runner import Handle, Runner
from arboretum.errors import ArboretumError, DataError

_NAMES = "The tuning data (X_val, y_val, sample_weight_val)"
Parts = dict[str, list[Handle] | None]


@dataclass(frozen=True, eq=False)
class TuningForm:
    """What is known of the training table, by which tuning data are read."""

    columns: tuple[Column, ...]
    named: bool
    classes: Array | None
    rule: LeafRule | None
    criterion: str
    refuses_missing: bool
    owner: str


@dataclass(frozen=True, eq=False)
class TuningPart:
    """The rows of one partition that have a weight."""

    data: Dataset
    targets: Targets


@dataclass(frozen=True, eq=False)
class PartedTuning:
    """The partitions of the tuning data that have rows, and how many rows they are."""

    parts: Sequence[Handle]
    n_rows: int


def read_tuning(X: Any, y: Any, weights: Any, number: int, form: TuningForm) -> TuningPart | DataError | None:
    """Read a partition; None if it is empty. What is wrong with it is said with its number, by an answer."""
    if hasattr(X, "__len__") and len(X) == 0:
        return None
    check = refuse_missing if form.refuses_missing else None
    try:
        data = match_dataset(X, form.columns, named=form.named, owner=form.owner, check=check)
        if form.classes is None:
            known: Array = read_numbers(y, data.n_rows, form.owner)
        else:
            known = match_classes(y, data.n_rows, form.classes, form.owner)
        given = None if weights is None else weights_in_part(weights, data.n_rows)
        targets = tuning_targets(known, given, form.criterion, form.rule)
    except ArboretumError as error:
        return DataError(f"{_NAMES}: Partition {number}: {error}")
    if targets.weights is None or targets.weights.all():
        return TuningPart(data, targets)
    counting = np.flatnonzero(targets.weights)
    return TuningPart(data.take(counting), targets.take(counting))


def size_of(part: TuningPart | DataError | None) -> int | DataError:
    """Return the number of rows, or what is wrong with them."""
    return part if isinstance(part, DataError) else 0 if part is None else part.targets.n_rows


def tuning_of(runner: Runner, parts: Parts, form: TuningForm) -> PartedTuning:
    """Return the tuning data of all partitions."""
    tables, targets, weights = (parts[name] for name in ("X_val", "y_val", "sample_weight_val"))
    assert tables is not None
    assert targets is not None
    given = (tables, targets, weights or [None] * len(tables), range(len(tables)))
    read = runner.each(read_tuning, *given, common=(form,))
    with naming_partitions(parts):
        sizes = runner.values(runner.each(size_of, read))
    for size in sizes:
        if isinstance(size, DataError):
            raise size
    if not sum(sizes):
        raise DataError(f"{_NAMES}: There is no row with a weight, so that nothing can be decided by them.")
    return PartedTuning([part for part, size in zip(read, sizes, strict=True) if size], sum(sizes))
