"""Other libraries, each asked for one tree by one thread, the making of its own data set included.

Words: a *rival* is a library that need not be there; an *order* says what tree is wanted of it.
scikit-learn is always there and no rival; nothing is timed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any

__all__ = ["PACKAGES", "Order", "Rival", "available", "versions"]

# Without a limit, LightGBM clears the histograms of all leaves it might have: gigabytes, and slower.
POOL_MEGABYTES = 1024
# The most leaves that LightGBM lets a tree have.
MOST_LEAVES = 131_072

PACKAGES = {"LightGBM": "lightgbm", "XGBoost": "xgboost", "YDF": "ydf"}


@dataclass(frozen=True)
class Order:
    """The tree that is wanted: no classes mean regression, no depth means fully grown."""

    n_classes: int
    max_depth: int | None
    min_leaf: int
    n_leaves: int  # of our own tree: rivals that grow the best leaf first stop there


Rival = Callable[[Any, Any, Order], object]


def grow_lightgbm(X: Any, y: Any, order: Order) -> object:
    """One tree of at most 255 bins; of more than two classes, a regression tree of the class number.

    LightGBM grows one tree per class: a single one of the same table is the least it could cost.
    """
    lightgbm = import_module("lightgbm")
    options = {
        "objective": "binary" if order.n_classes == 2 else "regression",
        "num_leaves": max(2, min(order.n_leaves, MOST_LEAVES)),
        "max_depth": order.max_depth or -1,
        "min_data_in_leaf": order.min_leaf,
        "min_sum_hessian_in_leaf": 0.0,
        "max_bin": 255,
        "min_data_in_bin": 1,
        "force_col_wise": True,
        "histogram_pool_size": POOL_MEGABYTES,
        "num_threads": 1,
        "verbosity": -1,
    }
    return lightgbm.train(options, lightgbm.Dataset(X, y, params=options), num_boost_round=1)


def grow_xgboost(X: Any, y: Any, order: Order) -> object:
    """One tree of two classes with leaves of any size, from histograms, nothing shrunk."""
    xgboost = import_module("xgboost")
    options = {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "max_depth": order.max_depth or 0,
        "min_child_weight": 0.0,
        "reg_lambda": 0.0,
        "nthread": 1,
    }
    data = xgboost.DMatrix(X, y, enable_categorical=True, nthread=1)
    return xgboost.train(options, data, num_boost_round=1)


def grow_ydf(X: Any, y: Any, order: Order) -> object:
    """One unpruned CART tree of a data frame; a tree of one node has depth 1 there."""
    ydf = import_module("ydf")
    ydf.verbose(0)
    learner = ydf.CartLearner(
        label="target",
        max_depth=-1 if order.max_depth is None else order.max_depth + 1,
        min_examples=order.min_leaf,
        validation_ratio=0.0,
        num_threads=1,
    )
    return learner.train(X.assign(target=y))


GROWERS: dict[str, Rival] = {"LightGBM": grow_lightgbm, "XGBoost": grow_xgboost, "YDF": grow_ydf}


def can_import(package: str) -> bool:
    """Whether a package is there and works."""
    try:
        import_module(package)
    except Exception:  # a library that is missing, broken, or built for another machine fails in its own way
        return False
    return True


def available() -> dict[str, Rival]:
    """The rivals that are installed, by name."""
    return {name: grow for name, grow in GROWERS.items() if can_import(PACKAGES[name])}


def versions(names: list[str]) -> str:
    """The rivals with their versions, and those that are not there."""
    return ", ".join(
        f"{name} {version(package)}" if name in names else f"{name} not installed"
        for name, package in PACKAGES.items()
    )
