"""Partitions become parts of one table: read where they are, compared here, brought into the same columns.

What a partition holds decides nothing by itself: kinds must agree, levels and classes are those of all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from arboretum import _core
from arboretum._data import Column, ColumnData, Dataset, read_dataset
from arboretum._data.class_weights import ClassFactors
from arboretum._data.fingerprint import TrainingData, joint_fingerprint
from arboretum._data.levels import level_key, sort_levels
from arboretum._data.matching import relevel
from arboretum._data.targets import (
    MOST_CLASSES,
    as_array,
    match_classes,
    read_classes,
    read_numbers,
    read_weights,
)
from arboretum._grow.targets import Targets, class_targets, numbers_of_part, refuse_targets, refuse_zeros
from arboretum._grow.training_rows import TrainingRows, refuse_missing, rows_all_incomplete
from arboretum._options.settings import Settings
from arboretum._types import Array, Codes, Mask, Numbers
from arboretum.errors import ArboretumError, DataError, listing

_MOST_ROWS: Final = 2**32 - 1
_FARTHEST: Final = 26  # bits between weights; beyond that, sums in memory depend on an order of all rows
_SUM_BITS: Final = 49  # bits of a sum of weights, less those for the steps of the lightest


@dataclass(frozen=True, eq=False)
class RawPart:
    """A partition as it is: typed columns, targets, weights."""

    number: int
    data: Dataset
    targets: Array  # numbers; or those of classes in this partition
    weights: Numbers | None
    n_dropped: int = 0
    classes: Array | None = None  # of the partition, sorted

    def class_numbers(self, known: Array, owner: str) -> Codes:
        """Return the number of each row's class among those of all partitions."""
        assert self.classes is not None
        numbers: Codes = match_classes(self.classes, len(self.classes), known, owner)[self.targets]
        return numbers

    def only(self, kept: Mask) -> RawPart:
        """Return only these rows; nothing is copied if that is all of them."""
        if kept.all():
            return self
        weights = None if self.weights is None else self.weights[kept]
        return replace(self, data=self.data.take(kept), targets=self.targets[kept], weights=weights)


@dataclass(frozen=True, eq=False)
class Description:
    """What must be known of a partition to make one table of all; only rows to learn from are counted."""

    number: int
    n_rows: int
    n_dropped: int
    is_empty: bool
    is_weighted: bool  # whether a row counts anything but 1
    named: bool
    columns: tuple[Column, ...]
    dtypes: tuple[np.dtype[Any], ...]
    missing: tuple[int, ...]
    all_missing: tuple[bool, ...]
    classes: Array | None
    any_above: bool  # numbers: whether one of them is not zero


def read_part(
    X: Any, y: Any, weights: Any, number: int, settings: Settings, owner: str
) -> RawPart | DataError:
    """Read a partition; what is wrong with it is said with its number.

    It is said by an answer: errors that are raised on workers are printed there at length.
    """
    if hasattr(X, "__len__") and len(X) == 0:
        return RawPart(
            number, Dataset((), 0, named=False), np.zeros(0), None if weights is None else np.zeros(0)
        )
    try:
        data = read_dataset(X, settings.categorical_features, settings.ordered_features)
        if settings.missing == "error":
            for column in data.columns:
                refuse_missing(column, column.column.name)
        targets: Array
        classes = None
        if settings.of_classes:
            classes, targets = read_classes(y, data.n_rows, owner)
        else:
            targets = read_numbers(y, data.n_rows, owner)
        given = None if weights is None else weights_in_part(weights, data.n_rows)
        part = RawPart(number, data, targets, given, classes=classes)
        if not settings.of_classes:
            refuse_targets(chosen_rows(part, settings.missing).targets, settings.criterion)
        return part
    except ArboretumError as error:
        return DataError(f"Partition {number}: {error}")


def weights_in_part(weights: Any, n_rows: int) -> Numbers:
    """Return the weights of a partition, all of which may be zero."""
    given = as_array(weights, "sample_weight")
    if given.dtype.kind in "biuf" and given.shape == (n_rows,) and not given.any():
        return np.zeros(n_rows)
    read = read_weights(weights, n_rows)
    return np.ones(n_rows) if read is None else read


def chosen_rows(part: RawPart, missing: str) -> RawPart:
    """Return the rows to learn from: those with a weight, and incomplete ones if the policy admits them."""
    if part.weights is not None:
        part = part.only(part.weights > 0)
    if missing != "drop":
        return part
    incomplete = part.data.incomplete_rows()
    return replace(part.only(~incomplete), n_dropped=int(incomplete.sum()))


def describe(part: RawPart | DataError, missing: str) -> Description | DataError:
    """Return what must be known of a partition. Rows left out have a say in levels and classes."""
    if isinstance(part, DataError):
        return part
    columns, chosen = part.data.columns, chosen_rows(part, missing)
    of_all = tuple(part.data.missing_counts().values())
    return Description(
        part.number,
        chosen.data.n_rows,
        chosen.n_dropped,
        part.data.n_rows == 0,
        part.weights is not None and bool((part.weights != 1).any()),
        part.data.named,
        part.data.schema,
        tuple(data.values.dtype for data in columns),
        of_all if chosen.data is part.data else tuple(chosen.data.missing_counts().values()),
        tuple(count == part.data.n_rows for count in of_all),
        part.classes,
        bool(chosen.targets.any()),
    )


@dataclass(frozen=True, eq=False)
class Agreement:
    """The columns and classes of all partitions together."""

    empty: Dataset
    n_rows: int
    n_dropped: int  # for missing values
    classes: Array | None
    missing: tuple[int, ...]


def refuse_unread(several: Sequence[Description | DataError]) -> list[Description]:
    """Raise what is wrong with the first partition that could not be read."""
    for part in several:
        if isinstance(part, DataError):
            raise part
    return [part for part in several if isinstance(part, Description)]


def agree(several: Sequence[Description], settings: Settings) -> Agreement:
    """Return what holds for all partitions; refuse those that differ in more than their levels."""
    filled = [part for part in several if not part.is_empty]
    if not filled:
        raise DataError("All partitions are empty: there is no row to learn from.")
    n_rows, n_dropped = (sum(getattr(part, name) for part in filled) for name in ("n_rows", "n_dropped"))
    if n_rows == 0 and n_dropped > 0:
        raise rows_all_incomplete(n_dropped)
    if n_rows == 0:
        raise DataError("sample_weight is zero in every row, so there is nothing to learn from.")
    if n_rows > _MOST_ROWS:
        raise DataError(
            f"The partitions hold {n_rows:,} rows, more than the {_MOST_ROWS:,} that a tree can count."
        )
    first = filled[0]
    columns = []
    for part in filled[1:]:
        if [column.name for column in part.columns] != [column.name for column in first.columns]:
            raise DataError(
                f"Partition {part.number} has the columns {listing([c.name for c in part.columns], 10)}, but "
                f"partition {first.number} has {listing([c.name for c in first.columns], 10)}.\n"
                "Hint: give all partitions the same columns, in the same order."
            )
    for place in range(len(first.columns)):
        columns.append(
            _joint_column([part for part in filled if not part.all_missing[place]] or [first], place)
        )
    refuse_zeros(settings.criterion, any_above=any(part.any_above for part in filled))
    classes = None
    if settings.of_classes:
        classes = np.unique(np.concatenate([part.classes for part in filled if part.classes is not None]))
        if len(classes) > MOST_CLASSES:
            raise DataError(
                f"The target has {len(classes):,} different values, more than the {MOST_CLASSES:,} classes "
                "that a tree can tell apart.\nHint: if it is a number, use TreeRegressor."
            )
    missing = tuple(int(sum(counts)) for counts in zip(*(part.missing for part in filled), strict=True))
    table = Dataset(tuple(columns), 0, first.named)
    return Agreement(table, n_rows, n_dropped, classes, missing)


def _joint_column(parts: Sequence[Description], place: int) -> ColumnData:
    """Return the column of several partitions, without rows."""
    first = parts[0]
    column, dtype = first.columns[place], first.dtypes[place]
    for part in parts[1:]:
        other = part.columns[place]
        if _likeness(other) != _likeness(column) or part.dtypes[place] != dtype:
            raise DataError(
                f"Column {column.name!r} is {_kind(column, dtype)} in partition {first.number}, but "
                f"{_kind(other, part.dtypes[place])} in partition {part.number}.\n"
                "Hint: give the column the same type in all partitions, for instance with X.astype(…)."
            )
    if column.levels is None or all(part.columns[place].levels == column.levels for part in parts):
        return ColumnData(column, np.zeros(0, dtype=dtype))
    if column.kind == "ordered":
        raise DataError(
            f"Column {column.name!r} is ordered, but its partitions declare different levels.\n"
            f"Hint: list its levels, the lowest first: ordered_features={{{column.name!r}: […]}}."
        )
    levels = {level_key(level): level for part in parts for level in part.columns[place].levels or ()}
    joint = replace(column, levels=tuple(sort_levels(levels.values())))
    return ColumnData(joint, np.zeros(0, dtype=dtype))


def _likeness(column: Column) -> tuple[object, ...]:
    """Return all of a column but its levels."""
    return column.kind, column.unit, column.timezone, column.offset


def _kind(column: Column, dtype: np.dtype[Any]) -> str:
    return f"of kind {column.kind!r} ({dtype})"


def match_part(
    part: RawPart, agreement: Agreement, factors: ClassFactors | None, owner: str
) -> tuple[Dataset, Targets]:
    """Return the partition in the columns and classes of all; its targets have the weights that decide."""
    columns = (
        tuple(
            _matched(data, common)
            for data, common in zip(part.data.columns, agreement.empty.columns, strict=True)
        )
        if part.data.columns
        else agreement.empty.columns
    )
    data = Dataset(columns, part.data.n_rows, agreement.empty.named)
    if data.n_rows == 0:
        return agreement.empty, _no_targets(agreement, part.weights is not None)
    if agreement.classes is None:
        rows = TrainingRows(data, part.targets, part.weights)
        return data, numbers_of_part(rows)
    assert factors is not None
    numbers = part.class_numbers(agreement.classes, owner)
    return data, class_targets(TrainingRows(data, numbers, part.weights), len(agreement.classes), factors)


def _no_targets(agreement: Agreement, weighted: bool) -> Targets:
    weights = np.zeros(0) if weighted else None
    if agreement.classes is None:
        return Targets(0, numbers=np.zeros(0), weights=weights)
    return Targets(0, classes=np.zeros(0, dtype=np.int32), n_classes=len(agreement.classes), weights=weights)


def _matched(data: ColumnData, common: ColumnData) -> ColumnData:
    column = common.column
    if column.levels is not None and data.column.levels is not None:
        return relevel(data, column)
    if data.column.kind == column.kind and data.values.dtype == common.values.dtype:
        return ColumnData(column, data.values, data.missing)
    n_rows = len(data.values)  # nothing is known of the column here
    return ColumnData(column, np.zeros(n_rows, dtype=common.values.dtype), np.ones(n_rows, dtype=np.bool_))


def weights_of(rows: tuple[Dataset, Targets]) -> tuple[bool, bool]:
    """Return whether rows have weights that decide, and others that are reported."""
    return rows[1].weights is not None, rows[1].case_weights is not None


def with_weights(rows: tuple[Dataset, Targets], deciding: bool, reported: bool) -> tuple[Dataset, Targets]:
    """Return the rows with a weight each, if those of any partition have one."""
    data, targets = rows
    weights, case_weights = targets.weights, targets.case_weights
    if deciding and weights is None:
        weights = np.ones(data.n_rows)
    if reported and case_weights is None:
        case_weights = weights
    return data, replace(targets, weights=weights, case_weights=case_weights)


def class_sums(part: RawPart, classes: Array, owner: str) -> Array:
    """Return the weight of each class as the sum of two numbers: what the first has lost by rounding, too."""
    if part.data.n_rows == 0:
        return np.zeros((len(classes), 2))
    numbers = part.class_numbers(classes, owner)
    found = np.zeros((len(classes), 2))
    if part.weights is None:
        found[:, 0] = np.bincount(numbers, minlength=len(classes))
        return found
    for number in range(len(classes)):
        own = part.weights[numbers == number].tolist()
        high = math.fsum(own)
        found[number] = high, math.fsum([*own, -high])
    return found


def add_class_sums(several: Sequence[Array]) -> Array:
    """Return the sums of several partitions."""
    terms = np.concatenate(list(several), axis=1)
    high = [math.fsum(own) for own in terms.tolist()]
    low = [math.fsum([*own, -first]) for own, first in zip(terms.tolist(), high, strict=True)]
    return np.array([high, low]).T


def weight_spans(rows: tuple[Dataset, Targets]) -> Array:
    """Return the lightest and the heaviest row, by the weights that decide and by those that are reported."""
    given = [own for own in (rows[1].weights, rows[1].case_weights) if own is not None and len(own)]
    return np.array([(own.min(), own.max()) for own in given]).reshape(-1, 2)


def refuse_far_apart(spans: Sequence[Array], n_rows: int) -> None:
    """Refuse weights so far apart that their sums would depend on how the rows are divided."""
    known = [own for own in spans if len(own)]
    if not known:
        return
    # Steps of the core's sums: the lightest row has at least 1024 of them.
    limit = 2.0 ** min(_FARTHEST, _SUM_BITS - n_rows.bit_length())
    lightest, heaviest = (pick(known) for pick in (_lightest, _heaviest))
    for light, heavy in zip(lightest.tolist(), heaviest.tolist(), strict=True):
        if heavy > light * limit:
            raise DataError(
                f"The weights lie between {light:g} and {heavy:g}, but in {n_rows:,} rows of partitions "
                f"the heaviest may weigh at most {limit:,.0f} times as much as the lightest.\n"
                "Hint: leave the lightest rows out with the weight 0, or bring the weights closer together."
            )


def _lightest(spans: Sequence[Array]) -> Array:
    found: Array = np.minimum.reduce([own[:, 0] for own in spans])
    return found


def _heaviest(spans: Sequence[Array]) -> Array:
    found: Array = np.maximum.reduce([own[:, 1] for own in spans])
    return found


Prints = tuple[
    Array, ...
]  # how far the fingerprint of each column, of the targets and of the weights has got


def add_fingerprints(states: Prints | None, part: RawPart, agreement: Agreement, weighted: bool) -> Prints:
    """Return the states of the fingerprints after these rows; parts come in their order."""
    columns = (
        [_matched(*pair) for pair in zip(part.data.columns, agreement.empty.columns, strict=True)]
        if part.data.n_rows
        else []
    )
    targets = part.targets
    if agreement.classes is not None and part.data.n_rows:
        targets = part.class_numbers(agreement.classes, "this tree")
    n = len(agreement.empty.columns)
    states = states or tuple(_core.fingerprint_begin() for _ in range(n + 2))
    if part.data.n_rows == 0:
        return states
    found = [
        _core.fingerprint_add(state, data.values, data.missing)
        for state, data in zip(states, columns, strict=False)
    ]
    found.append(_core.fingerprint_add(states[n], np.ascontiguousarray(targets)))
    weights = np.ones(part.data.n_rows) if part.weights is None else part.weights
    found.append(_core.fingerprint_add(states[n + 1], weights) if weighted else states[n + 1])
    return tuple(found)


def training_data_of(
    agreement: Agreement, levels: Sequence[Array], states: Prints, *, weighted: bool
) -> TrainingData:
    """Return what a model keeps of its rows, as if they lay in one place; `levels` are those that occur."""
    schema = agreement.empty.schema
    *columns, targets, weights = [_core.fingerprint_end(state) for state in states]
    return TrainingData(
        agreement.n_rows,
        len(schema),
        joint_fingerprint(schema, columns, [targets, weights if weighted else 0]),
        missing=agreement.missing,
        levels=tuple(
            None if column.levels is None else int(np.count_nonzero(own))
            for column, own in zip(schema, levels, strict=True)
        ),
        suspicions=None,
    )
