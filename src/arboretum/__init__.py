"""arboretum: decision trees that are grown fast and easy to read.

The public names, and nothing else. They are loaded when first used, so that importing costs little.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version as _version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arboretum import datasets, information, reference
    from arboretum.candidate_table import candidates
    from arboretum.errors import ArboretumError, DataError, DataTypeError, PackageError, ParameterError
    from arboretum.estimators import TreeClassifier, TreeRegressor
    from arboretum.importances import importance
    from arboretum.leaves import MEstimate
    from arboretum.strategies import GainRatio, Surrogate
    from arboretum.tree import Node, Tree

__all__ = [
    "ArboretumError",
    "DataError",
    "DataTypeError",
    "GainRatio",
    "MEstimate",
    "Node",
    "PackageError",
    "ParameterError",
    "Surrogate",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "__version__",
    "candidates",
    "datasets",
    "importance",
    "information",
    "reference",
]

__version__ = _version("arboretum")

_HOMES = {
    "ArboretumError": "errors",
    "DataError": "errors",
    "DataTypeError": "errors",
    "GainRatio": "strategies",
    "MEstimate": "leaves",
    "Node": "tree",
    "PackageError": "errors",
    "ParameterError": "errors",
    "Surrogate": "strategies",
    "Tree": "tree",
    "TreeClassifier": "estimators",
    "TreeRegressor": "estimators",
    "candidates": "candidate_table",
    "importance": "importances",
}
_MODULES = ("datasets", "information", "reference")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"arboretum.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'arboretum' has no attribute {name!r}")
    value = getattr(import_module(f"arboretum.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
