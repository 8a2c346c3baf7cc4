"""Made-up concepts that one question about one column cannot tell, and tables to learn them from.

Words: a *concept* is the rule behind the targets, *noise* the share of labels that are turned around,
*distractors* are columns that have nothing to do with it. What is grown from them is decided elsewhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["k_of_n", "parity", "ramp", "rotated", "rotated_xor"]

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def k_of_n(n_rows: int, k: int, n: int, *, distractors: int, noise: float, seed: int) -> tuple[Array, Labels]:
    """At least k of n columns are 1; columns of zeros and ones."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n_rows, n + distractors)).astype(np.float64)
    return X, _turned((X[:, :n].sum(axis=1) >= k).astype(np.int64), noise, random)


def parity(n_rows: int, n: int, *, distractors: int, noise: float, seed: int) -> tuple[Array, Labels]:
    """An odd number of the last n columns is 1: for n = 2 exactly one of them is."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (n_rows, n + distractors)).astype(np.float64)
    return X, _turned(X[:, distractors:].sum(axis=1).astype(np.int64) % 2, noise, random)


def rotated(n_rows: int, n_columns: int, *, noise: float, seed: int) -> tuple[Array, Labels]:
    """A box of two sides, in a space that was turned by a random rotation."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    y = _turned(((X[:, 0] > 0) & (X[:, 1] > -0.5)).astype(np.int64), noise, random)
    return X @ _rotation(n_columns), y


def rotated_xor(n_rows: int, n_columns: int, *, noise: float, seed: int) -> tuple[Array, Labels]:
    """Exactly one of two directions is positive, in a space that was turned by a random rotation."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(n_rows, n_columns))
    y = _turned(((X[:, 0] > 0) != (X[:, 1] > 0)).astype(np.int64), noise, random)
    return X @ _rotation(n_columns), y


def ramp(n_rows: int, n_columns: int, *, noise: float, seed: int) -> tuple[Array, Array]:
    """Numbers: three steps along one slanting direction."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, n_columns))
    height = X @ _rotation(n_columns)[0]
    return X, np.digitize(height, [-0.7, 0.0, 0.7]) + noise * random.normal(size=n_rows)


def _turned(labels: Labels, noise: float, random: np.random.Generator) -> Labels:
    return np.where(random.random(len(labels)) < noise, 1 - labels, labels)


def _rotation(n_columns: int) -> Array:
    """The same for every table of so many columns."""
    q, r = np.linalg.qr(np.random.default_rng(n_columns).normal(size=(n_columns, n_columns)))
    turned: Array = q * np.sign(np.diag(r))
    return turned
