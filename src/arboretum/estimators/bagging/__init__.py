"""Bagging: many trees, each grown from a sample of the rows, that predict together."""

from arboretum.estimators.bagging.bagged_estimators import BaggedClassifier, BaggedRegressor

__all__ = ["BaggedClassifier", "BaggedRegressor"]
