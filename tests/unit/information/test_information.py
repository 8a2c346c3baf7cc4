"""`arboretum.information`: figures worked out by hand, all kinds of labels, errors that say what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from arboretum.errors import DataError, ParameterError
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
from arboretum.reference.tables import CUSTOMER_CLASSES, PLAY, PLAY_TENNIS

TENNIS = {name: [row[name] for row in PLAY_TENNIS] for name in PLAY_TENNIS[0]}


def test_impurities_of_the_customers() -> None:
    """Three, four and two customers of the three classes: the notes print 1.5305, 0.642 and 0.556."""
    assert f"{entropy(CUSTOMER_CLASSES):.4f}" == "1.5305"
    assert f"{gini(CUSTOMER_CLASSES):.3f}" == "0.642"
    assert f"{misclassification(CUSTOMER_CLASSES):.3f}" == "0.556"


def test_counts_say_the_same_as_labels() -> None:
    """Counts are labels already counted."""
    for impurity in (entropy, gini, misclassification):
        assert impurity(counts=[3, 4, 2]) == pytest.approx(impurity(CUSTOMER_CLASSES), abs=1e-15)
        assert impurity(counts=np.array([3, 4, 0, 2])) == pytest.approx(impurity(CUSTOMER_CLASSES), abs=1e-15)


def test_an_event_of_a_quarter_carries_two_bits() -> None:
    assert information_content(0.25) == 2.0
    assert information_content(1) == 0.0
    assert math.copysign(1, information_content(1)) == 1
    assert information_content(0) == math.inf
    assert information_content(0.1, base=10) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("column", "gain"),
    [("outlook", "0.247"), ("humidity", "0.152"), ("wind", "0.048"), ("temperature", "0.029")],
)
def test_gains_of_playing_tennis(column: str, gain: str) -> None:
    assert f"{information_gain(PLAY, TENNIS[column]):.3f}" == gain


def test_gain_ratio_of_outlook() -> None:
    """By hand: gain 0.246750 over the entropy 1.577406 of five, four and five days."""
    assert split_information(TENNIS["outlook"]) == pytest.approx(entropy(counts=[5, 4, 5]))
    assert gain_ratio(PLAY, TENNIS["outlook"]) == pytest.approx(0.246750 / 1.577406, abs=1e-6)


def test_misclassification_ties_where_gini_and_entropy_do_not() -> None:
    """400 rows of each class: (300,100),(100,300) and (200,400),(200,0) both misclassify a quarter."""

    def after(impurity: Callable[..., float], *children: tuple[int, int]) -> float:
        return sum(sum(child) / 800 * impurity(counts=child) for child in children)

    first, second = ((300, 100), (100, 300)), ((200, 400), (200, 0))
    assert after(misclassification, *first) == pytest.approx(0.25)
    assert after(misclassification, *second) == pytest.approx(0.25)
    assert after(gini, *second) < after(gini, *first)
    assert after(entropy, *second) < after(entropy, *first)


def test_natural_logarithms() -> None:
    """base=e gives nats: ln 2 of them to a bit."""
    assert entropy([0, 1], base=math.e) == pytest.approx(math.log(2))
    assert information_gain([0, 1], [0, 1], base=math.e) == pytest.approx(math.log(2))
    assert gain_ratio(PLAY, TENNIS["wind"], base=3) == pytest.approx(gain_ratio(PLAY, TENNIS["wind"]))


LABELS = ["a", "b", None, "a", None, "c"]


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        tuple(LABELS),
        iter(LABELS),
        np.array(LABELS, dtype=object),
        pd.Series(LABELS),
        pd.Series(LABELS, dtype="category"),
        pd.Series(LABELS, dtype="string"),
        pl.Series(LABELS),
        pa.array(LABELS),
        pa.chunked_array([LABELS[:2], LABELS[2:]]),
        [1.0, 2.0, math.nan, 1.0, math.nan, 3.0],
        np.array([1, 2, math.nan, 1, math.nan, 3], dtype=np.float32),
        pd.Series([1, 2, None, 1, None, 3], dtype="Int64"),
        np.array(
            ["2024-01-01", "2024-01-02", "NaT", "2024-01-01", "NaT", "2024-01-03"], dtype="datetime64[D]"
        ),
        ["a", 2, math.nan, "a", None, 3.5],
        [1, 2, pd.NA, True, pd.NaT, 3],
    ],
    ids=lambda labels: type(labels).__module__.split(".")[0] + "-" + type(labels).__name__,
)
def test_missing_labels_are_one_label_of_their_own(labels: Any) -> None:
    """Counts 2, 1, 2, 1 in any container: None, NaN, NaT and NA are the same label."""
    assert entropy(labels) == pytest.approx(entropy(counts=[2, 1, 2, 1]), abs=1e-12)


def test_weights_are_repeated_rows() -> None:
    y, x, weights = ["a", "b", "b"], [0, 0, 1], [2, 1, 3]
    repeated_y, repeated_x = ["a", "a", "b", "b", "b", "b"], [0, 0, 0, 1, 1, 1]
    for impurity in (entropy, gini, misclassification):
        assert impurity(y, sample_weight=weights) == pytest.approx(impurity(repeated_y))
    measure: Callable[..., float]
    for measure in (information_gain, conditional_entropy, gain_ratio, joint_entropy):
        assert measure(y, x, sample_weight=weights) == pytest.approx(measure(repeated_y, repeated_x))
    assert split_information(x, sample_weight=weights) == pytest.approx(split_information(repeated_x))


def test_rows_of_weight_zero_do_not_count() -> None:
    assert entropy(["a", "b", "c"], sample_weight=[1, 1, 0]) == 1.0
    assert conditional_entropy([0, 1, 1], given=[0, 0, 1], sample_weight=[1, 0, 1]) == 0.0


def test_a_constant_column_has_no_gain_ratio_to_speak_of() -> None:
    """0 / 0 is taken as 0: a column with one value tells nothing."""
    assert gain_ratio([0, 1], ["a", "a"]) == 0.0


def test_results_are_plain_floats() -> None:
    for value in (entropy([1]), gini([1]), misclassification([1]), information_gain([1, 2], [1, 2])):
        assert type(value) is float
        assert math.copysign(1, value) == 1


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: entropy([]), DataError, "y is empty"),
        (lambda: entropy(), ParameterError, "counts="),
        (lambda: entropy([1], counts=[1]), ParameterError, "counts alone"),
        (lambda: gini(counts=[1], sample_weight=[1]), ParameterError, "counts alone"),
        (lambda: gini(counts=[1, -1]), DataError, "-1.0 at position 1"),
        (lambda: gini(counts=[0, 0]), DataError, "above zero"),
        (lambda: gini(counts=[1e308, 1e308]), DataError, "finite"),
        (lambda: gini(counts=["x"]), DataError, "numbers only"),
        (lambda: gini(counts=[[1, 2]]), DataError, "shape"),
        (lambda: entropy("yes"), DataError, "y is a str"),
        (lambda: entropy({"a", "b"}), DataError, "y is a set"),
        (lambda: entropy(3), DataError, "y is a int"),
        (lambda: entropy(np.zeros((2, 2))), DataError, "single column"),
        (lambda: entropy(pd.DataFrame({"a": [1]})), DataError, "single column"),
        (lambda: entropy([[1], [2]]), DataError, "list in row 0"),
        (lambda: entropy([1, 2], sample_weight=[1]), DataError, "1 value, but there are 2 rows"),
        (lambda: entropy([1, 2], sample_weight=[1, math.nan]), DataError, "nan at position 1"),
        (lambda: entropy([1, 2], sample_weight=[0, 0]), DataError, "sample_weight adds up to 0"),
        (lambda: information_gain([1, 2], [1]), DataError, "1 row"),
        (lambda: conditional_entropy([1, 2], given=[]), DataError, "given is empty"),
        (lambda: entropy([1, 2], base=1), ParameterError, "base=1"),
        (lambda: entropy([1, 2], base="e"), ParameterError, "base='e'"),
        (lambda: information_content(1.5), ParameterError, "p=1.5"),
        (lambda: information_content("1/4"), ParameterError, "p='1/4'"),
    ],
)
def test_errors_say_what_is_wrong(call: Callable[[], object], error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, ValueError)
    assert words in str(caught.value)
