"""The estimators: scikit-learn shaped fronts over grow and prune."""

from arboretum.estimators.ranker import TreeRanker
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor

__all__ = ["TreeClassifier", "TreeRanker", "TreeRegressor"]
