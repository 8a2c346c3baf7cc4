"""What is offered for tables in partitions: what is not refused here gives the tree of the whole table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from arboretum._data.class_weights import ClassFactors
from arboretum._options.by_column import constrains
from arboretum._options.settings import Settings
from arboretum._types import Array
from arboretum.errors import DataError, ParameterError

_CRITERIA: Final = ("gini", "entropy", "misclassification", "squared_error", "poisson")
_MISSING: Final = ("category", "drop", "error")
_MOST_CLASSES: Final = 32


def refuse_not_offered(settings: Settings) -> None:
    """Refuse the first choice that is not offered for tables in partitions."""
    of_kind = _CRITERIA[:3] if settings.of_classes else _CRITERIA[3:]
    refused = (
        (
            settings.criterion not in _CRITERIA,
            f"criterion={settings.criterion!r}",
            "choose " + ", ".join(map(repr, of_kind)),
        ),
        (settings.prune is not None, "Pruning", "choose prune=None, and limit min_samples_leaf or max_depth"),
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
