"""The estimators: scikit-learn shaped fronts over grow and prune."""

from arboretum.estimators.bagging import BaggedClassifier, BaggedRanker, BaggedRegressor
from arboretum.estimators.mixed import TreeMixed
from arboretum.estimators.ranker import TreeRanker
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor

__all__ = [
    "BaggedClassifier",
    "BaggedRanker",
    "BaggedRegressor",
    "TreeClassifier",
    "TreeMixed",
    "TreeRanker",
    "TreeRegressor",
]
