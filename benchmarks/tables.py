"""Tables for the benchmarks: made here, the same every time, in shapes that decide how fast a tree grows.

Words: a *maker* returns a table and its target; *encoded* is a table as numbers only.
Nothing is measured here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.datasets import load_iris, make_classification, make_friedman1

Array = npt.NDArray[Any]


def two_classes(n_rows: int, n_columns: int) -> tuple[Array, Array]:
    """Half of the columns carry signal, 5 % of the labels are wrong."""
    X, y = make_classification(
        n_rows, n_columns, n_informative=min(10, n_columns), flip_y=0.05, random_state=1
    )
    return X.astype(np.float32), y


def ten_classes(n_rows: int, n_columns: int) -> tuple[Array, Array]:
    """Ten classes, fifteen columns with signal."""
    X, y = make_classification(n_rows, n_columns, n_informative=15, n_classes=10, random_state=1)
    return X.astype(np.float32), y


def noise(n_rows: int, n_columns: int) -> tuple[Array, Array]:
    """Labels that have nothing to do with the columns."""
    rng = np.random.default_rng(1)
    return rng.random((n_rows, n_columns), dtype=np.float32), rng.integers(0, 2, n_rows)


def friedman(n_rows: int, n_columns: int) -> tuple[Array, Array]:
    """Friedman's first regression problem: five columns with signal."""
    X, y = make_friedman1(n_rows, n_columns, noise=1.0, random_state=1)
    return X.astype(np.float32), y


def forest_cover(n_rows: int = 581_012) -> tuple[Array, Array]:
    """Shaped like the forest cover data: ten integer columns, 4 + 40 yes/no columns, seven classes."""
    rng = np.random.default_rng(1)
    height = np.clip(rng.normal(2959, 280, n_rows), 1859, 3858).astype(int)
    measures = [
        height,
        rng.integers(0, 361, n_rows),
        np.minimum(rng.gamma(3.5, 4, n_rows), 66).astype(int),
        np.minimum(rng.exponential(9, n_rows), 46).astype(int) * 30,
        rng.normal(46, 58, n_rows).astype(int),
        rng.gamma(2.2, 1060, n_rows).clip(0, 7117).astype(int),
        rng.normal(212, 27, n_rows).clip(0, 254).astype(int),
        rng.normal(223, 20, n_rows).clip(0, 254).astype(int),
        rng.normal(142, 38, n_rows).clip(0, 254).astype(int),
        rng.gamma(2.2, 900, n_rows).clip(0, 7173).astype(int),
    ]
    area = rng.choice(4, n_rows, p=[0.449, 0.051, 0.436, 0.064])
    soils = rng.dirichlet(np.full(40, 0.4), 4)
    soil = np.array([rng.choice(40, p=soils[a]) for a in range(4)])[area]
    for a in range(4):
        of_area = area == a
        soil[of_area] = rng.choice(40, of_area.sum(), p=soils[a])
    X = np.zeros((n_rows, 54), dtype=np.float32)
    for column, measure in enumerate(measures):
        X[:, column] = measure
    X[np.arange(n_rows), 10 + area] = 1
    X[np.arange(n_rows), 14 + soil] = 1
    wet = (height + rng.normal(0, 120, 40)[soil] + rng.normal(0, 80, 4)[area] - 2959) / 280
    others = np.stack([(m - m.mean()) / m.std() for m in measures[1:]], axis=1)
    centres = [0.8, 0, -1.2, -2.2, -0.2, -1.0, 1.6]
    shares = [0, 0.3, -0.3, -1.5, -1.8, -0.6, -0.6]
    scores = np.empty((n_rows, 7))
    for k in range(7):
        waves = np.sin(others @ rng.normal(0, 0.5, (9, 6)) + rng.normal(0, 1, 6)) @ rng.normal(0, 0.7, 6)
        scores[:, k] = shares[k] - 2.2 * (wet - centres[k]) ** 2 + 0.9 * waves
    return X, (scores + rng.gumbel(0, 0.12, scores.shape)).argmax(axis=1)


def mixed(n_rows: int) -> tuple[pd.DataFrame, Array]:
    """Ten numbers with 5 to 10 % missing and ten nominal columns of 2 to 1,000 levels, signal in both."""
    rng = np.random.default_rng(1)
    score = rng.normal(size=n_rows)
    columns: dict[str, Any] = {}
    for number, missing in enumerate(np.linspace(0.05, 0.10, 10)):
        values = rng.normal(size=n_rows)
        if number < 6:
            score += np.sin(2 * values + number)
        values[rng.random(n_rows) < missing] = np.nan
        columns[f"number {number}"] = values
    for number, n_levels in enumerate(np.geomspace(2, 1000, 10).round().astype(int)):
        common = 1 / np.arange(5, 5 + n_levels)  # some levels are common, most are rare
        levels = rng.choice(n_levels, n_rows, p=common / common.sum())
        score += 0.7 * rng.normal(size=n_levels)[levels]
        names = pd.Index([f"level {level}" for level in range(n_levels)])
        columns[f"nominal {number}"] = pd.Categorical.from_codes(levels, names)
    return pd.DataFrame(columns), (score > np.median(score)).astype(int)


def encoded(X: Any) -> Array:
    """The table for those who read numbers only: levels become their positions, missing values stay."""
    if not isinstance(X, pd.DataFrame):
        return np.asarray(X)
    nominal = X.select_dtypes("category").columns
    codes = X[nominal].apply(lambda column: column.cat.codes)
    return X.assign(**codes).to_numpy(dtype=np.float32)


def iris(n_rows: int) -> tuple[Array, Array]:
    """The iris data, which nobody cuts: `n_rows` is not obeyed."""
    X, y = load_iris(return_X_y=True)
    return X, y
