"""Every question that a node could ask, with its numbers, as a data frame: why this split and no other.
Words: candidate (a question with its gain), cuts (between which values), best first.
Does not grow a tree; the engine chooses among the same questions by the same gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from arboretum.candidate_questions import (
    Asked,
    Buckets,
    Flags,
    Limits,
    ask_about_cuts,
    ask_about_each,
    ask_about_levels,
    pay,
)
from arboretum.candidate_subsets import ask_about_subsets
from arboretum.candidate_targets import ClassTarget, Target, read_target
from arboretum.candidate_text import Lines, describe
from arboretum.column_costs import check_costs, costs_by_name
from arboretum.combinations import NOMINAL, refuse_excluded
from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, impurity_of, resolve_criterion
from arboretum.dataset import Column, ColumnData, Dataset, read_dataset
from arboretum.errors import DataError, ParameterError, choices, import_pandas
from arboretum.growing import average_weight
from arboretum.information import row_weights
from arboretum.plurals import many
from arboretum.strategies import GainRatio, resolve_ratio, resolve_surrogates
from arboretum.training_rows import resolve_missing

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
ROUNDING = 1e-12  # bits that differ by less are equal


@dataclass(frozen=True)
class Rules:
    """The options that say what is asked and how it is judged, checked."""

    criterion: str
    ratio: GainRatio | None
    nominal: str
    class_change: bool
    missing: str
    min_samples_leaf: int

    @property
    def leaves_aside(self) -> bool:
        """Are questions judged without the rows that miss the value?"""
        return self.missing in ("surrogate", "fractional")

    @property
    def priced(self) -> bool:
        """Does the choice among many cuts have a price?"""
        return self.ratio is not None and self.ratio.numeric_penalty

    @property
    def limits(self) -> Limits:
        """What children must be like; where rows may be divided, limits count weight."""
        least = self.min_samples_leaf
        return Limits(1, least) if self.missing == "fractional" else Limits(least)

    def cut_limits(self, target: Target) -> Limits:
        """For each side of a cut, with the price: a tenth of an average class, or 25 if that is less."""
        if not (self.priced and isinstance(target, ClassTarget)):
            return self.limits
        least = min(25.0, 0.1 * float(target.weights.sum()) / target.n_labels)
        return Limits(self.limits.rows, max(self.limits.weight, least))


@dataclass(frozen=True)
class AskedColumn:
    """A column with all questions about it, as lines; each array has one flag for each line.

    Where the gain ratio decides, `entered` flags the question by which the column competes with others, and
    `gain` is what that gains; None if the column does not compete.
    """

    column: Column
    lines: list[Lines]
    divides: Flags
    entered: Flags
    gain: float | None = None


def candidates(
    X: Any,
    y: Any,
    *,
    criterion: Any = "gini",
    nominal: str = "subset",
    cuts: str = "all",
    sample_weight: Any = None,
    missing: Any = "category",
    min_samples_leaf: int = 1,
    column_costs: Any = None,
    categorical_features: Any = "from_dtype",
    ordered_features: Any = None,
) -> pd.DataFrame:
    """List every question that a node with these rows could ask, best first; needs pandas.

    Parameters
    ----------
    X, y : a data frame or a 2-D array, and one target per row.
    criterion : "gini", "entropy", "misclassification", "gain_ratio" or `GainRatio(…)` for classes,
        "squared_error", "absolute_error" or "poisson" for numbers.
    nominal : "subset" asks `x in {…}`: every subset of up to 10 levels that occur. Of more levels, the cuts
        of their order by the mean or median target or by the share of each class, and each level against the
        rest; of more than 1,000 levels, the 100 best of each of these. "one_vs_rest" asks `x = v` for each
        declared level; a level without rows is listed with gain 0. "multiway" has one question per column,
        with a child for each declared level.
    cuts : "all" midpoints between neighbouring values, or only those at a "class_change": between values
        whose rows do not all share one class. Where leaves have a minimum size, the best cut may be another.
    sample_weight : weights count as repeated rows; rows of weight zero are left out.
    missing : "category" (missing rows join either side or, with "multiway", have a child of their own, and
        "x is missing" is a question), "drop", "error"; or "surrogate", `Surrogate(…)`, "fractional": the
        questions about a column are judged by the rows whose value is known. Only these are counted in
        children, and the gain is theirs times their share of the weight.
    min_samples_leaf : questions with a smaller child are left out, levels without rows too if it is above 1.
        With "multiway" two children must be large enough. With "fractional" weight counts,
        in units of the average row's.
    column_costs : what the gains of a column are divided by when columns compete: a number for each column or
        {column: cost}. Best first then means the gain (or gain ratio) divided by the cost, which is one more
        column of the table; the gain itself is not divided.
    categorical_features : the columns that are nominal whatever their type: a mask, positions, names, or a
        mapping to their levels.
    ordered_features : the columns whose levels are in order, given in the same ways.

    Returns
    -------
    A data frame with one row per question: question, column, threshold, levels (of child 0; with "multiway"
    all of them), missing (which child takes the missing rows: "left", "right", its "own", or "aside" if they
    are not judged), gain, gain_ratio (information gain over split information, to which rows left aside add
    one more part; NaN for numbers), impurity (weighted mean of the children's), children (how many rows each)
    and p_value (chi-square of children by classes without continuity correction; one-way F test for numbers).
    Thresholds of times are counts of the column's unit, those of ordered columns level numbers. Equal gains
    stay in the order that decides ties: columns as given, cuts ascending, missing rows right before left,
    "x is missing" last.

    Where the gain ratio decides, the gain is in bits, less the price of a cut if `numeric_penalty` asks for
    one; it may then fall below 0. A column competes by one question: that of its largest gain or, of the
    questions `x = v`, of its largest ratio. One more column, allowed, tells whether the guard lets the
    question's column win. The rows of columns that may win come first, in them the questions by which columns
    compete, and of these the largest gain ratio: the first row is what `TreeClassifier` asks at its root.

    Examples
    --------
    >>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
    >>> table = candidates([[row["weight"]] for row in CUSTOMERS], CUSTOMER_CLASSES, cuts="class_change")
    >>> sorted(table["threshold"].round(2))
    [46.7, 49.2, 66.55, 80.75, 90.5]
    >>> table["question"][0], table["children"][0]
    ('x0 <= 90.5', (7, 2))
    """
    rules = resolve_rules(criterion, nominal, cuts, missing, min_samples_leaf, column_costs)
    pandas = import_pandas("candidates()")
    dataset = read_dataset(X, categorical_features, ordered_features)
    weights = row_weights(sample_weight, dataset.n_rows)
    keep = rows_to_keep(dataset, weights, rules.missing)
    if rules.priced or rules.missing == "fractional":
        weights = weights / average_weight(weights[keep])
    target = read_target(y, impurity_of(rules.criterion), dataset.n_rows, keep, weights)
    kept = dataset.take(np.flatnonzero(keep))
    asked = [ask_about_column(target, data, rules) for data in kept.columns]
    costs = costs_by_name(column_costs, kept.schema)
    return best_first(asked, rules, kept.n_rows, costs, pandas)


def resolve_rules(
    criterion: Any, nominal: str, cuts: str, missing: Any, min_samples_leaf: Any, column_costs: Any
) -> Rules:
    """Check the options."""
    name = resolve_criterion(criterion, CLASS_CRITERIA + NUMBER_CRITERIA)
    for option, found, allowed in (("nominal", nominal, NOMINAL), ("cuts", cuts, ("all", "class_change"))):
        if found not in allowed:
            raise ParameterError(choices(option, found, allowed))
    policy = resolve_missing(missing)
    resolve_surrogates(missing)
    refuse_excluded({"nominal": nominal, "missing": missing}, constrained=False)
    check_count("min_samples_leaf", min_samples_leaf)
    check_costs(column_costs)
    ratio = resolve_ratio(criterion)
    return Rules(name, ratio, nominal, cuts == "class_change", policy, int(min_samples_leaf))


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
                    f"Column {data.column.name!r} is missing in {many(len(rows), 'row')} (first: row "
                    f"{rows[0]}), but missing='error'. Hint: use missing='category' or 'drop'."
                )
    if missing == "drop":
        keep &= ~dataset.incomplete_rows()
    if not keep.any():
        raise DataError(
            f"None of the {dataset.n_rows} rows is left: each has weight zero or, with missing='drop', "
            "a missing value. At least one row is needed."
        )
    return keep


def ask_about_column(target: Target, data: ColumnData, rules: Rules) -> AskedColumn:
    """All questions about one column."""
    values, absent = data.values, data.is_missing()
    some_aside = rules.leaves_aside and bool(absent.any())
    if some_aside and absent.all():
        return AskedColumn(data.column, [], no_flags(0), no_flags(0))
    if some_aside:
        target, values = target.only(~absent), values[~absent]
        absent = no_flags(len(values))
    distinct, present_codes = np.unique(values[~absent], return_inverse=True)
    codes = np.full(len(absent), len(distinct), dtype=np.intp)
    codes[~absent] = present_codes
    buckets = Buckets(codes, len(distinct))
    asked = [part for part in questions_about(target, data.column, buckets, distinct, rules) if len(part)]
    paid = [pay(part, target) for part in asked]
    lines = [
        describe(part, data.column, distinct, some_missing=buckets.some_missing, some_aside=some_aside)
        for part in paid
    ]
    divides = join([part.divides for part in asked], np.bool_)
    if rules.ratio is None:
        return AskedColumn(data.column, lines, divides, no_flags(len(divides)))
    by_ratio = data.column.kind == "nominal" and rules.nominal == "one_vs_rest"
    worth = join([part.gain_ratio if by_ratio else part.gain for part in asked])
    entered = first_best(np.where(divides, worth, -1.0))
    return AskedColumn(data.column, lines, divides, entered, gain_of(paid, entered, priced=rules.priced))


def questions_about(
    target: Target, column: Column, buckets: Buckets, distinct: npt.NDArray[Any], rules: Rules
) -> Iterator[Asked]:
    """The questions that suit the kind of column."""
    if column.kind != "nominal":
        limits = rules.cut_limits(target)
        return ask_about_cuts(target, buckets, limits, class_change=rules.class_change, priced=rules.priced)
    if rules.nominal == "subset":
        return ask_about_subsets(target, buckets, rules.limits)
    ask = ask_about_levels if rules.nominal == "one_vs_rest" else ask_about_each
    return ask(target, buckets, rules.limits, len(column.levels or ()), distinct)


def first_best(worth: npt.NDArray[np.float64]) -> Flags:
    """Flag the first of the largest numbers; none if all are below zero.

    >>> first_best(np.array([0.25, 0.5, 0.5])).tolist()
    [False, True, False]
    """
    best = worth >= max(float(worth.max(initial=0.0)) - ROUNDING, 0.0)
    first: Flags = best & (np.cumsum(best) == 1)
    return first


def gain_of(paid: list[Asked], entered: Flags, *, priced: bool) -> float | None:
    """What the question gains that was entered; None without one, or if it gains nothing for its price."""
    gains = join([part.gain for part in paid])[entered].tolist()
    is_cut = join([np.full(len(part), part.form == "cut") for part in paid], np.bool_)[entered].any()
    if not gains or (priced and is_cut and gains[0] <= 0):
        return None
    return float(gains[0])


def least_gain(asked: list[AskedColumn], guard: str | None, n_rows: int) -> float:
    """What a column must gain to win. C4.5 leaves columns of very many levels out, unless all are such."""
    gains = [(each.gain, each.column) for each in asked if each.gain is not None]
    if guard is None or not gains:
        return 0.0
    everyone = [gain for gain, _ in gains]
    if guard == "average":
        return float(np.mean(everyone)) / (1 + ROUNDING)
    many = 0.3 * n_rows
    few = [gain for gain, column in gains if column.kind != "nominal" or len(column.levels or ()) < many]
    return float(np.mean(few or everyone)) - 1e-3


def best_first(
    asked: list[AskedColumn], rules: Rules, n_rows: int, costs: dict[str, float], pandas: Any
) -> pd.DataFrame:
    """One frame of all lines; gains that differ by rounding only count as equal and keep their order."""
    parts = [part for each in asked for part in each.lines]
    cost = np.repeat(
        [costs.get(each.column.name, 1.0) for each in asked], [len(each.divides) for each in asked]
    )
    merit = join([part["gain" if rules.ratio is None else "gain_ratio"] for part in parts]) / cost
    largest = merit.max(initial=0.0) or 1.0
    # The last key comes first. What divides nothing comes after what divides but gains nothing.
    keys = [~join([each.divides for each in asked], np.bool_), -np.round(merit / largest, 12)]
    allowed = no_flags(0)
    if rules.ratio is not None:
        least = least_gain(asked, rules.ratio.guard, n_rows)
        may_win = np.array([each.gain is not None and each.gain >= least for each in asked], dtype=np.bool_)
        allowed = np.repeat(may_win, [len(each.divides) for each in asked])
        keys += [~join([each.entered for each in asked], np.bool_), ~allowed]
    order = np.lexsort(keys)
    lines: Lines = {}
    for name in WORDS:
        values = [value for part in parts for value in part[name]]
        lines[name] = pandas.Series([values[i] for i in order.tolist()], dtype=object)
    for name in NUMBERS:
        lines[name] = np.concatenate([np.empty(0), *(part[name] for part in parts)])[order]
    frame: pd.DataFrame = pandas.DataFrame(lines)[ORDER]
    if rules.ratio is not None:
        frame.insert(ORDER.index("gain_ratio") + 1, "allowed", allowed[order])
    if costs:
        frame.insert(ORDER.index("gain"), "cost", cost[order])
    return frame


def no_flags(n: int) -> Flags:
    return np.zeros(n, dtype=np.bool_)


def join(arrays: list[npt.NDArray[Any]], dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
    """One array of all, even if there are none."""
    return np.concatenate([np.empty(0, dtype=dtype), *arrays])
