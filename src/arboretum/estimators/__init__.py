"""The estimators: scikit-learn shaped fronts over grow and prune."""

from arboretum.estimators.bagging import BaggedClassifier, BaggedRegressor
from arboretum.estimators.mixed import TreeMixed
from arboretum.estimators.ranker import TreeRanker
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor

__all__ = [
    "BaggedClassifier",
    "BaggedRegressor",
    "TreeClassifier",
    "TreeMixed",
    "TreeRanker",
    "TreeRegressor",
]
