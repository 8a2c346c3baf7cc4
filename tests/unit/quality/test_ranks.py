"""The ranks of `benchmarks/quality` against the worked example of Demšar, "Statistical Comparisons of
Classifiers over Multiple Data Sets" (2006): four classifiers on fourteen tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import friedmanchisquare

from benchmarks.quality.ranks import critical_difference, friedman, groups_alike, rank_peers

MEAN_RANKS = np.array([3.143, 2.000, 2.893, 1.964])


def test_friedman_of_the_published_example() -> None:
    """He finds 9.28 and, corrected, 3.69, where 2.85 is critical at 5 %."""
    statistic, p_value = friedman(MEAN_RANKS, 14)
    assert statistic == pytest.approx(3.69, abs=0.01)
    assert 0.01 < p_value < 0.05


def test_critical_difference_of_the_published_example() -> None:
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, level=0.10) == pytest.approx(1.12, abs=0.005)


def test_friedman_is_what_scipy_says_of_the_ranks() -> None:
    scores = np.random.default_rng(3).normal(loc=[0.0, 0.0, 0.5, 0.5, 1.0], size=(12, 5))
    ranking = rank_peers(pd.DataFrame(scores, columns=list("abcde")), higher_is_better=True)
    chi_squared = friedmanchisquare(*scores.T).statistic
    corrected = 11 * chi_squared / (12 * 4 - chi_squared)
    statistic, p_value = friedman(ranking.mean_ranks.to_numpy(), 12)
    assert statistic == pytest.approx(corrected)
    assert ranking.p_value == p_value


def test_equal_ranks_on_every_table() -> None:
    assert friedman(np.array([1.0, 2.0, 3.0]), 10) == (float("inf"), 0.0)


def test_ranks_ties_and_peers_that_lack_a_table() -> None:
    scores = pd.DataFrame(
        {
            "good": [0.9, 0.8, 0.7],
            "same": [0.9 + 1e-9, 0.7, 0.6],
            "bad": [0.1, 0.1, 0.1],
            "lacking": [1.0, np.nan, 1.0],
        }
    )
    ranking = rank_peers(scores, higher_is_better=True)
    assert ranking.mean_ranks.to_dict() == pytest.approx({"good": 3.5 / 3, "same": 5.5 / 3, "bad": 3.0})
    assert list(ranking.mean_ranks.index) == ["good", "same", "bad"]
    losses = rank_peers(-scores, higher_is_better=False)
    assert losses.mean_ranks.to_dict() == pytest.approx(ranking.mean_ranks.to_dict())


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1.0, 2.0, 3.0, 4.0], 0.5, []),
        ([1.0, 2.0, 3.0, 4.0], 1.0, [(0, 1), (1, 2), (2, 3)]),
        ([1.0, 1.5, 1.8, 4.0], 1.0, [(0, 2)]),
        ([1.0, 1.5, 2.2, 4.0], 1.0, [(0, 1), (1, 2)]),
        ([1.0, 2.0, 3.0, 4.0], 9.0, [(0, 3)]),
    ],
)
def test_groups_that_cannot_be_told_apart(
    ranks: list[float], difference: float, groups: list[tuple[int, int]]
) -> None:
    """A group inside another is not listed."""
    assert groups_alike(np.array(ranks), difference) == groups
