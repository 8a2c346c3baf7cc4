"""Every question that a node could ask, with its numbers, as a data frame: why this split and no other.

Nothing is grown; the core chooses among the same questions by the same gains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from arboretum._data import Column, ColumnData, Dataset, read_dataset
from arboretum._data.targets import read_classes, read_numbers, read_weights
from arboretum._grow.targets import average_weight, refuse_targets
from arboretum._grow.training_rows import choose_rows
from arboretum._options.by_column import check_costs, costs_by_name
from arboretum._options.choices import ClassCriterion, Cuts, Levels, Missing, Nominal, NumberCriterion
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, CriterionRule, impurity_of
from arboretum._options.exclusions import refuse_choices
from arboretum._options.rules import OneOf, Whole
from arboretum._options.strategies import GainRatio, Surrogate
from arboretum._options.strategy import StrategyOr
from arboretum._options.table import MISSING
from arboretum._types import Array, Integers, Mask, Numbers
from arboretum.errors import import_pandas
from arboretum.inspection.candidates.chance import gain_by_chance
from arboretum.inspection.candidates.questions import (
    Asked,
    Buckets,
    Limits,
    ask_about_cuts,
    ask_about_each,
    ask_about_levels,
    correct,
    pay,
)
from arboretum.inspection.candidates.subsets import ask_about_subsets
from arboretum.inspection.candidates.targets import ClassTarget, NumberTarget, Target
from arboretum.inspection.candidates.text import Lines, describe

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    *("question", "column", "threshold", "levels", "missing"),
    *("gain", "gain_ratio", "impurity", "children", "p_value"),
)
NUMBERS = ("threshold", "gain", "gain_ratio", "impurity", "p_value")  # the others are words and tuples
ROUNDING = 1e-12  # bits that differ by less are equal


@dataclass(frozen=True)
class Rules:
    """The checked options: what is asked, and how it is judged."""

    criterion: str
    ratio: GainRatio | None
    nominal: str
    corrected: bool
    class_change: bool
    missing: str
    min_samples_leaf: int

    @property
    def leaves_aside(self) -> bool:
        """Whether questions are judged without the rows whose value is missing."""
        return self.missing in ("surrogate", "fractional")

    @property
    def priced(self) -> bool:
        """Whether the choice among many cuts has a price."""
        return self.ratio is not None and self.ratio.numeric_penalty

    @property
    def limits(self) -> Limits:
        """How large children must be; where rows may be divided, limits count weight."""
        least = self.min_samples_leaf
        return Limits(1, least) if self.missing == "fractional" else Limits(least)

    def cut_limits(self, target: Target) -> Limits:
        """Return the limits of a cut; if it has a price, a tenth of an average class, at most 25."""
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
    divides: Mask
    entered: Mask
    gain: float | None = None
    corrected: bool = False


def candidates(
    X: Any,
    y: Any,
    *,
    criterion: ClassCriterion | NumberCriterion | GainRatio = "gini",
    nominal: Nominal = "subset",
    levels: Levels = "raw",
    cuts: Cuts = "all",
    sample_weight: Any = None,
    missing: Missing | Surrogate = "category",
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
    levels : "raw" orders gains as they are. "corrected", as in `TreeClassifier`, takes off what so many
        levels gain by chance, for nominal columns with more than two of them.
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

    Where a column is corrected for its levels, one more column tells the corrected gain, by which questions
    are put in order; one that is not above 0 is never asked. Where the gain ratio decides, it is that of the
    corrected gain.

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
    rules = resolve_rules(criterion, nominal, levels, cuts, missing, min_samples_leaf, column_costs)
    pandas = import_pandas("candidates()")
    dataset = read_dataset(X, categorical_features, ordered_features)
    kept, target = read_rows(dataset, y, sample_weight, rules)
    asked = [ask_about_column(target, data, rules) for data in kept.columns]
    costs = costs_by_name(column_costs, kept.schema)
    return best_first(asked, rules, kept.n_rows, costs, pandas)


def read_rows(dataset: Dataset, y: Any, sample_weight: Any, rules: Rules) -> tuple[Dataset, Target]:
    """Return the rows that a tree would be grown from, and their targets."""
    n_labels = 0
    if rules.criterion in NUMBER_CRITERIA:
        targets: Array = read_numbers(y, dataset.n_rows, "candidates()")
        refuse_targets(targets, rules.criterion)
    else:
        classes, targets = read_classes(y, dataset.n_rows, "candidates()")
        n_labels = len(classes)
    rows = choose_rows(dataset, targets, read_weights(sample_weight, dataset.n_rows), rules.missing)
    weights = np.ones(rows.data.n_rows) if rows.weights is None else rows.weights
    if rules.priced or rules.missing == "fractional":
        weights = weights / average_weight(weights)
    criterion = impurity_of(rules.criterion)
    if not n_labels:
        return rows.data, NumberTarget(criterion, rows.targets, weights)
    present = np.unique(rows.targets, return_inverse=True)[1]
    return rows.data, ClassTarget(criterion, present, weights, n_labels=n_labels)


def resolve_rules(
    criterion: Any,
    nominal: str,
    levels: str,
    cuts: str,
    missing: Any,
    min_samples_leaf: Any,
    column_costs: Any,
) -> Rules:
    """Check the options."""
    found = CriterionRule(CLASS_CRITERIA + NUMBER_CRITERIA).read(criterion, "criterion")
    ratio = found if isinstance(found, GainRatio) else None
    OneOf(get_args(Nominal)).read(nominal, "nominal")
    OneOf(get_args(Levels)).read(levels, "levels")
    OneOf(get_args(Cuts)).read(cuts, "cuts")
    policy = StrategyOr("missing", MISSING).read(missing, "missing")
    policy = "surrogate" if isinstance(policy, Surrogate) else policy
    refuse_choices({f'nominal="{nominal}"', f'missing="{policy}"'})
    least = Whole(1).read(min_samples_leaf, "min_samples_leaf")
    check_costs(column_costs)
    name = "gain_ratio" if ratio is not None else str(found)
    return Rules(name, ratio, nominal, levels == "corrected", cuts == "class_change", policy, int(least or 1))


def ask_about_column(target: Target, data: ColumnData, rules: Rules) -> AskedColumn:
    """Return all questions about one column."""
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
    if corrected := rules.corrected and leaves_a_choice(data.column, buckets):
        by_chance = gain_by_chance(target, buckets, rules.nominal)
        asked = [correct(part, target, by_chance, by_ratio=rules.ratio is not None) for part in asked]
    paid = [pay(part, target) for part in asked]
    lines = [
        describe(part, data.column, distinct, some_missing=buckets.some_missing, some_aside=some_aside)
        for part in paid
    ]
    divides = join([part.divides for part in asked], np.bool_)
    if rules.ratio is None:
        return AskedColumn(data.column, lines, divides, no_flags(len(divides)), corrected=corrected)
    by_ratio = data.column.kind == "nominal" and rules.nominal == "one_vs_rest"
    worth = join([part.gain_ratio if by_ratio else part.gain for part in asked])
    entered = first_best(np.where(divides, worth, -1.0))
    gain = gain_of(paid, entered, priced=rules.priced)
    return AskedColumn(data.column, lines, divides, entered, gain, corrected)


def leaves_a_choice(column: Column, buckets: Buckets) -> bool:
    """Return whether there are levels to choose from: more than two answers, missing values included."""
    return column.kind == "nominal" and buckets.n_buckets + buckets.some_missing > 2


def questions_about(
    target: Target, column: Column, buckets: Buckets, distinct: Array, rules: Rules
) -> Iterator[Asked]:
    """Return the questions that suit the kind of column."""
    if column.kind != "nominal":
        limits = rules.cut_limits(target)
        return ask_about_cuts(target, buckets, limits, class_change=rules.class_change, priced=rules.priced)
    if rules.nominal == "subset":
        return ask_about_subsets(target, buckets, rules.limits)
    ask = ask_about_levels if rules.nominal == "one_vs_rest" else ask_about_each
    return ask(target, buckets, rules.limits, len(column.levels or ()), distinct)


def first_best(worth: Numbers) -> Mask:
    """Flag the first of the largest numbers; none if all are below zero.

    >>> first_best(np.array([0.25, 0.5, 0.5])).tolist()
    [False, True, False]
    """
    best = worth >= max(float(worth.max(initial=0.0)) - ROUNDING, 0.0)
    first: Mask = best & (np.cumsum(best) == 1)
    return first


def gain_of(paid: list[Asked], entered: Mask, *, priced: bool) -> float | None:
    """Return the gain of the question that was entered; None without one, or if it is not worth its price."""
    gains = join([part.corrected_gain for part in paid])[entered].tolist()
    is_cut = join([np.full(len(part), part.form == "cut") for part in paid], np.bool_)[entered].any()
    is_chance = any(part.by_chance > 0 for part in paid) and gains and gains[0] <= 0
    if not gains or is_chance or (priced and is_cut and gains[0] <= 0):
        return None
    return float(gains[0])


def least_gain(asked: list[AskedColumn], guard: str | None, n_rows: int) -> float:
    """Return what a column must gain to win; C4.5 leaves out columns of very many levels if it can."""
    gains = [(each.gain, each.column) for each in asked if each.gain is not None]
    if guard is None or not gains:
        return 0.0
    everyone = [gain for gain, _ in gains]
    if guard == "average":
        return float(np.mean(everyone)) / (1 + ROUNDING)
    many = 0.3 * n_rows
    few = [gain for gain, column in gains if column.kind != "nominal" or len(column.levels or ()) < many]
    return float(np.mean(few or everyone)) - 1e-3


def ranks(merit: Numbers, same: float) -> Integers:
    """Return the place of each merit, the largest first; those no further apart than `same` share a place."""
    order = np.argsort(-merit, kind="stable")
    place = np.empty(len(merit), dtype=np.int64)
    place[order] = np.cumsum(np.diff(merit[order], prepend=merit[order[:1]]) < -same)
    return place


def best_first(
    asked: list[AskedColumn], rules: Rules, n_rows: int, costs: dict[str, float], pandas: Any
) -> pd.DataFrame:
    """Return one frame of all lines; gains that differ by rounding only are equal and keep their order."""
    parts = [part for each in asked for part in each.lines]
    n_lines = [len(each.divides) for each in asked]
    cost = np.repeat([costs.get(each.column.name, 1.0) for each in asked], n_lines)
    merit = join([part["corrected_gain" if rules.ratio is None else "gain_ratio"] for part in parts]) / cost
    largest = merit.max(initial=0.0) or 1.0
    # The last key comes first. What divides nothing comes after what divides but gains nothing.
    keys = [~join([each.divides for each in asked], np.bool_), ranks(merit, 1e-12 * largest)]
    allowed = no_flags(0)
    if rules.ratio is not None:
        least = least_gain(asked, rules.ratio.guard, n_rows)
        may_win = np.array([each.gain is not None and each.gain >= least for each in asked], dtype=np.bool_)
        allowed = np.repeat(may_win, n_lines)
        keys += [~join([each.entered for each in asked], np.bool_), ~allowed]
    order = np.lexsort(keys)
    frame: pd.DataFrame = pandas.DataFrame(
        {
            name: join([part[name] for part in parts])
            if name in NUMBERS
            else pandas.Series([value for part in parts for value in part[name]], dtype=object)
            for name in COLUMNS
        }
    )
    frame = frame.iloc[order].reset_index(drop=True)
    if any(each.corrected for each in asked):
        corrected = join([part["corrected_gain"] for part in parts])
        frame.insert(COLUMNS.index("gain") + 1, "corrected_gain", corrected[order])
    if rules.ratio is not None:
        frame.insert(list(frame.columns).index("gain_ratio") + 1, "allowed", allowed[order])
    if costs:
        frame.insert(COLUMNS.index("gain"), "cost", cost[order])
    return frame


def no_flags(n: int) -> Mask:
    return np.zeros(n, dtype=np.bool_)


def join(arrays: list[Array], dtype: npt.DTypeLike = np.float64) -> Array:
    """Return one array of all, even if there are none."""
    return np.concatenate([np.empty(0, dtype=dtype), *arrays])
