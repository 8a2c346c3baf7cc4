"""Criteria of order equal brute force over pairs: targets, weights, gains and the question that is asked."""

from __future__ import annotations

from itertools import combinations
from math import exp, log, log1p

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arboretum import TreeRanker

pytestmark = pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
ROW = st.tuples(
    st.integers(0, 3), st.integers(0, 2), st.sampled_from([1, 2, 3]), st.integers(0, 4), st.integers(0, 4)
)
ROWS = st.lists(ROW, min_size=2, max_size=12)
Row = tuple[int, int, int, int, int]  # relevance, query, weight, and two columns


def discount(place: int) -> float:
    return 1 / log(place + 1, 2) if place <= 10 else 0.0


def pairs_of(rows: list[Row], criterion: str) -> dict[tuple[int, int], float]:
    """Return what each pair (i, j) of a query counts, in which i is the more relevant row.

    The pairs of a query together curve as much as its rows weigh: half of it for the first row of each pair,
    half for the second. For NDCG that holds of all queries together.
    """
    found: dict[tuple[int, int], float] = {}
    queries = sorted({row[1] for row in rows})
    for query in queries:
        members = [number for number, row in enumerate(rows) if row[1] == query]
        mean = sum(rows[i][2] for i in members) / len(members)
        mine = {
            (i, j): float(rows[i][2] * rows[j][2])
            for i in members
            for j in members
            if rows[i][0] > rows[j][0]
        }
        if not mine:
            continue
        if criterion == "pairwise":
            total = sum(mine.values()) * 2 / (mean * len(members))
        else:
            lowest = min(rows[i][0] for i in members)
            gains = sorted((rows[i][0] - lowest for i in members), reverse=True)
            ideal = sum(gain * discount(place) for place, gain in enumerate(gains, 1))
            places = list(combinations(range(1, len(members) + 1), 2))
            swapped = sum(abs(discount(a) - discount(b)) for a, b in places) / len(places)
            for i, j in mine:
                mine[i, j] *= (rows[i][0] - rows[j][0]) * swapped / ideal / mean
            total = 1.0
        found |= {pair: count / total for pair, count in mine.items()}
    if criterion == "ndcg" and found:
        weight = sum(row[2] for number, row in enumerate(rows) if any(number in pair for pair in found))
        factor = weight / sum(found.values()) / 2
        found = {pair: count * factor for pair, count in found.items()}
    return found


def newton(rows: list[Row], pairs: dict[tuple[int, int], float]) -> tuple[dict[int, float], dict[int, float]]:
    """Return the slope and the curvature of the loss for each row, times 4."""
    slopes, curves = dict.fromkeys(range(len(rows)), 0.0), dict.fromkeys(range(len(rows)), 0.0)
    for (i, j), count in pairs.items():
        slopes[i] += 2 * count
        slopes[j] -= 2 * count
        curves[i] += count
        curves[j] += count
    return slopes, curves


def loss(pairs: dict[tuple[int, int], float], scores: dict[int, float]) -> float:
    """Return the logistic loss of all pairs, times 4."""
    return 4 * sum(count * log1p(exp(scores[j] - scores[i])) for (i, j), count in pairs.items())


@pytest.mark.parametrize("criterion", ["pairwise", "ndcg"])
@given(rows=ROWS)
@settings(max_examples=40, deadline=None)
def test_the_question_has_the_largest_gain_over_all_pairs(criterion: str, rows: list[Row]) -> None:
    pairs = pairs_of(rows, criterion)
    assume(pairs)
    slopes, curves = newton(rows, pairs)
    telling = [row for row, curve in curves.items() if curve > 0]
    whole = sum(curves.values())

    def gain(left: list[int]) -> float:
        right = [row for row in telling if row not in left]
        value = 0.0
        for part, sign in ((left, 1), (right, 1), (telling, -1)):
            value += sign * sum(slopes[i] for i in part) ** 2 / sum(curves[i] for i in part)
        return value / whole

    best = 0.0
    for column in (3, 4):
        for cut in range(5):
            left = [i for i in telling if rows[i][column] <= cut]
            if 0 < len(left) < len(telling):
                best = max(best, gain(left))
    table = np.array(rows, dtype=float)
    model = TreeRanker(criterion=criterion, prune=None, max_depth=1, leaf="mean")
    fitted = model.fit(table[:, 3:], table[:, 0], table[:, 2], groups=table[:, 1])
    root = fitted.tree_.root
    assert root.weight == pytest.approx(whole)
    assert root.impurity == pytest.approx(sum(slopes[i] ** 2 / curves[i] for i in telling) / whole)
    if root.is_leaf:
        assert best == pytest.approx(0.0, abs=1e-12)
        return
    assert root.gain == pytest.approx(best, abs=1e-12)
    assert root.n_rows == len(telling)
    # The leaves' scores are Newton's step for the loss of all pairs from equal scores.
    leaf = fitted.apply(table[:, 3:])
    for number in sorted(set(leaf[telling].tolist())):
        inside = [i for i in telling if leaf[i] == number]
        step = sum(slopes[i] for i in inside) / sum(curves[i] for i in inside)
        assert fitted.tree_.node(number).value == pytest.approx(step, abs=1e-12)


@pytest.mark.parametrize("criterion", ["pairwise", "ndcg"])
def test_slopes_and_curvatures_are_derivatives_of_the_loss(criterion: str) -> None:
    """What the oracle above takes for granted: numeric derivatives of the loss over pairs, row by row."""
    random = np.random.default_rng(5)
    rows: list[Row] = [
        (int(random.integers(4)), int(random.integers(2)), int(random.integers(1, 3)), 0, 0) for _ in range(9)
    ]
    pairs = pairs_of(rows, criterion)
    slopes, curves = newton(rows, pairs)
    step, equal = 1e-4, dict.fromkeys(range(len(rows)), 0.0)
    for row in range(len(rows)):
        up, down = loss(pairs, equal | {row: step}), loss(pairs, equal | {row: -step})
        assert (down - up) / (2 * step) == pytest.approx(slopes[row], abs=1e-6)
        assert (up + down - 2 * loss(pairs, equal)) / step**2 == pytest.approx(curves[row], abs=1e-5)


@given(rows=ROWS)
@settings(max_examples=40, deadline=None)
def test_within_query_is_least_squares_of_centred_relevance(rows: list[Row]) -> None:
    table = np.array(rows, dtype=float)
    relevance, query, weight = table[:, 0], table[:, 1], table[:, 2]
    telling = np.array([(query == one).sum() > 1 for one in query])
    assume(telling.any())
    centred = np.zeros(len(rows))
    for one in set(query.tolist()):
        inside = query == one
        centred[inside] = relevance[inside] - np.average(relevance[inside], weights=weight[inside])
    model = TreeRanker(criterion="within_query", prune=None, leaf="mean", max_depth=2)
    fitted = model.fit(table[:, 3:], relevance, weight, groups=query)
    mean = np.average(centred[telling] ** 2, weights=weight[telling])
    assert fitted.tree_.root.impurity == pytest.approx(mean, abs=1e-12)
    leaf = fitted.apply(table[:, 3:])
    for number in set(leaf[telling].tolist()):
        inside = telling & (leaf == number)
        expected = np.average(centred[inside], weights=weight[inside])
        assert fitted.tree_.node(number).value == pytest.approx(expected, abs=1e-12)
