"""The laws of information theory, for any labels and weights: chain rule, bounds, symmetry, independence."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arboretum.information import (
    conditional_entropy,
    entropy,
    gain_ratio,
    gini,
    information_content,
    information_gain,
    joint_entropy,
    misclassification,
    split_information,
)

label = st.one_of(st.integers(0, 3), st.sampled_from(["a", "b"]), st.none(), st.just(math.nan))
weight = st.one_of(st.integers(1, 5), st.floats(0.01, 10))
rows = st.lists(st.tuples(label, label, weight), min_size=1, max_size=30)


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def columns_of(table: Any) -> Any:
    x, y, weights = zip(*table, strict=True)
    return list(x), list(y), list(weights)


@given(rows)
def test_chain_rule(table: Any) -> None:
    """H(X, Y) = H(X) + H(Y | X) = H(Y) + H(X | Y)."""
    x, y, w = columns_of(table)
    joint = joint_entropy(x, y, sample_weight=w)
    assert joint == close(entropy(x, sample_weight=w) + conditional_entropy(y, given=x, sample_weight=w))
    assert joint == close(entropy(y, sample_weight=w) + conditional_entropy(x, given=y, sample_weight=w))


@given(rows)
def test_knowing_more_never_adds_uncertainty(table: Any) -> None:
    """0 <= H(Y | X) <= H(Y), and so 0 <= gain <= H(Y); the gain is no larger than H(X) either."""
    x, y, w = columns_of(table)
    before, after = entropy(y, sample_weight=w), conditional_entropy(y, given=x, sample_weight=w)
    gain = information_gain(y, x, sample_weight=w)
    assert 0.0 <= after <= before + 1e-9
    assert 0.0 <= gain <= before + 1e-9
    assert gain <= split_information(x, sample_weight=w) + 1e-9


@given(rows)
def test_mutual_information_is_symmetric(table: Any) -> None:
    """X tells as much about Y as Y tells about X."""
    x, y, w = columns_of(table)
    assert information_gain(y, x, sample_weight=w) == close(information_gain(x, y, sample_weight=w))


@given(rows)
def test_a_column_tells_everything_about_itself(table: Any) -> None:
    """H(Y | Y) = 0: the gain is H(Y), its ratio 1 unless Y is constant."""
    _, y, w = columns_of(table)
    assert conditional_entropy(y, given=y, sample_weight=w) == 0.0
    assert information_gain(y, y, sample_weight=w) == close(entropy(y, sample_weight=w))
    distinct = len({"missing" if v is None or v != v else v for v in y})
    assert gain_ratio(y, y, sample_weight=w) == close(1.0 if distinct > 1 else 0.0)


@given(st.lists(st.tuples(label, weight), min_size=1, max_size=6), st.lists(label, min_size=1, max_size=6))
def test_independent_columns_tell_nothing(left: Any, right: Any) -> None:
    """Every x with every y, weighted by a product: H(Y | X) = H(Y)."""
    pairs = [(x, y, w) for x, w in left for y in right]
    x, y, w = columns_of(pairs)
    assert conditional_entropy(y, given=x, sample_weight=w) == close(entropy(y, sample_weight=w))
    assert information_gain(y, x, sample_weight=w) == close(0.0)


counts = st.lists(st.one_of(st.integers(0, 50), st.floats(0, 50)), min_size=1, max_size=8).filter(
    lambda numbers: sum(numbers) > 1e-3
)


@given(counts)
def test_bounds_of_impurities(numbers: list[float]) -> None:
    """Zero for one class, largest for equal shares; misclassification <= gini <= entropy in bits."""
    k = len(numbers)
    assert 0.0 <= entropy(counts=numbers) <= math.log2(k) + 1e-9
    assert 0.0 <= gini(counts=numbers) <= 1 - 1 / k + 1e-9
    assert 0.0 <= misclassification(counts=numbers) <= 1 - 1 / k + 1e-9
    assert misclassification(counts=numbers) <= gini(counts=numbers) + 1e-9 <= entropy(counts=numbers) + 2e-9


@given(st.integers(1, 12))
def test_equal_shares_are_the_most_uncertain(k: int) -> None:
    """k equal classes: log2 k bits, gini and misclassification 1 - 1/k."""
    assert entropy(counts=[1] * k) == close(math.log2(k))
    assert gini(counts=[1] * k) == close(1 - 1 / k)
    assert misclassification(counts=[1] * k) == close(1 - 1 / k)


@given(counts, st.floats(0.1, 100), st.randoms(use_true_random=False))
def test_scale_and_order_of_counts_do_not_matter(numbers: list[float], factor: float, random: Random) -> None:
    shuffled = [number * factor for number in numbers]
    random.shuffle(shuffled)
    for impurity in (entropy, gini, misclassification):
        assert impurity(counts=shuffled) == close(impurity(counts=numbers))


@given(counts)
def test_entropy_is_the_mean_information_content(numbers: list[float]) -> None:
    """H = sum of p times the information content of p."""
    p = [number / sum(numbers) for number in numbers]
    assert entropy(counts=numbers) == close(sum(q * information_content(min(q, 1.0)) for q in p if q > 0))


@given(rows, st.floats(1.1, 20))
def test_the_base_is_a_unit(table: Any, base: float) -> None:
    """Bits divided by the bits of one unit; the gain ratio has no unit."""
    x, y, w = columns_of(table)
    unit = math.log2(base)
    assert entropy(y, base=base, sample_weight=w) * unit == close(entropy(y, sample_weight=w))
    assert information_gain(y, x, base=base, sample_weight=w) * unit == close(
        information_gain(y, x, sample_weight=w)
    )
