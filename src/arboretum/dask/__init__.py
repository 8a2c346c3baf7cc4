"""Trees of tables in the partitions of a Dask cluster: the same as from the whole table, to the last bit."""

from arboretum.dask.estimators import TreeClassifier, TreeRegressor

__all__ = ["TreeClassifier", "TreeRegressor"]
