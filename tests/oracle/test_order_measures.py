"""Measures of order equal brute force over all orders of tied rows, and scikit-learn where it has the same.

Random data are drawn by hypothesis; small queries have so few orders that all can be tried.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, groupby, permutations, product
from statistics import mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau
from sklearn.metrics import label_ranking_average_precision_score, ndcg_score

from arboretum import DataError, ParameterError, ranking

GRADES, SCORES = st.integers(0, 3), st.sampled_from([-1.0, 0.0, 0.5, 2.0])
QUERY = st.lists(st.tuples(GRADES, SCORES), min_size=1, max_size=5)


def orders(score: list[float]) -> list[list[int]]:
    """All orders of rows by score, the highest first."""
    ranked = sorted(range(len(score)), key=lambda row: -score[row])
    ties = [list(permutations(rows)) for _, rows in groupby(ranked, key=lambda row: score[row])]
    return [[row for tie in chosen for row in tie] for chosen in product(*ties)]


def dcg(gains: list[float], k: int | None) -> float:
    return float(sum(gain / np.log2(place + 2) for place, gain in enumerate(gains[:k])))


def ndcg_of(truth: list[int], k: int | None) -> Callable[[list[int]], float]:
    ideal = dcg(sorted(map(float, truth), reverse=True), k)
    return lambda order: dcg([float(truth[row]) for row in order], k) / ideal


def average_precision_of(truth: list[int]) -> Callable[[list[int]], float]:
    def value(order: list[int]) -> float:
        hits = [place for place, row in enumerate(order, 1) if truth[row] > 0]
        return mean(number / place for number, place in enumerate(hits, 1))

    return value


def reciprocal_rank_of(truth: list[int]) -> Callable[[list[int]], float]:
    return lambda order: 1.0 / next(place for place, row in enumerate(order, 1) if truth[row] > 0)


def tau_of(truth: list[int]) -> Callable[[list[int]], float]:
    def value(order: list[int]) -> float:
        pairs = [np.sign(truth[a] - truth[b]) for a, b in combinations(order, 2) if truth[a] != truth[b]]
        return float(np.mean(pairs))

    return value


@given(st.lists(QUERY, min_size=1, max_size=4), st.sampled_from([1, 2, 3, None]))
@settings(max_examples=40, deadline=None)
def test_every_measure_is_the_mean_over_all_orders_of_ties(
    queries: list[list[tuple[int, float]]], k: int | None
) -> None:
    relevance = [grade for query in queries for grade, _ in query]
    score = [given for query in queries for _, given in query]
    groups = [f"query {number}" for number, query in enumerate(queries) for _ in query]
    measures: list[tuple[Callable[..., float], Callable[[list[int]], Callable[[list[int]], float]], bool]] = [
        (lambda *rows: ranking.ndcg(*rows, k=k), lambda truth: ndcg_of(truth, k), False),
        (ranking.mean_average_precision, average_precision_of, False),
        (ranking.mean_reciprocal_rank, reciprocal_rank_of, False),
        (ranking.kendall_tau, tau_of, True),
    ]
    for function, value_of, of_pairs in measures:
        expected = []
        for query in queries:
            truth = [grade for grade, _ in query]
            if len(set(truth)) > 1 if of_pairs else any(truth):
                one = value_of(truth)
                expected.append(mean(one(order) for order in orders([given for _, given in query])))
        if expected:
            shuffled = np.random.default_rng(len(groups)).permutation(len(groups)).tolist()
            rows = [[column[row] for row in shuffled] for column in (relevance, score, groups)]
            assert function(*rows) == pytest.approx(mean(expected), abs=1e-12)
        else:
            with pytest.raises(DataError, match="has no value"):
                function(relevance, score, groups)


@pytest.mark.parametrize("k", [None, 1, 4, 100])
def test_ndcg_and_map_are_those_of_scikit_learn(k: int | None) -> None:
    random = np.random.default_rng(3)
    relevance, score = random.integers(0, 4, (50, 9)), random.integers(0, 5, (50, 9)).astype(float)
    relevance[:, 0] = 1  # scikit-learn counts queries without a gain as 0, we leave them out
    groups = np.repeat(np.arange(50), 9)
    found = ranking.ndcg(relevance.ravel(), score.ravel(), groups, k=k)
    assert found == pytest.approx(ndcg_score(relevance, score, k=k), abs=1e-12)
    distinct = score + random.uniform(0, 0.5, score.shape)  # it has another way with ties
    found = ranking.mean_average_precision(relevance.ravel(), distinct.ravel(), groups)
    assert found == pytest.approx(label_ranking_average_precision_score(relevance > 0, distinct), abs=1e-12)


@pytest.mark.parametrize("n_rows", [30, 500])
def test_tau_is_that_of_scipy_in_short_and_long_queries(n_rows: int) -> None:
    random = np.random.default_rng(n_rows)
    relevance, score = random.normal(size=(2, n_rows))
    found = ranking.kendall_tau(relevance, score, [0] * n_rows)
    assert found == pytest.approx(kendalltau(relevance, score).statistic, abs=1e-12)
    grades, rounded = np.round(relevance), np.round(score)
    pairs = np.sign(np.subtract.outer(grades, grades)) * np.sign(np.subtract.outer(rounded, rounded))
    expected = pairs.sum() / (np.subtract.outer(grades, grades) != 0).sum()
    assert ranking.kendall_tau(grades, rounded, [0] * n_rows) == pytest.approx(expected, abs=1e-12)


def test_long_queries_without_an_order_count_nothing() -> None:
    grades = np.arange(300.0)
    assert ranking.kendall_tau(grades, np.zeros(300), [0] * 300) == 0.0


def test_gains() -> None:
    truth, score, groups = [1, 3, 2], [3.0, 2.0, 1.0], ["a"] * 3
    exponential = ranking.ndcg(truth, score, groups, gains="exponential")
    assert exponential == ranking.ndcg([1, 7, 3], score, groups)
    above = ranking.ndcg(truth, score, groups, gains="above_lowest")
    assert above == ranking.ndcg([0, 2, 1], score, groups)
    assert above == ranking.ndcg([-4, -2, -3], score, groups, gains="above_lowest")


def test_weights_are_those_of_queries() -> None:
    """A query counts by the mean weight of its rows, and one of no weight not at all."""
    truth, score, groups = [1, 0, 0, 1], [1.0, 0.0, 1.0, 0.0], [0, 0, 1, 1]
    assert ranking.mean_reciprocal_rank(truth, score, groups) == 0.75
    assert ranking.mean_reciprocal_rank(truth, score, groups, sample_weight=[2, 4, 1, 1]) == 0.875
    assert ranking.mean_reciprocal_rank(truth, score, groups, sample_weight=[0, 0, 1, 1]) == 0.5


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, -1], [0, 1], [0, 0]), {}, "row 1 is -1, but NDCG adds up gains"),
        (([1, 9000], [0, 1], [0, 0]), {"gains": "exponential"}, "row 1 is 9000, too much"),
        (([1, 0], [0, 1], [0, 0]), {"gains": "cubic"}, "gains"),
        (([1, 0], [0, 1], [0, 0]), {"k": 0}, "k=0"),
        (([1, 0], [0], [0, 0]), {}, "The scores given to ndcg"),
        (([1, float("nan")], [0, 1], [0, 0]), {}, "missing in 1 of 2 rows"),
        (([1, 0], [0, float("inf")], [0, 0]), {}, "The scores given to ndcg"),
        (([1, 0], [0, 1], None), {}, "groups is not given"),
        (([], [], []), {}, "no rows"),
    ],
)
def test_bad_input_is_refused(
    arguments: tuple[object, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        ranking.ndcg(*arguments, **options)
