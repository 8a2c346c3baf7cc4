"""arboretum: decision trees that are grown fast and easy to read.

The public names, and nothing else. They are loaded when first used, so that importing costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arboretum import datasets, export, information, plot, reference
    from arboretum.candidate_table import candidates
    from arboretum.errors import (
        ArboretumError,
        DataError,
        DataTypeError,
        PackageError,
        ParameterError,
        ParameterNameError,
    )
    from arboretum.estimators import TreeClassifier, TreeRegressor
    from arboretum.experiment import Experiment, complexity_curve, learning_curve
    from arboretum.importances import importance
    from arboretum.leaves import MEstimate
    from arboretum.model_files import load, save
    from arboretum.permutation_importances import PermutationImportance, permutation_importance
    from arboretum.pruning.cost_complexity import CostComplexity
    from arboretum.pruning.log import PruningLog
    from arboretum.pruning.path import PruningPath
    from arboretum.pruning.pessimistic import Pessimistic
    from arboretum.pruning.reduced_error import ReducedError
    from arboretum.searching import Lookahead, MofN, Oblique
    from arboretum.significance.chi_square import ChiSquare
    from arboretum.significance.conditional import Conditional
    from arboretum.significance.f_test import FTest
    from arboretum.significance.permutation import Permutation
    from arboretum.strategies import GainRatio, Surrogate
    from arboretum.tree import Node, Tree

__all__ = [
    "ArboretumError",
    "ChiSquare",
    "Conditional",
    "CostComplexity",
    "DataError",
    "DataTypeError",
    "Experiment",
    "FTest",
    "GainRatio",
    "Lookahead",
    "MEstimate",
    "MofN",
    "Node",
    "Oblique",
    "PackageError",
    "ParameterError",
    "ParameterNameError",
    "Permutation",
    "PermutationImportance",
    "Pessimistic",
    "PruningLog",
    "PruningPath",
    "ReducedError",
    "Surrogate",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "candidates",
    "complexity_curve",
    "datasets",
    "export",
    "importance",
    "information",
    "learning_curve",
    "load",
    "permutation_importance",
    "plot",
    "reference",
    "save",
]

__version__: str  # read from the installed package when it is asked for

_HOMES = {
    "ArboretumError": "errors",
    "ChiSquare": "significance.chi_square",
    "Conditional": "significance.conditional",
    "CostComplexity": "pruning.cost_complexity",
    "DataError": "errors",
    "DataTypeError": "errors",
    "Experiment": "experiment",
    "FTest": "significance.f_test",
    "GainRatio": "strategies",
    "Lookahead": "searching",
    "MEstimate": "leaves",
    "MofN": "searching",
    "Node": "tree",
    "Oblique": "searching",
    "PackageError": "errors",
    "ParameterError": "errors",
    "ParameterNameError": "errors",
    "Permutation": "significance.permutation",
    "PermutationImportance": "permutation_importances",
    "Pessimistic": "pruning.pessimistic",
    "PruningLog": "pruning.log",
    "PruningPath": "pruning.path",
    "ReducedError": "pruning.reduced_error",
    "Surrogate": "strategies",
    "Tree": "tree",
    "TreeClassifier": "estimators",
    "TreeRegressor": "estimators",
    "candidates": "candidate_table",
    "complexity_curve": "experiment",
    "importance": "importances",
    "learning_curve": "experiment",
    "load": "model_files",
    "permutation_importance": "permutation_importances",
    "save": "model_files",
}
_MODULES = ("datasets", "export", "information", "plot", "reference")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"arboretum.{name}")
    if name not in _HOMES and name != "__version__":
        raise AttributeError(f"module 'arboretum' has no attribute {name!r}")
    value = _version() if name == "__version__" else getattr(import_module(f"arboretum.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def _version() -> str:
    from importlib.metadata import version

    return version("arboretum")


def __dir__() -> list[str]:
    return sorted(__all__)
