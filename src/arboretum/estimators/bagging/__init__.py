"""Bagging: many trees, each grown from a sample of the rows, that predict together."""

from arboretum.estimators.bagging.bagged_estimators import BaggedClassifier, BaggedRegressor
from arboretum.estimators.bagging.bagged_ranker import BaggedRanker

__all__ = ["BaggedClassifier", "BaggedRanker", "BaggedRegressor"]
