"""The estimators: scikit-learn shaped fronts over grow and prune."""

from arboretum.estimators.mixed import TreeMixed
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor

__all__ = ["TreeClassifier", "TreeMixed", "TreeRegressor"]
