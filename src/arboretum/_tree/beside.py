"""What only some trees have beside the arrays of their nodes: targets of rows, and where values come from.

"targets" are those of the rows, node by node: the rows that pass a node stand from `begin` up to `end`, since
the rows of its children stand there one after the other. "models" are linear, see linear_models.py.
"structure" is what the rows say that chose the questions, where others gave the values. "median" has the
means of nodes whose values are medians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from arboretum._tree.checks import frozen
from arboretum._types import Array, Integers
from arboretum.errors import DataError, ParameterError


@dataclass(frozen=True)
class Kind:
    """The arrays of one kind: those with an entry per node, others, and those that may be absent."""

    per_node: Mapping[str, type]
    whole: Mapping[str, type]
    optional: frozenset[str] = frozenset()
    wide: frozenset[str] = frozenset()  # those with several numbers per node
    because: str = ""  # why rows cannot be counted anew below a node


KINDS: Final[Mapping[str, Kind]] = {
    "targets": Kind(
        {"begin": np.int64, "end": np.int64},
        {"value": np.float64, "weight": np.float64},
        because='it keeps the targets of the rows that it was grown from (leaf="quantiles")',
    ),
    "structure": Kind(
        {"weight": np.float64, "impurity": np.float64, "counts": np.float64},
        {},
        frozenset({"impurity", "counts"}),
        frozenset({"counts"}),
        because="its leaves are honest, with other rows for the questions than for the values",
    ),
    "models": Kind(
        {name: np.float64 for name in ("intercept", "coefficient", "fill", "low", "high", "error")},
        {"column": np.int32},
        wide=frozenset({"coefficient", "fill"}),
        because="its leaves hold linear models",
    ),
    "median": Kind({"mean": np.float64}, {}, because="its leaves predict medians"),
}


@dataclass(frozen=True, eq=False)
class Beside:
    """Arrays of one kind."""

    per_node: Mapping[str, Array]
    whole: Mapping[str, Array]

    def take(self, nodes: Integers) -> Beside:
        """Return the same for these nodes, in this order."""
        return Beside({name: array[nodes] for name, array in self.per_node.items()}, self.whole)

    @property
    def arrays(self) -> dict[str, Array]:
        """All arrays by name."""
        return {**self.per_node, **self.whole}

    def same(self, other: Beside) -> bool:
        """Return whether the other has equal arrays."""
        mine, theirs = self.arrays, other.arrays
        return mine.keys() == theirs.keys() and all(np.array_equal(mine[name], theirs[name]) for name in mine)


def beside_of(name: str, arrays: Mapping[str, Array]) -> Beside:
    """Return arrays of a kind, which cannot be written to."""
    kind = KINDS[name]

    def part(types: Mapping[str, type]) -> dict[str, Array]:
        return frozen(
            arrays, {each: t for each, t in types.items() if each in arrays or each not in kind.optional}
        )

    return Beside(part(kind.per_node), part(kind.whole))


def checked_beside(beside: Mapping[str, Any], n_nodes: int, n_columns: int) -> None:
    """Refuse arrays that do not belong to a tree of this many nodes."""
    for name, given in beside.items():
        if uneven := sorted(each for each, array in given.per_node.items() if len(array) != n_nodes):
            raise DataError(
                f"The tree has {n_nodes:,} nodes, but the {uneven[0]} of its {name} has another length."
            )
        wide = KINDS[name].wide
        if odd := [each for each, array in given.arrays.items() if array.ndim != 1 + (each in wide)]:
            raise DataError(
                f"The tree is damaged: the {odd[0]} of its {name} has too few or too many numbers."
            )
        odd = [each for each, array in given.arrays.items() if not np.isfinite(array).all()]
        if odd:
            raise DataError(f"The tree is damaged: the {odd[0]} of its {name} is not finite.")
    if "targets" in beside:
        _check_targets(**beside["targets"].arrays)
    if "models" in beside:
        _check_models(**beside["models"].arrays, n_columns=n_columns)
    if "structure" in beside and any((array < 0).any() for array in beside["structure"].arrays.values()):
        raise DataError("The tree is damaged: the rows that chose its questions weigh less than nothing.")


def _check_targets(begin: Array, end: Array, value: Array, weight: Array) -> None:
    lost = (begin < 0) | (end < begin) | (end > len(value))
    if lost.any() or len(value) != len(weight) or (weight <= 0).any():
        raise DataError("The tree is damaged: the targets that it keeps do not belong to its nodes.")


def _check_models(
    *, coefficient: Array, fill: Array, column: Array, n_columns: int, low: Array, high: Array, **_: Array
) -> None:
    lost = (column < 0).any() or (column >= n_columns).any() or (np.diff(column) <= 0).any()
    if lost or coefficient.shape != fill.shape or coefficient.shape[1] != len(column) or (low > high).any():
        raise DataError("The tree is damaged: its linear models do not belong to its columns.")


def refuse_counting(beside: Mapping[str, Beside]) -> None:
    """Refuse to count other rows below a node where the tree has more than they can say."""
    for name in beside:
        raise ParameterError(
            f"The tree cannot get a new question or branch: {KINDS[name].because}.\n"
            "Hint: prune_at() works; else fit the estimator anew with another leaf=…."
        )
