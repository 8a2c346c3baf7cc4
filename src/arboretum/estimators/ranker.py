"""The estimator of an order: rows are put in an order within their query, by a score."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from arboretum._data import Unknown
from arboretum._data.queries import read_queries
from arboretum._data.targets import read_numbers, read_weights
from arboretum._options.choices import Levels, Nominal, OrderCriterion, Thresholds
from arboretum._options.measures.of_order import Ranking, mean_over_queries, ndcg
from arboretum._types import Numbers
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.parameters import MissingPolicy, Pruning, Questions, Search, Seed, ValueLeaf

_PLACES = 10  # that the score counts


class RankerMixin:
    """What models of an order share: places within queries, and how good they are."""

    predict: Callable[..., Numbers]

    def rank(self, X: Any, groups: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the place of each row in its query, from 1; rows of the same score share their mean."""
        score = self.predict(X, unknown=unknown)
        ranking = Ranking.of(score, read_queries(groups, len(score), type(self).__name__))
        places = np.empty(len(score))
        places[ranking.rows] = (
            ranking.over_ties(np.asarray(ranking.place + 1, dtype=np.float64)) / ranking.tie_sizes
        )[ranking.tie]
        return places

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None) -> float:
        """Return the mean NDCG@10 of the queries: 1 for the best order; gains are the relevance itself.

        Queries without a relevant row are left out; the others count by the mean weight of their rows.
        """
        score, owner = self.predict(X), f"{type(self).__name__}.score()"
        queries = read_queries(groups, len(score), owner)
        relevance = read_numbers(y, len(score), owner)
        weights = read_weights(sample_weight, len(score))
        return mean_over_queries(ndcg(relevance, queries, _PLACES), score, weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags


class TreeRanker(RankerMixin, BaseTree):
    """A decision tree for order: it scores the rows of each query so that the most relevant come first.

    A query is a set of rows that are compared with each other: the documents found for a search, the offers
    shown to a customer, the horses of a race. `fit` takes the relevance of each row and, as `groups`, the
    query that it belongs to. Only order within queries is learnt: that all rows of one query are more
    relevant than those of another changes nothing.

    >>> from arboretum import datasets
    >>> X, relevance, queries = datasets.make_ranking(n_queries=80, random_state=1)
    >>> model = TreeRanker(max_depth=2).fit(X, relevance, groups=queries)
    >>> print(model.tree_)
    [1,438 rows, weight 1438]  ndcg 3.51, mean 0
    ├── x0 <= 0.39628994687321  [880 rows, weight 707.54]  ndcg 2.82, mean -0.952878
    │   ├── x2 <= 1.74966517941611  [846 rows, weight 643.58]  → -1.08873 (mean -1.15586)
    │   └── x2 > 1.74966517941611  [34 rows, weight 63.961]  → 0.969602 (mean 1.08959)
    └── x0 > 0.39628994687321  [558 rows, weight 730.46]  ndcg 2.44, mean 0.922973
        ├── x4 <= -0.331305441319637  [209 rows, weight 211.95]  → 0.242104 (mean 0.200104)
        └── x4 > -0.331305441319637  [349 rows, weight 518.51]  → 1.13276 (mean 1.21845)

    Parameters
    ----------
    criterion : {"ndcg", "pairwise", "within_query"}
        What a good question lowers. "within_query": the squared error of relevance less its mean in the
        query. "pairwise": the logistic loss of pairs of rows of a query, to second order. "ndcg": the same,
        each pair weighted by what a swap of its rows changes NDCG@10. docs/ranking.md has the formulas.
    prune : as in `TreeRegressor`
        By default, whole queries are held out, and NDCG@10 compares the trees.
        `CostComplexity(measure=…)` takes "ndcg", "ndcg@5", "map", "mrr", "kendall" and "squared_error".
    nominal, levels, thresholds, questions, search, missing, max_depth, min_samples_split, min_samples_leaf
        As in `TreeRegressor`.
    min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease, competitors, max_bins, leaf
        As in `TreeRegressor`.
    monotonic_cst, column_costs, categorical_features, ordered_features, random_state, n_jobs, verbose
        As in `TreeRegressor`.
    """

    _of_order: ClassVar[bool] = True

    def __init__(
        self,
        *,
        criterion: OrderCriterion = "ndcg",
        nominal: Nominal = "subset",
        levels: Levels = "corrected",
        thresholds: Thresholds = "midpoint",
        questions: Questions = "axis",
        search: Search = "greedy",
        missing: MissingPolicy = "category",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        competitors: int = 0,
        max_bins: int | None = None,
        prune: Pruning = "cost_complexity",
        leaf: ValueLeaf = "shrinkage",
        column_costs: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        ordered_features: Any = None,
        random_state: Seed = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self._keep_parameters(locals())

    def fit(  # type: ignore[override]  # of one output, with queries also for tuning data
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        groups_val: Any = None,
    ) -> Self:
        """Grow the tree from a table and the relevance of each row, the higher the better; prune it.

        `groups` names the query of each row, by any value that can be hashed; rows of a query need not be
        side by side. Rows that say nothing about an order are left out: those of a query of one row, and for
        criteria of pairs those of queries whose rows are all as relevant. `sample_weight` may tell rows of a
        query apart, or whole queries: a query counts by the mean weight of its rows where orders are
        measured, and by their sum where the tree grows. `X_val`, `y_val`, their weights and their queries are
        tuning data, as in `TreeRegressor`.
        """
        return self._fit(X, y, sample_weight, groups, (X_val, y_val, sample_weight_val, groups_val))

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the score of each row; of two rows of a query, the one with the higher score comes first.

        `unknown` says how to treat levels that the tree does not know, as in `TreeRegressor`.
        """
        fitted = self._fitted
        return fitted.tree._at_leaves("value", X, unknown=unknown, **self._matching(fitted))
