"""Concepts: rules behind two classes, "yes" and "no", that some trees learn easily and others hardly.

`noise` is the share of the labels that are turned around. Distractors are columns that have nothing to do
with the concept. The same `random_state` gives the same table; None is a fixed one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from arboretum._options.rules import Real, Whole
from arboretum._options.running import random_source
from arboretum._types import Mask, Numbers
from arboretum.datasets.frames import make_frame
from arboretum.errors import ParameterError

_NOISE = Real("a share from 0.0 to 0.5", most=0.5)


def make_k_of_n(
    n_rows: int = 500,
    *,
    k: int = 3,
    n: int = 5,
    distractors: int = 5,
    noise: float = 0.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return bits, and whether at least k of the first n are 1.

    A tree that asks about one bit at a time needs dozens of leaves; `questions=MofN()` needs one question.

    >>> X, y = make_k_of_n(4, k=2, n=3, distractors=1, backend="pandas")
    >>> X.assign(y=y).to_string(index=False).splitlines()[0].split()
    ['bit_1', 'bit_2', 'bit_3', 'other_1', 'y']
    """
    _check(n_rows, n, distractors)
    Whole(1).read(k, "k")
    if k > n:
        raise ParameterError(f"k={k} is not allowed; give an integer from 1 to n={n}.")
    random = random_source(random_state)
    bits = _bits(random, n_rows, n, distractors)
    true = sum(bits[f"bit_{i + 1}"] for i in range(n)) >= k
    return _table(bits, true, noise, random, backend)


def make_majority(
    n_rows: int = 500,
    *,
    n: int = 9,
    distractors: int = 0,
    noise: float = 0.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return bits, and whether more than half of the first n are 1."""
    Whole(1).read(n, "n")
    given: dict[str, Any] = {"noise": noise, "random_state": random_state, "backend": backend}
    return make_k_of_n(n_rows, k=n // 2 + 1, n=n, distractors=distractors, **given)


def make_parity(
    n_rows: int = 500,
    *,
    n: int = 2,
    distractors: int = 4,
    noise: float = 0.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return bits, and whether an odd number of the first n are 1: with n = 2, exclusive or.

    No bit by itself says anything, so a greedy tree divides by chance until all n have been asked.
    `search=Lookahead()` sees it for n = 2.
    """
    _check(n_rows, n, distractors)
    random = random_source(random_state)
    bits = _bits(random, n_rows, n, distractors)
    true = sum(bits[f"bit_{i + 1}"] for i in range(n)) % 2 == 1
    return _table(bits, np.asarray(true), noise, random, backend)


def make_checkerboard(
    n_rows: int = 500,
    *,
    squares: int = 2,
    noise: float = 0.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return points of the unit square, and whether they lie on a dark square of a board.

    The board has `squares` by `squares` squares; with 2, it is exclusive or for numbers.
    """
    Whole(1).read(n_rows, "n_rows"), Whole(1).read(squares, "squares")
    random = random_source(random_state)
    x, y = random.uniform(size=(2, n_rows))
    dark = (np.floor(x * squares) + np.floor(y * squares)) % 2 == 0
    return _table({"x": x, "y": y}, dark, noise, random, backend)


def make_rotated_box(
    n_rows: int = 500,
    *,
    angle: float = 30.0,
    noise: float = 0.0,
    random_state: Any = None,
    backend: str | None = None,
) -> tuple[Any, Any]:
    """Return points of the square from -1 to 1, and whether they lie in a box that is turned by an angle.

    The box is 1.2 wide and 0.8 high; the angle is in degrees. Turned by 0, four questions tell it; otherwise
    a tree builds stairs, and `questions=Oblique()` does not.
    """
    Whole(1).read(n_rows, "n_rows")
    Real("a number of degrees", -math.inf, finite=True).read(angle, "angle")
    turn = math.radians(angle)
    random = random_source(random_state)
    x, y = random.uniform(-1, 1, size=(2, n_rows))
    along, across = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    inside = (np.abs(along) < 0.6) & (np.abs(across) < 0.4)
    return _table({"x": x, "y": y}, inside, noise, random, backend)


def _check(n_rows: int, n: int, distractors: int) -> None:
    Whole(1).read(n_rows, "n_rows")
    Whole(1).read(n, "n")
    Whole(0).read(distractors, "distractors")


def _bits(random: np.random.RandomState, n_rows: int, n: int, distractors: int) -> dict[str, Any]:
    """Return columns of zeros and ones: those that matter, then those that do not."""
    names = [f"bit_{i + 1}" for i in range(n)] + [f"other_{i + 1}" for i in range(distractors)]
    return {name: random.randint(0, 2, n_rows) for name in names}


def _table(
    columns: dict[str, Any], true: Mask, noise: float, random: np.random.RandomState, backend: str | None
) -> tuple[Any, Any]:
    """Return the table with "yes" where the concept holds, but for the share of labels that is turned."""
    _NOISE.read(noise, "noise")
    turned: Numbers = random.uniform(size=len(true))
    label = np.where(np.asarray(true) != (turned < noise), "yes", "no")
    return make_frame({**columns, "": label.tolist()}, "", backend)
