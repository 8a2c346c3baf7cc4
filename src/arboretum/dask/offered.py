"""What is offered for tables in partitions: what is not refused here gives the tree of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arboretum._data.class_weights import ClassFactors
from arboretum._data.scalars import is_integer
from arboretum._options.by_column import constrains
from arboretum._options.settings import Settings
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.reduced_error import ReducedError
from arboretum._prune.risks import CLASS_MEASURES, SUMS
from arboretum._types import Array
from arboretum.errors import DataError, ParameterError

_CRITERIA: Final = ("gini", "entropy", "misclassification", "squared_error", "poisson")
_MISSING: Final = ("category", "drop", "error")
_MOST_CLASSES: Final = 32
_TOGETHER: Final = tuple(name for name in CLASS_MEASURES if name not in SUMS)  # which see all rows of a fold


def refuse_not_offered(settings: Settings) -> None:
    """Refuse the first choice that is not offered for tables in partitions."""
    of_kind = _CRITERIA[:3] if settings.of_classes else _CRITERIA[3:]
    refused = (
        (
            settings.criterion not in _CRITERIA,
            f"criterion={settings.criterion!r}",
            "choose " + ", ".join(map(repr, of_kind)),
        ),
        *_pruning_not_offered(settings.prune),
        (
            settings.max_bins is not None and _holds_rows_out(settings.prune),
            f"max_bins with prune={settings.prune!r}, which holds rows out,",
            "choose prune=CostComplexity(alpha=…) with a number or prune=None, or leave max_bins at None",
        ),
        (
            settings.missing not in _MISSING,
            f"missing={settings.missing!r}",
            "choose " + ", ".join(f"missing={name!r}" for name in _MISSING),
        ),
        (
            settings.nominal == "multiway",
            "nominal='multiway'",
            "choose nominal='subset' or nominal='one_vs_rest'",
        ),
        (
            settings.thresholds == "table",
            "thresholds='table'",
            "choose thresholds='midpoint', 'observed' or 'round'",
        ),
        (
            settings.questions != "axis",
            f"questions={settings.questions!r}",
            "choose questions='axis'",
        ),
        (settings.search != "greedy", f"search={settings.search!r}", "choose search='greedy'"),
        (
            settings.significance is not None,
            "significance",
            "leave it at None, and limit max_depth or min_samples_leaf",
        ),
        (settings.competitors > 0, "competitors", "leave it at 0"),
        (
            bool(settings.filled_leaves),
            f"leaf={settings.leaf!r}",
            "choose leaf='shrinkage'" + (", 'frequency' or 'laplace'" if settings.of_classes else ""),
        ),
        (constrains(settings.monotonic_cst), "monotonic_cst", "leave it at None"),
    )
    for is_so, choice, hint in refused:
        if is_so:
            raise ParameterError(f"{choice} is not offered for Dask collections.\nHint: {hint}.")


def _pruning_not_offered(pruner: Any) -> list[tuple[bool, str, str]]:
    if pruner is None or isinstance(pruner, ReducedError):
        return []
    instead = "choose prune='cost_complexity', prune='reduced_error' or None"
    if not isinstance(pruner, CostComplexity):
        return [(True, f"prune={pruner!r}", instead)]
    chosen = isinstance(pruner.alpha, str)
    names = [name for name in CLASS_MEASURES if name in SUMS]
    return [
        (
            chosen and not is_integer(pruner.folds),
            f"folds={pruner.folds!r} of prune=CostComplexity",
            "choose a number of folds",
        ),
        (
            chosen and (callable(pruner.measure) or pruner.measure in _TOGETHER),
            f"measure={pruner.measure!r} of prune=CostComplexity",
            "leave it at None, or choose " + ", ".join(map(repr, names)),
        ),
    ]


def _holds_rows_out(pruner: Any) -> bool:
    return pruner is not None and bool(pruner._wants_tuning)


def refuse_given(given: Mapping[str, Any]) -> None:
    """Refuse arguments of `fit` that are not offered for tables in partitions."""
    for name, value in given.items():
        if value is not None:
            raise ParameterError(
                f"{name} is not offered for Dask collections.\n"
                "Hint: leave it out; the tree is learnt from X, y and sample_weight."
            )


def refuse_classes(classes: Array, factors: ClassFactors) -> None:
    """Refuse more classes than histograms have room for, and classes whose rows would be left out."""
    if len(classes) > _MOST_CLASSES:
        raise DataError(
            f"The target has {len(classes):,} classes, but at most {_MOST_CLASSES} are offered for Dask "
            "collections.\nHint: put rare classes together."
        )
    for label, factor in zip(classes.tolist(), factors.case.tolist(), strict=True):
        if factor == 0:
            raise ParameterError(
                f"class_weight gives the class {label!r} the weight 0, which is not offered for Dask "
                "collections.\nHint: leave its rows out of the collections."
            )
