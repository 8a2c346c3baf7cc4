"""Every question that a node could ask, with its numbers, as a data frame: why this split and no other.

Nothing is grown; the core chooses among the same questions by the same gains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arboretum._data import Dataset, read_dataset
from arboretum._data.targets import read_classes, read_numbers, read_weights
from arboretum._grow.targets import average_weight, refuse_targets
from arboretum._grow.training_rows import choose_rows
from arboretum._options.by_column import costs_by_name
from arboretum._options.choices import ClassCriterion, Cuts, Levels, Missing, Nominal, NumberCriterion
from arboretum._options.criteria import NUMBER_CRITERIA, impurity_of
from arboretum._options.strategies import GainRatio, Lookahead, Surrogate
from arboretum._types import Array
from arboretum.errors import import_pandas
from arboretum.inspection.candidates.ahead import worth_of_all
from arboretum.inspection.candidates.asking import ask_about_column
from arboretum.inspection.candidates.listing import best_first
from arboretum.inspection.candidates.rules import Rules, resolve_rules
from arboretum.inspection.candidates.targets import ClassTarget, NumberTarget, Target

if TYPE_CHECKING:
    import pandas as pd


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
    search: Literal["greedy"] | Lookahead = "greedy",
    base: float = 2,
    times_n: bool = False,
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
    search : "greedy", or `Lookahead(…)` as estimators take it: one more column, worth, tells what a question
        gains together with the best that can be asked below it (EvaluateSplit of the lecture notes), by
        which questions are put in order; NaN where the search does not look behind the question.
    base : of the logarithms in gains and impurities by entropy: 2 for bits, math.e for nats, 10 for digits.
    times_n : gains and impurities are multiplied by the weight of the rows they are of, as in N_m Q_m: then
        the impurities of the children add up to what is left.
    categorical_features : the columns that are nominal whatever their type: a mask, positions, names, or a
        mapping to their levels.
    ordered_features : the columns whose levels are in order, given in the same ways.

    Returns
    -------
    A data frame with one row per question: question, column, threshold, levels (of child 0; with "multiway"
    all of them), missing (which child takes the missing rows: "left", "right", its "own", or "aside" if they
    are not judged), gain, gain_ratio (information gain over split information, to which rows left aside add
    one more part; NaN for numbers), impurity (weighted mean of the children's), children (how many rows
    each), impurities (of each child), score (the weight of the rows that the majority votes of the children
    get right; for classes only) and p_value (chi-square of children by classes without continuity correction;
    one-way F test for numbers).
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
    rules = resolve_rules(
        criterion, nominal, levels, cuts, missing, min_samples_leaf, column_costs, search, base, times_n
    )
    pandas = import_pandas("candidates()")
    dataset = read_dataset(X, categorical_features, ordered_features)
    kept, target = read_rows(dataset, y, sample_weight, rules)
    asked = [ask_about_column(target, data, rules) for data in kept.columns]
    costs = costs_by_name(column_costs, kept.schema)
    worth = None if rules.ahead is None else worth_of_all(asked, kept, target, rules)
    return best_first(asked, rules, kept.n_rows, costs, pandas, worth).reset_index(drop=True)


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
