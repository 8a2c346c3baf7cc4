"""Information theory on columns of labels: how uncertain one is, and how much another one tells about it.

Splits are listed by `arboretum.candidates` and chosen by the core.

>>> play = ["no", "no", "yes", "yes"]
>>> wind = ["weak", "strong", "weak", "weak"]
>>> entropy(play)
1.0
>>> round(information_gain(play, wind), 4)
0.3113
>>> entropy(counts=[3, 4, 2]), gini(counts=[3, 4, 2])  # doctest: +ELLIPSIS
(1.530..., 0.641...)

Missing labels (None, NaN, NaT, NA) all count as one label of their own. Weights count as repeated rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from arboretum._data.missing import find_missing
from arboretum._data.scalars import is_real
from arboretum._types import Array, Indices, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError

__all__ = [
    "conditional_entropy",
    "entropy",
    "gain_ratio",
    "gini",
    "information_content",
    "information_gain",
    "joint_entropy",
    "misclassification",
    "split_information",
]


def __dir__() -> list[str]:
    return __all__


def information_content(p: float, *, base: float = 2) -> float:
    """Return what an event of probability `p` tells when it happens: -log(p), in bits if `base` is 2.

    >>> information_content(0.25)
    2.0
    """
    if not (is_real(p) and 0 <= p <= 1):
        raise ParameterError(f"p={shown(p)} is not a probability; it must lie between 0 and 1.")
    return math.inf if p == 0 else max(0.0, -float(_logarithm(np.float64(p), base)))


def entropy(y: Any = None, *, counts: Any = None, base: float = 2, sample_weight: Any = None) -> float:
    """Return the expected information content of a label: H(Y) = -sum of p(y) log p(y).

    >>> entropy(["red", "blue", "red", "blue"])
    1.0
    """
    return _entropy_of(_shares(y, counts, sample_weight), base)


def gini(y: Any = None, *, counts: Any = None, sample_weight: Any = None) -> float:
    """Return the chance that two rows drawn with replacement differ in their label: 1 - sum of p(y)^2.

    >>> gini(["red", "blue", "red", "blue"])
    0.5
    """
    p = _shares(y, counts, sample_weight)
    return max(0.0, 1.0 - float(p @ p))


def misclassification(y: Any = None, *, counts: Any = None, sample_weight: Any = None) -> float:
    """Return the share of rows that do not carry the most common label: 1 - max p(y).

    >>> misclassification(["red", "blue", "red", "red"])
    0.25
    """
    return max(0.0, 1.0 - float(_shares(y, counts, sample_weight).max()))


def joint_entropy(x: Any, y: Any, *, base: float = 2, sample_weight: Any = None) -> float:
    """Return the entropy of the pairs (x, y): H(X, Y) = H(X) + H(Y | X).

    >>> joint_entropy([0, 0, 1, 1], [0, 1, 0, 1])
    2.0
    """
    pairs, _ = _joint_shares(x, y, sample_weight, names=("x", "y"))
    return _entropy_of(pairs, base)


def conditional_entropy(y: Any, given: Any, *, base: float = 2, sample_weight: Any = None) -> float:
    """Return what remains uncertain about y once `given` is known: H(Y | X) = -sum of p(x, y) log p(y | x).

    >>> conditional_entropy([0, 0, 1, 1], given=["a", "a", "b", "b"])
    0.0
    """
    pairs, x_of_pair = _joint_shares(given, y, sample_weight, names=("given", "y"))
    p_x = np.bincount(x_of_pair, weights=pairs)[x_of_pair]
    seen = pairs > 0
    return max(0.0, -float(np.sum(pairs[seen] * _logarithm(pairs[seen] / p_x[seen], base))))


def information_gain(y: Any, x: Any, *, base: float = 2, sample_weight: Any = None) -> float:
    """Return the uncertainty about y that x removes (mutual information): H(Y) - H(Y | X).

    A missing x is one more value. Trees that leave missing values aside take the gain of the known rows times
    their share, which `candidates(…, missing="fractional")` lists.

    >>> information_gain([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    """
    before = entropy(y, base=base, sample_weight=sample_weight)
    return max(0.0, before - conditional_entropy(y, x, base=base, sample_weight=sample_weight))


def split_information(x: Any, *, base: float = 2, sample_weight: Any = None) -> float:
    """Return the entropy of the split `x` itself, H(X), the divisor of the gain ratio: large for many values.

    >>> split_information(["sunny", "overcast", "rain", "rain"])
    1.5
    """
    return _entropy_of(_shares(x, None, sample_weight, name="x"), base)


def gain_ratio(y: Any, x: Any, *, base: float = 2, sample_weight: Any = None) -> float:
    """Return the information gain divided by the split information; 0.0 if x has one value only.

    The base cancels out; it is accepted so that all functions here take the same options.

    >>> gain_ratio([0, 0, 1, 1], ["a", "b", "c", "d"])
    0.5
    """
    gain = information_gain(y, x, base=base, sample_weight=sample_weight)
    divisor = split_information(x, base=base, sample_weight=sample_weight)
    return gain / divisor if divisor > 0 else 0.0


def read_base(base: Any) -> None:
    """Refuse what is no base of logarithms."""
    if not (is_real(base) and 1 < base < math.inf):
        raise ParameterError(
            f"base={shown(base)} is not allowed; it must be a number above 1 (2 for bits, math.e for nats)."
        )


def _logarithm(p: Any, base: float) -> Any:
    """Return log(p) to `base`; base 2 has its own routine because log2(1/4) must be exactly -2."""
    read_base(base)
    return np.log2(p) if base == 2 else np.log(p) / math.log(base)


def _entropy_of(p: Numbers, base: float) -> float:
    """Return -sum of p log p, where 0 log 0 is 0."""
    positive = p[p > 0]
    return max(0.0, -float(np.sum(positive * _logarithm(positive, base))))


def _shares(y: Any, counts: Any, sample_weight: Any, name: str = "y") -> Numbers:
    """Return the share p of each label, from labels or from their counts."""
    if counts is not None:
        if y is not None or sample_weight is not None:
            raise ParameterError(f"counts= replaces {name} and sample_weight=; pass counts alone, or labels.")
        return _normalise(_as_weights(counts, "counts"), "counts")
    if y is None:
        raise ParameterError(
            f"Neither {name} nor counts= was given; pass one label per row, or counts=[3, 4, 2]."
        )
    codes = _label_codes(y, name)
    return _normalise(np.bincount(codes, weights=_row_weights(sample_weight, len(codes))), "sample_weight")


def _joint_shares(x: Any, y: Any, sample_weight: Any, names: tuple[str, str]) -> tuple[Numbers, Indices]:
    """Return the share of each pair (x, y) that occurs, and the code of x in each of these pairs."""
    x_codes, y_codes = _label_codes(x, names[0]), _label_codes(y, names[1])
    if len(x_codes) != len(y_codes):
        raise DataError(
            f"{names[0]} has {many(len(x_codes), 'row')}, but {names[1]} has {len(y_codes)}; "
            "both need one label per row."
        )
    n_labels = int(y_codes.max()) + 1
    pairs, pair_of_row = np.unique(x_codes * n_labels + y_codes, return_inverse=True)
    weights = np.bincount(pair_of_row, weights=_row_weights(sample_weight, len(x_codes)))
    return _normalise(weights, "sample_weight"), pairs // n_labels


def _label_codes(labels: Any, name: str = "y") -> Indices:
    """Return the labels as numbers 0, 1, …: equal labels share a number, and so do all missing ones."""
    values = _as_column(labels, name)
    if len(values) == 0:
        raise DataError(f"{name} is empty; at least one row is needed.")
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufmMSU":
        _, codes = np.unique(values, return_inverse=True, equal_nan=True)
        return codes.astype(np.intp, copy=False)
    return _codes_by_hash(values.tolist() if isinstance(values, np.ndarray) else values, name)


def _codes_by_hash(labels: list[Any], name: str) -> Indices:
    """Return labels of any mixture of types as numbers, in the order of their first row."""
    missing, gone = object(), find_missing(labels).tolist()
    numbers: dict[Any, int] = {}
    codes = np.empty(len(labels), dtype=np.intp)
    for row, label in enumerate(labels):
        try:
            codes[row] = numbers.setdefault(missing if gone[row] else label, len(numbers))
        except (TypeError, ValueError):
            raise DataError(
                f"{name} holds a {type(label).__name__} in row {row}, which cannot be a label; "
                "use text, numbers, dates or None."
            ) from None
    return codes


def _as_column(values: Any, name: str) -> Array | list[Any]:
    """Return one column as an array or a list; refuse tables, single strings and unordered collections."""
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise DataError(
            f"{name} is a {type(values).__name__}; a sequence with one label per row is needed, "
            "such as a list or an array."
        )
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and len(shape) != 1:
        raise DataError(
            f"{name} has the shape {shape}; one label per row is needed. Hint: pass a single column."
        )
    return np.asarray(values) if hasattr(values, "__array__") else list(values)


def _row_weights(sample_weight: Any, n_rows: int) -> Numbers:
    """Return one weight per row, 1.0 each if none are given."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = _as_weights(sample_weight, "sample_weight")
    if len(weights) != n_rows:
        raise DataError(
            f"sample_weight has {many(len(weights), 'value')}, but there are {n_rows:,} rows; "
            "one per row is needed."
        )
    return weights


def _as_weights(values: Any, name: str) -> Numbers:
    """Return finite numbers, none below zero."""
    column = _as_column(values, name)
    try:
        weights = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must hold numbers only.") from None
    if weights.ndim != 1 or len(weights) == 0:
        raise DataError(f"{name} must be one row of numbers, at least one; found the shape {weights.shape}.")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        raise DataError(
            f"{name} holds {weights[wrong[0]]} at position {wrong[0]}; "
            "only finite numbers from 0 upwards are allowed."
        )
    return weights


def _normalise(weights: Array, name: str) -> Numbers:
    """Return the weights divided by their sum."""
    with np.errstate(over="ignore"):
        total = weights.sum()
    if not 0 < total < math.inf:
        raise DataError(f"{name} adds up to {total}; the sum must be above zero and finite.")
    scaled: Numbers = weights / total
    return scaled
