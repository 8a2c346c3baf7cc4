"""Which public names share a page of the reference, and in which order.
Words: a group is one page; a module's own names are listed by the module.
Does not say anything about the names: their docstrings do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib import import_module
from typing import Final

import arboretum


@dataclass(frozen=True)
class Group:
    """One page: its file, title and opening sentence, and the names on it."""

    page: str
    title: str
    opening: str
    names: tuple[str, ...]


def _of_module(module: str, title: str, opening: str) -> Group:
    listed: list[str] = import_module(f"arboretum.{module}").__all__
    return Group(module, title, opening, tuple(f"{module}.{name}" for name in listed))


def _of_one(name: str) -> Group:
    return Group(name, name, "", (name,))


_PLACED: Final = (
    *map(_of_one, ("TreeClassifier", "TreeRegressor", "TreeRanker", "TreeMixed")),
    Group(
        "bagged",
        "Bagged trees",
        "Many trees that predict together; see [bagging](../bagging.md).",
        ("BaggedClassifier", "BaggedRegressor", "BaggedRanker"),
    ),
    _of_module("dask", "arboretum.dask", "Trees of tables in partitions; see [Dask](../dask.md)."),
    Group(
        "strategies",
        "Values of options that have options",
        "An estimator's option takes a short name, or one of these objects where the name is not enough.",
        (
            *("CostComplexity", "ReducedError", "Pessimistic"),
            *("GainRatio", "MofN", "Oblique", "Lookahead", "Optimal", "Surrogate"),
            *("Shrinkage", "MEstimate", "LinearModel", "Honest", "Median", "Quantiles"),
            *("ChiSquare", "FTest", "Permutation", "Conditional"),
        ),
    ),
    Group(
        "tree",
        "The fitted tree",
        "`model.tree_` is a `Tree`, a value that is never changed; see [the guide](../guide.md#the-tree).",
        ("Tree", "Node", "MultiTree", "PruningPath", "PruningLog", "Optimality"),
    ),
    Group(
        "looking",
        "Looking at trees",
        "What people ask of a tree, and what they get back.",
        (
            *("report", "explain", "Explanation", "counterfactual", "Counterfactual"),
            *("contributions", "Contributions", "importance", "permutation_importance"),
            *("PermutationImportance", "partial_dependence", "PartialDependence"),
            *("accumulated_effects", "AccumulatedEffects", "interaction_strength", "InteractionStrength"),
            *(
                "Rule",
                "simplified_rules",
                "RuleList",
                "stability",
                "Stability",
                "nearest_tree",
                "NearestTree",
                "Summary",
            ),
            *("candidates", "trace", "Trace", "Step", "exercise", "Exercise"),
        ),
    ),
    Group(
        "experiments",
        "Experiments",
        "Choosing settings and testing them honestly; see [experiments](../experiment.md).",
        ("Experiment", "learning_curve", "complexity_curve", "validation_curve", "tune_threshold"),
    ),
    Group("storing", "Model files", "See [model files](../files.md).", ("save", "load")),
    _of_module(
        "export", "arboretum.export", "Trees in other languages and formats; see [exports](../exports.md)."
    ),
    _of_module("plot", "arboretum.plot", "Charts on matplotlib's axes; see [charts](../charts.md)."),
    _of_module(
        "information", "arboretum.information", "Labels in, numbers out; see [teaching](../teaching.md)."
    ),
    _of_module(
        "ranking", "arboretum.ranking", "Measures of order within queries; see [ranking](../ranking.md)."
    ),
    _of_module("datasets", "arboretum.datasets", "Bundled tables, and tables that are made."),
    _of_module(
        "reference",
        "arboretum.reference",
        "The algorithms of the [lecture notes](../lecture_notes.md) in plain Python.",
    ),
    Group(
        "errors",
        "Errors and warnings",
        "All derive from `ArboretumError` or `ArboretumWarning`; see [warnings](../warnings.md).",
        (
            *("ArboretumError", "ClusterError", "DataError", "DataTypeError", "PackageError"),
            *(
                "ParameterError",
                "ParameterNameError",
                "ArboretumWarning",
                "ConstantColumnWarning",
                "IdentifierWarning",
            ),
            *("OneLeafWarning", "RareClassWarning", "TextWarning", "UnknownLevelsWarning"),
            *("UnprovenWarning", "WeightWarning"),
        ),
    ),
)


def _with_the_rest(groups: tuple[Group, ...]) -> tuple[Group, ...]:
    """The groups, with public names that have no place among what looks at trees, until they get one."""
    placed = {name.partition(".")[0] for group in groups for name in group.names} | {"__version__"}
    rest = tuple(name for name in arboretum.__all__ if name not in placed)
    return tuple(
        replace(group, names=(*group.names, *rest)) if group.page == "looking" else group for group in groups
    )


GROUPS: Final = _with_the_rest(_PLACED)
