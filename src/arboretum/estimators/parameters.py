"""The types of the estimators' parameters, for editors and type checkers.

The presets take the same keywords as the estimators themselves: `TreeClassifier.c45(prune=None)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np

from arboretum._grow.leaves import Honest, LinearModel, Median, Quantiles
from arboretum._grow.significance import ChiSquare, Conditional, FTest, Permutation
from arboretum._options.choices import (
    ClassCriterion,
    Leaf,
    Levels,
    Missing,
    Nominal,
    NumberCriterion,
    NumberLeaf,
    Thresholds,
)
from arboretum._options.optimal import Optimal
from arboretum._options.strategies import GainRatio, Lookahead, MEstimate, MofN, Oblique, Shrinkage, Surrogate
from arboretum._prune import PrunerName
from arboretum._prune.pruning import Pruner

OfClasses: TypeAlias = ClassCriterion | GainRatio
Questions: TypeAlias = Literal["axis"] | MofN | Oblique
Search: TypeAlias = Literal["greedy"] | Lookahead | Optimal
MissingPolicy: TypeAlias = Missing | Surrogate
Pruning: TypeAlias = PrunerName | Pruner | None
ClassTest: TypeAlias = float | ChiSquare | Permutation | Conditional | None
NumberTest: TypeAlias = float | FTest | Permutation | Conditional | None
ClassLeaf: TypeAlias = Leaf | MEstimate | Shrinkage | Honest
ValueLeaf: TypeAlias = NumberLeaf | Shrinkage | Honest | LinearModel | Median | Quantiles
ClassWeight: TypeAlias = Literal["balanced"] | Mapping[Any, Any] | None
Seed: TypeAlias = int | np.random.RandomState | None


class TreeParameters(TypedDict, total=False):
    """What both estimators take."""

    nominal: Nominal
    levels: Levels
    thresholds: Thresholds
    questions: Questions
    search: Search
    missing: MissingPolicy
    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    competitors: int
    max_bins: int | None
    prune: Pruning
    column_costs: Any
    monotonic_cst: Any
    categorical_features: Any
    ordered_features: Any
    random_state: Seed
    n_jobs: int | None
    verbose: int


class ClassifierParameters(TreeParameters, total=False):
    """What `TreeClassifier` takes."""

    criterion: OfClasses
    significance: ClassTest
    leaf: ClassLeaf
    class_weight: ClassWeight
    priors: Any
    loss: Any


class RegressorParameters(TreeParameters, total=False):
    """What `TreeRegressor` takes."""

    criterion: NumberCriterion
    significance: NumberTest
    leaf: ValueLeaf
