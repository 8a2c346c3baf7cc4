"""Generators of numeric targets. The same `random_state` gives the same table; None is a fixed one."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from arboretum._options.rules import Real, Whole
from arboretum._options.running import random_source
from arboretum._types import Numbers
from arboretum._wording import shown
from arboretum.datasets.frames import make_frame
from arboretum.errors import ParameterError

_NOISE = Real("a number of 0 or more", finite=True)


def make_additive(
    n_rows: int = 500,
    *,
    n: int = 8,
    noise: float = 0.1,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return n columns between 0 and 1, and their mean plus normal noise.

    Every column matters, and all alike: a tree must ask about each of them again and again.
    """
    Whole(1).read(n_rows, "n_rows"), Whole(1).read(n, "n")
    random = random_source(random_state)
    X = random.uniform(size=(n_rows, n))
    return _table(X, X.mean(axis=1), noise, random, backend)


# The columns of Friedman's second and third function: their least and greatest values.
_CIRCUIT: Final = ((0.0, 100.0), (40 * np.pi, 560 * np.pi), (0.0, 1.0), (1.0, 11.0))


def make_friedman(
    n_rows: int = 500,
    *,
    which: int = 1,
    noise: float = 1.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return the columns and targets of one of Friedman's three functions (Friedman 1991), with normal noise.

    `which=1`: 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ of ten columns between 0 and 1. 2 and 3: the
    impedance and the phase of an electric circuit, √(x₁² + (x₂x₃ − 1/(x₂x₄))²) and
    arctan((x₂x₃ − 1/(x₂x₄)) / x₁). `noise` is its standard deviation.
    """
    Whole(1).read(n_rows, "n_rows")
    if which not in (1, 2, 3) or isinstance(which, bool):
        raise ParameterError(f"which={shown(which)} is not allowed; give 1, 2 or 3.")
    random = random_source(random_state)
    if which == 1:
        X = random.uniform(size=(n_rows, 10))
        sines, squares = np.sin(np.pi * X[:, 0] * X[:, 1]), (X[:, 2] - 0.5) ** 2
        return _table(X, 10 * sines + 20 * squares + 10 * X[:, 3] + 5 * X[:, 4], noise, random, backend)
    least, most = np.array(_CIRCUIT).T
    X = random.uniform(least, most, size=(n_rows, 4))
    reactance = X[:, 1] * X[:, 2] - 1 / (X[:, 1] * X[:, 3])
    found = np.hypot(X[:, 0], reactance) if which == 2 else np.arctan2(reactance, X[:, 0])
    return _table(X, found, noise, random, backend)


def make_houses(
    n_rows: int = 1000,
    *,
    noise: float = 0.1,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return houses that do not exist, and their prices in thousands; made up to show columns act together.

    Large houses have more rooms, and quarters differ in their incomes, so that columns are correlated. The
    price rises with the area, the income of the quarter (more steeply in the centre) and less and less with
    the number of rooms; it falls with the age of the house up to forty years, and with the distance from the
    centre. Garages say nothing beyond the area. The noise is a share of the price.
    """
    Whole(1).read(n_rows, "n_rows")
    random = random_source(random_state)
    quarter = random.choice(["centre", "harbour", "hill", "new town"], n_rows, p=[0.2, 0.2, 0.25, 0.35])
    distance = np.where(quarter == "centre", 0.8, 3.0) + random.gamma(2.0, 1.5, n_rows)
    medians = {"centre": 4.2, "harbour": 2.6, "hill": 5.5, "new town": 3.4}
    income = np.array([medians[name] for name in quarter]) * np.exp(random.normal(0, 0.25, n_rows))
    area = np.clip(random.normal(110, 35, n_rows) + 6 * (income - 4), 30, 320)
    rooms = np.clip(np.round(area / 28 + random.normal(0, 0.8, n_rows)), 1, 12)
    age = random.randint(0, 121, n_rows)
    garage = random.uniform(size=n_rows) < np.clip(area / 250, 0.05, 0.95)
    worth = 1.6 * area + 22 * income * np.where(quarter == "centre", 1.8, 1.0) + 35 * np.sqrt(rooms)
    price = np.maximum(worth - 1.5 * np.minimum(age, 40) - 6 * distance, 20)
    _NOISE.read(noise, "noise")
    price = price * np.exp(noise * random.normal(size=n_rows))
    columns = {
        "quarter": quarter.tolist(),
        "income": income.round(2),
        "area": area.round(),
        "rooms": rooms.astype(np.int64),
        "age": age,
        "distance": distance.round(1),
        "garage": np.where(garage, "yes", "no").tolist(),
    }
    return make_frame({**columns, "price": price.round(1)}, "price", backend)


def _table(
    X: Numbers, truth: Numbers, noise: float, random: np.random.RandomState, backend: str | None
) -> tuple[Any, Any]:
    """Return columns x1, x2, … and the target with normal noise of this standard deviation."""
    _NOISE.read(noise, "noise")
    columns = {f"x{i + 1}": column for i, column in enumerate(X.T)}
    return make_frame({**columns, "y": truth + noise * random.normal(size=len(truth))}, "y", backend)
