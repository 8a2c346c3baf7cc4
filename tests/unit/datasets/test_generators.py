"""The generators: the rule holds row by row, noise is as announced, and a seed repeats a table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets as of_sklearn

from arboretum import DataTypeError, ParameterError, TreeClassifier, TreeRegressor, datasets

GENERATORS = [name for name in datasets.__all__ if name.startswith("make_") and name != "make_ranking"]
CONCEPTS = ["make_k_of_n", "make_majority", "make_parity", "make_checkerboard", "make_rotated_box"]


def bits_of(X: pd.DataFrame) -> pd.Series:
    """Return how many of the bits that matter are 1."""
    return X.filter(like="bit_").sum(axis=1)


RULES: dict[str, Callable[[], tuple[pd.DataFrame, Any, Any]]] = {
    "2 of 3": lambda: (*datasets.make_k_of_n(200, k=2, n=3), lambda X: bits_of(X) >= 2),
    "all of 4": lambda: (*datasets.make_k_of_n(200, k=4, n=4, distractors=0), lambda X: bits_of(X) == 4),
    "majority of 4": lambda: (*datasets.make_majority(200, n=4), lambda X: bits_of(X) > 2),
    "majority of 5": lambda: (*datasets.make_majority(200, n=5), lambda X: bits_of(X) > 2.5),
    "parity": lambda: (*datasets.make_parity(200, n=3), lambda X: bits_of(X) % 2 == 1),
    "board": lambda: (
        *datasets.make_checkerboard(200, squares=3),
        lambda X: (np.floor(3 * X.x) + np.floor(3 * X.y)) % 2 == 0,
    ),
    "box": lambda: (
        *datasets.make_rotated_box(200, angle=0),
        lambda X: (X.x.abs() < 0.6) & (X.y.abs() < 0.4),
    ),
    "box turned by a right angle": lambda: (
        *datasets.make_rotated_box(200, angle=90),
        lambda X: (X.x.abs() < 0.4) & (X.y.abs() < 0.6),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_the_rule_holds_for_every_row(name: str) -> None:
    """Without noise, and with both classes present."""
    X, y, rule = RULES[name]()
    assert set(y) == {"yes", "no"}
    assert ((y == "yes") == rule(X)).all()


@pytest.mark.parametrize("name", CONCEPTS)
def test_noise_turns_its_share_of_the_labels(name: str) -> None:
    """The same seed gives the same columns, whatever the noise; so the labels can be compared."""
    make = getattr(datasets, name)
    (X, clean), (Z, noisy) = make(20_000), make(20_000, noise=0.2)
    pd.testing.assert_frame_equal(X, Z)
    assert (clean != noisy).mean() == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("which", [1, 2, 3])
def test_the_functions_of_friedman_are_those_of_scikit_learn(which: int) -> None:
    """Its generators draw other rows, so the formulas are compared: without noise, on rows of theirs."""
    made = getattr(of_sklearn, f"make_friedman{which}")(20_000, noise=0.0, random_state=1)
    X, y = datasets.make_friedman(20_000, which=which, noise=0.0)
    assert X.shape == made[0].shape
    np.testing.assert_allclose(X.mean(), made[0].mean(axis=0), rtol=0.02)
    np.testing.assert_allclose([y.mean(), y.std()], [made[1].mean(), made[1].std()], rtol=0.02)


def test_the_additive_function_is_a_mean() -> None:
    """And the noise has the standard deviation that was asked for."""
    X, y = datasets.make_additive(5_000, n=3, noise=0.0)
    np.testing.assert_allclose(y, X.mean(axis=1))
    X, y = datasets.make_additive(5_000, n=3, noise=0.5)
    assert (y - X.mean(axis=1)).std() == pytest.approx(0.5, rel=0.03)


def test_houses_are_as_described() -> None:
    """Prices rise with the area and fall with age and distance, and rooms go with the area."""
    X, price = datasets.make_houses(5_000)
    assert X.area.corr(X.rooms) > 0.7
    assert X.area.corr(price) > 0.5
    assert X.age.clip(upper=40).corr(price) < -0.1
    assert price.min() > 0
    assert TreeRegressor().fit(X, price).score(X, price) > 0.6


@pytest.mark.parametrize("name", GENERATORS)
def test_every_generator(name: str) -> None:
    """One row is a table; a seed repeats a table; another seed does not; frames of every library."""
    make = getattr(datasets, name)
    assert make(1)[0].shape[0] == 1
    X, y = make(50)
    pd.testing.assert_frame_equal(X, make(50, random_state=0)[0])
    assert not X.equals(make(50, random_state=1)[0])
    for backend in ("polars", "pyarrow"):
        other, target = make(50, backend=backend)
        assert other.shape == X.shape
        assert target.to_pylist() == y.tolist() if backend == "pyarrow" else target.to_list() == y.tolist()
    of_numbers = y.dtype == float
    plain = TreeRegressor(leaf="mean") if of_numbers else TreeClassifier(leaf="frequency")
    model = plain.set_params(prune=None).fit(X, y)
    assert model.score(X, y) == pytest.approx(1.0)
    assert {"noise", "random_state", "backend"} <= set(inspect.signature(make).parameters)


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no rows": (lambda: datasets.make_parity(0), "n_rows=0 is not allowed; give an integer of 1 or more"),
    "k above n": (
        lambda: datasets.make_k_of_n(k=4, n=3),
        "k=4 is not allowed; give an integer from 1 to n=3",
    ),
    "k of none": (lambda: datasets.make_k_of_n(k=0, n=3), "k=0 is not allowed"),
    "noise": (lambda: datasets.make_parity(noise=0.6), "noise=0.6 is not allowed; give a share from 0.0 to"),
    "negative": (lambda: datasets.make_additive(noise=-1), "noise=-1 is not allowed; give a number of 0"),
    "angle": (
        lambda: datasets.make_rotated_box(angle="steep"),
        "angle='steep' is not allowed; give a number",
    ),
    "function": (lambda: datasets.make_friedman(which=4), "which=4 is not allowed; give 1, 2 or 3"),
    "squares": (lambda: datasets.make_checkerboard(squares=0), "squares=0 is not allowed"),
    "seed": (lambda: datasets.make_houses(random_state=-1), "random_state=-1 is not allowed"),
    "frames": (lambda: datasets.make_majority(backend="panda"), "Did you mean 'pandas'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """One sentence that names the option, what was found, and what is allowed."""
    make, said = REFUSED[case]
    with pytest.raises((ParameterError, DataTypeError)) as caught:
        make()
    assert said in str(caught.value)
