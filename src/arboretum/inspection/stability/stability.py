"""Stability: fit an estimator to resamples of the rows, and see how much its tree depends on them."""

from __future__ import annotations

from typing import Any, Final, get_args

import numpy as np
from sklearn.base import BaseEstimator, clone

from arboretum._data.several_targets import split_outputs
from arboretum._data.targets import read_weights
from arboretum._grow.training_table import read_training_table
from arboretum._options.rules import OneOf, Real, Whole, refuse
from arboretum._options.running import Threads, Verbose, progress, random_source
from arboretum._prune.folds import read_groups
from arboretum._tree.fitted import refuse_linear, refuse_model
from arboretum._warning import first_of_each
from arboretum.errors import DataError, DataTypeError, listing
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.base_tree import BaseTree
from arboretum.inspection.stability.agreement import compare
from arboretum.inspection.stability.asked import cuts_of
from arboretum.inspection.stability.resampling import FRACTIONS, Method, Resampling, grow_members
from arboretum.inspection.stability.result import Stability

_MOST: Final = 10_000  # resamples: agreement is a table of all pairs
_FRACTION: Final = Real(
    "a share of the rows above 0 and up to 1, or None", most=1.0, above=True, or_none=True
)


def stability(
    estimator: Any,
    X: Any,
    y: Any,
    n_resamples: int = 100,
    random_state: Any = None,
    *,
    method: Method = "bootstrap",
    fraction: float | None = None,
    levels: int = 3,
    sample_weight: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Stability:
    """Return how much the tree of an estimator changes if other rows are drawn.

    The estimator is fitted to many resamples of the rows. The result tells how often a column is asked about
    at the root and in the first levels, where it is cut, how large the trees are, how often two of them
    predict the same, and which rows they disagree about. The consensus tree is the one that is nearest to all
    others.

    A resample is a vector of weights: tree i is what `estimator.fit(X, y, sample_weight=w)` makes, where w is
    how often each row was drawn, times its own weight. It depends on `random_state` and i alone.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> found = stability(TreeClassifier(max_depth=3, prune=None), X, y, n_resamples=50)
    >>> found.to_frame()[["column", "root", "first"]]
             column  root  first
    0  petal_length  0.94   1.00
    1   petal_width  0.06   0.94
    2  sepal_length  0.00   0.26
    3   sepal_width  0.00   0.04

    Parameters
    ----------
    estimator : a TreeClassifier, TreeRegressor or TreeRanker, fitted or not; it is not changed
    X, y, sample_weight, groups : as for `fit`; groups (of a ranker, the queries) are drawn as a whole, and
        stay together in folds
    n_resamples : how many trees, from 2 to 10,000
    random_state : None and 0 are the same fixed resamples, another whole number gives others
    method : "bootstrap" draws rows with replacement, "subsample" without
    fraction : how many rows (or groups) are drawn, as a share of all; None: as many as there are for
        "bootstrap", half of them for "subsample"
    levels : how many levels of a tree are its first ones, the root included
    n_jobs : how many threads fit trees; it does not change the result
    verbose : 1 shows a progress bar
    """
    _check_estimator(estimator)
    _refuse_several(y)
    count = Whole(2).read(n_resamples, "n_resamples")
    if count is None or count > _MOST:
        raise refuse(n_resamples, "n_resamples", "", f"an integer from 2 to {_MOST:,}")
    OneOf(get_args(Method)).read(method, "method")
    share = _FRACTION.read(fraction, "fraction") or FRACTIONS[method]
    n_levels = Whole(1).read(levels, "levels")
    assert n_levels is not None
    shown, n_threads = Verbose().read(verbose, "verbose"), Threads().read(n_jobs, "n_jobs")
    seed = int(random_source(random_state).randint(2**31))

    with first_of_each():  # what is wrong with the data is wrong in every resample
        model = clone(estimator).fit(X, y, sample_weight=sample_weight, groups=groups)
    refuse_linear(model.tree_, "stability()")
    settings = estimator._settings()
    table = read_training_table(settings, X, y, type(estimator).__name__, groups)
    weights = read_weights(sample_weight, table.n_rows)
    numbers = read_groups(groups, table.n_rows)
    _refuse_one_group(numbers, weights)
    resampling = Resampling(method, share, seed, numbers, weights, table.n_rows)
    members = grow_members(estimator, settings, table, resampling, count, n_threads)
    trees = tuple(progress(members, count, "resamples", shown=shown))
    return Stability(
        model,
        trees,
        n_levels,
        method,
        share,
        table.n_rows,
        compare(trees, table.data, weights),
        cuts_of(trees, table.data, n_levels),
    )


def _check_estimator(estimator: Any) -> None:
    if isinstance(estimator, BaseTree):
        return
    hint = None
    if isinstance(estimator, type) and issubclass(estimator, BaseTree):
        hint = f"{estimator.__name__}() makes one"
    elif isinstance(estimator, BaseBagging):
        hint = "an ensemble is many trees already; give an estimator of one tree, such as TreeClassifier()"
    elif isinstance(estimator, BaseEstimator) and not hasattr(estimator, "steps"):
        hint = "give one of arboretum, such as TreeClassifier()"
    refuse_model(estimator, "stability()", "a TreeClassifier, TreeRegressor or TreeRanker", hint)


def _refuse_several(y: Any) -> None:
    outputs = split_outputs(y)
    if outputs is not None:
        raise DataTypeError(
            f"stability() is for one output, but y has {len(outputs.names)} columns: "
            f"{listing(outputs.names)}.\nHint: give one of them as y."
        )


def _refuse_one_group(groups: Any, weights: Any) -> None:
    if groups is not None and len(np.unique(groups if weights is None else groups[weights > 0])) < 2:
        raise DataError(
            "All rows are of one group, so that every resample would hold the same rows.\n"
            "Hint: leave groups out, or give a group per household, patient or day."
        )
