"""arboretum: fast decision trees that are easy to read.

This module holds the public names and nothing else. Each is loaded on first use, so importing is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arboretum import datasets as datasets
    from arboretum import export as export
    from arboretum import information as information
    from arboretum import plot as plot
    from arboretum import reference as reference
    from arboretum._grow.significance.chi_square import ChiSquare as ChiSquare
    from arboretum._grow.significance.conditional import Conditional as Conditional
    from arboretum._grow.significance.f_test import FTest as FTest
    from arboretum._grow.significance.permutation import Permutation as Permutation
    from arboretum._options.strategies import GainRatio as GainRatio
    from arboretum._options.strategies import Lookahead as Lookahead
    from arboretum._options.strategies import MEstimate as MEstimate
    from arboretum._options.strategies import MofN as MofN
    from arboretum._options.strategies import Oblique as Oblique
    from arboretum._options.strategies import Surrogate as Surrogate
    from arboretum._prune.cost_complexity import CostComplexity as CostComplexity
    from arboretum._prune.log import PruningLog as PruningLog
    from arboretum._prune.path import PruningPath as PruningPath
    from arboretum._prune.pessimistic import Pessimistic as Pessimistic
    from arboretum._prune.reduced_error import ReducedError as ReducedError
    from arboretum._store.model_files import load as load
    from arboretum._store.model_files import save as save
    from arboretum._tree.tree import Node as Node
    from arboretum._tree.tree import Tree as Tree
    from arboretum.errors import ArboretumError as ArboretumError
    from arboretum.errors import DataError as DataError
    from arboretum.errors import DataTypeError as DataTypeError
    from arboretum.errors import PackageError as PackageError
    from arboretum.errors import ParameterError as ParameterError
    from arboretum.errors import ParameterNameError as ParameterNameError
    from arboretum.estimators import TreeClassifier as TreeClassifier
    from arboretum.estimators import TreeRegressor as TreeRegressor
    from arboretum.experiment import Experiment as Experiment
    from arboretum.experiment import complexity_curve as complexity_curve
    from arboretum.experiment import learning_curve as learning_curve
    from arboretum.inspection.candidates.table import candidates as candidates
    from arboretum.inspection.importance import importance as importance
    from arboretum.inspection.permutation_importance import PermutationImportance as PermutationImportance
    from arboretum.inspection.permutation_importance import permutation_importance as permutation_importance


__version__: str  # read from the installed package when it is asked for

_HOMES = {
    "ArboretumError": "errors",
    "ChiSquare": "_grow.significance.chi_square",
    "Conditional": "_grow.significance.conditional",
    "CostComplexity": "_prune.cost_complexity",
    "DataError": "errors",
    "DataTypeError": "errors",
    "Experiment": "experiment",
    "FTest": "_grow.significance.f_test",
    "GainRatio": "_options.strategies",
    "Lookahead": "_options.strategies",
    "MEstimate": "_options.strategies",
    "MofN": "_options.strategies",
    "Node": "_tree.tree",
    "Oblique": "_options.strategies",
    "PackageError": "errors",
    "ParameterError": "errors",
    "ParameterNameError": "errors",
    "Permutation": "_grow.significance.permutation",
    "PermutationImportance": "inspection.permutation_importance",
    "Pessimistic": "_prune.pessimistic",
    "PruningLog": "_prune.log",
    "PruningPath": "_prune.path",
    "ReducedError": "_prune.reduced_error",
    "Surrogate": "_options.strategies",
    "Tree": "_tree.tree",
    "TreeClassifier": "estimators",
    "TreeRegressor": "estimators",
    "candidates": "inspection.candidates.table",
    "complexity_curve": "experiment",
    "importance": "inspection.importance",
    "learning_curve": "experiment",
    "load": "_store.model_files",
    "permutation_importance": "inspection.permutation_importance",
    "save": "_store.model_files",
}
_MODULES = ("datasets", "export", "information", "plot", "reference")

__all__ = sorted([*_HOMES, *_MODULES, "__version__"])


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
