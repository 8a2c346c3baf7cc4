"""Every question that a node could ask, with its numbers, as a data frame: why this split and no other.
Words: candidate (a question with its gain), cuts (between which values), best first.
Does not grow a tree; the engine chooses among the same questions by the same gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arboretum.candidate_questions import (
    Buckets,
    ask_about_cuts,
    ask_about_each,
    ask_about_levels,
    ask_about_subsets,
)
from arboretum.candidate_targets import CLASS_CRITERIA, NUMBER_CRITERIA, Target, read_target
from arboretum.candidate_text import Lines, describe
from arboretum.dataset import ColumnData, Dataset, read_dataset
from arboretum.errors import DataError, ParameterError, choices, import_pandas
from arboretum.information import row_weights

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["candidates"]

# Lists of words and tuples, and arrays of numbers.
WORDS = ("question", "column", "levels", "missing", "children")
NUMBERS = ("threshold", "gain", "gain_ratio", "impurity", "p_value")
ORDER = [
    "question",
    "column",
    "threshold",
    "levels",
    "missing",
    "gain",
    "gain_ratio",
    "impurity",
    "children",
    "p_value",
]


def candidates(
    X: Any,
    y: Any,
    *,
    criterion: str = "gini",
    nominal: str = "subset",
    cuts: str = "all",
    sample_weight: Any = None,
    missing: str = "category",
    min_samples_leaf: int = 1,
    categorical_features: Any = "from_dtype",
) -> pd.DataFrame:
    """List every question that a node with these rows could ask, best first; needs pandas.

    Parameters
    ----------
    X, y : a data frame or a 2-D array, and one target per row.
    criterion : "gini", "entropy" or "misclassification" for classes, "squared_error", "absolute_error" or
        "poisson" for numbers.
    nominal : "subset" asks `x in {…}`: every subset of up to 10 levels that occur. Of more levels only the
        cuts of their order by the mean target, or by the share of each class; of more than 1,000 levels, the
        100 best cuts of each order. "one_vs_rest" asks `x = v` for each declared level; a level without rows
        is listed with gain 0. "multiway" has one question per column, with a branch for each level present.
    cuts : "all" midpoints between neighbouring values, or only those at a "class_change": between values
        whose rows do not all share one class. Where leaves have a minimum size, the best cut may be another.
    sample_weight : weights count as repeated rows; rows of weight zero are left out.
    missing : "category" (missing rows join either side, and "x is missing" is a question), "drop" or "error".
    min_samples_leaf : questions with a smaller child are left out, levels without rows too if it is above 1.
    categorical_features : the columns that are nominal whatever their type: a mask, positions, names, or a
        mapping to their levels.

    Returns
    -------
    A data frame with one row per question: question, column, threshold, levels (of child 0), missing (which
    child takes the missing rows: "left", "right", its "own"), gain, gain_ratio (information gain over split
    information; NaN for numbers), impurity (weighted mean of the children's), children (how many rows each)
    and p_value (chi-square of children by classes without continuity correction; one-way F test for numbers).
    Thresholds of times are counts of the column's unit, those of ordered columns level numbers. Equal gains
    stay in the order that decides ties: columns as given, cuts ascending, missing rows right before left,
    "x is missing" last.

    Examples
    --------
    >>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
    >>> table = candidates([[row["weight"]] for row in CUSTOMERS], CUSTOMER_CLASSES, cuts="class_change")
    >>> sorted(table["threshold"].round(2))
    [46.7, 49.2, 66.55, 80.75, 90.5]
    >>> table["question"][0], table["children"][0]
    ('x0 <= 90.5', (7, 2))
    """
    check_choices(criterion=criterion, nominal=nominal, cuts=cuts, missing=missing)
    check_count("min_samples_leaf", min_samples_leaf)
    pandas = import_pandas("candidates()")
    dataset = read_dataset(X, categorical_features=categorical_features)
    weights = row_weights(sample_weight, dataset.n_rows)
    keep = rows_to_keep(dataset, weights, missing)
    target = read_target(y, criterion, dataset.n_rows, keep, weights)
    lines: list[Lines] = []
    for data in dataset.take(np.flatnonzero(keep)).columns:
        lines += ask_about_column(target, data, nominal, cuts == "class_change", int(min_samples_leaf))
    return best_first(lines, pandas)


def check_choices(*, criterion: str, nominal: str, cuts: str, missing: str) -> None:
    for option, found, allowed in (
        ("criterion", criterion, CLASS_CRITERIA + NUMBER_CRITERIA),
        ("nominal", nominal, ("subset", "one_vs_rest", "multiway")),
        ("cuts", cuts, ("all", "class_change")),
        ("missing", missing, ("category", "drop", "error")),
    ):
        if found not in allowed:
            raise ParameterError(choices(option, found, allowed))


def check_count(option: str, found: Any) -> None:
    if isinstance(found, bool) or not isinstance(found, int | np.integer) or found < 1:
        raise ParameterError(f"{option}={found!r} is not allowed; use a whole number from 1 upwards.")


def rows_to_keep(dataset: Dataset, weights: npt.NDArray[np.float64], missing: str) -> npt.NDArray[np.bool_]:
    """The rows with a weight above zero and, unless missing values are a category, without missing values."""
    keep = weights > 0
    if missing == "error":
        for data in dataset.columns:
            rows = np.flatnonzero(data.is_missing() & keep)
            if len(rows):
                raise DataError(
                    f"Column {data.column.name!r} is missing in {len(rows)} rows (first: row {rows[0]}), "
                    "but missing='error'. Hint: use missing='category' or 'drop'."
                )
    if missing == "drop":
        keep &= ~dataset.incomplete_rows()
    if not keep.any():
        raise DataError(
            f"None of the {dataset.n_rows} rows is left: each has weight zero or, with missing='drop', "
            "a missing value. At least one row is needed."
        )
    return keep


def ask_about_column(
    target: Target, data: ColumnData, nominal: str, class_change: bool, min_samples_leaf: int
) -> Iterator[Lines]:
    """The lines of all questions about one column."""
    absent = data.is_missing()
    distinct, present_codes = np.unique(data.values[~absent], return_inverse=True)
    codes = np.full(len(absent), len(distinct), dtype=np.intp)
    codes[~absent] = present_codes
    buckets = Buckets(codes, len(distinct))
    if data.column.kind != "nominal":
        asked = ask_about_cuts(target, buckets, class_change=class_change, min_samples_leaf=min_samples_leaf)
    elif nominal == "subset":
        asked = ask_about_subsets(target, buckets, min_samples_leaf=min_samples_leaf)
    elif nominal == "one_vs_rest":
        n_levels = len(data.column.levels or ())
        asked = ask_about_levels(target, buckets, n_levels, distinct, min_samples_leaf=min_samples_leaf)
    else:
        asked = ask_about_each(target, buckets, min_samples_leaf=min_samples_leaf)
    for questions in asked:
        if len(questions):
            yield describe(questions, data.column, distinct, some_missing=buckets.some_missing)


def best_first(parts: list[Lines], pandas: Any) -> pd.DataFrame:
    """One frame of all lines; gains that differ by rounding only count as equal and keep their order."""
    gain = np.concatenate([np.empty(0), *(part["gain"] for part in parts)])
    largest = gain.max(initial=0.0) or 1.0
    order = np.argsort(-np.round(gain / largest, 12), kind="stable")
    lines: Lines = {}
    for name in WORDS:
        values = [value for part in parts for value in part[name]]
        lines[name] = pandas.Series([values[i] for i in order.tolist()], dtype=object)
    for name in NUMBERS:
        lines[name] = np.concatenate([np.empty(0), *(part[name] for part in parts)])[order]
    frame: pd.DataFrame = pandas.DataFrame(lines)[ORDER]
    return frame
