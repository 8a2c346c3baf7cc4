"""Trees of tables in the partitions of a Dask cluster: the same as from the whole table, to the last bit.

Dask and DataSketches are needed here, and nowhere else: `pip install "arboretum[dask]"`.
"""

from arboretum.errors import PackageError

try:
    from arboretum.dask import sizes as _sizes  # noqa: F401 - workers import the package, and know sizes then
    from arboretum.dask.estimators import TreeClassifier, TreeRegressor
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("dask", "datasketches", "distributed"):
        raise
    raise PackageError(
        f"arboretum.dask needs the packages dask, distributed and datasketches, but {_error.name} is not "
        'installed.\nHint: pip install "arboretum[dask]".'
    ) from _error

__all__ = ["TreeClassifier", "TreeRegressor"]


def __dir__() -> list[str]:
    return sorted(__all__)
