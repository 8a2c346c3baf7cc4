"""Random tables: small, full of ties, missing values and awkward numbers, in the form of both engines.

A table is columns of plain values (None: missing; level numbers for levels) with targets and weights; exact
tables have weights and targets whose sums are exact, so that equal gains are equal numbers. It draws tables
and turns them into data frames; it fits nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
from hypothesis import strategies as st

from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA

__all__ = ["CRITERIA", "IMPURITIES", "KINDS", "LEVELS", "Table", "categorical", "level_name", "tables"]

CRITERIA: Final = (*CLASS_CRITERIA, *NUMBER_CRITERIA)
IMPURITIES: Final = tuple(name for name in CRITERIA if name != "gain_ratio")  # where the largest gain wins
KINDS: Final = ("float", "integer", "nominal", "ordered", "boolean")
LEVELS: Final = tuple(f"l{number}" for number in range(6))

_TWIN_KINDS: Final = {
    "float": "numeric",
    "integer": "numeric",
    "ordered": "ordered",
    "nominal": "nominal",
    "boolean": "nominal",
}

# Small pools make ties; each pool has its own trap.
_FLOATS: Final[tuple[tuple[float, ...], ...]] = (
    (0.0, 1.0, 2.0, 3.0),
    (-0.0, 0.0, 0.5, -0.5, 1e-3),
    (-math.inf, -1.0, 0.0, 1.0, math.inf),
    (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0), 1.5),
    (5e-324, -5e-324, 0.0, 1e-310, 2.5e-308),
    (1.7e308, -1.7e308, 1.6e308, math.inf, -math.inf),
    (0.1, 0.2, 0.30000000000000004, 0.3),
)
_INTEGERS: Final[tuple[tuple[int, ...], ...]] = (
    (-2, -1, 0, 1, 2, 3),
    (2**51 - 1, 2**51, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2),
    (-(2**53) - 1, -(2**53), -(2**51) - 1, -(2**51), 7),
    (2**63 - 1, 2**63 - 2, 2**63 - 4, -(2**63), -(2**63) + 1),
    (0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1),
)


@dataclass(frozen=True)
class Table:
    """Columns of plain values with targets and weights, all of one length."""

    kinds: tuple[str, ...]
    columns: tuple[tuple[Any, ...], ...]
    targets: tuple[Any, ...]
    weights: tuple[float, ...] | None = None
    exact: bool = True

    @property
    def n_rows(self) -> int:
        return len(self.targets)

    @property
    def twin_kinds(self) -> list[str]:
        """The kinds as the plain-Python twin names them."""
        return [_TWIN_KINDS[kind] for kind in self.kinds]

    @property
    def counted(self) -> list[int]:
        """The rows whose weight is above zero."""
        return [row for row in range(self.n_rows) if self.weights is None or self.weights[row] > 0]

    def take(self, rows: Sequence[int]) -> Table:
        """The table of these rows, in this order."""
        return replace(
            self,
            columns=tuple(tuple(column[row] for row in rows) for column in self.columns),
            targets=tuple(self.targets[row] for row in rows),
            weights=None if self.weights is None else tuple(self.weights[row] for row in rows),
        )

    def frame(self) -> pd.DataFrame:
        """The columns as a pandas data frame with columns c0, c1, …"""
        series = {
            f"c{i}": _series(kind, values)
            for i, (kind, values) in enumerate(zip(self.kinds, self.columns, strict=True))
        }
        return pd.DataFrame(series)


def level_name(kind: str, number: int) -> Any:
    """The level that a level number stands for in the data frame."""
    return bool(number) if kind == "boolean" else LEVELS[number]


def _series(kind: str, values: Sequence[Any]) -> Any:
    if kind == "float":
        return pd.Series([math.nan if value is None else value for value in values], dtype="float64")
    if kind == "integer":
        big = any(value is not None and value >= 2**63 for value in values)
        # Straight from integers: lists of integers beyond int64 pass through floats on their way into pandas.
        numbers = np.array(
            [0 if value is None else value for value in values], dtype=np.uint64 if big else np.int64
        )
        return pd.Series(pd.arrays.IntegerArray(numbers, np.array([value is None for value in values])))
    if kind == "boolean":
        return pd.Series(pd.array([pd.NA if v is None else bool(v) for v in values], dtype="boolean"))
    codes = np.array([-1 if value is None else value for value in values], dtype=np.int64)
    return pd.Series(categorical(codes, LEVELS, ordered=kind == "ordered"))


def categorical(codes: npt.NDArray[np.int64], levels: Sequence[str], *, ordered: bool = False) -> Any:
    """A pandas categorical from level numbers; -1 is missing."""
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(levels)), ordered=ordered)


def _picks(pool: Sequence[Any], n_rows: int) -> st.SearchStrategy[tuple[Any, ...]]:
    """One value of the pool for each row. Bytes are drawn at one go, and shrink to the first value."""
    return st.binary(min_size=n_rows, max_size=n_rows).map(
        lambda drawn: tuple(pool[byte % len(pool)] for byte in drawn)
    )


@st.composite
def _column(draw: st.DrawFn, kind: str, n_rows: int, n_levels: int) -> tuple[Any, ...]:
    pool: tuple[Any, ...]
    if kind == "float":
        pool = draw(st.sampled_from(_FLOATS))
    elif kind == "integer":
        pool = draw(st.sampled_from(_INTEGERS))
    else:
        pool = tuple(range(2 if kind == "boolean" else n_levels))
    return draw(_picks((*pool, None) if draw(st.booleans()) else pool, n_rows))


_CLASSES: Final = (("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d"), ("a",))
_NUMBERS: Final = ((-1.0, 0.0, 1.0, 2.5), (0.0, 0.25, 8.0, 1024.0))
_COUNTS: Final = ((0.0, 1.0, 2.0, 5.0), (0.0, 0.25, 3.0), (1.0, 2.0, 7.0), (0.0, 0.0, 0.0, 1.0, 40.0))
_EXACT_WEIGHTS: Final = ((1.0, 2.0, 3.0), (0.0, 1.0, 2.0), (0.5, 0.25, 3.0, 0.0), (1.0, 100.0))
# Neither sums nor products of these are exact. No weight is a sum of others: rounding decides on no half.
_ROUGH_NUMBERS: Final = tuple(round(number * 0.787, 3) for number in range(256))
_ROUGH_WEIGHTS: Final = (0.0, *(0.01 + 10 * math.sin(number) ** 2 for number in range(1, 256)))


def _targets(criterion: str, n_rows: int, exact: bool) -> st.SearchStrategy[tuple[Any, ...]]:
    def picks(pool: Sequence[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
        return _picks(pool, n_rows)

    if criterion in CLASS_CRITERIA:
        return st.sampled_from(_CLASSES).flatmap(picks)
    if exact:
        return st.sampled_from(_COUNTS if criterion == "poisson" else _NUMBERS).flatmap(picks)
    return picks(_ROUGH_NUMBERS if criterion == "poisson" else [number - 100 for number in _ROUGH_NUMBERS])


def _weights(n_rows: int, exact: bool) -> st.SearchStrategy[tuple[float, ...] | None]:
    pools = st.sampled_from(_EXACT_WEIGHTS if exact else (_ROUGH_WEIGHTS,))
    return st.one_of(st.none(), pools.flatmap(lambda pool: _picks(pool, n_rows)))


def _learnable(table: Table, criterion: str) -> Table:
    """The table with a first row that counts, so that there is something to learn from."""
    targets, weights = table.targets, table.weights
    if weights is not None and not any(weights):
        weights = (1.0, *weights[1:])
    if criterion == "poisson" and not any(
        y for row, y in enumerate(targets) if weights is None or weights[row] > 0
    ):
        targets = (3.0, *targets[1:])
        weights = None if weights is None else (weights[0] or 1.0, *weights[1:])
    return replace(table, targets=targets, weights=weights)


@st.composite
def tables(
    draw: st.DrawFn,
    criterion: str,
    *,
    min_rows: int = 1,
    max_rows: int = 30,
    max_columns: int = 4,
    max_levels: int = 6,
    kinds: Sequence[str] = KINDS,
    exact: bool | None = None,
) -> Table:
    """Draw a table that suits the criterion."""
    n_rows = draw(st.integers(min_rows, max_rows))
    chosen = tuple(draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=max_columns)))
    is_exact = draw(st.booleans()) if exact is None else exact
    columns = tuple(draw(_column(kind, n_rows, draw(st.integers(2, max_levels)))) for kind in chosen)
    targets, weights = draw(_targets(criterion, n_rows, is_exact)), draw(_weights(n_rows, is_exact))
    return _learnable(Table(chosen, columns, targets, weights, is_exact), criterion)
