"""Accumulated local effects: what small steps in a column do, added up.

Partial dependence gives every row every value of a column, also values that never go with its others.
Accumulated effects (Apley and Zhu 2020) move each row only to the ends of the interval that it lies in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._options.rules import Whole
from arboretum._tree.digits import DIGITS, computed_text
from arboretum._types import Array, Indices, Numbers
from arboretum._wording import many, shown_names, visible
from arboretum.errors import DataError, ParameterError, import_pandas
from arboretum.experiment.results import aligned
from arboretum.inspection.dependence.grids import GridColumn
from arboretum.inspection.dependence.partial_dependence import find_columns
from arboretum.inspection.dependence.subjects import Subject, open_subject
from arboretum.inspection.dependence.targets import target_column, target_names

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = 50


@dataclass(frozen=True, eq=False)
class AccumulatedEffects:
    """Accumulated effects of one column: `print` shows them, `to_frame()` returns a data frame.

    `grid` has the ends of the intervals, or the levels. `values` has a row per target, one for each of
    `classes` or one in all for numbers, and says how far the prediction is from its mean. `weights` has the
    weight of the rows between each value of the grid and the next.

    Attributes
    ----------
    column : the name of the column
    weights : how many rows lie at each step, in weight
    classes : the classes, or None for numbers
    axis : the grid, with what it needs to be drawn
    rows : what the table has in the column
    """

    column: str
    values: Numbers
    weights: Numbers
    classes: tuple[Any, ...] | None
    axis: GridColumn = field(repr=False)
    rows: tuple[ColumnData, ...] = field(repr=False)  # what X has in the column

    @property
    def grid(self) -> Array:
        """The ends of the intervals, or the levels."""
        return self.axis.values

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with a row for each value of the grid, and each class."""
        pandas = import_pandas("to_frame()")
        targets, places = (place.ravel() for place in np.indices(self.values.shape))
        columns: dict[str, Any] = {self.column: self.grid[places]}
        if (told := target_column(self.classes, len(self.values))) is not None:
            columns[told[0]] = [told[1][number] for number in targets.tolist()]
        columns["effect"] = self.values.ravel()
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return the table as text.

        Values of columns have so many `digits`, and more where two would look the same; predictions have four
        at most, unless more than six are asked for. None shows all.
        """
        Whole(1, or_none=True).read(digits, "digits")
        table = [[*shown_names([self.column]), *target_names(self.classes, len(self.values), "effect")]]
        for text, found in zip(self.axis.texts(digits)[:_SHOWN], self.values.T.tolist(), strict=False):
            table.append([visible(text), *(computed_text(value, digits) for value in found)])
        more = self.axis.size - _SHOWN
        lines = [f"accumulated effects of {visible(self.column)}", aligned(table, {0})]
        return "\n".join([*lines, *([f"… and {many(more, 'more value')}"] if more > 0 else [])])

    __repr__ = __str__


def accumulated_effects(
    model: Any, column: Any, X: Any, *, intervals: int = 40, sample_weight: Any = None
) -> AccumulatedEffects:
    """Return the accumulated local effects of a column: what its steps change, for the rows near each step.

    The rows are divided into intervals of about as many rows each. In each, the model predicts its rows with
    the column at the upper end and at the lower one; the mean difference is the effect of the interval.
    Effects are added up from the lowest on, and their mean over the rows is set to 0. Rows whose value is
    missing are left out. Of an ordered column, each step from a level to the next is tried on the rows of
    both.

    >>> from arboretum import TreeRegressor, datasets
    >>> X, _ = datasets.load_iris()
    >>> model = TreeRegressor(max_leaf_nodes=4, prune=None).fit(X.iloc[:, 1:], X["sepal_length"])
    >>> print(accumulated_effects(model, "petal_length", X, intervals=4))
    accumulated effects of petal_length
    petal_length   effect
    1             -0.8711
    1.6           -0.8711
    4.3            0.3647
    5.1            0.3647
    6.9             1.472

    Parameters
    ----------
    model : a fitted estimator or a Tree; any other model that has `predict_proba` or `predict`
    column : a column of numbers, dates, durations or ordered levels, by name or position
    X : rows
    intervals : the largest number of intervals; fewer if many rows have the same value
    sample_weight : how much each row of X counts
    """
    Whole(1).read(intervals, "intervals")
    subject = open_subject(model, X, "auto" if X is not None else "exact", sample_weight, _ASKER)
    (place,) = find_columns(subject.names, column, most=1)
    rows = subject.rows_of(place)
    assert rows is not None
    known = np.flatnonzero(~rows.is_missing())
    if len(known) == 0:
        raise DataError(f"Column {subject.names[place]!r} is missing in every row, so no step can be tried.")
    weights = np.ones(len(rows.values)) if subject.weights is None else subject.weights
    if not weights[known].any():
        raise DataError(
            f"All rows that have a value in column {subject.names[place]!r} have the weight zero."
        )
    if rows.column.levels is None:
        axis, values, there = _of_intervals(subject, place, rows, known, weights, intervals)
    else:
        axis, values, there = _of_levels(subject, place, rows, known, weights)
    classes = subject.classes if subject.classes else None
    return AccumulatedEffects(subject.names[place], values, there, classes, axis, (rows,))


_ASKER: Final = "accumulated_effects()"
Found = tuple[GridColumn, Numbers, Numbers]


def _of_intervals(
    subject: Subject, place: int, rows: ColumnData, known: Indices, weights: Numbers, n_intervals: int
) -> Found:
    held = rows.values[known]
    if held.dtype.kind == "f" and not np.isfinite(held).all():
        raise DataError(
            f"Column {subject.names[place]!r} holds infinite values, between which there are no steps."
        )
    ranked = np.sort(held)
    n_rows = len(ranked)
    # Ends are values that rows have: no row is moved beyond its neighbours.
    ends = np.unique(ranked[[0, *(-(-n_rows * k // n_intervals) - 1 for k in range(1, n_intervals + 1))]])
    axis = GridColumn(ColumnData(rows.column, ends), None, float(ends[0]), float(ends[-1]))
    if len(ends) == 1:
        n_targets = len(subject.changed(place, rows))
        return axis, np.zeros((n_targets, 1)), np.empty(0)
    # Row in interval k: above its lower end, at most its upper one; the lowest value belongs to the first.
    interval = np.maximum(np.searchsorted(ends, held, side="left"), 1) - 1
    upper, lower = (_moved(subject, place, rows, known, ends[interval + step]) for step in (1, 0))
    step, there = _mean_by(interval, upper - lower, weights[known], len(ends) - 1)
    values = np.concatenate([np.zeros((len(step), 1)), np.cumsum(step, axis=1)], axis=1)
    middle = (values[:, 1:] + values[:, :-1]) / 2
    return axis, values - np.average(middle, axis=1, weights=there)[:, None], there


def _of_levels(subject: Subject, place: int, rows: ColumnData, known: Indices, weights: Numbers) -> Found:
    levels = rows.column.levels or ()
    if rows.column.kind == "nominal" and len(levels) > 2:
        raise ParameterError(
            f"Column {subject.names[place]!r} is nominal: its levels have no order in which steps could be "
            "added up.\nHint: use partial_dependence(), or fit anew with ordered_features=…."
        )
    axis = GridColumn(ColumnData(rows.column, np.arange(len(levels), dtype=np.int32)))
    held = rows.values[known].astype(np.int64)
    last = len(levels) - 1
    below, own, above = (
        _moved(subject, place, rows, known, np.clip(held + step, 0, last).astype(np.int32))
        for step in (-1, 0, 1)
    )
    # A row takes part in the step that ends at its level, and in the one that begins there.
    steps = np.concatenate([held - 1, held])
    change = np.concatenate([own - below, above - own], axis=1)
    inside = (steps >= 0) & (steps < last)
    both = np.concatenate([weights[known]] * 2)
    step, _ = _mean_by(steps[inside], change[:, inside], both[inside], last)
    values = np.concatenate([np.zeros((len(step), 1)), np.cumsum(step, axis=1)], axis=1)
    there = np.bincount(held, weights[known], minlength=len(levels)).astype(np.float64)
    return axis, values - np.average(values, axis=1, weights=there)[:, None], there


def _moved(subject: Subject, place: int, rows: ColumnData, known: Indices, values: Array) -> Numbers:
    """Return what is predicted for the known rows with other values in the column."""
    moved = rows.values.astype(values.dtype, copy=True)
    moved[known] = values
    return subject.changed(place, ColumnData(rows.column, moved, rows.missing))[:, known]


def _mean_by(groups: Array, values: Numbers, weights: Numbers, n_groups: int) -> tuple[Numbers, Numbers]:
    """Return the weighted mean in each group, 0 in groups without weight; and the weights of the groups."""
    there = np.bincount(groups, weights, minlength=n_groups).astype(np.float64)
    sums = np.array([np.bincount(groups, weights * value, minlength=n_groups) for value in values])
    return sums / np.where(there > 0, there, 1.0), there
