"""Tables made by generators, whose truth is known: rare classes, many levels, exclusive or, pure noise.

Each has a generator of its own, seeded by a number, so that a table does not depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import expit, softmax
from sklearn.datasets import make_friedman1

from .tables import Array, Table, make_table

__all__ = ["list_made_tables", "make_noise", "with_identifier"]

Numbers = npt.NDArray[np.float64]
Random = np.random.Generator
Made = tuple[pd.DataFrame, Array]


def columns_of(values: Numbers) -> pd.DataFrame:
    """Numeric columns x0, x1, …"""
    return pd.DataFrame(values).add_prefix("x")


def levels(random: Random, n_levels: int, n_rows: int) -> Array:
    """A nominal column of equally likely levels."""
    return np.array([f"l{number:04d}" for number in random.integers(0, n_levels, n_rows)], dtype=object)


def effects(random: Random, column: Array, spread: float) -> Numbers:
    """What each row gets from its level: a normal number per level."""
    names, positions = np.unique(column, return_inverse=True)
    return random.normal(0.0, spread, len(names))[positions]


def coin(random: Random, chances: Numbers, names: tuple[str, str]) -> Array:
    """The first name with the given chance, else the second."""
    return np.where(random.random(len(chances)) < chances, *names)


def rare_eight_percent(random: Random) -> Made:
    Z = random.normal(size=(3_000, 10))
    logits = -3.5 + Z[:, 0] + 0.8 * Z[:, 1] * (Z[:, 2] > 0) + 0.6 * np.abs(Z[:, 3])
    return columns_of(Z), coin(random, expit(logits), ("pos", "neg"))


def rare_one_percent(random: Random) -> Made:
    Z = random.normal(size=(3_000, 10))
    return columns_of(Z), coin(random, expit(-5.3 + 1.2 * Z[:, 0] + Z[:, 1]), ("pos", "neg"))


def noisy_levels(random: Random) -> Made:
    """Numbers matter, the columns of 200 and 30 levels do not."""
    Z = random.normal(size=(2_000, 5))
    X = columns_of(Z).assign(city=levels(random, 200, 2_000), shop=levels(random, 30, 2_000))
    return X, coin(random, expit(1.2 * Z[:, 0] + (Z[:, 1] > 0) - 0.5), ("a", "b"))


def informative_hundred(random: Random) -> Made:
    Z, city = random.normal(size=(2_000, 5)), levels(random, 100, 2_000)
    X = columns_of(Z).assign(city=city, shop=levels(random, 30, 2_000))
    return X, coin(random, expit(effects(random, city, 1.3) + 0.8 * Z[:, 0]), ("a", "b"))


def informative_two_thousand(random: Random) -> Made:
    Z, user = random.normal(size=(4_000, 5)), levels(random, 2_000, 4_000)
    chances = expit(effects(random, user, 1.5) + 0.8 * Z[:, 0])
    return columns_of(Z).assign(user=user), coin(random, chances, ("a", "b"))


def informative_three_classes(random: Random) -> Made:
    Z, city = random.normal(size=(2_000, 5)), levels(random, 40, 2_000)
    logits = np.column_stack([effects(random, city, 1.5) for _ in range(3)])
    logits[:, :2] += Z[:, :2]
    below = random.random((2_000, 1)) > softmax(logits, axis=1).cumsum(axis=1)
    X = columns_of(Z).assign(city=city, shop=levels(random, 300, 2_000))
    return X, np.array(["u", "v", "w"])[np.minimum(below.sum(axis=1), 2)]


def hundred_useless(random: Random) -> Made:
    Z = random.normal(size=(800, 105))
    logits = 1.5 * Z[:, 0] + Z[:, 1] + 1.5 * (Z[:, 2] > 0) * (Z[:, 3] > 0) - 0.4
    return columns_of(Z), coin(random, expit(logits), ("a", "b"))


def exclusive_or(random: Random) -> Made:
    """One answer in ten is wrong."""
    Z = random.uniform(-1, 1, size=(800, 6))
    same = (Z[:, 0] > 0) == (Z[:, 1] > 0)
    return columns_of(Z), coin(random, np.where(same, 0.1, 0.9), ("a", "b"))


def friedman(random: Random) -> Made:
    X, y = make_friedman1(1_500, 10, noise=1.0, random_state=int(random.integers(2**31)))
    return columns_of(X), y


def informative_for_numbers(random: Random) -> Made:
    Z, city = random.normal(size=(1_500, 6)), levels(random, 150, 1_500)
    y = effects(random, city, 1.0) + np.abs(Z[:, 0]) + 0.7 * random.normal(size=1_500)
    return columns_of(Z).assign(city=city, shop=levels(random, 400, 1_500)), y


CLASSES: dict[str, Callable[[Random], Made]] = {
    "rare 8 %": rare_eight_percent,
    "rare 1.5 %": rare_one_percent,
    "200 useless levels": noisy_levels,
    "100 levels": informative_hundred,
    "2,000 levels": informative_two_thousand,
    "40 levels, 3 classes": informative_three_classes,
    "100 useless columns": hundred_useless,
    "exclusive or": exclusive_or,
}
NUMBERS: dict[str, Callable[[Random], Made]] = {
    "friedman": friedman,
    "150 levels, numbers": informative_for_numbers,
}


def list_made_tables() -> list[Table]:
    """All of them, classes first."""
    tables = []
    for seed, (name, make) in enumerate((CLASSES | NUMBERS).items()):
        X, y = make(np.random.default_rng(seed))
        tables.append(
            make_table(name, X, y, of_classes=name in CLASSES, source="made here", most_rows=4_000, made=True)
        )
    return tables


def make_noise(seed: int, *, of_classes: bool) -> Table:
    """Six numeric columns, nominal ones of 5, 50 and 500 levels; the target depends on none of them."""
    random, n_rows = np.random.default_rng(seed), 1_000
    X = columns_of(random.normal(size=(n_rows, 6)))
    X = X.assign(**{f"level{n}": levels(random, n, n_rows) for n in (5, 50, 500)})
    y = coin(random, np.full(n_rows, 0.4), ("a", "b")) if of_classes else random.normal(size=n_rows)
    return make_table("noise", X, y, of_classes=of_classes, source="made here", made=True)


def with_identifier(table: Table, seed: int) -> Table:
    """The same table and a column that has another text in every row."""
    numbers = np.random.default_rng(seed).permutation(len(table.y))
    X = table.X.assign(identifier=np.array([f"t{number:05d}" for number in numbers], dtype=object))
    return Table(f"{table.name} + identifier", X, table.y, table.of_classes, table.source, table.made)
