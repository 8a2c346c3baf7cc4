"""The ensemble of rankers: trees grown from samples of whole queries, whose scores are averaged."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from arboretum._data import Unknown
from arboretum._types import Numbers
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.parameters import MaxFeatures
from arboretum.estimators.parameters import Seed
from arboretum.estimators.ranker import RankerMixin, TreeRanker


class BaggedRanker(RankerMixin, BaseBagging):
    """Many trees for order, each grown from a sample of the queries; their scores are averaged.

    >>> from arboretum import datasets
    >>> X, relevance, queries = datasets.make_ranking(n_queries=80, random_state=1)
    >>> model = BaggedRanker(n_trees=50, oob=True).fit(X, relevance, groups=queries)
    >>> round(model.oob_score_, 2)
    0.79
    >>> model.rank(X[:4], ["a"] * 4).tolist()
    [4.0, 1.0, 2.0, 3.0]

    Parameters
    ----------
    tree : TreeRanker, optional
        The parameters of every tree, by default `TreeRanker(prune=None, leaf="mean")`; see
        `BaggedClassifier`.
    bootstrap : {True, False}
        Whether queries are drawn with replacement. A query that is drawn twice counts as two queries.
    max_samples : int, float or None
        How many queries are drawn for each tree, or their share; None: as many as there are.
    oob : bool
        Whether each query is judged by the trees that were not grown from it: `oob_score_` is the mean
        NDCG@10 of the queries, `oob_curve_` what is missing to 1 after each tree. Gains are the relevance
        or, if some is below 0, count from the lowest of the query.
    n_trees, max_features, patience, warm_start, random_state, n_jobs, verbose
        As in `BaggedClassifier`.
    """

    _tree_type = TreeRanker

    def __init__(
        self,
        tree: TreeRanker | None = None,
        *,
        n_trees: int = 100,
        max_features: MaxFeatures = None,
        bootstrap: bool = True,
        max_samples: float | None = None,
        oob: bool = False,
        patience: int | None = None,
        warm_start: bool = False,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> Self:
        """Grow the trees from a table and the relevance of each row, the higher the better.

        `groups` names the query of each row, as in `TreeRanker`. With `warm_start=True`, the trees of the
        last fit are kept and only those that lack are grown; the table must be the same.
        """
        return self._fit(X, y, sample_weight, groups)

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the mean of the trees' scores for each row; the row with the higher score comes first.

        `unknown` says how to treat levels that the trees do not know, as in `TreeRanker`.
        """
        return np.ascontiguousarray(self._mean(X, unknown)[:, 0])

    @property
    def oob_prediction_(self) -> Numbers:
        """The score of each row by the trees that left its query out; NaN where none did."""
        return np.ascontiguousarray(self._oob_means()[:, 0])
