"""Growing: the options of an estimator become the core's options, a table and targets become a tree.

Words: *limits* are the options that stop growth; *monotone* is a column's direction, -1, 0 or 1.
Nothing is searched here: Python decides, C++ computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from joblib import cpu_count, effective_n_jobs

from arboretum import _core
from arboretum.class_weights import ClassFactors, refuse_extreme, scale
from arboretum.criteria import impurity_of
from arboretum.dataset import Column
from arboretum.errors import DataError, ParameterError, choices, listing
from arboretum.plurals import many
from arboretum.scalars import is_integer, is_real
from arboretum.searching import resolve_questions, resolve_search, set_questions, set_search
from arboretum.strategies import resolve_ratio, resolve_surrogates, set_ratio, set_surrogates
from arboretum.training_rows import TrainingRows

__all__ = [
    "NOMINAL_QUESTIONS",
    "Grown",
    "Targets",
    "average_weight",
    "class_targets",
    "counts_weight",
    "evenly",
    "grow",
    "number_targets",
    "refuse_targets",
    "resolve_monotone",
    "resolve_options",
    "resolve_threads",
]

_MOST: Final = 2**32 - 1
_MOST_THREADS: Final = 256  # each has scratch memory
# The core adds weights up in steps of about 3e-18 of their sum: a row of this share has three of them. Whole
# numbers up to that sum are their own steps.
_LEAST_SHARE: Final = 1e-17
_MOST_WHOLE: Final = 2.0**59
_THRESHOLDS: Final = {
    "midpoint": _core.Thresholds.midpoint,
    "observed": _core.Thresholds.observed,
    "table": _core.Thresholds.table,
}
NOMINAL_QUESTIONS: Final = {
    "subset": _core.Nominal.subset,
    "one_vs_rest": _core.Nominal.one_vs_rest,
    "multiway": _core.Nominal.multiway,
}

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Targets:
    """What the core learns: classes by number or real numbers, with the weights of the rows."""

    n_rows: int
    classes: npt.NDArray[np.int32] | None = None
    n_classes: int = 0
    numbers: Numbers | None = None
    weights: Numbers | None = None  # decide the splits; None: every row counts 1
    case_weights: Numbers | None = None  # are reported, where they differ
    row_weight: float = 1.0  # what counts as one row, where limits and prices count weight

    def take(self, rows: npt.NDArray[Any]) -> Targets:
        """Return the targets of these rows."""
        return Targets(
            len(rows),
            classes=None if self.classes is None else self.classes[rows],
            n_classes=self.n_classes,
            numbers=None if self.numbers is None else self.numbers[rows],
            weights=None if self.weights is None else self.weights[rows],
            case_weights=None if self.case_weights is None else self.case_weights[rows],
            row_weight=self.row_weight,
        )

    @property
    def reported_weights(self) -> Numbers | None:
        """The weights as they are reported; None where every row counts 1."""
        return self.weights if self.case_weights is None else self.case_weights

    @property
    def total_weight(self) -> float:
        """The sum of the weights that decide the splits."""
        return float(self.n_rows if self.weights is None else self.weights.sum())


def counts_weight(params: Mapping[str, Any]) -> bool:
    """Tell whether limits or prices count weight rather than rows."""
    ratio = resolve_ratio(params["criterion"])
    missing = params["missing"]
    return (isinstance(missing, str) and missing == "fractional") or bool(ratio and ratio.numeric_penalty)


def average_weight(weights: Numbers) -> float:
    """Return the mean, rounded once: it does not depend on the order of the rows."""
    return math.fsum(weights.tolist()) / len(weights)


def evenly(targets: Targets) -> Targets:
    """Return the targets with the average deciding weight counted as one row.

    The weights themselves stay as they are: dividing them would round, and part what weighs the same.
    """
    return (
        targets if targets.weights is None else replace(targets, row_weight=average_weight(targets.weights))
    )


def class_targets(rows: TrainingRows, n_classes: int, factors: ClassFactors) -> Targets:
    """Return classes with the weights that decide the splits and those that are reported, if they differ."""
    n_rows, numbers = rows.data.n_rows, rows.targets
    reported = scale(rows.weights, factors.case, numbers)
    refuse_extreme(reported, "sample_weight and class_weight")
    deciding = scale(reported, factors.split, numbers)
    refuse_extreme(deciding, "sample_weight, class_weight, priors and loss")
    _refuse_light(rows, deciding, "sample_weight, class_weight, priors and loss together give")
    if not factors.alter_splits:
        return Targets(n_rows, classes=numbers, n_classes=n_classes, weights=deciding)
    reported = np.ones(n_rows) if reported is None else reported
    return Targets(n_rows, classes=numbers, n_classes=n_classes, weights=deciding, case_weights=reported)


def _refuse_light(rows: TrainingRows, weights: Numbers | None, givers: str) -> None:
    """Refuse a row that is too light for the core to tell what it weighs beside the others."""
    if weights is None:
        return
    row, total = int(np.argmin(weights)), float(weights.sum())
    if weights[row] >= _LEAST_SHARE * total or (total < _MOST_WHOLE and (weights == np.floor(weights)).all()):
        return
    given = row if rows.origin is None else int(rows.origin[row])
    raise DataError(
        f"{givers} row {given} the weight {weights[row]:g}, but a row weighs 0 or at least "
        f"{_LEAST_SHARE:g} of all rows together, which weigh {total:g}.\n"
        "Hint: leave such rows out with the weight 0, or bring the weights closer together."
    )


def refuse_targets(numbers: Numbers, criterion: str) -> None:
    """Refuse targets that the criterion does not allow."""
    if criterion == "poisson" and (numbers < 0).any():
        value = numbers[np.argmax(numbers < 0)]
        raise DataError(
            f"criterion='poisson' needs targets that are not negative, but y holds {value}.\n"
            "Hint: criterion='squared_error' takes any number."
        )


def number_targets(rows: TrainingRows, criterion: str) -> Targets:
    """Return real targets; refuse those that the criterion does not allow."""
    numbers = rows.targets
    refuse_targets(numbers, criterion)
    if criterion == "poisson" and not numbers.any():
        raise DataError("criterion='poisson' needs a positive target, but all of y is zero.")
    _refuse_light(rows, rows.weights, "sample_weight gives")
    return Targets(rows.data.n_rows, numbers=numbers, weights=rows.weights)


@dataclass(frozen=True)
class Grown:
    """A tree as the core hands it over: its arrays, and how it deals with rows that miss a value."""

    arrays: dict[str, npt.NDArray[Any]]
    others: dict[str, npt.NDArray[Any]]
    missing: str
    terms: dict[str, npt.NDArray[Any]]


def grow(
    data: _core.Dataset,
    columns: tuple[Column, ...],
    targets: Targets,
    criterion: str,
    options: _core.GrowOptions,
) -> Grown:
    """Return the tree that the core grows from the table, which has these columns."""
    try:
        arrays, others, terms = _core.grow_tree(
            data,
            impurity_of(criterion),
            targets.classes,
            targets.n_classes,
            targets.numbers,
            targets.weights,
            targets.case_weights,
            options,
        )
    except _core.TooManyNodes as error:  # its text is the number of the column
        column = columns[int(str(error))]
        raise DataError(
            f"A branch for each of the {len(column.levels or ()):,} levels of column {column.name!r} would "
            "make a tree of more than 20 million nodes, nearly all of them empty.\n"
            "Hint: choose nominal='subset', or limit max_depth or max_leaf_nodes."
        ) from error
    return Grown(arrays, others, _missing_rule(options, any_others=bool(others)), terms)


def _missing_rule(options: _core.GrowOptions, *, any_others: bool) -> str:
    """Return the rule for rows that miss a value, as `Tree` knows it."""
    if options.missing == _core.Missing.fractional:
        return "fractions"
    sends = options.missing == _core.Missing.surrogate and options.surrogates.send != _core.Send.never
    return "surrogates" if sends and any_others else "child"


def resolve_options(params: Mapping[str, Any], targets: Targets) -> _core.GrowOptions:
    """Return the core's options for an estimator with these parameters; refuse what is not allowed."""
    n_rows = targets.n_rows
    options = _core.GrowOptions()
    options.thresholds = _choose("thresholds", params["thresholds"], _THRESHOLDS)
    options.nominal = _choose("nominal", params["nominal"], NOMINAL_QUESTIONS)
    if ratio := resolve_ratio(params["criterion"]):
        set_ratio(options, ratio)
    if surrogate := resolve_surrogates(params["missing"]):
        set_surrogates(options, surrogate)
    elif params["missing"] == "fractional":
        options.missing = _core.Missing.fractional
    set_questions(options, resolve_questions(params["questions"]))
    set_search(options, resolve_search(params["search"]))
    options.competitors = _count(params, "competitors", least=0)
    options.max_depth = _count(params, "max_depth", least=1, none=_MOST)
    options.max_leaves = _count(params, "max_leaf_nodes", least=2, none=_MOST)
    if params["max_leaf_nodes"] is not None:
        options.order = _core.Order.best_first
    options.min_split_rows = max(2, _rows(params, "min_samples_split", n_rows, least=2))
    options.min_leaf_rows = _rows(params, "min_samples_leaf", n_rows, least=1)
    options.min_leaf_weight = _number(params, "min_weight_fraction_leaf", 0.0, 0.5) * targets.total_weight
    options.row_weight = targets.row_weight
    options.min_decrease = _number(params, "min_impurity_decrease", 0.0, np.inf)
    options.max_bins = _count(params, "max_bins", least=2, none=_MOST)
    options.n_threads = resolve_threads(params["n_jobs"])
    return options


def resolve_monotone(monotonic_cst: Any, columns: tuple[Column, ...]) -> list[int]:
    """Return -1, 0 or 1 for each column, or nothing when no column is constrained."""
    if monotonic_cst is None:
        return []
    names = [column.name for column in columns]
    if isinstance(monotonic_cst, Mapping):
        if unknown := [name for name in monotonic_cst if name not in names]:
            raise ParameterError(
                f"monotonic_cst names {listing(unknown)}, but the columns are {listing(names, 10)}."
            )
        given = [monotonic_cst.get(name, 0) for name in names]
    elif isinstance(monotonic_cst, str) or not isinstance(monotonic_cst, Iterable):
        raise ParameterError(
            f"monotonic_cst={monotonic_cst!r} is not allowed; give -1, 0 or 1 for each column, "
            "or {name: direction}."
        )
    else:
        given = list(monotonic_cst)
    if len(given) != len(names):
        raise ParameterError(
            f"monotonic_cst has {many(len(given), 'entry')}, but X has {many(len(names), 'column')}."
        )
    for column, direction in zip(columns, given, strict=True):
        if not is_real(direction) or direction not in (-1, 0, 1):
            raise ParameterError(
                f"monotonic_cst of column {column.name!r} is {direction!r}; "
                "choose 1 (rising), 0 (free) or -1 (falling)."
            )
        if direction and column.kind == "nominal":
            raise ParameterError(
                f"monotonic_cst of column {column.name!r} is {direction}, but its levels have no order. "
                "Hint: list them in ordered_features, or make it a number."
            )
    return [int(direction) for direction in given] if any(given) else []


def _choose(option: str, found: Any, allowed: Mapping[str, Any]) -> Any:
    if not isinstance(found, str) or found not in allowed:
        raise ParameterError(choices(option, found, allowed))
    return allowed[found]


def _count(params: Mapping[str, Any], option: str, *, least: int, none: int | None = None) -> int:
    value = params[option]
    if value is None and none is not None:
        return none
    if not is_integer(value) or value < least:
        or_none = "" if none is None else ", or None"
        raise ParameterError(
            f"{option}={value!r} is not allowed; give an integer of {least} or more{or_none}."
        )
    return min(int(value), _MOST)


def _rows(params: Mapping[str, Any], option: str, n_rows: int, *, least: int) -> int:
    """Return a number of rows, given as such or as a share of all rows."""
    value = params[option]
    if is_integer(value) and value >= least:
        return min(int(value), _MOST)
    if is_real(value) and not is_integer(value) and 0.0 < value <= 1.0:
        return max(least, int(np.ceil(value * n_rows)))
    raise ParameterError(
        f"{option}={value!r} is not allowed; give an integer of {least} or more, "
        "or a share of the rows above 0.0 and up to 1.0."
    )


def _number(params: Mapping[str, Any], option: str, least: float, most: float) -> float:
    value = params[option]
    if not is_real(value) or not least <= value <= most:
        upper = "" if np.isinf(most) else f" to {most}"
        raise ParameterError(
            f"{option}={value!r} is not allowed; give a number from {least}{upper or ' upwards'}."
        )
    return float(value)


def resolve_threads(n_jobs: Any) -> int:
    """Return how many threads the option asks for."""
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        raise ParameterError(
            f"n_jobs={n_jobs!r} is not allowed; give a number of threads, -1 for all cores, or None for one."
        )
    if n_jobs is None:
        return int(effective_n_jobs(None))  # one, unless joblib's settings around us say otherwise
    # Threads are counted here: joblib counts processes, and has none to give inside a worker of a pool.
    return min(int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + int(n_jobs)), _MOST_THREADS)
